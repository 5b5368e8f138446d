"""Runs that were measured elsewhere, as documents."""
import functools
import hashlib
import json
import re

IMPORT = "/v1/runs/import"
NDJSON = {"Content-Type": "application/x-ndjson"}
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
DAY = 1_750_000_000_000  # milliseconds
# A published figure, as a user enters it.
FIGURE = {"id": "mine", "workload": "resnet50", "engine": "other 1", "provider": "aws",
          "instance_type": "x1.large", "configuration": {"precision": "bf16"}, "unit": "sample",
          "samples_per_second": 340, "derived": False, "source": "a page", "note": "one run",
          "measured_at": "2025-01-02"}


def run_id(number, milliseconds=DAY):
    """A ULID; its random part is the number."""
    value = milliseconds << 80 | number
    return "".join(DIGITS[value >> shift & 31] for shift in range(125, -1, -5))


NOISE = [(number * 2654435761 % 4096) / 2048 - 1 for number in range(4096)]  # from -1 to 1


@functools.cache
def made_losses(seed, steps):
    return [round(2.3 / (1 + step / 10) + 0.01 * NOISE[(step + seed) % 4096], 6) for step in range(steps)]


def fingerprint(facts):
    """As docs/run-document.md says: FNV-1a of the facts, without blanks."""
    result = 0xcbf29ce484222325
    for byte in json.dumps(facts, separators=(",", ":"), ensure_ascii=False).encode():
        result = (result ^ byte) * 0x100000001b3 % 2 ** 64
    return f"{result:016x}"


def second_name(facts):
    """The same with SHA-256: where other facts have the fingerprint."""
    text = json.dumps(facts, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def machine(facts, stratum="00000000000000ff"):
    return {"fingerprint": fingerprint(facts), "stratum": stratum, "facts": facts}


def document(number=0, steps=60, nanoseconds=5_000_000, **members):
    """A whole one; members that are given replace those that are made up."""
    spec = {"workload": "mlp2017", "engine": "elsewhere", "warmup_steps": 10, "steps": steps - 10,
            "batch_size": 32, "seed": number % 4294967296}
    first = number * steps
    times = [int(nanoseconds * (1 + 0.02 * NOISE[step % 4096])) for step in range(first, first + steps)]
    losses = list(made_losses(number % 4096, steps))
    return {"pennyworth_run": 1, "id": run_id(number), "spec": spec, "instance_type": "test.large",
            "provider": "aws", "region": "eu-test-1", "zone": None, "vm": f"i{number % 7:015x}",
            "machine": machine({"isa": "avx2", "cores": 2, "number": number % 3}),
            "created_at": "2026-01-02T03:04:05.000001Z", "started_at": "2026-01-02T03:04:06Z",
            "ended_at": "2026-01-02T03:04:07.5Z", "software": "elsewhere 1",
            "setup_ns": 1_000_000, "ended_by": "all_steps",
            "steps": {"nanoseconds": times, "loss": losses},
            "evidence": {"observations": [], "canaries": [[0, 3e9, 1e10], [steps, 3e9, 1e10]]},
            **members}


def speed(run):
    """Samples a second, of a document with a fixed warm-up."""
    counted = run["steps"]["nanoseconds"][run["spec"]["warmup_steps"]:]
    return run["spec"]["batch_size"] * 1e9 * len(counted) / sum(counted)


def line(run):
    return json.dumps(run, separators=(",", ":"))


def lines(runs):
    return "".join(line(run) + "\n" for run in runs).encode()


def send(server, runs):
    """The answer to an import of documents, or of the text of some."""
    body = runs if isinstance(runs, bytes) else lines(runs)
    return server.request("POST", IMPORT, body, NDJSON)


def take_in(server, runs):
    """An import in which each one is new."""
    runs = list(runs)
    reply = send(server, runs)
    if reply.status != 200 or reply.json()["imported"] != len(runs):
        raise AssertionError(reply)


def export(server, query=""):
    """The lines of an export."""
    reply = server.get("/v1/runs/export" + query)
    if reply.status != 200 or reply.headers["content-type"] != NDJSON["Content-Type"]:
        raise AssertionError(reply)
    return reply.body


def ids(exported):
    return [json.loads(text)["id"] for text in exported.splitlines()]


def unsigned(exported):
    """The same lines without signatures, which hold of one key, and of nothing that was altered."""
    return re.sub(rb',"signature":\{[^}]*\}', b"", exported)

#!/usr/bin/env python3
"""Which findings do quiet runs in a container get? Runs of resnet50, one after another, in the image,
under each of several limits; prints, for each limit, how many runs are of each level, and for each
finding how often it was a warning or made the run invalid, with the medians of value and half-width.

usage: alarms.py [--runs N] [--limit WORDS]... [--batch N] [--precision WORD]
                 [--min-seconds N] [--max-seconds N] [--exports FOLDER] [--image NAME]

WORDS are limits as `docker run` takes them, such as "--cpus 1"; "none" sets none. Without --image the
image is made from this tree, and removed afterwards. --exports keeps, for each limit, what
/v1/runs/export sends: another version can judge those traces again. Wants a docker engine and a quiet
machine; tests/container/README.md says more."""
import argparse
import collections
import json
import shlex
import statistics
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/container"))

import docker  # noqa: E402
from runtime import ENGINE, RUNTIME  # noqa: E402

LIMITS = ["none", "--cpus 2", "--cpus 1"]
LEVELS = ("ok", "warn", "invalid", "unknown")


def options():
    parser = argparse.ArgumentParser(prog="alarms.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=20, help="under each limit (%(default)s)")
    parser.add_argument("--limit", action="append", metavar="WORDS",
                        help="may be repeated (" + ", ".join(LIMITS) + ")")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--precision", choices=("auto", "f32", "bf16"), default="auto",
                        help="auto: bf16 where the machine computes in it (%(default)s)")
    parser.add_argument("--min-seconds", type=int, default=15)
    parser.add_argument("--max-seconds", type=int, default=60)
    parser.add_argument("--exports", type=Path, metavar="FOLDER")
    parser.add_argument("--image", metavar="NAME", help="an image that the engine has")
    chosen = parser.parse_args()
    if chosen.runs < 1:
        parser.error("--runs must be at least 1")
    chosen.limit = chosen.limit or LIMITS
    return chosen


def measure(server, chosen, precision):
    """One run, waited for in the request that asks for it."""
    spec = {"workload": "resnet50", "batch_size": chosen.batch, "precision": precision,
            "min_seconds": chosen.min_seconds, "max_seconds": chosen.max_seconds}
    status, _, body = server.ask("POST", "/v1/runs", spec,
                                 {"Prefer": f"wait={chosen.max_seconds + 120}"})
    answer = json.loads(body)
    if status not in (200, 201, 202):
        raise SystemExit(f"alarms.py: {spec} is refused: {body.decode()}")
    while answer["state"] in ("queued", "running"):  # the server waits no longer than it likes to
        time.sleep(1)
        answer = server.show(answer["id"])
    return answer


def choose_precision(server, wanted):
    """bf16 where the flags of the processor have it; a run of two steps makes the machine known."""
    if wanted != "auto":
        return wanted
    run = server.run(workload="resnet50", batch_size=2, precision="f32", warmup_steps=0, steps=2)
    machine = json.dumps(server.get(f"/v1/machines/{run['machine']}"))
    return "bf16" if "bf16" in machine else "f32"


def middle(values):
    known = [value for value in values if value is not None]
    return f"{statistics.median(known):.3f}" if known else "-"


def report(limit, runs):
    levels = collections.Counter(run["validity"]["level"] if run["validity"] else run["state"]
                                 for run in runs)
    half = middle([(run["summary"] or {}).get("half_width_percent") for run in runs])
    speed = middle([(run["summary"] or {}).get("samples_per_second") for run in runs])
    print(f"\n{limit}: " + ", ".join(f"{count} {level}" for level, count in levels.most_common()) +
          f"; median {speed} samples/s, half-width {half} %")
    print(f"  {'finding':<18}" + "".join(f"{level:>9}" for level in LEVELS) + "   median value")
    found = collections.defaultdict(list)
    for run in runs:
        for each in (run["validity"] or {"findings": []})["findings"]:
            found[each["code"]].append(each)
    for code, each in found.items():
        counts = collections.Counter(finding["level"] for finding in each)
        print(f"  {code:<18}" + "".join(f"{counts[level]:>9}" for level in LEVELS) +
              f"   {middle([finding['value'] for finding in each])}")
    for run in runs:
        if run["state"] != "finished":
            print(f"  {run['id']}: {run['state']}: {run['reason']}")
    sys.stdout.flush()


def under(limit, chosen):
    server = RUNTIME.server(run=() if limit == "none" else shlex.split(limit))
    try:
        server.start()
        precision = choose_precision(server, chosen.precision)
        print(f"{limit}: {chosen.runs} runs, batch {chosen.batch}, {precision}", file=sys.stderr)
        runs = []
        for number in range(chosen.runs):
            runs.append(measure(server, chosen, precision))
            level = (runs[-1]["validity"] or {}).get("level", runs[-1]["state"])
            print(f"  {number + 1}: {level}", file=sys.stderr, flush=True)
        report(limit, runs)
        if chosen.exports:
            chosen.exports.mkdir(parents=True, exist_ok=True)
            name = limit.replace("--", "").replace(" ", "-") + ".ndjson"
            (chosen.exports / name).write_bytes(server.ask("GET", "/v1/runs/export")[2])
            print(f"  kept in {chosen.exports / name}")
    finally:
        server.clean()


def main():
    chosen = options()
    if not ENGINE:
        raise SystemExit("alarms.py: no docker engine answers")
    if chosen.image:
        docker.IMAGE = chosen.image
    try:
        if not chosen.image:
            RUNTIME.make_base()
            RUNTIME.make_image()
        for limit in chosen.limit:
            under(limit, chosen)
    finally:
        if not chosen.image:
            RUNTIME.forget()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What many queued sweeps cost: queueing one, and each run while they wait.

usage: queued_sweeps.py [SWEEPS ...]

For each number: a server (PENNYWORTH_TEST_SERVER, see tests/api/README.md) with the fake engine, as
many sweeps of two cells and two blocks queued behind a run that keeps the queue waiting; then the
time between the ends of the 100 runs that follow, and the processor time that the server takes for
each. These are medians: compare them with another tree measured at the same time."""
import contextlib
import json
import os
import sqlite3
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/api"))

from harness import Server, fake, until  # noqa: E402

MEASURED = 100
SWEEP = {"knobs": {"batch_size": [1, 2]}, "blocks": 2,
         "base": {"engine": "ok", "warmup_steps": 0, "steps": 1}}


def processor_seconds(server):
    words = Path(f"/proc/{server.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
    return sum(map(int, words.split()[11:13])) / os.sysconf("SC_CLK_TCK")


def queue(server, count):
    seconds = []
    for _ in range(count):
        began = time.monotonic()
        reply = server.post(SWEEP, path="/v1/sweeps")
        seconds.append(time.monotonic() - began)
        assert reply.status == 201, reply
    return seconds


def ended(server):
    with contextlib.closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as stored:
        return stored.execute("SELECT count(*) FROM runs WHERE state = 'finished'").fetchone()[0]


def measure(sweeps):
    server = Server("--queue-limit", "1000000",
                    engines={"ok": fake("ok", 0), "slow": fake("slow", 20)}).start()
    first = server.queue("slow", steps=1000000, max_seconds=3600)
    queueing = queue(server, sweeps)
    server.delete(f"/v1/runs/{first}")
    wanted = min(MEASURED, sweeps * 4 - 4)
    until(lambda: ended(server) > 2, "the first runs")
    before, began, used = ended(server), time.monotonic(), processor_seconds(server)
    until(lambda: ended(server) >= before + wanted, "the runs", 300, pause=0.02)
    runs, took, used = ended(server) - before, time.monotonic() - began, processor_seconds(server) - used
    server.stop()
    last = statistics.median(queueing[-10:])
    print(json.dumps({"sweeps": sweeps, "ms_to_queue_one": round(last * 1000, 2),
                      "ms_a_run": round(took / runs * 1000, 2),
                      "processor_ms_a_run": round(used / runs * 1000, 2)}), flush=True)


def main():
    for sweeps in [int(word) for word in sys.argv[1:]] or [10, 100, 1000]:
        measure(sweeps)


if __name__ == "__main__":
    main()

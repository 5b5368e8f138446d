"""What every test of programs needs, whatever it starts: patience, a port, and a share of many cases."""
import os
import socket
import sys
import time
from pathlib import Path

PATIENCE = 60  # seconds until something that must happen counts as not happening
LONGEST_PAUSE = 0.05

SCRIPT = Path(sys.argv[0]).resolve()
if SCRIPT.stem.startswith("test_") or SCRIPT.stem.endswith("_test"):
    tests = Path(__file__).resolve().parents[1]
    raise SystemExit(f"it runs no test by itself: {sys.executable} {tests} {SCRIPT.relative_to(tests).with_suffix('')}")


def until(truth, what, seconds=PATIENCE, pause=0.01):
    """Calls truth() until it returns something true, and returns that. It pauses longer the longer it waits,
    to leave the processors to what it waits for."""
    began = time.monotonic()
    while True:
        found = truth()
        if found:
            return found
        waited = time.monotonic() - began
        if waited > seconds:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(max(pause, min(waited / 10, LONGEST_PAUSE)))


def share(cases, turn=0):
    """All cases; of ./test the one that its seed chooses, and another one in another turn."""
    seed = os.environ.get("PENNYWORTH_TEST_SEED")
    return cases if seed is None else [cases[(int(seed) + turn) % len(cases)]]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]

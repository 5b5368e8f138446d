"""What the service itself costs the run that it measures: footprint.py [PAIRS].

Runs ResNet-50 in turns, alone and with a client that asks once a second and another that reads the
event stream, and prints the server's processor time during each run, and the ratio of the median
steps with its interval (paired, Student's t)."""
import json
import math
import os
import sys
import tempfile
import threading
import time
import urllib.request

from sweeps import Service

SPEC = {"workload": "resnet50", "precision": "f32", "batch_size": 4, "warmup_steps": 5,
        "steps": 40}
T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read_events(url, end):
    with urllib.request.urlopen(url) as stream:
        while not end.is_set() and stream.readline():
            pass


def run(service, watched):
    """Seconds of the median step, and the share of one core that the server took."""
    before, start = cpu_seconds(service.process.pid), time.monotonic()
    made = service.ask("/v1/runs", SPEC)
    end = threading.Event()
    url = f"http://127.0.0.1:{service.port}/v1/runs/{made['id']}"
    if watched:
        threading.Thread(target=read_events, args=(url + "/events", end), daemon=True).start()
    while True:
        time.sleep(1 if watched else 5)
        state = service.ask(f"/v1/runs/{made['id']}")
        if state["state"] not in ("queued", "running"):
            break
    end.set()
    share = (cpu_seconds(service.process.pid) - before) / (time.monotonic() - start)
    return state["summary"]["median_step_seconds"], share, state["validity"]["level"]


def main(pairs):
    logs, shares = [], {True: [], False: []}
    with tempfile.TemporaryDirectory() as place:
        service = Service(place)
        try:
            for pair in range(pairs):
                medians = {}
                for watched in ((False, True), (True, False))[pair % 2]:
                    medians[watched], share, level = run(service, watched)
                    shares[watched].append(share)
                    print(f"pair {pair} {'watched' if watched else 'alone  '}: median step "
                          f"{medians[watched] * 1e3:.1f} ms, server {100 * share:.3f} % of a core, "
                          f"{level}", flush=True)
                logs.append(math.log(medians[True] / medians[False]))
        finally:
            service.process.terminate()
    mean = sum(logs) / pairs
    half = T95[pairs - 2] * math.sqrt(sum((x - mean) ** 2 for x in logs) / (pairs - 1) / pairs)
    print(json.dumps({
        "median_step_watched_by_alone": math.exp(mean),
        "low": math.exp(mean - half), "high": math.exp(mean + half), "pairs": pairs,
        "server_percent_of_a_core_alone": 100 * sum(shares[False]) / pairs,
        "server_percent_of_a_core_watched": 100 * sum(shares[True]) / pairs}, indent=1))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6)

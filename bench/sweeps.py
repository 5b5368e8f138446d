"""Runs sweeps on this machine and writes the results: sweeps.py FOLDER [PRESET...].

Starts a server of its own (PENNYWORTH_BENCH_SERVER, or build/release/pennyworth) with a database in
a temporary folder, posts one sweep after the other, and leaves FOLDER/PRESET.json as it was answered
and FOLDER/README.md with the tables."""
import datetime
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SERVER = os.environ.get("PENNYWORTH_BENCH_SERVER", str(ROOT / "build/release/pennyworth"))
BRIEF = {"precision": "bf16", "batch_size": 8, "min_seconds": 7, "max_seconds": 30,
         "target_percent": 3}
REQUESTS = {
    "ladder": {"preset": "ladder", "base": {**BRIEF, "batch_size": 4}},
    "batch": {"knobs": {"batch_size": [4, 8, 16, 32]},
              "base": {**BRIEF, "workload": "resnet50", "max_seconds": 40}},
    "threads": {"preset": "threads", "base": BRIEF},
    "isa": {"preset": "isa", "base": {**BRIEF, "precision": "f32", "batch_size": 2,
                                      "max_seconds": 40}},
    "input_workers": {"preset": "input_workers", "base": BRIEF},
    "tune": {"preset": "tune", "budget_seconds": 200, "base": {"precision": "bf16"}},
    "clouds2017": {"preset": "clouds2017", "base": {"precision": "f32", "min_seconds": 7,
                                                    "max_seconds": 30, "target_percent": 3}},
    "aa": {"preset": "aa", "pairs": 6, "base": {**BRIEF, "workload": "resnet50"}},
}


class Service:
    def __init__(self, folder, *flags):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([SERVER, "--port", str(self.port), "--database",
                                         f"{folder}/bench.db", "--log", "error", *flags])
        for _ in range(100):
            try:
                self.ask("/readyz")
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("the server does not answer")

    def ask(self, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}",
                                         data=json.dumps(body).encode() if body else None,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def sweep(self, request):
        sweep = self.ask("/v1/sweeps", request)
        while sweep["state"] == "running":
            time.sleep(10)
            sweep = self.ask(f"/v1/sweeps/{sweep['id']}")
            done = sweep["progress"]
            print(f"  {done['runs_done']} of {done['runs_total']} runs, "
                  f"{done['elapsed_seconds']:.0f} s", flush=True)
        return sweep


    def machine(self):
        """The machine that all runs of this server ran on."""
        machines = self.ask("/v1/machines")
        return next(machine for machine in machines["machines"]
                    if machine["fingerprint"] == machines["here"])

    def stop(self):
        self.process.terminate()
        self.process.wait()


def ratio(value):
    if not value or value["low"] == value["high"]:  # a cell has 1 to itself
        return "-"
    verdict = {"better": "", "worse": "", "cannot_be_told_apart": " (tie)"}[value["verdict"]]
    return f"{value['value']:.2f} ({value['low']:.2f}-{value['high']:.2f}){verdict}"


def ranks(rank):
    return f"{rank['low']}" if rank["low"] == rank["high"] else f"{rank['low']} to {rank['high']}"


def table(sweep):
    lines = ["| cell | samples/s | 95 % over | valid of all runs | to the first | to the one before | "
             "rank |", "|---|---|---|---|---|---|---|"]
    for cell in sweep["cells"]:
        runs = f"{cell['valid_runs']} of {len(cell['runs'])}"
        if cell["samples_per_second"] is None:
            reason = cell["refused"] or "no valid run"
            lines.append(f"| {cell['name']} | - | {reason} | {runs} | - | - | - |")
            continue
        interval = cell["interval"]
        spread = (f"{interval['low']:.1f}-{interval['high']:.1f}, {interval['over']}"
                  if interval else "-")
        lines.append(f"| {cell['name']} | {cell['samples_per_second']:.1f} | {spread} | {runs} | "
                     f"{ratio(cell['ratio_to_first'])} | {ratio(cell['ratio_to_previous'])} | "
                     f"{ranks(cell['rank'])} |")
        if cell["efficiency"]:
            lines[-1] = lines[-1][:-2] + f", efficiency {cell['efficiency']['value']:.2f} |"
    return lines


def describe(machine):
    facts = machine["facts"]
    return (f"{facts['cpu_model']} (family {facts['cpu_family']}, model "
            f"{facts['cpu_model_number']}), {facts['cores']} cores, {facts['isa']}, "
            f"{facts['memory_gib']} GiB, {facts['hypervisor']}, {facts['distribution']}, kernel "
            f"{facts['kernel']}; fingerprint {machine['fingerprint']}, stratum "
            f"{machine['stratum']}")


def reasons(service, sweep):
    """Why runs were not used, in the words of their findings."""
    found = {}
    for cell in sweep["cells"]:
        for run in cell["runs"]:
            if run["validity"] != "invalid":
                continue
            for finding in service.ask(f"/v1/runs/{run['id']}")["validity"]["findings"]:
                if finding["level"] == "invalid":
                    found[finding["code"]] = found.get(finding["code"], 0) + 1
    return ", ".join(f"{code} {count} times" for code, count in sorted(found.items()))


def write(folder, name, sweep, why):
    (folder / f"{name}.json").write_text(json.dumps(sweep, indent=1) + "\n")
    lines = [f"## {name}", "", f"Request: `{json.dumps(sweep['request'])}`; "
             f"{sweep['progress']['elapsed_seconds']:.0f} s in all.", "", *table(sweep), ""]
    if why:
        lines += [f"Runs that were not used: {why}.", ""]
    if sweep["best"]:
        tied = ", ".join(sweep["best"]["cannot_be_told_apart_from"])
        lines += [f"Best: {sweep['best']['name']}" + (f"; tied with it: {tied}." if tied else "."),
                  ""]
    if sweep["false_alarms"]:
        alarms = sweep["false_alarms"]
        lines += [f"Of {alarms['pairs']} pairs of equals {alarms['alarms']} would have been called "
                  f"different: {alarms['rate']:.2f} ({alarms['low']:.2f}-{alarms['high']:.2f}).",
                  ""]
    return lines


def main(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        service = Service(place)
        try:
            lines = ["# What sweeps answer on one machine", "",
                     f"{datetime.date.today()}, {describe(service.machine())}.", "",
                     "Made by `bench/sweeps.py`; each answer is stored unchanged next to this file. "
                     "The machine is shared and noisy: look at the intervals, not at the third "
                     "digit.", ""]
            for name in names:
                print(name, flush=True)
                sweep = service.sweep(REQUESTS[name])
                lines += write(folder, name, sweep, reasons(service, sweep))
                (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n")
        finally:
            service.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(REQUESTS))

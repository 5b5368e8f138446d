#!/usr/bin/env python3
"""Every network of the engine against PyTorch, in turns on the same cores.

    bench/networks.py PYTHON [WORKLOAD...]    PYTHON has torch, such as the one of a virtual environment

Both are engines that speak the worker protocol and train the same bits, each in its precision with
the workload's own batch. A round trains each once, one process at a time, every second round
backwards. A figure is the batch by the median step. Ratios are taken within a round: the table has
their median, the least and the largest. PyTorch has LLVM's OpenMP and tcmalloc preloaded where
Debian's packages libomp5 and libtcmalloc-minimal4 are there. The last line of each precision is
the geometric mean."""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True  # the source tree is not ours to write to

TOP = pathlib.Path(__file__).resolve().parent.parent
TEXT = {"fasttext2017": 400, "fasttext2017_unigrams": 400, "bilstm2017": 100, "lstm2017": 40, "textgen2017": 40,
        "gpt2": 64, "gpt2_tiny": 32}  # tokens of a sample


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python")
    parser.add_argument("workloads", nargs="*", help="all but resnet50, which bench/engine.sh measures")
    parser.add_argument("--worker", default=str(TOP / "build/release/pennyworth-worker"))
    parser.add_argument("--precisions", default="f32,bf16")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="of measured steps, about")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def workloads(worker):
    lines = subprocess.run([worker, "workloads"], check=True, capture_output=True, text=True).stdout.splitlines()
    return {words[0]: int(words[3]) for words in map(str.split, lines[1:]) if words[0] != "resnet50"}


def preloaded():
    """The environment of PyTorch's tuning guide, as far as its libraries are here."""
    found = [str(path) for name in ("libomp.so.5", "libtcmalloc_minimal.so.4")
             for path in sorted(pathlib.Path("/usr/lib").rglob(name))[:1]]
    return {**os.environ, "LD_PRELOAD": ":".join(found), "KMP_BLOCKTIME": "1",
            "KMP_AFFINITY": "granularity=fine,compact,1,0"}


class Engine:
    def __init__(self, name, words, environment):
        self.name, self.words, self.environment = name, words, environment

    def train(self, spec):
        """The median step in seconds, and the peak of memory in MiB."""
        done = subprocess.run(self.words, input=json.dumps(spec) + "\n", env=self.environment,
                              capture_output=True, text=True)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        steps = [event["nanoseconds"] for event in events if event["type"] == "step"][spec["warmup_steps"]:]
        if not steps or events[-1]["type"] != "done":
            raise SystemExit(f"{self.name}: {spec['workload']} in {spec['precision']}: {done.stdout[-300:]}"
                             f"{done.stderr[-300:]}")
        return statistics.median(steps) / 1e9, events[-1]["peak_memory_bytes"] / 2**20


def measure(args, engines, workload, precision, batch):
    """Of each round: the results of both engines."""
    spec = {"workload": workload, "precision": precision, "batch_size": batch, "threads": args.threads,
            "warmup_steps": 3, "steps": 8, "seed": 1, "layout": "auto", "plan": "auto", "isa": "auto",
            "input_workers": 0}
    step = max(engine.train(spec)[0] for engine in engines)
    spec["steps"] = max(8, min(300, round(args.seconds / step)))
    rounds = []
    for number in range(args.rounds):
        order = engines if number % 2 == 0 else engines[::-1]
        results = {engine.name: engine.train(spec) for engine in order}
        rounds.append([results[engine.name] for engine in engines])
    return rounds


def speed(rounds, which, batch):
    return batch / statistics.median(each[which][0] for each in rounds)


def row(workload, precision, batch, rounds):
    ours, theirs = speed(rounds, 0, batch), speed(rounds, 1, batch)
    ratios = [each[1][0] / each[0][0] for each in rounds]
    memory = [statistics.median(each[which][1] for each in rounds) for which in (0, 1)]
    tokens = f"{ours * TEXT[workload]:,.0f}" if workload in TEXT else ""
    print(f"| {workload} | {precision} | {batch} | {ours:,.4g} | {tokens} | {theirs:,.4g} | "
          f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) | "
          f"{memory[0]:.0f} | {memory[1]:.0f} |", flush=True)
    return statistics.median(ratios)


def main():
    args = options()
    known = workloads(args.worker)
    for name in args.workloads:
        if name not in known:
            raise SystemExit(f"networks.py: {name} is none of {', '.join(known)}")
    engines = [Engine("ours", [args.worker], dict(os.environ)),
               Engine("PyTorch", [args.python, str(TOP / "engine/peers/pytorch_engine.py")], preloaded())]
    print("| network | | batch | samples/s | tokens/s | PyTorch | ratio | peak MiB | PyTorch |")
    print("|---|---|---|---|---|---|---|---|---|")
    for precision in args.precisions.split(","):
        ratios = [row(name, precision, known[name], measure(args, engines, name, precision, known[name]))
                  for name in args.workloads or known]
        print(f"| together | {precision} | | | | | {math.prod(ratios) ** (1 / len(ratios)):.2f} | | |", flush=True)


if __name__ == "__main__":
    main()

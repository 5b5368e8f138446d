#!/usr/bin/env python3
"""Every network of the engine against PyTorch, in turns on the same cores.

    bench/networks.py PYTHON [WORKLOAD...]    PYTHON has torch, such as the one of a virtual environment

Both are engines that speak the worker protocol and train the same bits, each in its precision with
the workload's own batch. PyTorch takes part twice, eager and with torch.compile, which needs a C++
compiler; ratio and memory are against the faster of the two. A round trains each once, one process
at a time, every second round backwards. A figure is the batch by the median step. Ratios are taken
within a round: the table has their median, the least and the largest. PyTorch has LLVM's OpenMP and
tcmalloc preloaded where Debian's packages libomp5 and libtcmalloc-minimal4 are there. The last line
of each precision is the geometric mean. Where torch.compile fails the table says so, and why stands
below it."""
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
    parser.add_argument("--eager", action="store_true", help="leave out torch.compile")
    return parser.parse_intermixed_args()


def workloads(worker):
    lines = subprocess.run([worker, "workloads"], check=True, capture_output=True, text=True).stdout.splitlines()
    return {words[0]: int(words[3]) for words in map(str.split, lines[1:]) if words[0] != "resnet50"}


def preloaded():
    """The environment of PyTorch's tuning guide, as far as its libraries are here."""
    found = [str(path) for name in ("libomp.so.5", "libtcmalloc_minimal.so.4")
             for path in sorted(pathlib.Path("/usr/lib").rglob(name))[:1]]
    return {**os.environ, "LD_PRELOAD": ":".join(found), "KMP_BLOCKTIME": "1",
            "KMP_AFFINITY": "granularity=fine,compact,1,0"}


class Failure(Exception):
    """An engine did not train; says which, what, and its last words."""


class Engine:
    def __init__(self, name, words, environment, may_fail=False):
        self.name, self.words, self.environment, self.may_fail = name, words, environment, may_fail

    def train(self, spec):
        """The median step in seconds, and the peak of memory in MiB."""
        done = subprocess.run(self.words, input=json.dumps(spec) + "\n", env=self.environment,
                              capture_output=True, text=True)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        steps = [event["nanoseconds"] for event in events if event["type"] == "step"][spec["warmup_steps"]:]
        if not steps or events[-1]["type"] != "done":
            raise Failure(f"{self.name}: {spec['workload']} in {spec['precision']}: {done.stdout[-300:]}"
                          f"{done.stderr[-300:]}")
        return statistics.median(steps) / 1e9, events[-1]["peak_memory_bytes"] / 2**20


class Contest:
    """One network in one precision: what each engine did in each round, and what failed."""

    def __init__(self, workload, precision, batch):
        self.workload, self.precision, self.batch = workload, precision, batch
        self.rounds, self.failures = [], {}

    def measure(self, args, engines):
        spec = {"workload": self.workload, "precision": self.precision, "batch_size": self.batch,
                "threads": args.threads, "warmup_steps": 3, "steps": 8, "seed": 1, "layout": "auto",
                "plan": "auto", "isa": "auto", "input_workers": 0}
        first = self.round(engines, spec)
        able = [engine for engine in engines if engine.name in first]
        spec["steps"] = max(8, min(300, round(args.seconds / max(step for step, _ in first.values()))))
        for number in range(args.rounds):
            self.rounds.append(self.round(able if number % 2 == 0 else able[::-1], spec))

    def round(self, engines, spec):
        results = {}
        for engine in engines:
            try:
                results[engine.name] = engine.train(spec)
            except Failure as failure:
                if not engine.may_fail:
                    raise SystemExit(str(failure)) from None
                self.failures[engine.name] = str(failure)
        return results

    def has(self, name):
        return name not in self.failures and all(name in each for each in self.rounds)

    def speed(self, name):
        return self.batch / statistics.median(each[name][0] for each in self.rounds)

    def memory(self, name):
        return statistics.median(each[name][1] for each in self.rounds)

    def ratios(self, name):
        return [each[name][0] / each["ours"][0] for each in self.rounds]

    def row(self, others):
        """Prints it; returns the median ratio to the fastest of the others."""
        best = max(filter(self.has, others), key=self.speed)
        ratios, ours = self.ratios(best), self.speed("ours")
        speeds = [f"{self.speed(name):,.4g}" if self.has(name) else "failed" for name in others]
        tokens = f"{ours * TEXT[self.workload]:,.0f}" if self.workload in TEXT else ""
        print(f"| {self.workload} | {self.precision} | {self.batch} | {ours:,.4g} | {tokens} | "
              f"{' | '.join(speeds)} | {statistics.median(ratios):.2f} ({min(ratios):.2f} to "
              f"{max(ratios):.2f}) | {self.memory('ours'):.0f} | {self.memory(best):.0f} |", flush=True)
        return statistics.median(ratios)


def main():
    args = options()
    known = workloads(args.worker)
    for name in args.workloads:
        if name not in known:
            raise SystemExit(f"networks.py: {name} is none of {', '.join(known)}")
    peer = [args.python, str(TOP / "engine/peers/pytorch_engine.py")]
    engines = [Engine("ours", [args.worker], dict(os.environ)), Engine("PyTorch", peer, preloaded())]
    if not args.eager:
        engines.append(Engine("compiled", [*peer, "--compile"], preloaded(), may_fail=True))
    others, failures = [engine.name for engine in engines[1:]], []
    names = ' | '.join(others)
    print(f"| network | | batch | samples/s | tokens/s | {names} | ratio | peak MiB | PyTorch |")
    print("|---" * (8 + len(others)) + "|")
    for precision in args.precisions.split(","):
        ratios = []
        for name in args.workloads or known:
            found = Contest(name, precision, known[name])
            found.measure(args, engines)
            ratios.append(found.row(others))
            failures += found.failures.values()
        mean = math.prod(ratios) ** (1 / len(ratios))
        print(f"| together | {precision} | | | | {'| ' * len(others)}{mean:.2f} | | |", flush=True)
    for failure in failures:
        print(f"\nFailed: {failure}")


if __name__ == "__main__":
    main()

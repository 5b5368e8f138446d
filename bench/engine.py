"""The rounds of bench/engine.sh, which says what this is."""
import argparse
import dataclasses
import datetime
import itertools
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree is not ours to write to

import engine_runs  # noqa: E402
import engine_table  # noqa: E402

TOP = engine_runs.HERE.parent
PEAK_SECONDS = 0.1  # a dozen times
QUIET = 0.05  # others' share of the cores that we put up with


def commas(kind):
    return lambda text: [kind(word) for word in text.split(",") if word]


def options():
    with open(engine_runs.HERE / "engine.sh", encoding="utf-8") as file:
        head = itertools.takewhile(lambda line: line.startswith("#"), list(file)[1:])
        about = "".join(line[2:] or "\n" for line in head)
    parser = argparse.ArgumentParser(prog="engine.sh", description=about,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--roots", type=pathlib.Path, default=os.environ.get("PENNYWORTH_BENCH_ROOTS"),
        help="folder of the userlands (default: $PENNYWORTH_BENCH_ROOTS)")
    add("--torch", action="append", metavar="[NAME=]PYTHON", default=[], help="a Python of this "
        "machine that has torch, such as a virtual environment's with PyPI's; its "
        "contestants are NAME[+SETTING...] (default: pypi). Needs no root")
    add("--batches", type=commas(int), default=[8, 16, 32, 64, 128], help="8,16,32,64,128")
    add("--precisions", type=commas(str), default=["bf16", "f32"], help="bf16,f32")
    add("--plans", type=commas(str), help="run ours with each of these plans: auto,fixed,plain "
        "(default: say nothing of a plan)")
    add("--worker", action="append", metavar="[NAME=][USERLAND:]PATH", help="our program, or "
        "one in a userland; may be repeated with other NAMEs (default: ours=build/release/...)")
    add("--variants", type=commas(str), metavar="A,B", help="PyTorch contestants, as above; 'all': "
        "every mix of compile, llvm and tcmalloc (default: see DEFAULT in engine.py)")
    add("--only", choices=("ours", "pytorch"), help="leave the others out")
    add("--rounds", type=int, default=7)
    add("--samples", type=int, default=192, help="per training, in at least 3 and at most 20 "
        "steps (default: %(default)s)")
    add("--warmup", type=int, default=2, help="steps before those (default: %(default)s)")
    add("--repeats", type=int, default=2, help="train again, at most so often, where others took "
        "over 5 %% of our cores meanwhile; the quietest counts (default: %(default)s)")
    add("--threads", type=int, help="and so many cores (default: every core that we may use)")
    add("--limit", type=float, default=900, help="seconds for one training")
    add("--json", type=pathlib.Path, help="write every step there, as it comes")
    add("--report", nargs="+", type=pathlib.Path, help="measure nothing, print these files")
    return parser.parse_args()


# Each of these was PyTorch's best somewhere, or near it: which it is depends on the machine.
DEFAULT = ("+tcmalloc", "+llvm+tcmalloc", "+compile+tcmalloc")


def variants(args):
    names, found = args.variants, engine_runs.places(args.roots, args.torch)
    if names == ["all"]:
        some = [("", "+" + word) for word in ("compile", "llvm", "tcmalloc")]
        mixes = ["".join(mix) for mix in itertools.product(*some)]
    elif names:
        return [engine_runs.theirs_from(name, found) for name in names]
    else:
        mixes = DEFAULT
    return [engine_runs.theirs_from(name + mix, found) for name in found for mix in mixes]


def contestants(args):
    default = [str(TOP / "build/release/pennyworth-worker")]
    found = []
    if args.only != "pytorch":
        found += engine_runs.ours_from(args.worker or default, args.plans, args.roots)
    if args.only != "ours":
        found += variants(args)
    if not found:
        raise SystemExit("engine.sh: no engine to measure")
    inside = {contestant.userland for contestant in found} - {None}
    if inside and os.geteuid() != 0:
        raise SystemExit("engine.sh: userlands need root (chroot); --only ours does not")
    for name in sorted(inside):
        engine_runs.mount(args.roots / name)
    return found


def cores(wanted):
    """One logical CPU of each core that we may use: a core's second thread adds no units."""
    chosen, seen = [], set()
    for cpu in sorted(os.sched_getaffinity(0)):
        path = f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
        try:
            siblings = pathlib.Path(path).read_text(encoding="ascii")
        except OSError:
            siblings = str(cpu)
        if siblings not in seen:
            seen.add(siblings)
            chosen.append(cpu)
    return tuple(chosen[:wanted] if wanted else chosen)


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else os.uname().machine


def build_peak(folder):
    """peak.c, compiled for this machine, or None where that does not work."""
    program = pathlib.Path(folder, "peak")
    words = ["cc", "-std=c17", "-D_GNU_SOURCE", "-O2", "-pthread", "-I", TOP, "-o", program,
             engine_runs.HERE / "peak.c", TOP / "engine/machine/cpu.c",
             TOP / "engine/train/kernels/peak_loop.c"]
    try:
        subprocess.run(words, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"engine.sh: no peak is measured: {error}", file=sys.stderr)
        return None
    return program


def measure_peak(program, cpus):
    """Once for each batch of each round, and the report takes the best of all: a
    disturbance can only lower it."""
    if not program:
        return []
    words = [program, str(PEAK_SECONDS), *map(str, cpus)]
    return [json.loads(subprocess.run(words, check=True, capture_output=True).stdout)]


def keep(contestant, folder):
    """Ours as it is now: who rebuilds meanwhile must not change what is measured."""
    if not contestant.is_ours or contestant.userland:
        return contestant
    # Workers of several builds have one name, hence the number.
    copy = pathlib.Path(folder, f"worker{len(os.listdir(folder))}")
    shutil.copy2(contestant.program, copy)
    return dataclasses.replace(contestant, program=str(copy))


def steps_for(samples, batch):
    return min(20, max(3, math.ceil(samples / batch)))


class Rounds:
    """All trainings, in turns, and what they gave so far."""

    def __init__(self, args, found, machine, peak):
        self.args, self.found, self.machine, self.peak = args, found, machine, peak
        self.software = {}
        self.given_up = set()
        self.data = {"began": datetime.datetime.now().isoformat(timespec="minutes"),
                     "cpu": cpu_name(), "cpus": machine.cpus, "peaks": [], "runs": []}

    def train(self, number, contestant, job):
        place = (contestant.name, job.precision, job.batch)
        if place in self.given_up:
            return
        run = {"round": number, "contestant": contestant.name, "precision": job.precision,
               "batch": job.batch}
        try:
            run |= self.quietest(contestant, job)
        except engine_runs.Failed as failure:
            # A contestant that fails now would fail in the next round too.
            self.given_up.add(place)
            run["failed"] = str(failure)
            result = run["failed"]
        else:
            self.software.setdefault(contestant.name, run["software"])
            result = (f"{engine_table.rate(run, job.batch):.2f} samples/s, "
                    f"{run['wall_seconds']:.0f} s in all, others had "
                    f"{100 * run['others_share']:.0f} % of the cores")
        self.data["runs"].append(run)
        print(f"round {number}, {job.precision}, batch {job.batch}, {contestant.name}: {result}",
              file=sys.stderr, flush=True)

    def quietest(self, contestant, job):
        """Trains again while others disturb. What is looked at is their work, never our result,
        and the rule is everyone's, so no contestant gets to choose its better runs."""
        best = None
        for _ in range(1 + self.args.repeats):
            run = engine_runs.train(contestant, job, self.machine)
            if not best or run["others_share"] < best["others_share"]:
                best = run
            if best["others_share"] <= QUIET:
                break
        return best

    def one_round(self, number):
        # Backwards every second time: who comes first meets a cooler machine.
        order = self.found if number % 2 else self.found[::-1]
        for precision in self.args.precisions:
            for batch in self.args.batches:
                job = engine_runs.Job(precision, batch, self.args.warmup,
                                      steps_for(self.args.samples, batch))
                self.data["peaks"] += measure_peak(self.peak, self.machine.cpus)
                for contestant in order:
                    self.train(number, contestant, job)
                self.save()

    def report(self):
        return self.data | {"contestants": [
            {"name": contestant.name, "ours": contestant.is_ours,
             "software": self.software.get(contestant.name, "")} for contestant in self.found]}

    def save(self):
        if self.args.json:
            partial = self.args.json.with_suffix(".partial")
            report = self.report()
            report["summary"] = engine_table.summary(report)
            partial.write_text(json.dumps(report), encoding="utf-8")
            partial.replace(self.args.json)


def measure(args):
    machine = engine_runs.Machine(cores(args.threads), args.roots, args.limit)
    found = contestants(args)
    with tempfile.TemporaryDirectory() as folder:
        found = [keep(contestant, folder) for contestant in found]
        rounds = Rounds(args, found, machine, build_peak(folder))
        try:
            for number in range(1, args.rounds + 1):
                rounds.one_round(number)
        except KeyboardInterrupt:
            print("engine.sh: cut short", file=sys.stderr)
    return rounds.report()


def main():
    args = options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that it ends what it started
    if args.report:
        reports = [json.loads(path.read_text(encoding="utf-8")) for path in args.report]
    else:
        reports = [measure(args)]
    for report in reports:
        print("\n".join(engine_table.lines(report)))


if __name__ == "__main__":
    main()

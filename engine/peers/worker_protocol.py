"""The worker protocol (../protocol/PROTOCOL.md, version 1), as the engines of this folder speak it.

An engine is an Engine. main() runs it as one worker: it reads the spec, sends hello, trains
step by step, and ends with done or failed. A Refusal is one sentence that says to the user why
this spec cannot be trained."""
import argparse
import contextlib
import json
import math
import os
import re
import resource
import sys
import threading
import time
import typing

MESSAGE_MAX = 159  # bytes of the texts of "failed" and "software"
LINE_MAX = 65536
WARMUP_AUTO = 60  # steps that "auto" counts as; see PROTOCOL.md
RESNET50_RATE = 0.002  # of SGD
ISA_NAMES = ("sse41", "avx2", "avx512", "avx512_bf16", "amx")  # from least to most
# Flags of /proc/cpuinfo that compute in bf16, and what the spec calls them.
BF16_FLAGS = {"amx_bf16": "amx", "avx512_bf16": "avx512_bf16"}

CHOICES = {"precision": ("f32", "bf16", "f16"),
           "layout": ("auto", "nchw", "nhwc", "blocked"), "plan": ("auto", "fixed", "plain"),
           "isa": ("auto", *ISA_NAMES)}
INTEGERS = {"batch_size": (1, 65536), "threads": (0, 1024), "seed": (0, 4294967295),
            "input_workers": (0, 64), "warmup_steps": (0, 10000), "steps": (1, 1000000)}
MAY_BE_AUTO = ("warmup_steps", "steps")


class Refusal(Exception):
    """One sentence that says why this cannot be trained."""


class Engine(typing.NamedTuple):
    """What main() needs of an engine. `spec` is a dict of the checked members of the spec,
    `hello` a dict of the members of the event hello, which is sent even where load() or prepare()
    raises. A training has two methods: compile() does what takes long and is no step; step()
    trains one step and returns (loss, moments), with perf_counter_ns() at the start and after
    input, forward, backward and update as `moments`, or None where the parts are not known; it
    returns None when nothing more can be trained. A training may have a clock() of its own, and a
    close()."""
    name: str
    workloads: tuple  # names of what it trains
    parser: argparse.ArgumentParser
    refuse: typing.Callable  # (spec, options): raises Refusal for what they cannot train
    load: typing.Callable  # (spec, hello): imports the library, adds to `hello` which it is
    prepare: typing.Callable  # (spec, options, hello): returns the training, completes `hello`


def cut(text, size=MESSAGE_MAX):
    """At most so many bytes, one line, and whole characters."""
    text = "".join(c if c.isprintable() else " " for c in text)
    return text.encode(errors="replace")[:size].decode(errors="ignore").strip()


class Wire:
    """Writes events. What libraries print to stdout, a compiler for example, goes to stderr."""

    def __init__(self, descriptor=None):
        if descriptor is None:
            descriptor = os.dup(1)
            os.dup2(2, 1)
        self.file = os.fdopen(descriptor, "w", encoding="utf-8")

    def say(self, kind, **members):
        event = {name: value for name, value in members.items() if value is not None}
        self.file.write(json.dumps({"type": kind, **event}, allow_nan=False) + "\n")
        self.file.flush()


class Ear:
    """Reads lines: the spec, and later perhaps {"type":"enough"}."""

    def __init__(self, descriptor=0):
        # Unbuffered: a thread that waits in a buffer holds it locked, at the end of Python too.
        self.file = open(descriptor, "rb", buffering=0)
        self.enough = threading.Event()

    def listen(self):
        """Sets `enough` when that line comes. An end of file means nothing: a spec may be piped
        in."""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while line := self.file.readline():
            if re.search(rb'"type"\s*:\s*"enough"', line):
                self.enough.set()


def read_spec(line, workloads):
    """The members of the spec that matter to an engine which trains these workloads, each of them
    checked."""
    choices = {"workload": workloads, **CHOICES}
    try:
        spec = json.loads(line or b"")
    except ValueError as problem:
        raise Refusal(f"the spec is not JSON: {problem}") from None
    if not isinstance(spec, dict):
        raise Refusal("the spec is not a JSON object")
    for name, allowed in choices.items():
        if spec.get(name) not in allowed:
            raise Refusal(f"{name}: must be one of {', '.join(allowed)}")
    for name, (low, high) in INTEGERS.items():
        value = spec.get(name)
        auto = name in MAY_BE_AUTO and value == "auto"
        if not auto and (type(value) is not int or not low <= value <= high):
            raise Refusal(f"{name}: must be an integer from {low} to {high}")
    return {name: spec[name] for name in (*choices, *INTEGERS)}


def refuse_first(wrongs):
    """Raises the sentence of the first of (whether it is wrong, sentence) that is."""
    for wrong, sentence in wrongs:
        if wrong:
            raise Refusal(sentence)


def refuse_untrainable(spec):
    """Raises what no engine of this folder can train, whatever its library."""
    workload = spec["workload"]
    resnet50 = workload == "resnet50"
    refuse_first((
        (not resnet50 and spec["layout"] != "auto",
         f"layout: {workload} has one layout, so only auto"),
        (not resnet50 and spec["plan"] == "plain", f"plan: {workload} has one plan: auto or fixed"),
        (not resnet50 and spec["input_workers"] > 0,
         f"input_workers: {workload} makes its batch inside the step, so only 0"),
        (resnet50 and spec["batch_size"] < 2, "batch_size: must be at least 2 for resnet50"),
    ))


def split_of(moments):
    """Nanoseconds from one of start, input, forward, backward, update to the next."""
    names = ("input", "forward", "backward", "update")
    return moments and {name: moments[i + 1] - moments[i] for i, name in enumerate(names)}


def train(training, spec, wire, enough):
    """Trains and sends the steps; returns their number. The clock is read once between two
    steps, so that they tile: sending a step belongs to the step behind it."""
    warmup, steps = spec["warmup_steps"], spec["steps"]
    most = WARMUP_AUTO if warmup == "auto" else warmup
    most += math.inf if steps == "auto" else steps
    clock = getattr(training, "clock", time.perf_counter_ns)
    index, border = 0, clock()
    while index < most and not enough.is_set() and (trained := training.step()):
        loss, moments = trained
        end = clock()
        if not math.isfinite(loss):
            raise Refusal(f"the loss of step {index} is not a number: training has diverged")
        wire.say("step", index=index, nanoseconds=max(end - border, 1), loss=loss,
                 split=split_of(moments))
        border = end
        index += 1
    return index


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def cores():
    """Physical cores that we may use; hardware threads of one core count once."""
    where = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    return len({read(where.format(cpu)) or cpu for cpu in os.sched_getaffinity(0)})


def cpu_flags():
    return read("/proc/cpuinfo").split()


def isa_allows(isa, cap):
    """Whether a cap of the spec ("auto" is none) allows this instruction set."""
    return cap == "auto" or ISA_NAMES.index(isa) <= ISA_NAMES.index(cap)


def bf16_isa(cap="auto"):
    """The instruction set of this processor that computes in bf16 and may be used, or None."""
    flags = cpu_flags()
    for flag, isa in BF16_FLAGS.items():
        if flag in flags and isa_allows(isa, cap):
            return isa
    return "bf16" if "bf16" in flags else None  # the word on Arm


def _work(engine, options, wire, ear):
    hello = {"software": engine.name}
    try:
        spec = read_spec(ear.file.readline(LINE_MAX), engine.workloads)
        refuse_untrainable(spec)
        engine.refuse(spec, options)
        hello["software"] = f"{engine.name} (absent)"
        engine.load(spec, hello)
        training = engine.prepare(spec, options, hello)
    finally:  # an engine that cannot start sends "failed" behind a hello, as every other does
        wire.say("hello", protocol=1, **hello)
    ear.listen()
    training.compile()
    with contextlib.closing(training) if hasattr(training, "close") else contextlib.nullcontext():
        steps = train(training, spec, wire, ear.enough)
    peak = max(resource.getrusage(whose).ru_maxrss
               for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    wire.say("done", steps=steps, samples=steps * spec["batch_size"], peak_memory_bytes=1024 * peak)


def main(engine, words=None):
    """Runs one worker, from the spec to done or failed; returns the exit status."""
    options, wire = engine.parser.parse_args(words), Wire()
    try:
        _work(engine, options, wire, Ear())
    except BrokenPipeError:
        return 1
    except Exception as problem:
        if not isinstance(problem, Refusal):
            sys.excepthook(*sys.exc_info())
        wire.say("failed", message=cut(str(problem)) or type(problem).__name__)
        return 1
    return 0

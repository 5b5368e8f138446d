#!/usr/bin/env python3
"""PyTorch as an engine of pennyworth: speaks the worker protocol, version 1 (../PROTOCOL.md).

It trains what pennyworth-worker trains, from the same bits (pytorch_networks.py): labels are
index % 10, SGD has the same rate and neither momentum nor weight decay, so in f32 both tell the
same losses. Making the batch is the same work, too: f32 images as they come (NCHW) into layout
and precision of training.

What differs from ours: it sings no canaries and tells no cosine of its gradients; where threads
and memory lie (pinning, numa, huge_pages) it leaves to the system; on other devices than the CPU
a batch is copied there inside the step. README.md says more."""
import argparse
import concurrent.futures
import contextlib
import ctypes
import importlib
import json
import math
import os
import re
import resource
import sys
import threading
import time

# Beside this file; Python looks there by itself, but not when it is isolated (-I).
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pytorch_networks as networks  # noqa: E402

MESSAGE_MAX = 159  # bytes of what "failed" and "software" may say
LINE_MAX = 65536
WARMUP_AUTO = 60  # steps that "auto" counts as; see PROTOCOL.md
XLA = "torch_xla.core.xla_model"
RATES = {"resnet50": 0.002, "mlp": 0.1}

# What the spec calls an instruction set, from least to most, and how the libraries are told to
# keep to it. They read this once, when PyTorch is imported.
ISAS = {
    "sse41": {"ONEDNN_MAX_CPU_ISA": "SSE41", "ATEN_CPU_CAPABILITY": "default",
              "MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "OPENBLAS_CORETYPE": "Nehalem"},
    "avx2": {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2",
             "MKL_ENABLE_INSTRUCTIONS": "AVX2", "OPENBLAS_CORETYPE": "Haswell"},
    "avx512": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE", "ATEN_CPU_CAPABILITY": "avx512"},
    "avx512_bf16": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16", "ATEN_CPU_CAPABILITY": "avx512"},
    "amx": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_AMX", "ATEN_CPU_CAPABILITY": "avx512"},
}
# Flags of /proc/cpuinfo that compute in bf16, and what the spec calls them.
BF16_FLAGS = {"amx_bf16": "amx", "avx512_bf16": "avx512_bf16"}

CHOICES = {"workload": tuple(RATES), "precision": ("f32", "bf16", "f16"),
           "layout": ("auto", "nchw", "nhwc", "blocked"), "plan": ("auto", "fixed", "plain"),
           "isa": ("auto", *ISAS)}
INTEGERS = {"batch_size": (1, 65536), "threads": (0, 1024), "seed": (0, 4294967295),
            "input_workers": (0, 64), "warmup_steps": (0, 10000), "steps": (1, 1000000)}
MAY_BE_AUTO = ("warmup_steps", "steps")


class Refusal(Exception):
    """One sentence that says why this cannot be trained."""


def cut(text, size=MESSAGE_MAX):
    """At most so many bytes, one line, and whole characters."""
    text = "".join(c if c.isprintable() else " " for c in text)
    return text.encode(errors="replace")[:size].decode(errors="ignore").strip()


class Wire:
    """Lines out. Whatever else prints to stdout, a compiler say, goes to stderr instead."""

    def __init__(self, descriptor=None):
        if descriptor is None:
            descriptor = os.dup(1)
            os.dup2(2, 1)
        self.file = os.fdopen(descriptor, "w", encoding="utf-8")

    def say(self, kind, **members):
        told = {name: value for name, value in members.items() if value is not None}
        self.file.write(json.dumps({"type": kind, **told}, allow_nan=False) + "\n")
        self.file.flush()


class Ear:
    """Lines in: the spec, and later perhaps the word that it is enough."""

    def __init__(self, descriptor=0):
        # Unbuffered: a thread that waits in a buffer holds it locked, at the end of Python too.
        self.file = open(descriptor, "rb", buffering=0)
        self.enough = threading.Event()

    def listen(self):
        """Sets `enough` when told so. An end of file says nothing: a spec may be piped in."""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while line := self.file.readline():
            if re.search(rb'"type"\s*:\s*"enough"', line):
                self.enough.set()


def read_spec(line):
    """The members of the spec that matter to an engine, each of them checked."""
    try:
        spec = json.loads(line or b"")
    except ValueError as problem:
        raise Refusal(f"the spec is not JSON: {problem}") from None
    if not isinstance(spec, dict):
        raise Refusal("the spec is not a JSON object")
    for name, allowed in CHOICES.items():
        if spec.get(name) not in allowed:
            raise Refusal(f"{name}: must be one of {', '.join(allowed)}")
    for name, (low, high) in INTEGERS.items():
        value = spec.get(name)
        auto = name in MAY_BE_AUTO and value == "auto"
        if not auto and (type(value) is not int or not low <= value <= high):
            raise Refusal(f"{name}: must be an integer from {low} to {high}")
    return {name: spec[name] for name in (*CHOICES, *INTEGERS)}


def refuse(spec, options):
    """Raises what is wrong with this lawful spec under these options; needs no PyTorch."""
    on_cpu, mlp = options.device == "cpu", spec["workload"] == "mlp"
    wrongs = (
        (spec["precision"] == "f16" and options.device != "cuda",
         "precision: f16 is for --device cuda; here it is f32 or bf16"),
        (spec["layout"] == "blocked", "layout: PyTorch has nchw and nhwc, but no blocked"),
        (mlp and spec["layout"] != "auto", "layout: mlp has no images, so only auto"),
        (options.device == "xla" and spec["layout"] != "auto",
         "layout: XLA decides on layouts itself, so only auto"),
        (mlp and spec["input_workers"] > 0, "input_workers: mlp has no input to make"),
        (not on_cpu and spec["input_workers"] > 0,
         f"input_workers: must be 0 with --device {options.device}, a step copies its batch"),
        (not mlp and spec["batch_size"] < 2, "batch_size: must be at least 2 for resnet50"),
        (not on_cpu and spec["isa"] != "auto",
         f"isa: must be auto with --device {options.device}"),
        (options.compile and spec["isa"] != "auto",
         "isa: must be auto with --compile, whose code is for this processor"),
        (not on_cpu and (options.compile or options.ipex) and options.device == "xla",
         "--compile and --ipex are not for --device xla"),
        (options.ipex and not on_cpu, "--ipex is for --device cpu"),
    )
    for wrong, sentence in wrongs:
        if wrong:
            raise Refusal(sentence)


def split_of(moments):
    """Nanoseconds from one of start, input, forward, backward, update to the next."""
    names = ("input", "forward", "backward", "update")
    return moments and {name: moments[i + 1] - moments[i] for i, name in enumerate(names)}


def train(training, spec, wire, enough, clock=time.perf_counter_ns):
    """Trains and tells; the number of steps. The clock is read once between two steps, so they
    tile: telling of a step belongs to the step behind it."""
    warmup, steps = spec["warmup_steps"], spec["steps"]
    most = WARMUP_AUTO if warmup == "auto" else warmup
    most += math.inf if steps == "auto" else steps
    index, border = 0, clock()
    while index < most and not enough.is_set():
        loss, moments = training.step()
        end = clock()
        if not math.isfinite(loss):
            raise Refusal(f"the loss of step {index} is not a number: training has diverged")
        wire.say("step", index=index, nanoseconds=max(end - border, 1), loss=loss,
                 split=split_of(moments))
        border = end
        index += 1
    return index


class Batches:
    """Each batch is made anew: from f32 as it came (NCHW) into precision and layout of training.
    With workers, so many threads make the next one, a share each, beside the step."""

    def __init__(self, torch, source, room, workers):
        self.source, self.rooms, self.shares = source, [room(), room()][:1 + bool(workers)], []
        if workers:
            borders = [len(source) * i // workers for i in range(workers + 1)]
            self.parts = list(zip(borders, borders[1:]))
            self.pool = concurrent.futures.ThreadPoolExecutor(
                workers, initializer=self._settle, initargs=(torch, os.sched_getaffinity(0)))
            self._begin()

    @staticmethod
    def _settle(torch, everywhere):
        torch.set_num_threads(1)  # of this thread: it is one of so many itself
        os.sched_setaffinity(0, everywhere)

    def _begin(self):
        room = self.rooms[-1]
        self.shares = [self.pool.submit(room[first:end].copy_, self.source[first:end])
                       for first, end in self.parts]

    def next(self):
        if not self.shares:
            return self.rooms[0].copy_(self.source)
        for share in self.shares:
            share.result()
        self.rooms.reverse()
        self._begin()
        return self.rooms[0]


class Training:
    """Model, optimizer and batches; step() is one step."""

    def __init__(self, torch, spec, options):
        self.torch, self.spec, self.device = torch, spec, options.device
        types = {"f32": None, "bf16": torch.bfloat16, "f16": torch.float16}
        self.dtype = types[spec["precision"]]  # of autocast
        self.layout = torch.contiguous_format if spec["layout"] == "nchw" or \
            options.device == "xla" else torch.channels_last
        torch.set_num_threads(spec["threads"] or cores())
        self.place = find_device(torch, options.device, spec["plan"])
        self.labels = (torch.arange(spec["batch_size"]) % networks.LABELS).to(self.place)
        self.make_model()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=RATES[spec["workload"]])
        self.scaler = torch.amp.GradScaler("cuda", enabled=spec["precision"] == "f16")
        self.parameters = sum(p.numel() for p in self.model.parameters())
        self.plan = "plain"
        if options.ipex:
            self.use_ipex()
        if options.compile and spec["plan"] != "plain":
            self.use_compiler(options.compile)

    def make_model(self):
        torch, spec = self.torch, self.spec
        if spec["workload"] == "mlp":
            model, batch = networks.make_mlp(torch, spec["seed"], spec["batch_size"])
            batch, self.whose = batch.to(self.place), "mlp"
            self.next_batch = lambda: batch  # made once, as ours
        else:
            model, self.whose = networks.make_resnet50(torch, spec["seed"])
            model = model.to(memory_format=self.layout)
            images = networks.make_images(torch, spec["seed"], spec["batch_size"])
            self.next_batch = self.batches_of(images)
        self.model = model.to(self.place).train()

    def batches_of(self, source):
        dtype, layout = self.dtype or self.torch.float32, self.layout
        if self.device == "cpu":
            def room():
                return self.torch.empty_like(source, dtype=dtype, memory_format=layout)
            return Batches(self.torch, source, room, self.spec["input_workers"]).next
        if self.device == "cuda":
            source = source.pin_memory()
        return lambda: source.to(self.place, non_blocking=True).to(dtype=dtype,
                                                                   memory_format=layout)

    def use_ipex(self):
        ipex = optional("intel_extension_for_pytorch", "--ipex")
        self.model, self.optimizer = ipex.optimize(self.model, optimizer=self.optimizer,
                                                   dtype=self.dtype or self.torch.float32)
        self.plan = "ipex"

    def use_compiler(self, backend):
        if self.device == "cpu":
            lend_sleef()
            refuse_scalar_code()
        self.model, self.plan = self.torch.compile(self.model, backend=backend), backend

    def prepare(self):
        """Compiles, which is no step: forward and backward once, without an update."""
        if self.plan == "inductor":
            self.loss().backward()
            self.optimizer.zero_grad()

    def loss(self, batch=None):
        batch = self.next_batch() if batch is None else batch
        mixed = contextlib.nullcontext() if self.dtype is None else \
            self.torch.autocast(self.device, dtype=self.dtype)
        with mixed:
            logits = self.model(batch)
        return self.torch.nn.functional.cross_entropy(logits.float(), self.labels)

    def step(self, clock=time.perf_counter_ns):
        """(loss, moments between its parts). On the CPU nothing is under way when a call comes
        back. Elsewhere calls only queue work, so their moments would say nothing, and waiting
        for each part would slow it down: there the parts are not told."""
        moments = [clock()]
        batch = self.next_batch()
        moments.append(clock())
        loss = self.loss(batch)
        moments.append(clock())
        self.scaler.scale(loss).backward()
        moments.append(clock())
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
        self.wait()
        loss = loss.item()
        moments.append(clock())
        return loss, moments if self.device == "cpu" else None

    def wait(self):
        """Until the weights are new. A clock read without it times the queueing of work, as some
        published figures of GPUs do."""
        if self.device == "cuda":
            self.torch.cuda.synchronize()
        elif self.device == "xla":
            xla = importlib.import_module(XLA)
            xla.mark_step()
            xla.wait_device_ops()


def optional(module, option):
    try:
        return importlib.import_module(module)
    except Exception as problem:  # one that does not fit this PyTorch raises anything
        raise Refusal(f"{option}: cannot import {module}: {problem}") from None


def lend_sleef():
    """Debian's PyTorch does not hand its library of vector functions on to what it compiles."""
    with contextlib.suppress(OSError):  # others have it inside
        ctypes.CDLL("libsleef.so.3", mode=ctypes.RTLD_GLOBAL)
        os.environ["LD_PRELOAD"] = f"{os.environ.get('LD_PRELOAD', '')} libsleef.so.3".strip()


def refuse_scalar_code():
    """Without a compiler that knows vectors torch.compile does not fail, it writes code without:
    several times slower than no compiling at all."""
    try:
        from torch._inductor import cpu_vec_isa
    except ImportError:
        return
    if not cpu_vec_isa.pick_vec_isa():
        raise Refusal("--compile: PyTorch finds no vector instructions that it can compile for")


def find_device(torch, name, plan):
    if name == "xla":
        return optional(XLA, "--device xla").xla_device()
    if name == "cuda":
        if not torch.cuda.is_available():
            raise Refusal("--device cuda: PyTorch sees no CUDA device")
        torch.backends.cudnn.allow_tf32 = False  # f32 means f32
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.benchmark = plan == "auto"
    return torch.device(name)


def read(path):
    with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
        return file.read()
    return ""


def cores():
    """Physical cores that we may use; hardware threads of one core count once."""
    where = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    return len({read(where.format(cpu)) or cpu for cpu in os.sched_getaffinity(0)})


def bf16_isa(cap="auto"):
    """What of this processor computes in bf16 and may be used, or None."""
    words = read("/proc/cpuinfo").split()
    names = list(ISAS)
    for flag, isa in BF16_FLAGS.items():
        if flag in words and (cap == "auto" or names.index(isa) <= names.index(cap)):
            return isa
    return "bf16" if "bf16" in words else None  # Arm's word


def cpu_facts(torch, spec):
    word, cap = torch.backends.cpu.get_cpu_capability().lower(), spec["isa"]
    names = list(ISAS)
    if cap != "auto" and word in names and names.index(word) > names.index(cap):
        raise Refusal(f"isa: this PyTorch uses {word} whatever it is told")
    native = spec["precision"] == "bf16" and bf16_isa(cap)
    if word in ("default", "no avx"):  # below AVX2, and how far only the cap can say
        word = cap if cap == "sse41" else None
    version = re.search(r"(?:MKL-DNN|oneDNN) v([\d.]+)", torch.__config__.show())
    return {"isa": native or word, "library": version and f"oneDNN {version[1]}",
            "emulated": spec["precision"] == "bf16" and not native}


def facts(torch, spec, options, training):
    """The members of hello."""
    how = "eager" if training.plan == "plain" else training.plan
    told = {"software": cut(f"pytorch {torch.__version__} ({options.device}, {how}, "
                            f"{training.whose})"),
            "threads": torch.get_num_threads(), "parameters": training.parameters,
            "plan": training.plan}
    if options.device == "cpu":
        told.update(cpu_facts(torch, spec))
    elif options.device == "cuda" and torch.backends.cudnn.is_available():
        told["library"] = f"cuDNN {torch.backends.cudnn.version()}"
    return told


def parse(words):
    parser = argparse.ArgumentParser(
        description="Trains with PyTorch what the spec (one line of JSON on stdin) says, and "
                    "writes one line of JSON for each step to stdout.")
    parser.add_argument("--device", choices=("cpu", "cuda", "xla"), default="cpu")
    parser.add_argument("--compile", nargs="?", const="inductor", choices=("inductor",),
                        help="torch.compile the model, but for the plan plain")
    parser.add_argument("--ipex", action="store_true",
                        help="optimize with Intel's extension for PyTorch")
    return parser.parse_args(words)


def import_torch(isa):
    os.environ.update(ISAS.get(isa, {}))  # read when it is imported, and never again
    try:
        import torch
    except ModuleNotFoundError as problem:
        if problem.name != "torch":
            raise
        raise Refusal(f"PyTorch is not installed for {sys.executable}: apt install python3-torch "
                      "or pip install torch") from None
    return torch


def work(options, wire, ear):
    told = {"software": "pytorch"}
    try:
        spec = read_spec(ear.file.readline(LINE_MAX))
        refuse(spec, options)
        told["software"] = "pytorch (absent)"
        torch = import_torch(spec["isa"])
        told["software"] = f"pytorch {torch.__version__}"
        training = Training(torch, spec, options)
        told = facts(torch, spec, options, training)
    finally:  # who cannot even start says so behind a hello like everybody
        wire.say("hello", protocol=1, **told)
    ear.listen()
    training.prepare()
    steps = train(training, spec, wire, ear.enough)
    wire.say("done", steps=steps, samples=steps * spec["batch_size"],
             peak_memory_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def main():
    options, wire = parse(sys.argv[1:]), Wire()
    try:
        work(options, wire, Ear())
    except BrokenPipeError:
        return 1
    except Exception as problem:
        if not isinstance(problem, Refusal):
            sys.excepthook(*sys.exc_info())
        wire.say("failed", message=cut(str(problem)) or type(problem).__name__)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

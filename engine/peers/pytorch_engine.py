#!/usr/bin/env python3
"""PyTorch as an engine of pennyworth: speaks the worker protocol (worker_protocol.py).

It trains what pennyworth-worker trains, from the same bits (pytorch_networks): the same networks,
data, masks of dropouts and constants of optimizers, so in f32 both have the same losses. Making the
batch of ResNet-50 is the same work, too: f32 images as they come (NCHW) into layout and precision of
training. Data and masks of the others are made before step 0, because PyTorch takes longer for
them than for training: of AHEAD steps, which are then repeated.

What differs from ours: it measures no canaries and no cosine of its gradients; where threads and
memory lie (pinning, numa, huge_pages) it leaves to the system; on other devices than the CPU a
batch is copied there inside the step. README.md says more."""
import argparse
import concurrent.futures
import contextlib
import ctypes
import importlib
import os
import re
import sys
import time

# The folder of this file; Python searches it by default, but not when isolated (-I).
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recipe  # noqa: E402
import worker_protocol as protocol  # noqa: E402
from worker_protocol import Refusal  # noqa: E402

AHEAD, AHEAD_BYTES = 32, 1 << 28  # steps whose data and masks are made before step 0, at most
XLA = "torch_xla.core.xla_model"
WORKLOADS = ("resnet50", "mlp2017", "cnn2017", "cifar2017", "fasttext2017", "fasttext2017_unigrams",
             "bilstm2017", "lstm2017", "textgen2017", "gpt2", "gpt2_tiny")

# How the libraries are held to an instruction set. They read this once, when PyTorch is imported.
ISAS = {
    "sse41": {"ONEDNN_MAX_CPU_ISA": "SSE41", "ATEN_CPU_CAPABILITY": "default",
              "MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "OPENBLAS_CORETYPE": "Nehalem"},
    "avx2": {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2",
             "MKL_ENABLE_INSTRUCTIONS": "AVX2", "OPENBLAS_CORETYPE": "Haswell"},
    "avx512": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE", "ATEN_CPU_CAPABILITY": "avx512"},
    "avx512_bf16": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16", "ATEN_CPU_CAPABILITY": "avx512"},
    "amx": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_AMX", "ATEN_CPU_CAPABILITY": "avx512"},
}


def refuse(spec, options):
    """Raises what is wrong with this valid spec under these options; needs no PyTorch."""
    on_cpu = options.device == "cpu"
    protocol.refuse_first((
        (spec["precision"] == "f16" and options.device != "cuda",
         "precision: f16 is for --device cuda; here it is f32 or bf16"),
        (spec["layout"] == "blocked", "layout: PyTorch has nchw and nhwc, but no blocked"),
        (options.device == "xla" and spec["layout"] != "auto",
         "layout: XLA decides on layouts itself, so only auto"),
        (not on_cpu and spec["input_workers"] > 0,
         f"input_workers: must be 0 with --device {options.device}, a step copies its batch"),
        (not on_cpu and spec["isa"] != "auto",
         f"isa: must be auto with --device {options.device}"),
        (options.compile and spec["isa"] != "auto",
         "isa: must be auto with --compile, whose code is for this processor"),
        (options.device == "xla" and (options.compile or options.ipex),
         "--compile and --ipex are not for --device xla"),
        (options.ipex and not on_cpu, "--ipex is for --device cpu"),
    ))


class Batches:
    """Each batch is made anew: from f32 as it came (NCHW) into precision and layout of training.
    With workers, this many threads make the next one during the step, a share each."""

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


class ResNet50:
    """Images and labels of ResNet-50, and how it learns."""
    lr_decay = 0.0
    has_images = True

    def __init__(self, networks, training):
        torch, spec = training.torch, training.spec
        self.model, self.whose = networks.make_resnet50(spec["seed"])
        self.labels = (torch.arange(spec["batch_size"]) % recipe.LABELS).to(training.place)
        self.images = training.batches_of(networks.make_images(spec["seed"], spec["batch_size"]))
        self.cross_entropy = torch.nn.functional.cross_entropy

    def optimizer(self, torch):
        return torch.optim.SGD(self.model.parameters(), lr=protocol.RESNET50_RATE)

    def next(self, _step):
        return self.images(), self.labels

    def loss(self, logits, labels):
        return self.cross_entropy(logits.float(), labels)


class Networks:
    """The same of the other networks."""

    def __init__(self, networks, training):
        self.training, self.seed = training, training.spec["seed"]
        self.whose = training.spec["workload"]
        self.model = networks.NETWORKS[self.whose](training.spec["batch_size"])
        self.model.fill(self.seed)
        self.model.lay_out(training.layout, training.dtype)
        self.lr_decay, self.has_images = self.model.lr_decay, self.model.has_images
        self.loss, self.optimizer_of = self.model.loss, networks.optimizer_of
        self.drops = self.model.drops()
        self.made = [self.make(0)]
        self.made += map(self.make, range(1, self.count_ahead()))

    def optimizer(self, _torch):
        return self.optimizer_of(self.model)

    def make(self, step):
        """(inputs, targets, masks)"""
        inputs, targets = self.model.samples.of(self.seed, step)
        if self.has_images:
            inputs = inputs.contiguous(memory_format=self.training.layout)
        return inputs, targets, [drop.drawn(self.seed, step) for drop in self.drops]

    def count_ahead(self):
        spec, (inputs, targets, masks) = self.training.spec, self.made[0]
        each = sum(tensor.nbytes for tensor in (inputs, targets, *masks))
        wanted = [AHEAD, AHEAD_BYTES // each]
        if "auto" not in (spec["warmup_steps"], spec["steps"]):
            wanted.append(spec["warmup_steps"] + spec["steps"])
        return max(1, min(wanted))

    def next(self, step):
        inputs, targets, masks = self.made[step % len(self.made)]
        for drop, mask in zip(self.drops, masks):
            drop.mask.copy_(mask)
        return inputs.to(self.training.place), targets.to(self.training.place)


class Training:
    """Model, optimizer and batches; step() is one step."""

    def __init__(self, torch, networks, spec, options):
        self.torch, self.spec, self.device, self.index = torch, spec, options.device, 0
        types = {"f32": None, "bf16": torch.bfloat16, "f16": torch.float16}
        self.dtype = types[spec["precision"]]  # of autocast
        self.layout = torch.contiguous_format if spec["layout"] == "nchw" or \
            options.device == "xla" else torch.channels_last
        torch.set_num_threads(spec["threads"] or protocol.cores())
        self.place = find_device(torch, options.device, spec["plan"])
        kind = ResNet50 if spec["workload"] == "resnet50" else Networks
        self.task = kind(networks, self)
        model = self.task.model
        if self.task.has_images:
            model = model.to(memory_format=self.layout)
        self.model = model.to(self.place).train()
        self.optimizer = self.task.optimizer(torch)
        self.rates = [group["lr"] for group in self.optimizer.param_groups]
        self.scaler = torch.amp.GradScaler("cuda", enabled=spec["precision"] == "f16")
        self.parameters = sum(p.numel() for p in self.model.parameters())
        self.plan = "plain"
        if options.ipex:
            self.use_ipex()
        if options.compile and spec["plan"] != "plain":
            self.use_compiler(options.compile)

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

    def compile(self):
        """Forward and backward once, without an update: then inductor has made its code."""
        if self.plan == "inductor":
            self.loss(self.task.next(0)).backward()
            self.optimizer.zero_grad()

    def loss(self, batch):
        inputs, targets = batch
        mixed = contextlib.nullcontext() if self.dtype is None else \
            self.torch.autocast(self.device, dtype=self.dtype)
        with mixed:
            logits = self.model(inputs)
        return self.task.loss(logits, targets)

    def slow_down(self):
        """The rate of this step, where it falls from step to step."""
        if self.task.lr_decay:
            for group, rate in zip(self.optimizer.param_groups, self.rates):
                group["lr"] = rate / (1 + self.task.lr_decay * self.index)

    def step(self, clock=time.perf_counter_ns):
        """(loss, moments between its parts). On the CPU nothing is under way when a call comes
        back. Elsewhere calls only queue work, so their moments would say nothing, and waiting
        for each part would slow it down: there the parts are not reported."""
        moments = [clock()]
        batch = self.task.next(self.index)
        moments.append(clock())
        loss = self.loss(batch)
        moments.append(clock())
        self.scaler.scale(loss).backward()
        moments.append(clock())
        self.slow_down()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
        self.wait()
        self.index += 1
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


def cpu_facts(torch, spec):
    word, cap = torch.backends.cpu.get_cpu_capability().lower(), spec["isa"]
    if word in protocol.ISA_NAMES and not protocol.isa_allows(word, cap):
        raise Refusal(f"isa: this PyTorch uses {word} whatever it is asked for")
    native = protocol.bf16_isa(cap) if spec["precision"] == "bf16" else None
    if word in ("default", "no avx"):  # below AVX2, and how far only the cap can say
        word = cap if cap == "sse41" else None
    version = re.search(r"(?:MKL-DNN|oneDNN) v([\d.]+)", torch.__config__.show())
    return {"isa": native or word, "library": version and f"oneDNN {version[1]}",
            "emulated": spec["precision"] == "bf16" and not native}


def facts(torch, spec, options, training):
    """The members of hello."""
    how = "eager" if training.plan == "plain" else training.plan
    details = {"software": protocol.cut(f"pytorch {torch.__version__} ({options.device}, {how}, "
                                        f"{training.task.whose})"),
               "threads": torch.get_num_threads(), "parameters": training.parameters,
               "plan": training.plan}
    if training.task.has_images:
        details["layout"] = "nchw" if training.layout == torch.contiguous_format else "nhwc"
    if options.device == "cpu":
        details.update(cpu_facts(torch, spec))
    elif options.device == "cuda" and torch.backends.cudnn.is_available():
        details["library"] = f"cuDNN {torch.backends.cudnn.version()}"
    return details


def parser():
    words = argparse.ArgumentParser(
        description="Trains with PyTorch what the spec (one line of JSON on stdin) says, and "
                    "writes one line of JSON for each step to stdout.")
    words.add_argument("--device", choices=("cpu", "cuda", "xla"), default="cpu")
    words.add_argument("--compile", nargs="?", const="inductor", choices=("inductor",),
                       help="torch.compile the model, except for the plan plain")
    words.add_argument("--ipex", action="store_true",
                       help="optimize with Intel's extension for PyTorch")
    return words


def load(spec, hello):
    os.environ.update(ISAS.get(spec["isa"], {}))  # read when it is imported, and never again
    try:
        import torch
    except ModuleNotFoundError as problem:
        if problem.name != "torch":
            raise
        raise Refusal(f"PyTorch is not installed for {sys.executable}: apt install python3-torch "
                      "or pip install torch") from None
    hello["software"] = f"pytorch {torch.__version__}"


def prepare(spec, options, hello):
    import torch
    import pytorch_networks
    training = Training(torch, pytorch_networks, spec, options)
    hello.update(facts(torch, spec, options, training))
    return training


if __name__ == "__main__":
    sys.exit(protocol.main(protocol.Engine("pytorch", WORKLOADS, parser(), refuse, load, prepare)))

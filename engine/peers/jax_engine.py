#!/usr/bin/env python3
"""JAX on the CPU as an engine of pennyworth: speaks the worker protocol (worker_protocol.py).

It trains what pennyworth-worker trains, from the same bits (jax_networks.py): labels are
index % 10, SGD has the same rate and neither momentum nor weight decay, so in f32 both have the
same losses. A step is one program of XLA: the batch from f32 images as they come (NCHW), forward,
backward, running statistics, update. XLA compiles it before step 0.

What differs from ours: the parts of a step are not known, because XLA mixes them; it measures no
canaries and no cosine of its gradients; where threads and memory lie (pinning, numa, huge_pages)
it leaves to the system. README.md says more."""
import argparse
import os
import sys

# The folder of this file; Python searches it by default, but not when isolated (-I).
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import worker_protocol as protocol  # noqa: E402
from worker_protocol import Refusal  # noqa: E402

# What XLA calls the instruction sets. Its least is SSE4.2, more than sse41 allows.
XLA_ISAS = {"avx2": "AVX2", "avx512": "AVX512", "avx512_bf16": "AVX512_BF16", "amx": "AMX"}
# The flags of /proc/cpuinfo without which XLA does not use an instruction set in f32.
F32_FLAGS = {"avx512": "avx512f", "avx2": "avx2"}
LAYOUTS = {"auto": "nhwc", "nhwc": "nhwc", "nchw": "nchw"}


def refuse(spec, _options):
    """Raises what is wrong with this valid spec; needs no JAX."""
    protocol.refuse_first((
        (spec["precision"] == "f16", "precision: JAX trains f32 or bf16 on the CPU, not f16"),
        (spec["layout"] == "blocked", "layout: JAX has nchw and nhwc, but no blocked"),
        (spec["input_workers"] > 0,
         "input_workers: must be 0, a step of JAX makes its batch in the same program"),
        (spec["isa"] == "sse41", "isa: the least that JAX can be held to is avx2"),
    ))


class Training:
    """Parameters, running statistics and the batch; step() is one step."""

    def __init__(self, jax, networks, spec):
        self.jax, self.seed = jax, spec["seed"]
        dtype = {"f32": "float32", "bf16": "bfloat16"}[spec["precision"]]
        self.network = networks.ResNet50(jax, dtype, LAYOUTS[spec["layout"]])
        self.rate = protocol.RESNET50_RATE
        arrays = self.network.arrays(spec["seed"], spec["batch_size"])
        self.parameters, self.statistics, self.batch = jax.device_put(arrays)
        self.labels = jax.numpy.arange(spec["batch_size"]) % networks.recipe.LABELS
        self.size = sum(each.size for each in self.parameters.values())
        self.program = None

    def loss(self, parameters, statistics, batch):
        logits, statistics = self.network.forward(parameters, statistics, batch)
        likely = self.jax.nn.log_softmax(logits)
        picked = self.jax.numpy.take_along_axis(likely, self.labels[:, None], axis=1)
        return -picked.mean(), statistics

    def update(self, parameters, statistics, batch):
        (loss, statistics), gradients = self.jax.value_and_grad(self.loss, has_aux=True)(
            parameters, statistics, batch)
        parameters = {name: value - self.rate * gradients[name]
                      for name, value in parameters.items()}
        return loss, parameters, statistics

    def compile(self):
        arguments = (self.parameters, self.statistics, self.batch)
        self.program = self.jax.jit(self.update, donate_argnums=(0, 1)).lower(
            *arguments).compile()

    def step(self):
        """JAX only queues work: it is over when the new parameters are there, not when the call
        comes back."""
        loss, self.parameters, self.statistics = self.program(
            self.parameters, self.statistics, self.batch)
        self.jax.block_until_ready((self.parameters, self.statistics))
        return float(loss), None


def keeps_bf16(jax):
    """Whether XLA computes products of bf16 in bf16 here. Where it does not, it turns the operands
    into f32 first, which shows in the program that it makes of one."""
    sample = jax.numpy.zeros((64, 64), "bfloat16")
    product = jax.jit(lambda a, b: a @ b).lower(sample, sample).compile().as_text()
    operands = [line for line in product.splitlines() if " dot(" in line or "custom-call" in line]
    return any("bf16[64,64]" in line.split("=", 1)[1].split("(")[0] for line in operands)


def f32_isa(cap):
    flags = protocol.cpu_flags()
    for isa, flag in F32_FLAGS.items():
        if flag in flags and protocol.isa_allows(isa, cap):
            return isa
    return None


def facts(jax, spec, training):
    """The members of hello."""
    bf16 = spec["precision"] == "bf16"
    native = protocol.bf16_isa(spec["isa"]) if bf16 and keeps_bf16(jax) else None
    return {"library": f"XLA of jaxlib {jax.lib.__version__}", "isa": native or f32_isa(spec["isa"]),
            "emulated": bf16 and not native, "threads": threads_of(spec), "plan": "jit",
            "layout": LAYOUTS[spec["layout"]],
            "parameters": training.size}


def threads_of(spec):
    return spec["threads"] or protocol.cores()


def parser():
    return argparse.ArgumentParser(
        description="Trains with JAX what the spec (one line of JSON on stdin) says, and writes "
                    "one line of JSON for each step to stdout.")


def load(spec, hello):
    """XLA reads its variables once, when JAX asks for its first device."""
    flags = os.environ.get("XLA_FLAGS", "")
    if spec["isa"] != "auto":
        flags += f" --xla_cpu_max_isa={XLA_ISAS[spec['isa']]}"
    os.environ.update(XLA_FLAGS=flags.strip(), JAX_PLATFORMS="cpu",
                      NPROC=str(threads_of(spec)), PJRT_NPROC=str(threads_of(spec)))
    try:
        import jax
    except ModuleNotFoundError as problem:
        if problem.name != "jax":
            raise
        raise Refusal(f"JAX is not installed for {sys.executable}: pip install jax") from None
    hello["software"] = f"jax {jax.__version__} (cpu)"


def prepare(spec, _options, hello):
    import jax
    import jax_networks
    training = Training(jax, jax_networks, spec)
    hello.update(facts(jax, spec, training))
    return training


if __name__ == "__main__":
    sys.exit(protocol.main(protocol.Engine("jax", ("resnet50",), parser(), refuse, load, prepare)))

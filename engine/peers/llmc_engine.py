#!/usr/bin/env python3
"""llm.c's CPU program as an engine of pennyworth: speaks the worker protocol (worker_protocol.py).

    llmc_engine.py PROGRAM      the train_gpt2 that "make train_gpt2" built in a checkout of llm.c

It trains GPT-2 from our weights on our text, so in f32 it has our losses. The program has no options:
it reads a checkpoint and a file of tokens, which this engine writes, trains 41 steps of 4 x 64
tokens and prints the milliseconds of each. Before every tenth step it computes other losses, and
before every twentieth it writes text, which takes minutes: these are no part of a step."""
import argparse
import itertools
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

# The folder of this file; Python searches it by default, but not when isolated (-I).
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recipe  # noqa: E402
import worker_protocol as protocol  # noqa: E402
from worker_protocol import Refusal  # noqa: E402

BATCH, LENGTH, STEPS = 4, 64, 41  # as its main() has them
BLOCKS, HEADS, CHANNELS, VOCABULARY, POSITIONS = 12, 12, 768, 50257, 1024
PARAMETERS = 124439808
ROWS = 50304  # of the embedding: the vocabulary, and zeros up to a multiple of 128
CHECKPOINT, TOKENS = "gpt2_124M.bin", "dev/data/tinyshakespeare/tiny_shakespeare_{}.bin"
HEADER = 256  # words of 32 bits before the data of a file
STEP = re.compile(r"step (\d+): train loss (\S+) \(took (\S+) ms\)")

# The tensors of a block in the order of the checkpoint, each for all blocks, with their shapes as
# multiples of the channels.
BLOCK = (("ln_1.weight", 1), ("ln_1.bias", 1), ("attn.c_attn.weight", 3, 1), ("attn.c_attn.bias", 3),
         ("attn.c_proj.weight", 1, 1), ("attn.c_proj.bias", 1), ("ln_2.weight", 1), ("ln_2.bias", 1),
         ("mlp.c_fc.weight", 4, 1), ("mlp.c_fc.bias", 4), ("mlp.c_proj.weight", 1, 4), ("mlp.c_proj.bias", 1))


def refuse(spec, _options):
    """Raises what the program cannot train; the program need not be there."""
    steps = [spec[name] for name in ("warmup_steps", "steps") if spec[name] != "auto"]
    protocol.refuse_first((
        (spec["precision"] != "f32", "precision: llm.c's CPU program trains f32"),
        (spec["batch_size"] != BATCH, f"batch_size: llm.c's CPU program has {BATCH}"),
        (spec["isa"] != "auto", "isa: must be auto, llm.c is built for one instruction set"),
        (sum(steps) > STEPS, f"steps: llm.c's CPU program ends after {STEPS}, warm-up included"),
    ))


def order_of(count):
    """The order in which the program reads the batches of a file: a shuffle by the Mersenne Twister,
    seeded with 42."""
    state = [42]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & 0xFFFFFFFF)
    twister, order = random.Random(), list(range(count))
    twister.setstate((3, (*state, 624), None))
    for i in range(count - 1, 0, -1):
        j = twister.getrandbits(32) % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def places():
    """The places of our batches in a file, and how many batches it has. The target of a batch's last
    token is the first token behind it, so no two of our batches are neighbours."""
    for count in itertools.count(STEPS):
        order = order_of(count)[:STEPS]
        if not {place + 1 for place in order} & set(order):
            return order, count


def write_file(path, magic, words, parts):
    header = [magic, *words]
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"".join(word.to_bytes(4, "little") for word in header + [0] * (HEADER - len(header))))
        for part in parts:
            file.write(part.tobytes())


def parameters(numpy, seed):
    """The tensors of the checkpoint, one after the other."""
    def made(name, *shape):
        flat = numpy.empty(math.prod(shape), numpy.float32)
        scale, shift = recipe.gpt2_scale_and_shift(name, BLOCKS)
        recipe.fill(numpy, flat, recipe.start_of(name, seed), scale, shift)
        return flat

    yield made("transformer.wte.weight", VOCABULARY, CHANNELS)
    yield numpy.zeros((ROWS - VOCABULARY) * CHANNELS, numpy.float32)
    yield made("transformer.wpe.weight", POSITIONS, CHANNELS)
    for name, *shape in BLOCK:
        for block in range(BLOCKS):
            yield made(f"transformer.h.{block}.{name}", *(part * CHANNELS for part in shape))
    yield made("transformer.ln_f.weight", CHANNELS)
    yield made("transformer.ln_f.bias", CHANNELS)


def text(numpy, seed):
    """A file of tokens. The program reads our batches from it, in our order."""
    order, count = places()
    size = BATCH * LENGTH
    tokens = numpy.zeros(count * size + 1, numpy.uint16)
    for step, place in enumerate(order):
        tokens[place * size:(place + 1) * size + 1] = recipe.tokens(numpy, seed, step * size, size + 1,
                                                                    VOCABULARY)
    return tokens


def write_inputs(numpy, seed, folder):
    write_file(folder / CHECKPOINT, 20240326, (3, POSITIONS, VOCABULARY, BLOCKS, HEADS, CHANNELS, ROWS),
               parameters(numpy, seed))
    tokens = text(numpy, seed)
    for name in ("train", "val"):
        write_file(folder / TOKENS.format(name), 20240520, (1, tokens.size), [tokens])


class Training:
    """The program, which trains on while its lines are read."""

    def __init__(self, program, numpy, spec):
        self.folder = tempfile.TemporaryDirectory(prefix="llmc-")
        write_inputs(numpy, spec["seed"], pathlib.Path(self.folder.name))
        self.program, self.trained_ns = program, 0
        self.threads = spec["threads"] or protocol.cores()
        self.process = None

    def compile(self):
        self.process = subprocess.Popen(
            ["stdbuf", "-oL", self.program], cwd=self.folder.name, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OMP_NUM_THREADS": str(self.threads)})

    def clock(self):
        """Nanoseconds of training, by the program's own clock: between two steps it stands."""
        return self.trained_ns

    def step(self):
        """None at the end of the program."""
        for line in self.process.stdout:
            if found := STEP.match(line):
                self.trained_ns += round(float(found[3]) * 1e6)
                return float(found[2]), None
        if self.process.wait() != 0:
            raise Refusal(f"{self.program} ended with status {self.process.returncode}")
        return None

    def close(self):
        with self.process:
            self.process.kill()
        self.folder.cleanup()


def parser():
    words = argparse.ArgumentParser(
        description="Trains with llm.c's CPU program what the spec (one line of JSON on stdin) says, and "
                    "writes one line of JSON for each step to stdout.")
    words.add_argument("program", help="path of llm.c's train_gpt2")
    return words


def load(_spec, _hello):
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError:
        raise Refusal(f"NumPy is not installed for {sys.executable}: apt install python3-numpy") from None


def prepare(spec, options, hello):
    import numpy
    if not os.access(options.program, os.X_OK):
        raise Refusal(f"{options.program} is not a program: run make train_gpt2 in a checkout of llm.c")
    training = Training(os.path.abspath(options.program), numpy, spec)
    hello.update(software="llm.c (train_gpt2)", threads=training.threads, plan="plain", parameters=PARAMETERS)
    return training


if __name__ == "__main__":
    # The folder has half a gigabyte: it goes, however the run ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(protocol.main(protocol.Engine("llm.c", ("gpt2",), parser(), refuse, load, prepare)))

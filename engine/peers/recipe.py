"""From which bits the workloads are made, the same in every engine: weights, data and the masks of
dropouts, from the spec's seed.

Each tensor is made from its name, the seed and the index of the element
(engine/train/networks/tensor_init.h), a mask also from the step. `xp` is the array library, PyTorch
or NumPy: what is used of it here, both call the same. All integer arithmetic is modulo 2^64, in
signed words."""
import math
import struct

LABELS = 10  # sample i of a batch has label i % 10
IMAGE = 224
CLASSES = 1000
BLOCKS = (3, 4, 6, 3)  # of ResNet-50's four layers
CHUNK = 1 << 20  # numbers that are made at once
WORD = (1 << 64) - 1


def f32(value):
    """The nearest float of C."""
    return struct.unpack("f", struct.pack("f", value))[0]


def root(value):
    return f32(math.sqrt(f32(value)))


def signed(word):
    """64 bits as a signed integer."""
    word &= WORD
    return word - (1 << 64) if word >> 63 else word


def start_of(name, seed, step=0):
    """Where the sequence of a name begins: FNV-1a, the seed and the step."""
    value = 0xcbf29ce484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001b3 & WORD
    return (value + seed * 0x9E3779B97F4A7C15 + step * 0xD1B54A32D192ED03) & WORD


def shifted(words, count):
    """A logical shift to the right; >> alone keeps the sign of a signed word."""
    return (words >> count) & ((1 << (64 - count)) - 1)


def bits(xp, start, first, end):
    """Numbers first ... end - 1 of a sequence, integers of 24 bits: splitmix64."""
    z = xp.arange(first, end, dtype=xp.int64) + signed(start + 0x9E3779B97F4A7C15)
    z = (z ^ shifted(z, 30)) * signed(0xBF58476D1CE4E5B9)
    z = (z ^ shifted(z, 27)) * signed(0x94D049BB133111EB)
    return shifted(z ^ shifted(z, 31), 40)


def noise(xp, start, first, end):
    """The same as real numbers in [-1, 1)."""
    return 2 * (xp.asarray(bits(xp, start, first, end), dtype=xp.float32) * 2.0 ** -24) - 1


def fill(xp, flat, start, scale, shift=0.0):
    """Fills a tensor of one dimension."""
    for first in range(0, len(flat), CHUNK):
        end = min(first + CHUNK, len(flat))
        flat[first:end] = shift + f32(scale) * noise(xp, start, first, end)


def tokens(xp, seed, first, count, vocabulary):
    """Low ones come often, as words do."""
    noise_bits = bits(xp, start_of("tokens", seed), first, first + count)
    return ((noise_bits * noise_bits >> 24) * noise_bits >> 24) * vocabulary >> 24


def gpt2_scale_and_shift(name, blocks):
    """The same as scale_and_shift() of a parameter of GPT-2."""
    if ".ln_" in name:
        return 0.1, 1.0 if name.endswith(".weight") else 0.0
    if name.endswith(".bias"):
        return 0.01, 0.0
    scale = 0.02 * math.sqrt(3)
    return scale / math.sqrt(2 * blocks) if name.endswith("c_proj.weight") else scale, 0.0


def scale_and_shift(name, shape):
    """What the noise of a parameter of ResNet-50, or of its images, is multiplied with, and what
    is added, as engine/train/networks/parameters.c does."""
    if name == "images":
        return root(3), 0.0
    if name == "fc.weight":
        return root(1 / shape[1]), 0.0
    if name == "fc.bias":
        return 0.01, 0.0
    if len(shape) == 4:  # a convolution: outputs, inputs, height, width
        return root(6 / math.prod(shape[1:])), 0.0
    if name.endswith(".bias"):
        return 0.1, 0.0
    return (0.01, f32(0.1)) if name.endswith("bn3.weight") else (0.1, 1.0)


def resnet50_fill(xp, flat, name, shape, seed):
    """Fills `flat`, the elements of the tensor of that name and shape in row-major order."""
    fill(xp, flat, start_of(name, seed), *scale_and_shift(name, shape))

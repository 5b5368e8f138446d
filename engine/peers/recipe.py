"""From which bits the workloads are made, the same in every engine: weights, images and the
perceptron's numbers, from the spec's seed.

Each tensor of ResNet-50 is made from its name (torchvision's), the seed and the index of the
element (engine/train/networks/tensor_init.h); the perceptron and its batch from one sequence
(engine/train/workloads/mlp.c). `xp` is the array library, PyTorch or NumPy: what is used of it here, both
call the same. All integer arithmetic is modulo 2^64, in signed words."""
import math
import struct

LABELS = 10  # sample i of a batch has label i % 10
IMAGE = 224
CLASSES = 1000
MLP_SIZES = (1024, 512, LABELS)
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


def start_of(name, seed):
    """Where the sequence of a name begins: FNV-1a, and the seed."""
    value = 0xcbf29ce484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001b3 & WORD
    return (value + seed * 0x9E3779B97F4A7C15) & WORD


def shifted(words, count):
    """A logical shift to the right; that of signed words keeps the sign."""
    return (words >> count) & ((1 << (64 - count)) - 1)


def noise(xp, start, first, end):
    """Numbers first ... end - 1 of a sequence, in [-1, 1): splitmix64."""
    z = xp.arange(first, end, dtype=xp.int64) + signed(start + 0x9E3779B97F4A7C15)
    z = (z ^ shifted(z, 30)) * signed(0xBF58476D1CE4E5B9)
    z = (z ^ shifted(z, 27)) * signed(0x94D049BB133111EB)
    z = z ^ shifted(z, 31)
    return 2 * (xp.asarray(shifted(z, 40), dtype=xp.float32) * 2.0 ** -24) - 1


def fill(xp, flat, start, scale, shift=0.0):
    """Fills a tensor of one dimension."""
    for first in range(0, len(flat), CHUNK):
        end = min(first + CHUNK, len(flat))
        flat[first:end] = shift + f32(scale) * noise(xp, start, first, end)


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


def lcg_states(xp, state, count):
    """The `count` states behind `state` of Numerical Recipes' 32-bit generator: each doubling
    jumps as far as the sequence is long."""
    factor, step, low = 1664525, 1013904223, 0xFFFFFFFF
    states = xp.asarray([(state * factor + step) & low])
    while len(states) < count:
        states = xp.concatenate((states, (states * factor + step) & low))
        factor, step = factor * factor & low, (step * factor + step) & low
    return states[:count]


def mlp(xp, seed, batch):
    """(batch of inputs, first weights, second weights): matrices with inputs as rows."""
    inputs, hidden, classes = MLP_SIZES
    shapes = ((batch, inputs), (inputs, hidden), (hidden, classes))
    scales = (2.0, f32(2.0 / root(inputs)), f32(2.0 / root(hidden)))
    counts = [rows * columns for rows, columns in shapes]
    numbers = xp.asarray(lcg_states(xp, seed, sum(counts)) >> 8, dtype=xp.float32)
    numbers = numbers / 16777216.0 - 0.5
    made, first = [], 0
    for shape, scale, count in zip(shapes, scales, counts):
        made.append((scale * numbers[first:first + count]).reshape(shape))
        first += count
    return made

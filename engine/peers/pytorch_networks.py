"""What pytorch_engine.py trains: the networks of engine/train in PyTorch, from the same bits.

Each tensor of ResNet-50 is made from its name, the seed and the index of the element
(engine/train/recipe.h); the perceptron and its batch from one sequence (engine/train/mlp.c).
Everything is given PyTorch by its caller, who may have to set variables before importing it."""
import collections
import math
import struct
import sys

LABELS = 10
IMAGE = 224
MLP_SIZES = (1024, 512, LABELS)
CHUNK = 1 << 20  # numbers that are made at once
WORD = (1 << 64) - 1


def f32(value):
    """The nearest float of C."""
    return struct.unpack("f", struct.pack("f", value))[0]


def root(value):
    return f32(math.sqrt(f32(value)))


def signed(word):
    """64 bits as PyTorch's integers have them."""
    word &= WORD
    return word - (1 << 64) if word >> 63 else word


def recipe_start(name, seed):
    """Where the sequence of a name begins: FNV-1a, and the seed."""
    value = 0xcbf29ce484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001b3 & WORD
    return (value + seed * 0x9E3779B97F4A7C15) & WORD


def shifted(words, count):
    """A logical shift to the right; PyTorch's own keeps the sign."""
    return (words >> count) & ((1 << (64 - count)) - 1)


def recipe_noise(torch, start, first, end):
    """Numbers first ... end - 1 of a sequence, in [-1, 1): splitmix64."""
    z = torch.arange(first, end, dtype=torch.int64) + signed(start + 0x9E3779B97F4A7C15)
    z = (z ^ shifted(z, 30)) * signed(0xBF58476D1CE4E5B9)
    z = (z ^ shifted(z, 27)) * signed(0x94D049BB133111EB)
    z = z ^ shifted(z, 31)
    return 2 * (shifted(z, 40).to(torch.float32) * 2.0 ** -24) - 1


def recipe_fill(torch, tensor, named, scale, shift=0.0):
    """Fills a contiguous tensor; `named` is (name, seed)."""
    flat, start = tensor.detach().view(-1), recipe_start(*named)
    for first in range(0, flat.numel(), CHUNK):
        end = min(first + CHUNK, flat.numel())
        flat[first:end] = shift + f32(scale) * recipe_noise(torch, start, first, end)


def lcg_states(torch, state, count):
    """The `count` states behind `state` of Numerical Recipes' 32-bit generator: each doubling
    jumps as far as the sequence is long."""
    factor, step, low = 1664525, 1013904223, 0xFFFFFFFF
    states = torch.tensor([(state * factor + step) & low])
    while states.numel() < count:
        states = torch.cat((states, (states * signed(factor) + step) & low))
        factor, step = factor * factor & low, (step * factor + step) & low
    return states[:count]


def fill_resnet50(torch, model, seed):
    """As engine/train/parameters.c does; its names are torchvision's."""
    nn = torch.nn
    for name, module in model.named_modules():
        if isinstance(module, nn.BatchNorm2d):
            quiet = name.endswith(".bn3")
            recipe_fill(torch, module.weight, (name + ".weight", seed), 0.01 if quiet else 0.1,
                        f32(0.1) if quiet else 1.0)
            recipe_fill(torch, module.bias, (name + ".bias", seed), 0.1)
        elif isinstance(module, nn.Conv2d):
            fan_in = module.weight[0].numel()
            recipe_fill(torch, module.weight, (name + ".weight", seed), root(6 / fan_in))
        elif isinstance(module, nn.Linear):
            recipe_fill(torch, module.weight, (name + ".weight", seed),
                        root(1 / module.in_features))
            recipe_fill(torch, module.bias, (name + ".bias", seed), 0.01)


def own_resnet50(torch):
    """ResNet-50 v1.5 in plain torch.nn, with torchvision's names: for who has no torchvision."""
    nn = torch.nn

    def conv(inputs, outputs, kernel=1, stride=1):
        return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)

    class Bottleneck(nn.Module):
        def __init__(self, inputs, middle, stride):
            super().__init__()
            outputs, self.relu, self.downsample = 4 * middle, nn.ReLU(inplace=True), None
            self.conv1, self.bn1 = conv(inputs, middle), nn.BatchNorm2d(middle)
            self.conv2, self.bn2 = conv(middle, middle, 3, stride), nn.BatchNorm2d(middle)
            self.conv3, self.bn3 = conv(middle, outputs), nn.BatchNorm2d(outputs)
            if inputs != outputs:
                self.downsample = nn.Sequential(conv(inputs, outputs, 1, stride),
                                                nn.BatchNorm2d(outputs))

        def forward(self, x):
            shortcut = x if self.downsample is None else self.downsample(x)
            x = self.relu(self.bn1(self.conv1(x)))
            x = self.relu(self.bn2(self.conv2(x)))
            return self.relu(self.bn3(self.conv3(x)) + shortcut)

    parts, inputs = {"conv1": conv(3, 64, 7, 2), "bn1": nn.BatchNorm2d(64),
                     "relu": nn.ReLU(inplace=True), "maxpool": nn.MaxPool2d(3, 2, 1)}, 64
    for number, blocks in enumerate((3, 4, 6, 3)):
        middle, layer = 64 << number, nn.Sequential()
        for block in range(blocks):
            layer.append(Bottleneck(inputs, middle, 2 if block == 0 < number else 1))
            inputs = 4 * middle
        parts[f"layer{number + 1}"] = layer
    parts.update(avgpool=nn.AdaptiveAvgPool2d(1), flatten=nn.Flatten(),
                 fc=nn.Linear(inputs, 1000))
    return nn.Sequential(collections.OrderedDict(parts))


def make_images(torch, seed, batch):
    """Images for ResNet-50 as they come: f32, NCHW."""
    images = torch.empty(batch, 3, IMAGE, IMAGE)
    recipe_fill(torch, images, ("images", seed), root(3))
    return images


def make_resnet50(torch, seed):
    """(model, whose it is)"""
    try:
        import torchvision
        model, whose = torchvision.models.resnet50(weights=None), \
            f"torchvision {torchvision.__version__}"
    except Exception as problem:  # one that does not fit this PyTorch raises anything
        print(f"without torchvision: {problem}", file=sys.stderr)
        model, whose = own_resnet50(torch), "own ResNet-50"
    fill_resnet50(torch, model, seed)
    return model, whose


def make_mlp(torch, seed, batch):
    """(model, the batch): from one sequence, as engine/train/mlp.c does it."""
    inputs, hidden, classes = MLP_SIZES
    counts = (batch * inputs, inputs * hidden, hidden * classes)
    noise = lcg_states(torch, seed, sum(counts)) >> 8
    noise = noise.to(torch.float32) / 16777216.0 - 0.5
    images, first, second = torch.split(noise, counts)
    model = torch.nn.Sequential(torch.nn.Linear(inputs, hidden, bias=False), torch.nn.ReLU(),
                                torch.nn.Linear(hidden, classes, bias=False))
    scales = (f32(2.0 / root(inputs)), f32(2.0 / root(hidden)))
    for layer, values, scale in zip((model[0], model[2]), (first, second), scales):
        rows, columns = layer.in_features, layer.out_features
        layer.weight.detach().copy_((scale * values).view(rows, columns).t())
    return model, (2.0 * images).view(batch, inputs)

"""What jax_engine.py trains: the networks of engine/train in JAX, from the same bits (recipe.py).

Plain jax.numpy and jax.lax. A network is a dict of parameters by torchvision's names, in the
shapes that the recipe fills (convolutions OIHW, linear layers with outputs as rows), and a
function forward(parameters, statistics, batch) -> (logits in f32, new statistics). Operands of
convolutions and products are cast to `dtype`, as autocast does in PyTorch; the parameters stay in
f32. Everything is given JAX by its caller, who may have to set variables before importing it."""
import math

import numpy

import recipe

MOMENTUM = 0.1  # of batch-norm's running statistics
EPSILON = 1e-5


def blocks():
    """(prefix, inputs, middle, stride) of ResNet-50's blocks, v1.5."""
    inputs = 64
    for number, count in enumerate(recipe.BLOCKS):
        middle = 64 << number
        for block in range(count):
            yield f"layer{number + 1}.{block}", inputs, middle, 2 if block == 0 < number else 1
            inputs = 4 * middle


def resnet50_shapes():
    """{name: shape} of the parameters, and the batch-norms among them: {name: channels}."""
    shapes, norms = {}, {}

    def add(conv, norm, outputs, inputs, kernel):
        shapes[conv + ".weight"] = (outputs, inputs, kernel, kernel)
        shapes[norm + ".weight"] = shapes[norm + ".bias"] = (outputs,)
        norms[norm] = outputs

    add("conv1", "bn1", 64, 3, 7)
    for prefix, inputs, middle, _stride in blocks():
        add(f"{prefix}.conv1", f"{prefix}.bn1", middle, inputs, 1)
        add(f"{prefix}.conv2", f"{prefix}.bn2", middle, middle, 3)
        add(f"{prefix}.conv3", f"{prefix}.bn3", 4 * middle, middle, 1)
        if inputs != 4 * middle:
            add(f"{prefix}.downsample.0", f"{prefix}.downsample.1", 4 * middle, inputs, 1)
    shapes["fc.weight"], shapes["fc.bias"] = (recipe.CLASSES, 2048), (recipe.CLASSES,)
    return shapes, norms


def filled(name, shape, seed):
    values = numpy.empty(shape, numpy.float32)
    recipe.resnet50_fill(numpy, values.reshape(-1), name, shape, seed)
    return values


class ResNet50:
    """Made of f32 images as they come (NCHW), which each step turns into its own layout."""

    def __init__(self, jax, dtype, layout):
        self.jax, self.dtype, self.layout = jax, dtype, layout.upper()
        self.channel = self.layout.index("C")
        self.places = tuple(i for i in range(4) if i != self.channel)  # images, rows, columns

    def arrays(self, seed, batch):
        """(parameters, statistics, images), of NumPy."""
        shapes, norms = resnet50_shapes()
        parameters = {name: filled(name, shape, seed) for name, shape in shapes.items()}
        statistics = {name: (numpy.zeros(channels, numpy.float32),
                             numpy.ones(channels, numpy.float32))
                      for name, channels in norms.items()}
        return parameters, statistics, filled("images", (batch, 3, recipe.IMAGE, recipe.IMAGE),
                                              seed)

    def window(self, size):
        """(1, 1, size, size) in the layout."""
        return tuple(size if axis in "HW" else 1 for axis in self.layout)

    def conv(self, parameters, name, x, stride=1):
        weight = parameters[name + ".weight"]
        pad = weight.shape[2] // 2
        return self.jax.lax.conv_general_dilated(
            x.astype(self.dtype), weight.astype(self.dtype), (stride, stride),
            ((pad, pad), (pad, pad)), dimension_numbers=(self.layout, "OIHW", self.layout))

    def by_channel(self, values):
        return values.reshape([-1 if axis == self.channel else 1 for axis in range(4)])

    def norm(self, parameters, statistics, name, x):
        """Batch-norm in training: in f32, whatever the precision of x; adds the running
        statistics to the `statistics` of this step."""
        jnp, wide = self.jax.numpy, x.astype("float32")
        count = math.prod(x.shape[i] for i in self.places)
        mean = wide.mean(self.places)
        variance = jnp.square(wide - self.by_channel(mean)).mean(self.places)
        scale = parameters[name + ".weight"] * self.jax.lax.rsqrt(variance + EPSILON)
        shift = parameters[name + ".bias"] - mean * scale
        old_mean, old_variance = statistics[name]
        statistics[name] = (
            (1 - MOMENTUM) * old_mean + MOMENTUM * mean,
            (1 - MOMENTUM) * old_variance + MOMENTUM * variance * (count / (count - 1)))
        return (wide * self.by_channel(scale) + self.by_channel(shift)).astype(x.dtype)

    def block(self, parameters, statistics, prefix, x, stride):
        relu = self.jax.nn.relu

        def part(number, x, stride=1):
            x = self.conv(parameters, f"{prefix}.conv{number}", x, stride)
            return self.norm(parameters, statistics, f"{prefix}.bn{number}", x)

        shortcut = x
        if f"{prefix}.downsample.0.weight" in parameters:
            shortcut = self.conv(parameters, f"{prefix}.downsample.0", x, stride)
            shortcut = self.norm(parameters, statistics, f"{prefix}.downsample.1", shortcut)
        x = relu(part(1, x))
        x = relu(part(2, x, stride))
        return relu(part(3, x) + shortcut)

    def pool(self, x):
        """The largest of 3 x 3, every second one."""
        pad = tuple((size // 2, size // 2) for size in self.window(3))
        return self.jax.lax.reduce_window(x, numpy.array(-numpy.inf, x.dtype), self.jax.lax.max,
                                          self.window(3), self.window(2), pad)

    def forward(self, parameters, statistics, images):
        jnp, statistics = self.jax.numpy, dict(statistics)
        x = images.transpose(["NCHW".index(axis) for axis in self.layout]).astype(self.dtype)
        x = self.norm(parameters, statistics, "bn1", self.conv(parameters, "conv1", x, 2))
        x = self.pool(self.jax.nn.relu(x))
        for prefix, _inputs, _middle, stride in blocks():
            x = self.block(parameters, statistics, prefix, x, stride)
        x = x.astype("float32").mean([self.layout.index(axis) for axis in "HW"])
        x = jnp.matmul(x.astype(self.dtype), parameters["fc.weight"].astype(self.dtype).T)
        return x.astype("float32") + parameters["fc.bias"], statistics

#!/usr/bin/env python3
"""Adds to a reference file which ReLUs stand so near to zero that rounding may decide them otherwise.

    python3 near_zero.py batch4_seed1.json      (wants numpy; writes the file again)

Computes the first step again in float64, without PyTorch, and ends with an error unless it finds the loss and every
gradient of the file. For each single element that the file holds, of a batch-norm's gradient or of the convolution's
before it, it then lists the ReLUs behind that channel whose input lies within LISTED of zero: `input`, and by how much
the element `changes` where this one ReLU is decided otherwise. With --rounding it prints how far float32 moves the input of any ReLU instead.
"""
import argparse
import json
from functools import partial
from itertools import product

import numpy as np

LISTED = 3e-5  # NEAR_ZERO of engine/train/verify/near_zero.h
WORTH = 1e-3  # a ReLU that changes less of the element, relative to the rms of its tensor, is left out
MASK = (1 << 64) - 1
EPSILON = 1e-5
BLOCKS = (("layer1", 3, 64, 1), ("layer2", 4, 128, 2), ("layer3", 6, 256, 2), ("layer4", 3, 512, 2))


def uniform(name, count, seed):
    """count float32 values in [-1, 1), as engine/train/networks/tensor_init.c makes them."""
    hashed = 0xCBF29CE484222325
    for byte in name.encode():
        hashed = ((hashed ^ byte) * 0x100000001B3) & MASK
    with np.errstate(over="ignore"):
        z = np.uint64((hashed + seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & MASK)
        z = z + np.arange(count, dtype=np.uint64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return (2 * ((z >> np.uint64(40)).astype(np.float64) * 2.0**-24) - 1).astype(np.float32)


def filled(name, shape, seed):
    x = uniform(name, int(np.prod(shape)), seed).reshape(shape)
    if len(shape) == 4:
        return x * np.float32(np.sqrt(6.0 / (shape[1] * shape[2] * shape[3])))
    if name == "fc.weight":
        return x * np.float32(np.sqrt(1.0 / shape[1]))
    if name == "fc.bias":
        return x * np.float32(0.01)
    if name.endswith("bn3.weight"):
        return np.float32(0.1) + np.float32(0.01) * x
    return np.float32(1) + np.float32(0.1) * x if name.endswith(".weight") else np.float32(0.1) * x


def windows(images, kernel, stride, padding, fill=0.0):
    """(N, P, P, C, kernel, kernel): what each output looks at."""
    padded = np.pad(images, ((0, 0), (padding, padding), (padding, padding), (0, 0)), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(1, 2))
    return view[:, ::stride, ::stride]


def scattered(gradient, shape, stride, padding):
    """The gradient of windows(), (N, P, P, C, kernel, kernel), back to images of that shape."""
    n, h, w, c = shape
    kernel, size = gradient.shape[-1], gradient.shape[1]
    padded = np.zeros((n, h + 2 * padding, w + 2 * padding, c), gradient.dtype)
    for y in range(kernel):
        for x in range(kernel):
            padded[:, y:y + stride * size:stride, x:x + stride * size:stride] += gradient[..., y, x]
    return padded[:, padding:padding + h, padding:padding + w]


class Step:
    """Forward and backward once, of the images of one rank. `gradients` holds the parameters' by name, `relus` what
    stood before each ReLU: (norms, input, gradient behind it)."""

    def __init__(self, recipe, dtype, rank=0):
        self.recipe, self.dtype = recipe, dtype
        self.images = np.arange(recipe["batch"]) + rank * recipe["batch"]  # among the images of all ranks
        self.gradients, self.relus = {}, []
        # By name of the norm: its normalised input and by what it multiplies a gradient; the convolution before it
        # and what that looks at, (units, weights of a channel).
        self.normal, self.factor, self.filters = {}, {}, {}

    def parameter(self, name, shape):
        return filled(name, shape, self.recipe["seed"]).astype(self.dtype)

    def conv(self, name, images, channels, kernel, stride):
        """Returns the output, the function from its gradient to the images' gradient, and the inputs as windows."""
        padding = (kernel - 1) // 2
        weight = self.parameter(name + ".weight", (channels, images.shape[3], kernel, kernel))
        matrix = weight.reshape(channels, -1)
        looked = windows(images, kernel, stride, padding)
        flat = looked.reshape(-1, matrix.shape[1])

        def backward(gradient):
            rows = gradient.reshape(-1, channels)
            self.gradients[name + ".weight"] = rows.T @ flat
            return scattered((rows @ matrix).reshape(looked.shape), images.shape, stride, padding)

        return (flat @ matrix.T).reshape(looked.shape[:3] + (channels,)), backward, flat

    def norm(self, name, images):
        channels = images.shape[3]
        scale, shift = (self.parameter(f"{name}.{of}", (channels,)) for of in ("weight", "bias"))
        mean = images.mean((0, 1, 2))
        deviation = np.sqrt(((images - mean)**2).mean((0, 1, 2)) + self.dtype(EPSILON))
        normal = (images - mean) / deviation
        self.normal[name], self.factor[name] = normal, scale / deviation

        def backward(gradient):
            self.gradients[name + ".bias"] = bias = gradient.sum((0, 1, 2))
            self.gradients[name + ".weight"] = weight = (gradient * normal).sum((0, 1, 2))
            count = self.dtype(normal.size // channels)
            return self.factor[name] * (gradient - bias / count - normal * (weight / count))

        return normal * scale + shift, backward

    def relu(self, norms, images):
        def backward(gradient):
            self.relus.append((norms, images, gradient))
            return np.where(images > 0, gradient, self.dtype(0))

        return np.maximum(images, 0), backward

    def filter(self, conv, norm, images, channels, kernel, stride):
        """A convolution with its batch-norm."""
        images, through_conv, flat = self.conv(conv, images, channels, kernel, stride)
        images, through_norm = self.norm(norm, images)
        self.filters[norm] = (conv, flat)
        return images, lambda gradient: through_conv(through_norm(gradient))

    def block(self, name, images, channels, stride):
        shortcut, norms, backs, project = images, [name + ".bn3"], [], None
        for index, kernel, step in ((1, 1, 1), (2, 3, stride)):
            images, back = self.filter(f"{name}.conv{index}", f"{name}.bn{index}", images, channels, kernel, step)
            backs.append(back)
            images, back = self.relu([f"{name}.bn{index}"], images)
            backs.append(back)
        images, back = self.filter(name + ".conv3", name + ".bn3", images, 4 * channels, 1, 1)
        backs.append(back)
        if shortcut.shape != images.shape:
            norms.append(name + ".downsample.1")
            shortcut, project = self.filter(name + ".downsample.0", norms[-1], shortcut, 4 * channels, 1, stride)
        images, through_relu = self.relu(norms, images + shortcut)

        def backward(gradient):
            gradient = inner = through_relu(gradient)
            for back in reversed(backs):
                inner = back(inner)
            return inner + (project(gradient) if project else gradient)

        return images, backward

    def pool(self, images):
        """The maximum of 3x3 windows. It stands before the ReLU here: the result is the same, and what is listed
        is the ReLU of the pixel that is the largest, not of one that is zero like others."""
        looked = windows(images, 3, 2, 1, -np.inf)
        flat = looked.reshape(looked.shape[:4] + (9,))
        chosen = flat.argmax(-1)[..., None]
        self.normal["bn1"] = np.take_along_axis(
            windows(self.normal["bn1"], 3, 2, 1).reshape(flat.shape), chosen, -1)[..., 0]
        del self.filters["bn1"]  # each of its 50,000 units changes little, and the pool has moved them

        def backward(gradient):
            spread = np.zeros(flat.shape, self.dtype)
            np.put_along_axis(spread, chosen, gradient[..., None], -1)
            return scattered(spread.reshape(looked.shape), images.shape, 2, 1)

        return np.take_along_axis(flat, chosen, -1)[..., 0], backward

    def head(self, images):
        """The mean of each image, the linear layer and the loss; returns the gradient of the images."""
        n, size = images.shape[0], images.shape[1] * images.shape[2]
        weight, bias = self.parameter("fc.weight", (1000, images.shape[3])), self.parameter("fc.bias", (1000,))
        mean = images.mean((1, 2))
        logits = mean @ weight.T + bias
        logits -= logits.max(1, keepdims=True)
        chance = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        right = (np.arange(n), self.images % 10)
        self.loss = -np.log(chance[right]).mean()
        chance[right] -= 1
        chance /= n
        self.gradients["fc.weight"], self.gradients["fc.bias"] = chance.T @ mean, chance.sum(0)
        return np.broadcast_to((chance @ weight / size)[:, None, None], images.shape)

    def run(self):
        backs, count = [], int(self.images[-1]) + 1
        images = uniform("images", count * 3 * 224 * 224, self.recipe["seed"]) * np.float32(np.sqrt(3.0))
        images = images.reshape(count, 3, 224, 224)[self.images].transpose(0, 2, 3, 1).astype(self.dtype)
        images, back = self.filter("conv1", "bn1", images, 64, 7, 2)
        backs.append(back)
        for step in (self.pool, lambda at: self.relu(["bn1"], at)):
            images, back = step(images)
            backs.append(back)
        for layer, count, channels, stride in BLOCKS:
            for index in range(count):
                images, back = self.block(f"{layer}.{index}", images, channels, 1 if index else stride)
                backs.append(back)
        gradient = self.head(images)
        for back in reversed(backs):
            gradient = back(gradient)
        return self


def check(reference, steps):
    """Ends with an error unless the steps of the ranks have found, in the mean, the file's numbers."""
    worst = abs(np.mean([step.loss for step in steps]) / reference["losses"][0] - 1)
    for name, probe in reference["gradients"].items():
        flat = np.mean([step.gradients[name].ravel() for step in steps], 0)
        rms = probe["l2"] / np.sqrt(probe["count"])
        worst = max(worst, abs(np.linalg.norm(flat) / probe["l2"] - 1),
                    *(abs(flat[int(index)] - value) / rms for index, value in probe["at"].items()))
    if not worst < 1e-8:
        raise SystemExit(f"the file has other numbers: {worst:.2g}")
    print(f"the file's numbers within {worst:.2g}")


def effects(step, norm, change, channel):
    """(parameter, index of an element) -> what it changes: `change` of the gradient behind one channel of the norm,
    for each unit alone."""
    normal = step.normal[norm][..., channel].ravel()
    yield (norm + ".bias", channel), lambda: change
    yield (norm + ".weight", channel), lambda: change * normal
    conv, looked = step.filters.get(norm, (None, np.empty((0, 0))))

    def of_weight(column):
        seen = looked[:, column]
        # The batch-norm's mean and deviation depend on this unit too: what that takes from all the others.
        shared = seen.mean() + normal * (normal * seen).mean()
        return change * step.factor[norm][channel] * (seen - shared)

    for column in range(looked.shape[1]):
        yield (conv + ".weight", channel * looked.shape[1] + column), partial(of_weight, column)


def near(reference, steps):
    """{parameter: {index: [ReLU, ...]}}, first what changes most."""
    found, places = {}, {(name, int(index)) for name, probe in reference["gradients"].items() for index in probe["at"]}
    for step, (norms, given, gradient) in ((step, relu) for step in steps for relu in step.relus):
        for norm, channel in product(norms, range(given.shape[3])):
            z, g = given[..., channel].ravel(), gradient[..., channel].ravel()
            for (name, index), changes in effects(step, norm, np.where(z > 0, -g, g), channel):
                if (name, index) not in places:
                    continue
                probe, change = reference["gradients"][name], changes() / len(steps)
                worth = WORTH * probe["l2"] / np.sqrt(probe["count"])
                for at in np.flatnonzero((abs(z) <= LISTED) & (abs(change) >= worth)):
                    found.setdefault(name, {}).setdefault(str(index), []).append(
                        {"input": float(z[at]), "changes": float(change[at])})
    for indexes in found.values():
        for relus in indexes.values():
            relus.sort(key=lambda relu: -abs(relu["changes"]))
    return found


def rounding(reference, step):
    """How far float32 moves what stands before a ReLU."""
    rounded = Step(reference, np.float32).run()
    for (norms, exact, _), (_, given, _) in zip(step.relus, rounded.relus):
        error = abs(given - exact)
        print(f"{norms[0]:16} rms {np.sqrt((error**2).mean()):.2g}  largest {error.max():.2g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--rounding", action="store_true")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        reference = json.load(file)
    steps = [Step(reference, np.float64, rank).run() for rank in range(reference.get("ranks", 1))]
    check(reference, steps)
    if options.rounding:
        rounding(reference, steps[0])
        return
    found = near(reference, steps)
    for name, probe in reference["gradients"].items():
        probe.pop("near_zero", None)
        if name in found:
            probe["near_zero"] = found[name]
    with open(options.file, "w", encoding="utf-8") as file:
        json.dump(reference, file, separators=(",", ":"))
    print(sum(len(relus) for of in found.values() for relus in of.values()), "listed")


if __name__ == "__main__":
    main()

"""What the networks have in common: parameters from the recipe, dropout with masks that every
engine makes alike, optimizers, and losses."""
import math

import recipe
import torch

RMSPROP = {"kind": "rmsprop", "rho": 0.9, "eps": 1e-8}
ADADELTA = {"kind": "adadelta", "rho": 0.95, "eps": 1e-8}
ADAM = {"kind": "adam", "betas": (0.9, 0.999), "eps": 1e-8}
ADAMW = {"kind": "adamw", "betas": (0.9, 0.999), "eps": 1e-8}


def gain(numerator, shape):
    """The scale of weights with so many inputs; `numerator` says what follows them."""
    return math.sqrt(numerator / math.prod(shape[1:]))


class Drop(torch.nn.Module):
    """Dropout by a mask, which the engine copies into `mask` before the step."""

    def __init__(self, name, share, shape):
        super().__init__()
        self.name, self.share = name, share
        self.register_buffer("mask", torch.ones(shape), persistent=False)

    def drawn(self, seed, step):
        """The mask of that step, in precision and layout of `mask`."""
        start = recipe.start_of(self.name, seed, step)
        bits = recipe.bits(torch, start, 0, self.mask.numel())
        kept = (bits >= int(self.share * 2 ** 24)).view(self.mask.shape)
        return torch.empty_like(self.mask).copy_(kept * recipe.f32(1 / (1 - self.share)))

    def forward(self, x):
        return x * self.mask


class Network(torch.nn.Module):
    """A network adds layers and says: samples (samples.py), optimizer, lr, lr_decay, scale()."""
    lr_decay = 0.0
    has_images = False

    def fill(self, seed):
        for name, parameter in self.named_parameters():
            scale, shift = self.scale(name, tuple(parameter.shape))
            flat = parameter.detach().view(-1)
            recipe.fill(torch, flat, recipe.start_of(name, seed), scale)
            flat += shift

    def drops(self):
        return [each for each in self.modules() if isinstance(each, Drop)]

    def lay_out(self, layout, dtype):
        """Images and their masks in this layout, all masks in this type (None: f32)."""
        if self.has_images:
            self.to(memory_format=layout)
        for drop in self.drops():
            drop.mask = drop.mask.to(dtype or torch.float32)

    def loss(self, logits, targets):
        return torch.nn.functional.cross_entropy(logits.float(), targets)


class BinaryNetwork(Network):
    """One logit a sample."""

    def loss(self, logits, targets):
        return torch.nn.functional.binary_cross_entropy_with_logits(
            logits[:, 0].float(), targets.float())


def lstm_scale(name, cells):
    """The forget gate, second of four, starts open."""
    if "weight" in name:
        return math.sqrt(1 / cells), 0.0
    shift = torch.zeros(4 * cells)
    if "bias_ih" in name:
        shift[cells:2 * cells] = 1
    return 0.1, shift


def optimizer_of(network):
    """Fused where PyTorch has it, as its tuning guide says: of Adam, 2.4 times as fast with
    the many rows of fasttext2017."""
    constants = dict(network.optimizer)
    kind = constants.pop("kind")
    parameters, lr = network.parameters(), network.lr
    if kind == "rmsprop":
        return torch.optim.RMSprop(parameters, lr=lr, alpha=constants["rho"], eps=constants["eps"])
    if kind == "adadelta":
        return torch.optim.Adadelta(parameters, lr=lr, **constants)
    if kind == "adam":
        return torch.optim.Adam(parameters, lr=lr, fused=True, **constants)
    return torch.optim.AdamW(parameters, lr=lr, weight_decay=0.0, fused=True, **constants)

"""The data of the networks, as engine/train/networks/samples.c makes it: an endless set.
Step s takes the samples from s * batch on. Each call returns (inputs, targets)."""
import recipe
import torch


def numbers(name, seed, first, count):
    return recipe.bits(torch, recipe.start_of(name, seed), first, first + count)


def labels(seed, first, count, classes):
    return numbers("labels", seed, first, count) * classes >> 24


class Images:
    length = None

    def __init__(self, batch, shape):
        self.batch, self.shape = batch, (batch, *shape)

    def of(self, seed, step):
        first = step * self.batch
        count = torch.Size(self.shape).numel()
        images = recipe.noise(torch, recipe.start_of("images", seed), step * count,
                              (step + 1) * count) * recipe.root(3)
        return images.view(self.shape), labels(seed, first, self.batch, 10)


class Reviews:
    def __init__(self, batch, length, vocabulary):
        self.batch, self.length, self.vocabulary = batch, length, vocabulary

    def of(self, seed, step):
        count = self.batch * self.length
        words = recipe.tokens(torch, seed, step * count, count, self.vocabulary)
        return words.view(self.batch, -1), labels(seed, step * self.batch, self.batch, 2)


class Characters:
    """Windows of one text, three characters apart, and the character behind each."""

    def __init__(self, batch, length, vocabulary):
        self.batch, self.length, self.vocabulary = batch, length, vocabulary

    def of(self, seed, step):
        reach = 3 * (self.batch - 1) + self.length + 1
        text = recipe.tokens(torch, seed, 3 * step * self.batch, reach, self.vocabulary)
        windows = text.unfold(0, self.length + 1, 3)
        return windows[:, :-1].contiguous(), windows[:, -1].contiguous()


class Stream:
    """One text read on and on; each position has the next token for its target."""

    def __init__(self, batch, length, vocabulary):
        self.batch, self.length, self.vocabulary = batch, length, vocabulary

    def of(self, seed, step):
        count = self.batch * self.length
        text = recipe.tokens(torch, seed, step * count, count + 1, self.vocabulary)
        return text[:-1].view(self.batch, -1), text[1:].view(self.batch, -1)

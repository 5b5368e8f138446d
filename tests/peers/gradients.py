#!/usr/bin/env python3
"""usage: PYTHON gradients.py FILE...

Holds the networks of engine/peers/pytorch_networks against files of reference numbers in float64
(tests/engine/train/reference/networks): the first loss, and the gradient of each parameter. Runs with
a Python that has PyTorch, prints a line for each file, and ends with 1 where one is off by more than
PyTorch's own f32 may be."""
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "engine" / "peers"))
import recipe  # noqa: E402
import torch  # noqa: E402
import pytorch_networks as networks  # noqa: E402

LOSS, NORM, DOT = 1e-5, 1e-6, 1e-5


def first_step(facts):
    """(loss, gradients by name)"""
    network = networks.NETWORKS[facts["network"]](facts["batch"])
    if "length" in facts:
        network.samples.length = facts["length"]
    network.fill(facts["seed"])
    for drop in network.drops():
        drop.mask.copy_(drop.drawn(facts["seed"], 0))
    inputs, targets = network.train().samples.of(facts["seed"], 0)
    loss = network.loss(network(inputs), targets)
    loss.backward()
    return loss.item(), {name: each.grad for name, each in network.named_parameters()}


def off(gradient, wanted):
    """(deviation of the norm, deviation of the product with noise), both over the norm: the second
    notices wrong order and sign."""
    flat = gradient.contiguous().view(-1).double()
    probe = torch.empty(flat.numel())
    recipe.fill(torch, probe, recipe.start_of("probe", 0), 1.0)
    norm = max(wanted["l2"], 1e-30)
    return (abs(flat.norm().item() / norm - 1), abs((flat @ probe.double()).item() - wanted["dot"]) / norm)


def check(path):
    facts = json.loads(Path(path).read_text(encoding="utf-8"))
    loss, gradients = first_step(facts)
    if set(gradients) != set(facts["gradients"]):
        print(f"{path}: has other parameters: {sorted(set(gradients) ^ set(facts['gradients']))}")
        return False
    deviations = [off(gradients[name], wanted) for name, wanted in facts["gradients"].items()]
    worst = (abs(loss / facts["losses"][0] - 1), *(max(each) for each in zip(*deviations)))
    print(f"{path}: loss off by {worst[0]:.1e}, norm of a gradient {worst[1]:.1e}, product {worst[2]:.1e}")
    return worst[0] <= LOSS and worst[1] <= NORM and worst[2] <= DOT


if __name__ == "__main__":
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    sys.exit(0 if sys.argv[1:] and all([check(path) for path in sys.argv[1:]]) else 1)

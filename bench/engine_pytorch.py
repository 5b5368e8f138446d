#!/usr/bin/python3
"""Trains torchvision's ResNet-50 on the CPU and says how long each step took.

Prints one JSON object a line: {"type":"step","index":0,"nanoseconds":...,"loss":...} for each
step, warm-up included, and at the end {"type":"done","peak_rss_kib":...,"torch":"2.6.0",...}.
It trains the same as pennyworth-worker: batches of synthetic images, label i % 10 for
image i, cross-entropy, plain SGD. Needs torch, --compile a C++ compiler too. The model is
torchvision's, or without it the same model of engine/peers."""
import argparse
import contextlib
import json
import os
import resource
import sys
import time

import torch

LEARNING_RATE = 0.002
PEERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "engine", "peers")


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--compile", action="store_true", help="torch.compile the model")
    parser.add_argument("--fused", action="store_true",
                        help="one fused pass for the update instead of one per tensor")
    parser.add_argument("--contiguous", action="store_true",
                        help="keep PyTorch's default layout instead of channels-last")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def refuse_scalar_code():
    """Without sleef's headers and library at hand torch.compile does not fail: it writes code
    without vectors, four times slower than no compiling at all, and it remembers that code."""
    from torch._inductor import cpu_vec_isa
    if not cpu_vec_isa.pick_vec_isa():
        sys.exit("torch.compile finds no vector instructions that it can compile for")


def resnet50():
    """(model, whose it is)"""
    try:
        import torchvision
        return torchvision.models.resnet50(weights=None), f"torchvision {torchvision.__version__}"
    except Exception as problem:  # one that does not fit this PyTorch raises anything
        print(f"without torchvision: {problem}", file=sys.stderr)
    sys.path.append(PEERS)
    import pytorch_networks
    return pytorch_networks.own_resnet50(torch), "own ResNet-50"


class Training:
    """The model, its optimizer, and one batch that every step uses again."""

    def __init__(self, args):
        torch.manual_seed(args.seed)
        torch.set_num_threads(args.threads)
        layout = torch.contiguous_format if args.contiguous else torch.channels_last
        model, self.whose = resnet50()
        model = model.to(memory_format=layout).train()
        self.model = torch.compile(model) if args.compile else model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE,
                                         fused=True if args.fused else None)
        self.images = torch.randn(args.batch, 3, 224, 224).to(memory_format=layout)
        self.labels = torch.arange(args.batch) % 10
        self.loss = torch.nn.CrossEntropyLoss()
        self.bf16 = args.precision == "bf16"

    def step(self):
        """The loss of one step. It ends when the weights are new: on the CPU nothing of a step
        is still under way when optimizer.step() comes back, so there is nothing to wait for."""
        mixed = torch.autocast("cpu", dtype=torch.bfloat16) if self.bf16 else \
            contextlib.nullcontext()
        self.optimizer.zero_grad(set_to_none=True)
        with mixed:
            loss = self.loss(self.model(self.images), self.labels)
        loss.backward()
        self.optimizer.step()
        return loss


def main():
    args = options()
    if args.compile:
        refuse_scalar_code()
    training = Training(args)
    for index in range(args.warmup + args.steps):
        began = time.monotonic_ns()
        loss = training.step()
        ended = time.monotonic_ns()
        print(json.dumps({"type": "step", "index": index, "nanoseconds": ended - began,
                          "loss": loss.item()}), flush=True)
    print(json.dumps({"type": "done", "steps": args.warmup + args.steps,
                      "peak_rss_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
                      "torch": torch.__version__, "model": training.whose,
                      "compiled": args.compile}), flush=True)


if __name__ == "__main__":
    main()

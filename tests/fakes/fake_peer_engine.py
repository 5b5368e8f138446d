"""An engine of engine/peers without a library: its steps only sleep. So the conversation with the
server can be tested where there is neither PyTorch nor JAX."""
import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "engine" / "peers"))
import worker_protocol as protocol  # noqa: E402


class Sleeping:
    """The loss of step n is 1 / (n + 1)."""

    def __init__(self):
        self.steps = 0

    def compile(self):
        print("a compiler that talks where it should not")

    def step(self):
        moments = [time.perf_counter_ns()]
        for _part in range(4):
            time.sleep(0.0005)
            moments.append(time.perf_counter_ns())
        self.steps += 1
        return 1 / self.steps, moments


def prepare(spec, _options, hello):
    hello.update(software="sleeping", threads=spec["threads"] or 1, plan="plain")
    return Sleeping()


ENGINE = protocol.Engine("sleeping", ("mlp2017",), argparse.ArgumentParser(),
                         lambda _spec, _options: None, lambda _spec, _hello: None, prepare)
sys.exit(protocol.main(ENGINE))

"""engine/peers/pytorch_engine.py with everything but PyTorch: its steps only sleep. So its
conversation with the server can be tested where there is no PyTorch."""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "engine" / "peers"))
import pytorch_engine  # noqa: E402


class Sleeping:
    """As pytorch_engine.Training, where the loss of step n is 1 / (n + 1)."""

    def __init__(self, _torch, _spec, _options):
        self.steps = 0

    def prepare(self):
        print("a compiler that talks where it should not")

    def step(self):
        moments = [time.perf_counter_ns()]
        for _part in range(4):
            time.sleep(0.0005)
            moments.append(time.perf_counter_ns())
        self.steps += 1
        return 1 / self.steps, moments


def facts(_torch, spec, _options, _training):
    return {"software": "sleeping", "threads": spec["threads"] or 1, "plan": "plain"}


pytorch_engine.import_torch = lambda _isa: sys
sys.__version__ = "0"
pytorch_engine.Training = Sleeping
pytorch_engine.facts = facts
sys.exit(pytorch_engine.main())

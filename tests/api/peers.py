"""What the tests of engine/peers have in common."""
import subprocess
import sys

from harness import ROOT, WORKER, ServerCase

PEERS = ROOT / "engine" / "peers"
sys.path.insert(0, str(PEERS))  # so that tests import the engines themselves
import worker_protocol  # noqa: E402
# A Python that sees the standard library and no other package.
BARE_PYTHON = "/usr/bin/python3 -I -S"
SPEC = {"workload": "resnet50", "precision": "f32", "layout": "auto", "plan": "auto",
        "isa": "auto", "batch_size": 4, "threads": 0, "seed": 1, "input_workers": 0,
        "warmup_steps": 0, "steps": 3}


def can_import(python, module):
    """Whether the Python of these command words has the module."""
    found = subprocess.run([*python.split(), "-c", f"import {module}"], capture_output=True,
                           check=False)
    return found.returncode == 0


def refusals(refuse, *options, **more):
    """The words in which refuse() refuses each value that a spec may have, where it does."""
    for name, values in {**worker_protocol.CHOICES, "input_workers": (0, 64), **more}.items():
        for value in values:
            try:
                refuse({**SPEC, name: value}, *options)
            except worker_protocol.Refusal as refusal:
                yield str(refusal)


class WithoutLibrary(ServerCase):
    """Engines whose library is not there."""

    def assertRefused(self, cases, **usual):
        """Each of (engine, fields, the beginning of the reason)."""
        for engine, fields, reason in cases:
            with self.subTest(engine, **fields):
                run = self.server.run(engine, **{**usual, **fields})
                self.assertEqual("failed", run["state"], run)
                self.assertIn(reason, run["reason"])
                self.assertNotIn("absent", run["software"] or "")  # it was not looked for


class LossesLikeOurs(ServerCase):
    """Compares the losses of an engine with the losses of pennyworth-worker, in f32."""
    ENGINES = {"native": WORKER}

    def losses(self, name, **fields):
        run = self.server.wait(self.server.queue(name, **fields), seconds=600)
        self.assertEqual("finished", run["state"], run)
        return run, [step["loss"] for step in self.server.steps(run["id"])]

    def compare_losses(self, engine, delta, theirs=(), **fields):
        """Both train `fields`, and the engine with the changes `theirs`. Returns its run."""
        run, losses = self.losses(engine, **{**fields, **dict(theirs)})
        for one, other in zip(losses, self.losses("native", **fields)[1], strict=True):
            self.assertAlmostEqual(one, other, delta=delta)
        return run

"""losses.py NAME: the engine NAME of engine/peers/environments.py, in its environment of
build/peers, learns what the reference says (tests/engine/train/reference, made by PyTorch in
float64). Exit status 77 where the environment could not be made for want of a network, or was not
asked for; `./test peers` makes them."""
import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "engine" / "peers"))
import environments  # noqa: E402

FOLDER = ROOT / "build" / "peers"
REFERENCE = json.loads((ROOT / "tests/engine/train/reference/batch4_seed1.json").read_text())
# What rounding alone does: torchvision in float32 is 1e-7 off, under bf16 autocast 1.3e-3.
TOLERANCES = {"f32": 1e-5, "bf16": 1e-2}
PARAMETERS = 25557032
EX_SKIPPED = 77  # as ctest has it
NAME = sys.argv.pop(1)


def train(precision):
    """The events of three steps of ResNet-50."""
    spec = {"workload": "resnet50", "precision": precision, "layout": "auto", "plan": "auto",
            "isa": "auto", "batch_size": REFERENCE["batch"], "threads": 0,
            "seed": REFERENCE["seed"], "input_workers": 0, "warmup_steps": 0,
            "steps": len(REFERENCE["losses"])}
    worker = subprocess.run(environments.command(FOLDER, NAME), input=json.dumps(spec) + "\n",
                            capture_output=True, text=True, check=False)
    if worker.returncode != 0:
        raise AssertionError(f"status {worker.returncode}: {worker.stdout}{worker.stderr[-2000:]}")
    return [json.loads(line) for line in worker.stdout.splitlines()]


class Losses(unittest.TestCase):
    def learns(self, precision):
        hello, *steps, done = train(precision)
        print(json.dumps(hello), [step["loss"] for step in steps], file=sys.stderr)
        self.assertEqual(("hello", "done", len(steps)),
                         (hello["type"], done["type"], done["steps"]))
        self.assertEqual(PARAMETERS, hello["parameters"])
        for step, wanted in zip(steps, REFERENCE["losses"], strict=True):
            self.assertAlmostEqual(wanted, step["loss"], delta=TOLERANCES[precision])
        return hello

    def test_in_f32_it_learns_what_the_reference_does(self):
        hello = self.learns("f32")
        self.assertFalse(hello.get("emulated"))
        for package in environments.ENVIRONMENTS[NAME].packages[:1]:
            self.assertIn(package.partition("==")[2], hello["software"])

    def test_in_bf16_it_learns_nearly_that(self):
        self.learns("bf16")


if __name__ == "__main__":
    if not environments.is_installed(FOLDER, NAME):
        why = environments.why_missing(FOLDER, NAME)
        print(f"{NAME} is left out: {why}")
        if (FOLDER / f"{NAME}.missing").exists() and why != environments.NETWORK_MISSING:
            sys.exit(1)
        sys.exit(EX_SKIPPED)
    unittest.main()

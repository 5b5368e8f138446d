"""Holds the engine against PyTorch's float64 numbers, through `pennyworth-worker verify`."""
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

# Plans that are measured here are not to be found by others.
CACHE = tempfile.TemporaryDirectory()
os.environ["XDG_CACHE_HOME"] = CACHE.name
WORKER = os.environ["PENNYWORTH_TEST_WORKER"]
REFERENCE = pathlib.Path(__file__).parent / "reference"
PLAIN = REFERENCE / "batch4_seed1.json"
MOMENTUM = REFERENCE / "batch3_seed7_momentum.json"
MOMENTUM_OPTIONS = ("--batch", "3", "--seed", "7", "--steps", "4", "--lr", "0.001",
                    "--momentum", "0.9", "--weight-decay", "0.01")

HAS_AVX512 = " avx512bw " in pathlib.Path("/proc/cpuinfo").read_text()


def verify(*options):
    return subprocess.run([WORKER, "verify", *options], capture_output=True, text=True,
                          timeout=300, check=False)


class Verify(unittest.TestCase):
    def expect(self, status, *options):
        done = verify(*options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_f32_computes_what_pytorch_computes_with_any_number_of_threads(self):
        for threads in ("1", "2", "3", "4"):
            self.expect(0, "--plan", "fixed", "--threads", threads, "--against", str(PLAIN))

    def test_f32_computes_what_pytorch_computes_in_every_plan(self):
        self.expect(0, "--plan", "auto", "--against", str(PLAIN))
        # With two threads one element of 161 tensors is off by more than the limit: a ReLU near
        # zero that the library's order of summation decides otherwise.
        self.expect(0, "--plan", "plain", "--threads", "1", "--against", str(PLAIN))

    def test_every_layout_of_the_plain_plan_computes_what_pytorch_computes(self):
        for layout in ("nhwc", "nchw", "blocked"):
            for precision in ("f32", "bf16") if HAS_AVX512 else ("f32",):
                self.expect(0, "--plan", "plain", "--layout", layout, "--precision", precision,
                            "--threads", "1", "--against", str(PLAIN))
        if not HAS_AVX512:
            done = self.expect(1, "--plan", "plain", "--precision", "bf16")
            self.assertIn("plain has no bf16 without AVX-512", done.stderr)
        done = self.expect(1, "--plan", "fixed", "--layout", "nchw")
        self.assertIn("nchw and blocked are layouts of the plain plan", done.stderr)

    def test_momentum_and_weight_decay_are_those_of_pytorch(self):
        for plan in ("fixed", "plain"):
            self.expect(0, *MOMENTUM_OPTIONS, "--plan", plan, "--against", str(MOMENTUM))

    def test_bf16_is_off_by_rounding_only(self):
        self.expect(0, "--precision", "bf16", "--plan", "fixed", "--against", str(PLAIN))
        self.expect(0, "--precision", "bf16", "--plan", "auto", "--threads", "3", "--against",
                    str(PLAIN))

    def test_every_instruction_set_computes_the_same(self):
        for isa in ("sse41", "avx2", "avx512"):
            for precision in ("f32", "bf16"):
                self.expect(0, "--plan", "fixed", "--isa", isa, "--precision", precision,
                            "--against", str(PLAIN))

    def test_the_loss_falls_on_a_batch_that_stays_the_same(self):
        losses = json.loads(self.expect(0, "--batch", "16", "--steps", "8", "--lr", "0.05",
                                        "--precision", "bf16").stdout)["losses"]
        self.assertAlmostEqual(losses[0], math.log(1000), delta=0.3)
        self.assertEqual(sorted(losses, reverse=True), losses)
        self.assertLess(losses[-1], 2.2)

    def test_a_wrong_number_is_found(self):
        wrong = json.loads(PLAIN.read_text())
        wrong["gradients"]["layer3.2.conv2.weight"]["l2"] *= 1.01
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(wrong, file)
            file.flush()
            done = self.expect(1, "--steps", "3", "--against", file.name)
        self.assertIn("LARGE  layer3.2.conv2.weight", done.stdout)

    def test_another_recipe_is_not_compared(self):
        done = self.expect(2, "--steps", "1", "--lr", "0.1", "--against", str(PLAIN))
        self.assertIn("has lr 0.002, not 0.1", done.stderr)

    def test_the_same_options_give_the_same_bits(self):
        for options in (("--threads", "2"), ("--threads", "3", "--precision", "bf16"),
                        ("--plan", "fixed"), ("--plan", "plain")):
            first, second = (self.expect(0, "--steps", "2", "--batch", "3", *options).stdout
                             for _ in range(2))
            self.assertEqual(first, second)

    def test_bad_options_are_named(self):
        for options, words in ((("--batch", "1"), "--batch must be between 2 and 4096, got 1"),
                               (("--lr", "x"), "--lr must be between 0 and 10, got 'x'"),
                               (("--precision", "f8"), "--precision 'f8' is not supported"),
                               (("--steps",), "--steps wants a value"),
                               (("--what", "1"), "--what is not an option")):
            self.assertIn(words, self.expect(2, *options).stderr)


if __name__ == "__main__":
    unittest.main()

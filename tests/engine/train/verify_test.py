"""Holds the engine against PyTorch's float64 numbers, through `pennyworth-worker verify`."""
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

from reference_file import file_of, first_step
from waiting import share

# Plans that are measured here are not to be found by others.
CACHE = tempfile.TemporaryDirectory()
os.environ["XDG_CACHE_HOME"] = CACHE.name
# Other tests run at the same time: a thread that waits for others leaves its processor to them.
os.environ["OMP_WAIT_POLICY"] = "passive"
WORKER = os.environ["PENNYWORTH_TEST_WORKER"]
SEED = os.environ.get("PENNYWORTH_TEST_SEED")  # of ./test: a share of the cases is enough
REFERENCE = pathlib.Path(__file__).parent / "reference"

PLAIN = REFERENCE / "batch4_seed1.json"
# Enough where later steps add nothing. What a step does to the weights, the later losses say far more exactly.
FIRST = pathlib.Path(CACHE.name, PLAIN.name)
FIRST.write_text(json.dumps(first_step(PLAIN)))
WHOLE = PLAIN if SEED is None else FIRST
STEPS = "2" if SEED is None else "1"
MOMENTUM = REFERENCE / "batch3_seed7_momentum.json"
TEXT = REFERENCE / "networks" / "gpt2_tiny.json"
NETWORKS = sorted((REFERENCE / "networks").glob("*.json"))
MOMENTUM_OPTIONS = ("--batch", "3", "--seed", "7", "--steps", "4", "--lr", "0.001",
                    "--momentum", "0.9", "--weight-decay", "0.01")

FLAGS = pathlib.Path("/proc/cpuinfo").read_text().split()
# Of the instruction sets with kernels of their own, those that this processor has.
SETS = [isa for isa, flag in (("sse41", "sse4_1"), ("avx2", "avx2"), ("avx512", "avx512bw")) if flag in FLAGS]
HAS_AVX512 = "avx512" in SETS


def verify(*options):
    return subprocess.run([WORKER, "verify", *options], capture_output=True, text=True,
                          timeout=300, check=False)


class Verify(unittest.TestCase):
    def expect(self, status, *options):
        done = verify(*options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done


class Numbers(Verify):
    """ResNet-50 in f32 computes what PyTorch computes."""

    def test_f32_computes_what_pytorch_computes_with_any_number_of_threads(self):
        for threads in share(("1", "2", "3", "4")):
            self.expect(0, "--plan", "fixed", "--threads", threads, "--against", str(PLAIN))

    def test_f32_computes_what_pytorch_computes_in_every_plan(self):
        self.expect(0, "--plan", "auto", "--against", str(WHOLE))
        precisions = ("f32", "bf16") if HAS_AVX512 else ("f32",)
        # The order of the library's sums decides a few ReLUs near zero.
        for options in share((*(("--threads", threads) for threads in "123"),
                              *(("--layout", layout, "--precision", precision, "--orderings", "1")
                                for layout in ("nhwc", "nchw", "blocked") for precision in precisions))):
            self.expect(0, "--plan", "plain", *options, "--against", str(FIRST))

    def test_what_the_plain_plan_lacks_is_refused(self):
        if not HAS_AVX512:
            done = self.expect(1, "--plan", "plain", "--precision", "bf16")
            self.assertIn("plain has no bf16 without AVX-512", done.stderr)
        done = self.expect(1, "--plan", "fixed", "--layout", "nchw")
        self.assertIn("nchw and blocked are layouts of the plain plan", done.stderr)

    def test_momentum_and_weight_decay_are_as_in_pytorch(self):
        # The file says what is trained; options may say the same.
        for options in share((("fixed",), ("fixed", *MOMENTUM_OPTIONS),
                              *(("plain", "--threads", threads) for threads in "123"))):
            self.expect(0, "--plan", *options, "--against", str(MOMENTUM))


class Precisions(Verify):
    """So it does in bf16, within its rounding, and with every instruction set."""

    def test_bf16_is_off_by_rounding_only(self):
        orderings = () if SEED is None else ("--orderings", "3")
        done = self.expect(0, "--precision", "bf16", *orderings, "--against", str(WHOLE))
        self.assertEqual(3 if orderings else 5, done.stdout.count("gradient norm: median"))
        self.assertRegex(done.stdout, r"gradient norm, usual +0[.]0\d+ +limit +0[.]101 +ok")
        if SEED is None:
            self.expect(0, *MOMENTUM_OPTIONS, "--precision", "bf16", "--orderings", "3",
                        "--against", str(MOMENTUM))

    def test_every_instruction_set_computes_the_same(self):
        for isa, precision in share([(isa, precision) for precision in ("f32", "bf16") for isa in SETS]):
            self.expect(0, "--plan", "fixed", "--isa", isa, "--precision", precision,
                        "--orderings", "1", "--against", str(FIRST))

    def test_the_same_options_give_the_same_bits(self):
        for options in share((("--threads", "2"), ("--threads", "3", "--precision", "bf16"),
                              ("--plan", "fixed"), ("--plan", "plain"))):
            first, second = (self.expect(0, "--steps", STEPS, "--batch", "3", *options).stdout
                             for _ in range(2))
            self.assertEqual(first, second)


class Judging(Verify):
    """What verify finds, excuses and prints."""

    def test_a_wrong_number_is_found(self):
        wrong = json.loads(FIRST.read_text())
        wrong["gradients"]["layer3.2.conv2.weight"]["l2"] *= 1.01
        with file_of(wrong) as file:
            done = self.expect(1, "--plan", "fixed", "--against", file)
        self.assertIn("LARGE  layer3.2.conv2.weight", done.stdout)

    def test_what_is_small_in_every_tensor_is_found_in_bf16(self):
        wrong = json.loads(FIRST.read_text())
        for probe in wrong["gradients"].values():
            probe["l2"] *= 1.02
        options = ("--orderings", "3") if SEED is None else ("--orderings", "1", "--plan", "fixed")
        with file_of(wrong) as file:
            done = self.expect(1, "--precision", "bf16", *options, "--against", file)
        self.assertRegex(done.stdout, "gradient norm, median .* LARGE")
        self.assertRegex(done.stdout, "gradient norm, relative .* ok")

    def test_a_relu_near_zero_excuses_what_it_changes_and_nothing_else(self):
        name = "layer2.1.bn2.bias"
        index = list(json.loads(FIRST.read_text())["gradients"][name]["at"])[2]
        for input_of_relu, part, excused in (*share(((3e-7, 1, True), (-2.9e-5, 1, True))),
                                             *share(((None, 0, False), (3e-7, -1, False),
                                                     (3e-7, 1.5, False), (3.1e-5, 1, False)))):
            reference = json.loads(FIRST.read_text())
            probe = reference["gradients"][name]
            step = 0.2 * probe["l2"] / math.sqrt(probe["count"])
            probe["at"][index] -= step
            probe["near_zero"] = {}
            if input_of_relu:
                probe["near_zero"][index] = [{"input": input_of_relu, "changes": part * step}]
            with self.subTest(input=input_of_relu, part=part), file_of(reference) as file:
                done = self.expect(0 if excused else 1, "--plan", "fixed", "--against", file)
                (self.assertRegex if excused else self.assertNotRegex)(  # rounding adds a little to 0.2
                    done.stdout,
                    rf"{name}\[{index}\] is off by 0[.](2|19|20)\d*; 1 ReLU near zero explains all but")
                (self.assertNotIn if excused else self.assertIn)(f"LARGE  {name}[{index}]", done.stdout)

    def test_a_reference_has_the_element_of_each_relu_near_zero(self):
        for path in (FIRST, MOMENTUM):
            listed = 0
            for name, probe in json.loads(path.read_text())["gradients"].items():
                for index, relus in probe.get("near_zero", {}).items():
                    self.assertIn(index, probe["at"], name)
                    listed += len(relus)
            self.assertGreater(listed, 0)

    def test_each_ordering_is_printed(self):
        options = ("--steps", "1", "--batch", "2", "--threads", "1", "--plan", "fixed")
        one = json.loads(self.expect(0, *options).stdout)
        count = 3 if SEED is None else 2  # the third measures a plan
        several = json.loads(self.expect(0, *options, "--orderings", str(count)).stdout)
        others = several.pop("orderings")
        self.assertEqual(one, several)
        self.assertEqual("1 thread, plan fixed", one["ordering"])
        self.assertEqual(["3 threads, plan fixed, 300 KB chunks", "2 threads, plan auto"][:count - 1],
                         [other["ordering"] for other in others])
        for other in others:
            self.assertEqual(set(one), set(other))
            self.assertNotEqual(one["gradients"], other["gradients"])
            self.assertAlmostEqual(one["losses"][0], other["losses"][0], delta=1e-4)


class Networks(Verify):
    """Other networks, and the file that says what is trained."""

    def test_every_network_computes_what_pytorch_computes(self):
        for turn, path in enumerate(NETWORKS):
            for options in share((("--threads", "1"), ("--threads", "3"), ("--threads", "4"),
                                  ("--precision", "bf16"), ("--isa", "avx512"),
                                  ("--precision", "bf16", "--isa", "avx2")), turn):
                with self.subTest(path=path.name, options=options):
                    self.expect(0, *options, "--against", str(path))

    def test_a_wrong_number_of_a_network_is_found(self):
        path = REFERENCE / "networks" / "lstm2017.json"
        for section, member, factor in (("gradients", "l2", 1.00001), ("gradients", "dot", 1.1),
                                        ("updates", "l2", 1.001)):
            wrong = json.loads(path.read_text())
            wrong[section]["lstm.weight_hh_l0"][member] *= factor
            with self.subTest(section=section, member=member), file_of(wrong) as file:
                self.assertIn("LARGE  lstm.weight_hh_l0", self.expect(1, "--against", file).stdout)
        wrong = json.loads(path.read_text())
        wrong["losses"][3] *= 1.0001
        with file_of(wrong) as file:
            self.assertIn("LARGE  step 3", self.expect(1, "--against", file).stdout)

    def test_the_file_says_what_is_trained(self):
        for path in share(NETWORKS):
            with self.subTest(path=path.name):
                self.expect(0, "--against", str(path))
        done = self.expect(2, "--workload", "mlp2017", "--against", str(FIRST))
        self.assertIn("has workload resnet50, not mlp2017", done.stderr)
        done = self.expect(2, "--batch", "2", "--against", str(NETWORKS[0]))
        self.assertIn("has batch", done.stderr)

    def test_a_file_that_no_run_can_repeat_is_refused(self):
        for member, value, words in (
                ("ranks", 2, "the file has 2 ranks, here are 1"),
                ("ranks", "two", "ranks in the file must be a whole number from 1 to 65536"),
                ("network", "vgg", "the workload 'vgg' is not known"),
                ("network", 7, "network in the file must be a string"),
                ("made_with", "PyTorch", "made_with in the file must be an object"),
                ("made_with", {"dtype": "float16"}, "made_with.dtype in the file must be float64, float32"),
                ("optimizer", "lamb", "optimizer in the file must be sgd, rmsprop, adadelta, adam or adamw"),
                ("optimizer", 7, "optimizer in the file must be sgd, rmsprop, adadelta, adam or adamw"),
                ("batch", "four", "batch in the file must be a whole number from 1 to 4096"),
                ("batch", 0, "batch in the file must be a whole number from 1 to 4096"),
                ("seed", 2**40 + 3, "seed in the file must be a whole number from 0 to 4294967295"),
                ("length", 65, "gpt2_tiny takes a length of at most 64"),
                ("steps", 7, "steps in the file must be 4, as many as it has losses"),
                ("losses", [], "losses in the file must be an array of 1 to 1000 numbers"),
                ("losses", [5.5, "x"], "losses in the file must be an array of 1 to 1000 numbers"),
                ("lr", -1, "lr in the file must be a number from 0 to 1000 for adamw"),
                ("beta1", 1, "beta1 in the file must be a number from 0 to below 1 for adamw"),
                ("weight_decay", None, "weight_decay in the file must be a number from 0 to 1000")):
            reference = json.loads(TEXT.read_text())
            reference[member] = value
            with self.subTest(member=member, value=value), file_of(reference) as file:
                self.assertIn(words, self.expect(2, "--against", file).stderr)

    def test_a_file_that_does_not_say_what_is_trained_is_refused(self):
        for member in ("batch", "seed", "lr", "optimizer", "beta1", "beta2", "eps", "weight_decay",
                       "losses", "gradients", "updates"):
            reference = json.loads(TEXT.read_text())
            del reference[member]
            with self.subTest(member=member), file_of(reference) as file:
                self.assertIn(f" {member} in the file must be", self.expect(2, "--against", file).stderr)

    def test_a_file_that_cannot_be_compared_is_refused(self):
        name = "transformer.ln_f.bias"
        for section in ("gradients", "updates"):
            for member, value in (("l2", None), ("count", "x"), ("dot", "x"), ("at", {}), ("at", {"0": "x"}),
                                  ("at", {"first": 1})):
                reference = json.loads(TEXT.read_text())
                reference[section][name][member] = value
                with self.subTest(section=section, member=member, value=value), file_of(reference) as file:
                    self.assertIn(f"{section}.{name} in the file must be an object with count, l2",
                                  self.expect(2, "--against", file).stderr)
        for text, words in (("", "is no JSON object: line 1, "), ("{\n1}", "is no JSON object: line 2, "),
                            ("[1]", "is no JSON object: line 1, an array begins")):
            with self.subTest(text=text), tempfile.NamedTemporaryFile("w") as file:
                file.write(text)
                file.flush()
                self.assertIn(words, self.expect(2, "--against", file.name).stderr)
        done = self.expect(2, "--against", CACHE.name)
        self.assertIn(f"cannot read '{CACHE.name}': it is a directory", done.stderr)

    def test_a_tensor_that_the_file_lacks_is_found(self):
        for section, words in (("gradients", "gradient norm, rel"), ("updates", "update norm, rel")):
            for change in share((lambda tensors: tensors.popitem(),
                                 lambda tensors: tensors["fc.bias"].update(count=56))):
                reference = json.loads((REFERENCE / "networks" / "lstm2017.json").read_text())
                change(reference[section])
                with self.subTest(section=section), file_of(reference) as file:
                    self.assertRegex(self.expect(1, "--against", file).stdout, words + "ative +inf .* LARGE")

    def test_what_verify_prints_is_such_a_file(self):
        for options in share((("--workload", "gpt2_tiny"),
                              ("--workload", "textgen2017", "--precision", "bf16"),
                              ("--workload", "mlp2017", "--lr", "0"), ("--batch", "2", "--steps", "1"))):
            done = self.expect(0, *options)
            with self.subTest(options=options), file_of(json.loads(done.stdout)) as file:
                self.assertRegex(self.expect(0, "--orderings", "1", "--against", file).stdout,
                                 "gradient norm, relative +0 ")

    def test_another_recipe_is_not_compared(self):
        done = self.expect(2, "--lr", "0.1", "--against", str(PLAIN))
        self.assertIn("has lr 0.002, not 0.1", done.stderr)
        done = self.expect(2, "--steps", "4", "--against", str(PLAIN))
        self.assertIn("has steps 3, not 4", done.stderr)
        done = self.expect(2, "--seed", "4294967295", "--against", str(PLAIN))
        self.assertIn("has seed 1, not 4294967295", done.stderr)

    def test_bad_options_are_named(self):
        for options, words in ((("--batch", "0"), "--batch must be between 1 and 4096, got 0"),
                               (("--workload", "mlp1"), "the workload 'mlp1' is not known"),
                               (("--length", "8"), "resnet50 takes a length of at most 0"),
                               (("--workload", "gpt2", "--length", "1025"),
                                "gpt2 takes a length of at most 1024"),
                               (("--batch", "1"), "resnet50 takes a batch of 2 or more"),
                               (("--lr", "x"), "--lr must be between 0 and 10, got 'x'"),
                               (("--precision", "f8"), "--precision 'f8' is not supported"),
                               (("--orderings", "13"), "--orderings must be between 0 and 12, got 13"),
                               (("--against", "/no/file"), "/no/file"),
                               (("--steps",), "--steps wants a value"),
                               (("--what", "1"), "--what is not an option")):
            self.assertIn(words, self.expect(2, *options).stderr)

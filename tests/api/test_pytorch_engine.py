"""The engine that trains with PyTorch: what it says without PyTorch, and, where there is a PyTorch,
its losses compared with our own engine's."""
import argparse
import itertools
import os
import subprocess
import unittest

from harness import ROOT, WORKER, WORKLOADS
from peers import BARE_PYTHON, PEERS, SPEC, LossesLikeOurs, WithoutLibrary, can_import, refusals

import pytorch_engine as engine
import worker_protocol as protocol

SCRIPT = PEERS / "pytorch_engine.py"
ALONE = f"{BARE_PYTHON} {SCRIPT}"
TORCH = os.environ.get("PENNYWORTH_TEST_TORCH", "/usr/bin/python3")


# Parameters of all but those with more than 25 million.
SMALL = {"mlp2017": 669706, "cnn2017": 1199882, "cifar2017": 1250858, "fasttext2017_unigrams": 1000051,
         "bilstm2017": 2659457, "lstm2017": 103097, "textgen2017": 457406, "gpt2_tiny": 120576}


def options(device="cpu", compiler=None, ipex=False):
    return argparse.Namespace(device=device, compile=compiler, ipex=ipex)


class WithoutPyTorch(WithoutLibrary):
    ENGINES = {"pytorch": ALONE, "pytorch-compile": ALONE + " --compile",
               "pytorch-cuda": ALONE + " --device cuda", "wrong": ALONE + " --device abacus"}

    def test_the_run_fails_and_says_what_to_install(self):
        run = self.server.run("pytorch")
        self.assertEqual(("failed", 0), (run["state"], run["steps_stored"]))
        self.assertIn("PyTorch is not installed for /usr/bin/python3: apt install python3-torch "
                      "or pip install torch", run["reason"])
        self.assertEqual("pytorch (absent)", run["software"])
        self.assertIsNone(run["summary"])

    def test_what_it_cannot_train_names_the_field(self):
        self.assertRefused((
                ("pytorch", {"precision": "f16"}, "precision: f16 is for --device cuda"),
                ("pytorch", {"workload": "resnet50", "layout": "blocked"}, "layout: PyTorch has"),
                ("pytorch", {"layout": "nhwc"}, "layout: mlp2017 has one layout"),
                ("pytorch", {"input_workers": 1}, "input_workers: mlp2017 makes its batch"),
                ("pytorch", {"workload": "gnn"}, "workload: must be one of resnet50, mlp2017, "),
                ("pytorch", {"workload": "resnet50", "batch_size": 1}, "batch_size: must be"),
                ("pytorch-compile", {"isa": "sse41"}, "isa: must be auto with --compile"),
                ("pytorch-cuda", {"isa": "sse41"}, "isa: must be auto with --device cuda"),
                ("pytorch-cuda", {"workload": "resnet50", "input_workers": 2},
                 "input_workers: must be 0 with --device cuda")))

    def test_wrong_options_end_it_and_are_explained(self):
        run = self.server.run("wrong")
        self.assertIn("exited with status 2", run["reason"])
        self.assertIn("--device", run["stderr_tail"])


class Refusals(unittest.TestCase):
    def test_every_refusal_is_a_sentence_that_fits(self):
        for device, compiler, ipex in itertools.product(("cpu", "cuda", "xla"),
                                                        (None, "inductor"), (False, True)):
            for words in refusals(engine.refuse, options(device, compiler, ipex), batch_size=(1, 2)):
                self.assertEqual(words, protocol.cut(words))

    def test_it_trains_every_network_of_ours(self):
        self.assertEqual(set(WORKLOADS), set(engine.WORKLOADS))

    def test_what_pytorch_can_train_is_not_refused(self):
        for fields in ({}, {"precision": "bf16"}, {"layout": "nchw"}, {"input_workers": 3},
                       {"isa": "avx2"}, {"plan": "plain"}, {"workload": "mlp2017"}):
            engine.refuse({**SPEC, **fields}, options())
        engine.refuse({**SPEC, "precision": "f16"}, options("cuda"))
        engine.refuse({**SPEC, "precision": "bf16"}, options(compiler="inductor", ipex=True))


@unittest.skipUnless(can_import(TORCH, "torch"), "no PyTorch; PENNYWORTH_TEST_TORCH may hold the "
                                                 "command of a Python that has it")
class WithPyTorch(LossesLikeOurs):
    ENGINES = {"pytorch": f"{TORCH} {SCRIPT}", "native": WORKER}

    def test_each_network_learns_what_ours_does(self):
        """Four steps, in which the data, the masks and the states of the optimizer change."""
        for workload, parameters in SMALL.items():
            with self.subTest(workload):
                run = self.compare_losses("pytorch", 2e-5, workload=workload, batch_size=4, steps=4,
                                          seed=4294967295)
                self.assertEqual(parameters, run["engine_details"]["parameters"])

    def test_in_bf16_networks_learn_nearly_that(self):
        for workload in ("cnn2017", "bilstm2017", "gpt2_tiny"):
            with self.subTest(workload):
                self.compare_losses("pytorch", 0.1, {"precision": "bf16"}, workload=workload,
                                    batch_size=8, steps=2)

    def test_the_gradients_equal_the_reference(self):
        files = sorted((ROOT / "tests/engine/train/reference/networks").glob("*.json"))
        self.assertGreaterEqual(len(files), 16)
        held = subprocess.run([*TORCH.split(), str(ROOT / "tests/peers/gradients.py"), *files],
                              capture_output=True, text=True, check=False)
        self.assertEqual(0, held.returncode, held.stdout + held.stderr)

    def test_resnet50_learns_what_ours_does(self):
        run = self.compare_losses("pytorch", 1e-4, workload="resnet50", batch_size=4, steps=3)
        self.assertEqual(25557032, run["engine_details"]["parameters"])
        self.assertRegex(run["software"], r"^pytorch \d.*\(cpu, eager, ")

    def test_every_way_to_lay_it_out_and_feed_it_learns_the_same(self):
        base = {"workload": "resnet50", "batch_size": 3, "steps": 3}
        self.compare_losses("pytorch", 1e-4, {"layout": "nchw"}, **base)
        self.compare_losses("pytorch", 1e-4, {"input_workers": 2}, **base)
        self.compare_losses("pytorch", 1e-2, {"precision": "bf16"}, **base)

"""The engine that trains with llm.c's program: what it refuses, what it writes for the program, and how
it reads its lines. Where there is such a program (PENNYWORTH_TEST_LLMC), its losses are ours."""
import array
import os
import pathlib
import tempfile
import unittest

from peers import BARE_PYTHON, PEERS, SPEC, LossesLikeOurs, WithoutLibrary, can_import

import llmc_engine as engine
import worker_protocol as protocol

SCRIPT = PEERS / "llmc_engine.py"
PROGRAM = os.environ.get("PENNYWORTH_TEST_LLMC", "")
PYTHON = os.environ.get("PENNYWORTH_TEST_TORCH", "/usr/bin/python3")
GPT2 = {**SPEC, "workload": "gpt2", "warmup_steps": 1}


class WithoutNumPy(WithoutLibrary):
    ENGINES = {"llmc": f"{BARE_PYTHON} {SCRIPT} /nowhere/train_gpt2"}

    def test_the_run_fails_and_says_what_to_install(self):
        run = self.server.run("llmc", workload="gpt2", batch_size=4, steps=3)
        self.assertEqual("failed", run["state"], run)
        self.assertIn("NumPy is not installed for /usr/bin/python3: apt install python3-numpy", run["reason"])

    def test_what_it_cannot_train_names_the_field(self):
        self.assertRefused((("llmc", {"workload": "resnet50"}, "workload: must be one of gpt2"),
                            ("llmc", {"precision": "bf16"}, "precision: llm.c's CPU program trains f32"),
                            ("llmc", {"batch_size": 8}, "batch_size: llm.c's CPU program has 4"),
                            ("llmc", {"isa": "avx2"}, "isa: must be auto"),
                            ("llmc", {"steps": 41}, "steps: llm.c's CPU program ends after 41")),
                           workload="gpt2", batch_size=4, steps=3, warmup_steps=1)


class Files(unittest.TestCase):
    def test_the_order_is_a_shuffle_by_the_twister(self):
        self.assertEqual([1, 3, 9, 7, 6, 0, 8, 4, 5, 2], engine.order_of(10))

    def test_each_batch_has_a_place_and_a_token_behind_it(self):
        places, count = engine.places()
        self.assertEqual(engine.STEPS, len(set(places)))
        self.assertLess(max(places), count)
        self.assertFalse(set(places) & {place + 1 for place in places})

    def test_a_file_is_a_header_of_256_words_and_the_data(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "deep/file.bin")
            engine.write_file(path, 20240520, (1, 3), [array.array("H", (7, 8)), array.array("H", (9,))])
            written = path.read_bytes()
        self.assertEqual([20240520, 1, 3, *[0] * 253], list(array.array("I", written[:1024])))
        self.assertEqual([7, 8, 9], list(array.array("H", written[1024:])))


class Lines(unittest.TestCase):
    def training(self, script):
        """A Training whose program is a script of the shell; the inputs are not written."""
        training = engine.Training.__new__(engine.Training)
        training.folder = tempfile.TemporaryDirectory()
        training.program = training.folder.name + "/program"
        pathlib.Path(training.program).write_text("#!/bin/sh\n" + script)
        os.chmod(training.program, 0o700)
        training.threads, training.trained_ns = 3, 0
        training.compile()
        self.addCleanup(training.close)
        return training

    def test_a_step_takes_the_time_that_the_program_prints(self):
        training = self.training("echo val loss 10.5\necho 'step 0: train loss 10.875000 (took 12.500000 ms)'\n"
                                 "echo generating:\necho 'step 1: train loss 9.5 (took 2.25 ms)'\n")
        self.assertEqual((10.875, None), training.step())
        self.assertEqual(12500000, training.clock())
        self.assertEqual((9.5, None), training.step())
        self.assertEqual(14750000, training.clock())
        self.assertIsNone(training.step())

    def test_the_program_has_the_threads_of_the_spec(self):
        training = self.training("echo \"step 0: train loss $OMP_NUM_THREADS (took 1 ms)\"\n")
        self.assertEqual((3.0, None), training.step())

    def test_a_program_that_fails_is_told(self):
        training = self.training("exit 5\n")
        with self.assertRaisesRegex(protocol.Refusal, "program ended with status 5"):
            training.step()


@unittest.skipUnless(PROGRAM and can_import(PYTHON, "numpy"), "needs llm.c's train_gpt2 and NumPy")
class WithTheProgram(LossesLikeOurs):
    ENGINES = {**LossesLikeOurs.ENGINES, "llmc": f"{PYTHON} {SCRIPT} {PROGRAM}"}

    def test_it_learns_what_ours_does(self):
        run = self.compare_losses("llmc", 1e-4, workload="gpt2", batch_size=4, warmup_steps=0, steps=4)
        self.assertEqual("llm.c (train_gpt2)", run["software"])
        self.assertEqual(engine.PARAMETERS, run["engine_details"]["parameters"])

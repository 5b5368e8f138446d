"""The engine that trains with JAX: what it says without JAX, and, where there is a JAX, its losses
compared with our own engine's."""
import itertools
import os
import unittest
from unittest import mock

from harness import WORKER
from peers import BARE_PYTHON, PEERS, SPEC, LossesLikeOurs, WithoutLibrary, can_import, refusals

import jax_engine as engine
import worker_protocol as protocol

SCRIPT = PEERS / "jax_engine.py"
JAX = os.environ.get("PENNYWORTH_TEST_JAX", "/usr/bin/python3")


class WithoutJax(WithoutLibrary):
    ENGINES = {"jax": f"{BARE_PYTHON} {SCRIPT}"}

    def test_the_run_fails_and_says_what_to_install(self):
        run = self.server.run("jax", workload="resnet50")
        self.assertEqual(("failed", 0), (run["state"], run["steps_stored"]))
        self.assertIn("JAX is not installed for /usr/bin/python3: pip install jax", run["reason"])
        self.assertEqual("jax (absent)", run["software"])

    def test_what_it_cannot_train_names_the_field(self):
        self.assertRefused((("jax", {"workload": "mlp2017"}, "workload: must be one of resnet50"),
                            ("jax", {"precision": "f16"}, "precision: JAX trains f32 or bf16"),
                            ("jax", {"layout": "blocked"}, "layout: JAX has"),
                            ("jax", {"input_workers": 1}, "input_workers: must be 0"),
                            ("jax", {"isa": "sse41"}, "isa: the least that JAX")), workload="resnet50")


class Refusals(unittest.TestCase):
    def test_every_refusal_is_a_sentence_that_fits(self):
        for words in refusals(engine.refuse, None):
            self.assertEqual(words, protocol.cut(words))

    def test_what_jax_can_train_is_not_refused(self):
        for precision, layout, isa in itertools.product(
                ("f32", "bf16"), ("auto", "nchw", "nhwc"), ("auto", *engine.XLA_ISAS)):
            engine.refuse({**SPEC, "precision": precision, "layout": layout, "isa": isa}, None)


class Loading(unittest.TestCase):
    def variables(self, **fields):
        """The variables that XLA reads when JAX is imported, seen by a Python without JAX."""
        with mock.patch.dict(os.environ, {"XLA_FLAGS": "--xla_of_the_operator=1"}), \
                mock.patch.dict("sys.modules", {"jax": None}):
            with self.assertRaisesRegex(protocol.Refusal, "JAX is not installed"):
                engine.load({**SPEC, **fields}, {})
            return {name: os.environ[name] for name in ("XLA_FLAGS", "NPROC", "JAX_PLATFORMS")}

    def test_threads_and_the_instruction_set_are_passed_to_xla(self):
        found = self.variables(threads=3, isa="avx2")
        self.assertEqual("--xla_of_the_operator=1 --xla_cpu_max_isa=AVX2", found["XLA_FLAGS"])
        self.assertEqual(("3", "cpu"), (found["NPROC"], found["JAX_PLATFORMS"]))

    def test_without_a_limit_the_operator_s_flags_stay_alone(self):
        self.assertEqual("--xla_of_the_operator=1", self.variables()["XLA_FLAGS"])
        self.assertEqual(str(protocol.cores()), self.variables()["NPROC"])

    def test_the_isa_is_the_most_that_processor_and_cap_allow(self):
        for flags, cap, wanted in (("avx2 avx512f", "auto", "avx512"), ("avx2", "auto", "avx2"),
                                   ("avx2 avx512f", "avx2", "avx2"), ("asimd", "auto", None)):
            with mock.patch.object(protocol, "read", lambda _path, flags=flags: flags):
                self.assertEqual(wanted, engine.f32_isa(cap))


@unittest.skipUnless(can_import(JAX, "jax"), "no JAX; PENNYWORTH_TEST_JAX may hold the command of a "
                                             "Python that has it")
class WithJax(LossesLikeOurs):
    ENGINES = {"jax": f"{JAX} {SCRIPT}", "native": WORKER}

    def test_resnet50_learns_what_ours_does(self):
        run = self.compare_losses("jax", 1e-4, workload="resnet50", batch_size=4, steps=3)
        self.assertEqual(25557032, run["engine_details"]["parameters"])
        self.assertRegex(run["software"], r"^jax \d.*\(cpu\)$")
        self.assertRegex(run["engine_details"]["library"], r"^XLA of jaxlib \d")

    def test_every_layout_and_precision_learns_the_same(self):
        base = {"workload": "resnet50", "batch_size": 3, "steps": 3}
        self.compare_losses("jax", 1e-4, {"layout": "nchw"}, **base)
        self.compare_losses("jax", 1e-2, {"precision": "bf16"}, **base)

    def test_threads_are_as_many_as_were_asked_for(self):
        run = self.losses("jax", workload="resnet50", batch_size=2, threads=1, steps=1)[0]
        self.assertEqual(1, run["engine_details"]["threads"])

"""The engine that trains with PyTorch: what it says without PyTorch, its conversation with the
server, and, where there is a PyTorch, its losses beside those of our own engine."""
import argparse
import io
import itertools
import json
import os
import subprocess
import sys
import threading
import unittest
from unittest import mock

from harness import ROOT, WORKER, ServerCase, until, worker_pids

sys.path.insert(0, str(ROOT / "engine" / "peers"))
import pytorch_engine as engine
import pytorch_networks as networks

SCRIPT = ROOT / "engine" / "peers" / "pytorch_engine.py"
ALONE = f"/usr/bin/python3 -I -S {SCRIPT}"  # sees the standard library and no PyTorch
SLEEPING = f"/usr/bin/python3 {ROOT}/tests/fakes/fake_pytorch_engine.py"
SPEC = {"workload": "resnet50", "precision": "f32", "layout": "auto", "plan": "auto",
        "isa": "auto", "batch_size": 4, "threads": 0, "seed": 1, "input_workers": 0,
        "warmup_steps": 0, "steps": 3}


def python_with_torch():
    """Command words of a Python that has PyTorch, or None."""
    words = os.environ.get("PENNYWORTH_TEST_TORCH", "/usr/bin/python3")
    found = subprocess.run([*words.split(), "-c", "import torch"], capture_output=True,
                           check=False)
    return words if found.returncode == 0 else None


TORCH = python_with_torch()


def options(device="cpu", compiler=None, ipex=False):
    return argparse.Namespace(device=device, compile=compiler, ipex=ipex)


class WithoutPyTorch(ServerCase):
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
        for name, fields, reason in (
                ("pytorch", {"precision": "f16"}, "precision: f16 is for --device cuda"),
                ("pytorch", {"workload": "resnet50", "layout": "blocked"}, "layout: PyTorch has"),
                ("pytorch", {"layout": "nhwc"}, "layout: mlp has no images"),
                ("pytorch", {"input_workers": 1}, "input_workers: mlp has no input"),
                ("pytorch", {"workload": "resnet50", "batch_size": 1}, "batch_size: must be"),
                ("pytorch-compile", {"isa": "sse41"}, "isa: must be auto with --compile"),
                ("pytorch-cuda", {"isa": "sse41"}, "isa: must be auto with --device cuda"),
                ("pytorch-cuda", {"workload": "resnet50", "input_workers": 2},
                 "input_workers: must be 0 with --device cuda")):
            with self.subTest(name, **fields):
                run = self.server.run(name, **fields)
                self.assertEqual("failed", run["state"], run)
                self.assertIn(reason, run["reason"])
                self.assertEqual("pytorch", run["software"])  # nobody looked which

    def test_wrong_options_end_it_and_are_explained(self):
        run = self.server.run("wrong")
        self.assertIn("exited with status 2", run["reason"])
        self.assertIn("--device", run["stderr_tail"])


class Talking(ServerCase):
    ENGINES = {"sleeping": SLEEPING}

    def steps(self, run):
        return self.server.get(f"/v1/runs/{run['id']}/steps").json()["steps"]

    def test_a_run_goes_from_hello_to_done(self):
        run = self.server.run("sleeping", steps=5, warmup_steps=2)
        self.assertEqual(("finished", "sleeping"), (run["state"], run["software"]), run)
        steps = self.steps(run)
        self.assertEqual([1 / n for n in range(1, 8)], [step["loss"] for step in steps])
        for step in steps:
            parts = [step["split"][name + "_seconds"]
                     for name in ("input", "forward", "backward", "update")]
            self.assertGreaterEqual(min(parts), 0.0005)  # what the fake sleeps
            self.assertLessEqual(sum(parts), step["seconds"] + 1e-9)

    def test_what_others_print_does_not_come_between(self):
        run = self.server.run("sleeping", steps=1000000, max_seconds=1)
        self.assertEqual(("finished", "time_up"), (run["state"], run["ended_by"]), run)
        self.assertIn("talks where it should not", run["stderr_tail"])

    def test_it_ends_when_cancelled(self):
        run_id = self.server.queue("sleeping", steps=1000000, max_seconds=86400)
        until(lambda: self.server.get(f"/v1/runs/{run_id}/steps").json()["steps"], "a step")
        self.server.delete(f"/v1/runs/{run_id}")
        self.assertEqual("cancelled", self.server.wait(run_id)["state"])
        until(lambda: not worker_pids([run_id]), "the engine is gone")


class Clockwork:
    """A training of which each part takes one tick more than the one before."""

    def __init__(self, after_step=lambda count: None, loss=1.0):
        self.ticks = itertools.accumulate(itertools.count())
        self.clock = lambda: next(self.ticks)
        self.count, self.after_step, self.loss = 0, after_step, loss

    def step(self):
        moments = [self.clock() for _ in range(5)]
        self.count += 1
        assert self.count < 1000, "it does not end"
        self.after_step(self.count)
        return self.loss, moments


class Loop(unittest.TestCase):
    def setUp(self):
        self.out, self.enough = io.StringIO(), threading.Event()
        self.wire = engine.Wire.__new__(engine.Wire)
        self.wire.file = self.out

    def train(self, training, **fields):
        count = engine.train(training, {**SPEC, **fields}, self.wire, self.enough, training.clock)
        return count, [json.loads(line) for line in self.out.getvalue().splitlines()]

    def test_steps_tile_the_time(self):
        training = Clockwork()
        begin = 0  # the first tick
        count, told = self.train(training, steps=4)
        self.assertEqual(4, count)
        # Six readings a step; the last one is the border to the next.
        ticks = list(itertools.islice(itertools.accumulate(itertools.count()), 25))
        self.assertEqual(ticks[24] - begin, sum(step["nanoseconds"] for step in told))
        for index, step in enumerate(told):
            self.assertEqual(index, step["index"])
            self.assertLess(sum(step["split"].values()), step["nanoseconds"])

    def test_auto_counts_sixty_for_the_warm_up_and_goes_on_for_steps(self):
        self.assertEqual(63, self.train(Clockwork(), warmup_steps="auto")[0])
        training = Clockwork(lambda count: count == 7 and self.enough.set())
        self.assertEqual(7, self.train(training, steps="auto")[0])

    def test_enough_ends_it_behind_the_step_at_hand(self):
        training = Clockwork(lambda count: count == 2 and self.enough.set())
        self.assertEqual(2, self.train(training, steps=100)[0])
        self.assertEqual(2, training.count)

    def test_a_loss_that_is_no_number_is_not_told(self):
        with self.assertRaisesRegex(engine.Refusal, "loss of step 0 is not a number"):
            self.train(Clockwork(loss=float("nan")))
        self.assertEqual("", self.out.getvalue())

    def test_without_parts_none_are_told(self):
        training = Clockwork()
        training.step = lambda: (1.0, None)
        self.assertNotIn("split", self.train(training)[1][0])


class Hearing(unittest.TestCase):
    def hear(self, text):
        read, write = os.pipe()
        os.write(write, text)
        os.close(write)
        ear = engine.Ear(read)
        self.addCleanup(ear.file.close)
        line = ear.file.readline()
        ear._listen()
        return line, ear.enough.is_set()

    def test_only_the_word_means_enough(self):
        for text, wanted in ((b'{"a":1}\n{"type":"enough"}\n', True),
                             (b'{"a":1}\n{ "type" : "enough" }\n', True),
                             (b'{"a":1}\n', False), (b'{"a":1}\n\nnonsense\n', False),
                             (b'{"a":1}\nx\n{"type":"enough"}\n', True)):
            self.assertEqual((b'{"a":1}\n', wanted), self.hear(text), text)


class Specs(unittest.TestCase):
    def refused(self, spec):
        with self.assertRaises(engine.Refusal) as caught:
            engine.read_spec(spec if isinstance(spec, bytes) else json.dumps(spec).encode())
        return str(caught.exception)

    def test_a_lawful_spec_is_read_and_the_rest_of_it_skipped(self):
        self.assertEqual(SPEC, engine.read_spec(json.dumps({**SPEC, "numa": "auto"}).encode()))
        auto = {**SPEC, "steps": "auto", "warmup_steps": "auto"}
        self.assertEqual(auto, engine.read_spec(json.dumps(auto).encode()))

    def test_each_wrong_field_is_named(self):
        for name in SPEC:
            for wrong in (None, [], {}, -1, 1 << 40, 1.5, True, "nonsense"):
                self.assertIn(name + ": must be", self.refused({**SPEC, name: wrong}))
            without = {other: value for other, value in SPEC.items() if other != name}
            self.assertIn(name + ": must be", self.refused(without))
        self.assertIn("batch_size", self.refused({**SPEC, "batch_size": "auto"}))

    def test_what_is_no_spec_is_refused(self):
        for text in (b"", b"\n", b"{", b"[]", b"null", b"\xff\xfe", b'{"seed":1'):
            self.assertIn("the spec is not", self.refused(text))

    def test_every_refusal_is_a_sentence_that_fits(self):
        for device, compiler, ipex in itertools.product(("cpu", "cuda", "xla"),
                                                        (None, "inductor"), (False, True)):
            for name, values in {**engine.CHOICES, "input_workers": (0, 64),
                                 "batch_size": (1, 2)}.items():
                for value in values:
                    try:
                        engine.refuse({**SPEC, name: value}, options(device, compiler, ipex))
                    except engine.Refusal as refusal:
                        self.assertEqual(str(refusal), engine.cut(str(refusal)))

    def test_what_pytorch_can_train_is_not_refused(self):
        for fields in ({}, {"precision": "bf16"}, {"layout": "nchw"}, {"input_workers": 3},
                       {"isa": "avx2"}, {"plan": "plain"}, {"workload": "mlp", "batch_size": 1}):
            engine.refuse({**SPEC, **fields}, options())
        engine.refuse({**SPEC, "precision": "f16"}, options("cuda"))
        engine.refuse({**SPEC, "precision": "bf16"}, options(compiler="inductor", ipex=True))


class Facts(unittest.TestCase):
    def test_long_words_are_cut_between_characters(self):
        self.assertEqual("ab", engine.cut("abc", 2))
        self.assertEqual("é", engine.cut("éé", 3))
        self.assertEqual("a b", engine.cut("a\nb\n"))

    def test_native_bf16_is_told_by_the_flags_and_kept_under_the_cap(self):
        both = "flags\t: fpu amx_bf16 avx512_bf16"
        for text, cap, wanted in ((both, "auto", "amx"), (both, "amx", "amx"),
                                  (both, "avx512_bf16", "avx512_bf16"), (both, "avx512", None),
                                  ("flags : avx512f", "auto", None),
                                  ("Features : asimd bf16", "auto", "bf16")):
            with mock.patch.object(engine, "read", lambda _path, text=text: text):
                self.assertEqual(wanted, engine.bf16_isa(cap), text)

    def test_threads_of_a_core_count_once(self):
        with mock.patch.object(os, "sched_getaffinity", lambda _pid: {0, 1, 2, 3}):
            with mock.patch.object(engine, "read", lambda path: path[-len("0/topology/"
                                   "thread_siblings_list")] in "01" and "0-1" or "2-3"):
                self.assertEqual(2, engine.cores())
            with mock.patch.object(engine, "read", lambda _path: ""):
                self.assertEqual(4, engine.cores())

    def test_sequences_begin_where_ours_do(self):
        # From tests/engine/train/recipe_test.c.
        for name, seed, index, wanted in (("conv1.weight", 1, 9407, "-0x1.c44e14p-1"),
                                          ("images", 7, 12345, "-0x1.545468p-1"),
                                          ("fc.bias", 4294967295, 999, "-0x1.ce6e6p-1")):
            word = networks.WORD
            z = networks.recipe_start(name, seed) + index + 0x9E3779B97F4A7C15 & word
            z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & word
            z = (z ^ z >> 27) * 0x94D049BB133111EB & word
            self.assertEqual(float.fromhex(wanted), 2 * ((z ^ z >> 31) >> 40) * 2.0 ** -24 - 1)


@unittest.skipUnless(TORCH, "no PyTorch; PENNYWORTH_TEST_TORCH may hold the command of a Python "
                            "that has it")
class WithPyTorch(ServerCase):
    ENGINES = {"pytorch": f"{TORCH} {SCRIPT}", "native": WORKER}

    def losses(self, name, **fields):
        run = self.server.run(name, **fields)
        self.assertEqual("finished", run["state"], run)
        steps = self.server.get(f"/v1/runs/{run['id']}/steps").json()["steps"]
        return run, [step["loss"] for step in steps]

    def beside_ours(self, delta, theirs=(), **fields):
        run, losses = self.losses("pytorch", **{**fields, **dict(theirs)})
        for one, other in zip(losses, self.losses("native", **fields)[1], strict=True):
            self.assertAlmostEqual(one, other, delta=delta)
        return run

    def test_the_perceptron_learns_what_ours_does(self):
        run = self.beside_ours(1e-5, steps=20, seed=4294967295)
        self.assertEqual(1024 * 512 + 512 * 10, run["engine_details"]["parameters"])

    def test_resnet50_learns_what_ours_does(self):
        run = self.beside_ours(1e-4, workload="resnet50", batch_size=4, steps=3)
        self.assertEqual(25557032, run["engine_details"]["parameters"])
        self.assertRegex(run["software"], r"^pytorch \d.*\(cpu, eager, ")

    def test_every_way_to_lay_it_out_and_feed_it_learns_the_same(self):
        base = {"workload": "resnet50", "batch_size": 3, "steps": 3}
        self.beside_ours(1e-4, {"layout": "nchw"}, **base)
        self.beside_ours(1e-4, {"input_workers": 2}, **base)
        self.beside_ours(1e-2, {"precision": "bf16"}, **base)


if __name__ == "__main__":
    unittest.main()

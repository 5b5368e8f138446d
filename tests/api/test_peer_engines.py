"""What the engines of engine/peers share: the conversation with the server, the loop of steps, the
reading of specs, and the bits that everything is made of."""
import io
import itertools
import json
import os
import threading
import unittest
from unittest import mock

from harness import ROOT, ServerCase, until, worker_pids
from peers import SPEC

import recipe
import worker_protocol as protocol

NAMES = ("resnet50", "mlp2017")
SLEEPING = f"/usr/bin/python3 {ROOT}/tests/fakes/fake_peer_engine.py"


class Talking(ServerCase):
    ENGINES = {"sleeping": SLEEPING}

    def test_a_run_goes_from_hello_to_done(self):
        run = self.server.run("sleeping", steps=5, warmup_steps=2)
        self.assertEqual(("finished", "sleeping"), (run["state"], run["software"]), run)
        steps = self.server.steps(run["id"])
        self.assertEqual([1 / n for n in range(1, 8)], [step["loss"] for step in steps])
        for step in steps:
            parts = [step["split"][name + "_seconds"]
                     for name in ("input", "forward", "backward", "update")]
            self.assertGreaterEqual(min(parts), 0.0005)  # what the fake sleeps
            self.assertLessEqual(sum(parts), step["seconds"] + 1e-9)

    def test_output_of_libraries_does_not_disturb_the_protocol(self):
        run = self.server.run("sleeping", steps=1000000, max_seconds=1)
        self.assertEqual(("finished", "time_up"), (run["state"], run["ended_by"]), run)
        self.assertIn("talks where it should not", run["stderr_tail"])

    def test_it_ends_when_cancelled(self):
        run_id = self.server.begin_steps("sleeping")
        self.assertEqual("cancelled", self.server.cancel(run_id)["state"])
        until(lambda: not worker_pids([run_id]), "the engine is gone")


class Clockwork:
    """A training. Each part takes one tick more than the one before."""

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
        self.wire = protocol.Wire.__new__(protocol.Wire)
        self.wire.file = self.out

    def train(self, training, **fields):
        count = protocol.train(training, {**SPEC, **fields}, self.wire, self.enough)
        return count, [json.loads(line) for line in self.out.getvalue().splitlines()]

    def test_steps_tile_the_time(self):
        training = Clockwork()
        begin = 0  # the first tick
        count, reported = self.train(training, steps=4)
        self.assertEqual(4, count)
        # Six readings a step; the last one is the border to the next.
        ticks = list(itertools.islice(itertools.accumulate(itertools.count()), 25))
        self.assertEqual(ticks[24] - begin, sum(step["nanoseconds"] for step in reported))
        for index, step in enumerate(reported):
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

    def test_a_loss_that_is_not_a_number_is_left_out(self):
        with self.assertRaisesRegex(protocol.Refusal, "loss of step 0 is not a number"):
            self.train(Clockwork(loss=float("nan")))
        self.assertEqual("", self.out.getvalue())

    def test_without_parts_the_split_is_absent(self):
        training = Clockwork()
        training.step = lambda: (1.0, None)
        self.assertNotIn("split", self.train(training)[1][0])


class Hearing(unittest.TestCase):
    def hear(self, text):
        read, write = os.pipe()
        os.write(write, text)
        os.close(write)
        ear = protocol.Ear(read)
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
        with self.assertRaises(protocol.Refusal) as caught:
            protocol.read_spec(spec if isinstance(spec, bytes) else json.dumps(spec).encode(), NAMES)
        return str(caught.exception)

    def test_a_valid_spec_is_read_and_the_rest_of_it_skipped(self):
        self.assertEqual(SPEC, protocol.read_spec(json.dumps({**SPEC, "numa": "auto"}).encode(), NAMES))
        auto = {**SPEC, "steps": "auto", "warmup_steps": "auto"}
        self.assertEqual(auto, protocol.read_spec(json.dumps(auto).encode(), NAMES))

    def test_each_wrong_field_is_named(self):
        for name in SPEC:
            for wrong in (None, [], {}, -1, 1 << 40, 1.5, True, "nonsense"):
                self.assertIn(name + ": must be", self.refused({**SPEC, name: wrong}))
            without = {other: value for other, value in SPEC.items() if other != name}
            self.assertIn(name + ": must be", self.refused(without))
        self.assertIn("batch_size", self.refused({**SPEC, "batch_size": "auto"}))

    def test_a_body_that_is_not_a_spec_is_refused(self):
        for text in (b"", b"\n", b"{", b"[]", b"null", b"\xff\xfe", b'{"seed":1'):
            self.assertIn("the spec is not", self.refused(text))

    def test_a_spec_that_no_engine_can_train_is_refused(self):
        other = {"workload": "mlp2017"}
        for fields, sentence in (({**other, "layout": "nhwc"}, "layout: mlp2017 has one layout"),
                                 ({**other, "input_workers": 1}, "input_workers: mlp2017 makes"),
                                 ({**other, "plan": "plain"}, "plan: mlp2017 has one plan"),
                                 ({"batch_size": 1}, "batch_size: must be at least 2")):
            with self.assertRaisesRegex(protocol.Refusal, sentence):
                protocol.refuse_untrainable({**SPEC, **fields})
        for fields in ({}, {**other, "batch_size": 1}, {"input_workers": 3}, {"plan": "plain"}):
            protocol.refuse_untrainable({**SPEC, **fields})


class Facts(unittest.TestCase):
    def test_long_words_are_cut_between_characters(self):
        self.assertEqual("ab", protocol.cut("abc", 2))
        self.assertEqual("é", protocol.cut("éé", 3))
        self.assertEqual("a b", protocol.cut("a\nb\n"))

    def test_native_bf16_is_read_from_the_flags_and_kept_under_the_cap(self):
        both = "flags\t: fpu amx_bf16 avx512_bf16"
        for text, cap, wanted in ((both, "auto", "amx"), (both, "amx", "amx"),
                                  (both, "avx512_bf16", "avx512_bf16"), (both, "avx512", None),
                                  ("flags : avx512f", "auto", None),
                                  ("Features : asimd bf16", "auto", "bf16")):
            with mock.patch.object(protocol, "read", lambda _path, text=text: text):
                self.assertEqual(wanted, protocol.bf16_isa(cap), text)

    def test_threads_of_a_core_count_once(self):
        with mock.patch.object(os, "sched_getaffinity", lambda _pid: {0, 1, 2, 3}):
            with mock.patch.object(protocol, "read", lambda path: path[-len("0/topology/"
                                   "thread_siblings_list")] in "01" and "0-1" or "2-3"):
                self.assertEqual(2, protocol.cores())
            with mock.patch.object(protocol, "read", lambda _path: ""):
                self.assertEqual(4, protocol.cores())

    def test_a_cap_allows_what_is_not_above_it(self):
        self.assertTrue(protocol.isa_allows("amx", "auto"))
        self.assertTrue(protocol.isa_allows("avx2", "avx2"))
        self.assertFalse(protocol.isa_allows("avx512", "avx2"))


class Recipe(unittest.TestCase):
    def test_sequences_begin_where_ours_do(self):
        # From tests/engine/train/networks/tensor_init_test.c.
        for name, seed, index, wanted in (("conv1.weight", 1, 9407, "-0x1.c44e14p-1"),
                                          ("images", 7, 12345, "-0x1.545468p-1"),
                                          ("fc.bias", 4294967295, 999, "-0x1.ce6e6p-1")):
            word = recipe.WORD
            z = recipe.start_of(name, seed) + index + 0x9E3779B97F4A7C15 & word
            z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & word
            z = (z ^ z >> 27) * 0x94D049BB133111EB & word
            self.assertEqual(float.fromhex(wanted), 2 * ((z ^ z >> 31) >> 40) * 2.0 ** -24 - 1)


    def test_each_parameter_has_the_scale_of_parameters_c(self):
        for name, shape, wanted in (("conv1.weight", (64, 3, 7, 7), (recipe.root(6 / 147), 0.0)),
                                    ("layer1.0.bn3.weight", (256,), (0.01, recipe.f32(0.1))),
                                    ("layer1.0.downsample.1.weight", (256,), (0.1, 1.0)),
                                    ("bn1.weight", (64,), (0.1, 1.0)), ("bn1.bias", (64,), (0.1, 0.0)),
                                    ("fc.weight", (1000, 2048), (recipe.root(1 / 2048), 0.0)),
                                    ("fc.bias", (1000,), (0.01, 0.0)),
                                    ("images", (4, 3, 224, 224), (recipe.root(3), 0.0))):
            self.assertEqual(wanted, recipe.scale_and_shift(name, shape), name)

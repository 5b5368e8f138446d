"""Workers that behave badly, each in its way, and the real one."""
import os
import subprocess
import tempfile
import unittest

from harness import SERVER, WORKER, Case, Server, ServerCase, fake, until, worker_pids

# What a fake does -> a piece of the reason, and how many of its steps are kept. What else a worker
# may do wrong: tests/engine/process/worker_test.c.
BAD = {
    "crash": ("killed by signal 6 (Aborted)", 1),
    "garbage": ("not JSON", 1),
    "silent": ("silent for 1 seconds", 1),
    "endless": ("65536", 1),
    "exit": ("exited with status 7", 0),
    "gap": ("step 2 instead of 1", 1),
    "failed": ("no such precision here", 1),
}


class Misbehaving(ServerCase):
    FLAGS = ("--silence-seconds", "1")
    ENGINES = {"ok": fake("ok"), "too-many": fake("too-many", 0),
               **{name: fake(name) for name in BAD}}

    def test_each_misdeed_has_its_reason(self):
        for name, (reason, steps) in BAD.items():
            with self.subTest(name):
                run = self.server.run(name)
                self.assertEqual("failed", run["state"], run)
                self.assertIn(reason, run["reason"])
                self.assertEqual(steps, run["steps_stored"])
                self.assertIsNone(run["summary"])
                until(lambda run=run: not worker_pids([run["id"]]), "the worker is gone")
        self.assertEqual("finished", self.server.run()["state"])

    def test_a_step_too_many_is_not_taken(self):
        run = self.server.run("too-many")
        self.assertEqual(("failed", 3), (run["state"], run["steps_stored"]))
        self.assertIn("more than the 3 steps", run["reason"])

    def test_the_last_words_are_kept(self):
        self.assertIn("about to crash\n", self.server.run("crash")["stderr_tail"])
        self.assertIsNone(self.server.run("gap")["stderr_tail"])

    def test_failures_are_counted(self):
        before = self.server.metrics()
        self.server.run("crash")
        self.server.run("ok")
        after = self.server.metrics()
        for name, more in (("pennyworth_worker_starts_total", 2),
                           ("pennyworth_worker_failures_total", 1)):
            self.assertEqual(before[name] + more, after[name])

    def test_nothing_is_left_open(self):
        names = [name for name in BAD if name != "silent"]
        for name in names:
            self.server.run(name)
        before = self.server.descriptors()
        for name in names:
            self.server.run(name)
        until(lambda: self.server.descriptors() <= before, "what was opened is closed")


class Family(ServerCase):
    HASTE = 10
    ENGINES = {"family": fake("family"), "stubborn": fake("stubborn"), "ok": fake("ok"),
               "slow": fake("slow", 100)}

    def queue(self, engine, server):
        run_id = server.queue(engine, steps=1000)
        self.addCleanup(server.delete, f"/v1/runs/{run_id}")
        return run_id

    def begin(self, run_id, server):
        """Once the run is under way: the processes of its worker."""
        until(lambda: server.steps(run_id), "a step")
        return until(lambda: worker_pids([run_id]), "the worker lives")

    def cancel(self, run_id, server):
        self.assertEqual(202, server.delete(f"/v1/runs/{run_id}").status)

    def check_gone(self, run_id, server):
        run = server.wait(run_id)
        self.assertEqual("cancelled", run["state"], run)
        until(lambda: not worker_pids([run_id]), "all of them are gone")

    def check_cancelled(self, engine):
        run_id = self.queue(engine, self.server)
        processes = self.begin(run_id, self.server)
        self.cancel(run_id, self.server)
        self.check_gone(run_id, self.server)
        self.assertEqual("finished", self.server.run()["state"])
        return processes

    def test_a_worker_that_ignores_sigterm_is_killed(self):
        self.check_cancelled("stubborn")

    def test_a_worker_that_obeys_goes_at_once(self):
        """It is gone while one that was asked before it still has its moment to obey."""
        server = self.own_server(engines=self.ENGINES)  # without haste: the moment is two seconds
        other = self.own_server(engines=self.ENGINES)
        stubborn, obeying = self.queue("stubborn", server), self.queue("slow", other)
        self.begin(stubborn, server)
        self.begin(obeying, other)
        self.cancel(stubborn, server)
        self.cancel(obeying, other)
        self.check_gone(obeying, other)
        self.assertEqual("running", server.show(stubborn)["state"])
        self.check_gone(stubborn, server)

    def test_no_grandchild_survives(self):
        self.assertEqual(2, len(self.check_cancelled("family")))

    def test_a_program_that_is_not_there_is_named_at_start_and_later(self):
        with tempfile.NamedTemporaryFile(prefix="engine-") as program:
            words = [SERVER, "--port", "0", "--engine", f"mine={program.name}"]
            for mode, reason in ((0o600, "Permission denied"), (None, "No such file")):
                os.chmod(program.name, mode) if mode else os.rename(program.name, program.name + "~")
                done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(2, done.returncode)
                self.assertIn(f"--engine 'mine' cannot be started: {program.name} {reason}", done.stderr)
            os.rename(program.name + "~", program.name)
            os.chmod(program.name, 0o700)
            server = self.own_server(engines={"mine": program.name})
        run = server.run("mine")
        self.assertEqual("failed", run["state"])
        self.assertIn(program.name, run["reason"])


class Time(Case):
    """Runs that last, each with a server of its own: they began with this module."""
    RUNS = {"slow": (fake("slow", 100), {"steps": 100000}),
            "warm": (fake("slow", 400), {"steps": 5, "warmup_steps": 10000}),
            "stuck": (fake("silent"), {"steps": 100000})}
    begun = {}

    @classmethod
    def begin(cls):
        for name, (engine, fields) in cls.RUNS.items():
            server = Server("--silence-seconds", "40", engines={name: engine}, haste=20).start()
            unittest.addModuleCleanup(server.stop)
            cls.begun[name] = server, server.queue(name, max_seconds=1, **fields)

    def end_of(self, name):
        server, run_id = self.begun[name]
        return server.wait(run_id)

    def test_max_seconds_ends_a_run_with_what_it_has(self):
        run = self.end_of("slow")
        self.assertEqual(("finished", "time_up"), (run["state"], run["ended_by"]), run)
        self.assertEqual(run["steps_stored"], run["summary"]["measured_steps"])
        self.assertGreater(run["steps_stored"], 1)

    def test_max_seconds_within_the_warm_up_is_a_failure(self):
        run = self.end_of("warm")
        self.assertEqual("failed", run["state"])
        self.assertIn("within its warm-up", run["reason"])

    def test_a_worker_that_does_not_hear_enough_is_given_up(self):
        run = self.end_of("stuck")
        self.assertEqual("failed", run["state"])
        self.assertIn("did not end within 3 seconds", run["reason"])


def setUpModule():
    Time.begin()


class Surroundings(ServerCase):
    ENGINES = {"environment": "/usr/bin/env"}
    ENVIRONMENT = {"PENNYWORTH_WRITE_TOKEN": "0123456789abcdef-secret", "OTHER": "is kept",
                   "AWS_ACCESS_KEY_ID": "AKsecret", "AWS_SECRET_ACCESS_KEY": "a-secret",
                   "AWS_SESSION_TOKEN": "session-secret"}

    def test_no_token_reaches_a_worker(self):
        self.server.token = "0123456789abcdef-secret"
        run = self.server.run("environment")  # what it prints is no protocol
        self.assertEqual("failed", run["state"])
        run_id = self.server.queue("environment")
        self.assertNotIn("secret", str(self.server.wait(run_id)))


class Native(ServerCase):
    ENGINES = {"trainer": WORKER}  # "native" without configuration

    def test_the_real_worker_trains(self):
        run_id = self.server.queue("native", workload="lstm2017", batch_size=16, steps=30,
                                   warmup_steps=2, max_seconds=120, threads=1)
        run = self.server.wait(run_id, seconds=180)  # a sanitized one next to others may take minutes
        self.assertEqual("finished", run["state"], run)
        self.assertIn("pennyworth", run["software"])
        losses = [step["loss"] for step in self.server.steps(run["id"])]
        self.assertEqual(32, len(losses))
        first, last = sum(losses[:5]) / 5, sum(losses[-5:]) / 5
        self.assertLess(last, 0.95 * first, losses)
        self.assertGreater(run["summary"]["samples_per_second"], 0)

    def test_the_same_seed_trains_the_same(self):
        def losses(seed, engine="native"):
            run = self.server.run(engine, batch_size=4, steps=5, seed=seed, threads=1)
            return [step["loss"] for step in self.server.steps(run["id"])]
        self.assertEqual(losses(7), losses(7, "trainer"))
        self.assertNotEqual(losses(7), losses(8))

    def test_the_real_worker_stops_when_cancelled(self):
        run_id = self.server.begin("native")
        self.assertEqual("cancelled", self.server.cancel(run_id)["state"])
        until(lambda: not worker_pids([run_id]), "the worker is gone")


class Configured(Case):
    def test_an_engine_may_have_arguments_and_a_name_replaces_native(self):
        server = self.own_server(engines={"native": fake("slow", 2)})
        run = server.run("native", steps=10)
        self.assertEqual("finished", run["state"])
        self.assertAlmostEqual(0.002, run["summary"]["median_step_seconds"])

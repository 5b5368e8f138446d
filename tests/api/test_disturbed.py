"""What others do to a run is seen: a competitor for the processor, a quota."""
import contextlib
import json
import os
import unittest
from pathlib import Path

from harness import SANITIZED, Case, Server
from neighbours import NAME, busy_neighbour
from test_measuring import finding


@contextlib.contextmanager
def confined_to(processor):
    """What is started meanwhile may use this processor only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {processor})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def competitor(processor):
    """Somebody who wants all of a processor."""
    with contextlib.ExitStack() as stack:
        with confined_to(processor):
            stack.enter_context(busy_neighbour())
        yield


@contextlib.contextmanager
def quota(microseconds, period=100000):
    """A control group that grants so much of each period; its file of processes."""
    name = f"pennyworth-test-{os.getpid()}"
    for mount, files in (("/sys/fs/cgroup", {"cpu.max": f"{microseconds} {period}"}),
                         ("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": str(period),
                                                 "cpu.cfs_quota_us": str(microseconds)})):
        group = Path(mount, name)
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            for file, text in files.items():
                if not (group / file).exists():
                    break
                (group / file).write_text(text)
            else:
                yield group / "cgroup.procs"
                return
        finally:
            group.rmdir()
    raise unittest.SkipTest("no control group with a quota can be made here")


@unittest.skipIf(SANITIZED, "what a sanitizer does to a worker is no measurement")
class Disturbed(Case):
    """The real worker, and a process that disturbs it."""

    def train(self, server, max_seconds):
        """Long enough for a slow machine to get beyond the warm-up."""
        run = server.run("native", threads=1, steps=100000, warmup_steps=5,
                         max_seconds=max_seconds)
        self.assertEqual(("finished", "time_up"), (run["state"], run["ended_by"]), run)
        return run

    def test_a_competitor_for_the_processor_is_noticed(self):
        """What a run without one looks like hangs on who else is here: validity_test.c tells."""
        with confined_to(max(os.sched_getaffinity(0))):
            server = Server(engines={}).start()
        self.addCleanup(server.stop)
        with competitor(max(os.sched_getaffinity(0))):
            run = self.train(server, 6)
        found = finding(run, "contention")
        if found["level"] == "unknown":
            self.skipTest("waiting for a processor is not visible here")
        self.assertEqual(("invalid", "invalid"), (found["level"], run["validity"]["level"]))
        self.assertGreater(found["value"], 35)
        self.assertGreater(run["summary"]["idle_samples_per_second"],
                           1.5 * run["summary"]["samples_per_second"])
        for code in ("contention", "disturbance"):
            self.assertRegex(finding(run, code)["words"], f"; when it began, .*{NAME} ")
        self.look_at_document(server.get("/v1/runs/export").body.decode())
        again = server.get(f"/v1/runs/{run['id']}/recompute").json()
        self.assertIs(True, again["identical"])
        for which in ("stored", "recomputed"):
            self.assertEqual(run["validity"], again[which]["validity"])

    def look_at_document(self, text):
        """Names of processes stay on the machine; shares travel."""
        self.assertNotIn(NAME, text)
        load = json.loads(text)["validity"]["load_before"]
        self.assertGreater(load["busy_percent"], 5)
        self.assertGreaterEqual(load["busy_percent"], max(load["shares"]))

    def test_a_quota_is_noticed(self):
        server = self.own_server(engines={})
        with quota(40000) as processes:
            processes.write_text(str(server.process.pid))
            try:
                run = self.train(server, 7)
            finally:
                server.stop()  # A group with a process in it cannot be removed.
        found = finding(run, "throttled")
        # Where others work too it is stopped for less: together it is too much all the same.
        self.assertEqual("invalid", run["validity"]["level"])
        self.assertGreater(found["value"], 3)
        self.assertIn("periods", found["words"])

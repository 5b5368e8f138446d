"""What others do to a run is seen: a competitor for the processor, a quota. Nothing else may run beside
these tests."""
import contextlib
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

from harness import SANITIZED, Server
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
    with confined_to(processor):
        other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def others_work():
    """Whether a tenth of this machine's processors is busy while we are not."""
    def ticks():
        numbers = [int(word) for word in Path("/proc/stat").read_text().split()[1:9]]
        return sum(numbers), numbers[3] + numbers[4]  # all; of these idle, or waiting for a disk
    (before, idle_before), _, (after, idle_after) = ticks(), time.sleep(1), ticks()
    return (idle_after - idle_before) < 0.9 * (after - before)


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
class Disturbed(unittest.TestCase):
    """The real worker, and a process that disturbs it."""

    def train(self, server, max_seconds):
        """Long enough for a slow machine to get beyond the warm-up."""
        run = server.run("native", threads=1, steps=100000, warmup_steps=5,
                         max_seconds=max_seconds)
        self.assertEqual(("finished", "time_up"), (run["state"], run["ended_by"]), run)
        return run

    def repeatedly(self, attempt, wanted, times=4):
        """Others may work on this machine while we do: one good attempt is enough."""
        for _ in range(times):
            run = attempt()
            if wanted(run):
                return run
        self.fail(run["validity"])

    def test_a_competitor_for_the_processor_is_noticed(self):
        processor = max(os.sched_getaffinity(0))
        free = Server(engines={}).start()
        self.addCleanup(free.stop)
        with confined_to(processor):
            confined = Server(engines={}).start()
        self.addCleanup(confined.stop)
        with competitor(processor):
            run = self.train(confined, 6)
        found = finding(run, "contention")
        if found["level"] == "unknown":
            self.skipTest("waiting for a processor is not visible here")
        self.assertEqual("invalid", found["level"])
        self.assertEqual("invalid", run["validity"]["level"])
        self.assertGreater(found["value"], 20)

        def free_of_it(alone):
            left = finding(alone, "contention")
            # Others may work on this machine all the time: then it is far less, and not nothing.
            return left["level"] == "ok" or others_work() and left["value"] < found["value"] / 4
        free_run = self.repeatedly(lambda: self.train(free, 3), free_of_it)
        self.assertIn(finding(free_run, "throttled")["level"], ("ok", "unknown"))

    def test_a_quota_is_noticed(self):
        server = Server(engines={}).start()
        self.addCleanup(server.stop)
        with quota(40000) as processes:
            processes.write_text(str(server.process.pid))
            try:
                run = self.train(server, 7)
            finally:
                server.stop()  # A group with a process in it cannot be removed.
        found = finding(run, "throttled")
        self.assertEqual(("invalid", "invalid"), (found["level"], run["validity"]["level"]))
        self.assertGreater(found["value"], 10)
        self.assertIn("periods", found["words"])


if __name__ == "__main__":
    unittest.main()

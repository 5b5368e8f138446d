"""Another process locks the database for longer than the server waits for a lock: the run under way
goes on, and its steps and its end are stored when the lock ends."""
import sqlite3
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api"))
from harness import Server, fake, until  # noqa: E402

LOCKED = 7  # seconds: the server waits for 5


class Locked(unittest.TestCase):
    def setUp(self):
        self.server = Server(engines={"slow": fake("slow", 20)}).start()
        self.addCleanup(self.server.stop)

    def begin(self, **fields):
        run = self.server.queue("slow", warmup_steps=3, **fields)
        until(lambda: self.server.show(run)["steps_stored"], "a step is stored")
        return run

    def lock(self):
        other = sqlite3.connect(self.server.database, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        return other

    def check_whole(self, run, steps):
        shown = self.server.wait(run)
        self.assertEqual("finished", shown["state"], shown["reason"])
        self.assertEqual(steps, shown["steps_stored"])
        again = self.server.get(f"/v1/runs/{run}/recompute").json()
        self.assertTrue(again["identical"], again)

    def test_a_run_goes_on_behind_a_lock(self):
        run = self.begin(steps=600)  # twelve seconds: the lock ends before the run
        other = self.lock()
        time.sleep(LOCKED)
        self.assertEqual("running", self.server.show(run)["state"])
        other.execute("ROLLBACK")
        self.check_whole(run, 603)

    def test_a_run_that_ends_during_a_lock_is_stored_after_it(self):
        run = self.begin(steps=150)
        other = self.lock()
        time.sleep(LOCKED)
        self.assertEqual("running", self.server.show(run)["state"])
        other.execute("ROLLBACK")
        self.check_whole(run, 153)


if __name__ == "__main__":
    unittest.main()

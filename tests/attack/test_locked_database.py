"""Another process locks the database for longer than the server waits for a lock: the run under way
goes on, and its steps and its end are stored when the lock ends."""
import sqlite3
import time

from harness import Case, fake, until

LOCKED = 6  # seconds: the server waits for 5


class Locked(Case):
    def begin(self, steps):
        """A server with a run under way, and the run."""
        server = self.own_server(engines={"slow": fake("slow", 20)}, haste=20)
        run = server.queue("slow", warmup_steps=3, steps=steps)
        until(lambda: server.show(run)["steps_stored"], "a step is stored")
        return server, run

    def lock(self, server):
        other = sqlite3.connect(server.database, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        return other

    def check_whole(self, server, run, steps):
        shown = server.wait(run)
        self.assertEqual("finished", shown["state"], shown["reason"])
        self.assertEqual(steps, shown["steps_stored"])
        again = server.get(f"/v1/runs/{run}/recompute").json()
        self.assertTrue(again["identical"], again)

    def test_runs_that_go_on_or_end_behind_a_lock_are_stored_after_it(self):
        runs = [(*self.begin(steps), steps + 3) for steps in (100, 400)]
        locks = [self.lock(server) for server, _, _ in runs]
        time.sleep(LOCKED)
        for server, run, _ in runs:
            self.assertEqual("running", server.show(run)["state"])
        for other in locks:
            other.execute("ROLLBACK")
        for server, run, steps in runs:
            self.check_whole(server, run, steps)

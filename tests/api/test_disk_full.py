"""A disk that becomes full, in a file system of its own: nothing that was acknowledged is lost,
nothing half is stored, what is there is read, and with room again everything goes on."""
import json
import os
import sqlite3
import subprocess
import tempfile
import time

from harness import Case, fake, until
from run_documents import FIGURE, document, export, ids, run_id, send

MIB = 1024 * 1024
JSON = {"Content-Type": "application/json"}
WRITES = {"/v1/runs": {"engine": "ok", "steps": 2},
          "/v1/aa": {"base": {"engine": "ok", "steps": 2}, "pairs": 2},
          "/v1/sweeps": {"base": {"engine": "ok", "steps": 2}, "knobs": {"batch_size": [1, 2]},
                         "blocks": 1},
          "/v1/prices": {"instance_type": "test.large", "price_per_hour": "0.5"},
          "/v1/discounts": {"provider": "aws", "factor": 0.9},
          "/v1/runs/import": document(900000), "/v1/figures": FIGURE}


class DiskCase(Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pennyworth-disk-")
        self.addCleanup(os.rmdir, self.folder)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", self.folder],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"no file system can be mounted: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", self.folder], check=True)

    def serve(self, *flags, **options):
        # What it could not store, and for what there was no room, it tries again soon.
        return self.own_server(*flags, database=os.path.join(self.folder, "runs.db"), haste=20, **options)

    def room(self):
        disk = os.statvfs(self.folder)
        return disk.f_bavail * disk.f_frsize

    def fill(self, leave=0):
        """Fills the disk with a file, except for this much."""
        path = os.path.join(self.folder, "others")
        with open(path, "ab", buffering=0) as others:
            try:
                while self.room() > leave:
                    others.write(b"x" * max(min(self.room() - leave, MIB), 1))
            except OSError:
                pass
        return path

    def take_in(self, server, first, count):
        try:
            return send(server, [document(first + i, steps=400) for i in range(count)])
        except ConnectionError:  # a large body is refused by its header, and not read
            return send(server, b"\n")

    def ids(self, server):
        return set(ids(export(server)))

    def assertFull(self, reply):
        self.assertEqual(507, reply.status, reply)
        problem = reply.json()
        self.assertEqual("urn:pennyworth:problem:disk-full", problem["type"])
        return problem["detail"]

    def assertWhole(self, server):
        with sqlite3.connect(server.database) as database:
            self.assertEqual(("ok",), database.execute("PRAGMA integrity_check").fetchone())
            self.assertEqual([], database.execute("PRAGMA foreign_key_check").fetchall())
            self.assertEqual((0,), database.execute(
                "SELECT count(*) FROM runs WHERE state = 'finished' AND number NOT IN"
                " (SELECT run FROM traces) AND number NOT IN (SELECT run FROM steps)").fetchone())
        database.close()


class Filling(DiskCase):
    def import_until_full(self, server, count=20):
        """What was stored, the first number of what was not, and the refusal."""
        known, first = set(), 0
        while True:
            reply = self.take_in(server, first, count)
            if reply.status != 200:
                return known, first, reply
            self.assertEqual(count, reply.json()["imported"])
            known |= {run_id(number) for number in range(first, first + count)}
            first += count

    def test_the_reserve_is_kept_and_everything_is_there(self):
        server = self.serve("--reserve-mib", "8", token="token-of-this-test")
        known, _, reply = self.import_until_full(server)
        self.assertIn("8 are reserved: make room, or lower --reserve-mib",
                      self.assertFull(reply))
        self.assertGreater(len(known), 100)
        self.assertGreater(self.room(), 2 * MIB)
        for path, body in WRITES.items():
            self.assertFull(server.request("POST", path, json.dumps(body), JSON))
        self.assertFull(server.request("POST", "/v1/prices/refresh"))
        self.assertFull(server.get("/v1/backup"))
        self.assertEqual(known, self.ids(server))
        for path in ("/v1/runs", f"/v1/runs/{run_id(3)}/steps", "/v1/comparison", "/healthz"):
            self.assertEqual(200, server.get(path).status)
        self.assertEqual({"status": "ready", "disk": "full"}, server.get("/readyz").json())
        self.assertLess(server.metrics()["pennyworth_disk_free_bytes"], 8 * MIB)
        server.stop()
        self.assertWhole(server)
        server.start()
        self.assertEqual(known, self.ids(server))
        server.stop()
        server.flags = ["--reserve-mib", "1"]
        server.start()
        self.assertEqual(200, self.take_in(server, 50000, 3).status)
        self.assertEqual("ok", server.get("/readyz").json()["disk"])

    def test_a_disk_that_others_fill_at_once_is_reported_too(self):
        """Another program fills the disk faster than the server checks it."""
        server = self.serve("--reserve-mib", "1")
        others = self.fill(leave=3 * MIB)
        known, first, reply = self.import_until_full(server, 100)
        self.assertFull(reply)
        stored = self.ids(server)
        self.assertLessEqual(known, stored)
        os.remove(others)
        again = self.take_in(server, first, 100)  # what was refused as a whole, or in part
        self.assertEqual(200, again.status, again)
        report = again.json()
        self.assertEqual(100, report["imported"] + report["known"])
        server.kill()
        server.start()
        self.assertLessEqual(known | {run_id(n) for n in range(first, first + 100)},
                             self.ids(server))
        server.stop()
        self.assertWhole(server)


class Runs(DiskCase):
    ENGINES = {"ok": fake("ok"), "slow": fake("slow", 20), "fast": fake("ok", 0)}

    def test_a_run_meets_a_full_disk(self):
        server = self.serve("--reserve-mib", "1", engines=self.ENGINES)
        self.assertEqual(200, self.take_in(server, 0, 30).status)
        running, waiting = server.begin_steps("slow", max_seconds=60), server.queue("ok")
        stored = len(server.steps(running))
        others = self.fill()
        until(lambda: "could not be stored" in server.read_log() or
              server.show(running)["state"] == "failed", "it has noticed")
        self.assertFull(server.request("POST", "/v1/runs", json.dumps(WRITES["/v1/runs"]), JSON))
        self.assertEqual(200, server.get(f"/v1/runs/{running}/steps").status)
        before = server.processor_seconds()
        time.sleep(1)
        self.assertLess(server.processor_seconds() - before, 0.5)  # no thread spins
        os.remove(others)
        run = server.wait(running)
        self.assertEqual("failed", run["state"])
        self.assertIn("disk is full", run["reason"])
        self.assertGreaterEqual(run["steps_stored"], stored)
        self.assertEqual(run["steps_stored"], len(server.steps(running)))
        self.assertEqual("finished", server.wait(waiting)["state"])
        self.assertEqual(30 + 1, len(self.ids(server)))
        server.stop()
        self.assertWhole(server)

    def test_a_queue_waits_for_room_and_a_start_needs_none(self):
        server = self.serve("--reserve-mib", "1", engines=self.ENGINES)
        running, waiting = server.begin("slow", max_seconds=60), server.queue("ok")
        server.kill()
        others = self.fill(leave=200 * 1024)
        server.start()
        until(lambda: "no run is begun" in server.read_log(), "the log says so")
        self.assertEqual(1, server.read_log().count("no run is begun"))
        self.assertEqual("queued", server.show(waiting)["state"])
        os.remove(others)
        server.stop()
        server.start()
        self.assertEqual("interrupted", server.wait(running)["state"])
        self.assertEqual("finished", server.wait(waiting)["state"])
        server.stop()
        self.assertWhole(server)

    def test_a_sweep_that_was_killed_goes_on_when_there_is_room(self):
        server = self.serve("--reserve-mib", "1", engines=self.ENGINES)
        sweep = server.create("/v1/sweeps", {"base": {"engine": "slow", "warmup_steps": 0, "steps": 100},
                                             "knobs": {"seed": [1]}, "blocks": 1})["id"]

        def states():
            return sorted(run["state"] for run in server.runs_of_sweep(sweep))
        until(lambda: states() == ["running"], "it runs")
        server.kill()
        others = self.fill()
        server.start()
        self.assertEqual(["running"], states())  # not even that can be written
        os.remove(others)
        server.wait_for_sweep(sweep)
        self.assertEqual(["finished", "interrupted"], states())
        server.stop()
        self.assertWhole(server)

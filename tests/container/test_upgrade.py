"""A volume from a former version: the image takes its runs along, and a version that does not know
the schema refuses the volume and leaves it as it is. former.sql says what the former one left."""
import hashlib
import sqlite3
import tempfile
import unittest
from pathlib import Path

from runtime import RUNTIME, need_image
from server import until

USER = 10001
FORMER = Path(__file__).with_name("former.sql")
DATABASE = "pennyworth/pennyworth.db"
LABELS = {"kept": "before the upgrade"}


def setUpModule():
    need_image()


class Upgrade(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.volume = RUNTIME.volume()
        self.addCleanup(self.volume.remove)

    def make_database(self, more=""):
        path = self.folder / "made.db"
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript(FORMER.read_text() + more)
        runs = dict(connection.execute("SELECT state, id FROM runs"))
        figure = connection.execute("SELECT samples_per_second FROM runs WHERE id = ?",
                                    (runs["finished"],)).fetchone()[0]
        connection.close()
        self.volume.put(path, DATABASE, USER)
        return path, runs, figure

    def fetched(self):
        """What the volume holds now, as {name: digest}."""
        target = self.folder / "fetched"
        target.mkdir()
        self.volume.fetch(target)
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                for path in target.rglob("*.db*") if path.stat().st_size > 0}

    def server(self):
        server = RUNTIME.server(volume=self.volume)
        self.addCleanup(server.clean)
        return server

    def test_the_runs_of_the_former_version_are_there_and_the_queued_one_is_measured(self):
        _, runs, figure = self.make_database()
        server = self.server()
        server.start()
        finished = server.show(runs["finished"])
        self.assertEqual(("finished", LABELS), (finished["state"], finished["spec"]["labels"]))
        self.assertAlmostEqual(figure, finished["summary"]["samples_per_second"], 6)
        self.assertEqual(4, finished["steps_stored"])
        self.assertEqual("interrupted", server.show(runs["running"])["state"])
        until(lambda: server.show(runs["queued"])["state"] == "finished", "the queued run ends")
        self.assertEqual(0, server.stop())
        server.start()
        self.assertEqual(finished["summary"], server.show(runs["finished"])["summary"])
        self.assertEqual(3, len(server.get("/v1/runs")["runs"]))

    def test_a_volume_of_a_newer_version_is_refused_and_left_as_it_is(self):
        path, _, _ = self.make_database("PRAGMA user_version = 1000000;")
        server = self.server()
        server.begin_container()
        self.assertEqual(1, until(lambda: server.ended() or None, "it ends"))
        self.assertRegex(server.log(), r"schema version 1000000, .* knows up to \d+: use a newer")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.assertEqual({"pennyworth.db": digest}, self.fetched())


if __name__ == "__main__":
    unittest.main(verbosity=2)

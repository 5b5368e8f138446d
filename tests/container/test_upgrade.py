"""A volume of a newer version: an image that does not know its schema refuses it and leaves it as it is."""
import hashlib
import sqlite3
import tempfile
import unittest
from pathlib import Path

from runtime import RUNTIME, need_image
from server import until

USER = 10001
DATABASE = "pennyworth/pennyworth.db"
NEWER = """PRAGMA application_id = 1885695598; PRAGMA journal_mode = WAL; CREATE TABLE runs (id TEXT);
           PRAGMA user_version = 1000000;"""


def setUpModule():
    need_image()


class Upgrade(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.volume = RUNTIME.volume()
        self.addCleanup(self.volume.remove)

    def make_database(self):
        path = self.folder / "made.db"
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript(NEWER)
        connection.close()
        self.volume.put(path, DATABASE, USER)
        return path

    def fetched(self):
        """What the volume holds now, as {name: digest}."""
        target = self.folder / "fetched"
        target.mkdir()
        self.volume.fetch(target)
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                for path in target.rglob("*.db*") if path.stat().st_size > 0}

    def test_a_volume_of_a_newer_version_is_refused_and_left_as_it_is(self):
        path = self.make_database()
        server = RUNTIME.server(volume=self.volume)
        self.addCleanup(server.clean)
        server.begin_container()
        self.assertEqual(1, until(lambda: server.ended() or None, "it ends"))
        self.assertRegex(server.log(), r"schema version 1000000, .* knows up to \d+: use a newer")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.assertEqual({"pennyworth.db": digest}, self.fetched())

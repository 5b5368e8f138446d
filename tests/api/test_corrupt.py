"""Databases that are damaged, before the start and during it: named, left as they are, never made
anew; and the error names the remedy."""
import hashlib
import os
import tempfile
import unittest
from pathlib import Path

from harness import Case, Server
from run_documents import document, run_id, send, take_in

PAGE = 4096


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class AtTheStart(unittest.TestCase):
    """What counts as damage is a matter of tests/db/verify_test.c."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="pennyworth-corrupt-"))
        server = Server(database=os.path.join(cls.folder, "good.db")).start()
        take_in(server, map(document, range(300)))
        server.stop()
        cls.good = Path(server.database).read_bytes()

    def test_garbage(self):
        path = os.path.join(self.folder, "runs.db")
        Path(path).write_bytes(b"\x93\x01garbage" * 1000)
        before = digest(path)
        server = Server(database=path).launch()
        self.assertEqual(1, server.process.wait(60))
        self.assertEqual(before, digest(path))
        self.assertLessEqual({name for name in os.listdir(self.folder) if name.startswith("runs.db")},
                             {"runs.db", "runs.db.lock"})
        server.check_log()
        for words in (path, "is damaged and was left as it is", "move it away",
                      '"pennyworth restore FILE --replace on"'):
            self.assertIn(words, server.log)

    def test_one_with_a_log_keeps_both(self):
        path = os.path.join(self.folder, "logged.db")
        Path(path).write_bytes(self.good)
        server = Server(database=path).start()
        take_in(server, map(document, range(1000, 1050)))
        server.kill()
        with open(path, "r+b") as file:  # some of it is in the log too, and so not lost
            file.seek(20 * PAGE)
            file.write(b"x" * (len(self.good) - 20 * PAGE))
        before = digest(path), digest(path + "-wal")
        server.launch()
        self.assertEqual(1, server.process.wait(60))
        self.assertIn("is damaged", server.read_log())
        self.assertEqual(before, (digest(path), digest(path + "-wal")))


class WhileServing(Case):
    def test_nothing_more_is_written(self):
        server = self.own_server()
        take_in(server, map(document, range(400)))
        server.stop()
        server.start()
        (root,), = server.sql("SELECT rootpage FROM sqlite_schema WHERE name = 'runs'")
        server.kill()
        os.path.exists(server.database + "-wal") and os.remove(server.database + "-wal")
        server.start()
        self.assertEqual({"status": "ready", "disk": "ok"}, server.get("/readyz").json())
        self.assertEqual(0, server.metrics()["pennyworth_database_damaged"])
        with open(server.database, "r+b") as file:
            size = os.fstat(file.fileno()).st_size
            for page in range(root, size // PAGE):  # all but what is needed to see that it is ours
                file.seek(page * PAGE)
                file.write(b"\xa5" * PAGE)
        replies = [server.get(f"/v1/runs/{run_id(number)}") for number in range(0, 400, 7)]
        broken = [reply for reply in replies if reply.status == 500]
        self.assertTrue(broken)
        self.assertProblem(broken[0], 500, "internal")
        self.assertIn("malformed", server.read_log())
        self.assertProblem(server.get("/readyz"), 503, "database-damaged")
        self.assertEqual(200, server.get("/healthz").status)
        before = digest(server.database)
        reply = server.post({"engine": "ok", "steps": 2})
        self.assertProblem(reply, 503, "database-damaged")
        self.assertIn("damaged", reply.json()["detail"])
        self.assertEqual(503, send(server, [document(5000)]).status)
        server.stop()
        self.assertEqual(before, digest(server.database))

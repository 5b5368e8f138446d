"""Uploads of 16 MiB (4 in ./test), more of them than are read at once: others are served meanwhile,
an upload too many is asked to come back, and a signal ends the server while it imports."""
import sys
import tempfile
import threading
import time
import unittest
from hashlib import sha256

from harness import SANITIZED, SHARE, Case, Server, until
from run_documents import NDJSON, document, lines, run_id

WHOLE = 16 * 1024 * 1024
UPLOADS = 10
MEANWHILE = 20  # healthy requests; more than these are answered while two uploads last


def upload_of(first, size, steps):
    """Runs of so many steps: short ones cost the database most, long ones the processors."""
    run = document(first, steps=steps)
    length = len(lines([run])) + 64
    return lines({**run, "id": run_id(first + number)} for number in range(size // length))


class Uploads(Case):
    @classmethod
    def setUpClass(cls):
        size = WHOLE // (8 if SANITIZED else 4 if SHARE else 1)
        cls.bodies = [upload_of(0, size, 25_000), upload_of(100_000, size, 20)]

    def setUp(self):
        # One thread for requests: with more, which of them meet depends on luck.
        self.server = self.own_server("--http-threads", "1")
        self.replies = []

    def send(self, body):
        """One upload; a client that is asked to come back gives up."""
        try:
            reply = self.server.request("POST", "/v1/runs/import", body, NDJSON, timeout=300)
            self.replies.append((reply.status, reply.headers.get("retry-after")))
        except OSError as problem:
            self.replies.append((0, str(problem)))

    def begin(self, count):
        threads = [threading.Thread(target=self.send, args=(self.bodies[index % 2],))
                   for index in range(count)]
        for thread in threads:
            thread.start()
        return threads

    def ask_meanwhile(self, threads):
        """Healthy requests while the uploads last: how many."""
        count = 0
        while any(thread.is_alive() for thread in threads):
            self.assertEqual(200, self.server.get("/v1/runs?limit=5").status)
            count += 1
            time.sleep(0.01)
        return count

    def check_meanwhile(self, count):
        threads = self.begin(count)
        asked = self.ask_meanwhile(threads)
        print(f"{count} uploads: {asked} requests meanwhile; {sorted(self.replies)}",
              file=sys.stderr)
        if not SANITIZED:
            self.assertGreater(asked, MEANWHILE)
        self.assertEqual(count, len(self.replies))
        for status, retry in self.replies:
            self.assertIn((status, retry is None), {(200, True), (503, False)})
        self.assertIn((200, None), self.replies)

    def test_two_whole_uploads_leave_others_unhindered(self):
        self.check_meanwhile(2)
        self.assertEqual([(200, None)] * 2, self.replies)

    def test_ten_whole_uploads_leave_others_unhindered(self):
        self.check_meanwhile(UPLOADS)

    def test_a_signal_ends_the_server_while_it_imports(self):
        threads = self.begin(2)
        until(lambda: self.server.get("/v1/runs?limit=1").json()["runs"], "the first are stored")
        self.server.stop()
        for thread in threads:
            thread.join()
        self.assertNotEqual([(200, None)] * 2, self.replies, "it has imported all before")
        # What the client was not answered, it sends again; what was stored is known then.
        self.server.start()
        stored = self.server.metrics()
        self.assertTrue(stored)
        self.replies.clear()
        self.send(self.bodies[0])
        self.assertEqual([(200, None)], self.replies)


class Places(unittest.TestCase):
    def test_one_token_holds_half_of_the_places_for_large_bodies(self):
        with tempfile.NamedTemporaryFile("w", prefix="tokens-") as tokens:
            for name in ("c1", "c2"):
                tokens.write(f"{name} import sha256:{sha256(name.encode()).hexdigest()}\n")
            tokens.flush()
            server = Server("--tokens", tokens.name).start()
        self.addCleanup(server.stop)

        def begin(name):
            """A large body that is announced and not sent: the status, and the connection."""
            raw = server.raw()
            self.addCleanup(raw.close)
            raw.send(f"POST /v1/runs/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {name}\r\n"
                     f"Content-Type: {NDJSON['Content-Type']}\r\nContent-Length: 1000000\r\n"
                     "Expect: 100-continue\r\n\r\n")
            return raw.stream.readline().split()[1], raw

        self.assertEqual([b"100", b"100"], [begin("c1")[0] for _ in range(2)])
        status, third = begin("c1")
        self.assertEqual(b"503", status)
        self.assertIn(b"2 large bodies with this token", third.rest())
        self.assertEqual(b"100", begin("c2")[0])

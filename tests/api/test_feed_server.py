"""The server that plays bad feeds for other tests does what it says."""
import gzip
import http.client
import json
import re
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
import zlib

import feed_server
from feed_server import Bomb, Document, Failing, FeedServer, Pages, Refusing

PAGE = b'{"prices": "' + b"0.357 " * 200 + b'"}'


class FeedServerCase(unittest.TestCase):
    def setUp(self):
        self.feeds = FeedServer().start()
        self.addCleanup(self.feeds.stop)

    def ask(self, path="/", method="GET", body=None, timeout=20, **headers):
        """The response, not yet read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.feeds.port, timeout)
        self.addCleanup(connection.close)
        connection.request(method, path, body,
                           {name.replace("_", "-"): value for name, value in headers.items()})
        return connection.getresponse()

    def test_writes_down_what_it_was_asked(self):
        self.feeds.route("/api", b"{}")
        self.assertEqual(200, self.ask("/api?a=1", "POST", b"body", X_Key="k").status)
        self.assertEqual(404, self.ask("/other").status)
        first = self.feeds.requests[0]
        self.assertEqual(("POST", "/api", "a=1", b"body", "k"),
                         (first.method, first.path, first.query, first.body,
                          first.headers["x-key"]))
        self.assertEqual(1, len(self.feeds.asked("/api")))
        self.assertEqual(2, len(self.feeds.asked(re.compile("."))))

    def test_the_route_that_was_added_last_wins(self):
        self.feeds.route("/", b"all")
        self.feeds.route(re.compile(r"skip=\d+$"), b"some")
        self.assertEqual(b"all", self.ask("/x").read())
        self.assertEqual(b"some", self.ask("/x?skip=10").read())

    def test_a_conditional_request_for_the_same_page_gets_304(self):
        page = self.feeds.route("/", Document(PAGE, etag='"a"', modified=1_790_000_000))
        had = self.ask()
        self.assertEqual(PAGE, had.read())
        etag, date = had.headers["ETag"], had.headers["Last-Modified"]
        again = self.ask(If_None_Match=etag, If_Modified_Since=date)
        self.assertEqual((304, b""), (again.status, again.read()))
        self.assertEqual(304, self.ask(If_Modified_Since=date).status)
        self.assertEqual(200, self.ask(If_None_Match='"b"', If_Modified_Since=date).status)
        page.change(PAGE + b" ", etag='"b"')
        self.assertEqual(200, self.ask(If_None_Match=etag).status)

    def test_packs_with_a_label_and_without(self):
        for labelled in (True, False):
            self.feeds.route("/", Document(PAGE, packed=True, labelled=labelled))
            reply = self.ask()
            self.assertEqual("gzip" if labelled else None, reply.headers["Content-Encoding"])
            self.assertEqual(PAGE, gzip.decompress(reply.read()))

    def test_cuts_bodies_short(self):
        for behaviour in (feed_server.truncated(PAGE, 100), feed_server.cut_chunks(PAGE, 100)):
            self.feeds.route("/", behaviour)
            with self.assertRaises(http.client.IncompleteRead) as problem:
                self.ask().read()
            self.assertEqual(PAGE[:100], problem.exception.partial)

    def test_drips(self):
        self.feeds.route("/", feed_server.slow(b"123", seconds=0.1))
        began = time.monotonic()
        self.assertEqual(b"123", self.ask().read())
        self.assertGreater(time.monotonic() - began, 0.19)

    def test_stopping_waits_for_no_slow_answer(self):
        self.feeds.route("/", feed_server.slow(PAGE, seconds=3600))
        begun = self.ask()
        self.feeds.route("/", feed_server.silent)
        with self.assertRaises(TimeoutError):
            self.ask(timeout=0.1)
        self.feeds.stop()
        with self.assertRaises((http.client.IncompleteRead, ConnectionError)):
            begun.read()

    def test_fails_some_times_and_says_when_to_come_again(self):
        self.feeds.route("/", Failing(429, times=2, then=PAGE, retry_after=7))
        replies = [self.ask() for _ in range(3)]
        self.assertEqual([429, 429, 200], [reply.status for reply in replies])
        self.assertEqual(["7", "7", None], [reply.headers["Retry-After"] for reply in replies])

    def test_answers_in_turn(self):
        self.feeds.route("/", feed_server.in_turn(feed_server.status(503), Document(b"a"),
                                                  Document(b"b")))
        self.assertEqual([503, 200, 200], [self.ask().status for _ in range(3)])
        self.assertEqual(b"b", self.ask().read())

    def test_redirects_anywhere(self):
        self.feeds.route("/here", PAGE)
        self.feeds.route("/from", feed_server.redirect("/here"))
        self.feeds.route("/away", feed_server.redirect("https://example.invalid/x", 307))
        with urllib.request.urlopen(self.feeds.url + "/from") as reply:
            self.assertEqual(PAGE, reply.read())
        reply = self.ask("/away")
        self.assertEqual((307, "https://example.invalid/x"),
                         (reply.status, reply.headers["Location"]))

    def test_links_page_after_page(self):
        pages = self.feeds.route("/", Pages(
            lambda number, request: json.dumps({"next": number + 1, "asked": request.query})))
        following = 0
        for _ in range(5):
            following = json.loads(self.ask(f"/?page={following}").read())["next"]
        self.assertEqual((5, 5), (following, pages.count))

    def test_a_bomb_is_a_true_gzip_of_a_true_document(self):
        unpacked = (64 << 20) * 2 + 5
        bomb = Bomb(unpacked)
        text = gzip.decompress(b"".join(bomb.pieces()))
        self.assertEqual(unpacked + 2, len(text))
        self.assertEqual({}, json.loads(text))
        self.assertEqual(b"[1]", gzip.decompress(b"".join(Bomb(1, before=b"[", after=b"1]")
                                                          .pieces())).replace(b" ", b""))

    def test_ten_gigabytes_travel_as_ten_megabytes(self):
        for labelled in (True, False):
            bomb = self.feeds.route("/", Bomb(labelled=labelled))
            reply = self.ask()
            self.assertEqual("gzip" if labelled else None, reply.headers["Content-Encoding"])
            unpacker, unpacked = zlib.decompressobj(31), 0
            packed = reply.read(1 << 18)
            while packed:
                unpacked += len(unpacker.decompress(packed, 1 << 20))
                packed = unpacker.unconsumed_tail
            self.assertGreater(unpacked, 200 << 20)
            size = len(packed) + len(reply.read()) + (1 << 18)
            self.assertLess(size, 12 << 20)
            self.assertEqual(bomb.sent, size)

    def test_breaks_connections(self):
        self.feeds.route("/reset", feed_server.reset_after(PAGE, 100))
        self.feeds.route("/empty", feed_server.empty)
        with self.assertRaises((ConnectionResetError, http.client.IncompleteRead)):
            self.ask("/reset").read()
        with self.assertRaises(http.client.RemoteDisconnected):
            self.ask("/empty")
        self.feeds.route("/reset", feed_server.reset_after())
        with self.assertRaises(ConnectionResetError):
            self.ask("/reset")

    def test_refuses_connections(self):
        with Refusing() as url, self.assertRaises(urllib.error.URLError) as problem:
            urllib.request.urlopen(url, timeout=10)
        self.assertIsInstance(problem.exception.reason, ConnectionRefusedError)

    def test_sends_noise(self):
        self.feeds.route("/", feed_server.garbage())
        with self.assertRaises(http.client.BadStatusLine):
            self.ask()
        self.feeds.route("/", feed_server.garbage_body(100))
        with self.assertRaises(ValueError):
            json.loads(self.ask().read())

    def test_sends_headers_without_end(self):
        self.feeds.route("/", feed_server.huge_headers(2, 100))
        reply = self.ask()
        self.assertEqual(("x" * 100, b"{}"), (reply.headers["X-Header-1"], reply.read()))
        for behaviour in (feed_server.huge_headers(1, 1 << 20), feed_server.huge_headers(None, 10)):
            self.feeds.route("/", behaviour)
            with self.assertRaises(http.client.HTTPException):
                self.ask()


if __name__ == "__main__":
    unittest.main()

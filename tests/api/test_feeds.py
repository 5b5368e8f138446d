"""Every kind of feed over HTTP, well and badly: the stored prices are exactly the feed's, and any
failure is reported and leaves the old prices unchanged."""
import gzip
import json
import re
import unittest

from feed_server import (Failing, FeedServer, empty, garbage, garbage_body, in_turn,
                         redirect, reset_after, slow, status, truncated)
from harness import together
from price_server import STAGES, AzureRetail, GcpCatalog, Offer, SpotPage
from waiting import share

HTML = "<!DOCTYPE html><html><body>Please sign in to this network</body></html>"


class FeedsCase(unittest.TestCase):
    """All kinds at once, each with a server of its own: most of the time is spent waiting."""
    STAGES = STAGES

    @classmethod
    def setUpClass(cls):
        cls.stages = [make() for make in cls.STAGES]
        for stage in cls.stages:
            cls.addClassCleanup(stage.__exit__)
        together(len(cls.stages), lambda index: cls.stages[index].__enter__())

    def everywhere(self, action, only=STAGES):
        """action(stage) for each of them, all at once."""
        stages = [stage for stage in self.stages if isinstance(stage, only)]

        def one(index):
            try:
                return action(stages[index])
            except AssertionError as problem:
                raise AssertionError(f"{stages[index].NAME}: {problem}") from problem
        return together(len(stages), one)


class GoodFeeds(FeedsCase):
    def test_a_the_first_reading_stores_exactly_the_prices_that_are_there(self):
        def check(stage):
            feed = stage.server.feed(stage.NAME)
            self.assertEqual(("ok", None), (feed["state"], feed["reason"]), feed)
            expected = stage.expected()
            self.assertGreater(len(expected), 30)
            self.assertEqual(expected, stage.stored_prices())
            self.assertEqual(feed["prices"], len(stage.server.prices(feed=stage.NAME)))
        self.everywhere(check)

    def test_unchanged_prices_are_confirmed(self):
        def check(stage):
            before = stage.server.feed(stage.NAME)["scopes"][0]
            prices = stage.server.prices()
            feed = stage.server.refresh(stage.NAME)
            after = feed["scopes"][0]
            unchanged = stage.HAS_VALIDATORS
            self.assertEqual("unchanged" if unchanged else "ok", after["state"], after)
            self.assertEqual("ok", feed["state"])
            self.assertGreater(after["fetched_at"], before["fetched_at"])
            self.assertEqual(unchanged, after["changed_at"] == before["changed_at"])
            for old, new in zip(prices, stage.server.prices(), strict=True):
                fetched = old.pop("fetched_at"), new.pop("fetched_at")
                self.assertEqual(old, new)
                if not unchanged:
                    self.assertGreater(fetched[1], fetched[0])
        self.everywhere(check)

    def test_the_next_day_moves_prices_and_history_keeps_the_old_ones(self):
        def check(stage):
            before = stage.stored_prices()
            stage.play(day=1)
            self.assertEqual("ok", stage.server.refresh(stage.NAME)["state"])
            after, expected = stage.stored_prices(), stage.expected()
            self.assertEqual(expected, after)
            moved = [key for key in before if before[key] != after[key]]
            self.assertTrue(moved)
            history = stage.server.page(history="true", instance_type=moved[0][1],
                                        region=moved[0][0], kind=moved[0][2])["prices"]
            self.assertEqual([after[moved[0]], before[moved[0]]],
                             [price["nanos_per_hour"] for price in history])
        self.everywhere(check)

    def test_gzip_is_seen_in_the_bytes_whatever_the_header_says(self):
        def check(stage):
            for body in (stage.document.body, gzip.compress(stage.document.body)):
                for headers in ((), (("Content-Encoding", "gzip"),))[:1 + (body[0] == 0x1f)]:
                    stage.spoil(status(200, body, headers))
                    self.assertEqual("ok", stage.server.refresh(stage.NAME)["state"])
                    self.assertEqual(stage.expected(), stage.stored_prices())
        self.everywhere(check, SpotPage)


def broken_gzip(stage):
    body = bytearray(gzip.compress(stage.body()))
    body[len(body) // 2:len(body) // 2 + 64] = bytes(64)
    return status(200, bytes(body))


DENIED = json.dumps({"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "The key is not allowed"}})
UNASKED = "^it answered 304 to a request without a condition$"
SOME = (SpotPage, AzureRetail)  # for what the reader of a feed does not see
# What comes instead of prices, the reason that is given, and the feeds that get it if not all do.
FAULTS = {
    "a body that is cut off": (
        lambda stage: truncated(stage.body(), len(stage.body()) // 2), "remaining|missing"),
    "a body that ends in the middle and does not say so": (
        lambda stage: status(200, stage.body()[:len(stage.body()) // 2]), "ends in the middle"),
    "gzip that ends in the middle": (
        lambda stage: status(200, gzip.compress(stage.body())[:-100]), "gzip data end in the middle", SOME),
    "gzip that is broken": (broken_gzip, "gzip data are broken|JSON|middle", SOME),
    "a body that comes too slowly": (lambda stage: slow(stage.body(), 0.2, 20), "(?i)too slow", SOME),
    "503 for ever": (lambda stage: status(503, "upstream is away"), "^it answered 503", SOME),
    "403 with the words of the provider": (
        lambda stage: status(403, DENIED), "^it answered 403: PERMISSION_DENIED: The key is not allowed"),
    "404": (lambda stage: status(404), "^it answered 404$", SOME),
    "304 for an unconditional request": (
        lambda stage: status(304), UNASKED, (Offer, AzureRetail, GcpCatalog)),
    "304 in the middle of the pages": (
        lambda stage: in_turn(status(200, stage.body()), status(304)), UNASKED, (AzureRetail, GcpCatalog)),
    "redirects for ever": (
        lambda stage: redirect(stage.url()), "redirects more than 3 times", (SpotPage,)),
    "bytes that are no HTTP": (lambda stage: garbage(), "(?i)HTTP|receive", SOME),
    "a body of noise": (lambda stage: garbage_body(), "not the JSON that was expected"),
    "HTML with 200": (
        lambda stage: status(200, HTML, {"Content-Type": "text/html"}), "not the JSON that was expected"),
    "an empty body": (lambda stage: status(200), "ends in the middle|empty"),
    "JSON of something else": (
        lambda stage: status(200, "{}"), "format|no price|entries|not accepted|no region"),
    "a server that hangs up": (lambda stage: empty, "(?i)empty reply", SOME),
    "a connection that is reset": (
        lambda stage: reset_after(stage.body(), 1000), "(?i)reset|recv|closed", SOME),
}


class BadFeeds(FeedsCase):
    def fails(self, behaviour, reason, only=STAGES):
        """behaviour(stage) makes what is answered; the reason must match."""
        def check(stage):
            before = stage.server.prices()
            self.assertTrue(before)
            stage.spoil(behaviour(stage))
            feed = stage.server.refresh(stage.NAME)
            after = stage.server.prices()
            self.assertEqual("failed", feed["state"], feed)
            self.assertRegex(feed["reason"], reason)
            self.assertEqual(before, after, "the old prices are not as they were")
            self.assertEqual(feed["prices"], len(after))
            stage.play()
            feed = stage.server.refresh(stage.NAME)
            self.assertEqual(("ok", None), (feed["state"], feed["reason"]))
            self.assertEqual(0, feed["scopes"][0]["failures"])
        self.everywhere(check, only)

    def test_what_comes_instead_of_prices_leaves_the_old_ones(self):
        for turn, (name, (behaviour, reason, *only)) in enumerate(FAULTS.items()):
            with self.subTest(name):
                self.fails(behaviour, reason, tuple(share(*only or (STAGES,), turn)))

    def test_a_redirect_to_another_server(self):
        with FeedServer() as other:
            other.route("/", status(200, "{}"))
            for turn, (url, reason) in enumerate((
                    (other.url + "/prices", f"redirects to {re.escape(other.url)}/prices, which is not followed"),
                    (f"http://localhost:{other.port}/", "redirects to another host, http://localhost"))):
                self.fails(lambda stage, url=url: redirect(url), reason, tuple(share(STAGES, turn)))
            self.assertEqual([], other.requests)

    def test_retry_after_is_obeyed(self):
        def check(stage):
            before = len(stage.feeds.requests)
            stage.play(day=1)
            good = stage.feeds.behaviour(stage.WHERE or stage.path)
            stage.feeds.route(stage.WHERE or stage.path, Failing(429, 1, good, retry_after=1))
            feed = stage.server.refresh(stage.NAME)
            self.assertEqual("ok", feed["state"], feed)
            asked = [request for request in stage.feeds.requests[before:]
                     if request.target.startswith(stage.WHERE or stage.path)]
            self.assertGreaterEqual(asked[1].when - asked[0].when, 0.99)
            self.assertEqual(stage.expected(), stage.stored_prices())
            stage.play()
            stage.server.refresh(stage.NAME)
        self.everywhere(check, SpotPage)

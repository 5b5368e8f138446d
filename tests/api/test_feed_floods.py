"""Feeds that would fill memory, or never end: they are given up, and the old prices stay."""
import functools
import json

import test_feeds
from feed_server import Bomb, FeedServer, Pages, status
from harness import SANITIZED, SHARE
from price_server import STAGES, AzureRetail, GcpCatalog, Offer

MEBIBYTE = 1024  # in the units of Server.memory()


class TooMuch(test_feeds.FeedsCase):
    fails = test_feeds.BadFeeds.fails

    def bombs(self, labelled, only=STAGES):
        bombs = {stage.NAME: Bomb(labelled=labelled) for stage in self.stages}
        self.fails(lambda stage: bombs[stage.NAME], "the answer has more than [0-9]+ bytes", only)
        for stage in self.stages:
            if not SANITIZED:
                self.assertLess(stage.server.memory("VmHWM"), 60 * MEBIBYTE, stage.NAME)
                self.assertLess(bombs[stage.NAME].sent, 8 << 20)

    def test_ten_gigabytes_in_ten_megabytes_of_gzip(self):
        """The file of offers may have a gigabyte and a half: ten seconds, and minutes with a sanitizer."""
        self.bombs(True, tuple(kind for kind in STAGES if kind is not Offer or not (SANITIZED or SHARE)))

    def test_the_same_without_a_header_that_says_so(self):
        self.bombs(False, tuple(kind for kind in STAGES if kind is not Offer))

    def test_pages_without_an_end_and_in_circles(self):
        def leading(following, stage):
            page = json.loads(stage.body())

            def azure(number, _request):
                item = {**page["Items"][0], "meterId": f"meter-{number}"}
                return json.dumps({"BillingCurrency": "USD", "Items": [item], "Count": 1,
                                   "NextPageLink": f"{stage.url()}?$skip={following(number)}"})

            def gcp(number, _request):
                return json.dumps({"skus": page["skus"][:1], "nextPageToken": f"token-{following(number)}"})
            return Pages(azure if isinstance(stage, AzureRetail) else gcp)
        for following, reason in ((int, "more than [0-9]+ pages"), (lambda number: number % 3, "circles|leads back")):
            self.fails(functools.partial(leading, following), reason, (AzureRetail, GcpCatalog))

    def test_a_link_to_another_server_is_not_followed(self):
        with FeedServer() as other:
            def away(stage):
                page = json.loads(stage.body())
                page["NextPageLink"] = other.url + "/api"
                return status(200, json.dumps(page))
            self.fails(away, "not followed", (AzureRetail,))
            self.assertEqual([], other.requests)

    def test_z_no_server_listens(self):
        def check(stage):
            before = stage.server.prices()
            stage.feeds.stop()
            feed = stage.server.refresh(stage.NAME)
            self.assertEqual("failed", feed["state"])
            self.assertRegex(feed["reason"], "(?i)connect|refused|which regions")
            self.assertEqual(before, stage.server.prices())
        self.everywhere(check)

"""Which readings of feeds are accepted, over HTTP: what is odd waits, shown on the feed and on each price;
and how old a price may be."""
import json
import re
import time
from datetime import datetime
from decimal import Decimal

from feed_server import Document
from price_server import AzureRetail, GcpCatalog, OnDemandPage, SpotPage
from test_feeds import FeedsCase


class Implausible(FeedsCase):
    STAGES = (SpotPage, AzureRetail)

    def test_the_operator_accepts_what_is_odd(self):
        def check(stage):
            stage.play()
            stage.server.refresh(stage.NAME)
            stage.play(share=0.5)
            self.assertEqual("failed", stage.server.refresh(stage.NAME)["state"])
            feed = stage.server.refresh(stage.NAME, accept="true")
            self.assertEqual(("ok", None), (feed["state"], feed["scopes"][0]["held"]))
            self.assertEqual(stage.expected(), stage.stored_prices())
            stage.play()  # once: what is odd after that is held back again
            stage.server.refresh(stage.NAME, accept="true")
            stage.play(times=10)
            self.assertEqual("failed", stage.server.refresh(stage.NAME)["state"])
        self.everywhere(check)

    def test_belief_needs_one_feed(self):
        server = self.stages[0].server
        for query, field in (("?accept=true", "feed"),
                             (f"?feed={self.stages[0].NAME}&accept=yes", "accept"),
                             (f"?feed={self.stages[0].NAME}&reason=why", "reason")):
            reply = server.post(b"", path="/v1/prices/refresh", query=query)
            self.assertEqual((400, field), (reply.status, reply.json()["field"]))


class Lost(FeedsCase):
    """A region that a feed has no more."""
    STAGES = (SpotPage,)

    def test_a_region_that_is_lost_stays_and_is_shown_as_held_back(self):
        stage = self.stages[0]
        last = stage.aws.regions[-1].code
        before = len(stage.server.prices(region=last))
        self.assertGreater(before, 3)
        page = json.loads(stage.aws.spot_page())
        page["config"]["regions"] = [region for region in page["config"]["regions"]
                                     if region["region"] != last]
        page["config"]["regions"] += [{**page["config"]["regions"][0], "region": last + "-2"}]
        stage.feeds.route(stage.WHERE, Document(json.dumps(page).encode(), '"lost"',
                                                time.time() - 30, "application/x-javascript"))
        feed = stage.server.refresh(stage.NAME)
        self.assertEqual(("ok", before), (feed["state"], feed["scopes"][0]["held"]["count"]))
        prices = stage.server.prices(region=last)
        self.assertEqual((before, {"stale"}),
                         (len(prices), {price["freshness"] for price in prices}))
        self.assertTrue(stage.server.prices(region=last + "-2"))  # renamed: that is there too


class OneLeap(FeedsCase):
    """A price that leaps alone."""
    STAGES = (SpotPage,)

    def test_a_price_held_back_is_shown_and_not_confirmed_by_a_304(self):
        stage = self.stages[0]
        where = self.leap(stage)
        feed = stage.server.refresh(stage.NAME)
        self.assertEqual("ok", feed["state"])
        held = feed["scopes"][0]["held"]
        self.assertEqual((1, None, 1), (held["count"], held["accepted_after"],
                                        len(held["examples"])))
        example = held["examples"][0]
        self.assertEqual(where, (example["region"], example["instance_type"]))
        self.assertAlmostEqual(100, example["held_price_per_hour"] / example["price_per_hour"])
        price = stage.server.prices(region=where[0], instance_type=where[1], kind="spot")[0]
        self.assertEqual("stale", price["freshness"])
        self.assertEqual({"count": 1, "price_per_hour": price["price_per_hour"],
                          "held_price_per_hour": example["held_price_per_hour"],
                          "since": example["since"]}, price["held"])
        # The same document: not a 304 that confirms the old price, but a second reading.
        feed = stage.server.refresh(stage.NAME)
        self.assertEqual(("ok", 200, None), (feed["scopes"][0]["state"],
                                             feed["scopes"][0]["http_status"],
                                             feed["scopes"][0]["held"]))
        price = stage.server.prices(region=where[0], instance_type=where[1], kind="spot")[0]
        self.assertAlmostEqual(example["held_price_per_hour"], price["price_per_hour"])
        self.assertEqual("fresh", price["freshness"])
        self.assertEqual("unchanged", stage.server.refresh(stage.NAME)["scopes"][0]["state"])

    def test_what_waits_is_read_again_within_two_hours_also_by_another_start(self):
        stage = self.stages[0]
        stage.play()
        stage.server.refresh(stage.NAME, accept="true")
        self.assertGreater(self.next_in(stage), 100 * 3600)
        self.leap(stage)
        stage.server.refresh(stage.NAME)
        self.assertLess(self.next_in(stage), 2.3 * 3600)
        stage.server.stop()
        stage.server.start()
        self.assertLess(self.next_in(stage), 2.3 * 3600)

    @staticmethod
    def next_in(stage):
        """Seconds until the feed is read again."""
        due = stage.server.feed(stage.NAME)["next_at"]
        return datetime.fromisoformat(due).timestamp() - time.time()

    def leap(self, stage):
        """One price a hundred times as high; its region and type."""
        where = next(key[:2] for key in sorted(stage.expected()))
        price = stage.aws.spot_price
        stage.aws.spot_price = lambda region, kind: \
            str(Decimal(price(region, kind)) * (100 if (region, kind) == where else 1)) \
            if price(region, kind) else price(region, kind)
        stage.feeds.route(stage.WHERE, Document(stage.aws.spot_page(), '"leap"', time.time() - 30,
                                                "application/x-javascript"))
        return where


class Regions(FeedsCase):
    """The parts of a feed that is read region by region."""
    STAGES = (OnDemandPage,)

    def scopes(self, stage):
        return {scope["scope"]: (scope["state"], scope["reason"])
                for scope in stage.server.feed(stage.NAME)["scopes"]}

    def restart(self, stage, regions):
        stage.server.stop()
        stage.server.flags[1] = re.sub(
            "regions=[^ ]*", f"regions={regions}", stage.server.flags[1])
        stage.server.start()
        stage.server.refresh(stage.NAME)

    def test_a_region_that_is_listed_no_more_says_so_and_keeps_its_prices(self):
        stage = self.stages[0]
        self.restart(stage, "eu-west-1,us-east-1")
        self.assertEqual({"eu-west-1", "us-east-1"}, set(self.scopes(stage)))
        prices = stage.server.prices(region="eu-west-1")
        listed = json.loads(stage.aws.locations())
        good = stage.feeds.behaviour("/locations/1.0/aws/current/locations.json")
        stage.feeds.route("/locations/1.0/aws/current/locations.json", json.dumps(
            {name: place for name, place in listed.items() if place["code"] != "eu-west-1"}))
        self.assertEqual("partly_failed", stage.server.refresh(stage.NAME)["state"])
        self.assertEqual(("failed", "the feed does not list this region any more"),
                         self.scopes(stage)["eu-west-1"])
        self.assertEqual(prices, stage.server.prices(region="eu-west-1"))
        stage.feeds.route("/locations/1.0/aws/current/locations.json", good)
        self.assertEqual("ok", stage.server.refresh(stage.NAME)["state"])
        # Settings that do not ask for it any more are another matter: there is nothing to say.
        self.restart(stage, "us-east-1")
        self.assertEqual({"us-east-1"}, set(self.scopes(stage)))
        self.assertEqual(len(prices), len(stage.server.prices(region="eu-west-1")))


class OneLeapOnDemand(FeedsCase):
    STAGES = (OnDemandPage,)

    def test_a_price_on_demand_waits_an_hour_and_instances_show_what_waits(self):
        stage = self.stages[0]
        region, name, _ = next(iter(sorted(stage.expected())))
        before = stage.expected()[region, name, "on_demand"]
        price = stage.aws.on_demand_price
        stage.aws.on_demand_price = lambda where, kind: \
            str(Decimal(price(where, kind)) / (2 if kind == name else 1)) \
            if price(where, kind) else None
        for _ in range(2):  # saying it again at once makes it no truer
            stage.feeds.route(stage.WHERE, Document(stage.aws.on_demand_page("EU (Ireland)"),
                                                    packed=True, labelled=False))
            self.assertEqual("ok", stage.server.refresh(stage.NAME)["state"])
            types = stage.server.get(f"/v1/instances?instance_type={name}&region={region}").json()
            listed = types["instances"][0]["prices"][0]
            self.assertEqual(before, listed["nanos_per_hour"])
            self.assertEqual((1, before / 1e9), (listed["held"]["count"],
                                                 listed["held"]["price_per_hour"]))
            self.assertAlmostEqual(before / 2e9, listed["held"]["held_price_per_hour"], 8)


class Pace(FeedsCase):
    STAGES = (GcpCatalog,)

    def freshness(self, hours):
        """Of the spot prices, and of the feed, so long after it was read."""
        stage = self.stages[0]
        stage.server.stop()
        read_us = int((time.time() - hours * 3600) * 1e6)
        stage.server.sql("UPDATE readings SET fetched_us = ?", read_us)
        stage.server.sql("UPDATE feed_states SET confirmed_us = ?", read_us)
        stage.server.start()
        return ({price["freshness"] for price in stage.server.prices(kind="spot")},
                stage.server.feed(stage.NAME)["freshness"])

    def test_what_is_read_once_a_day_does_not_expire_before_it_is_read_again(self):
        for hours, freshness in ((26, "fresh"), (40, "stale"), (100, "expired")):
            self.assertEqual(({freshness}, freshness), self.freshness(hours))

"""Prices that a person gives, typed or in a file, and how prices are found: by filter, by time, by
page, for this machine."""
import json
import urllib.parse
from datetime import datetime, timedelta, timezone

from harness import Case, ServerCase, pages
from price_server import PriceServer, SpotPage
from stored_rows import make_valid

HEAD = "provider,region,zone,instance_type,kind,currency,price_per_hour,valid_from,reference\n"


def moment(**ago):
    return (datetime.now(timezone.utc) - timedelta(**ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def price(**fields):
    return {"provider": "aws", "region": "us-east-1", "instance_type": "c7i.2xlarge",
            "price_per_hour": 0.357, **fields}


class PriceCase(Case):
    """Tests of the prices of one server, `server`."""
    server = None

    def put(self, body, server=None, path="/v1/prices"):
        return (server or self.server).create(path, body)

    def found(self, server=None, **filters):
        return (server or self.server).prices(**filters)


class PricesCase(PriceCase, ServerCase):
    KIND = PriceServer


class Typed(PricesCase):
    def test_one_price_is_stored_as_it_was_typed(self):
        given = self.put(price(instance_type="one.large", zone="us-east-1a", note="by contract",
                               valid_from="2026-01-02T03:04:05Z"))["prices"]
        found = self.found(instance_type="one.large")
        self.assertEqual(1, len(found))
        row = found[0]
        self.assertEqual(
            ("aws", "us-east-1", "us-east-1a", "typed", "USD", 0.357, 357000000, "0.357",
             "by contract", "typed"),
            tuple(row[name] for name in (
                "provider", "region", "zone", "kind", "currency", "price_per_hour",
                "nanos_per_hour", "text", "reference", "feed")))
        self.assertEqual("2026-01-02T03:04:05", row["valid_from"][:19])
        self.assertIsNone(row["discount"])
        self.assertEqual(given[0]["nanos_per_hour"], row["nanos_per_hour"])

    def test_a_list_is_stored_whole_or_not_at_all(self):
        rows = [price(instance_type=f"list.{number}", price_per_hour=number + 1)
                for number in range(500)]
        self.assertEqual(500, len(self.put({"prices": rows})["prices"]))
        rows = [price(instance_type=f"none.{number}") for number in range(5)]
        reply = self.server.post({"prices": rows + [price(price_per_hour=0)]}, path="/v1/prices")
        self.assertProblem(reply, 400, field="prices[5].price_per_hour")
        self.assertEqual([], self.found(instance_type="none.0"))
        for bad in ([], [price()] * 501, "x", {}, None):
            self.assertProblem(self.server.post({"prices": bad}, path="/v1/prices"), 400,
                               field="prices")
        self.assertProblem(self.server.post({"prices": [price()], "provider": "aws"},
                                            path="/v1/prices"), 400, field="provider")

    def test_null_withdraws_it_and_what_is_not_there_cannot_be_withdrawn(self):
        kind = {"instance_type": "gone.large"}
        reply = self.server.post(price(**kind, price_per_hour=None), path="/v1/prices")
        self.assertProblem(reply, 404)
        self.put(price(**kind, valid_from=moment(hours=2)))
        self.put(price(**kind, price_per_hour=None, valid_from=moment(hours=1)))
        self.assertEqual([], self.found(**kind))
        history = self.server.page(history="true", **kind)["prices"]
        self.assertEqual([None, 0.357], [row["price_per_hour"] for row in history])



class Finding(PricesCase):
    @classmethod
    def prepare(cls):
        rows = [price(provider=provider, region=region, zone=zone, instance_type=kind,
                      price_per_hour=1 + len(kind))
                for provider in ("aws", "gcp") for region in ("r1", "r2") for zone in ("", "za")
                for kind in ("k.large", "k.xlarge", "k.metal")]
        cls.server.create("/v1/prices", {"prices": rows})

    def test_pages_have_each_price_once(self):
        everything = [json.dumps(row) for row in self.found()]
        for limit in (1, 5, 23, 24, 25):
            found = []
            for page in pages(self.server.page, limit=limit):
                self.assertLessEqual(len(page["prices"]), limit)
                found += page["prices"]
            for row in found:
                del row["age_seconds"]
            self.assertEqual(everything, [json.dumps(row) for row in found])

    def test_each_feed_gives_its_reason_for_no_price(self):
        page = self.server.page(provider="aws", instance_type="no.such")
        absent = {row["feed"]: row["reason"] for row in page["absent"]}
        self.assertEqual("switched off", absent["aws-spot-page"])
        self.assertNotIn("azure-retail", absent)
        self.assertEqual([], self.server.page(provider="aws")["absent"])
        with SpotPage() as stage:
            reason = stage.server.page(provider="aws", instance_type="no.such")["absent"]
            self.assertIn({"feed": "aws-spot-page", "reason": "not in the feed"}, reason)
            stage.feeds.stop()
            stage.server.refresh(stage.NAME)
            reason = {row["feed"]: row["reason"] for row in stage.server.page(
                provider="aws", instance_type="no.such")["absent"]}
            self.assertRegex(reason["aws-spot-page"], "^failed: ")


class Discounts(PricesCase):
    def test_a_discount_says_how_many_types_it_applies_to(self):
        with SpotPage() as stage:
            def reach(**fields):
                return self.put({"kind": "spot", "factor": 0.5, **fields}, stage.server,
                                "/v1/discounts")["known_types"]
            every = {price["instance_type"] for price in stage.server.prices(kind="spot")}
            self.assertEqual(len(every), reach(provider="aws"))
            self.assertEqual(sum(name.startswith("c5.") for name in every), reach(provider="aws", family="c5"))
            self.assertEqual(0, reach(provider="awz"))
            self.assertEqual(0, reach(provider="aws", family="c55"))
            self.assertEqual(0, reach(provider="aws", kind="on_demand"))

    def test_a_discount_is_shown_with_the_list_price_and_never_instead(self):
        with SpotPage() as stage:
            server = stage.server
            before = server.prices(instance_type="c5.large", region="us-east-1")[0]
            self.assertIsNone(before["discount"])
            self.put({"provider": "aws", "family": "c5", "kind": "spot", "factor": 0.5,
                      "note": "our contract", "valid_from": moment(hours=1)}, server,
                     "/v1/discounts")
            after = server.prices(instance_type="c5.large", region="us-east-1")[0]
            off = after.pop("discount")
            self.assertEqual({**before, "discount": None}, {**after, "discount": None})
            self.assertEqual((0.5, "our contract"), (off["factor"], off["note"]))
            self.assertAlmostEqual(before["price_per_hour"] / 2, off["price_per_hour"], 9)
            self.assertIsNone(server.prices(instance_type="m5.large")[0]["discount"])
            self.put({"provider": "aws", "family": "c5", "kind": "spot", "factor": None}, server,
                     "/v1/discounts")
            self.assertIsNone(server.prices(instance_type="c5.large")[0]["discount"])
            self.assertEqual([], server.get("/v1/discounts").json()["discounts"])
            then = urllib.parse.quote(moment(minutes=30))
            self.assertEqual(0.5, server.get(f"/v1/discounts?at={then}").json()[
                "discounts"][0]["factor"])


class Files(PriceCase):
    def begin(self, text, *flags):
        self.server = self.running(PriceServer(*flags, prices=HEAD + text))
        self.server.settle()

    def test_the_price_per_hour_of_the_machine_wins_in_its_run_and_in_the_comparison(self):
        self.begin("aws,us-east-1,,c7i.2xlarge,on_demand,USD,0.99,,list\n", "--provider", "aws", "--region",
                   "us-east-1", "--instance-type", "c7i.2xlarge", "--price-per-hour", "0.357")
        run = self.server.post({"workload": "mlp2017", "steps": 20}, "?wait=60").json()
        self.assertEqual(0.357, run["cost"]["price"]["price_per_hour"])
        make_valid(self.server)
        row, = self.server.get("/v1/comparison?workload=mlp2017&fields=price,prices_per_hour").json()["rows"]
        self.assertEqual((0.357, "typed"), (row["price"]["price_per_hour"], row["price"]["kind"]))
        self.assertEqual(0.99, row["prices_per_hour"]["on_demand"])

    def test_a_wrong_row_is_named_and_nothing_is_taken(self):
        good = "aws,us-east-1,,c7i.2xlarge,on_demand,USD,0.357,,\n"
        self.begin(good)
        def amounts():  # an empty file makes them stale, and takes nothing
            return [{**price, "freshness": None, "held": None} for price in self.server.prices()]
        before = amounts()
        self.server.write_prices(HEAD + good + "aws,us-east-1,,m5.large,on_demand,USD,0,,\n")
        feed = self.server.refresh("price-file")
        self.assertEqual("failed", feed["state"], feed)
        self.assertRegex(feed["reason"], "line 3: price_per_hour must be")
        self.assertEqual(before, amounts())

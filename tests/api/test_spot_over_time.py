"""Spot as it moves: what a run cost while its price changed, and how the price of a row moved in the
last 7, 30 and 90 days."""
import time
from datetime import datetime

from harness import Case, fake, until
from openapi import Described
from price_server import PriceServer
from run_documents import document, take_in

PLACE = ("--provider", "aws", "--region", "us-east-1", "--instance-type", "m5.large",
         "--life-cycle", "spot")
DAY = 86400


def file_of(*prices):
    return "provider,region,instance_type,kind,price_per_hour\n" + "".join(
        f"aws,us-east-1,{row}\n" for row in prices)


class Spot(Described, Case):
    def serve(self, prices, *flags):
        self.server = self.running(PriceServer(*flags, engines={"ok": fake("ok"), "slow": fake("ok", 50)},
                                               haste=20, prices=file_of(*prices)))
        self.server.settle()


class Runs(Spot):
    def during_a_run(self, steps=30):
        """A run of at least one and a half seconds; the price doubles in its first half."""
        run = self.server.post({"engine": "slow", "steps": steps, "warmup_steps": 5}).json()
        until(lambda: self.server.show(run["id"])["steps_stored"] >= 10, "a third of the run")
        self.server.write_prices(file_of("m5.large,spot,0.2", "m5.large,on_demand,1"))
        self.server.refresh("price-file")
        return self.server.wait(run["id"])

    def expected_mean(self, run):
        """By the time when the price doubled."""
        price, = self.server.prices(kind="spot")
        began, doubled, ended = (datetime.fromisoformat(text).timestamp() for text in (
            run["started_at"], price["valid_from"], run["ended_at"]))
        self.assertTrue(began < doubled < ended, (run, price))
        return 0.1 * (1 + (ended - doubled) / (ended - began))

    def test_a_run_costs_the_mean_of_the_price_over_its_time(self):
        self.serve(["m5.large,spot,0.1", "m5.large,on_demand,1"], *PLACE)
        run = self.during_a_run()
        cost = self.ask(f"/v1/runs/{run['id']}")["cost"]
        over = cost["over_run"]
        self.assertEqual(0.1, cost["price"]["price_per_hour"])
        self.assertEqual((0.1, 0.2), (over["low"], over["high"]))
        self.assertAlmostEqual(self.expected_mean(run), over["price_per_hour"], delta=0.001)
        listed = self.server.get("/v1/runs").json()["runs"][0]["cost"]
        self.assertEqual(over["price_per_hour"], listed["price_per_hour"])
        speed = run["summary"]["samples_per_second"]
        self.assertAlmostEqual(speed * 3600 / over["price_per_hour"],
                               cost["samples_per_dollar"]["value"], delta=1e-3 * speed * 3600)
        row, = self.ask(f"/v1/comparison?workload={run['spec']['workload']}&price=paid")["rows"]
        self.assertEqual(over["price_per_hour"], row["price"]["price_per_hour"])

    def test_and_travels_with_it(self):
        self.serve(["m5.large,spot,0.1", "m5.large,on_demand,1"], *PLACE)
        run = self.during_a_run()
        hub = self.running(PriceServer())
        hub.create("/v1/runs/import", self.server.get("/v1/runs/export").body)
        self.assertEqual(run["cost"], hub.show(run["id"])["cost"])

    def test_a_price_that_does_not_move_is_the_price_at_the_start(self):
        self.serve(["m5.large,spot,0.2", "m5.large,on_demand,1"], *PLACE)
        self.assertIsNone(self.during_a_run()["cost"]["over_run"])

    def test_on_demand_is_never_a_mean(self):
        self.serve(["m5.large,spot,0.2", "m5.large,on_demand,0.9"], *PLACE[:-1], "on_demand")
        cost = self.during_a_run()["cost"]
        self.assertIsNone(cost["over_run"])
        self.assertEqual(0.9, cost["price"]["price_per_hour"])


class History(Spot):
    def write_past(self):
        """A dollar from 60 days ago, 0.6 from 20, 0.2 from two: on demand is 0.5."""
        self.server.stop()
        now = time.time_ns() // 1000
        (series,), = self.server.sql("SELECT number FROM price_series WHERE kind = 'spot'")
        self.server.sql("DELETE FROM prices WHERE series = ?", series)
        for days, dollars in ((60, 1), (20, 0.6), (2, 0.2)):
            since = now - days * DAY * 10**6
            self.server.sql("INSERT INTO prices (series, since_us, nanos, text, reference, source_us,"
                            " fetched_us) VALUES (?, ?, ?, ?, '', 0, ?)",
                            series, since, round(dollars * 1e9), str(dollars), since)
        self.server.sql("UPDATE price_series SET since_us = ?, nanos = 200000000 WHERE number = ?", since, series)
        self.server.start()

    def test_the_spread_of_days_and_the_share_above_on_demand(self):
        self.serve(["m5.large,spot,0.2", "m5.large,on_demand,0.5", "m5.xlarge,on_demand,1"])
        self.write_past()
        take_in(self.server, [document(number, provider="aws", region="us-east-1", instance_type=kind)
                              for number, kind in enumerate(("m5.large", "m5.xlarge"))])
        rows = self.ask("/v1/comparison?workload=mlp2017&fields=instance_type,spot_history")["rows"]
        rows = {row["instance_type"]: row["spot_history"] for row in rows}
        self.assertIsNone(rows["m5.xlarge"])
        week, month, quarter = rows["m5.large"]
        self.assertEqual([7, 30, 90], [row["days"] for row in rows["m5.large"]])
        self.assertEqual((0.2, 0.6), (week["low"], week["high"]))
        self.assertEqual((0.2, 1), (quarter["low"], quarter["high"]))
        self.assertAlmostEqual((5 * 0.6 + 2 * 0.2) / 7, week["mean"], places=4)
        self.assertAlmostEqual(5 / 7, week["share_above_on_demand"], places=4)
        self.assertAlmostEqual((10 * 1 + 18 * 0.6 + 2 * 0.2) / 30, month["mean"], places=4)
        self.assertAlmostEqual(28 / 30, month["share_above_on_demand"], places=4)
        self.assertAlmostEqual(60, quarter["known_days"], places=2)
        self.assertAlmostEqual(58 / 60, quarter["share_above_on_demand"], places=4)

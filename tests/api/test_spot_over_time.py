"""Spot as it moves: what a run cost while its price changed, and how the price of a row moved in the
last 7, 30 and 90 days."""
import sqlite3
import time
from datetime import datetime

from harness import Case, fake, until
from openapi import Description
from price_server import PriceServer
from run_documents import document

HEAD = "provider,region,instance_type,kind,price_per_hour\n"
PLACE = ("--provider", "aws", "--region", "us-east-1", "--instance-type", "m5.large",
         "--life-cycle", "spot")
DAY = 86400


class Spot(Case):
    def serve(self, prices, *flags):
        self.server = self.running(PriceServer(*flags, engines={"ok": fake("ok"), "slow": fake("ok", 50)},
                                               haste=20))
        self.path = self.server.folder + "/prices.csv"
        self.write(prices)
        self.server.stop()
        self.server.flags += ["--feed", f"price-file=on url={self.path}"]
        self.server.start()
        self.server.settle()
        self.description = Description(self.server.get("/v1/openapi.json").json())

    def write(self, prices):
        with open(self.path, "w") as file:
            file.write(HEAD + "".join(f"aws,us-east-1,{row}\n" for row in prices))


class Runs(Spot):
    def during_a_run(self, steps=30):
        """A run of at least one and a half seconds; the price doubles in its first half."""
        run = self.server.post({"engine": "slow", "steps": steps, "warmup_steps": 5}).json()
        until(lambda: self.server.show(run["id"])["steps_stored"] >= 10, "a third of the run")
        self.write(["m5.large,spot,0.2", "m5.large,on_demand,1"])
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
        reply = self.server.get(f"/v1/runs/{run['id']}")
        self.description.check("GET", "/v1/runs/{id}", reply)
        cost = reply.json()["cost"]
        over = cost["over_run"]
        self.assertEqual(0.1, cost["price"]["price_per_hour"])
        self.assertEqual((0.1, 0.2), (over["low"], over["high"]))
        self.assertAlmostEqual(self.expected_mean(run), over["price_per_hour"], delta=0.001)
        listed = self.server.get("/v1/runs").json()["runs"][0]["cost"]
        self.assertEqual(over["price_per_hour"], listed["price_per_hour"])
        speed = run["summary"]["samples_per_second"]
        self.assertAlmostEqual(speed * 3600 / over["price_per_hour"],
                               cost["samples_per_dollar"]["value"], delta=1e-3 * speed * 3600)
        answer = self.server.get(f"/v1/comparison?workload={run['spec']['workload']}&price=paid")
        row, = answer.json()["rows"]
        self.assertEqual(over["price_per_hour"], row["price"]["price_per_hour"])

    def test_and_travels_with_it(self):
        self.serve(["m5.large,spot,0.1", "m5.large,on_demand,1"], *PLACE)
        run = self.during_a_run()
        export = self.server.get("/v1/runs/export")
        hub = self.running(PriceServer())
        reply = hub.post(export.body, path="/v1/runs/import")
        self.assertIn(reply.status, (200, 201), reply)
        there = hub.get(f"/v1/runs/{run['id']}").json()["cost"]
        self.assertEqual(run["cost"], there)

    def test_a_price_that_does_not_move_is_that_of_the_start(self):
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
        with sqlite3.connect(self.server.database) as db:
            series, since = db.execute("SELECT number, since_us FROM price_series WHERE"
                                       " kind = 'spot'").fetchone()
            db.execute("DELETE FROM prices WHERE series = ?", (series,))
            never, = db.execute("SELECT 9223372036854775807").fetchone()
            for days, dollars in ((60, 1), (20, 0.6), (2, 0.2)):
                db.execute("INSERT INTO prices (series, since_us, nanos, text, reference, source_us,"
                           " fetched_us) VALUES (?, ?, ?, ?, '', 0, ?)",
                           (series, now - days * DAY * 10**6, round(dollars * 1e9), str(dollars),
                            now - days * DAY * 10**6))
            db.execute("UPDATE price_series SET since_us = ?, nanos = 200000000 WHERE number = ?",
                       (now - 2 * DAY * 10**6, series))
        self.server.start()

    def test_the_spread_of_days_and_the_share_above_on_demand(self):
        self.serve(["m5.large,spot,0.2", "m5.large,on_demand,0.5", "m5.xlarge,on_demand,1"])
        self.write_past()
        for number, kind in enumerate(("m5.large", "m5.xlarge")):
            self.server.post(document(number, provider="aws", region="us-east-1", instance_type=kind),
                             path="/v1/runs/import")
        reply = self.server.get("/v1/comparison?workload=mlp2017&fields=instance_type,spot_history")
        self.description.check("GET", "/v1/comparison", reply)
        rows = {row["instance_type"]: row["spot_history"] for row in reply.json()["rows"]}
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

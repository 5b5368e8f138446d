"""The comparison as clients see it: what was published comes out as published, what is not known is
said in words, and prices, deadlines and formulas change the order as they should."""
import csv
import io
import sqlite3
import unittest
from urllib.parse import urlencode

from harness import Server, ServerCase, fake

EPOCH = 1281167


class Questions:
    def compare(self, status=200, **question):
        target = "/v1/comparison?" + urlencode(question, doseq=True)
        reply = self.server.get(target)
        self.assertEqual(status, reply.status, reply)
        return reply.json()

    def about(self, rows, value, places=None, delta=None):
        self.assertAlmostEqual(value, rows, places=places, delta=delta)


class Rand(Questions, ServerCase):
    """Section 3 of what was published: one machine, nine ways to train on it."""
    FLAGS = ("--published", "on")
    ALL = {"configuration": "all", "provenance": "published"}

    def row(self, speed, **question):
        rows = self.compare(**{**self.ALL, **question})["rows"]
        return next(row for row in rows if row["throughput"]["value"] == speed)

    def test_each_way_gives_the_published_samples_per_dollar(self):
        for speed, on_demand, spot in ((9.12, 91966, 254314), (40.73, 410723, 1135771)):
            for price, dollars in (("on_demand", on_demand), ("spot", spot)):
                with self.subTest(speed=speed, price=price):
                    row = self.row(speed, price=price)
                    self.about(row["samples_per_dollar"]["value"], dollars, delta=1)
                    self.assertIsNone(row["samples_per_dollar"]["low"])
                    self.assertEqual("published", row["price"]["freshness"])

    def test_nothing_that_was_published_is_ranked(self):
        answer = self.compare(**self.ALL)
        self.assertEqual((9, 0), (len(answer["rows"]), answer["ranked"]))
        for row in answer["rows"]:
            self.assertIsNone(row["rank"])
            self.assertEqual("published, no interval", row["why_no_rank"])
            self.assertEqual("published by others, no interval", row["throughput"]["words"])
            self.assertTrue(row["published"]["source"])

    def test_the_three_gaps_between_gpu_and_cpu(self):
        base = self.row(9.12)["id"]
        best = self.row(40.73)["id"]
        gap = self.row(340, reference=base)["to_reference"]
        self.about(gap["samples_per_dollar"]["value"], 10.98, delta=0.01)
        self.assertEqual("no_interval", gap["samples_per_dollar"]["verdict"])
        self.about(gap["throughput"]["value"], 37.3, delta=0.05)
        gap = self.row(929, reference=best)["to_reference"]
        self.about(gap["samples_per_dollar"]["value"], 6.72, delta=0.01)
        self.assertFalse(gap["mixed_kinds"])
        gap = self.row(929, reference=best, price="spot,on_demand")["to_reference"]
        self.about(gap["samples_per_dollar"]["value"], 2.43, delta=0.01)
        self.assertTrue(gap["mixed_kinds"])

    def test_a_row_has_the_members_that_are_asked_for(self):
        best = self.row(40.73)
        self.assertNotIn("kinds", best)
        whole = self.row(40.73, fields="all")
        self.assertEqual(best, {name: whole[name] for name in best})
        part = self.compare(**self.ALL, fields="samples_per_dollar,instance_type")["rows"]
        self.assertEqual({("id", "instance_type", "samples_per_dollar")}, {tuple(row) for row in part})
        problem = self.compare(400, fields="samples_per_dolar")
        self.assertEqual("fields", problem["field"])
        self.assertIn("nearest of 42 are samples_per_dollar, ", problem["detail"])

    def test_a_million_samples_and_an_epoch(self):
        row = self.row(40.73, price="spot", epochs=1)
        self.about(row["dollars_per_million_samples"]["value"], 0.88, delta=0.005)
        self.assertEqual(EPOCH, row["job"]["samples"])
        self.about(row["job"]["hours"], 8.74, delta=0.005)
        self.about(row["job"]["dollars"], 1.13, delta=0.005)


class Woolf(Questions, ServerCase):
    """Section 5: two of the jobs on a GPU and on processors of four sizes."""
    FLAGS = ("--published", "on")
    JOBS = {"mlp-mnist-2017": ((.12, .18, .51, .90), .96),
            "bilstm-imdb-2017": ((.04, .07, .15, .31), .30)}
    THEN = "2017-07-15T00:00:00Z"

    def rows(self, workload, **question):
        answer = self.compare(workload=workload, configuration="all", price="spot,on_demand",
                              **{"price_at": self.THEN, "reference": "n1-standard-k80",
                                 **question})
        return {self.name(row): row for row in answer["rows"]}

    @staticmethod
    def name(row):
        size = row["instance_type"].rpartition("-")[2]
        return size if size == "k80" else size + ("pip" if "pip" in row["engine"] else "c")

    def test_relative_costs(self):
        for job, (compiled, pip) in self.JOBS.items():
            rows = self.rows(job)
            self.assertEqual(1, rows["k80"]["to_reference"]["relative_cost"])
            for size, cost in (*zip(("8c", "16c", "32c", "64c"), compiled), ("64pip", pip)):
                with self.subTest(job=job, size=size):
                    shown = rows[size]["to_reference"]
                    self.about(shown["relative_cost"], cost, delta=0.0101)
                    self.assertTrue(shown["mixed_kinds"])



class Measured(Questions, unittest.TestCase):
    """Rows of runs: fake ones, whose speeds are then written by hand. A server for each test."""

    def setUp(self):
        self.server = Server("--provider", "aws", "--region", "us-east-1", "--instance-type", "a.large",
                             "--life-cycle", "on_demand", engines={"ok": fake("ok")}).start()
        self.addCleanup(self.server.stop)

    def store(self, instance, speeds, vms=("a", "b", "c"), width=0.005, validity="ok"):
        """Runs of a type as three machines measured them; one engine's run stands for all."""
        run = self.server.post({"engine": "ok", "steps": 2}, "?wait=30").json()
        with sqlite3.connect(self.server.database) as database:
            database.execute("UPDATE revision SET number = number + 1")
            (contender,), = database.execute(
                "INSERT INTO contenders (workload, engine, configuration, provider, instance,"
                " stratum, published, changed) SELECT 'mlp2017', 'ok', '{}', 'aws', ?, 's', 0, number"
                " FROM revision RETURNING number", [instance])
            columns = [row[1] for row in database.execute("PRAGMA table_info(runs)")]
            for i, speed in enumerate(speeds):
                row = dict(zip(columns, database.execute("SELECT * FROM runs WHERE id = ?",
                                                         [run["id"]]).fetchone()))
                row.update(number=None, id=f"{instance}{i}", contender=contender,
                           samples_per_second=speed, throughput_low=speed * (1 - width),
                           throughput_high=speed * (1 + width), vm=f"i{vms[i % len(vms)]:0>15}",
                           validity=validity, instance=instance)
                database.execute(f"INSERT INTO runs ({','.join(row)}) VALUES"
                                 f" ({','.join('?' * len(row))})", list(row.values()))
            database.execute("DELETE FROM run_labels")
            database.execute("UPDATE runs SET contender = NULL WHERE id = ?", [run["id"]])
            database.execute("DELETE FROM contenders WHERE engine = 'ok' AND configuration <> '{}'")

    def price(self, instance, dollars):
        reply = self.server.post({"instance_type": instance, "price_per_hour": dollars,
                                  "provider": "aws"}, path="/v1/prices")
        self.assertEqual(201, reply.status, reply)

    def ranks(self, **question):
        rows = self.compare(workload="mlp2017", **question)["rows"]
        return {row["instance_type"]: tuple(row["rank"].values()) for row in rows}

    def three(self):
        self.store("a.large", (100, 101, 99))
        self.store("b.large", (102, 101, 103))
        self.store("c.large", (300, 303, 297))
        for instance, dollars in (("a.large", "0.1"), ("b.large", "0.1"), ("c.large", "0.9")):
            self.price(instance, dollars)

    def test_ranks_lie_between_the_rows_that_are_surely_better_and_surely_worse(self):
        self.three()
        rows = self.compare(workload="mlp2017")["rows"]
        self.assertEqual({"a.large": (1, 2), "b.large": (1, 2), "c.large": (3, 3)}, self.ranks())
        self.assertEqual([True, True, False], [row["may_be_best"] for row in rows])
        self.assertEqual([{"rows": [rows[1]["id"]], "count": 1}, {"rows": [rows[0]["id"]], "count": 1},
                          {"rows": [], "count": 0}],
                         [row["cannot_be_told_apart_from"] for row in rows])
        for row in rows:
            self.assertEqual("vms", row["throughput"]["level"])
            self.assertTrue(row["throughput"]["generalisable"])

    def test_an_unknown_price_is_a_reason_and_never_zero(self):
        self.store("a.large", (100, 101, 99))
        row, = self.compare(workload="mlp2017")["rows"]
        self.assertIsNone(row["price"])
        self.assertIn("on_demand", row["why_no_price"])
        for member in ("rank", "samples_per_dollar", "dollars_per_million_samples"):
            self.assertIsNone(row[member])
        self.assertIsNone(row["job"]["dollars"])
        self.assertEqual(row["why_no_price"], row["why_no_rank"])
        self.assertEqual({"a.large": (1, 1)}, self.ranks(sort="throughput"))

    def test_a_parameter_that_matches_nothing_says_so(self):
        self.three()
        self.assertEqual([], self.compare(workload="mlp2017")["unmatched"])
        text = self.server.get("/v1/comparison?workload=mpl&format=markdown").body.decode()
        self.assertIn("`workload=mpl` matches nothing: no run trained 'mpl'; known are mlp2017", text)

    def test_a_type_with_a_price_and_no_measurement_is_named(self):
        self.three()
        self.price("d.large", "0.5")
        unmeasured = self.compare(workload="mlp2017")["unmeasured"]
        self.assertEqual(1, unmeasured["count"])
        self.assertEqual("d.large", unmeasured["instances"][0]["instance_type"])
        self.assertEqual(0.5, unmeasured["instances"][0]["prices_per_hour"]["typed"])

    def test_a_deadline_picks_the_cheapest_that_keeps_it(self):
        self.three()
        decision = self.compare(workload="mlp2017", samples=3.6e6, deadline_h=11)["decision"]
        self.assertIn(decision["instance_type"], ("a.large", "b.large"))
        decision = self.compare(workload="mlp2017", samples=3.6e6, deadline_h=5)["decision"]
        self.assertEqual("c.large", decision["instance_type"])
        answer = self.compare(workload="mlp2017", samples=3.6e6, deadline_h=1)
        self.assertIsNone(answer["decision"]["row"])
        self.assertIn("none keeps", answer["decision"]["words"])
        slow = next(row for row in answer["rows"] if row["instance_type"] == "a.large")
        self.assertIn(slow["job"]["in_parallel"]["instances"], (10, 11))
        self.assertIn("upper bound", slow["job"]["in_parallel"]["words"])
        self.assertEqual(0, slow["job"]["prospect"]["probability"])

    def test_a_utility_orders_the_rows_and_an_error_in_it_is_located(self):
        self.three()
        question = {"workload": "mlp2017", "utility": "samples_per_second"}
        row = self.compare(**question)["rows"][0]
        self.assertEqual("c.large", row["instance_type"])
        self.about(row["utility"], 300, places=1)
        problem = self.compare(400, workload="mlp2017", utility="samples_per_dollar +")
        self.assertEqual("utility", problem["field"])
        self.assertIn("character 21", problem["detail"])

    def test_the_same_question_has_the_same_name_until_something_changes(self):
        self.three()
        target = "/v1/comparison?workload=mlp2017"
        first = self.server.get(target)
        known = {"If-None-Match": first.headers["etag"]}
        again = self.server.request("GET", target, headers=known)
        self.assertEqual((304, b""), (again.status, again.body))
        self.price("a.large", "0.2")
        changed = self.server.request("GET", target, headers=known)
        self.assertEqual(200, changed.status)
        self.assertNotEqual(first.headers["etag"], changed.headers["etag"])

    def test_tables_hold_the_same_numbers(self):
        self.three()
        rows = self.compare(workload="mlp2017")["rows"]
        table = list(csv.DictReader(io.StringIO(
            self.server.get("/v1/comparison?workload=mlp2017&format=csv").body.decode())))
        self.assertEqual(len(rows), len(table))
        for row, line in zip(rows, table):
            self.assertEqual((row["instance_type"], str(row["rank"]["low"]), str(row["rank"]["high"])),
                             (line["instance_type"], line["rank_low"], line["rank_high"]))
            self.about(float(line["samples_per_dollar"]), row["samples_per_dollar"]["value"],
                       delta=1)
        text = self.server.get("/v1/comparison?workload=mlp2017&format=markdown").body.decode()
        self.assertIn("| 1 to 2 |", text)

    def test_metrics_carry_every_row(self):
        self.three()
        text = self.server.get("/metrics").body.decode()
        lines = [line for line in text.splitlines()
                 if line.startswith("pennyworth_samples_per_dollar{")]
        self.assertEqual(3, len(lines))
        self.assertIn(',instance_type="c.large",', text)


if __name__ == "__main__":
    unittest.main()

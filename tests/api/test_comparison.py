"""The comparison as clients see it: what was published comes out as published, what is not known is
said in words, and prices, deadlines and formulas change the order as they should."""
import csv
import datetime
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
        for speed, on_demand, spot in ((9.12, 91966, 254314), (24.34, 245445, 678730),
                                       (37.93, 382487, 1057692), (39.05, 393782, 1088923),
                                       (40.73, 410723, 1135771)):
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

    def test_at_equal_discounts_the_gap_is_the_old_one(self):
        best = self.row(40.73, price="spot,on_demand", fields="all")
        discount = best["prices_per_hour"]["spot_discount_percent"]
        self.assertIsNone(discount)  # of published prices, no feed's
        price = self.row(929)["price"]["price_per_hour"] * 0.1291 / 0.357
        gap = self.row(929, reference=best["id"], price="spot,on_demand",
                       price_of=f"g5.2xlarge:{price:.6f}")["to_reference"]
        self.about(gap["samples_per_dollar"]["value"], 6.72, delta=0.01)

    def test_no_discount_is_taken_off_what_was_published(self):
        row = self.row(40.73, discount="c7i.:0.8")
        self.about(row["samples_per_dollar"]["value"], 410723, delta=1)

    def test_the_best_cpu_on_spot_beats_the_plain_gpu_on_demand(self):
        cpu = self.row(40.73, price="spot,on_demand")
        gpu = self.row(340, price="spot,on_demand", reference=cpu["id"])
        self.about(1 / gpu["to_reference"]["samples_per_dollar"]["value"], 1.125, delta=0.001)

    def test_what_it_would_take_to_break_even(self):
        gpu = self.row(929)["id"]
        for price, speed in (("on_demand", 273.6), ("spot,on_demand", 99.0)):
            even = self.row(40.73, reference=gpu, price=price)["to_reference"]
            self.about(even["break_even_samples_per_second"], speed, delta=0.1)
        even = self.row(40.73, reference=gpu)["to_reference"]
        self.about(even["break_even_price_per_hour"], 0.0531, delta=0.0001)

    def test_ratios_between_the_steps_of_the_article(self):
        base = self.row(9.12)["id"]
        for speed, ratio in ((24.34, 2.67), (37.93, 4.16), (39.05, 4.28), (40.73, 4.47)):
            to = self.row(speed, reference=base)["to_reference"]["throughput"]
            self.about(to["value"], ratio, delta=0.005)
        for speed, before, ratio in ((37.93, 24.34, 1.558), (39.05, 37.93, 1.030),
                                     (40.73, 39.05, 1.043)):
            to = self.row(speed, reference=self.row(before)["id"])["to_reference"]["throughput"]
            self.about(to["value"], ratio, delta=0.001)

    def test_a_million_samples_and_an_epoch(self):
        for speed, price, million in ((9.12, "on_demand", 10.87), (40.73, "on_demand", 2.43),
                                      (40.73, "spot", 0.88), (340, "on_demand", 0.99),
                                      (929, "on_demand", 0.36)):
            row = self.row(speed, price=price)
            self.about(row["dollars_per_million_samples"]["value"], million, delta=0.005)
        for speed, price, hours, dollars in ((40.73, "on_demand", 8.74, 3.12),
                                             (40.73, "spot", 8.74, 1.13),
                                             (929, "on_demand", 0.38, 0.46)):
            job = self.row(speed, price=price, epochs=1)["job"]
            self.assertEqual(EPOCH, job["samples"])
            self.about(job["hours"], hours, delta=0.005)
            self.about(job["dollars"], dollars, delta=0.005)
        job = self.row(40.73, epochs=90)["job"]
        self.about(job["hours"] / 24, 32.8, delta=0.05)
        self.about(job["dollars"], 281, delta=0.5)
        self.about(self.row(40.73, epochs=90, price="spot")["job"]["dollars"], 102, delta=0.5)
        job = self.row(929, epochs=90)["job"]
        self.about(job["hours"] / 24, 1.4, delta=0.05)
        self.about(job["dollars"], 42, delta=0.5)

    def test_best_keeps_one_row_of_each_machine_and_counts_the_rest(self):
        answer = self.compare()
        self.assertEqual([929, 40.73], [row["throughput"]["value"] for row in answer["rows"]])
        self.assertEqual(7, answer["hidden"]["by_filters"])


class Woolf(Questions, ServerCase):
    """Section 5: seven jobs on a GPU and on processors of four sizes."""
    FLAGS = ("--published", "on")
    JOBS = {"mlp-mnist-2017": ((.12, .18, .51, .90), .96, {"k80", "16c", "8c"}),
            "cnn-mnist-2017": ((.32, .42, .78, 2.00), 1.97, {"k80", "32c", "16c", "8c"}),
            "cnn-cifar10-2017": ((.24, .30, .52, 1.15), 1.30, {"k80", "32c", "16c", "8c"}),
            "fasttext-imdb-2017": ((.34, .53, 1.16, 2.51), 2.62, {"k80", "16c", "8c"}),
            "bilstm-imdb-2017": ((.04, .07, .15, .31), .30, {"32pip", "16c", "8c"}),
            "lstm-nietzsche-2017": ((.12, .22, .50, .96), 1.01, {"k80", "16c", "8c"}),
            "lstm-text2-2017": ((.14, .21, .49, .96), 1.01, {"k80", "16c", "8c"})}
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

    def workloads(self):
        figures = self.server.get("/v1/figures").json()["figures"]
        return sorted({figure["workload"] for figure in figures if figure["unit"] == "job"})

    def test_the_seven_jobs_are_there(self):
        self.assertEqual(sorted(self.JOBS), self.workloads())

    def test_relative_costs(self):
        for job, (compiled, pip, _) in self.JOBS.items():
            rows = self.rows(job)
            self.assertEqual(1, rows["k80"]["to_reference"]["relative_cost"])
            for size, cost in (*zip(("8c", "16c", "32c", "64c"), compiled), ("64pip", pip)):
                with self.subTest(job=job, size=size):
                    shown = rows[size]["to_reference"]
                    self.about(shown["relative_cost"], cost, delta=0.0101)
                    self.assertTrue(shown["mixed_kinds"])

    def test_pareto_fronts(self):
        for job, (_, _, front) in self.JOBS.items():
            rows = self.rows(job)
            shown = {name for name, row in rows.items() if row["pareto"]}
            self.assertEqual(front, shown, job)

    def test_a_price_that_fell_turns_six_configurations_and_no_other(self):
        turned = set()
        for job in self.JOBS:
            before, after = self.rows(job), self.rows(job, price_at="2017-12-01T00:00:00Z")
            for name, row in before.items():
                was, now = (each["to_reference"]["relative_cost"] for each in (row, after[name]))
                if was < 1 < now:
                    turned.add((job, name))
                self.assertFalse(was > 1 > now)
        self.assertEqual({("mlp-mnist-2017", "64c"), ("mlp-mnist-2017", "64pip"),
                          ("cnn-mnist-2017", "32c"), ("cnn-mnist-2017", "32pip"),
                          ("lstm-nietzsche-2017", "64c"), ("lstm-text2-2017", "64c")}, turned)

    def test_a_typed_price_turns_the_same_six(self):
        turned = 0
        for job in self.JOBS:
            before = self.rows(job)
            after = self.rows(job, price_of="n1-standard-k80:0.4975")
            turned += sum(row["to_reference"]["relative_cost"] < 1 <
                          after[name]["to_reference"]["relative_cost"]
                          for name, row in before.items())
        self.assertEqual(6, turned)

    def test_a_job_is_no_million_of_samples(self):
        row = self.rows("mlp-mnist-2017")["8c"]
        self.assertEqual("job", row["unit"])
        self.assertIsNone(row["dollars_per_million_samples"])
        self.about(row["job"]["hours"] * 3600, 87.8, delta=0.01)


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

    def test_one_machine_of_a_type_says_so_and_needs_a_greater_lead(self):
        self.store("a.large", (100, 100.2, 99.8), vms=("a",))
        self.store("b.large", (108, 108.2, 107.8), vms=("b",))
        for instance in ("a.large", "b.large"):
            self.price(instance, "0.1")
        row = self.compare(workload="mlp2017")["rows"][0]
        self.assertEqual("one VM: not generalisable", row["throughput"]["words"])
        self.assertEqual({"a.large": (1, 2), "b.large": (1, 2)}, self.ranks())
        self.assertEqual({"b.large": (1, 1), "a.large": (2, 2)}, self.ranks(vm_spread=0))

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

    def test_invalid_runs_are_no_measurement(self):
        self.store("a.large", (100, 101, 99), validity="invalid")
        self.price("a.large", "0.1")
        row, = self.compare(workload="mlp2017")["rows"]
        self.assertIsNone(row["throughput"])
        self.assertIn("no valid run: 3", row["why_no_rank"])

    def test_a_parameter_that_matches_nothing_says_so(self):
        self.three()
        self.assertEqual([], self.compare(workload="mlp2017")["unmatched"])
        answer = self.compare(workload="mlp2017", instance_type="a.lage", discount="b:0.5")
        self.assertEqual([("instance_type", "a.lage"), ("discount", "b")],
                         [(each["parameter"], each["value"]) for each in answer["unmatched"]])
        self.assertIn("known are a.large, b.large, c.large", answer["unmatched"][0]["words"])
        text = self.server.get("/v1/comparison?workload=mpl&format=markdown").body.decode()
        self.assertIn("`workload=mpl` matches nothing: no run trained 'mpl'; known are mlp2017", text)

    def test_a_type_with_a_price_and_no_measurement_is_named(self):
        self.three()
        self.price("d.large", "0.5")
        unmeasured = self.compare(workload="mlp2017")["unmeasured"]
        self.assertEqual(1, unmeasured["count"])
        self.assertEqual("d.large", unmeasured["instances"][0]["instance_type"])
        self.assertEqual(0.5, unmeasured["instances"][0]["prices_per_hour"]["typed"])

    def test_another_price_changes_the_order_without_another_run(self):
        self.three()
        self.assertEqual((1, 1), self.ranks(price_of="c.large:0.1")["c.large"])
        self.assertEqual((1, 1), self.ranks(price_of=["a.large:1", "b.large:1"])["c.large"])

    def test_waiting_has_a_price(self):
        self.three()
        self.assertEqual((1, 1), self.ranks(hourly_value=50)["c.large"])
        job = self.compare(workload="mlp2017", hourly_value=50)["rows"][0]["job"]
        self.about(job["total_dollars"], job["dollars"] + 50 * job["hours"], places=8)

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

    def test_a_deadline_may_be_a_day(self):
        self.three()
        moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=30)
        answer = self.compare(workload="mlp2017", samples=3.6e6, deadline=moment.date().isoformat())
        self.assertIn(answer["decision"]["instance_type"], ("a.large", "b.large"))
        self.assertTrue(answer["question"]["deadline"].startswith(moment.date().isoformat()))
        self.about(answer["question"]["deadline_h"], 29.5 * 24, delta=13)
        for wrong in ({"deadline": "2020-01-01"}, {"deadline": "soon"},
                      {"deadline": "2999-01-01"}, {"deadline": "2030-01-01", "deadline_h": 5}):
            problem = self.compare(status=400, **wrong)
            self.assertEqual("deadline", problem["field"], problem)

    def test_the_nearest_is_named_where_none_keeps_a_deadline(self):
        self.three()
        decision = self.compare(workload="mlp2017", samples=3.6e6, deadline_h=1)["decision"]
        self.assertEqual("c.large", decision["nearest"]["instance_type"])
        self.assertEqual(0, decision["nearest"]["probability"])
        self.assertIn("of it in parallel would keep the deadline", decision["words"])

    def test_a_budget_picks_the_fastest_within_it(self):
        self.three()
        decision = self.compare(workload="mlp2017", samples=3.6e6, budget=10)["decision"]
        self.assertEqual("c.large", decision["instance_type"])
        decision = self.compare(workload="mlp2017", samples=3.6e6, budget=1.5)["decision"]
        self.assertIn(decision["instance_type"], ("a.large", "b.large"))

    def test_a_job_is_charged_by_the_rule_of_its_time(self):
        self.three()
        def charged(**question):
            return self.compare(workload="mlp2017", job_seconds=30, **question)["rows"][0]["job"]
        self.about(charged()["charged_seconds"], 60, places=6)
        self.about(charged(boot_seconds=45)["charged_seconds"], 75, places=6)

    def test_a_utility_orders_the_rows_and_an_error_in_it_is_located(self):
        self.three()
        question = {"workload": "mlp2017", "utility": "samples_per_second"}
        row = self.compare(**question)["rows"][0]
        self.assertEqual("c.large", row["instance_type"])
        self.about(row["utility"], 300, places=1)
        for formula, position in (("samples_per_dollar +", 21), ("nothing", 1), ("(1", 3)):
            problem = self.compare(400, workload="mlp2017", utility=formula)
            self.assertEqual("utility", problem["field"])
            self.assertIn(f"character {position}", problem["detail"])

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

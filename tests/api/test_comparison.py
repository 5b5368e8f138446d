"""The comparison as clients see it: what was published comes out as published, what is not known is
said in words, and prices, deadlines and formulas change the order as they should."""
from harness import Case, ServerCase, fake
from stored_rows import store_types


class Rand(ServerCase):
    """Section 3 of what was published: one machine, nine ways to train on it."""
    FLAGS = ("--published", "on")
    ALL = {"configuration": "all", "provenance": "published"}

    def row(self, speed, **question):
        rows = self.server.ask("/v1/comparison", **self.ALL, **question)["rows"]
        return next(row for row in rows if row["throughput"]["value"] == speed)

    def test_each_way_gives_the_published_samples_per_dollar(self):
        for speed, on_demand, spot in ((9.12, 91966, 254314), (40.73, 410723, 1135771)):
            for price, dollars in (("on_demand", on_demand), ("spot", spot)):
                with self.subTest(speed=speed, price=price):
                    row = self.row(speed, price=price)
                    self.assertAlmostEqual(dollars, row["samples_per_dollar"]["value"], delta=1)
                    self.assertIsNone(row["samples_per_dollar"]["low"])
                    self.assertEqual("published", row["price"]["freshness"])


class Measured(Case):
    """Rows of runs: fake ones, whose speeds are then written by hand. A server for each test."""

    def setUp(self):
        self.server = self.own_server("--provider", "aws", "--region", "us-east-1",
                                      "--instance-type", "a.large",
                                      "--life-cycle", "on_demand", engines={"ok": fake("ok")})

    def compare(self, **question):
        return self.server.ask("/v1/comparison", workload="mlp2017", **question)

    def store(self, **types):
        run = self.server.post({"engine": "ok", "steps": 2}, "?wait=30").json()["id"]
        store_types(self.server, run, {f"{name}.large": speeds for name, speeds in types.items()})

    def ranks(self, **question):
        rows = self.compare(**question)["rows"]
        return {row["instance_type"]: tuple(row["rank"].values()) for row in rows}

    def three(self):
        self.store(a=(100, 101, 99), b=(102, 101, 103), c=(300, 303, 297))
        for instance, dollars in (("a.large", "0.1"), ("b.large", "0.1"), ("c.large", "0.9")):
            self.server.price(instance, dollars, provider="aws")

    def test_ranks_lie_between_the_rows_that_are_surely_better_and_surely_worse(self):
        self.three()
        rows = self.compare()["rows"]
        self.assertEqual({"a.large": (1, 2), "b.large": (1, 2), "c.large": (3, 3)}, self.ranks())
        self.assertEqual([True, True, False], [row["may_be_best"] for row in rows])
        self.assertEqual([{"rows": [rows[1]["id"]], "count": 1}, {"rows": [rows[0]["id"]], "count": 1},
                          {"rows": [], "count": 0}],
                         [row["cannot_be_told_apart_from"] for row in rows])
        for row in rows:
            self.assertEqual("vms", row["throughput"]["level"])
            self.assertTrue(row["throughput"]["generalisable"])

    def test_a_parameter_that_matches_nothing_says_so(self):
        self.three()
        self.assertEqual([], self.compare()["unmatched"])
        text = self.server.get("/v1/comparison?workload=mpl&format=markdown").body.decode()
        self.assertIn("`workload=mpl` matches nothing: no run trained 'mpl'; known are mlp2017", text)

    def test_a_deadline_picks_the_cheapest_that_keeps_it(self):
        self.three()
        decision = self.compare(samples=3.6e6, deadline_h=5)["decision"]
        self.assertEqual("c.large", decision["instance_type"])
        answer = self.compare(samples=3.6e6, deadline_h=1)
        self.assertIsNone(answer["decision"]["row"])
        self.assertIn("none keeps", answer["decision"]["words"])
        slow = next(row for row in answer["rows"] if row["instance_type"] == "a.large")
        self.assertIn(slow["job"]["in_parallel"]["instances"], (10, 11))
        self.assertIn("upper bound", slow["job"]["in_parallel"]["words"])
        self.assertEqual(0, slow["job"]["prospect"]["probability"])

    def test_the_same_question_has_the_same_name_until_something_changes(self):
        self.three()
        target = "/v1/comparison?workload=mlp2017"
        first = self.server.get(target)
        known = {"If-None-Match": first.headers["etag"]}
        again = self.server.request("GET", target, headers=known)
        self.assertEqual((304, b""), (again.status, again.body))
        self.server.price("a.large", "0.2", provider="aws")
        changed = self.server.request("GET", target, headers=known)
        self.assertEqual(200, changed.status)
        self.assertNotEqual(first.headers["etag"], changed.headers["etag"])

    def test_metrics_carry_every_row(self):
        self.three()
        text = self.server.get("/metrics").body.decode()
        lines = [line for line in text.splitlines()
                 if line.startswith("pennyworth_samples_per_dollar{")]
        self.assertEqual(3, len(lines))
        self.assertIn(',instance_type="c.large",', text)

"""The comparison as clients see it: what is not known is said in words, a deadline decides, and the
same question has the same answer until something changes."""
from harness import Case, fake
from stored_rows import store_types


class Measured(Case):
    """Rows of runs: fake ones, whose speeds are then written by hand. A server for each test."""

    def setUp(self):
        self.server = self.own_server("--provider", "aws", "--region", "us-east-1",
                                      "--instance-type", "a.large",
                                      "--life-cycle", "on_demand", engines={"ok": fake("ok")})
        run = self.server.run("ok", steps=2)["id"]
        store_types(self.server, run, {"a.large": (100, 101, 99), "b.large": (102, 101, 103),
                                       "c.large": (300, 303, 297)})
        for instance, dollars in (("a.large", "0.1"), ("b.large", "0.1"), ("c.large", "0.9")):
            self.server.price(instance, dollars, provider="aws")

    def compare(self, **question):
        return self.server.ask("/v1/comparison", workload="mlp2017", **question)

    def test_a_parameter_that_matches_nothing_says_so(self):
        self.assertEqual([], self.compare()["unmatched"])
        text = self.server.get("/v1/comparison?workload=mpl&format=markdown").body.decode()
        self.assertIn("`workload=mpl` matches nothing: no run trained 'mpl'; known are mlp2017", text)

    def test_a_deadline_picks_the_cheapest_that_keeps_it(self):
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
        text = self.server.get("/metrics").body.decode()
        lines = [line for line in text.splitlines()
                 if line.startswith("pennyworth_samples_per_dollar{")]
        self.assertEqual(3, len(lines))
        self.assertIn(',instance_type="c.large",', text)

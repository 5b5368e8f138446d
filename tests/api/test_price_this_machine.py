"""The price of a machine without a type, which a person types: what is stored, which runs have it,
and what is refused."""
from harness import Case, fake
from stored_rows import measured

HOUR = {"machine": "this", "price_per_hour": 0.5}
OWN = {"purchase": 1752, "years": 4, "watts": 100, "cents_per_kwh": 30}


class ThisMachine(Case):
    def setUp(self):
        self.server = self.own_server(engines={"ok": fake("ok"), "slow": fake("slow", 20)})

    def type_in(self, server=None, **given):
        return (server or self.server).create("/v1/prices", {"machine": "this", **given})

    def rows(self, server=None, **asked):
        return (server or self.server).ask("/v1/comparison", workload="resnet50", **asked)["rows"]

    def test_what_is_typed_is_the_price_of_this_machine(self):
        machine = self.server.get("/v1/machine").json()
        self.assertIsNone(machine["price"])
        self.assertIn("type the price of this machine", machine["why_no_price"])
        for given, kind, dollars, formula in (
                ({"price_per_hour": 0.5}, "typed", 0.5, "0.5 USD an hour"),
                ({"per_month": 73}, "typed", 0.1, "73 USD a month / 730 h"),
                ({"own": OWN}, "own", 0.08, "1752 USD / (4 years * 8760 h) + 100 W / 1000"
                                            " * 30 cents a kWh / 100"),
                ({"price_per_hour": 0.25}, "typed", 0.25, "0.25 USD an hour")):
            with self.subTest(given):
                answer = self.type_in(**given)
                self.assertEqual([dollars, formula, 0],
                                 [answer["machine"][each] for each in
                                  ("price_per_hour", "formula", "runs")])
                stored = answer["prices"][0]
                self.assertEqual([kind, dollars, "typed", formula],
                                 [stored[each] for each in
                                  ("kind", "price_per_hour", "feed", "reference")])
                price = self.server.get("/v1/machine").json()["price"]
                self.assertEqual([kind, dollars, formula],
                                 [price[each] for each in ("kind", "price_per_hour", "reference")])
                listed = self.server.get("/v1/prices").json()["prices"]
                self.assertEqual([(stored["id"], dollars)],
                                 [(each["id"], each["price_per_hour"]) for each in listed])

    def test_runs_from_now_on_keep_it_and_stored_ones_have_it_at_once(self):
        before = measured(self.server)
        [row] = self.rows()
        self.assertIsNone(row["price"])
        self.assertEqual(1, self.type_in(price_per_hour=0.5)["machine"]["runs"])
        cost = self.server.show(before)["cost"]
        self.assertEqual(["typed-later", "typed", 0.5],
                         [cost["price"][each] for each in ("feed", "kind", "price_per_hour")])
        self.assertIsNone(cost["why_no_price"])
        speed = self.server.show(before)["summary"]["samples_per_second"]
        self.assertAlmostEqual(speed * 3600 / 0.5, cost["samples_per_dollar"]["value"], 3)
        after = measured(self.server)
        self.assertEqual("typed", self.server.show(after)["cost"]["price"]["feed"])
        listed = {each["id"]: each["cost"] for each in self.server.get("/v1/runs").json()["runs"]}
        self.assertEqual([0.5, 0.5], [listed[each]["price_per_hour"] for each in (before, after)])
        self.assertEqual(["typed-later", "typed"], [listed[each]["feed"] for each in (before, after)])

    def test_the_comparison_has_dollars_at_once_in_json_csv_and_markdown(self):
        measured(self.server)
        self.assertIsNone(self.rows()[0]["samples_per_dollar"])
        for dollars in (0.5, 0.125):
            self.type_in(price_per_hour=dollars)
            for kinds in ({}, {"price": "typed"}, {"price": "paid"}):
                [row] = self.rows(**kinds)
                self.assertEqual(dollars, row["price"]["price_per_hour"])
                self.assertGreater(row["samples_per_dollar"]["value"], 0)
            for accept in ("text/csv", "text/markdown"):
                text = self.server.get("/v1/comparison?workload=resnet50", Accept=accept).body
                self.assertIn(str(dollars).encode(), text)
        other = self.server.get("/v1/comparison?workload=mlp2017").json()
        self.assertEqual(0, other["unmeasured"]["count"])

    def test_a_second_price_replaces_the_first_and_what_was_paid_stays(self):
        before = measured(self.server)
        self.type_in(price_per_hour=0.5)
        paid = measured(self.server)
        self.assertEqual(1, self.type_in(own=OWN)["machine"]["runs"])
        cost = self.server.show(before)["cost"]
        self.assertEqual(["own", 0.08], [cost["price"][each] for each in ("kind", "price_per_hour")])
        self.assertEqual(0.5, self.server.show(paid)["cost"]["price"]["price_per_hour"])
        [row] = self.rows()
        self.assertEqual(0.08, row["price"]["price_per_hour"])

    def test_a_price_that_is_withdrawn_is_no_price_of_them_any_more(self):
        before = measured(self.server)
        first = self.type_in(price_per_hour=0.5)
        second = self.type_in(price_per_hour=5)
        for answer, left in ((second, 0.5), (first, None)):
            path = f"/v1/prices/{answer['prices'][0]['id']}/withdraw"
            self.assertEqual(200, self.server.post({"reason": "a typo"}, path=path).status)
            cost = self.server.show(before)["cost"]
            self.assertEqual(left, cost["price"] and cost["price"]["price_per_hour"])
        self.assertIsNone(cost["samples_per_dollar"])
        self.assertIsNone(self.rows()[0]["price"])

    def test_a_run_that_goes_on_has_it_too(self):
        run = self.server.begin("slow", steps=50)
        self.type_in(price_per_hour=0.5)
        self.server.wait(run)
        self.assertEqual(["typed-later", 0.5], [self.server.show(run)["cost"]["price"][each]
                                                for each in ("feed", "price_per_hour")])

    def test_a_run_that_had_a_price_keeps_it(self):
        self.server.stop()
        typed = self.own_server("--price-per-hour", "2", engines={"ok": fake("ok")})
        run = measured(typed)
        self.assertEqual(0, self.type_in(typed, price_per_hour=0.5)["machine"]["runs"])
        self.assertEqual(2, typed.show(run)["cost"]["price"]["price_per_hour"])

    def test_of_a_machine_with_a_type_it_is_the_price_of_the_type(self):
        typed = self.own_server("--provider", "aws", "--region", "us-east-1", "--instance-type",
                                "our.box", engines={"ok": fake("ok")})
        run = measured(typed)
        stored = self.type_in(typed, price_per_hour=0.5)["prices"][0]
        self.assertEqual(["aws", "us-east-1", "our.box"],
                         [stored[each] for each in ("provider", "region", "instance_type")])
        self.assertEqual("typed-later", typed.show(run)["cost"]["price"]["feed"])
        self.assertEqual(0.5, self.rows(typed)[0]["price"]["price_per_hour"])

    def test_every_refusal_names_the_field_and_changes_nothing(self):
        run = measured(self.server)
        self.type_in(price_per_hour=0.5)
        for body, field, words in (
                ({"machine": "that", "price_per_hour": 1}, "machine", 'must be "this"'),
                ({"machine": "this"}, "price_per_hour", "exactly one"),
                ({**HOUR, "instance_type": "x"}, "instance_type", "price_per_hour"),
                ({"machine": "this", "own": {"purchase": 1}}, "own.years", "is missing"),
                ({"machine": "this", "own": {**OWN, "purchase": 0, "watts": 0}}, "own", "makes 0 USD")):
            with self.subTest(body):
                reply = self.server.post(body, path="/v1/prices")
                self.assertProblem(reply, 400, "invalid", field)
                self.assertIn(words, reply.json()["detail"])
        self.assertEqual(0.5, self.server.get("/v1/machine").json()["price"]["price_per_hour"])
        self.assertEqual(0.5, self.server.show(run)["cost"]["price"]["price_per_hour"])

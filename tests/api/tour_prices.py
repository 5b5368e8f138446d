"""The part of the tour of the API about prices, and about what is known of instance types."""


class TourOfPrices:
    def visit_prices(self, server):
        then = "2026-01-02T03:04:05Z"
        machine = self.ask(server, "GET", "/v1/machine", 200).json()
        self.assertIsNone(machine["price"])
        self.ask(server, "GET", "/v1/machine/load", 200)
        absent = self.ask(server, "GET", "/v1/prices?instance_type=test.large", 200).json()
        self.assertGreater(len(absent["absent"]), 5)
        for path, extra in (("/v1/prices", {"note": "agreed"}), ("/v1/discounts", {"note": "x"})):
            self.post(server, 201, {**self.POSTED[path], **extra, "valid_from": then}, path=path)
            self.post(server, 409, {**self.POSTED[path], "valid_from": then}, path=path)
        self.post(server, 201, {"prices": [self.POSTED["/v1/prices"]]}, path="/v1/prices")
        self.post(server, 404, {"instance_type": "x", "price_per_hour": None}, path="/v1/prices")
        for price in ({"per_month": 365}, {"own": {"purchase": 1752, "years": 4, "watts": 100,
                                                   "cents_per_kwh": 30}}, {"price_per_hour": 0.5}):
            self.post(server, 201, {"machine": "this", **price}, path="/v1/prices")
        self.assertIsNotNone(self.ask(server, "GET", "/v1/machine", 200).json()["price"])
        for query in ("?instance_type=test.large&history=true", "?limit=1", "?at=" + then):
            self.ask(server, "GET", "/v1/prices" + query, 200)
        for path in ("/v1/feeds", "/v1/instances", "/v1/instances?region=r", "/v1/discounts"):
            self.ask(server, "GET", path, 200)
        run = self.post(server, 201, {**self.SPEC, "steps": 60, "warmup_steps": 5}, "?wait=30").json()
        cost, speed = run["cost"], run["summary"]["samples_per_second"]
        self.assertEqual("0.5", cost["price"]["text"])
        self.assertAlmostEqual(speed * 3600 / 0.5, cost["samples_per_dollar"]["value"], 3)
        failed = self.post(server, 201, {"engine": "crash"}, "?wait=30").json()
        self.assertIsNotNone(failed["cost"]["price"])
        self.assertIsNone(failed["cost"]["dollars_per_million_samples"])

    def visit_types(self, server):
        capacity = "/v1/capacity"
        self.post(server, 201, path=capacity)
        self.post(server, 200, path=capacity)
        [count] = self.ask(server, "GET", capacity, 200).json()["capacity"]
        self.assertEqual(1, count["preempted"])
        for accept in ("application/json", "text/csv"):
            self.ask(server, "GET", "/v1/support", 200, {"Accept": accept})
        families = self.ask(server, "GET", "/v1/families?workload=mlp2017", 200).json()["families"]
        self.assertEqual({("test", "test.large")},
                         {(family["family"], family["sizes"][0]["instance_type"]) for family in families})
        wanted = self.ask(server, "GET", "/v1/wanted?days=1", 200).json()
        self.assertEqual("test.large", wanted["instance_type"])
        self.assertTrue(wanted["wanted"])

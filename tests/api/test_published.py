"""What others published: there from the start, stored once, and never mixed with local measurements."""
from harness import ServerCase, fake, until
from run_documents import FIGURE


class Published(ServerCase):
    FLAGS = ("--published", "on", "--provider", "aws", "--region", "us-east-1",
             "--instance-type", "c7i.2xlarge", "--life-cycle", "on_demand")

    def figures(self, server=None):
        return (server or self.server).get("/v1/figures").json()["figures"]

    def prices(self, query):
        return self.server.get("/v1/prices?" + query).json()

    def test_the_networks_of_2017_are_listed_with_measured_ones(self):
        """The K80 is the reference: its cost is 1, and the job has the article's samples."""
        server = self.own_server("--published", "on", "--provider", "aws", "--region", "us-east-1",
                                 "--instance-type", "a.large", "--price-per-hour", "0.36",
                                 engines={"ok": fake("speed")})
        run = server.run("ok", workload="mlp2017", steps=60, warmup_steps=5)
        rows = server.get("/v1/comparison?workload=mlp2017&configuration=all&price=spot,on_demand"
                          "&reference=n1-standard-k80&samples=1200000").json()["rows"]
        shown = {(row["instance_type"], row["engine"]): row for row in rows}
        self.assertEqual(10, len(shown))
        gpu = shown["n1-standard-k80", "tensorflow-1.2.1-gpu"]
        self.assertAlmostEqual(65.1, gpu["job"]["hours"] * 3600, places=3)
        self.assertEqual((1, "published"), (gpu["to_reference"]["relative_cost"], gpu["provenance"]))
        cpu = shown["n1-highcpu-8", "tensorflow-1.2.1-compiled"]
        self.assertAlmostEqual(87.8, cpu["job"]["hours"] * 3600, places=3)
        self.assertAlmostEqual(87.8 * 0.0636 / (65.1 * 0.4975), cpu["to_reference"]["relative_cost"], 4)
        for row in rows:
            self.assertTrue(row["rank"] is None or row["provenance"] == "measured")
        if run["validity"]["level"] == "invalid":
            self.skipTest("this machine was too busy for a valid run")
        ours = shown["a.large", "ok"]
        speed = run["summary"]["samples_per_second"]
        self.assertAlmostEqual(1, ours["job"]["hours"] * 3600 * speed / 1200000)
        self.assertAlmostEqual(1, ours["to_reference"]["relative_cost"] * 65.1 * 0.4975 * speed
                               / (0.36 * 1200000), 4)

    def test_a_user_may_enter_one_with_its_source(self):
        server = self.own_server("--published", "off")

        def enter(**changes):
            return server.post({**FIGURE, **changes}, path="/v1/figures")

        def row():
            return server.get("/v1/comparison").json()["rows"][0]

        self.assertEqual(201, enter().status)
        self.assertIsNone(row()["price"])
        server.price("x1.large", "1.212")
        self.assertAlmostEqual(1009901, row()["samples_per_dollar"]["value"], delta=1)
        self.assertEqual(("published", None), (row()["provenance"], row()["rank"]))
        self.assertEqual(201, enter(samples_per_second=341).status)
        self.assertEqual([341], [each["samples_per_second"] for each in self.figures(server)])
        self.assertProblem(enter(unit="job"), 400, field="seconds")
        self.assertProblem(enter(id="another"), 409, field="id")

    def test_its_prices_say_what_they_are_and_how_old(self):
        page = self.prices("instance_type=c7i.2xlarge")
        self.assertEqual({"0.357": "on_demand", "0.1291": "spot"},
                         {price["text"]: price["kind"] for price in page["prices"]})
        for price in page["prices"]:
            self.assertEqual(
                ("published with a figure", "published", True, "expired", "2024-09-01T00:00:00.000Z"),
                tuple(price[name] for name in (
                    "label", "feed", "third_party", "freshness", "valid_from")))
            self.assertGreater(price["age_seconds"], 365 * 86400)
        self.assertGreater(len(page["absent"]), 5)  # of feeds there is still none
        k80 = "instance_type=n1-standard-k80&at="
        self.assertEqual([], self.prices(k80 + "2017-06-30T00:00:00Z")["prices"])
        for day, text in (("2017-07-01", "0.745"), ("2017-11-01", "0.4975")):
            self.assertEqual([text], [price["text"] for price in
                                      self.prices(k80 + day + "T00:00:00Z")["prices"]])

    def test_this_machine_does_not_cost_what_an_article_says(self):
        machine = self.server.get("/v1/machine").json()
        self.assertIsNone(machine["price"])
        self.assertIn("no feed has a price", machine["why_no_price"])
        run = self.server.run()
        self.assertIsNone(run["cost"]["price"])
        self.assertIsNone(run["cost"]["samples_per_dollar"])

    def test_a_second_start_adds_nothing_and_a_late_one_neither(self):
        server = self.own_server("--published", "on")
        first = self.figures(server)
        server.stop()
        server.start()
        self.assertEqual(first, self.figures(server))
        late = self.own_server()
        self.assertEqual([], self.figures(late))
        until(lambda: late.run()["state"] == "finished", "a run is there")
        late.stop()
        late.flags = ["--published", "on"]
        late.start()
        self.assertEqual([], self.figures(late))

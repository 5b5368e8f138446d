"""Prices of commitments: listed with term and payment, compared where a question names them, and
never in the place of a price by the hour."""
from feed_payloads import Azure
from feed_server import FeedServer
from harness import Case
from openapi import Described
from price_server import PriceServer
from run_documents import document

YEAR = 8760


class Commitments(Described, Case):
    def setUp(self):
        self.clouds = self.running(FeedServer())
        self.azure = Azure(kinds=40)
        self.clouds.route(Azure.URL, self.azure.answer)
        self.server = self.running(PriceServer("--feed", "azure-retail=on regions=westeurope patience=1"
                                               f" url={self.clouds.url}{Azure.URL}"))
        self.server.settle(60)
        self.name = next(name for name in self.azure.names
                         if self.azure.price("westeurope", name))
        self.hourly = self.azure.price("westeurope", self.name)

    def test_a_reservation_is_listed_with_its_term(self):
        prices = {price["kind"]: price for price in self.ask(
            f"/v1/prices?instance_type={self.name}&region=westeurope")["prices"]}
        self.assertEqual({"on_demand", "spot", "reserved_1y_no_upfront",
                          "reserved_3y_no_upfront"}, set(prices))
        self.assertIsNone(prices["on_demand"]["commitment"])
        one, three = prices["reserved_1y_no_upfront"], prices["reserved_3y_no_upfront"]
        self.assertEqual({"years": 1, "payment": "no_upfront", "upfront": 0}, one["commitment"])
        self.assertEqual(3, three["commitment"]["years"])
        self.assertAlmostEqual(self.hourly * 5000 / YEAR, one["price_per_hour"], places=6)
        self.assertAlmostEqual(self.hourly * 10000 / (3 * YEAR), three["price_per_hour"], places=6)
        only = self.ask(f"/v1/prices?instance_type={self.name}&kind=reserved_3y_no_upfront")
        self.assertEqual([three["id"]], [price["id"] for price in only["prices"]])

    def test_instances_have_them_as_well_as_the_others(self):
        self.server.sql("INSERT INTO instance_types VALUES ('azure', ?, 2, 8, '', '', 'azure-retail')",
                        self.name)  # Azure's list describes no types
        shown = self.ask(f"/v1/instances?instance_type={self.name}&region=westeurope")
        kinds = {price["kind"] for row in shown["instances"] for price in row["prices"]}
        self.assertEqual({"on_demand", "spot", "reserved_1y_no_upfront",
                          "reserved_3y_no_upfront"}, kinds)

    def compare(self, more=""):
        return self.ask(f"/v1/comparison?workload=mlp2017&region=westeurope&fields=all{more}")["rows"][0]

    def measured(self):
        self.server.post(document(1, provider="azure", region="westeurope", instance_type=self.name),
                         path="/v1/runs/import")

    def test_a_comparison_has_one_where_it_is_asked_for(self):
        self.measured()
        self.assertEqual("on_demand", self.compare()["price"]["kind"])
        row = self.compare("&price=reserved_1y_no_upfront")
        self.assertEqual(("reserved_1y_no_upfront",) * 2,
                         (row["price"]["kind"], row["price"]["choice"]))
        self.assertEqual({"years": 1, "payment": "no_upfront", "upfront": 0},
                         row["price"]["commitment"])
        self.assertAlmostEqual(self.hourly * 5000 / YEAR, row["price"]["price_per_hour"], places=6)
        self.assertAlmostEqual(self.hourly, row["kinds"]["on_demand"]["price"]["price_per_hour"])
        self.assertIsNone(row["kinds"]["on_demand"]["price"]["commitment"])
        self.assertGreater(row["samples_per_dollar"]["value"],
                           row["kinds"]["on_demand"]["samples_per_dollar"]["value"])
        cheaper = self.compare("&price=reserved_3y_no_upfront&discount=0.5")["price"]
        self.assertAlmostEqual(self.hourly * 5000 / (3 * YEAR), cheaper["price_per_hour"],
                               places=6)

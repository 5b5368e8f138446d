"""Savings plans of AWS, from their list: prices of kinds of their own, with term and payment, in
JSON, CSV and Markdown."""
import json

from feed_server import Document, FeedServer
from harness import Case
from openapi import Described
from price_server import PriceServer
from run_documents import document, take_in

INDEX = "/savingsPlan/v1.0/aws/AWSComputeSavingsPlan/current/region_index.json"
FILE = "/savingsPlan/v1.0/aws/AWSComputeSavingsPlan/{}/us-east-1/index.json"
PLANS = {"P1": ("ComputeSavingsPlans", "No Upfront", "1yr"),
         "P2": ("ComputeSavingsPlans", "Partial Upfront", "1yr"),
         "P3": ("ComputeSavingsPlans", "All Upfront", "3yr"),
         "P4": ("EC2InstanceSavingsPlans", "No Upfront", "3yr")}
MEASURED = document(1, provider="aws", region="us-east-1", instance_type="m5.large")
PRICES = {"P1": "0.07", "P2": "0.068", "P3": "0.05", "P4": "0.045"}


def plan(sku, family, option, term):
    return {"sku": sku, "productFamily": family, "serviceCode": "ComputeSavingsPlans",
            "attributes": {"purchaseOption": option, "purchaseTerm": term}}


def rate(sku, instance, price, operation="RunInstances"):
    return {"discountedSku": "SKU" + sku, "discountedUsageType": "BoxUsage:" + instance,
            "discountedOperation": operation, "discountedServiceCode": "AmazonEC2",
            "rateCode": f"{sku}.SKU{sku}", "unit": "Hrs",
            "discountedRate": {"price": price, "currency": "USD"},
            "discountedRegionCode": "us-east-1", "discountedInstanceType": instance}


class SavingsPlans(Described, Case):
    def setUp(self):
        self.feeds = self.running(FeedServer())
        self.publish("20250911184447")
        self.server = self.running(PriceServer("--feed", "aws-savings-plans=on regions=us-east-1 patience=1"
                                               f" url={self.feeds.url}"))
        self.server.settle(60)

    def publish(self, version, prices=PRICES):
        self.feeds.route(INDEX, Document(json.dumps({"regions": [
            {"regionCode": "us-east-1", "versionUrl": FILE.format(version)}]})))
        self.feeds.route(FILE.format(version), Document(json.dumps({
            "publicationDate": "2025-09-11T18:44:47Z",
            "products": [plan(sku, *words) for sku, words in PLANS.items()],
            "terms": {"savingsPlan": [{"sku": sku, "rates": [
                rate(sku, "m5.large", price), rate(sku, "c5.large", price),
                rate(sku, "m5.large", "0.01", "RunInstances:0002")]}
                for sku, price in prices.items()]}})))

    def test_each_plan_is_listed_with_term_and_payment(self):
        prices = {price["kind"]: price for price in
                  self.ask("/v1/prices?instance_type=m5.large")["prices"]}
        self.assertEqual({"savings_plan_1y", "savings_plan_1y_partial_upfront",
                          "savings_plan_3y_all_upfront", "instance_savings_plan_3y_no_upfront"},
                         set(prices))
        self.assertEqual({"years": 1, "payment": "no_upfront", "upfront": 0},
                         prices["savings_plan_1y"]["commitment"])
        self.assertEqual({"years": 1, "payment": "partial_upfront", "upfront": 297.84},
                         prices["savings_plan_1y_partial_upfront"]["commitment"])
        self.assertEqual({"years": 3, "payment": "all_upfront", "upfront": 1314},
                         prices["savings_plan_3y_all_upfront"]["commitment"])
        self.assertEqual((0.05, "fresh", "2025-09-11T18:44:47.000Z"), tuple(
            prices["savings_plan_3y_all_upfront"][name] for name in (
                "price_per_hour", "freshness", "source_time")))
        one = self.ask("/v1/prices?kind=instance_savings_plan_3y_no_upfront"
                           "&instance_type=c5.large")["prices"]
        self.assertEqual([0.045], [price["price_per_hour"] for price in one])

    def test_a_comparison_shows_term_and_payment_in_json_csv_and_markdown(self):
        take_in(self.server, [MEASURED])
        asked = "/v1/comparison?workload=mlp2017&region=us-east-1&price=savings_plan_3y_all_upfront"
        price = self.ask(asked)["rows"][0]["price"]
        self.assertEqual(("savings_plan_3y_all_upfront", 0.05),
                         (price["kind"], price["price_per_hour"]))
        self.assertEqual({"years": 3, "payment": "all_upfront", "upfront": 1314},
                         price["commitment"])
        row, = self.server.get(asked + "&format=csv").rows()
        self.assertEqual(("savings_plan_3y_all_upfront", "0.05", "3", "all_upfront", "1314"),
                         tuple(row[name] for name in (
                             "price_kind", "dollars_per_hour", "commitment_years",
                             "commitment_payment", "commitment_upfront_dollars")))
        words = self.server.get(asked + "&format=markdown").body.decode()
        self.assertIn("$0.05 savings_plan_3y_all_upfront, $1314.00 of it at once for the term",
                      words)

    def test_a_kind_without_a_price_names_the_feed_that_has_it(self):
        take_in(self.server, [MEASURED])
        asked = "/v1/comparison?workload=mlp2017&region=us-east-1&price="
        for kind, words in (("convertible_1y_no_upfront",
                             "--feed 'aws-offer=on committed=on regions=us-east-1' reads it"),
                            ("savings_plan_3y",
                             "--feed 'aws-savings-plans=on regions=us-east-1' reads it"),
                            ("committed_use_1y", "no feed knows such a kind of aws")):
            row = self.ask(asked + kind)["rows"][0]
            self.assertIn(f"no feed has a price ({kind}) for m5.large", row["why_no_price"])
            self.assertIn(words, row["why_no_price"])
            self.assertIn("price=savings_plan_1y", row["why_no_price"])

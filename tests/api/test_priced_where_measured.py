"""Where a row of a comparison is priced: in the region of its runs unless the question names
regions, and what is said where no price is known there."""
import time

from harness import Case
from openapi import Described
from price_server import PriceServer
from run_documents import document, machine, take_in

RUNS = {"eu-central-1": "home.large", "us-east-1": "usual.large", "eu-west-3": "nowhere.large",
        "eu-west-9": "other.large"}
PRICES = """provider,region,zone,instance_type,kind,currency,price_per_hour
aws,eu-central-1,,home.large,on_demand,USD,0.4074
aws,us-east-1,,home.large,on_demand,USD,0.357
aws,eu-central-1,,home.large,spot,USD,0.2
aws,us-east-1,,usual.large,on_demand,USD,0.1
aws,us-east-1,,nowhere.large,on_demand,USD,0.3
aws,us-west-2,,nowhere.large,on_demand,USD,0.31
aws,eu-west-3,eu-west-3a,nowhere.large,spot,USD,0.05
aws,eu-west-9,,other.large,on_demand,EUR,0.2
aws,eu-west-9,,other.large,spot,USD,0.1
"""


class Regions(Described, Case):
    @classmethod
    def setUpClass(cls):
        cls.server = PriceServer("--provider", "aws", "--region", "eu-north-1", "--zone", "eu-north-1b",
                                 prices=PRICES).start()
        cls.addClassCleanup(cls.server.stop)
        cls.server.settle()
        take_in(cls.server, [document(number, provider="aws", region=region, instance_type=kind)
                             for number, (region, kind) in enumerate(RUNS.items())])

    def ask(self, query="", path="/v1/comparison"):
        return super().ask(f"{path}?workload=mlp2017&fields=all&{query}")

    def row(self, kind, query=""):
        return next(row for row in self.ask(query)["rows"] if row["instance_type"] == kind)

    def test_a_row_is_priced_where_it_was_measured(self):
        answer = self.ask()
        self.assertTrue(answer["question"]["priced_where_measured"])
        row = self.row("home.large")
        self.assertEqual(("eu-central-1", 0.4074),
                         (row["price"]["region"], row["price"]["price_per_hour"]))
        self.assertEqual(0.2, row["kinds"]["spot"]["price"]["price_per_hour"])
        self.assertEqual(0.1, self.row("usual.large")["price"]["price_per_hour"])

    def test_unless_the_question_names_regions(self):
        answer = self.ask("region=us-east-1")
        self.assertFalse(answer["question"]["priced_where_measured"])
        row = self.row("home.large", "region=us-east-1")
        self.assertEqual(("us-east-1", 0.357),
                         (row["price"]["region"], row["price"]["price_per_hour"]))

    def test_a_price_of_another_region_never_stands_in_and_is_named(self):
        row = self.row("nowhere.large")
        self.assertIsNone(row["price"])
        self.assertEqual("no feed has an on-demand price of it in eu-west-3; one is known in "
                         "us-east-1 and 1 more: region=us-east-1 asks there", row["why_no_price"])
        self.assertEqual(row["why_no_price"], row["why_no_rank"])
        self.assertEqual(row["why_no_price"], row["kinds"]["on_demand"]["why_no_price"])

    def test_another_currency_or_kind_is_named(self):
        row = self.row("other.large")
        self.assertIn("in eu-west-9; one is known in EUR, which is not converted",
                      row["why_no_price"])
        row = self.row("usual.large", "price=spot")
        self.assertIn("a price of another kind is known: price=on_demand", row["why_no_price"])

    def test_a_zone_is_named(self):
        row = self.row("nowhere.large", "price=spot&zone=eu-west-3c")
        self.assertIn("one is known for zone eu-west-3a: zone=eu-west-3a asks for it",
                      row["why_no_price"])
        self.assertEqual(0.05, self.row("nowhere.large", "price=spot")["price"]["price_per_hour"])

    def test_a_region_or_zone_that_no_price_is_of_is_unmatched(self):
        for query, value, words in (
                ("region=us-east-1,eu-wset-3", "eu-wset-3",
                 "no price is of this region; the nearest that one is of is eu-west-3"),
                ("zone=eu-west-3z", "eu-west-3z",
                 "no price is of this zone; the nearest that one is of is eu-west-3a"),
                ("zone=euw3-az1", "euw3-az1",
                 "no price is of this zone; the nearest that one is of is eu-west-3a; ids of zones "
                 "are mapped to names for this machine's zone alone")):
            unmatched, = self.ask(query)["unmatched"]
            self.assertEqual((query.partition("=")[0], value, words), (
                unmatched["parameter"], unmatched["value"], unmatched["words"]))
        self.assertEqual([], self.ask("region=eu-west-3&zone=eu-west-3a")["unmatched"])

    def test_a_run_in_a_new_region_is_priced_there_at_once(self):
        self.ask()
        time.sleep(0.01)
        take_in(self.server, [document(90, provider="aws", region="us-west-2", instance_type="nowhere.large",
                                       machine=machine({}, "00000000000000aa"))])
        rows = [row for row in self.ask()["rows"] if row["instance_type"] == "nowhere.large"]
        self.assertEqual({None, 0.31}, {row["price"] and row["price"]["price_per_hour"]
                                        for row in rows})

    def test_labels_ask_about_the_regions_of_their_runs(self):
        run = document(91, provider="aws", region="us-west-2", instance_type="home.large")
        run["spec"]["labels"] = {"branch": "west"}
        take_in(self.server, [run])
        row = self.row("home.large", "label=branch=west")
        self.assertIn("in us-west-2; one is known in eu-central-1 and 1 more", row["why_no_price"])

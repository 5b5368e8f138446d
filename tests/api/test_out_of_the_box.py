"""What is priced out of the box: a plain machine of each cloud without any key or setting, and a hub
that stands elsewhere. The clouds' metadata services and all feeds are played on loopback."""
import re
import time
import urllib.parse

from feed_payloads import Aws, Azure
from feed_server import Document, FeedServer
from harness import Case, until
from price_server import PriceServer
from run_documents import document, take_in
from test_identity import AWS, play_aws, play_azure, play_gcp

GOOGLE_REGIONS = ["us-central1", "europe-west4"] + [f"made-up{number}" for number in range(20)]
GOOGLE_TYPES = ("n1-standard-4", "n2-standard-4", "e2-standard-4")


def third_party_list():
    """pricing.yml, generated just now."""
    lines = ["about:", f"  timestamp: {int(time.time())}", "compute:", "  instance:"]
    for name in GOOGLE_TYPES:
        lines += [f"    {name}:", "      cost:"]
        for number, region in enumerate(GOOGLE_REGIONS):
            lines += [f"        {region}:", f"          hour: 0.2{number:02}",
                      f"          hour_spot: 0.0{number + 11}"]
        lines += ["      cpu: 4", "      ram: 16"]
    return "\n".join(lines) + "\n"


class Unset(PriceServer):
    """A server whose feeds are as they are without settings, but that each is on loopback."""

    def command(self):
        words = super().command()
        at = words.index("all=off")
        return words[:at - 1] + words[at + 1:]


class OutOfTheBox(Case):
    def setUp(self):
        self.clouds = self.running(FeedServer())
        self.aws, self.azure = Aws(regions=32, kinds=30), Azure(kinds=40)
        self.clouds.route("/spot.json", Document(self.aws.spot_page(), '"1"', time.time()))
        self.clouds.route("/locations/", self.aws.locations())
        self.clouds.route(re.compile("meteredUnitMaps"), self.on_demand_page)
        self.clouds.route(Azure.URL, self.azure.answer)
        self.clouds.route("/pricing.yml", third_party_list())

    def on_demand_page(self, exchange):
        name = urllib.parse.unquote(exchange.request.path).split("/")[-3]
        page = self.aws.on_demand_page(name)
        exchange.send(200, re.sub(rb"2026-08-..T17:17:52Z",
                                  time.strftime("%Y-%m-%dT00:00:00Z").encode(), page))

    def serve(self, *flags):
        here = self.clouds.url
        words = [f"aws-spot-page=url={here}/spot.json patience=1",
                 f"aws-on-demand-page=url={here} patience=1",
                 f"aws-spot-advisor=url={here}/advisor.json patience=1",
                 f"aws-spot-history=url={here} patience=1",
                 f"azure-retail=url={here}{Azure.URL} patience=1",
                 f"gcp-billing-catalog=url={here} patience=1",
                 f"gcp-third-party=url={here}/pricing.yml patience=1"]
        server = self.running(Unset("--feed", ";".join(words), *flags, environment={"HOME": "/nowhere"}))
        server.settle(60)
        return server

    def machine(self, server):
        return server.get("/v1/machine").json()

    def read(self, server, feed):
        return sorted({price["region"] for price in server.prices(feed=feed)})

    def test_a_machine_of_aws(self):
        play_aws(self.clouds, AWS | {"instance-type": "m5.large"})
        server = self.serve("--metadata", f"aws={self.clouds.url}")
        price = self.machine(server)["price"]
        self.assertEqual(("aws-spot-page", "us-east-1", "m5.large", "spot"), (
            price["feed"], price["region"], price["instance_type"], price["kind"]))
        self.assertEqual("off", server.feed("gcp-third-party")["state"])
        self.assertEqual([], self.clouds.asked("/pricing.yml"))

    def test_a_machine_of_azure(self):
        name = next(name for name in self.azure.names if self.azure.price("westeurope", name))
        play_azure(self.clouds, vmSize=name, location="westeurope")
        server = self.serve("--metadata", f"azure={self.clouds.url}")
        price = self.machine(server)["price"]
        self.assertEqual(("azure-retail", "westeurope", name, "on_demand", False), (
            price["feed"], price["region"], price["instance_type"], price["kind"],
            price["third_party"]))

    def test_a_machine_of_google_without_a_key(self):
        play_gcp(self.clouds)
        server = self.serve("--metadata", f"gcp={self.clouds.url}")
        price = self.machine(server)["price"]
        self.assertEqual(("gcp-third-party", "europe-west4", "n2-standard-4", "on_demand", True,
                          "0.201"), tuple(price[name] for name in (
                              "feed", "region", "instance_type", "kind", "third_party", "text")))
        self.assertIn("third party", price["label"])

    def test_a_google_type_that_the_list_lacks_hears_of_both_ways(self):
        play_gcp(self.clouds)
        server = self.serve("--metadata", f"gcp={self.clouds.url}", "--instance-type",
                            "c4-standard-8")
        why = self.machine(server)["why_no_price"]
        for words in ("PENNYWORTH_GCP_KEY reads Google's own list",
                      "--feed gcp-third-party=on the list of a third party", "--price-per-hour"):
            self.assertIn(words, why)

    def test_what_the_settings_say_of_the_third_party_list_holds(self):
        play_gcp(self.clouds)
        server = self.serve("--metadata", f"gcp={self.clouds.url}", "--feed",
                            "gcp-third-party=off")
        self.assertIsNone(self.machine(server)["price"])
        self.assertEqual([], self.clouds.asked("/pricing.yml"))

    def test_a_hub_elsewhere_reads_where_its_comparison_asks(self):
        server = self.serve()
        self.assertEqual(["eastus"], self.read(server, "azure-retail"))
        asked = server.get("/v1/comparison").json()["question"]["regions"]
        self.assertEqual(["us-east-1", "eastus"], asked)
        for region in asked:
            self.assertTrue(server.page(region=region)["prices"], region)
        self.assertEqual([], self.clouds.asked("/pricing.yml"))

    def test_a_hub_elsewhere_asks_for_any_region_with_one_word(self):
        server = self.serve("--price-regions", "eu-central-1,westeurope,europe-west4")
        self.assertEqual(["westeurope"], self.read(server, "azure-retail"))
        self.assertIn("europe-west4", self.read(server, "gcp-third-party"))
        self.assertEqual(["eu-central-1", "westeurope", "europe-west4", "us-east-1", "us-central1"],
                         server.get("/v1/comparison").json()["question"]["regions"])

    def test_a_hub_reads_the_regions_where_runs_were_measured(self):
        server = self.serve()
        name = next(name for name in self.azure.names if self.azure.price("northeurope", name))
        take_in(server, [document(1, provider="azure", region="northeurope", instance_type=name),
                         document(2, provider="gcp", region="europe-west4", instance_type="n2-standard-4")])
        server.refresh("aws-spot-page")  # whatever wakes the thread: it is every half hour
        until(lambda: "northeurope" in self.read(server, "azure-retail"), "the region is read")
        until(lambda: self.read(server, "gcp-third-party"), "the third party's list is read")
        rows = server.get("/v1/comparison?workload=mlp2017").json()["rows"]
        self.assertEqual({("northeurope", False), ("europe-west4", True)},
                         {(row["price"]["region"], row["price"]["third_party"]) for row in rows})

    def test_a_name_that_is_no_region_is_refused(self):
        server = Unset("--price-regions", "us-east-1,US East")
        self.addCleanup(server.stop)
        with self.assertRaises(Exception):
            server.start()

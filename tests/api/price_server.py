"""A server whose prices come from feeds that a test plays: refreshed when the test says so, and each
kind of feed on a stage of its own, with what it must be read as.

    with SpotPage() as stage:
        stage.server.refresh(stage.NAME)
        stage.server.prices(feed=stage.NAME)   # as GET /v1/prices tells them, all pages of it
        stage.stored_prices(), stage.expected()  # {(region, type, kind): nanos}"""
import json
import re
import time
import urllib.parse
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from feed_payloads import Aws, Azure, Gcp, serve_aws
from feed_server import Document, FeedServer
from harness import PATIENCE, Server, pages, until

GCP_KEY = "AIzaSecretOfGoogleForTests0123456789"


def nanos_of(price):
    return int((Decimal(str(price)) * 10**9).quantize(Decimal(1), ROUND_HALF_UP))


def times_as_much(price, times):
    """The same prices, as texts, so many times as high."""
    return price if times == 1 else lambda *where: price(*where) and \
        str(Decimal(price(*where)) * Decimal(str(times)))


class PriceServer(Server):
    """`prices` is the text of a file that it reads as one of its feeds."""

    def __init__(self, *flags, prices=None, **options):
        super().__init__(*flags, **options)
        if prices is not None:
            self.write_prices(prices)
            self.flags += ["--feed", f"price-file=on url={self.folder}/prices.csv"]

    def write_prices(self, text):
        Path(self.folder, "prices.csv").write_text(text, encoding="utf-8")

    def settle(self, seconds=PATIENCE):
        """Waits for the refresh under way, or for the first one. Returns the feeds then."""
        def ended():
            answer = self.ask("/v1/feeds")
            return answer if answer["refresh"]["ended_at"] else None
        return until(ended, "the end of a refresh", seconds)

    def refresh(self, feed=None, seconds=PATIENCE, accept=None):
        """One more reading, from its request to its end; the feed as it is then."""
        query = f"?feed={feed}" if feed else ""
        query += f"&accept={accept}" if accept else ""
        until(lambda: self.post(b"", path="/v1/prices/refresh", query=query).status == 202,
              "a refresh is accepted")
        self.settle(seconds)
        return self.feed(feed) if feed else None

    def feed(self, name):
        return next(feed for feed in self.ask("/v1/feeds")["feeds"] if feed["feed"] == name)

    def scopes(self, name):
        return {scope["scope"]: scope for scope in self.feed(name)["scopes"]}

    def page(self, **filters):
        return self.ask("/v1/prices", **filters)

    def prices(self, **filters):
        """All pages. How old they are is left out: that is another every time."""
        found = [price for page in pages(self.page, limit=1000, **filters)
                 for price in page["prices"]]
        for price in found:
            del price["age_seconds"]
        return found

    def secrets_kept(self, *secrets):
        """Says where one of them is to be read, of the log, the answers and the database."""
        places = {"log": self.read_log().encode()}
        for path in ("/v1/feeds", "/v1/prices", "/v1/machine", "/metrics", "/v1/system"):
            places[path] = self.get(path).body
        for suffix in ("", "-wal"):
            try:
                with open(self.database + suffix, "rb") as file:
                    places["database" + suffix] = file.read()
            except FileNotFoundError:
                pass
        return [where for where, text in places.items()
                for secret in secrets if secret.encode() in text]


class Stage:
    """A feed and a server that reads it. WHERE is where the targets begin that have prices."""
    NAME = WHERE = None
    WORDS = ""
    HAS_VALIDATORS = True
    KINDS = 60

    def __init__(self, words="", environment=None, flags=(), haste=50):
        self.feeds = FeedServer().start()
        self.play()
        self.server = PriceServer(
            "--feed", f"{self.NAME}=on url={self.url()} every=864000 patience=1 "
            f"{words or self.WORDS}", *flags,
            environment={"PENNYWORTH_GCP_KEY": GCP_KEY, **(environment or {})}, haste=haste)

    def __enter__(self):
        self.server.start()
        self.server.settle()
        return self

    def __exit__(self, *_why):
        try:
            self.server.stop()
        finally:
            self.feeds.stop()

    def url(self):
        return self.feeds.url

    def play(self, times=1, day=0, share=1):
        """Routes good pages: of another day, with a share of the types, at so many times the
        price."""
        raise NotImplementedError

    def spoil(self, behaviour):
        """From now on this is what comes instead of prices."""
        self.feeds.route(self.WHERE, behaviour)

    def body(self):
        """A whole good page."""
        raise NotImplementedError

    def expected(self):
        raise NotImplementedError

    def amounts(self):
        """What is accepted; how sure of that the server is left out."""
        return [(price["feed"], price["region"], price["instance_type"], price["kind"],
                 price["nanos_per_hour"], price["valid_from"]) for price in self.server.prices()]

    def stored_prices(self):
        return {(price["region"], price["instance_type"], price["kind"]): price["nanos_per_hour"]
                for price in self.server.prices(feed=self.NAME)}


class SpotPage(Stage):
    NAME, WHERE = "aws-spot-page", "/spot.json"
    KINDS = 24  # in 32 regions: with fewer it would not be accepted

    def play(self, times=1, day=0, share=1):
        self.aws = Aws(regions=32, kinds=round(self.KINDS * share), day=day)
        self.aws.spot_price = times_as_much(self.aws.spot_price, times)
        self.document = self.feeds.route(self.WHERE, Document(
            self.aws.spot_page(), f'"{day}-{share}-{times}"', time.time() - 60,
            "application/x-javascript"))

    def url(self):
        return self.feeds.url + self.WHERE

    def body(self):
        return self.aws.spot_page()

    def expected(self):
        found = {(region.code, kind.name, "spot"): self.aws.spot_price(region.code, kind.name)
                 for region in self.aws.regions for kind in self.aws.kinds}
        return {key: nanos_of(price) for key, price in found.items() if price}


class OnDemandPage(Stage):
    NAME, WHERE, WORDS = "aws-on-demand-page", Aws.MAPS, "regions=eu-west-1"

    def play(self, times=1, day=0, share=1):
        self.aws = Aws(regions=12, kinds=round(self.KINDS * share), day=day)
        self.aws.on_demand_price = times_as_much(self.aws.on_demand_price, times)
        serve_aws(self.feeds, self.aws)
        made = {}

        def page(exchange):
            name = urllib.parse.unquote(exchange.request.path).removeprefix(Aws.MAPS)
            name = name.removesuffix("/Linux/index.json")
            if name not in made:  # not labelled, as it comes
                made[name] = Document(self.aws.on_demand_page(name), f'"{day}-{share}-{times}"',
                                      packed=True, labelled=False)
            made[name](exchange)
        self.feeds.route(self.WHERE, page)

    def body(self):
        return self.aws.on_demand_page("EU (Ireland)")

    def expected(self):
        regions = self.server.flags[1].partition("regions=")[2].split(",")
        found = {(region, kind.name, "on_demand"): self.aws.on_demand_price(region, kind.name)
                 for region in regions for kind in self.aws.kinds}
        return {key: nanos_of(price) for key, price in found.items() if price}


class Offer(Stage):
    """Each play() publishes a new version; what spoil() gives is the file of one more."""
    NAME, WORDS = "aws-offer", "regions=us-east-1"
    FOLDER = "/offers/v1.0/aws/AmazonEC2/"
    version = 0

    def play(self, times=1, day=0, share=1):
        self.aws = Aws(regions=1, kinds=round(self.KINDS * share), day=day)
        self.times = times
        self.publish(self.body())

    def publish(self, behaviour):
        self.version += 1
        self.path = f"{self.FOLDER}{20260800000000 + self.version}/us-east-1/index.json"
        self.feeds.route(self.path, behaviour)
        self.feeds.route(self.FOLDER + "current/region_index.json", json.dumps(
            {"regions": {"us-east-1": {"regionCode": "us-east-1",
                                       "currentVersionUrl": self.path}}}))

    def spoil(self, behaviour):
        self.publish(behaviour)

    def price(self, kind):
        price = self.aws.on_demand_price("us-east-1", kind.name)
        return price and str(Decimal(price) * Decimal(str(self.times)))

    def body(self):
        products, terms = {}, {}
        for number, kind in enumerate(self.aws.kinds):
            for twin, (system, tenancy) in enumerate((("Linux", "Shared"), ("Windows", "Shared"),
                                                      ("Linux", "Dedicated"))):
                sku = f"SKU{number:09}{twin}"
                products[sku] = self._product(sku, kind, system, tenancy)
                price = Decimal(self.price(kind) or 1) * (twin + 1)
                terms[sku] = {f"{sku}.JRTCKXETXF": {
                    "sku": sku, "effectiveDate": "2026-08-01T00:00:00Z", "priceDimensions": {
                        f"{sku}.JRTCKXETXF.6YS6EN2CT7": {
                            "rateCode": f"{sku}.JRTCKXETXF.6YS6EN2CT7", "unit": "Hrs",
                            "beginRange": "0", "endRange": "Inf",
                            "pricePerUnit": {"USD": str(price)}}}}}
            if not self.price(kind):
                del terms[f"SKU{number:09}0"]
        return json.dumps({"formatVersion": "v1.0", "offerCode": "AmazonEC2",
                           "publicationDate": "2026-08-06T17:17:52Z", "products": products,
                           "terms": {"OnDemand": terms, "Reserved": {}}}).encode()

    @staticmethod
    def _product(sku, kind, system, tenancy):
        usage = "BoxUsage" if tenancy == "Shared" else "DedicatedUsage"
        family = "Compute Instance (bare metal)" if kind.metal else "Compute Instance"
        return {"sku": sku, "productFamily": family, "attributes": {
            "location": "US East (N. Virginia)", "locationType": "AWS Region",
            "instanceType": kind.name, "vcpu": str(kind.cores), "memory": f"{kind.gib} GiB",
            "tenancy": tenancy, "operatingSystem": system, "regionCode": "us-east-1",
            "licenseModel": "No License required", "usagetype": f"{usage}:{kind.name}",
            "operation": "RunInstances", "capacitystatus": "Used", "preInstalledSw": "NA",
            "marketoption": "OnDemand"}}

    def expected(self):
        return {("us-east-1", kind.name, "on_demand"): nanos_of(self.price(kind))
                for kind in self.aws.kinds if self.price(kind)}


class AzureRetail(Stage):
    NAME, WHERE, WORDS = "azure-retail", Azure.URL, "regions=eastus2"
    HAS_VALIDATORS = False  # its pages have none
    KINDS = 40

    def play(self, times=1, day=0, share=1):
        self.azure = Azure(kinds=round(self.KINDS * share), day=day, page_size=100)
        price = self.azure.price
        if times != 1:
            self.azure.price = lambda *where, **how: price(*where, **how) and \
                round(price(*where, **how) * times, 6)
        self.feeds.route(self.WHERE, self.azure.answer)

    def url(self):
        return self.feeds.url + self.WHERE

    def body(self):
        return self.azure.pages("eastus2", self.url())[0]

    def expected(self):
        found = {}
        for region in self.server.flags[1].partition("regions=")[2].split(","):
            for name in self.azure.names:
                price = self.azure.price(region, name)
                if price:
                    found[region, name, "on_demand"] = nanos_of(price)
                    found[region, name, "spot"] = nanos_of(round(price * 0.3, 6))
                for kind, nanos in self.azure.reserved(region, name).items():
                    found[region, name, kind] = nanos
        return found


class GcpCatalog(Stage):
    """expected() has the prices that can be known without Google's table of machine types."""
    NAME, WHERE = "gcp-billing-catalog", Gcp.URL
    HAS_VALIDATORS = False
    FAMILIES = ("e2", "n1", "n2", "n2d", "t2d", "t2a")  # fewer types make fewer pages to compare
    FOUR_GIB = ("n2", "n2d", "n4", "e2", "c2", "c2d", "c3", "c3d", "t2d", "t2a")

    def play(self, times=1, day=0, share=1):
        self.gcp = Gcp(regions=20, skus=1200, day=day, page_size=500)
        self.gcp.FAMILIES = {name: Gcp.FAMILIES[name]
                             for name in self.FAMILIES[:round(len(self.FAMILIES) * share)]}
        rate = self.gcp.rate
        if times != 1:
            self.gcp.rate = lambda *what: rate(*what) and round(rate(*what) * times)
        self.feeds.route(self.WHERE, self.gcp.behaviour(GCP_KEY))

    def body(self):
        return self.gcp.pages()[0]

    def stored_prices(self):
        return {key: nanos for key, nanos in super().stored_prices().items()
                if self.cores_of(key[1])}

    def cores_of(self, name):
        """How many cores a type has that has four GiB for each and nothing else, or None."""
        found = re.fullmatch(r"(\w+)-standard-(\d+)", name)
        return int(found[2]) if found and found[1] in self.FOUR_GIB else None

    def expected(self):
        types = {price["instance_type"] for price in self.server.prices(
            feed=self.NAME, region=self.gcp.regions[0])}
        found = {}
        for region in self.gcp.regions:
            for name in types:
                family, cores = name.split("-")[0], self.cores_of(name)
                for spot in (False, True):
                    core = self.gcp.rate(region, family, "Core", spot)
                    gib = self.gcp.rate(region, family, "Ram", spot)
                    if core and cores:
                        found[region, name, "spot" if spot else "on_demand"] = \
                            cores * (core + 4 * gib)
        return found


STAGES = (SpotPage, OnDemandPage, Offer, AzureRetail, GcpCatalog)

"""Which machine this is, as clouds' metadata services tell it, and which price is this machine's."""
import json
import re
import time

from feed_payloads import Aws
from feed_server import Document, FeedServer, silent, slow
from harness import Case, together, until
from price_server import PriceServer

TOKEN = "AQAEAtoken=="
AWS = {"instance-type": "c7i.2xlarge", "placement/region": "us-east-1",
       "placement/availability-zone": "us-east-1a",
       "placement/availability-zone-id": "use1-az4", "instance-life-cycle": "spot",
       "services/partition": "aws"}


def play_aws(feeds, answers=None, version=2):
    """IMDS; version 1 knows no tokens, version 2 wants one."""
    answers = AWS if answers is None else answers

    def token(exchange):
        asked = exchange.request
        good = version == 2 and asked.method == "PUT" and \
            0 < int(asked.headers.get("x-aws-ec2-metadata-token-ttl-seconds", 0)) <= 21600
        exchange.send(200 if good else 405, TOKEN if good else "")

    def data(exchange):
        path = exchange.request.path.removeprefix("/latest/meta-data/")
        if version == 2 and exchange.request.headers.get("x-aws-ec2-metadata-token") != TOKEN:
            exchange.send(401)
        else:
            exchange.send(200 if path in answers else 404, answers.get(path, ""))
    feeds.route("/latest/meta-data/", data)
    feeds.route("/latest/api/token", token)


def play_gcp(feeds, flavor="Google", preemptible="FALSE"):
    answers = {"machine-type": "projects/123/machineTypes/n2-standard-4",
            "zone": "projects/123/zones/europe-west4-b", "scheduling/preemptible": preemptible}

    def data(exchange):
        path = exchange.request.path.removeprefix("/computeMetadata/v1/instance/")
        if exchange.request.headers.get("metadata-flavor") != "Google":
            exchange.send(403)
        else:
            exchange.send(200 if path in answers else 404, answers.get(path, ""),
                          {"Metadata-Flavor": flavor} if flavor else {})
    feeds.route("/computeMetadata/v1/", data)


def play_azure(feeds, **compute):
    document = {"vmSize": "Standard_D4s_v5", "location": "eastus2", "zone": "2", "priority": "",
                **compute}

    def data(exchange):
        good = exchange.request.headers.get("metadata") == "true" and \
            "api-version=" in exchange.request.query
        exchange.send(200 if good else 400, json.dumps(document) if good else "{}",
                      {"Content-Type": "application/json"})
    feeds.route("/metadata/instance/compute", data)


class IdentityCase(Case):
    def setUp(self):
        self.clouds = self.running(FeedServer())

    def serve(self, *flags, **options):
        return self.running(PriceServer(*flags, **options))

    def identity(self, server):
        def known():
            identity = server.get("/v1/machine").json()["identity"]
            return identity if identity["note"] != "no cloud was asked yet" else None
        return until(known, "the identity is known")

    def ask(self, cloud, *flags):
        return self.identity(self.serve("--metadata", f"{cloud}={self.clouds.url}", *flags))

    def assertIdentity(self, identity, *wanted):
        self.assertEqual(wanted, tuple(identity[name] for name in (
            "provider", "instance_type", "region", "zone", "life_cycle", "source")), identity)

    def assertNobody(self, identity, note):
        self.assertIdentity(identity, None, None, None, None, None, "unknown")
        self.assertRegex(identity["note"], note)


class Clouds(IdentityCase):
    def test_aws_with_a_token(self):
        play_aws(self.clouds)
        identity = self.ask("aws")
        self.assertIdentity(identity, "aws", "c7i.2xlarge", "us-east-1", "us-east-1a", "spot",
                            "metadata")
        self.assertEqual("use1-az4", identity["zone_id"])
        self.assertEqual(1, len(self.clouds.asked("/latest/api/token")))

    def test_runs_know_the_machine_by_its_instance_id(self):
        """Whatever a server's machine shows by itself: the same after a restart, another one for
        another instance, and never the id as it is."""
        def vm_of(instance_id):
            play_aws(self.clouds, AWS | {"instance-id": instance_id} if instance_id else AWS)
            server = self.own_server("--metadata", f"aws={self.clouds.url}")
            until(lambda: server.get("/v1/machine").json()["identity"]["source"] == "metadata",
                  "the cloud has answered")
            run = server.post({"engine": "ok", "steps": 2}, "?wait=30").json()
            self.assertNotIn("i-0abc", json.dumps(run))
            return run["vm"]
        first = vm_of("i-0abc1")
        self.assertRegex(first, "^i[0-9a-f]{15}$")
        self.assertEqual(first, vm_of("i-0abc1"))
        self.assertNotEqual(first, vm_of("i-0abc2"))
        self.assertRegex(vm_of(None) or "s", "^s")

    def test_metadata_is_not_fetched_through_a_proxy(self):
        play_aws(self.clouds)
        with FeedServer() as proxy:
            identity = self.identity(self.serve(
                "--metadata", f"aws={self.clouds.url}",
                environment={"http_proxy": proxy.url, "HTTP_PROXY": proxy.url}))
            self.assertEqual("metadata", identity["source"])
            self.assertEqual([], proxy.requests)


class Settings(IdentityCase):
    def test_no_service_is_asked_when_it_is_switched_off(self):
        self.assertNobody(self.identity(self.serve()), "switched off")

    def test_a_service_that_never_answers_is_given_up(self):
        behaviours = [(cloud, where, behaviour) for behaviour in (silent, slow(b"x" * 100, 0.5))
                      for cloud, where in (("aws", "/latest"), ("gcp", "/computeMetadata"),
                                           ("azure", "/metadata"))]

        def ask(i):
            cloud, where, behaviour = behaviours[i]
            clouds = self.running(FeedServer())
            clouds.route(where, behaviour)
            self.assertNobody(self.identity(self.serve("--metadata", f"{cloud}={clouds.url}")),
                              f"metadata service of {cloud} did not identify this machine: "
                              ".*timed out")
        together(len(behaviours), ask)

    def test_a_service_that_never_answers_delays_no_request(self):
        self.clouds.route("/latest", silent)

        def is_answered_before():
            """On a busy machine the service may be given up before we ask."""
            server = self.serve("--metadata", f"aws={self.clouds.url}")
            self.assertEqual(200, server.get("/v1/runs").status)
            return server.get("/v1/machine").json()["identity"]["note"] == "no cloud was asked yet"
        until(is_answered_before, "an answer before the service was given up")

    def test_a_server_that_is_asking_stops_at_once(self):
        """It does not wait for all the answers, which take half a second each."""
        def late(behaviour):
            return lambda exchange: exchange.pause(0.5) and behaviour(exchange)
        play_aws(self.clouds)
        self.clouds.routes[:] = [(where, late(behaviour)) for where, behaviour in self.clouds.routes]
        server = self.serve("--metadata", f"aws={self.clouds.url}")
        until(lambda: self.clouds.requests, "it asks")
        server.stop()
        self.assertLess(len(self.clouds.requests), len(AWS))


class MachinePrice(IdentityCase):
    """A machine of AWS whose spot and on-demand prices are both known."""
    def setUp(self):
        super().setUp()
        self.aws = Aws(regions=32, kinds=30)
        self.clouds.route("/spot.json", Document(self.aws.spot_page(), '"1"', time.time()))
        page = re.sub(rb"2026-08-..T17:17:52Z", time.strftime("%Y-%m-%dT00:00:00Z").encode(),
                      self.aws.on_demand_page("US East (N. Virginia)"))
        self.clouds.route("/locations/", self.aws.locations())
        self.clouds.route(re.compile("meteredUnitMaps.*Virginia"), page)

    def machine(self, *flags, spot=True, on_demand=True):
        words = []
        if spot:
            words += ["--feed", f"aws-spot-page=on patience=1 url={self.clouds.url}/spot.json"]
        if on_demand:
            words += ["--feed", "aws-on-demand-page=on patience=1 regions=us-east-1 "
                      f"url={self.clouds.url}"]
        server = self.serve(*words, "--provider", "aws", "--instance-type", "c5.large",
                            "--region", "us-east-1", *flags)
        if words:
            server.settle()
        return server

    def price(self, server):
        machine = server.get("/v1/machine").json()
        return machine["price"] and machine["price"]["text"], machine["why_no_price"]

    def test_spot_has_the_spot_price_and_on_demand_the_other(self):
        spot = self.aws.spot_price("us-east-1", "c5.large")
        on_demand = self.aws.on_demand_price("us-east-1", "c5.large")
        self.assertNotEqual(spot, on_demand)
        self.assertEqual((spot, None), self.price(self.machine("--life-cycle", "spot")))
        self.assertEqual((on_demand, None), self.price(self.machine("--life-cycle", "on_demand")))

    def test_a_machine_with_a_licence_has_not_the_price_of_plain_linux(self):
        play_aws(self.clouds, answers={**AWS, "instance-life-cycle": "on-demand"})
        self.clouds.route("/latest/dynamic/instance-identity/document",
                          json.dumps({"billingProducts": ["bp-6fa54006"]}).encode())
        server = self.machine("--metadata", f"aws={self.clouds.url}")
        terms = "a licence (bp-6fa54006)"
        identity = self.identity(server)
        self.assertEqual(terms, server.get("/v1/machine").json()["terms"])
        self.assertIn(f"it is billed for {terms}", identity["note"])
        self.assertEqual((None, f"this machine is billed for {terms}, and feeds have prices of "
                          "plain Linux only: set --price-per-hour, or type its price"),
                         self.price(server))
        server.price("c5.large", 0.2)
        self.assertEqual(("0.2", None), self.price(server))

    def test_the_option_wins_over_everything(self):
        server = self.machine("--life-cycle", "on_demand", "--price-per-hour", "1.25")
        server.price("c5.large", 2, provider="aws")
        self.assertEqual(("1.25", None), self.price(server))

    def test_a_discount_is_shown_with_the_price(self):
        server = self.machine("--life-cycle", "on_demand")
        listed = server.get("/v1/machine").json()["price"]
        self.assertIsNone(listed["discount"])
        reply = server.post({"provider": "aws", "factor": 0.5, "note": "ours"},
                            path="/v1/discounts")
        self.assertEqual(201, reply.status, reply)
        price = server.get("/v1/machine").json()["price"]
        self.assertEqual((listed["price_per_hour"], 0.5, "ours"), (
            price["price_per_hour"], price["discount"]["factor"], price["discount"]["note"]))

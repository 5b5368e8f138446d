"""Our feed of AWS's spot price history, and our questions to the metadata service, against moto. By
hand, with the variables of tests/api/README.md:

    /usr/bin/python3 tests services/test_moto"""
import html
import json
import re
import unittest
import urllib.error
import urllib.parse
import urllib.request

from feed_server import FeedServer
from moto_server import Keys, MotoServer
from price_server import PriceServer
from test_identity import TOKEN, play_aws

FEED = "aws-spot-history"
SIGNED = ("host", "authorization", "content-type", "x-amz-date", "x-amz-security-token",
          "x-amz-content-sha256")
# AWS's tokens are of letters, digits and + / =; a form must escape the last three.
TOKEN_OF_PAGE = "a+b/c==&%7E {}".replace(" ", "=")
SPOT_PAGE = ('<DescribeSpotPriceHistoryResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">'
             "<spotPriceHistorySet>{items}</spotPriceHistorySet><nextToken>{token}</nextToken>"
             "</DescribeSpotPriceHistoryResponse>")


@unittest.skipIf(MotoServer.missing(), MotoServer.missing())
class Moto(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.moto = MotoServer().start()
        cls.addClassCleanup(cls.moto.stop)

    def serve(self, keys, words="regions=us-east-1 types=c5.large,m5.large", flags=(), url=None):
        environment = {"HOME": "/nowhere"}
        if keys:
            environment.update(AWS_ACCESS_KEY_ID=keys.id, AWS_SECRET_ACCESS_KEY=keys.secret)
            if keys.token:
                environment["AWS_SESSION_TOKEN"] = keys.token
        server = PriceServer("--feed", f"{FEED}=on patience=10 url={url or self.moto.url} {words}",
                             "--log", "debug", *flags, environment=environment)
        self.addCleanup(server.stop)
        server.start().settle()
        return server

    def fails(self, keys, reason):
        server = self.serve(keys)
        feed = server.feed(FEED)
        self.assertEqual("failed", feed["state"], feed)
        self.assertRegex(feed["reason"], reason)
        self.assertEqual([], server.prices())
        self.assertEqual([], server.secrets_kept(keys.secret))

    def succeeds(self, keys):
        server = self.serve(keys)
        feed = server.feed(FEED)
        self.assertEqual(("ok", None), (feed["state"], feed["reason"]), feed)
        prices = server.prices(feed=FEED)
        self.assertEqual({"c5.large", "m5.large"}, {price["instance_type"] for price in prices})
        self.assertEqual({("aws", "us-east-1", "spot", "USD", 10000)},
                         {(price["provider"], price["region"], price["kind"], price["currency"],
                           price["nanos_per_hour"]) for price in prices})
        zones = {price["zone"] for price in prices}
        self.assertGreater(len(zones), 1)
        self.assertTrue(all(zone.startswith("us-east-1") for zone in zones), zones)
        self.assertEqual([], server.secrets_kept(keys.secret, *filter(None, [keys.token])))
        return server

    def test_the_right_secret_stores_prices(self):
        server = self.succeeds(self.moto.reader)
        before = server.prices()
        self.assertEqual("ok", server.refresh(FEED)["state"])
        self.assertEqual(len(before), len(server.prices()))

    def test_the_keys_of_a_role_store_prices(self):
        self.succeeds(self.moto.role)

    def test_a_wrong_secret_fails(self):
        self.fails(Keys(self.moto.reader.id, "x" * 40), "AuthFailure")

    def test_an_unknown_key_fails(self):
        self.fails(Keys("AKIAUNKNOWNUNKNOWN12", "x" * 40), "AuthFailure")

    def test_a_role_with_another_token_fails(self):
        self.fails(self.moto.role._replace(token="x" * 100), "AuthFailure")

    def test_a_user_without_permissions_gets_an_error(self):
        self.fails(self.moto.powerless, "UnauthorizedOperation|AccessDenied")

    def test_without_keys_no_service_is_asked_and_nothing_fails(self):
        feed = self.serve(None).feed(FEED)
        self.assertEqual("idle", feed["state"])
        self.assertIn("no credentials", feed["reason"])

    def test_old_prices_survive_a_lost_permission(self):
        server = self.succeeds(self.moto.reader)
        before = server.prices()
        server.stop()
        server.environment.update(AWS_ACCESS_KEY_ID=self.moto.powerless.id,
                                  AWS_SECRET_ACCESS_KEY=self.moto.powerless.secret)
        server.start()
        self.assertEqual("failed", server.refresh(FEED)["state"])
        self.assertEqual(before, server.prices())

    def test_its_metadata_service_gives_keys_and_knows_no_machine(self):
        server = self.serve(None, flags=("--metadata", f"aws={self.moto.url}"))
        identity = server.get("/v1/machine").json()["identity"]
        self.assertEqual("unknown", identity["source"], identity)
        self.assertIn("did not identify this machine: it answers 500", identity["note"])
        feed = server.feed(FEED)  # keys that the rest of moto does not know
        self.assertEqual("failed", feed["state"], feed)
        self.assertIn("AuthFailure", feed["reason"])

    def behind_tokens(self, role=None, *flags):
        """What an instance would ask: tokens and the machine are ours, the role's paths moto's."""
        feeds = FeedServer().start()
        self.addCleanup(feeds.stop)
        play_aws(feeds)
        roles = "/latest/meta-data/iam/security-credentials/"

        def relay(exchange):
            with urllib.request.urlopen(self.moto.url + exchange.request.path, timeout=10) as reply:
                body = reply.read()
            if role and not exchange.request.path.endswith("/"):
                body = json.dumps({**json.loads(body), "AccessKeyId": role.id,
                                   "SecretAccessKey": role.secret, "Token": role.token})
            known = exchange.request.headers.get("x-aws-ec2-metadata-token") == TOKEN
            exchange.send(200 if known else 401, body if known else "")
        feeds.route(roles, relay)
        return self.serve(None, "", ("--metadata", f"aws={feeds.url}", *flags))

    def test_the_keys_of_its_metadata_service_are_used_and_it_does_not_know_them(self):
        server = self.behind_tokens()
        self.assertEqual("metadata", server.get("/v1/machine").json()["identity"]["source"])
        feed = server.feed(FEED)
        self.assertEqual("failed", feed["state"], feed)
        self.assertIn("AuthFailure", feed["reason"])
        self.assertEqual([], server.secrets_kept("test-secret-key", "test-session-token"))

    def test_a_machine_with_a_role_needs_no_settings(self):
        # Not the type of the metadata: its list price is known, and moto's prices are made up.
        server = self.behind_tokens(self.moto.role, "--instance-type", "m5.large")
        self.assertEqual("ok", server.feed(FEED)["state"], server.feed(FEED))
        self.assertEqual({("us-east-1", "m5.large")}, {
            (price["region"], price["instance_type"]) for price in server.prices()})
        self.assertEqual([], server.secrets_kept(self.moto.role.secret, self.moto.role.token))

    def paged(self, rows=4):
        """Stands before moto, which never has a second page: hands each request on byte for byte,
        so that moto checks its signature, and cuts the answer into pages of so many rows."""
        feeds = FeedServer().start()
        self.addCleanup(feeds.stop)
        self.tokens = []

        def relay(exchange):
            request = urllib.request.Request(self.moto.url, exchange.request.body, {
                name: exchange.request.headers[name] for name in SIGNED
                if name in exchange.request.headers})
            try:
                with urllib.request.urlopen(request, timeout=10) as reply:
                    answer = reply.read().decode()
            except urllib.error.HTTPError as refusal:
                with refusal:
                    exchange.send(refusal.code, refusal.read())
                return
            asked = urllib.parse.parse_qs(exchange.request.body.decode())
            token = asked.get("NextToken", [""])[0]
            self.tokens.append(token)
            items = re.findall("<item>.*?</item>", answer, re.DOTALL)
            first = int(token.rpartition("=")[2] or 0)
            more = first + rows < len(items)
            exchange.send(200, SPOT_PAGE.format(
                items="".join(items[first:first + rows]),
                token=html.escape(TOKEN_OF_PAGE.format(first + rows)) if more else ""))
        feeds.route("/", relay)
        return feeds.url

    def test_each_page_is_signed_with_its_token(self):
        whole = self.succeeds(self.moto.reader).prices(feed=FEED)
        server = self.serve(self.moto.reader, url=self.paged())
        self.assertEqual("ok", server.feed(FEED)["state"], server.feed(FEED))

        def places(prices):
            return sorted((price["instance_type"], price["zone"]) for price in prices)
        self.assertEqual(places(whole), places(server.prices(feed=FEED)))
        pages = -(-len(whole) // 4)
        self.assertGreater(pages, 2)
        self.assertEqual(["", *(TOKEN_OF_PAGE.format(4 * page) for page in range(1, pages))],
                         self.tokens[:pages])

    def test_a_wrong_secret_is_refused_behind_the_pages_too(self):
        feed = self.serve(Keys(self.moto.reader.id, "x" * 40), url=self.paged()).feed(FEED)
        self.assertEqual("failed", feed["state"], feed)
        self.assertIn("AuthFailure", feed["reason"])
        self.assertEqual([], self.tokens)

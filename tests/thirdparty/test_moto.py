"""Our feed of AWS's spot price history, and our questions to the metadata service, against moto. By
hand, as root, beside the variables of tests/api/README.md:

    PENNYWORTH_MOTO_ROOT=DIR /usr/bin/python3 tests/thirdparty/test_moto.py"""
import sys
import unittest
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api"))
from moto import Keys, MotoServer  # noqa: E402
from price_server import PriceServer  # noqa: E402

FEED = "aws-spot-history"


@unittest.skipIf(MotoServer.missing(), MotoServer.missing())
class Moto(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.moto = MotoServer().start()
        cls.addClassCleanup(cls.moto.stop)

    def serve(self, keys, words="regions=us-east-1 types=c5.large,m5.large", flags=()):
        environment = {"HOME": "/nowhere"}
        if keys:
            environment.update(AWS_ACCESS_KEY_ID=keys.id, AWS_SECRET_ACCESS_KEY=keys.secret)
            if keys.token:
                environment["AWS_SESSION_TOKEN"] = keys.token
        server = PriceServer("--feed", f"{FEED}=on patience=10 url={self.moto.url} {words}",
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

    def test_who_may_do_nothing_is_told_so(self):
        self.fails(self.moto.nobody, "UnauthorizedOperation|AccessDenied")

    def test_no_keys_is_no_failure_but_nobody_is_asked(self):
        feed = self.serve(None).feed(FEED)
        self.assertEqual("idle", feed["state"])
        self.assertIn("no credentials", feed["reason"])

    def test_old_prices_survive_a_lost_permission(self):
        server = self.succeeds(self.moto.reader)
        before = server.prices()
        server.stop()
        server.environment.update(AWS_ACCESS_KEY_ID=self.moto.nobody.id,
                                  AWS_SECRET_ACCESS_KEY=self.moto.nobody.secret)
        server.start()
        self.assertEqual("failed", server.refresh(FEED)["state"])
        self.assertEqual(before, server.prices())

    def test_its_metadata_service(self):
        """moto 5 has IMDS only behind its proxy: where the server answers, we must be told."""
        request = urllib.request.Request(self.moto.url + "/latest/api/token", method="PUT",
                                         headers={"X-aws-ec2-metadata-token-ttl-seconds": "60"})
        try:
            with urllib.request.urlopen(request, timeout=10) as reply:
                answered = reply.status
        except urllib.error.HTTPError as problem:
            answered = problem.code
        server = self.serve(None, flags=("--metadata", f"aws={self.moto.url}"))
        identity = server.get("/v1/machine").json()["identity"]
        if answered != 200:
            self.assertEqual("unknown", identity["source"], identity)
            self.assertIn(str(answered), identity["note"])
            self.skipTest(f"moto_server has no metadata service: it answered {answered}")
        self.assertEqual(("aws", "metadata"), (identity["provider"], identity["source"]))


if __name__ == "__main__":
    unittest.main()

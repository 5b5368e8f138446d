"""Names and numbers about prices that would be taken and then never match anything: each is
refused, or answered with what there is instead."""
from harness import ServerCase

PRICE = {"provider": "aws", "region": "us-east-1", "instance_type": "p4d.24xlarge",
         "price_per_hour": 32.7726}


class Names(ServerCase):
    def refused(self, reply, field, words):
        self.assertProblem(reply, 400, "invalid", field)
        self.assertIn(words, reply.json()["detail"])

    def test_a_provider_is_written_as_feeds_write_it(self):
        words = "'AWS' is written 'aws' here"
        self.refused(self.server.post(PRICE | {"provider": "AWS"}, path="/v1/prices"),
                     "provider", words)
        self.refused(self.server.post({"provider": "AWS", "factor": 0.5}, path="/v1/discounts"),
                     "provider", words)
        for path in ("/v1/prices", "/v1/instances", "/v1/comparison"):
            self.refused(self.server.get(f"{path}?provider=AWS"), "provider", words)

    def test_a_family_is_told_how_it_is_written(self):
        self.refused(self.server.post({"provider": "aws", "family": "c7i.", "factor": 0.5},
                                      path="/v1/discounts"), "family",
                     "is a family without the mark behind it")
        unmatched, = self.server.get("/v1/comparison?discount=p4d:0.5").json()["unmatched"]
        self.assertIn("a family ends with a dot: 'p4d.'", unmatched["words"])

    def test_options_are_checked_like_that(self):
        for flags, words in (
                (("--provider", "AWS"), "'AWS' is written 'aws' here"),
                (("--region", "us-east-1 "), "begins or ends with a blank"),
                (("--price-per-hour", "200000"), "100000"),
                (("--price-per-hour", "1e-12"), "at least 0.000000001")):
            done = self.command("serve", "--port", "0", *flags, status=2)
            self.assertIn(flags[0], done.stderr)
            self.assertIn(words, done.stderr)

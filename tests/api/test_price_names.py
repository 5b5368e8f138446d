"""Names and numbers about prices that would be taken and then never match anything: each is
refused, or answered with what there is instead."""
import subprocess
import unittest

from harness import SERVER, ServerCase
from price_server import PriceServer

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

    def test_a_blank_at_the_end_of_a_name_is_refused(self):
        for field in ("provider", "region", "zone", "instance_type"):
            self.refused(self.server.post(PRICE | {field: "eu-west-1 "}, path="/v1/prices"),
                         field, "begins or ends with a blank")
        for field in ("provider", "family"):
            self.refused(self.server.post({"provider": "aws", "factor": 0.5, field: "aws "},
                                          path="/v1/discounts"), field, "begins or ends with a blank")
        self.refused(self.server.get("/v1/prices?region=us-east-1%20"), "region",
                     "begins or ends with a blank")

    def test_a_family_is_told_how_it_is_written(self):
        self.refused(self.server.post({"provider": "aws", "family": "c7i.", "factor": 0.5},
                                      path="/v1/discounts"), "family",
                     "is a family without the mark behind it")
        unmatched, = self.server.get("/v1/comparison?discount=p4d:0.5").json()["unmatched"]
        self.assertIn("a family ends with a dot: 'p4d.'", unmatched["words"])

    def test_an_empty_page_of_prices_names_what_no_price_is_of(self):
        self.assertEqual(201, self.server.post(PRICE, path="/v1/prices").status)
        for query, names in (("region=us-esat-1", ["region"]), ("zone=us-east-1z", ["zone"]),
                             ("instance_type=p4d", ["instance_type"]),
                             ("region=us-east-1&instance_type=p4d", ["instance_type"]),
                             ("region=us-east-1&kind=spot", ["kind"]),
                             ("kind=typed&region=us-esat-1", ["region"]), ("region=us-east-1", [])):
            page = self.server.get(f"/v1/prices?{query}").json()
            self.assertEqual(names, [each["parameter"] for each in page["unmatched"]], query)

    def test_options_are_checked_like_that(self):
        for flags, words in (
                (("--provider", "AWS"), "'AWS' is written 'aws' here"),
                (("--region", "us-east-1 "), "begins or ends with a blank"),
                (("--price-per-hour", "200000"), "100000"),
                (("--price-per-hour", "1e-12"), "at least 0.000000001")):
            done = subprocess.run([SERVER, "serve", "--port", "0", *flags], capture_output=True,
                                  text=True, timeout=20, check=False)
            self.assertEqual(2, done.returncode, done)
            self.assertIn(flags[0], done.stderr)
            self.assertIn(words, done.stderr)

    def test_two_numbers_for_one_name_are_refused(self):
        for query in ("price_of=a:1&price_of=a:2", "discount=0.5&discount=0.6"):
            self.refused(self.server.get(f"/v1/comparison?{query}"), query.partition("=")[0],
                         "is given twice for")

    def test_money_after_a_discount_has_no_digits_that_are_not_meant(self):
        """32.7726 * 0.7 is 22.940819999999995 in doubles."""
        server = PriceServer("--provider", "aws", "--region", "us-east-1", "--life-cycle",
                             "on_demand", "--instance-type", "p4d.24xlarge")
        self.addCleanup(server.stop)
        server.start()
        self.assertEqual(201, server.post({"provider": "aws", "factor": 0.7},
                                          path="/v1/discounts").status)
        with open(server.folder + "/prices.csv", "w") as file:
            file.write("provider,region,instance_type,kind,price_per_hour\n"
                       "aws,us-east-1,p4d.24xlarge,on_demand,32.7726\n")
        server.stop()
        server.flags += ["--feed", f"price-file=on url={file.name}"]
        server.start()
        server.settle()
        for path in ("/v1/machine", "/v1/prices?instance_type=p4d.24xlarge"):
            self.assertIn(b'"price_per_hour":22.94082}', server.get(path).body)


if __name__ == "__main__":
    unittest.main()

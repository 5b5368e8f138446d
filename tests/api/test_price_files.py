"""pennyworth prices check FILE, and the price files that docs/price-files/ shows."""
import json
import os
import tempfile
import unittest
from pathlib import Path

from harness import pennyworth
from price_server import PriceServer

EXAMPLES = Path(__file__).resolve().parents[2] / "docs/price-files"
# What an example must be read as: (prices, one of them).
READ = {
    "hetzner.csv": (5, ("hetzner", "fsn1", "ccx33", "on_demand", "EUR", "0.08")),
    "ovh.csv": (4, ("ovh", "GRA11", "h100-380", "on_demand", "EUR", "2.8")),
    "oracle.json": (3, ("oracle", "eu-frankfurt-1", "VM.Standard.E5.Flex-8-64", "spot", "USD", "0.2")),
    "lambda.json": (3, ("lambda", None, "gpu_1x_a10", "on_demand", "USD", "0.75")),
    "own.csv": (1, (None, None, "rack-7", "own", "EUR", "0.35")),
}


def prices(*words):
    return pennyworth("prices", *words)


class Check(unittest.TestCase):
    def setUp(self):
        self.path = Path(self.enterContext(tempfile.TemporaryDirectory()), "prices.csv")

    def check(self, text):
        self.path.write_text(text, encoding="utf-8")
        return prices("check", self.path)

    def test_a_good_file(self):
        result = self.check("provider,instance_type,price_per_hour\na,x,0.5\nb,y,12\na,z,1\n")
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        self.assertEqual(f"{self.path}: rows: 3, prices: 3, faults: none\n"
                         f"{self.path}: an hour costs from 0.5 USD (x) to 12 USD (y)\n", result.stdout)

    def test_a_file_without_rows(self):
        result = self.check("[]")
        self.assertEqual((0, f"{self.path}: rows: 0, prices: 0, faults: none\n"),
                         (result.returncode, result.stdout))

    def test_every_faulty_line_is_explained(self):
        result = self.check("instance_type,kind,price_per_hour,provider\nx,spot,1,a\ny,cheap,1,a\n\n,spot,1,a\n"
                            "z,spot,0,a\nx,spot,2,a\nq,spot\ngood,spot,7,\n")
        self.assertEqual((1, ""), (result.returncode, result.stdout))
        self.assertEqual([
            "line 3: kind 'cheap' is not a kind of price: on_demand, spot, typed, own",
            "line 5: instance_type is missing",
            "line 6: price_per_hour must be a decimal number above 0 and at most 100000, got '0'",
            "line 7: price_per_hour is 2, but line 2 already has 1 for this machine",
            "line 8: the row has 2 fields, the header 4",
            "line 9: provider is missing: only a price of the kind typed or own may leave it out",
            "faults: 6, so the server would reject this file"],
            [line.removeprefix(f"{self.path}: ") for line in result.stderr.splitlines()])

    def test_every_fault_of_a_header_is_explained_and_no_row(self):
        result = self.check("type,type,price_per_hour\nx,y,0\n")
        self.assertEqual(1, result.returncode)
        self.assertEqual(4, len(result.stderr.splitlines()), result.stderr)
        self.assertRegex(result.stderr, r"line 1: type is not a known field; known are provider.*\n"
                         r".*line 1: type is not(.|\n)*line 1: instance_type is not the name of a column")

    def test_json(self):
        result = self.check('[{"instance_type": "x", "price_per_hour": "a"},\n\n'
                            ' {"instance_type": "y", "price": 1},\n'
                            ' {"instance_type": "z", "price_per_hour": 1}]')
        self.assertEqual(1, result.returncode)
        self.assertRegex(result.stderr, r"line 1: price_per_hour must be(.|\n)*line 3: price is not a known")

    def test_a_file_that_cannot_be_read(self):
        for path, reason in ((self.path, "No such file"), (self.path.parent, "regular file")):
            result = prices("check", path)
            self.assertEqual((1, ""), (result.returncode, result.stdout))
            self.assertRegex(result.stderr, reason)

    def test_wrong_words(self):
        for words, reason in ((("check",), "FILE is missing: pennyworth prices check FILE"),
                              ((), "check is missing: pennyworth prices check FILE"),
                              (("chek", "a"), "chek is not known; pennyworth prices can only check"),
                              (("check", "a", "b"), "b is one word too many")):
            with self.subTest(words=words):
                result = prices(*words)
                self.assertEqual((2, ""), (result.returncode, result.stdout))
                self.assertIn(reason, result.stderr)
        help_text = prices("--help").stdout
        self.assertIn("Usage: pennyworth prices check FILE", help_text)


class Examples(unittest.TestCase):
    def test_each_passes_the_check(self):
        self.assertEqual(set(READ), set(os.listdir(EXAMPLES)))
        for name, (count, _) in READ.items():
            with self.subTest(name=name):
                result = prices("check", EXAMPLES / name)
                self.assertEqual((0, ""), (result.returncode, result.stderr))
                self.assertIn(f"rows: {count}, prices: {count}, faults: none", result.stdout)

    def test_each_says_that_it_is_an_example_and_of_when(self):
        for name in READ:
            text = (EXAMPLES / name).read_text(encoding="utf-8")
            self.assertIn("example", text)
            if name != "own.csv":
                self.assertIn("2025-01-01", text)

    def test_each_is_read(self):
        for name, (count, wanted) in READ.items():
            with self.subTest(name=name):
                server = PriceServer("--feed", f"price-file=on url={EXAMPLES / name}")
                self.addCleanup(server.stop)
                server.start().settle()
                feed = server.feed("price-file")
                self.assertEqual(("ok", count), (feed["state"], feed["prices"]), json.dumps(feed))
                found = [tuple(row[key] for key in ("provider", "region", "instance_type", "kind",
                                                    "currency", "text")) for row in server.prices()]
                self.assertIn(wanted, found)
                server.stop()

"""The readers of feeds, given feeds of real size that are made up: each finds exactly the prices
that were put in, however the bytes are cut."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from feed_payloads import Aws, Azure, Gcp

READER = os.environ.get("PENNYWORTH_TEST_READER")
BENCH = Path(__file__).resolve().parents[2] / "bench"
OFFER, SAVINGS_PLAN = BENCH / "offer.py", BENCH / "savings_plan.py"
if not READER:
    raise SystemExit("PENNYWORTH_TEST_READER is not set; tests/api/README.md says how to run this")


class ReadFeed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pennyworth-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def read(self, source, scope, pages, *options):
        """The lines "type price", sorted."""
        files = []
        for number, page in enumerate(pages):
            files.append(self.folder / str(number))
            files[-1].write_bytes(page)
        ran = subprocess.run([READER, "--prices", *options, source, scope, *files],
                             capture_output=True, text=True)
        if "there is no source" in ran.stderr:
            self.skipTest(ran.stderr.strip())
        self.assertEqual(0, ran.returncode, ran.stderr)
        return sorted(ran.stdout.splitlines())

    def both(self, expected, *arguments):
        """Large pieces, and such as never end where something else does."""
        expected = sorted(f"{name} {price}" for name, price in expected if price)
        self.assertGreater(len(expected), 0)
        for pieces in ("16384", "13"):
            found = self.read(*arguments, "--pieces", pieces)
            self.assertEqual(len(expected), len(found))
            self.assertEqual(expected, found)

    def test_spot_of_forty_regions(self):
        for day in (0, 1):
            aws = Aws(40, 300, day)
            self.both([(kind.name, aws.spot_price(region.code, kind.name))
                       for region in aws.regions for kind in aws.kinds],
                      "aws-spot-page", "", [aws.spot_page()])

    def test_on_demand_of_a_region_and_of_a_local_zone(self):
        aws = Aws(40)
        for region in (aws.regions[4], aws.regions[35]):
            self.both([(kind.name, aws.on_demand_price(region.code, kind.name))
                       for kind in aws.kinds], "aws-on-demand-page", region.code,
                      [aws.on_demand_page(region.name)], "--address", region.name)

    def test_the_price_list_in_any_order(self):
        for order in ("published", "reserved-first", "terms-first"):
            subprocess.run([sys.executable, OFFER, "--products", "4000", "--megabytes", "10",
                            "--order", order, "--expected", self.folder / "expected",
                            self.folder / "offer"], check=True, capture_output=True)
            expected = (self.folder / "expected").read_text().splitlines()
            self.both([line.split() for line in expected], "aws-offer", "us-east-1",
                      [(self.folder / "offer").read_bytes()])

    def test_savings_plans_of_a_region(self):
        names = [self.folder / name for name in ("index", "plans", "expected")]
        subprocess.run([sys.executable, SAVINGS_PLAN, "--types", "60", "--expected", names[2],
                        *names[:2]], check=True, capture_output=True)
        self.both([line.split() for line in names[2].read_text().splitlines()],
                  "aws-savings-plans", "us-east-1", [name.read_bytes() for name in names[:2]],
                  "--asked")

    def test_page_after_page_of_azure(self):
        azure = Azure(300, page_size=250)
        pages = azure.pages("eastus")
        self.assertGreater(len(pages), 10)
        self.both([(name, azure.price("eastus", name, spot)) for name in azure.names
                   for spot in (False, True)] +
                  [(name, f"{nanos / 10**9:.9f}".rstrip("0")) for name in azure.names
                   for nanos in azure.reserved("eastus", name).values()],
                  "azure-retail", "eastus", pages)

    def test_a_page_that_is_missing_is_no_shorter_list(self):
        pages = Azure(300).pages("eastus")
        with self.assertRaisesRegex(AssertionError, "another file is needed"):
            self.read("azure-retail", "eastus", pages[:-1])

    def test_google_s_cores_and_memory_become_machines(self):
        gcp = Gcp(20, 3000, page_size=700)
        expected = []
        for region in gcp.regions:
            for family in ("n2", "n2d", "n4", "e2", "c2"):  # whose standard-4 has 16 GiB
                for spot in (False, True):
                    nanos = 4 * gcp.rate(region, family, "Core", spot) + \
                        16 * gcp.rate(region, family, "Ram", spot)
                    price = f"{nanos // 10**9}.{nanos % 10**9:09}".rstrip("0").rstrip(".")
                    expected.append(f"{family}-standard-4 {price}")
        wanted = {line.split()[0] for line in expected}
        found = self.read("gcp-billing-catalog", "", gcp.pages())
        self.assertEqual(sorted(expected),
                         [line for line in found if line.split()[0] in wanted])

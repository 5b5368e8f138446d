"""SECURITY.md has every limit that a client can meet, with the value that the code has, and names
tests that are there."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ("common/limits.h", "engine/stats/standing.h", "engine/stats/sources.h",
           "db/runs/quarantine.h")
DEFINE = re.compile(r"^#define ([A-Z_]+) +(\(?[0-9][0-9. *]*(?:LL)?\)?)(?: |$)", re.MULTILINE)


def defined(path):
    """Names of numbers in a header, with their values."""
    values = {}
    for name, number in DEFINE.findall((ROOT / path).read_text()):
        values[name] = 1
        for factor in number.strip("()").replace("LL", "").split("*"):
            values[name] *= float(factor)
    return values


class Security(unittest.TestCase):
    def setUp(self):
        self.page = (ROOT / "SECURITY.md").read_text()
        self.limits = {name: float(value.replace(",", "")) for name, value in
                       re.findall(r"^\| `([A-Z_]+)` \| ([0-9.,]+) \|", self.page, re.MULTILINE)}

    def test_the_table_has_the_limits_of_the_code(self):
        code = {}
        for path in HEADERS:
            code.update(defined(path))
        self.assertGreater(len(self.limits), 40)
        for name, value in self.limits.items():
            with self.subTest(name):
                self.assertEqual(code[name], value)

    def test_the_table_has_all_limits_of_clients(self):
        self.assertEqual([], sorted(set(defined("common/limits.h")) - set(self.limits)))

    def test_the_tests_that_hold_attacks_are_there(self):
        named = re.findall(r"`(tests/[^`]+)`", self.page)
        self.assertGreater(len(named), 20)
        for path in named:
            with self.subTest(path):
                self.assertTrue((ROOT / path).exists())

"""The units of systemd: that it understands them, and what they leave a service to do."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from waiting import PATIENCE

UNITS = Path(__file__).resolve().parents[2] / "deploy/systemd"
EXPOSURE_MAX = 2.0  # of ten, as systemd-analyze counts it
# On a machine where it is not installed.
ABSENT = ("is not executable: No such file or directory", "Command 'man ")


def analyze(*words):
    return subprocess.run(["systemd-analyze", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)


@unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze")
class Systemd(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.unit = Path(folder.name, "pennyworth.service")
        shutil.copy(UNITS / "pennyworth.service", self.unit)

    def with_tokens(self):
        """The same, with the drop-in."""
        lines = (UNITS / "tokens.conf").read_text().split("[Service]\n")[1]
        text = self.unit.read_text()
        self.unit.write_text(text.replace("[Install]", lines + "\n[Install]"))

    def complaints(self):
        lines = analyze("verify", str(self.unit)).stdout.splitlines()
        return [line for line in lines if "pennyworth" in line and
                not any(words in line for words in ABSENT)]

    def test_it_understands_every_word(self):
        self.assertEqual([], self.complaints())
        self.with_tokens()
        self.assertEqual([], self.complaints())

    def test_it_would_complain_of_a_word_it_does_not_know(self):
        self.unit.write_text(self.unit.read_text().replace("ProtectHome=", "ProtectHouse="))
        self.assertEqual(1, len(self.complaints()))

    def exposure(self):
        report = analyze("security", "--offline=true", f"--threshold={round(EXPOSURE_MAX * 10)}",
                       str(self.unit))
        if "--offline" in report.stdout and report.returncode != 0:
            self.skipTest("this systemd-analyze judges only what runs")
        found = re.search(r"Overall exposure level for .*: ([0-9.]+) ", report.stdout)
        self.assertTrue(found, report.stdout)
        return report.returncode, float(found[1])

    def test_it_leaves_little_to_do(self):
        status, value = self.exposure()
        self.assertEqual(0, status, value)
        self.assertLessEqual(value, EXPOSURE_MAX)

    def test_more_would_be_seen(self):
        kept = [line for line in self.unit.read_text().splitlines()
                if not line.startswith(("Protect", "Private", "Capability", "SystemCall"))]
        self.unit.write_text("\n".join(kept))
        status, value = self.exposure()
        self.assertNotEqual(0, status)
        self.assertGreater(value, EXPOSURE_MAX)

    def test_a_page_of_code_may_be_written(self):
        """oneDNN could not work otherwise, and would fall back to what is slow."""
        self.assertIn("\nMemoryDenyWriteExecute=no\n", self.unit.read_text())

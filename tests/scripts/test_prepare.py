"""cmake/prepare.sh: packages that are wanted and not needed, with programs of ours in the place of
Debian's."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("sh", "sort", "df", "awk", "tail", "rm", "mktemp", "printf")
ABSENT = "libabsent1:libabsent.so.1"


class TryPackages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        self.calls = self.top / "calls"
        self.calls.touch()
        for tool in TOOLS:
            (self.top / tool).symlink_to(shutil.which(tool))
        self.fake("id", "echo 0")
        self.fake("dpkg-query", "exit 1")
        self.fake("apt-get", f'echo "$*" >>{self.calls}')

    def fake(self, tool, text):
        (self.top / tool).write_text(f"#!/bin/sh\n{text}\n")
        (self.top / tool).chmod(0o755)

    def try_packages(self, *pairs):
        words = f". {ROOT}/cmake/prepare.sh; try_packages {' '.join(pairs)}; echo went on"
        ran = subprocess.run(["/bin/sh", "-eu", "-c", words], env={"PATH": str(self.top)},
                             text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual((0, "went on\n"), (ran.returncode, ran.stdout), ran.stderr)
        return ran.stderr

    def test_what_is_missing_is_installed(self):
        self.assertNotIn("going on without", self.try_packages(ABSENT))
        self.assertIn("libabsent1", self.calls.read_text())

    def test_what_is_there_is_left_alone(self):
        self.assertEqual("", self.try_packages("libc6:libc.so.6"))
        self.assertEqual("", self.calls.read_text())

    def test_it_goes_on_where_nothing_can_be_installed(self):
        self.fake("apt-get", "exit 100")
        self.assertIn("going on without libabsent1", self.try_packages("libc6:libc.so.6", ABSENT))
        self.fake("id", "echo 1000")
        self.assertIn("going on without libabsent1", self.try_packages(ABSENT))
        (self.top / "dpkg-query").unlink()
        self.assertIn("going on without libabsent1", self.try_packages(ABSENT))

    def test_the_packages_are_those_that_the_server_names(self):
        source = (ROOT / "engine/process/preload.c").read_text()
        prepare = (ROOT / "cmake/prepare.sh").read_text()
        listed = prepare.partition('PRELOAD_PACKAGES="')[2].partition('"')[0].split()
        self.assertEqual(2, len(listed))
        for pair in listed:
            package, _, library = pair.partition(":")
            self.assertIn(f'"{package}"', source)
            self.assertIn(f'"{library}"', source)

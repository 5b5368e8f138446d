"""engine/peers/environments.py without a network: what it says when the index cannot be reached,
that each environment is independent, and which engines it prints."""
import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import environments

ROOT = pathlib.Path(__file__).resolve().parents[2]

SCRIPT = ROOT / "engine" / "peers" / "environments.py"
# Nothing listens there.
UNREACHABLE = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1", "PIP_NO_INDEX": "",
               "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": "/dev/null"}


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pennyworth-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def make_up(self, name):
        """An environment as if it had been installed."""
        (self.folder / name / "bin").mkdir(parents=True)
        environments.marker(self.folder, name).write_text(
            "\n".join(environments.ENVIRONMENTS[name].packages))

    def install(self, answers):
        """install_all() where each environment ends as `answers` says; (status, stderr)."""
        said = io.StringIO()
        with mock.patch.object(environments, "install", lambda _folder, name: answers[name]), \
                contextlib.redirect_stderr(said):
            return environments.install_all(self.folder, list(answers)), said.getvalue()


class Installing(Folder):
    def test_an_index_that_cannot_be_reached_leaves_it_out_and_says_so(self):
        ended = subprocess.run([sys.executable, SCRIPT, "install", self.folder, "jax"],
                               env={**os.environ, **UNREACHABLE}, capture_output=True, text=True,
                               check=False)
        if "ensurepip" in (self.folder / "jax.log").read_text():
            self.skipTest("there is no python3-venv")
        self.assertEqual(environments.EX_UNREACHABLE, ended.returncode, ended.stderr)
        self.assertIn("jax is left out: the package index cannot be reached", ended.stderr)
        self.assertEqual(environments.NETWORK_MISSING,
                         environments.why_missing(self.folder, "jax"))
        self.assertFalse(environments.is_installed(self.folder, "jax"))

    def test_one_that_fails_does_not_keep_the_others_out(self):
        status, said = self.install({"pytorch": environments.NETWORK_MISSING,
                                     "ipex": "pip failed, see ipex.log", "jax": None})
        self.assertEqual(environments.EX_FAILED, status)
        self.assertIn("pytorch is left out: the package index", said)
        self.assertIn("ipex is left out: pip failed", said)
        self.assertEqual(["ipex.missing", "pytorch.missing"],
                         sorted(path.name for path in self.folder.iterdir()))

    def test_an_environment_is_kept_until_its_versions_change(self):
        self.make_up("jax")
        self.assertEqual((0, ""), self.install({"jax": "must not be asked"}))
        environments.marker(self.folder, "jax").write_text("jax==0.1\n")
        self.assertEqual(environments.EX_FAILED, self.install({"jax": "asked"})[0])

    def test_a_success_forgets_why_it_failed_before(self):
        self.install({"jax": "pip failed"})
        self.install({"jax": None})
        self.assertFalse((self.folder / "jax.missing").exists())

    def test_without_room_nothing_is_begun(self):
        with mock.patch.object(shutil, "disk_usage",
                               lambda _path: mock.Mock(free=environments.GIB)):
            self.assertIn("1 GiB are free", environments.install(self.folder, "pytorch"))
        self.assertEqual([], list(self.folder.iterdir()))


class Engines(Folder):
    def test_installed_engines_are_printed_as_options_of_the_server(self):
        self.make_up("ipex")
        self.make_up("jax")
        said = subprocess.run([sys.executable, SCRIPT, "engines", self.folder],
                              capture_output=True, text=True, check=True).stdout.splitlines()
        peers = SCRIPT.parent
        self.assertEqual(
            [f"ipex={self.folder}/ipex/bin/python {peers}/pytorch_engine.py --ipex",
             f"jax={self.folder}/jax/bin/python {peers}/jax_engine.py"], said)

    def become(self, *words, **variables):
        clean = {name: value for name, value in os.environ.items() if name != "PENNYWORTH_ENGINE"}
        return subprocess.run([sys.executable, SCRIPT, "exec", self.folder, *words],
                              env={**clean, **variables}, capture_output=True, text=True,
                              check=False)

    def test_a_program_is_started_with_all_of_them_registered(self):
        self.make_up("pytorch")
        self.make_up("jax")
        words = ";".join(environments.engines(self.folder, environments.ENVIRONMENTS))
        self.assertEqual(1, words.count(";"))
        show = ("/bin/sh", "-c", 'echo "$PENNYWORTH_ENGINE $1"', "sh", "--port")
        self.assertEqual(f"{words} --port\n", self.become(*show).stdout)
        self.assertEqual("mine=x --port\n", self.become(*show, PENNYWORTH_ENGINE="mine=x").stdout)
        self.assertEqual(3, self.become("/bin/sh", "-c", "exit 3").returncode)
        self.assertIn("exec needs a program", self.become().stderr)

    def test_an_unknown_name_is_refused_with_those_there_are(self):
        ended = subprocess.run([sys.executable, SCRIPT, "install", self.folder, "mxnet"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(2, ended.returncode)
        self.assertIn("mxnet: must be one of pytorch, ipex, xla, jax", ended.stderr)

    def test_every_version_is_pinned_and_every_script_is_there(self):
        for each in environments.ENVIRONMENTS.values():
            self.assertTrue((SCRIPT.parent / each.words[0]).is_file())
            for package in each.packages:
                self.assertRegex(package, r"^[a-z_-]+==\d+(\.\d+)+$")

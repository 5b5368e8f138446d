"""The API through the eyes of a client that was made from its description: schemathesis sends what
/v1/openapi.json allows and what it forbids, and wants each answer to be as described. Runs go to the
fake worker. By hand, with the variables of tests/api/README.md:

    /usr/bin/python3 tests services/test_schemathesis"""
import subprocess
import unittest
from pathlib import Path

import environment
from harness import Server, fake

HERE = Path(__file__).resolve().parent
TOKEN = "write-token-of-a-test"
SECONDS = 600
MISSING = environment.missing("schemathesis")


# Runs and sweeps link to each other and take about half of the time; each half has a server of its
# own, and a processor.
RUNS = "^/v1/(runs|sweeps|aa)"
HALVES = (("--include-path-regex", RUNS), ("--exclude-path-regex", RUNS))


@unittest.skipIf(MISSING, MISSING)
class Schemathesis(unittest.TestCase):
    def start(self, half):
        # "native" too: its name is always in the description.
        engines = {name: fake("speed") for name in ("ok", "native")}
        server = Server("--price-per-hour", "1", engines=engines,
                        environment={"PENNYWORTH_WRITE_TOKEN": TOKEN}).start()
        self.addCleanup(server.stop)
        ran = subprocess.Popen(
            [environment.program("schemathesis"), "--config-file", HERE / "schemathesis.toml",
             "run", f"http://127.0.0.1:{server.port}/v1/openapi.json",
             "--header", f"Authorization: Bearer {TOKEN}", "--no-color", *half],
            cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)
        self.addCleanup(ran.kill)
        return ran

    def test_each_operation_is_as_described(self):
        for ran in [self.start(half) for half in HALVES]:
            output, _ = ran.communicate(timeout=SECONDS)
            with self.subTest(half=ran.args[-2:]):
                self.assertEqual(0, ran.returncode, output)

"""The API through the eyes of a client that was made from its description: schemathesis sends what
/v1/openapi.json allows and what it forbids, and wants each answer to be as described. Runs go to the
fake worker. By hand, beside the variables of tests/api/README.md:

    /usr/bin/python3 tests/services/test_schemathesis.py"""
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api"))
import environment  # noqa: E402
from harness import Server, fake  # noqa: E402

HERE = Path(__file__).resolve().parent
TOKEN = "write-token-of-a-test"
SECONDS = 600
MISSING = environment.missing("schemathesis")


@unittest.skipIf(MISSING, MISSING)
class Schemathesis(unittest.TestCase):
    def setUp(self):
        # "native" too: its name is always in the description.
        engines = {name: fake("speed") for name in ("ok", "native")}
        self.server = Server("--price-per-hour", "1", engines=engines,
                             environment={"PENNYWORTH_WRITE_TOKEN": TOKEN}).start()
        self.addCleanup(self.server.stop)

    def test_each_operation_is_as_described(self):
        ran = subprocess.run(
            [environment.program("schemathesis"), "--config-file", HERE / "schemathesis.toml",
             "run", f"http://127.0.0.1:{self.server.port}/v1/openapi.json",
             "--header", f"Authorization: Bearer {TOKEN}", "--no-color", *sys.argv[1:]],
            cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=SECONDS)
        self.assertEqual(0, ran.returncode, ran.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

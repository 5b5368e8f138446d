"""Runs the tests of a script: /usr/bin/python3 tests api/test_runs [-v] [Idempotency]

A script imports modules of its own folder, of tests/api and of engine/peers by their names."""
import sys
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent

if len(sys.argv) < 2 or not Path(TESTS, f"{sys.argv[1]}.py").is_file():
    raise SystemExit(__doc__)
script = Path(sys.argv.pop(1))
sys.path[:1] = [str(folder) for folder in (TESTS / script.parent, TESTS / "api", TESTS.parent / "engine/peers")]
unittest.main(module=script.name)

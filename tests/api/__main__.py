"""Runs the tests of a script of this folder: python3 tests/api test_runs -v Idempotency"""
import sys
import unittest

if len(sys.argv) < 2:
    raise SystemExit(__doc__)
unittest.main(module=sys.argv.pop(1))

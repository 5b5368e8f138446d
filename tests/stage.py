"""Runs the tests of one stage and says what a person needs to know of them.

    /usr/bin/python3 tests/stage.py STAGE TREE [ctest option...]

A test that fails is run once more, alone, when the stage has ended. If it passes then, it is flaky.
Appends "STAGE passed N" to build/verdict, a line "STAGE failed NAME" or "STAGE flaky NAME" for each such
test, and to build/failures what ./test prints of it last. Its outputs are kept in build/failures.d."""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

SLOWEST = 10
SLOW_SECONDS = 20  # no test of a quick stage takes longer
QUICK = ("fast", "slow", "browser")
TELLING = re.compile(r"^(FAIL|ERROR): |^\S*Error\b|^AssertionError|: runtime error: |Sanitizer: |"
                     r"^\S+[.]\w+:\d+: |^Assertion |^\d+ broken")
LINES = 6  # of an output, at most, on the last screen
MANY = 10  # failures beyond which it is not single tests that fail


class Test:
    def __init__(self, case):
        self.name = case.get("name")
        self.seconds = float(case.get("time") or 0)
        self.status = case.get("status")  # run, fail, notrun or disabled
        self.output = case.findtext("system-out") or ""
        failure = case.find("failure")
        self.failed = failure is not None or self.status == "fail"
        self.skipped = not self.failed and self.status in ("notrun", "disabled")

    def assertion(self):
        """The lines that say what was wrong, or else the last ones."""
        lines = [line.rstrip() for line in self.output.splitlines() if line.strip()]
        telling = [line for line in lines if TELLING.search(line)]
        return (telling or lines[-LINES:])[:LINES]


def ctest(tree, report, *options):
    """(exit status, tests) of one call."""
    report.unlink(missing_ok=True)
    status = subprocess.run([*os.environ.get("WRAPPER", "").split(), "ctest", "--test-dir", tree,
                             "--output-on-failure", "--no-tests=error", "--output-junit",
                             report.resolve(), *options], check=False).returncode
    try:
        return status, [Test(case) for case in xml.parse(report).getroot().iter("testcase")]
    except (FileNotFoundError, xml.ParseError):
        return status, []


def again(stage, tree, test):
    """The same test alone."""
    print(f"test: {test.name} failed; once more, alone", flush=True)
    _, tests = ctest(tree, Path(tree, f"{stage}.again.xml"), "-R", f"^{re.escape(test.name)}$")
    return next((other for other in tests if other.name == test.name), test)


def keep(test, word):
    folder = Path("build/failures.d")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{test.name}.{word}"
    file.write_text(test.output)
    return file


def describe(stage, test, word, file):
    lines = "".join(f"        {line[:200]}\n" for line in test.assertion())
    command = " ".join(["./test", *([stage] if stage != "named" else []), test.name])
    return f"    {word} {test.name}\n{lines}        whole output: {file}; alone: {command}\n"


def judge(stage, tree, status, tests):
    """(lines of the verdict, text of the last screen)."""
    failed = [test for test in tests if test.failed]
    verdict = [f"{stage} passed {sum(not test.failed and not test.skipped for test in tests)}"]
    screen = ""
    if status != 0 and not failed:  # whatever kept ctest itself from judging is a failure too
        verdict.append(f"{stage} failed ctest")
        screen = f"    failed {stage}: ctest could not judge (exit status {status})\n"
    for test in failed:
        file = keep(test, "first")
        second = test if len(failed) > MANY else again(stage, tree, test)
        if second is not test:
            keep(second, "again")
        word = "failed" if second.failed else "flaky"
        verdict.append(f"{stage} {word} {test.name}")
        screen += describe(stage, test, word, file)
    return verdict, screen


def main(stage, tree, *options):
    status, tests = ctest(tree, Path(tree, f"{stage}.xml"), *options)
    slowest = sorted(tests, key=lambda test: -test.seconds)[:SLOWEST]
    print(f"test: the slowest of {stage}: "
          + ", ".join(f"{test.name} {test.seconds:.0f} s" for test in slowest), flush=True)
    verdict, screen = judge(stage, tree, status, tests)
    with open("build/verdict", "a", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in verdict)
    with open("build/failures", "a", encoding="utf-8") as file:
        file.write(screen)


if __name__ == "__main__":
    main(*sys.argv[1:])

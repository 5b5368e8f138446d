"""Runs the tests of one stage and says what a person needs to know of them.

    /usr/bin/python3 tests/stage.py STAGE TREE [ctest option...]

A test that fails is run once more, alone, when the stage has ended. If it passes then, it is flaky.
A test of ./test that takes far too long even alone has failed; one that takes up to twice as long as it may is late,
which is said and fails nothing. On a slow machine a test may take as many times as long as a piece of
work takes that is always the same, and while others use the processors, longer by what they take.
Appends to build/verdict a line "STAGE WORD NAME" for each test, with the word passed, failed or flaky,
and to build/failures what ./test prints of it last. The outputs of failing tests are kept in
build/failures.d."""
import functools
import os
import re
import statistics
import subprocess
import time
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

SLOWEST = 10
LONGEST = 20  # seconds that a test of ./test is to take at most
FAR_TOO_LONG = 2  # times as long fails, even alone; less is late
WORK, WORK_SECONDS = 1_000_000, 0.1  # additions, and what they take where nothing else runs
SLOWEST_MACHINE = 10  # times as slow is the most that excuses a test
SLOWNESS = "PENNYWORTH_TEST_SLOWNESS"  # sets it, where it is not to be measured
# Tests that may take longer, at most five: they train on all processors.
LONGER = ("engine-train-verify_numbers", "engine-train-verify_precisions",
          "engine-train-verify_judging")
QUICK = ("fast", "slow", "browser")
TELLING = re.compile(r"^(FAIL|ERROR): |^[\w.]*(Error|Exception)\b|: runtime error: |Sanitizer: |"
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
        self.crowding = 1  # of the processors, where it ran alone

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


def again(stage, tree, test, why):
    """The same test alone."""
    print(f"test: {test.name} {why}; once more, alone", flush=True)
    before = processor_seconds()
    _, tests = ctest(tree, Path(tree, f"{stage}.again.xml"), "-R", f"^{re.escape(test.name)}$")
    second = next((other for other in tests if other.name == test.name), test)
    if SLOWNESS not in os.environ:
        second.crowding = crowding(before, processor_seconds())
    return second


def processor_seconds():
    """What others have used of the processors so far, and all that there was."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    idle, everything = (count / os.sysconf("SC_CLK_TCK") for count in (sum(ticks[3:5]), sum(ticks)))
    ours = os.times()
    return everything - idle - ours.children_user - ours.children_system, everything


def crowding(before, after):
    """How many times as long work takes for what others use of the processors."""
    others, everything = (new - old for old, new in zip(before, after))
    return 1 / max(1 - others / everything, 1 / SLOWEST_MACHINE) if everything > 0 else 1


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


@functools.cache
def longest():
    """Seconds that a test may take on this machine as it is now."""
    if SLOWNESS in os.environ:
        return LONGEST * float(os.environ[SLOWNESS])
    taken = []
    for _ in range(5):
        began = time.monotonic()
        sum(number * number for number in range(WORK))
        taken.append(time.monotonic() - began)
    slowness = statistics.median(taken) / WORK_SECONDS
    return LONGEST * min(max(slowness, 1), SLOWEST_MACHINE)


def is_late(stage, test):
    """Where all cases are taken, a test takes as long as it must."""
    return (stage in QUICK and "PENNYWORTH_TEST_SEED" in os.environ and test.name not in LONGER
            and not test.failed and test.seconds > LONGEST and test.seconds > longest())


def judge_failed(stage, tree, test, alone):
    """(word, text of the last screen)."""
    file = keep(test, "first")
    second = again(stage, tree, test, "failed") if alone else test
    if second is not test:
        keep(second, "again")
    word = "failed" if second.failed else "flaky"
    return word, describe(stage, test, word, file)


def judge_late(stage, tree, test):
    second = test
    if test.seconds > FAR_TOO_LONG * longest():
        second = again(stage, tree, test, f"took {test.seconds:.0f} s")
    if not second.failed and second.seconds <= FAR_TOO_LONG * longest() * second.crowding:
        late = f"    late {test.name}: takes {second.seconds:.0f} s, more than {longest():.0f}\n"
        return "passed", late if second.seconds > longest() else ""
    return "failed", (f"    failed {test.name}\n        takes {second.seconds:.0f} s alone, far more than "
                      f"{longest():.0f}: it belongs to ./test all (tests/stage.py)\n")


def judge(stage, tree, status, tests):
    """Yields (word, name, text of the last screen) for each test that ran."""
    failures = sum(test.failed for test in tests)
    if status != 0 and not failures:  # whatever kept ctest itself from judging is a failure too
        yield "failed", "ctest", f"    failed {stage}: ctest ended with {status}\n"
    for test in tests:
        word, screen = "passed", ""
        if test.failed:
            word, screen = judge_failed(stage, tree, test, failures <= MANY)
        elif is_late(stage, test):
            word, screen = judge_late(stage, tree, test)
        if not test.skipped:
            yield word, test.name, screen


def main(stage, tree, *options):
    status, tests = ctest(tree, Path(tree, f"{stage}.xml"), *options)
    slowest = sorted(tests, key=lambda test: -test.seconds)[:SLOWEST]
    print(f"test: the slowest of {stage}: "
          + ", ".join(f"{test.name} {test.seconds:.0f} s" for test in slowest), flush=True)
    with (open("build/verdict", "a", encoding="utf-8") as verdict,
          open("build/failures", "a", encoding="utf-8") as failures):
        for word, name, screen in judge(stage, tree, status, tests):
            verdict.write(f"{stage} {word} {name}\n")
            failures.write(screen)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""No test decides by a wall clock: on a machine at half speed such a test fails for nothing. What it
stands for is asserted instead: an order of events, a count, processor time. "It hangs" is 60 seconds."""
import re

import house

LEAST = 30  # seconds: a bound below fails on a busy machine
# Tests whose bound has no better word, at most five: "path: function". These two would last the ten
# seconds of a pause that is to end at once.
EXCEPTIONS = (
    "tests/server/runs/preemption_watch_test.c: "
    "settle_waits_neither_without_a_service_nor_for_one_that_fails",
    "tests/server/runs/preemption_watch_test.c: a_stop_ends_the_wait_of_settle",
)

PYTHON = re.compile(r"assertLess(?:Equal)?\((?=[^\n]*(?:monotonic\(\)|\btook\b|\belapsed\b|\.stop\(\)))"
                    r"[^\n]*?,\s*(?:\d+ if \w+ else )?([\d.]+)")
# What waits for something that must happen gives up only after PATIENCE.
WAITS = re.compile(r"\b(?:until|wait|refresh)\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*?"
                   r"\bseconds=([\d.]+)")
C = re.compile(r"EXPECT\([^;]*?clock\w*_ns\(\) - \w+\s*<\s*([\d.]+) \* NS_PER_(SECOND|MS)")


def seconds(match):
    number = float(match[1])
    return number / 1000 if match.lastindex == 2 and match[2] == "MS" else number


def function_of(source, position):
    names = re.findall(r"^\s*(?:def |static void |TEST\w*\()(\w+)", source[:position], re.M)
    return names[-1] if names else ""


def main():
    top, gate, count = house.root(), house.Gate(), 0
    if len(EXCEPTIONS) > 5:
        gate.refuse("tests/gates/gate_clock.py", 1, "more than five exceptions")
    for path in house.files(top, ".py", ".c"):
        if not path.startswith("tests/") or path.startswith("tests/gates/"):
            continue
        count += 1
        source = house.text(top, path)
        bounds = (PYTHON, WAITS) if path.endswith(".py") else (C,)
        for match in (match for bound in bounds for match in bound.finditer(source)):
            name = f"{path}: {function_of(source, match.start())}"
            if seconds(match) < LEAST and name not in EXCEPTIONS:
                gate.refuse(path, house.line_of(source, match.start()),
                            f"decides by a wall clock ({match[1]}); assert what it stands for")
    gate.verdict(f"{count} tests decide by no wall clock")


main()

"""Every larger C file has a test of the same name, or its head comment names the tests that cover it.
Every promise in docs/ that stands in a table with a column "test" names tests, and each test that a
page names exists: as a test that runs, or as a file of tests."""
import os
import re

import house

LINES = 100  # a smaller file may be covered by the test of its caller

HEAD = re.compile(r"/\*.*?\*/", re.S)
NAMED = re.compile(r"Tested by (tests/\S+(?:(?:, | and )tests/\S+)*)")
TEST = re.compile(r"(?:\w+_test\.(?:c|py)|test_\w+\.py)$")


def named_tests(source):
    """The tests that the head comment names: "Tested by tests/a_test.c and tests/b/test_b.py."."""
    head = HEAD.match(source)
    words = " ".join(line.strip(" */") for line in head.group().splitlines()) if head else ""
    match = NAMED.search(words)
    return [path.rstrip(".,;:") for path in re.findall(r"tests/\S+", match[1])] if match else []


def tests_that_run(top):
    """Names of tests in C and in Python, and of their files."""
    names = set()
    for path in house.files(top, ".c", ".py"):
        if not path.startswith("tests/"):
            continue
        source = house.text(top, path)
        names.add(os.path.splitext(os.path.basename(path))[0])
        names.update(re.findall(r"^(?:\s*RUN|TEST\w*)\((\w+)[,)]" if path.endswith(".c") else
                                r"^\s*def (test_\w+)\(", source, re.M))
    return names


def judge_page(gate, path, source, known):
    """How many tests the page names."""
    has_column, count = False, 0
    for number, line in enumerate(source.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            has_column = False
        elif cells[-1] == "test":
            has_column = True
            continue
        named = {*re.findall(r"`(test_\w+|\w+_test)`", line),
                 *(re.findall(r"`(\w+)`", cells[-1]) if has_column else [])}
        if has_column and not named and not set(cells[-1]) <= set("-:"):
            gate.refuse(path, number, "this promise names no test")
        for name in sorted(named - known):
            gate.refuse(path, number, f"names the test {name}, which does not run anywhere")
        count += len(named)
    return count


def main():
    top, gate, mirrored, named = house.root(), house.Gate(), 0, 0
    for path in house.files(top, ".c"):
        if path.startswith(("tests/", "bench/")):
            continue
        source = house.text(top, path)
        tests = named_tests(source)
        for test in tests:
            if not os.path.isfile(os.path.join(top, test)):
                gate.refuse(path, 1, f"names {test}, which does not exist")
            elif not TEST.match(os.path.basename(test)):
                gate.refuse(path, 1, f"names {test}, which is not a test")
        mirror = f"tests/{path[:-2]}_test.c"
        if os.path.isfile(os.path.join(top, mirror)):
            mirrored += 1
        elif tests:
            named += 1
        elif len(source.splitlines()) >= LINES:
            gate.refuse(path, 1, f"there is no {mirror}, and the head comment names no test: "
                                 f"\"Tested by tests/...\"")
    known = tests_that_run(top)
    promised = sum(judge_page(gate, path, house.text(top, path), known)
                   for path in house.files(top, ".md") if path.startswith("docs/"))
    gate.verdict(f"{mirrored} files have a test of the same name, {named} name another; docs/ names "
                 f"{promised} tests")


main()

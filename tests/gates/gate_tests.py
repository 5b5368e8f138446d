"""Every larger C file has a test of the same name, or its head comment names the tests that cover it."""
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


def main():
    top, gate, mirrored, named = house.root(), house.Gate(), 0, 0
    for path in house.files(top, ".c"):
        if path.startswith("tests/"):
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
    gate.verdict(f"{mirrored} files have a test of the same name, {named} name another")


main()

"""The image, made as anybody would from the Dockerfile, on a machine that reaches Debian's mirror and
no registry.

    /usr/bin/python3 tests/container/image.py [make|forget|which] [WORD...]

make (the default) makes it, with further words for the builder; forget removes all that these tests
left; which says what would make it, or why nothing could."""
import sys

from runtime import RUNTIME
from userland import Unable, say

NOTHING_THERE = 77  # ctest calls that "skipped"


def make(*more):
    RUNTIME.check()
    RUNTIME.make_base()
    RUNTIME.make_image(*more)
    print(f"{RUNTIME.bytes_beyond_base() / 1e6:.1f} MB beyond the base")


def forget():
    RUNTIME.forget()


def which():
    RUNTIME.check()
    print(RUNTIME.describe())


def main(word="make", *more):
    try:
        {"make": make, "forget": forget, "which": which}[word](*more)
    except Unable as reason:
        say(f"no image can be made here: {reason}")
        return NOTHING_THERE
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

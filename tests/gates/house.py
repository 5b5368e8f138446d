"""What the gates share: which files are ours, C without comments and strings, and the verdict.

A gate is a script. Its optional argument is the root of the tree to judge; it prints
file:line and the rule for everything that breaks it, and its exit status is the verdict.
"""
import os
import re
import subprocess
import sys

FLOORS = {  # folder -> the folders whose headers and libraries it may use
    "common": {"common"},
    "engine": {"common", "engine"},
    "engine/train": {"common", "engine", "engine/train"},
    "pricing": {"common", "pricing"},
    "db": {"common", "engine", "pricing", "db"},
    "server": {"common", "engine", "pricing", "db", "server"},
}


def root():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    return os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else default)


def _from_git(top):
    """Tracked files and those that git would not ignore, or None outside of a work tree."""
    def git(*words):
        return subprocess.run(("git", "-C", top) + words, capture_output=True, text=True)

    try:
        where = git("rev-parse", "--show-toplevel").stdout.strip()
        if not where or os.path.realpath(where) != os.path.realpath(top):
            return None
        listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    except FileNotFoundError:
        return None
    return listed.stdout.split("\0") if listed.returncode == 0 else None


def _from_disk(top):
    for folder, folders, names in os.walk(top):
        folders[:] = [f for f in folders if f not in ("build", ".git", "__pycache__")]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), top)


def files(top, *endings):
    """Our files, as paths from the root; with endings, only those that end so."""
    listed = _from_git(top)
    for path in sorted(set(_from_disk(top) if listed is None else listed)):
        whole = os.path.join(top, path)
        if path and os.path.isfile(whole) and not os.path.islink(whole):
            if not endings or path.endswith(endings):
                yield path


def text(top, path):
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as file:
        return file.read()


_NOT_CODE = re.compile(
    r'//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def code(source):
    """The source without comments and without what is in quotes; lines keep their numbers."""
    def blank(match):
        lines = "\n" * match.group().count("\n")
        return lines or {"/": " ", '"': '""', "'": "' '"}[match.group()[0]]

    return _NOT_CODE.sub(blank, source)


def line_of(source, position):
    return source.count("\n", 0, position) + 1


def folder_of(path):
    """The floor that a file stands on, or None (tests, cmake, ...)."""
    folder = os.path.dirname(path)
    while folder and folder not in FLOORS:
        folder = os.path.dirname(folder)
    return folder or None


class Gate:
    """Collects what breaks the rules; verdict() ends the script."""

    def __init__(self):
        self.broken = 0

    def refuse(self, path, line, rule):
        print(f"{path}:{line}: {rule}")
        self.broken += 1

    def verdict(self, held):
        print(f"{self.broken} broken" if self.broken else f"ok: {held}")
        sys.exit(1 if self.broken else 0)

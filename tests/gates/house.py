"""What the gates share: which files are ours, C without comments and strings, and the verdict.

A gate is a script. Its optional argument is the root of the tree to judge; it prints
file:line and the rule for everything that breaks it, and its exit status is the verdict.
"""
import os
import re
import subprocess
import sys

# Each room, and the other rooms whose headers and libraries it may use: a low room may not know a higher
# one. A folder without a row belongs to the room around it.
_ENGINE = ["engine/trace", "engine/spec", "engine/machine", "engine/protocol", "engine/process",
           "engine/stats", "engine/run", "engine/document", "engine/sweep"]
_VALUES = ["common", *_ENGINE, "engine/history", "pricing", "pricing/feeds", "pricing/machine"]
_DB = ["db", "db/contenders", "db/runs", "db/prices", "db/standings", "db/capacity"]
_ANSWERS = ["answers", "answers/compare", "answers/types", "answers/gate"]
_SERVICE = _VALUES + _DB + _ANSWERS + ["server/base"]
_TRAIN = ["common", "engine/trace", "engine/spec", "engine/machine", "engine/protocol"]
_KERNELS = _TRAIN + ["engine/train/networks", "engine/train/onednn", "engine/train/kernels",
                     "engine/train/threads"]
_PLANS = _KERNELS + ["engine/train/kernels/conv", "engine/train/kernels/products",
                     "engine/train/net"]
_WORKLOADS = _PLANS + ["engine/train/depth_first", "engine/train/plain",
                       "engine/train/layerwise"]

ROOMS = {
    "common": [],
    "engine/trace": ["common"],
    "engine/spec": ["common"],
    "engine/machine": ["common", "engine/trace"],
    "engine/protocol": ["common", "engine/trace"],
    "engine/process": ["common", "engine/spec", "engine/machine", "engine/protocol"],
    "engine/stats": ["common", *_ENGINE[:4]],
    "engine/history": ["common", "engine/stats"],
    "engine/run": ["common", *_ENGINE[:6]],
    "engine/document": ["common", *_ENGINE[:7]],
    "engine/sweep": ["common", *_ENGINE[:7]],
    "engine/train/onednn": _TRAIN,
    "engine/train/threads": _TRAIN,
    "engine/train/networks": _TRAIN,
    "engine/train/kernels": _KERNELS,
    "engine/train/kernels/conv": _KERNELS,
    "engine/train/kernels/products": _KERNELS,
    "engine/train/net": _TRAIN + ["engine/train/networks", "engine/train/onednn"],
    "engine/train/depth_first": _PLANS,
    "engine/train/layerwise": _PLANS,
    "engine/train/plain": _PLANS,
    "engine/train/workloads": _WORKLOADS,
    "engine/train/verify": _WORKLOADS + ["engine/train/workloads"],
    "engine/train": _WORKLOADS + ["engine/stats", "engine/run", "engine/train/workloads",
                                  "engine/train/verify"],
    "engine/train/ranks": _TRAIN + ["engine/train", "engine/train/net", "engine/train/threads"],
    "pricing": ["common"],
    "pricing/feeds": ["common", "pricing"],
    "pricing/machine": ["common", "pricing", "pricing/feeds"],
    "db": _VALUES,
    "db/contenders": _VALUES + _DB[:1],
    "db/runs": _VALUES + _DB[:2],
    "db/prices": _VALUES + _DB[:2],
    "db/standings": _VALUES + _DB[:3],
    "db/capacity": _VALUES + _DB[:2],
    "answers": _VALUES + _DB,
    "answers/compare": _VALUES + _DB + _ANSWERS[:1],
    "answers/types": _VALUES + _DB + _ANSWERS[:2],
    "answers/gate": _VALUES + _DB + _ANSWERS[:2],
    "server/base": _VALUES + _DB,
    "server/keys": _SERVICE,
    "server/prices": _SERVICE,
    "server/runs": _SERVICE + ["server/keys", "server/prices"],
    "server/imports": _SERVICE + ["server/keys", "server/prices", "server/runs"],
    "server/hub": _SERVICE + ["server/keys", "server/runs"],
}
_DOMAIN = _SERVICE + ["server/keys", "server/prices", "server/runs", "server/imports"]
ROOMS["server/http/json"] = _DOMAIN
ROOMS["server/http/json/comparison"] = _DOMAIN + ["server/http/json"]
ROOMS["server/http/api"] = _DOMAIN + ["server/http/json", "server/http/json/comparison"]
ROOMS["server/http/tokens"] = _SERVICE
ROOMS["server/http/edge"] = _SERVICE
_HTTP = _DOMAIN + ["server/http/api", "server/http/json", "server/http/json/comparison",
                   "server/http/tokens", "server/http/edge"]
ROOMS["server/http"] = _HTTP + ["server/http/handlers"]
ROOMS["server/http/handlers"] = _HTTP + ["server/http"]
ROOMS["server/cli/config"] = _SERVICE + ["server/http/tokens"]
ROOMS["server/cli"] = _HTTP + ["server/hub", "server/http", "server/cli/config"]

# What each folder with a CMakeLists.txt may link.
LINKS = {
    "common": {"common"},
    "engine": {"common", "engine"},
    "engine/train": {"common", "engine", "engine/train"},
    "pricing": {"common", "pricing"},
    "db": {"common", "engine", "pricing", "db"},
    "answers": {"common", "engine", "pricing", "db", "answers"},
    "server": {"common", "engine", "pricing", "db", "answers", "server"},
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
    """The room that a file stands in, or None (tests, cmake, ...)."""
    folder = os.path.dirname(path)
    while folder and folder not in ROOMS:
        folder = os.path.dirname(folder)
    return folder or None


def may_use(room, other):
    return room == other or other in ROOMS[room]


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

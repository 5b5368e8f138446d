"""C is formatted as .clang-format says.

$PENNYWORTH_TEST_FORMATTED names a file that keeps which sources were formatted. With the same program and the
same rules, a source that it has is not looked at again. Without it each source is.
"""
import hashlib
import os
import re
import shutil
import subprocess

import house

# Versions differ in what they make of the same rules. These agree about this tree (Debian 12
# and 13); what others think of it is not known, so they are not asked.
KNOWN = (14, 19)
# Where they do not agree, a developer with only one of them would not notice. (They also differ about
# some macros that are an initialiser: write such a macro between clang-format off and on.)
DISPUTED = re.compile(r"^#define[^\n]*\(\w+\)\*\w", re.M)
COMPLAINT = re.compile(r"^(.*?):(\d+):\d+: (?:error|warning): ", re.M)


class Kept:
    """Which sources are known to be formatted."""

    def __init__(self, top, version):
        program = os.path.realpath(shutil.which("clang-format"))
        about, rules = os.stat(program), [path for path in house.files(top) if path.endswith(".clang-format")]
        self.seed = repr((program, about.st_size, about.st_mtime_ns, version,
                          [(path, house.text(top, path)) for path in rules]))
        self.top = top
        self.file = os.environ.get("PENNYWORTH_TEST_FORMATTED")
        self.known = set()
        if self.file and os.path.exists(self.file):
            with open(self.file, encoding="ascii") as file:
                self.known = set(file.read().split())

    def key(self, path):
        """With the path: it decides which include comes first."""
        with open(os.path.join(self.top, path), "rb") as source:
            return hashlib.sha256(f"{self.seed}\0{path}\0".encode() + source.read()).hexdigest()

    def keep(self, keys):
        if self.file:
            with open(f"{self.file}.new", "w", encoding="ascii") as file:
                file.write("".join(f"{key}\n" for key in keys))
            os.replace(f"{self.file}.new", self.file)


def main():
    top, gate = house.root(), house.Gate()
    sources = list(house.files(top, ".c", ".h"))
    for path in sources:
        source = house.text(top, path)
        for match in DISPUTED.finditer(source):
            gate.refuse(path, house.line_of(source, match.start()),
                        "versions differ about (a)*b in a macro: put the other factor first")
    if not shutil.which("clang-format"):
        print("clang-format is not installed (Debian: apt-get install clang-format)")
        raise SystemExit(1)
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout
    major = re.search(r"version (\d+)", version)
    if not major or int(major.group(1)) not in KNOWN:
        gate.verdict(f"skipped: this is {version.strip()}, and only the versions "
                     f"{' and '.join(map(str, KNOWN))} are known to agree about the formatting")
    kept = Kept(top, version)
    keys = {path: kept.key(path) for path in sources}
    asked = [path for path in sources if keys[path] not in kept.known]
    if asked:
        ran = subprocess.run(["clang-format", "--dry-run", "--Werror", *asked],
                             cwd=top, capture_output=True, text=True)
        for path, line in sorted({m.groups() for m in COMPLAINT.finditer(ran.stderr)}):
            gate.refuse(path, line, "not formatted: clang-format -i " + path)
        if ran.returncode != 0 and not gate.broken:
            gate.refuse(".clang-format", 1, ran.stderr.strip())
        if ran.returncode == 0:
            kept.keep(keys.values())
    gate.verdict(f"{len(sources)} files are formatted")


main()

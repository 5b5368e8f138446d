"""The image: what it says of itself, and what is in it."""
import json
import os
import stat
import subprocess
import sys
import unittest

from runtime import RUNTIME, need_image
from tree import commit

USER = 10001
# Bytes unpacked, beyond the base; README.md says what they are. It is 61.7 million (oneDNN 44.2,
# ours 3.5); the rest of the limit is for updates of Debian.
LAYER_LIMIT = 62_500_000
LEFT_BEHIND = """usr/bin/gcc usr/bin/cmake usr/bin/curl usr/bin/openssl src runtime-packages
    tmp/* var/lib/apt/lists/* var/cache/apt/*.bin var/cache/apt/archives/*.deb var/log/apt
    var/log/dpkg.log var/lib/dpkg/info/*.symbols var/cache/debconf/*-old var/lib/dpkg/*-old
    var/cache/ldconfig/aux-cache usr/share/man/man1/*curl* data/*""".split()


def setUpModule():
    global CONFIG, TOP, BASE_TOP
    need_image()
    CONFIG = RUNTIME.config()
    TOP, BASE_TOP = unittest.enterModuleContext(RUNTIME.unpacked())


def special(top):
    """Files with rights that not every program has: (path, mode, capabilities)."""
    found = set()
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            if not stat.S_ISREG(mode):
                continue
            try:
                more = os.getxattr(path, "security.capability")
            except OSError:
                more = b""
            if mode & (stat.S_ISUID | stat.S_ISGID) or more:
                found.add((os.path.relpath(path, top), mode, more))
    return found


def is_same(one, other):
    return one.is_file() and other.is_file() and one.read_bytes() == other.read_bytes()


class WhatItSays(unittest.TestCase):
    def test_it_runs_as_an_unprivileged_user_and_writes_to_its_volume(self):
        self.assertEqual(f"{USER}:{USER}", CONFIG["User"])
        self.assertEqual({"/data": {}}, CONFIG["Volumes"])
        self.assertEqual("/data", CONFIG["WorkingDir"])
        variables = dict(entry.split("=", 1) for entry in CONFIG["Env"])
        self.assertEqual(("/data", "/data"), (variables["HOME"], variables["XDG_STATE_HOME"]))

    def test_its_program_is_pennyworth_with_any_command(self):
        self.assertEqual(["/usr/bin/pennyworth"], CONFIG["Entrypoint"])
        self.assertFalse(CONFIG.get("Cmd"))
        self.assertEqual("SIGTERM", CONFIG["StopSignal"])
        self.assertEqual({"8080/tcp": {}}, CONFIG["ExposedPorts"])
        self.assertEqual(["CMD", "/usr/bin/pennyworth", "health"], CONFIG["Healthcheck"]["Test"])

    def test_its_labels_are_from_the_program(self):
        labels = {name.rpartition(".")[2]: value for name, value in CONFIG["Labels"].items()
                if name.startswith("org.opencontainers.image.")}
        said = RUNTIME.enter("/usr/bin/pennyworth", "--version").stdout.split()
        self.assertEqual(said, [labels["title"], labels["version"]])
        self.assertEqual("Apache-2.0", labels["licenses"])
        self.assertEqual(commit(), labels["revision"])


class WhatIsInIt(unittest.TestCase):
    def test_no_file_has_rights_that_the_base_does_not_give_it(self):
        self.assertEqual(set(), special(TOP) - special(BASE_TOP))

    def test_nothing_of_the_build_is_left(self):
        # A file that is as it was in the base was not left by the build.
        left = [str(path) for pattern in LEFT_BEHIND for path in TOP.glob(pattern)
                if not is_same(path, BASE_TOP / path.relative_to(TOP))]
        self.assertEqual([], left)

    def test_it_is_small(self):
        size = RUNTIME.bytes_beyond_base()
        print(f"image: {size / 1e6:.1f} MB beyond the base", file=sys.stderr)
        self.assertLess(size, LAYER_LIMIT)

    def test_certificates_and_licences_are_in_it(self):
        bundle = (TOP / "etc/ssl/certs/ca-certificates.crt").read_text()
        self.assertGreater(bundle.count("BEGIN CERTIFICATE"), 50)
        folder = TOP / "usr/share/doc/pennyworth"
        self.assertIn("Apache License", (folder / "LICENSE").read_text())
        self.assertIn("Mike Bostock", (folder / "LICENSE.d3").read_text())

    def test_its_bill_of_materials_is_true(self):
        listed = json.loads((TOP / "usr/share/doc/pennyworth/sbom.spdx.json").read_text())
        for file in listed["files"]:
            hashes = {entry["algorithm"]: entry["checksumValue"] for entry in file["checksums"]}
            got = subprocess.run(["sha256sum", TOP / file["fileName"]], capture_output=True,
                                 text=True, check=True).stdout.split()[0]
            self.assertEqual(got, hashes["SHA256"], file["fileName"])
        packages = {entry["SPDXID"]: entry for entry in listed["packages"]}
        linked = {entry["relatedSpdxElement"] for entry in listed["relationships"]
                  if entry["relationshipType"] == "DYNAMIC_LINK"}
        self.assertGreater(len(linked), 20)
        printed = RUNTIME.enter("/usr/bin/dpkg-query", "-W", "-f", "${Package} ${Version}\\n").stdout
        there = dict(line.split(" ", 1) for line in printed.splitlines())
        for entry in (packages[name] for name in linked):
            self.assertEqual(there[entry["name"]], entry["versionInfo"])

    def test_every_library_is_there(self):
        answer = RUNTIME.enter("/usr/bin/ldd", "/usr/bin/pennyworth", "/usr/bin/pennyworth-worker")
        self.assertEqual(0, answer.returncode, answer.stderr)
        self.assertNotIn("not found", answer.stdout)

    def test_what_the_ladder_loads_is_there(self):
        self.assertTrue([*TOP.glob("usr/lib/*-linux-gnu/libtcmalloc_minimal.so.4")])

    def test_llvm_is_not(self):
        self.assertEqual([], [*TOP.glob("usr/lib/llvm-*"), *TOP.glob("usr/lib/*/libLLVM*")])

"""The image: how it is made, what is in it, and that it serves, measures and ends with no rights
but to its volume. README.md says what this needs; where that is missing, it says so and skips."""
import gzip
import json
import os
import stat
import subprocess
import sys
import unittest
from pathlib import Path

import image
from container import PATIENCE, USER, Container, command, until, volume

# Bytes unpacked, beyond the base; README.md says what they are. It was 59.8 million: what is above
# 60 is for updates of Debian.
LAYER_LIMIT = 61_000_000
LEFT_BEHIND = """usr/bin/gcc usr/bin/cmake usr/bin/curl usr/bin/openssl src runtime-packages
    tmp/* var/lib/apt/lists/* var/cache/apt/*.bin var/cache/apt/archives/*.deb var/log/apt
    var/log/dpkg.log var/lib/dpkg/info/*.symbols var/cache/debconf/*-old var/lib/dpkg/*-old
    var/cache/ldconfig/aux-cache usr/share/man/man1/*curl* data/*""".split()
KEPT = os.environ.get("PENNYWORTH_TEST_IMAGE") == "kept"
SHORT = {"workload": "resnet50", "batch_size": 2, "threads": 1, "warmup_steps": 0, "steps": 2}


def setUpModule():
    global TOP, CONFIG, BASE_TOP
    if KEPT:
        unittest.addModuleCleanup(image.buildah, "rm", "--all")
    else:
        unittest.addModuleCleanup(image.forget)
    try:
        image.check_machine()
        image.make_base()
        if not KEPT:
            image.make_image()
    except image.Unable as reason:
        raise unittest.SkipTest(f"no image can be made here: {reason}")
    CONFIG = image.inspect()["Docker"]["config"]
    TOP = Path(image.buildah("mount", image.buildah("from", "--pull-never", image.IMAGE)))
    BASE_TOP = Path(image.buildah("mount", image.buildah("from", "--pull-never", image.BASE)))


def variables():
    return dict(entry.split("=", 1) for entry in CONFIG["Env"] if not entry.startswith("PATH="))


def enter(*words, **more):
    """A program in the image, with the image's variables and an empty volume."""
    data = volume()
    try:
        return subprocess.run(command(TOP, data, {**variables(), **more}, *words),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=600)
    finally:
        subprocess.run(["rm", "-rf", data], check=True)


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


class WhatItSays(unittest.TestCase):
    def test_it_runs_as_nobody_in_particular_and_writes_to_its_volume(self):
        self.assertEqual(f"{USER}:{USER}", CONFIG["User"])
        self.assertEqual({"/data": {}}, CONFIG["Volumes"])
        self.assertEqual("/data", CONFIG["WorkingDir"])
        told = variables()
        self.assertEqual(("/data", "/data"), (told["HOME"], told["XDG_STATE_HOME"]))

    def test_its_program_is_pennyworth_with_any_command(self):
        self.assertEqual(["/usr/bin/pennyworth"], CONFIG["Entrypoint"])
        self.assertFalse(CONFIG.get("Cmd"))
        self.assertEqual("SIGTERM", CONFIG["StopSignal"])
        self.assertEqual({"8080/tcp": {}}, CONFIG["ExposedPorts"])
        self.assertEqual(["CMD", "/usr/bin/pennyworth", "health"], CONFIG["Healthcheck"]["Test"])

    def test_its_labels_are_those_of_the_program(self):
        told = {name.rpartition(".")[2]: value for name, value in CONFIG["Labels"].items()
                if name.startswith("org.opencontainers.image.")}
        said = enter("/usr/bin/pennyworth", "--version").stdout.split()
        self.assertEqual(said, [told["title"], told["version"]])
        self.assertEqual("Apache-2.0", told["licenses"])
        self.assertEqual(image.commit(), told["revision"])


class WhatIsInIt(unittest.TestCase):
    def test_no_file_has_rights_that_the_base_does_not_give_it(self):
        self.assertEqual(set(), special(TOP) - special(BASE_TOP))

    def test_nothing_of_the_build_is_left(self):
        left = [str(path) for pattern in LEFT_BEHIND for path in TOP.glob(pattern)]
        self.assertEqual([], left)

    def test_it_is_small(self):
        size = sum(size for _, size in image.layers()[1:])
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
        for name in linked:
            entry = packages[name]
            told = enter("/usr/bin/dpkg-query", "-W", "-f", "${Version}", entry["name"]).stdout
            self.assertEqual(told, entry["versionInfo"], name)

    def test_every_library_is_there(self):
        for program in ("pennyworth", "pennyworth-worker"):
            answer = enter("/usr/bin/ldd", f"/usr/bin/{program}")
            self.assertEqual(0, answer.returncode, answer.stderr)
            self.assertNotIn("not found", answer.stdout)


class Refusals(unittest.TestCase):
    def test_without_a_token_nobody_is_served(self):
        answer = enter("/usr/bin/pennyworth")
        self.assertEqual(2, answer.returncode, answer.stderr)
        self.assertIn("--listen 0.0.0.0 can be reached by others", answer.stderr)
        self.assertIn("--write-token-file", answer.stderr)

    def test_nothing_but_the_volume_can_be_written(self):
        script = "for d in / /usr /etc /var/tmp /usr/bin; do touch $d/x 2>/dev/null && echo $d; done"
        answer = enter("/bin/sh", "-c", script + "; touch /data/x && echo volume; id -u; "
                       "grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status")
        self.assertEqual(["volume", str(USER)], answer.stdout.split()[:2], answer.stdout)
        self.assertRegex(answer.stdout, r"CapEff:\s+0+\nCapBnd:\s+0+\nNoNewPrivs:\s+1\n")


class Serving(unittest.TestCase):
    def serve(self):
        server = Container(TOP, variables())
        self.addCleanup(server.clean)
        took = server.start()
        print(f"image: ready after {took:.0f} ms", file=sys.stderr)
        return server

    def test_it_serves_and_measures_and_ends(self):
        server = self.serve()
        status, kind, page = server.ask("GET", "/")
        self.assertEqual((200, "text/html; charset=utf-8"), (status, kind))
        self.assertIn(b"<html", page[:2] == b"\x1f\x8b" and gzip.decompress(page) or page)
        run = server.run(**SHORT)
        self.assertEqual("finished", run["state"], run)
        self.assertGreater(run["summary"]["samples_per_second"], 0)
        database = Path(server.data, "pennyworth/pennyworth.db")
        self.assertEqual(USER, database.stat().st_uid)
        ended, seconds = server.stop()
        self.assertEqual(0, ended, server.told())
        self.assertLess(seconds, 10)

    def test_as_the_first_process_it_ends_in_the_middle_of_a_run(self):
        server = self.serve()
        pid = server.pid()
        self.assertRegex(Path(f"/proc/{pid}/status").read_text(), r"NSpid:\s+\d+\s+1\n")
        run_id = server.begin(**{**SHORT, "steps": 100000, "max_seconds": 600})
        until(lambda: server.show(run_id)["state"] == "running", "the run is under way")
        ended, seconds = server.stop()
        self.assertEqual(0, ended, server.told())
        self.assertLess(seconds, 15)
        # The same volume, a new container.
        server.start()
        self.assertEqual("interrupted", server.show(run_id)["state"])
        server.stop()

    def test_health_tells_whether_it_serves(self):
        server = self.serve()
        answer = server.inside("/usr/bin/pennyworth", "health")
        self.assertEqual((0, ""), (answer.returncode, answer.stderr))
        server.stop()
        answer = server.inside("/usr/bin/pennyworth", "health")
        self.assertEqual(1, answer.returncode)
        self.assertIn("/readyz", answer.stderr)


class Benching(unittest.TestCase):
    def test_it_measures_and_reports_to_a_hub_outside(self):
        if "not built in" in enter("/usr/bin/pennyworth", "bench", "--max-seconds", "10").stderr:
            self.skipTest("this program has no bench yet")
        sys.path.insert(0, str(image.ROOT / "tests/api"))
        from harness import Server
        token = Container.TOKEN
        hub = Server(environment={"PENNYWORTH_WRITE_TOKEN": token}).start()
        self.addCleanup(hub.stop)
        hub.token = token
        answer = enter("/usr/bin/pennyworth", "bench", "--set", "quick", "--max-seconds", "120",
                       PENNYWORTH_REPORT_TO=f"http://127.0.0.1:{hub.port}",
                       PENNYWORTH_REPORT_TOKEN=token, PENNYWORTH_METADATA="off",
                       PENNYWORTH_FEED="all=off")
        self.assertIn(answer.returncode, (0, 4), answer.stderr)  # 4: disturbed by others
        runs = hub.get("/v1/runs").json()["runs"]
        self.assertTrue(runs, answer.stderr)
        self.assertIn("finished", {run["state"] for run in runs})


if __name__ == "__main__":
    unittest.main(verbosity=2)

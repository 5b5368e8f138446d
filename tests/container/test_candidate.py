"""A candidate in a container measures and reports: to a hub of this machine; and, where there is an
engine, over TLS to a hub on a private network that is cut off in the middle."""
import http.client
import shutil
import sqlite3
import ssl
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import docker
from runtime import ENGINE, RUNTIME, need_image
from server import ALONE, TOKEN, until

OPENSSL = shutil.which("openssl")
USER = 10001
# An engine whose speed does not depend on how busy this machine is: it speaks the worker protocol,
# and stops when a line arrives that says "enough".
ENGINE_SCRIPT = """read -r spec
echo '{"type":"hello","protocol":1,"software":"paced"}'
for ((i = 0; i < 2000; i++)); do
    read -r -t 0.1 line && break
    printf '{"type":"step","index":%d,"nanoseconds":%d,"loss":%d}\\n' $i \
        $((100000000 + i * 7919 % 11 * 300000)) $((2000 - i))
done
printf '{"type":"done","steps":%d}\\n' $i
"""
PRICED = {**ALONE, "PENNYWORTH_PRICE_PER_HOUR": "0.25", "PENNYWORTH_SET": "quick"}


def setUpModule():
    need_image()


def openssl(*words):
    subprocess.run([OPENSSL, *map(str, words)], check=True, capture_output=True, timeout=60)


def make_certificates(folder):
    """An authority of our own, and a certificate for "hub" that it signed."""
    ca, ca_key, hub, key, request = (folder / name for name in (
        "ca.pem", "ca.key", "hub.pem", "hub.key", "hub.csr"))
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *curve, "-days", "2", "-subj", "/CN=an authority of a test",
            "-keyout", ca_key, "-out", ca)
    openssl("req", *curve, "-subj", "/CN=hub", "-keyout", key, "-out", request)
    (folder / "names").write_text("subjectAltName=DNS:hub,IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", request, "-CA", ca, "-CAkey", ca_key, "-CAcreateserial",
            "-days", "2", "-extfile", folder / "names", "-out", hub)


@unittest.skipIf(ENGINE, "a private network shows more, below")
class Benching(unittest.TestCase):
    def test_it_measures_and_reports_to_a_hub_outside(self):
        from harness import Server
        hub = Server(environment={"PENNYWORTH_WRITE_TOKEN": TOKEN}).start()
        self.addCleanup(hub.stop)
        hub.token = TOKEN
        answer = RUNTIME.enter("/usr/bin/pennyworth", "bench", "--max-seconds", "60",
                               PENNYWORTH_REPORT_TO=f"http://127.0.0.1:{hub.port}",
                               PENNYWORTH_REPORT_TOKEN=TOKEN, **PRICED)
        self.assertIn(answer.returncode, (0, 4), answer.stderr)  # 4: disturbed by others
        runs = hub.get("/v1/runs").json()["runs"]
        self.assertIn("finished", {run["state"] for run in runs}, answer.stderr)


class Hub(docker.DockerServer):
    """A hub over TLS. `files` has its certificate, its key, its tokens and its authority."""

    def __init__(self, files):
        there = "/run/pennyworth"
        super().__init__("serve", "--tokens", f"{there}/tokens", run=(
            "-v", f"{files}:{there}:ro", "-e", f"PENNYWORTH_TLS_CERTIFICATE={there}/hub.pem",
            "-e", f"PENNYWORTH_TLS_KEY={there}/hub.key"))
        self.context = ssl.create_default_context(cafile=files / "ca.pem")

    def connection(self):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60,
                                           context=self.context)


@unittest.skipUnless(ENGINE and OPENSSL, "needs a docker engine and openssl")
class PrivateNetwork(unittest.TestCase):
    def setUp(self):
        self.files = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.files.chmod(0o755)
        make_certificates(self.files)
        made = RUNTIME.enter("/usr/bin/pennyworth", "token", "candidate", "import")
        (self.files / "tokens").write_text(made.stdout)
        (self.files / "engine.sh").write_text(ENGINE_SCRIPT)
        self.token = made.stderr.splitlines()[-1]
        for path in self.files.iterdir():  # readable by the image's user, and by it alone
            docker.userland.os.chown(path, USER, USER)
            path.chmod(0o600)
        self.network = docker.Network()
        self.addCleanup(self.network.remove)
        self.hub = Hub(self.files)
        self.addCleanup(self.hub.clean)
        self.hub.start()
        self.network.connect(self.hub.container, "hub")
        self.volume = RUNTIME.volume()
        self.addCleanup(self.volume.remove)

    def candidate(self, *words, flags=()):
        candidate = docker.Container(
            "--network", self.network.name, "-v", f"{self.volume.name}:/data",
            "-v", f"{self.files}/ca.pem:/run/ca.pem:ro",
            "-v", f"{self.files}/engine.sh:/run/engine.sh:ro", *flags, words=words,
            environment={**PRICED, "PENNYWORTH_REPORT_TO": "https://hub:8080",
                  "PENNYWORTH_REPORT_TOKEN": self.token, "PENNYWORTH_REPORT_CA": "/run/ca.pem",
                  "PENNYWORTH_REPORT_SECONDS": "120",
                  "PENNYWORTH_ENGINE": "native=/bin/bash /run/engine.sh"})
        self.addCleanup(candidate.remove)
        return candidate

    def rows(self, query):
        """Of the candidate's database, once the candidate has ended."""
        with tempfile.TemporaryDirectory() as folder:
            self.volume.fetch(folder)
            with sqlite3.connect(Path(folder, "pennyworth/pennyworth.db")) as connection:
                return connection.execute(query).fetchall()

    def hub_ids(self):
        return Counter(run["id"] for run in self.hub.get("/v1/runs?limit=100")["runs"])

    def test_with_the_hub_cut_off_and_back_each_run_is_there_once(self):
        # What an earlier candidate on this volume has measured and no hub has accepted.
        spool = RUNTIME.server(volume=self.volume)
        self.addCleanup(spool.clean)
        spool.start()
        for seed in range(5):
            spool.run(workload="mlp2017", batch_size=8, warmup_steps=0, steps=4, seed=seed)
        self.assertEqual(0, spool.stop())
        # PENNYWORTH_REPORT_TO alone makes it a candidate.
        candidate = self.candidate(flags=("-e", "PENNYWORTH_MAX_SECONDS=120"))
        until(lambda: len(self.hub_ids()) >= 1, "the first run is accepted", 120)
        self.network.disconnect(self.hub.container)
        until(lambda: candidate.log().count(" samples/s") >= 1 or not candidate.state()["Running"],
              "a run ends while the hub is away", 200, pause=0.2)
        self.assertTrue(candidate.state()["Running"], candidate.log())
        self.network.connect(self.hub.container, "hub")
        self.assertIn(candidate.wait(200), (0, 4), candidate.log())  # 4: disturbed by others
        measured = Counter(run for run, in self.rows("SELECT id FROM runs"))
        self.assertGreaterEqual(len(measured), 6)
        self.assertEqual(measured, self.hub_ids())
        self.assertEqual([("accepted", len(measured))],
                         self.rows("SELECT verdict, count(*) FROM deliveries GROUP BY verdict"))

    def test_with_a_hub_that_another_authority_signed_nothing_is_sent(self):
        spool = RUNTIME.server(volume=self.volume)
        self.addCleanup(spool.clean)
        spool.start()
        spool.run(workload="mlp2017", batch_size=8, warmup_steps=0, steps=4)
        spool.stop()
        pushed = self.candidate("push", flags=("-e", "PENNYWORTH_REPORT_CA=",
                                               "-e", "PENNYWORTH_REPORT_SECONDS=3"))
        self.assertNotEqual(0, pushed.wait(60), pushed.log())
        self.assertRegex(pushed.log(), "(?i)certificate")
        self.assertEqual(Counter(), self.hub_ids())
        again = self.candidate("push")
        self.assertEqual(0, again.wait(60), again.log())
        self.assertEqual(1, len(self.hub_ids()))

    def test_a_candidate_that_measures_is_healthy(self):
        candidate = self.candidate("bench", "--max-seconds", "30", flags=(
            "--health-interval", "1s", "--health-retries", "1", "--health-start-period", "0s"))

        def checks():
            return candidate.state()["Health"]["Log"] or []
        # The engine remembers five checks: these are of a time when steps are measured.
        until(lambda: len(checks()) >= 5, "five checks", 60, pause=0.1)
        self.assertEqual({0}, {check["ExitCode"] for check in checks()[-3:]}, checks())
        self.assertEqual("healthy", candidate.state()["Health"]["Status"])

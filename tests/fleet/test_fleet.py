"""A fleet in miniature: two candidates and a hub, each on a network of its own. The link is cut in
the middle, a candidate is killed, the hub is killed; afterwards the hub has every run once.

FLEET_CUT says for how many seconds the link is cut (10)."""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from harness import ALONE, SERVER, Server, until
from network import Network
from run_documents import document, lines

CUT = float(os.environ.get("FLEET_CUT", "10"))
PORT = 8080
RUNS, STEPS = 240, 1500  # of each candidate, before it begins: about 8 MB
# So that what a candidate has to send takes about twice as long as the link is cut.
RATE = f"{int(RUNS * STEPS * 24 * 8 / (2 * CUT) / 1000)}kbit"


def rows(database, query):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=20) as connection:
        return connection.execute(query).fetchall()


def fill(database, first):
    """A spool: runs that this candidate has measured and no hub has accepted."""
    server = Server(database=database).start()
    for start in range(first, first + RUNS, 60):
        reply = server.request("POST", "/v1/runs/import",
                               lines(document(number, STEPS)
                                     for number in range(start, start + 60)),
                               {"Content-Type": "application/x-ndjson"})
        assert reply.status == 200 and reply.json()["imported"] == 60, reply
    server.stop()
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE runs SET provenance = 'measured'")
    connection.close()


class Machine:
    """A process on one of the machines, and how it ends."""

    def __init__(self, network, name, words, folder, environment=None):
        self.log = open(Path(folder) / f"{name}.log", "a", encoding="utf-8")
        self.process = subprocess.Popen(
            network.command(name, [SERVER, *words]), stdout=self.log, stderr=self.log,
            env={**os.environ, **(environment or {})})

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait(60)
        self.log.close()

    def wait(self, seconds):
        status = self.process.wait(seconds)
        self.log.close()
        return status


class Fleet(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.running = []
        self.addCleanup(self.end)
        self.databases = {name: f"{self.folder}/{name}.db" for name in ("hub", "a", "b")}
        fill(self.databases["a"], 0)
        fill(self.databases["b"], RUNS)
        self.tokens = {name: self.make_token(name) for name in ("a", "b")}
        self.network = self.enterContext(Network(["hub", "a", "b"], rate=RATE))

    def end(self):
        for machine in self.running:
            if machine.process.poll() is None:
                machine.kill()
        if sys.exc_info()[0] or not self._outcome.success:
            for log in sorted(Path(self.folder).glob("*.log")):
                print(f"--- {log.name}\n{log.read_text(encoding='utf-8')[-4000:]}")

    def make_token(self, name):
        made = subprocess.run([SERVER, "token", f"candidate-{name}", "import"], check=True,
                              capture_output=True, text=True)
        with open(f"{self.folder}/tokens", "a", encoding="utf-8") as tokens:
            tokens.write(made.stdout)
        return made.stderr.splitlines()[-1]

    def start(self, name, words, **more):
        machine = Machine(self.network, name, words, self.folder, **more)
        self.running.append(machine)
        return machine

    def start_hub(self):
        return self.start("hub", ["serve", *ALONE, "--database", self.databases["hub"],
                                  "--listen", self.network.address["hub"], "--port", str(PORT),
                                  "--tokens", f"{self.folder}/tokens",
                                  "--audit", f"{self.folder}/audit"])

    def report(self, name, words):
        return self.start(
            name, [*words, "--database", self.databases[name],
                   "--report-to", f"http://{self.network.address['hub']}:{PORT}",
                   "--report-seconds", "300"],
            environment={"PENNYWORTH_REPORT_TOKEN": self.tokens[name]})

    def bench(self, name):
        return self.report(name, ["bench", "--set", "quick", "--feed", "all=off", "--metadata",
                                  "off", "--provider", "aws", "--instance-type", f"test-{name}.large",
                                  "--region", "eu-test-1", "--price-per-hour", "0.25"])

    def accepted(self, name):
        return {run for run, in rows(
            self.databases[name], "SELECT id FROM deliveries JOIN runs ON number = run"
                                  " WHERE verdict = 'accepted'")}

    def in_hub(self):
        return [run for run, in rows(self.databases["hub"], "SELECT id FROM runs")]

    def test_the_hub_has_every_run_once_whatever_was_cut_or_killed(self):
        hub = self.start_hub()
        a, b = self.bench("a"), self.report("b", ["push"])
        until(lambda: self.accepted("a") and self.accepted("b"), "first runs arrive", 120, 0.2)

        for name in "ab":
            self.network.plug(name, False)
        time.sleep(CUT / 2)
        b.kill()
        time.sleep(CUT / 2)
        cut_off = len(self.in_hub())
        for name in "ab":
            self.network.plug(name, True)
        # The hub has all runs that it acknowledged; it may have more, whose answers were lost.
        self.assertLessEqual(self.accepted("b"), set(self.in_hub()))
        until(lambda: len(self.in_hub()) > cut_off, "runs arrive again", 120, 0.2)

        hub.kill()
        acknowledged = self.accepted("a") | self.accepted("b")
        unanswered = set(self.in_hub()) - acknowledged  # stored, and killed before it said so
        self.assertLess(len(acknowledged), 2 * RUNS, "the hub was to be killed in the middle")
        time.sleep(1)
        hub = self.start_hub()
        until(lambda: acknowledged <= set(self.in_hub()), "what was acknowledged is there", 30, 0.2)
        b = self.report("b", ["push"])
        self.assertEqual(b.wait(400), 0)
        self.assertIn(a.wait(400), (0, 4))  # two that measure on one machine disturb each other

        self.look_at_what_arrived(len(unanswered))
        hub.kill(signal.SIGTERM)
        self.assertEqual(hub.process.returncode, 0)

    def look_at_what_arrived(self, unanswered):
        arrived = self.in_hub()
        sent = {name: {run for run, in rows(self.databases[name],
                                            "SELECT id FROM runs WHERE state = 'finished'")}
                for name in "ab"}
        self.assertGreater(len(sent["a"]), RUNS, "the candidate measured something itself")
        self.assertEqual(len(arrived), len(set(arrived)), "each once")
        self.assertEqual(set(arrived), sent["a"] | sent["b"])
        for name in "ab":
            self.assertEqual(self.accepted(name), sent[name])
            numbers = "SELECT id, samples_per_second, steps FROM runs WHERE state = 'finished'"
            self.assertLessEqual(set(rows(self.databases[name], numbers)),
                                 set(rows(self.databases["hub"], numbers)))
        senders = dict(rows(self.databases["hub"],
                            "SELECT sender, count(*) FROM runs GROUP BY sender"))
        self.assertEqual(senders, {f"candidate-{name}": len(sent[name]) for name in "ab"})
        with open(f"{self.folder}/audit", encoding="utf-8") as audit:
            entries = [json.loads(line) for line in audit]
        audited = sum(entry.get("imported", 0) for entry in entries if entry["status"] == 200)
        self.assertLessEqual(audited, len(arrived))
        self.assertLessEqual(len(arrived) - audited, unanswered, "every answer has its line")

"""pennyworth push: what a hub has not accepted yet, whenever and however that came about."""
import json
import os
import re
import shutil
import signal
import unittest

from candidate import GOOD, SLOW_ENGINE, TOKEN, Candidate, FakeHub
from certificates import OPENSSL, make_pair
from harness import Case, fake, until
from run_documents import export, ids


class Push(Case):
    def setUp(self):
        self.candidate = Candidate(self)

    def measure(self, *flags):
        """A run that no hub has."""
        ended = self.candidate.run("bench", "--set", "quick", "--format", "json", *flags)
        self.assertEqual(0, ended.status, ended)
        return ended.json()["runs"][0]["id"]

    def push(self, url, *flags, status=0, **options):
        ended = self.candidate.run("push", "--report-to", url, *flags, **options)
        self.assertEqual(status, ended.status, ended)
        return ended

    def push_in_vain(self, url, *flags, reason):
        """Whatever the machine is busy with, it is tried at least once."""
        ended = self.candidate.start("push", "--report-to", url, *flags).give_up(reason)
        self.assertEqual(5, ended.status, ended)
        return ended

    def hub(self, *flags, **options):
        return self.own_server(*flags, haste=20, **options)

    def test_measured_runs_are_pushed_once(self):
        run = self.measure()
        hub = self.hub()
        ended = self.push(hub.url)
        self.assertIn("1 runs wait for the hub", ended.stderr)
        self.assertIn("1 accepted, 0 refused, 0 still waiting", ended.stderr)
        self.assertEqual("imported", hub.show(run)["provenance"])
        self.assertEqual("", ended.out)
        self.assertIn("0 runs wait", self.push(hub.url + "/").stderr)

    def test_a_killed_candidate_is_pushed_afterwards(self):
        run = self.measure()
        running = self.candidate.start("bench", "--set", "quick", "--label", "second=1",
                                       engine=SLOW_ENGINE)
        running.tells("begins")
        running.send(signal.SIGKILL).wait()
        hub = self.hub()
        self.push(hub.url)
        self.assertEqual([run], ids(export(hub)))

    def test_a_server_may_be_using_the_database(self):
        server = self.hub(database=self.candidate.database, engines={"ok": fake("ok")})
        runs = {server.run()["id"] for _ in range(3)}
        hub = FakeHub(self, GOOD)
        self.push(hub.url)
        self.assertEqual(runs, set(hub.requests[0][2]))
        self.assertEqual("finished", server.run()["state"])
        self.push(hub.url)
        self.assertEqual(1, len(hub.requests[1][2]))

    def test_more_than_a_token_may_send_in_an_hour_goes_as_it_may_and_nothing_is_lost(self):
        server = self.hub("--queue-limit", "100", database=self.candidate.database,
                          engines={"ok": fake("ok", 0)})
        server.wait([server.queue(steps=1, max_seconds=5) for _ in range(12)][-1])
        made = self.command("token", "c1", "import")
        token, tokens = (os.path.join(self.candidate.folder, name) for name in ("one", "tokens"))
        with open(token, "w") as file:
            file.write(made.stderr.splitlines()[-1])

        def allow(runs):
            with open(tokens, "w") as file:
                file.write(made.stdout.strip() + f" runs_per_hour={runs} mib_per_hour=1\n")

        allow(5)
        hub = self.hub("--tokens", tokens, "--audit", os.path.join(self.candidate.folder, "audit"))
        flags = ("--report-token-file", token)
        ended = self.push_in_vain(hub.url, *flags, reason="429")
        # 12 and 6 are more than it may ever send at once, 3 more are too many for now.
        self.assertIn("3 accepted, 0 refused, 9 still waiting: the hub answered 429", ended.stderr)
        allow(500)
        hub.process.send_signal(signal.SIGHUP)
        until(lambda: "1 tokens are known now" in hub.read_log(), "the new limit")
        self.assertIn("9 accepted, 0 refused, 0 still waiting", self.push(hub.url, *flags).stderr)
        with open(os.path.join(self.candidate.folder, "audit")) as file:
            answers = [json.loads(text) for text in file]
        self.assertEqual([429, 429, 200, 429, 200], [entry["status"] for entry in answers])
        self.assertEqual(12, sum(entry.get("imported", 0) for entry in answers))

    def refusal(self, reason):
        return 200, {}, json.dumps({"imported": 0, "known": 0, "refused": 1, "errors": [
            {"line": 1, "id": None, "field": "steps", "reason": reason}]})

    def test_refused_runs_are_sent_again_when_that_is_asked(self):
        """A hub of a later version may take what an earlier one refused."""
        run = self.measure()
        hub = FakeHub(self, self.refusal("are odd"), self.refusal("are still odd"), GOOD)
        ended = self.push(hub.url, status=5)
        self.assertIn("1 were refused by this hub: --refused on sends them again", ended.stderr)
        self.assertIn("still odd", self.push(hub.url, "--refused", "on", status=5).stderr)
        ended = self.push(hub.url, "--refused", "on")
        self.assertIn("1 accepted, 0 refused, 0 still waiting", ended.stderr)
        self.assertEqual([[run]] * 3, [ids for _, _, ids in hub.requests])
        self.push(hub.url, "--refused", "on")  # what was accepted is not sent again
        self.assertEqual(3, len(hub.requests))

    def test_a_reason_of_a_hub_forges_no_line_of_the_log(self):
        self.measure()
        forged = "2026-01-01T00:00:00.000Z info all is well"
        hub = FakeHub(self, self.refusal(f"are odd\n{forged}\r{forged}\x1b[2J\x9b2J\t{forged}"))
        ended = self.push(hub.url, status=5)
        self.assertIn("are odd 2026", ended.stderr)
        for line in re.split(r"[\n\r\x1b\x9b\t]", ended.stderr):
            self.assertFalse(line.startswith("2026-01-01"), ended.stderr)
            self.assertNotIn("[2J\x9b", line)
        self.assertNotRegex(ended.stderr, r"[\x1b\x9b\t\r]")

    @unittest.skipUnless(OPENSSL, "no openssl to make a certificate with")
    def test_a_hub_is_checked_with_the_certificates_that_were_given(self):
        self.measure()
        certificate, key = make_pair(self.candidate.folder)
        hub = FakeHub(self, GOOD, certificate=(certificate, key))
        self.push_in_vain(hub.url, reason="(?i:certificate)")
        self.assertEqual([], hub.requests)
        self.push(hub.url, "--report-ca", certificate)
        self.assertEqual(1, len(hub.requests))

    def test_a_signal_ends_it(self):
        self.measure()
        hub = FakeHub(self, (503, {"Retry-After": "600"}, "no"))
        running = self.candidate.start("push", "--report-to", hub.url)
        until(lambda: hub.requests, "a request")
        ended = running.send().wait()
        self.assertEqual(5, ended.status, ended)

    def test_a_database_that_is_being_restored_is_left_alone(self):
        self.measure()
        restored = self.candidate.database + ".restored"
        shutil.copy(self.candidate.database, restored)
        hub = FakeHub(self, GOOD)
        ended = self.push(hub.url, status=1)
        self.assertIn("was not finished: start the server or restore again", ended.stderr)
        self.assertEqual([], hub.requests)
        os.remove(restored)
        self.push(hub.url)
        self.assertEqual(1, len(hub.requests))

    def test_wrong_tokens_and_databases_are_reported(self):
        ended = self.push("http://127.0.0.1:9", status=1)
        self.assertIn("--database", ended.stderr)
        self.assertFalse(os.path.exists(self.candidate.database))
        ended = self.candidate.run("push")
        self.assertEqual(2, ended.status)
        self.assertIn("--report-to", ended.stderr)
        self.measure()
        path = os.path.join(self.candidate.folder, "token")
        with open(path, "w") as file:
            file.write(TOKEN)
        hub = FakeHub(self, (403, {}, "no"))
        self.push_in_vain(hub.url, "--report-token-file", path,
                          reason="403: this token may not import")
        self.assertEqual("Bearer " + TOKEN, hub.requests[0][1]["Authorization"])

"""A token that is taken back, and with it what it has sent."""
import json
import os
import signal

import test_tokens
from harness import until
from run_documents import run_id
from test_tokens import line


class Revoking(test_tokens.Case):
    def revoke(self, name, *flags, status=0):
        return self.command("token", "revoke", name, "--tokens", self.file, *flags, status=status).stderr

    def counting(self, server):
        """The runs that count, by who sent them."""
        runs = self.ask(server, "GET", "/v1/runs", "reader").json()["runs"]
        return sorted(run["sender"] for run in runs if not run["void"])

    def serve_two(self):
        server = self.serve("# ours\n", line("c1", "import"), line("c10", "import"),
                            line("reader", "read"))
        self.send(server, "c1", 1, 2, 3)
        self.send(server, "c10", 4)
        return server

    def test_a_revoked_token_is_unknown_after_a_signal(self):
        server = self.serve_two()
        os.chmod(self.file, 0o640)
        self.assertIn("SIGHUP", self.revoke("c1"))
        with open(self.file) as file:
            self.assertEqual("# ours\n" + line("c10", "import") + line("reader", "read"),
                             file.read())
        self.assertEqual(0o640, os.stat(self.file).st_mode & 0o777)
        self.assertEqual(["tokens"], [name for name in os.listdir(self.folder)
                                      if name.startswith("tokens")])
        server.process.send_signal(signal.SIGHUP)
        until(lambda: self.ask(server, "GET", "/v1/runs", "c1").status == 401,
              "the token is unknown")
        self.assertEqual(200, self.send(server, "c10", 6).status)
        self.assertEqual(["c1"] * 3 + ["c10"] * 2, self.counting(server))

    def test_its_runs_are_voided_on_demand_and_the_audit_says_so(self):
        server = self.serve_two()
        flags = ("--with-runs", "on", "--database", server.database, "--audit", self.audit_file)
        said = self.revoke("c1", *flags, "--reason", "leaked on a forum")
        self.assertIn("3 runs of c1 were voided", said)
        self.assertEqual(["c10"], self.counting(server))
        void = self.ask(server, "GET", f"/v1/runs/{run_id(1)}", "reader").json()["void"]
        self.assertEqual((f"uid {os.getuid()}", "leaked on a forum"),
                         (void["by"], void["reason"]))
        entry = self.audit()[-1]
        self.assertEqual(("token revoked", "c1", "leaked on a forum", 3),
                         (entry["did"], entry["id"], entry["reason"], entry["refused"]))
        # Until the signal it may have sent more; a voided run stays as it was voided.
        self.send(server, "c1", 5)
        self.assertIn("1 runs of c1 were voided", self.revoke("c1", *flags))
        self.assertEqual(["c10"], self.counting(server))
        again = self.ask(server, "GET", f"/v1/runs/{run_id(1)}", "reader").json()["void"]
        self.assertEqual(void, again)
        rows = self.ask(server, "GET", "/v1/comparison?workload=mlp2017", "reader").json()["rows"]
        self.assertEqual([1], [row["throughput"]["runs"] for row in rows
                               if row["throughput"]])

    def test_what_it_reported_of_capacity_is_removed_on_demand(self):
        server = self.serve_two()
        event = {"provider": "aws", "instance_type": "c5.large", "zone": "us-east-1a",
                 "kind": "preempted", "price_kind": "spot"}
        for name in "c1", "c10":
            body = json.dumps({**event, "machine": f"of {name}"})
            answer = self.ask(server, "POST", "/v1/capacity", name, body)
            self.assertEqual(201, answer.status, answer.body)
        said = self.revoke("c1", "--with-runs", "on", "--database", server.database)
        self.assertIn("1 events of capacity removed", said)
        counts = self.ask(server, "GET", "/v1/capacity", "reader").json()["capacity"]
        self.assertEqual([1], [count["preempted"] for count in counts])

    def test_a_name_that_is_not_there_changes_nothing(self):
        self.write(line("c1", "import"))
        self.assertIn("c2", self.revoke("c2", status=1))
        with open(self.file) as file:
            self.assertEqual(line("c1", "import"), file.read())
        self.assertIn("--database", self.revoke("c1", "--with-runs", "on", status=2))

"""Signed run documents: a key of each database, verified at import and at export, and bound to a token."""
import json
import os
import stat

import test_tokens
from candidate import Candidate
from ed25519 import Key, holds, proof, signed
from openapi import Description
from run_documents import document, line as text_of, run_id
from test_tokens import IMPORT, JSON, NDJSON, line, secret

ALICE, MALLORY = Key("alice"), Key("mallory")


class Case(test_tokens.Case):
    def put(self, server, name, *documents, prove=None):
        """The status, and the report or the problem; documents are texts."""
        headers = {**NDJSON, **(proof(prove, secret(name)) if prove else {})}
        reply = self.ask(server, "POST", IMPORT, name, "\n".join(documents).encode(), headers)
        return reply.status, reply.json()

    def refusal(self, server, name, text, prove=None):
        """How one document is refused: the status, the field, the words; as a line too."""
        headers = {**JSON, **(proof(prove, secret(name)) if prove else {})}
        reply = self.ask(server, "POST", IMPORT, name, text, headers)
        problem = reply.json()
        status, report = self.put(server, name, text, prove=prove)
        if status == 200:
            (error,) = report["errors"]
            self.assertEqual(problem["detail"], f"{error['field']}: {error['reason']}")
        return reply.status, problem["field"], problem["detail"]

    def assertStored(self, count, answer):
        status, report = answer
        self.assertEqual((200, count, 0), (status, report["imported"], report["refused"]), report)

    def rebind(self, server, name, *flags, status=0):
        return self.command("token", "rebind", name, "--database", server.database, *flags, status=status).stderr

    def export(self, server, name="owner", query=""):
        return self.ask(server, "GET", "/v1/runs/export" + query, name).body.decode().splitlines()

    def show(self, server, number, name="owner"):
        return self.ask(server, "GET", f"/v1/runs/{run_id(number)}", name).json()

    def serve_hub(self, *more, flags=()):
        return self.serve(line("alice", "import"), line("mallory", "import"), line("owner", "read,write"),
                          line("relay", "import", "keys=many"), *more, flags=flags)


class Documents(Case):
    def test_a_signed_document_leaves_as_it_came(self):
        server = self.serve_hub()
        sent = signed(ALICE, text_of(document(1)))
        self.assertStored(1, self.put(server, "alice", sent))
        self.assertEqual([sent], self.export(server))
        self.assertTrue(holds(sent))
        self.assertEqual(ALICE.text, self.show(server, 1)["signed_by"])
        reply = self.ask(server, "GET", f"/v1/runs/{run_id(1)}", "owner")
        Description(self.ask(server, "GET", "/v1/openapi.json", "owner").json()).check(
            "GET", "/v1/runs/{id}", reply)
        self.assertEqual(1, self.put(server, "alice", sent)[1]["known"])

    def test_whatever_a_sender_wrote_leaves_as_it_came(self):
        """Blanks, members in any order, numbers spelled oddly, no evidence, letters beyond ASCII."""
        server = self.serve_hub()
        members = document(2)
        shuffled = {name: members[name] for name in reversed(members)}
        spaced = json.dumps(document(3))
        odd = text_of(document(4)).replace("5000000,", "5e6,")
        bare = document(5, software="Größe 1")
        del bare["evidence"]
        long = document(6, steps=20_100, nanoseconds=1_000_000)
        sent = [signed(ALICE, text) for text in (text_of(shuffled), spaced, odd,
                                                 json.dumps(bare, ensure_ascii=False), text_of(long),
                                                 json.dumps(document(7, steps=20_100)))]
        self.assertStored(len(sent), self.put(server, "alice", *sent))
        self.assertEqual(sent, self.export(server))

    def test_a_trace_is_kept_once(self):
        server = self.serve_hub()
        self.assertStored(2, self.put(server, "alice", *(
            signed(ALICE, text_of(document(number, steps=steps))) for number, steps in ((1, 2000), (2, 21_000)))))
        lengths = [length for length, in server.sql("SELECT length(document) FROM signatures")]
        # Python spells losses as 1e-05; what is written anew from rows may differ there.
        self.assertLess(lengths[0], 2000)

    def test_a_void_stands_behind_the_signature(self):
        server = self.serve_hub()
        self.assertStored(1, self.put(server, "alice", signed(ALICE, text_of(document(1)))))
        path = f"/v1/runs/{run_id(1)}/void"
        self.assertEqual(200, self.ask(server, "POST", path, "owner", '{"reason":"odd"}').status)
        (exported,) = self.export(server)
        self.assertTrue(holds(exported))
        other = self.serve_hub()
        self.assertStored(1, self.put(other, "alice", exported))
        self.assertEqual("odd", self.show(other, 1)["void"]["reason"])
        self.assertEqual([exported], self.export(other))
        self.assertEqual(200, self.ask(server, "DELETE", path, "owner").status)
        self.assertEqual([signed(ALICE, text_of(document(1)))], self.export(server))

    def test_a_run_that_was_altered_here_does_not_leave(self):
        server = self.serve_hub()
        self.assertStored(3, self.put(server, "alice", *(
            signed(ALICE, text_of(document(number))) for number in (1, 2, 3))))
        server.sql("UPDATE signatures SET document = replace(document, 'elsewhere 1', 'better 1') WHERE run = 2")
        self.assertEqual([run_id(1), run_id(3)], [json.loads(text)["id"] for text in self.export(server)])
        self.assertRegex(server.read_log(), f"export of run {run_id(2)}: .*altered")
        server.stop()
        check = self.command("check", "--database", server.database, status=1)
        self.assertRegex(check.stderr, f"run {run_id(2)} was altered: .*signature")

    def test_a_server_may_want_signatures(self):
        server = self.serve_hub(flags=("--require-signatures",))
        status, field, words = self.refusal(server, "alice", text_of(document(1)))
        self.assertEqual((403, "signature"), (status, field))
        self.assertIn("--require-signatures", words)
        self.assertStored(1, self.put(server, "alice", signed(ALICE, text_of(document(1)))))
        self.assertEqual(403, self.refusal(server, "owner", text_of(document(2)))[0])


class Tokens(Case):
    def test_another_key_is_refused_as_a_whole_until_the_token_is_bound_anew(self):
        server = self.serve_hub()
        self.assertStored(1, self.put(server, "alice", signed(ALICE, text_of(document(1))), prove=ALICE))
        status, problem = self.put(server, "alice", signed(MALLORY, text_of(document(2))), prove=MALLORY)
        self.assertEqual((409, "Pennyworth-Key"), (status, problem["field"]))
        said = self.rebind(server, "alice", "--audit", self.audit_file, "--reason", "a new disk")
        self.assertIn(ALICE.text, said)
        entry = self.audit()[-1]
        self.assertEqual(("token rebound", "alice", f"the key was {ALICE.text}: a new disk"),
                         (entry["did"], entry["id"], entry["reason"]))
        self.assertStored(1, self.put(server, "alice", signed(MALLORY, text_of(document(2))), prove=MALLORY))
        self.assertEqual(409, self.put(server, "alice", signed(ALICE, text_of(document(3))), prove=ALICE)[0])
        self.assertEqual([ALICE.text, MALLORY.text], [self.show(server, n)["signed_by"] for n in (1, 2)])
        self.rebind(server, "mallory", status=1)


class Candidates(Case):
    """The commands bench, push and key, with a real hub."""

    def setUp(self):
        super().setUp()
        self.candidate = Candidate(self)

    def report(self, hub, command="bench", *flags):
        return self.candidate.run(command, *(("--set", "quick") if command == "bench" else ()), *flags,
                                  "--report-to", hub.url,
                                  environment={"PENNYWORTH_REPORT_TOKEN": secret("alice")})

    def key(self, action="show", database=None, status=0):
        done = self.command("key", action, "--database", database or self.candidate.database, status=status)
        return done.stdout.strip() if status == 0 else done.stderr

    def test_a_candidate_signs_and_its_token_is_bound(self):
        hub = self.serve_hub()
        self.assertEqual(0, self.report(hub).status)
        key = self.key()
        file = self.candidate.database + ".key"
        self.assertEqual(0o600, stat.S_IMODE(os.stat(file).st_mode))
        exported = self.export(hub)
        self.assertTrue(all(holds(text) for text in exported) and exported)
        self.assertEqual({key}, {json.loads(text)["signature"]["key"] for text in exported})
        self.assertEqual(409, self.put(hub, "alice", signed(MALLORY, text_of(document(1))), prove=MALLORY)[0])
        self.assertEqual([("alice", key)], hub.sql("SELECT name, key FROM token_keys"))

    def test_after_a_rotation_runs_wait_until_the_hub_forgets_the_old_key(self):
        hub = self.serve_hub()
        self.assertEqual(0, self.report(hub).status)
        old = self.key()
        new = self.key("rotate")
        self.assertNotEqual(old, new)
        self.assertEqual(new, self.key())
        self.assertEqual(0o600, stat.S_IMODE(os.stat(self.candidate.database + ".key").st_mode))
        self.assertEqual(0, self.candidate.run("bench", "--set", "quick", "--label", "second=1").status)
        ended = self.candidate.start("push", "--report-to", hub.url, environment={
            "PENNYWORTH_REPORT_TOKEN": secret("alice")}).give_up("409: .*token rebind NAME")
        self.assertEqual(5, ended.status, ended)
        self.assertRegex(ended.stderr, "0 accepted, 0 refused")
        self.rebind(hub, "alice")
        self.assertEqual(0, self.report(hub, "push").status)
        self.assertEqual([old, new], [json.loads(text)["signature"]["key"] for text in self.export(hub)])

    def test_a_server_signs_what_it_measured(self):
        server = self.own_server()
        server.run()
        (exported,) = server.get("/v1/runs/export").body.decode().splitlines()
        self.assertTrue(holds(exported))
        self.assertEqual(self.key(database=server.database), json.loads(exported)["signature"]["key"])
        other = self.serve_hub(flags=("--require-signatures",))
        self.assertStored(1, self.put(other, "owner", exported))
        self.assertEqual([exported], self.export(other))

    def test_a_key_that_others_may_read_or_that_is_damaged_is_refused(self):
        self.key()
        file = self.candidate.database + ".key"
        with open(file, encoding="ascii") as opened:
            secret_digits = opened.read()[8:72]
        os.chmod(file, 0o640)
        self.assertIn("chmod 600", self.key(status=1))
        ended = self.candidate.run("bench", "--set", "quick")
        self.assertEqual(1, ended.status)
        self.assertIn("chmod 600", ended.stderr)
        os.chmod(file, 0o600)
        os.truncate(file, 100)
        said = self.key(status=1)
        self.assertIn("is damaged", said)
        self.assertNotIn(secret_digits, said)
        self.key("spin", status=2)

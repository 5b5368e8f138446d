"""A hub with a token for each who reports to it: scopes, limits, the file read again, the audit."""
import hashlib
import json
import os
import re
import signal
import sqlite3
import stat

import harness
from harness import fake, until
from run_documents import IMPORT, NDJSON, document, lines

ENGINES = {"ok": fake("ok"), "slow": fake("slow", 50)}
JSON = {"Content-Type": "application/json"}
MISSING = "/v1/runs/01ARZ3NDEKTSV4RRFFQ69G5FAV"


def line(name, scopes, *limits):
    digest = hashlib.sha256(secret(name).encode()).hexdigest()
    return " ".join((name, scopes, f"sha256:{digest}", *limits)) + "\n"


def secret(name):
    return f"secret-of-{name}-0123456789"


class Case(harness.Case):
    def setUp(self):
        self.folder = str(self.new_folder())
        self.file = os.path.join(self.folder, "tokens")
        self.audit_file = os.path.join(self.folder, "audit")

    def write(self, *file_lines):
        with open(self.file, "w", encoding="utf-8") as file:
            file.writelines(file_lines)

    def serve(self, *file_lines, flags=(), environment=None):
        self.write(*file_lines)
        return self.own_server("--tokens", self.file, "--audit", self.audit_file, *flags,
                               engines=ENGINES, environment=environment)

    def ask(self, server, method, path, name=None, body=None, headers=None):
        headers = dict(headers or (JSON if body is not None else {}))
        if name:
            headers["Authorization"] = f"Bearer {secret(name)}"
        return server.request(method, path, body, headers)

    def send(self, server, name, *numbers, **fields):
        return self.ask(server, "POST", IMPORT, name,
                        lines([document(number, **fields) for number in numbers]), NDJSON)

    def put(self, server, name, documents):
        reply = self.ask(server, "POST", IMPORT, name, lines(documents), NDJSON)
        self.assertEqual((200, len(documents)), (reply.status, reply.json()["imported"]), reply)

    def audit(self):
        with open(self.audit_file, encoding="utf-8") as file:
            return [json.loads(text) for text in file]

    def assertLimited(self, reply, field, retry=True):
        self.assertEqual(429, reply.status, reply)
        problem = reply.json()
        self.assertEqual(("urn:pennyworth:problem:limited", field),
                         (problem["type"], problem["field"]))
        self.assertEqual(retry, "retry-after" in reply.headers)
        return int(reply.headers.get("retry-after", 0))


class Scopes(Case):
    def test_each_scope_opens_its_routes_and_no_others(self):
        server = self.serve(*(line(name, name) for name in ("read", "write", "import")),
                            line("all", "read,write,import"))
        run = json.dumps({"engine": "ok", "warmup_steps": 0, "steps": 2})
        for method, path, body, allowed in (
                ("GET", "/v1/runs", None, ("read", "all")),
                ("GET", "/metrics", None, ("read", "all")),
                ("GET", "/v1/runs/export", None, ("read", "all")),
                ("POST", "/v1/runs", run, ("write", "all")),
                ("DELETE", MISSING, None, ("write", "all")),
                ("POST", IMPORT, json.dumps(document(1)), ("write", "import", "all")),
                ("POST", "/v1/prices/refresh", None, ("write", "all"))):
            for name in ("read", "write", "import", "all"):
                with self.subTest(f"{method} {path} with {name}"):
                    reply = self.ask(server, method, path, name, body)
                    if name in allowed:
                        self.assertNotIn(reply.status, (401, 403), reply)
                    else:
                        self.assertEqual(403, reply.status, reply)
                        self.assertIn(f"this token has {name}", reply.json()["detail"])
                        self.assertRegex(reply.json()["detail"], "the scope (read|write|import)")
            for headers in ({}, {"Authorization": "Bearer an-unknown-token"}):
                reply = server.request(method, path, body, {**JSON, **headers})
                self.assertEqual(401, reply.status)
                self.assertIn("www-authenticate", reply.headers)
        for path in ("/", "/healthz", "/readyz", "/v1/openapi.json"):
            self.assertEqual(200, server.get(path).status)

    def test_tokens_of_options_stay_valid_with_a_file(self):
        server = self.serve(line("c1", "import"), environment={
            "PENNYWORTH_READ_TOKEN": secret("r"), "PENNYWORTH_WRITE_TOKEN": secret("w")})
        self.assertEqual(200, self.ask(server, "GET", "/v1/runs", "r").status)
        self.assertEqual(403, self.send(server, "r", 1).status)
        self.assertEqual(200, self.send(server, "w", 1).status)
        self.assertEqual(200, self.send(server, "c1", 2).status)
        runs = self.ask(server, "GET", "/v1/runs", "w").json()["runs"]
        self.assertEqual(["c1", None], [run["sender"] for run in runs])
        self.assertEqual(["read-token", "write-token", "c1"],
                         [entry["who"] for entry in self.audit()])


class Files(Case):
    def test_a_wrong_file_refuses_the_start_with_the_reason(self):
        self.write("# fine\n", line("c1", "import"), line("c1", "read"))
        for option, file, status, reason in (
                ("--tokens", self.file, 1, r"\S*tokens:3 'c1' is also the name of another line"),
                ("--tokens", self.folder + "/none", 2, ".*cannot read"),
                ("--audit", "/nonexistent/audit", 1, "--audit cannot write /nonexistent/audit")):
            with self.subTest(reason):
                done = self.command("--port", 0, "--database", self.folder + "/db", option, file, status=status)
                self.assertRegex(done.stderr, "pennyworth: " + reason)
        self.assertFalse(os.path.exists(self.folder + "/db"))

    def test_the_command_makes_a_token_that_opens(self):
        made = self.command("token", "c1", "import")
        token = made.stderr.splitlines()[-1]
        self.assertRegex(token, "^pw_[A-Za-z0-9_-]{43}$")
        self.assertNotIn(token, made.stdout)  # which goes into the file
        server = self.serve(made.stdout)
        reply = server.request("POST", IMPORT, json.dumps(document(1)),
                               {**JSON, "Authorization": f"Bearer {token}"})
        self.assertEqual(201, reply.status)
        self.assertEqual("c1", reply.json()["sender"])

    def test_help_says_what_goes_to_stdout_and_stderr(self):
        for words in (("--help",), ("token", "--help")):
            self.assertRegex(self.command(*words).stdout,
                             r"a token \(its line for --tokens to stdout, the token to stderr\)")

    def test_the_command_refuses_what_a_file_would_not_take(self):
        for words, part in ((("C1", "read"), "name"), (("c1", "reads"), "SCOPES"),
                            (("write-token", "read"), "name")):
            made = self.command("token", *words, status=2)
            self.assertEqual("", made.stdout)
            self.assertIn(f"pennyworth: {part} ", made.stderr)


class Limits(Case):
    def test_runs_an_hour_are_taken_all_or_none(self):
        server = self.serve(line("c1", "import,read", "runs_per_hour=4"))
        self.assertEqual(3, self.send(server, "c1", 1, 2, 3).json()["imported"])
        wait = self.assertLimited(self.send(server, "c1", 4, 5), "runs_per_hour")
        self.assertTrue(1 <= wait <= 900, wait)
        self.assertLimited(self.send(server, "c1", *range(10, 15)), "runs_per_hour", retry=False)
        self.assertEqual(3, len(self.ask(server, "GET", "/v1/runs", "c1").json()["runs"]))
        reply = self.ask(server, "POST", IMPORT, "c1", "\n\n" + json.dumps(document(4)) + "\n \n",
                         NDJSON)
        self.assertEqual(1, reply.json()["imported"])
        self.assertLimited(self.ask(server, "POST", IMPORT, "c1", json.dumps(document(5))),
                           "runs_per_hour")

    def test_queued_runs_and_sweeps_count_too(self):
        server = self.serve(line("ops", "read,write", "runs_per_hour=4"))
        server.token = secret("ops")
        run = {"engine": "ok", "warmup_steps": 0, "steps": 2}
        self.assertEqual(201, server.post(run).status)
        cells = {"base": run, "cells": [{"seed": 1}, {"seed": 2}], "blocks": 2}
        self.assertLimited(server.post(cells, path="/v1/sweeps"), "runs_per_hour")
        cells["blocks"] = 1
        self.assertEqual(201, server.post(cells, path="/v1/sweeps").status)
        samples = server.metrics()
        self.assertEqual(3, samples['pennyworth_sender_runs_total{sender="ops"}'])
        self.assertEqual(1, samples['pennyworth_sender_limited_total{sender="ops"}'])

    def test_replays_of_one_key_cost_no_runs(self):
        server = self.serve(line("ops", "read,write", "runs_per_hour=3"))
        server.token = secret("ops")
        run = {"engine": "ok", "warmup_steps": 0, "steps": 2}
        cells = {"base": run, "cells": [{"seed": 1}, {"seed": 2}], "blocks": 1}
        for path, body in (("/v1/runs", run), ("/v1/sweeps", cells)):
            first, *replays = [server.post(body, path=path, Idempotency_Key="once")
                               for _ in range(4)]
            self.assertEqual(201, first.status, first)
            for reply in replays:
                self.assertEqual(201, reply.status, reply)
                self.assertEqual(first.json()["id"], reply.json()["id"])
        self.assertLimited(server.post(run, Idempotency_Key="another"), "runs_per_hour")

    def test_bytes_an_hour_of_known_and_of_chunked_bodies(self):
        blanks = b" " * 600000
        server = self.serve(*(line(name, "import", "mib_per_hour=1") for name in ("c1", "c2")))
        for name in ("c1", "c2"):
            body = lines([document(1)]) + b"\n" + blanks
            reply = self.ask(server, "POST", IMPORT, name, body, NDJSON)
            self.assertEqual(200, reply.status)
            body = iter([body]) if name == "c1" else body
            wait = self.assertLimited(self.ask(server, "POST", IMPORT, name, body, NDJSON),
                                      "mib_per_hour")
            self.assertTrue(300 < wait < 900, wait)
        self.assertLimited(self.ask(server, "POST", IMPORT, "c1", blanks * 2, NDJSON),
                           "mib_per_hour", retry=False)


class Senders(Case):
    def test_the_first_sender_of_a_run_stays(self):
        server = self.serve(line("c1", "import,read"), line("c2", "import"))
        self.send(server, "c1", 1)
        self.assertEqual(1, self.send(server, "c2", 1, 2).json()["known"])
        runs = self.ask(server, "GET", "/v1/runs", "c1").json()["runs"]
        self.assertEqual(["c2", "c1"], [run["sender"] for run in runs])
        for name in ("c1", "c2"):
            found = self.ask(server, "GET", f"/v1/runs?sender={name}", "c1").json()["runs"]
            self.assertEqual([name], [run["sender"] for run in found])
            out = self.ask(server, "GET", f"/v1/runs/export?sender={name}", "c1")
            self.assertEqual([found[0]["id"]],
                             [json.loads(text)["id"] for text in out.body.splitlines()])

    def test_a_document_cannot_name_its_sender(self):
        server = self.serve(line("c1", "import,read"))
        self.send(server, "c1", 1, sender="c2")
        found = self.ask(server, "GET", "/v1/runs?sender=c2", "c1").json()["runs"]
        self.assertEqual([], found)

    def compare(self, server, query):
        return self.ask(server, "GET", "/v1/comparison?workload=mlp2017" + query, "c1")

    def test_a_sender_without_runs_is_named(self):
        server = self.serve(line("c1", "import,read"))
        self.send(server, "c1", 1)
        answer = self.compare(server, "&sender=c3").json()
        self.assertEqual(([], "c3"), (answer["rows"], answer["question"]["sender"]))
        self.assertIn("c1", answer["unmatched"][0]["words"])
        answer = self.compare(server, "&sender=c1&engine=okk").json()
        self.assertEqual("no run of mlp2017 by this sender has it; known are elsewhere",
                         answer["unmatched"][0]["words"])
        self.assertIsNone(self.compare(server, "").json()["question"]["sender"])

    def test_tables_and_pictures_say_whose_runs_they_show(self):
        server = self.serve(line("c1", "import,read"), line("c2", "import"))
        self.send(server, "c1", 1)
        self.send(server, "c2", 2)
        table = self.compare(server, "&sender=c2&format=markdown").body.decode()
        self.assertIn(", only runs of c2\n", table)
        self.assertIn("| c2 100 % |", table)
        rows = self.compare(server, "&sender=c2&format=csv").rows()
        self.assertEqual(["c2 100 %"], [row["senders"] for row in rows])
        chart = self.ask(server, "GET", "/v1/comparison.svg?workload=mlp2017&sender=c2", "c1")
        self.assertIn("mlp2017, only runs of c2", chart.body.decode())

    def test_senders_are_counted_by_name(self):
        server = self.serve(line("c1", "import,read"), line("quiet", "read"))
        self.send(server, "c1", 1, 2)
        self.send(server, "c1", 2, 3)
        text = self.ask(server, "GET", "/metrics", "c1").body.decode()
        self.assertIn('pennyworth_sender_runs_total{sender="c1"} 3\n', text)
        self.assertIn('pennyworth_sender_requests_total{sender="c1"} 3\n', text)
        self.assertIn('pennyworth_sender_requests_total{sender="quiet"} 0\n', text)
        self.assertIn("pennyworth_audit_failures_total 0\n", text)


class Reloading(Case):
    def hangup(self, server, printed):
        count = server.read_log().count(printed)
        server.process.send_signal(signal.SIGHUP)
        until(lambda: server.read_log().count(printed) > count, printed)

    def test_a_file_that_was_changed_counts_after_the_signal(self):
        server = self.serve(line("c1", "import", "runs_per_hour=1"), line("c2", "import"))
        self.send(server, "c1", 1)
        self.write(line("c1", "import", "runs_per_hour=1"), line("c3", "read"))
        self.assertEqual(200, self.send(server, "c2", 2).status)
        self.hangup(server, "SIGHUP: 2 tokens are known now")
        self.assertEqual(401, self.send(server, "c2", 3).status)
        self.assertEqual(200, self.ask(server, "GET", "/v1/runs", "c3").status)
        self.assertLimited(self.send(server, "c1", 4), "runs_per_hour")  # spent before

    def test_a_wrong_file_changes_nothing_and_says_why(self):
        server = self.serve(line("c1", "import"))
        self.write("c1 imports\n")
        self.hangup(server, "SIGHUP: the tokens stay as they were: ")
        self.assertRegex(server.read_log(), r"tokens:1 .*NAME SCOPES|tokens:1 there is no hash")
        self.assertEqual(200, self.send(server, "c1", 1).status)
        os.unlink(self.file)
        self.hangup(server, "SIGHUP: the tokens stay as they were: ")
        self.assertEqual(200, self.send(server, "c1", 2).status)

    def test_with_nothing_to_read_again_it_goes_on(self):
        server = self.own_server()
        self.hangup(server, "SIGHUP: nothing to read again: neither --tokens nor --audit")
        self.assertEqual(200, server.get("/v1/runs").status)

    def test_an_audit_that_was_moved_away_is_begun_anew(self):
        server = self.serve(line("c1", "import"))
        self.send(server, "c1", 1)
        os.rename(self.audit_file, self.audit_file + ".1")
        self.send(server, "c1", 2)
        self.hangup(server, "is open anew")
        self.send(server, "c1", 3)
        self.assertEqual(1, len(self.audit()))
        with open(self.audit_file + ".1", encoding="utf-8") as file:
            self.assertEqual(2, len(file.readlines()))


class Audit(Case):
    def test_each_request_that_writes_is_a_line(self):
        server = self.serve(line("c1", "import"), line("ops", "read,write"))
        body = lines([document(1), {"pennyworth_run": 1}, document(2)])
        self.ask(server, "POST", IMPORT + "?secret=query", "c1", body, NDJSON)  # 400: a parameter
        self.send(server, "c1", 1)
        self.ask(server, "POST", IMPORT, "c1", body, NDJSON)
        single = self.ask(server, "POST", IMPORT, "c1", json.dumps(document(3)))
        self.ask(server, "POST", IMPORT, "c1", json.dumps(document(3)))
        self.ask(server, "POST", IMPORT, "c1", "{}")
        run = self.ask(server, "POST", "/v1/runs?wait=20", "ops",
                       '{"engine": "ok", "warmup_steps": 0, "steps": 2}')
        sweep = self.ask(server, "POST", "/v1/aa", "ops",
                         '{"base": {"engine": "ok", "warmup_steps": 0, "steps": 4}, "pairs": 2}')
        self.ask(server, "GET", "/v1/runs", "ops")
        self.ask(server, "DELETE", MISSING, "ops")
        self.ask(server, "DELETE", MISSING, "c1")
        self.ask(server, "DELETE", MISSING)
        self.ask(server, "POST", single.headers["location"] + "/check?confirm=true", "ops")
        printed = self.audit()
        self.assertEqual(
            [("c1", "POST", IMPORT, 400), ("c1", "POST", IMPORT, 200), ("c1", "POST", IMPORT, 200),
             ("c1", "POST", IMPORT, 201), ("c1", "POST", IMPORT, 200), ("c1", "POST", IMPORT, 400),
             ("ops", "POST", "/v1/runs", 201), ("ops", "POST", "/v1/aa", sweep.status),
             ("ops", "DELETE", MISSING, 404), ("c1", "DELETE", MISSING, 403),
             (None, "DELETE", MISSING, 401)],
            [(entry["who"], entry["method"], entry["path"], entry["status"])
             for entry in printed[:11]])
        counts = [tuple(entry.get(name) for name in ("imported", "known", "refused"))
                  for entry in printed[:6]]
        self.assertEqual([(None,) * 3, (1, 0, 0), (1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
                         counts)
        self.assertEqual(single.headers["location"], "/v1/runs/" + printed[3]["id"])
        self.assertEqual(run.headers["location"], "/v1/runs/" + printed[6]["id"])
        if sweep.status == 201:
            self.assertEqual(sweep.headers["location"], "/v1/sweeps/" + printed[7]["id"])
        self.assertEqual(len(body), printed[2]["bytes"])
        self.assertEqual({"127.0.0.1"}, {entry["from"] for entry in printed})
        for entry in printed:
            self.assertRegex(entry["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_it_is_for_its_owner_and_without_secrets(self):
        server = self.serve(line("c1", "import"))
        self.ask(server, "POST", IMPORT + "?token=hidden-in-a-query", "c1",
                 json.dumps(document(1)))
        self.assertEqual(0o600, stat.S_IMODE(os.stat(self.audit_file).st_mode))
        with open(self.audit_file, encoding="utf-8") as file:
            text = file.read() + server.read_log()
        self.assertNotIn("hidden-in-a-query", text)
        self.assertNotIn(secret("c1"), text)

    def test_without_a_file_it_is_in_the_log(self):
        server = self.own_server()
        server.delete(MISSING)
        until(lambda: "info audit {" in server.read_log(), "the line")
        entry = json.loads(re.search(r"info audit (.*)", server.read_log())[1])
        self.assertEqual((None, "DELETE", 404), (entry["who"], entry["method"], entry["status"]))

    def test_an_interrupted_import_reports_what_it_has_stored(self):
        server = self.serve(line("c1", "import,read"))
        database = sqlite3.connect(server.database, timeout=30)
        self.addCleanup(database.close)
        last = document(299)["id"]
        database.execute("CREATE TRIGGER broken BEFORE INSERT ON runs WHEN NEW.id ="
                         f" '{last}' BEGIN SELECT RAISE(FAIL, 'as if it was torn'); END")
        self.assertEqual(500, self.send(server, "c1", *range(300)).status)
        single = self.ask(server, "POST", IMPORT, "c1", json.dumps(document(299)))
        self.assertEqual(500, single.status)
        stored = database.execute("SELECT count(*) FROM runs").fetchone()[0]
        self.assertTrue(0 < stored < 299, stored)  # whole batches
        database.execute("DROP TRIGGER broken")
        self.assertEqual({"imported": 300 - stored, "held": 0, "known": stored, "refused": 0, "errors": []},
                         self.send(server, "c1", *range(300)).json())
        self.assertEqual(
            [(stored, 0, 0), (0, 0, 0), (300 - stored, stored, 0)],
            [tuple(entry[name] for name in ("imported", "known", "refused"))
             for entry in self.audit()])
        text = self.ask(server, "GET", "/metrics", "c1").body.decode()
        self.assertIn('pennyworth_sender_runs_total{sender="c1"} 300\n', text)

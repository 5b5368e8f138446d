"""The part of the tour of the API that takes runs in and gives them out."""
import hashlib
import tempfile

from ed25519 import Key, signed
from run_documents import document, line, lines, run_id


class TourOfImports:
    def visit_imports(self, server):
        path = "/v1/runs/import"
        bare = {name: document(1)[name]
                for name in ("pennyworth_run", "id", "spec", "ended_at", "steps")}
        stored = self.post(server, 201, path=path)
        self.post(server, 200, path=path)
        self.post(server, 201, bare, path=path)
        self.post(server, 409, document(2, id=run_id(0)), path=path)
        body = lines([document(2), {"pennyworth_run": 1}, document(3, id=run_id(0))])
        for kind in ("application/x-ndjson", "application/x-ndjson; charset=utf-8"):
            self.ask(server, "POST", path, 200, {"Content-Type": kind}, body)
        forged = signed(Key("a"), line(document(4))).replace("test.large", "best.large")
        self.ask(server, "POST", path, 422, {"Content-Type": "application/json"}, forged)
        self.post(server, 400, document(4, signature={"key": "a"}), path=path)
        whole = self.ask(server, "POST", path, 201, {"Content-Type": "application/json"},
                         signed(Key("a"), line(document(4))))
        self.assertEqual(Key("a").text, whole.json()["signed_by"])
        for part in ("", "/steps", "/evidence", "/implementations", "/recompute", "/events"):
            self.ask(server, "GET", stored.headers["location"] + part, 200)
        self.ask(server, "GET", f"/v1/runs/{run_id(1)}", 200)
        for query in ("", "?provenance=imported&label=a=b", f"?after={run_id(1)}"):
            self.ask(server, "GET", "/v1/runs/export" + query, 200)
        self.ask(server, "GET", "/v1/runs", 200)
        self.visit_senders()

    def visit_senders(self):
        """Who may only import, and not much of it."""
        with tempfile.NamedTemporaryFile("w") as file:
            secret = "token-of-a-candidate"
            digest = hashlib.sha256(secret.encode()).hexdigest()
            file.write(f"c1 import,read sha256:{digest} runs_per_hour=2 requests_per_minute=7\n")
            file.flush()
            server = self.serve("--tokens", file.name)
            sender = {"Authorization": f"Bearer {secret}"}
            path = "/v1/runs/import"
            stored = self.post(server, 201, path=path, **sender)
            self.assertEqual("c1", stored.json()["sender"])
            self.post(server, 403, **sender)
            many = {"Content-Type": "application/x-ndjson", **sender}
            reply = self.ask(server, "POST", path, 429, many, lines([document(n) for n in (1, 2)]))
            self.assertEqual("runs_per_hour", reply.json()["field"])
            self.assertIn("retry-after", reply.headers)
            for query in ("?sender=c1", "?sender=c2"):
                page = self.ask(server, "GET", "/v1/runs" + query, 200, sender)
                self.assertEqual(query == "?sender=c1", bool(page.json()["runs"]))
            reply = self.ask(server, "POST", path, 429, many,
                             lines([document(n) for n in (1, 2, 3)]))
            self.assertNotIn("retry-after", reply.headers)
            self.ask(server, "GET", "/v1/runs/export?sender=c1", 200, sender)
            self.assertEqual("requests_per_minute", self.ask(
                server, "GET", "/v1/runs", 429, sender).json()["field"])

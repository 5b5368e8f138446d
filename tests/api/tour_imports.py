"""The part of the tour of the API that takes runs in and gives them out."""
from run_documents import document, lines, run_id


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
        for part in ("", "/steps", "/evidence", "/implementations", "/recompute", "/events"):
            self.ask(server, "GET", stored.headers["location"] + part, 200)
        self.ask(server, "GET", f"/v1/runs/{run_id(1)}", 200)
        for query in ("", "?provenance=imported&label=a:b", f"?after={run_id(1)}"):
            self.ask(server, "GET", "/v1/runs/export" + query, 200)
        self.ask(server, "GET", "/v1/runs", 200)

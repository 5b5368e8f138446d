"""The part of the tour of the API about the database as a whole: locked, copied, full, and broken."""
import sqlite3
import time

from harness import together
from tour_imports import TourOfImports
from tour_taking_back import REMOVED, TourOfTakingBack

NOT_MET = {("POST", "/v1/runs/{id}/check", 500): "the handler of GET, which is met",
           ("POST", "/v1/runs/{id}/check", 503): "a check that fails, behind a locked database",
           ("POST", "/v1/runs/{id}/check", 507): "a check that fails, on a disk that fills behind it",
           ("GET", "/readyz", 500): "a disk that fails; of damage and a full disk it tells otherwise",
           ("GET", "/v1/machine/load", 503): "while too many answers are held, or the server stops",
           ("GET", "/v1/backup", 503): "while another is made: test_backup.py"}
TABLES = ("runs", "sweeps", "prices", "price_series", "discounts", "figures", "contenders",
          "revision", "machines")


class TourOfKeeping(TourOfImports, TourOfTakingBack):
    def visit_keeping(self, server, posted):
        self.visit_taking_back(server)
        self.visit_broken()
        self.visit_backup(server)
        self.visit_full(posted)
        self.visit_without_tables(posted)

    def visit_locked(self, posted):
        """Another process holds the database's write lock and does not end. Each request that needs the lock
        waits for seconds, so all wait at once: each in a thread of the server, which takes no other
        connection meanwhile."""
        server = self.serve("--http-threads", "32", "--header-seconds", "60", "--body-seconds", "60",
                            "--idle-seconds", "60")
        running, queued = (server.queue("slow", steps=100000, max_seconds=3600) for _ in range(2))
        sweep = self.post(server, 201, path="/v1/aa", Idempotency_Key="pairs").headers["location"]
        self.post(server, 422, {"base": self.SPEC}, path="/v1/aa", Idempotency_Key="pairs")
        server.wait(running, {"running"})
        other = sqlite3.connect(server.database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        questions = [("POST", path) for path in posted]
        questions += [("DELETE", path) for path in (f"/v1/runs/{queued}", sweep, *REMOVED)]

        def wait(i):
            method, path = questions[i]
            time.sleep(i / 20)
            reply = self.post(server, 503, path=path) if method == "POST" else \
                self.ask(server, method, path, 503)
            self.assertTrue(method == "DELETE" or "retry-after" in reply.headers)
        together(len(questions), wait)
        for path in (f"/v1/runs/{queued}", sweep):
            self.ask(server, "GET", path, 200)
        other.close()
        for path in (f"/v1/runs/{queued}", sweep):
            reply = server.delete(path)  # the lock ended the run before it: this one may have begun
            self.assertIn(reply.status, (200, 202))
            self.description.check("DELETE", path, reply)

    def visit_backup(self, server):
        path = "/v1/backup"
        self.ask(server, "GET", path, 403)
        server = self.serve(token="w" * 16)
        self.ask(server, "GET", path, 200)
        self.ask(server, "HEAD", path, 200)
        self.ask(server, "GET", path + "?x=1", 400)
        self.visit_headers(server, "GET", path)
        read, write = "r" * 16, "w" * 16
        server = self.serve(environment={"PENNYWORTH_READ_TOKEN": read,
                                         "PENNYWORTH_WRITE_TOKEN": write})
        self.ask(server, "GET", path, 401)
        self.ask(server, "GET", path, 403, {"Authorization": f"Bearer {read}"})

    def visit_full(self, posted):
        """No test machine has a terabyte free."""
        server = self.serve("--reserve-mib", "1048576", "--instance-type", "test.large",
                            token="w" * 16)
        for path in posted:
            self.post(server, 507, path=path)
        self.ask(server, "POST", "/v1/prices/refresh", 507)
        self.ask(server, "GET", "/v1/backup", 507)
        self.ask(server, "GET", "/readyz", 200)

    def visit_without_tables(self, posted):
        """Somebody has taken the tables away: what is left is whole, and of no use."""
        server = self.serve("--instance-type", "test.large", token="w" * 16)
        other = sqlite3.connect(server.database)
        other.execute("PRAGMA foreign_keys = OFF")
        for table in TABLES:
            other.execute(f"DROP TABLE {table}")
        other.close()
        for path in posted:
            self.post(server, 500, path=path)
        for path in (next(path for path in posted if path.endswith("/void")), "/v1/figures/none"):
            self.ask(server, "DELETE", path, 500)
        self.ask(server, "GET", "/v1/backup", 500)

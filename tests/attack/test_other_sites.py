"""What pages of other sites can make a browser send to a server without tokens: requests under a
name of theirs (DNS rebinding), and requests that change something (cross-site request forgery)."""

from harness import ServerCase

CHANGES = (("POST", "/v1/prices/refresh"), ("POST", "/v1/runs"), ("DELETE", "/v1/runs/" + "0" * 26),
           ("POST", "/v1/runs/" + "0" * 26 + "/check?confirm=true"), ("GET", "/v1/runs/export"))


class OtherSites(ServerCase):
    FLAGS = ("--host", "bench.example", "--host", "other.example")

    def ask(self, method, path, server=None, **headers):
        body = "{}" if method == "POST" else None
        headers = {"Content-Type": "application/json",
                   **{name.replace("_", "-"): value for name, value in headers.items()}}
        return (server or self.server).request(method, path, body, headers)

    def test_a_name_of_a_stranger_reads_and_changes_nothing(self):
        for method, path in (("GET", "/v1/runs"), ("GET", "/metrics"), *CHANGES):
            with self.subTest(f"{method} {path}"):
                reply = self.ask(method, path, Host="evil.example")
                self.assertProblem(reply, 403, "forbidden", "Host")

    def test_own_names_are_answered(self):
        for name in ("127.0.0.1", "localhost", f"localhost:{self.server.port}", "[::1]:1",
                     "bench.example", "OTHER.example:8080"):
            with self.subTest(name):
                self.assertEqual(200, self.ask("GET", "/v1/runs", Host=name).status)

    def test_the_page_and_its_health_are_there_under_any_name(self):
        for path in ("/", "/healthz", "/readyz", "/v1/openapi.json"):
            self.assertEqual(200, self.ask("GET", path, Host="evil.example").status)

    def test_a_page_of_another_site_changes_nothing(self):
        for method, path in CHANGES:
            for field, value in (("Origin", "http://evil.example"), ("Origin", "null"),
                                 ("Origin", f"http://localhost:{self.server.port}"),
                                 ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site")):
                with self.subTest(f"{method} {path} {field}: {value}"):
                    reply = self.ask(method, path, **{field: value})
                    self.assertProblem(reply, 403, "forbidden", field)

    def test_the_page_itself_may(self):
        own = f"127.0.0.1:{self.server.port}"
        reply = self.ask("POST", "/v1/runs", Host=own, Origin="http://" + own,
                         Sec_Fetch_Site="same-origin")
        self.assertNotEqual(403, reply.status)

    def test_a_copy_of_the_database_takes_a_token(self):
        self.assertProblem(self.server.get("/v1/backup"), 403, "forbidden")

    def test_a_token_is_enough_under_any_name(self):
        server = self.own_server(token="token-of-this-test")
        for method, path in (("GET", "/v1/runs"), ("GET", "/v1/backup"),
                             ("GET", "/v1/runs/export")):
            reply = self.ask(method, path, server, Host="hub.example", Origin="http://ci.example",
                             Authorization="Bearer token-of-this-test")
            self.assertEqual(200, reply.status)

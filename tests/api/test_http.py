"""HTTP itself: which requests are refused and how, what each token may do, and that no client can
stop the server."""
import select
import socket
import time
import unittest

from harness import SANITIZED, Case, Server, ServerCase, fake, raise_open_files, together, until

HOST = "Host: localhost\r\n"
JSON = "Content-Type: application/json\r\n"


class Methods(ServerCase):
    def test_unknown_paths_are_404(self):
        for path in ("/x", "/v1", "/v1/", "/v1/runs/", "//v1/runs", "/v1/runs/x/y", "/healthz/",
                     "/V1/runs", "/v1/runs/x/steps/", "/assets/", "/assets/x", "/../etc/passwd",
                     "/assets/..%5c"):
            with self.subTest(path):
                self.assertProblem(self.server.get(path), 404, "not-found")

    def test_urls_that_are_traps_are_400(self):
        for path in ("/%zz", "/%", "/assets/..%2fconfig", "/%00", "/v1/runs?limit=%0a",
                     "/healthz?a=%00", "/" + "a" * 2100,
                     "/v1/runs?" + "&".join(f"a{number}=" for number in range(30))):
            with self.subTest(path[:40]):
                self.assertEqual(400, self.server.get(path).status)

    def test_options_head_and_unknown_methods_are_answered(self):
        for method, status in (("OPTIONS", 204), ("BREW", 405)):
            reply = self.server.request(method, "/v1/runs")
            self.assertEqual((status, "POST, GET, HEAD, OPTIONS"), (reply.status, reply.headers["allow"]))
        for path in ("/", "/healthz", "/v1/runs", "/metrics", "/v1/openapi.json"):
            head, get = self.server.request("HEAD", path), self.server.get(path)
            self.assertEqual((200, b""), (head.status, head.body))
            self.assertEqual(get.headers["content-type"], head.headers["content-type"])


class Bodies(ServerCase):
    def post(self, headers, body=b""):
        return self.server.reply_to(f"POST /v1/runs HTTP/1.1\r\n{HOST}{headers}\r\n".encode() + body)

    def test_a_chunked_body_is_read(self):
        # Without extensions (C;x=y): libmicrohttpd 1.0 refuses them, 0.9 does not, no client sends them.
        body = b'3\r\n{"e\r\nC\r\nngine":"ok"}\r\n0\r\n\r\n'
        reply = self.post(JSON + "Transfer-Encoding: chunked\r\n", body)
        self.assertEqual(201, reply.status, reply)

    def test_64_kib_are_read_and_not_a_byte_more(self):
        padding = 65536 - len('{"engine":"ok"}')
        whole = ('{"engine":"ok"' + " " * padding + "}").encode()
        self.assertEqual(201, self.server.post(whole).status)
        self.assertProblem(self.server.post(whole + b" "), 413, "content-too-large")
        chunk = b"%x\r\n%s\r\n" % (len(whole), whole)
        chunked = JSON + "Transfer-Encoding: chunked\r\n"
        self.assertEqual(201, self.post(chunked, chunk + b"0\r\n\r\n").status)
        self.assertProblem(self.post(chunked, chunk + b"1\r\n \r\n0\r\n\r\n"), 413)

    def test_lengths_that_are_none_are_refused(self):
        for length in ("-1", "x", "1e3", "99999999999999999999", "18446744073709551617"):
            self.assertIn(self.post(f"{JSON}Content-Length: {length}\r\n").status, {400, 413}, length)
        self.assertEqual(200, self.server.get("/healthz").status)

    def test_a_body_where_none_is_wanted_is_passed_over(self):
        with self.server.raw() as raw:
            raw.send(f"GET /healthz HTTP/1.1\r\n{HOST}Content-Length: 5\r\n\r\nhello"
                     f"GET /readyz HTTP/1.1\r\n{HOST}\r\n")
            self.assertEqual({"status": "ok"}, raw.reply().json())
            self.assertEqual({"status": "ready", "disk": "ok"}, raw.reply().json())

    def test_expect_continue_is_answered(self):
        with self.server.raw() as raw:
            raw.send(f"POST /v1/runs HTTP/1.1\r\n{HOST}{JSON}Content-Length: 15\r\n"
                     "Expect: 100-continue\r\n\r\n")
            self.assertIn(b" 100 ", raw.stream.readline())
            raw.stream.readline()
            self.assertEqual(201, raw.send(b'{"engine":"ok"}').reply().status)


class Gigabyte(ServerCase):
    SIZE = 1 << 30
    CHUNK = 1 << 20

    def check_memory(self, before):
        if not SANITIZED:
            self.assertLess(self.server.memory("VmHWM") - before, 4096, "KiB")
            self.assertLess(self.server.memory() - before, 4096, "KiB")
        self.assertEqual(200, self.server.get("/healthz").status)

    def test_announced_it_is_refused_at_once(self):
        self.server.post({"engine": "ok"})
        before = self.server.memory()
        head = f"POST /v1/runs HTTP/1.1\r\n{HOST}{JSON}Content-Length: {self.SIZE}\r\n\r\n"
        self.assertProblem(self.server.reply_to(head), 413, "content-too-large")
        with self.server.raw() as raw:
            raw.send(head)
            try:
                for _ in range(self.SIZE // self.CHUNK):
                    raw.send(bytes(self.CHUNK))
            except ConnectionError:
                pass  # the server may close before it has read all
        self.check_memory(before)

    def test_in_chunks_it_is_refused_too(self):
        self.server.post({"engine": "ok"})
        before = self.server.memory()
        chunk = b"%x\r\n%s\r\n" % (self.CHUNK, bytes(self.CHUNK))
        with self.server.raw(timeout=120) as raw:
            raw.send(f"POST /v1/runs HTTP/1.1\r\n{HOST}{JSON}Transfer-Encoding: chunked\r\n\r\n")
            try:
                for _ in range(self.SIZE // self.CHUNK):
                    raw.send(chunk)
                    if select.select([raw.socket], [], [], 0)[0]:
                        break  # the answer is there before the end of the question
                else:
                    raw.send("0\r\n\r\n")
            except ConnectionError:
                pass
            self.assertProblem(raw.reply("POST"), 413, "content-too-large")
        self.check_memory(before)


class Connections(ServerCase):
    def test_a_connection_serves_many_requests(self):
        connection = self.server.connection()
        self.addCleanup(connection.close)
        ports = set()
        for path in ("/healthz", "/x", "/v1/runs", "/v1/runs?limit=0", "/readyz") * 20:
            connection.request("GET", path)
            connection.getresponse().read()
            ports.add(connection.sock.getsockname())
        self.assertEqual(1, len(ports))

    def test_connections_of_old_clients_and_with_close_are_closed(self):
        for request in ("GET /healthz HTTP/1.0\r\n\r\n",
                        f"GET /healthz HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n"):
            with self.server.raw() as raw:
                raw.send(request)
                self.assertEqual(200, raw.reply().status)
                self.assertEqual(b"", raw.rest())

    def test_pipelined_requests_are_answered_in_order(self):
        body = '{"engine":"ok"}'
        with self.server.raw() as raw:
            raw.send((f"GET /healthz HTTP/1.1\r\n{HOST}\r\n"
                      f"POST /v1/runs HTTP/1.1\r\n{HOST}{JSON}Content-Length: {len(body)}\r\n\r\n"
                      f"{body}GET /x HTTP/1.1\r\n{HOST}\r\n"
                      f"HEAD /healthz HTTP/1.1\r\n{HOST}\r\n") * 20)
            for _ in range(20):
                statuses = [raw.reply(method).status for method in ("GET", "POST", "GET", "HEAD")]
                self.assertEqual([200, 201, 404, 200], statuses)

    def test_a_request_may_come_byte_by_byte(self):
        with self.server.raw() as raw:
            raw.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in f"GET /healthz HTTP/1.1\r\n{HOST}\r\n".encode():
                raw.send(bytes([byte]))
            self.assertEqual(200, raw.reply().status)

    def test_garbage_is_no_trouble(self):
        # Short limits, for the library may overlook that a client has hung up half-way.
        server = self.own_server("--header-seconds", "1", "--body-seconds", "1",
                                 "--idle-seconds", "1")
        for garbage in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\0" * 5000,
                        b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET  / \r\n\r\n",
                        b"/ GET HTTP/1.1\r\n\r\n", b"\r\n" * 3000, b"\xff" * 100000,
                        b"A" * 100000 + b"\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
                        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        b"POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"):
            with self.subTest(garbage[:30]), server.raw() as raw:
                try:
                    raw.send(garbage)
                    raw.socket.shutdown(socket.SHUT_WR)
                except OSError:
                    pass  # it has hung up already, which is an answer too
                answer = raw.rest()
                self.assertNotRegex(answer, rb"^HTTP/1\.[01] 20[01]")
        self.assertEqual(200, server.get("/healthz").status)

    def test_a_header_may_be_large_but_not_huge(self):
        self.assertEqual(200, self.server.get("/healthz", X_Long="x" * 15000).status)
        self.assertProblem(self.server.get("/healthz", X_Long="x" * 17000), 431,
                           "header-too-large")
        with self.server.raw() as raw:
            try:
                raw.send(f"GET /healthz HTTP/1.1\r\n{HOST}")
                for number in range(100000):
                    raw.send(f"X-{number}: {'x' * 50}\r\n")
            except OSError:
                pass
            self.assertNotIn(b"200 OK", raw.rest())


class Shields(ServerCase):
    """What every answer says to browsers, and to whatever keeps answers."""
    ALWAYS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
              "x-frame-options": "DENY", "cross-origin-resource-policy": "same-origin"}

    def test_every_answer_has_security_headers_and_no_version(self):
        server = self.server
        run_id = server.run()["id"]
        page = server.get("/").body.decode()
        for method, path, kept in (
                ("GET", "/", "no-cache"), ("GET", "/" + page.split('"/', 1)[1].split('"')[0],
                                           "public, max-age=31536000, immutable"),
                ("GET", "/v1/runs", "no-store"), ("HEAD", "/v1/runs", "no-store"),
                ("GET", f"/v1/runs/{run_id}/steps", "no-store"), ("GET", "/metrics", "no-store"),
                ("GET", f"/v1/runs/{run_id}/events", "no-cache"),
                ("GET", "/v1/comparison", "no-cache"), ("GET", "/v1/runs/export", "no-store"),
                ("GET", "/nothing", "no-store"), ("PUT", "/v1/runs", "no-store"),
                ("OPTIONS", "/v1/runs", "no-store"), ("GET", "/v1/runs?limit=x", "no-store")):
            with self.subTest(f"{method} {path}"):
                headers = server.request(method, path, headers={"Origin": "http://x"}).headers
                self.assertEqual(kept, headers["cache-control"])
                self.assertEqual(self.ALWAYS, {name: headers.get(name) for name in self.ALWAYS})
                self.assertFalse([name for name in headers if name == "server" or
                                  name.startswith(("access-control", "strict-transport", "via"))])

    def test_no_field_is_sent_twice(self):
        with self.server.raw() as raw:
            raw.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            header = raw.rest().split(b"\r\n\r\n")[0].decode().lower()
        names = [row.partition(":")[0] for row in header.split("\r\n")[1:]]
        self.assertEqual(len(set(names)), len(names), names)


READ, WRITE = "read-token-of-a-test", "write-token-of-a-test"


class Tokens(Case):
    def test_no_token_is_ever_logged(self):
        server = self.own_server("--log", "debug", environment={
            "PENNYWORTH_READ_TOKEN": READ, "PENNYWORTH_WRITE_TOKEN": WRITE})
        secrets = [READ, WRITE, "a-wrong-token"]
        for secret in secrets:
            server.get("/v1/runs", Authorization=f"Bearer {secret}")
            server.post({"engine": "ok"}, Authorization=f"Bearer {secret}")
            server.get(f"/v1/runs?access_token={secret}")
            with server.raw() as raw:
                raw.send("GET /v1/runs HTTP/1.1\r\nConnection: close\r\n"
                         f"Authorization: Bearer {secret}\r\n\0\r\n\r\n")
                raw.rest()
        until(lambda: "GET /v1/runs status=200" in server.read_log(), "requests are logged")
        server.stop()
        for secret in secrets:
            self.assertNotIn(secret, server.log)


class Exposed(unittest.TestCase):
    def refused(self, *flags, listen="127.0.0.1", environment=None):
        server = Server(*flags, listen=listen, environment=environment).launch()
        self.assertEqual(2, server.process.wait(60), server.read_log())
        server.check_log()
        return server.log

    def test_without_a_token_only_this_machine_is_served(self):
        self.assertRegex(self.refused(listen="0.0.0.0"), "pennyworth: --listen .*token")

    def test_other_loopback_addresses_are_served(self):
        for address in ("127.0.0.77", "::1"):
            server = Server(listen=address)
            try:
                server.start()
            except AssertionError:
                if address == "::1" and "Cannot assign" in server.log:
                    continue  # no IPv6 here
                raise
            self.addCleanup(server.stop)
            self.assertEqual(200, server.get("/healthz").status)


class Dawdlers(Case):
    """Clients that begin and never end."""

    def serve(self, *flags, **options):
        return self.own_server(*flags, engines={"ok": fake("ok"), "slow": fake("slow", 50)}, **options)

    def flood(self, server, count, sources):
        raise_open_files(count + 500)
        crowd = []
        for number in range(count):
            raw = server.raw(source=sources[number % len(sources)])
            raw.send("GET /healthz HTTP/1.1\r\nX-Slow: ")
            crowd.append(raw)
        self.addCleanup(lambda: [raw.close() for raw in crowd])
        return crowd

    def check_healthy(self, server, source=None):
        for _ in range(20):
            reply = server.request("GET", "/v1/runs", source=source)
            self.assertEqual(200, reply.status)

    def test_a_thousand_connections_of_one_address_do_not_stop_the_server(self):
        server = self.serve("--header-seconds", "3600")  # they do not end by themselves
        crowd = self.flood(server, 1000, ["127.0.0.1"])
        self.check_healthy(server)
        self.check_healthy(server, "127.0.0.9")
        for raw in crowd[-200:]:  # they do not stop dawdling
            try:
                raw.send("x")
            except OSError:
                pass
        self.check_healthy(server)
        self.assertEqual(201, server.post({"engine": "ok"}).status)
        self.assertLess(server.descriptors(), 600)

    def test_a_thousand_connections_of_many_addresses_do_not_stop_the_server(self):
        # With as many open files as a server usually may have, and more clients than that.
        for most in ((1024, 1 << 14), (1024, 1024)):
            server = self.serve("--header-seconds", "3600", open_files=most)
            self.flood(server, 1300, [f"127.0.1.{number}" for number in range(1, 11)])
            self.check_healthy(server)
            self.check_healthy(server, "127.0.1.3")
            server.stop()

    def test_an_unfinished_header_is_cut(self):
        self.cut(self.impatient("--header-seconds"),
                 ["", "GET /heal", f"GET /healthz HTTP/1.1\r\n{HOST}"])

    def test_an_unfinished_body_is_cut(self):
        post = f"POST /v1/runs HTTP/1.1\r\n{HOST}{JSON}"
        self.cut(self.impatient("--body-seconds"),
                 [post + "Content-Length: 10\r\n\r\n{",
                  post + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"])

    def test_a_resting_connection_is_cut(self):
        server = self.impatient("--idle-seconds")
        with server.raw() as raw:
            raw.send(f"GET /healthz HTTP/1.1\r\n{HOST}\r\n").reply()
            self.assertEqual(b"", raw.rest())

    def impatient(self, limit):
        """A server with one limit of a second; the others are longer than any test."""
        limits = {"--header-seconds": "3600", "--body-seconds": "3600", "--idle-seconds": "3600",
                  limit: "1"}
        return self.serve(*(word for pair in limits.items() for word in pair))

    def cut(self, server, beginnings):
        """All at once: each waits for the limit."""
        def one(i):
            with server.raw() as raw:
                began = time.monotonic()
                answer = raw.send(beginnings[i]).rest()
                return answer, time.monotonic() - began
        for begun, (answer, took) in zip(beginnings, together(len(beginnings), one)):
            with self.subTest(begun):
                self.assertNotIn(b" 200 ", answer)
                self.assertGreater(took, 0.5)
        self.assertEqual(200, server.get("/healthz").status)

    def test_trickling_does_not_win_time(self):
        server = self.impatient("--header-seconds")

        def has_hung_up():
            try:
                raw.send("x")
            except OSError:
                return True
            return False
        with server.raw() as raw:
            raw.send(f"GET /healthz HTTP/1.1\r\n{HOST}X-Slow: ")
            until(has_hung_up, "it has hung up", pause=0.1)

    def test_a_held_answer_outlives_the_limits(self):
        server = self.serve("--header-seconds", "1", "--body-seconds", "1", "--idle-seconds", "1")
        run_id = server.queue("slow", steps=40)
        self.assertEqual("finished", server.get(f"/v1/runs/{run_id}?wait=60").json()["state"])

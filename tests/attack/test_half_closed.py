"""Clients that end their side of the connection behind a request (shutdown(SHUT_WR)): each gets its
answer or is cut, keeps no place for longer, and leaves nothing in the kernel."""
import json
import re
import socket

from harness import Case, fake, raise_open_files, together, until
from http_clients import assets, small_buffer

HOST = "Host: 127.0.0.1\r\n"
GET = f"GET /v1/runs HTTP/1.1\r\n{HOST}\r\n"
SPEC = json.dumps({"engine": "ok", "steps": 3, "warmup_steps": 0})
SECONDS = 2  # of patience with what a client sends and takes
IDLE_SECONDS = 300  # longer than any test waits: what ends before was not merely idle
SOON = 60
TAKERS_OF_NOTHING = 1000


def post(path, body, kind="application/json", more="", length=None):
    return (f"POST {path} HTTP/1.1\r\n{HOST}Content-Type: {kind}\r\n{more}"
            f"Content-Length: {len(body) if length is None else length}\r\n\r\n{body}")


class HalfClosed(Case):
    def setUp(self):
        self.server = self.own_server("--send-seconds", str(SECONDS), "--header-seconds", str(SECONDS),
                                      "--body-seconds", str(SECONDS), "--idle-seconds", str(IDLE_SECONDS),
                                      engines={"ok": fake("ok"), "slow": fake("slow", 20)},
                                      open_files=(4096, 4096))

    def ask(self, data):
        """What comes until the server ends the connection, which it must do soon."""
        with self.server.raw(timeout=SOON) as client:
            client.send(data)
            client.socket.shutdown(socket.SHUT_WR)
            return client.rest()

    def statuses(self, data):
        return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+) ", self.ask(data))]

    def test_whole_requests_are_answered_and_the_connection_ends(self):
        self.assertEqual([200], self.statuses(GET))
        self.assertEqual([200] * 20, self.statuses(GET * 20))
        self.assertEqual([200], self.statuses(GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")))
        self.assertEqual([404], self.statuses(GET.replace("/v1/runs", "/v1/nothing")))
        self.assertEqual([201], self.statuses(post("/v1/runs", SPEC)))
        self.assertEqual([200], self.statuses(post("/v1/runs/import", "{}\n", "application/x-ndjson")))
        self.assertEqual(b"", self.ask(""))

    def test_half_requests_are_cut_without_an_answer(self):
        halves = ["GET /v1/runs HT", f"GET /v1/runs HTTP/1.1\r\n{HOST}",
                  post("/v1/runs", SPEC, length=len(SPEC) + 1),
                  f"POST /v1/runs HTTP/1.1\r\n{HOST}Content-Type: application/json\r\n"
                  f"Transfer-Encoding: chunked\r\n\r\n{len(SPEC):x}\r\n{SPEC}\r\n"]
        answers = together(len(halves), lambda index: self.ask(halves[index]))
        self.assertEqual([b""] * 2, answers[:2])
        for answer in answers:
            self.assertNotIn(b"HTTP/1.1", answer)
        self.assertEqual([], self.server.get("/v1/runs").json()["runs"])

    def test_a_client_that_asks_to_wait_is_answered_at_once(self):
        run = self.server.queue("slow", steps=100000, max_seconds=600)
        answer = self.ask(f"GET /v1/runs/{run}?wait=300 HTTP/1.1\r\n{HOST}\r\n")
        self.assertIn(b'"state":"', answer)
        self.assertEqual([201], self.statuses(post("/v1/runs", SPEC, more="Prefer: wait=300\r\n")))
        self.server.delete(f"/v1/runs/{run}")

    def test_events_reach_a_reader_that_takes_them(self):
        run = self.server.queue("slow", steps=20, max_seconds=60)
        events = self.ask(f"GET /v1/runs/{run}/events HTTP/1.1\r\n{HOST}"
                          "Accept: text/event-stream\r\n\r\n")
        self.assertIn(b'"state":"finished"', events)

    def take_nothing(self, request):
        """Many clients that send this, close their end and never read; whether they are soon gone,
        and what they asked for out of the kernel's memory."""
        descriptors = self.server.descriptors()
        raise_open_files(TAKERS_OF_NOTHING + 200)
        for index in range(TAKERS_OF_NOTHING):
            client = small_buffer(self.server, request, f"127.0.1.{1 + index % 200}")
            self.addCleanup(client.close)
            client.shutdown(socket.SHUT_WR)
        self.assertEqual(200, self.server.get("/v1/runs").status)
        until(lambda: self.server.descriptors() < descriptors + 10, "all are gone", SOON)
        until(lambda: self.server.socket_mib() < 15, "the kernel's memory is back", SOON)

    def assets(self, wanted):
        sizes = assets(self.server)
        return max((path for path in sizes if wanted(sizes[path])), key=sizes.get)

    def test_readers_of_nothing_are_cut(self):
        path = self.assets(lambda size: size > 200000)
        self.take_nothing(f"GET /{path} HTTP/1.1\r\n{HOST}\r\n")

    def test_answers_that_fit_into_the_kernel_do_not_stay_there(self):
        """The server has sent them and ended the connection, so no limit of its own sees them."""
        path = self.assets(lambda size: size < 40000)
        once = f"GET /{path} HTTP/1.1\r\n{HOST}"
        self.take_nothing(f"{once}\r\n" * 2 + f"{once}Connection: close\r\n\r\n")

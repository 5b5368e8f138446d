"""Clients that ask for much and read nothing, and clients that make the server wait and are gone:
others are served at once meanwhile, and the memory of the kernel stays free."""
import contextlib
import select
import socket
import time
from collections import Counter

from harness import PATIENCE, Case, fake, raise_open_files, until
from http_clients import assets, small_buffer

READERS = 1060
PIPELINED = 40
HEALTHY = 50
SECONDS = 3  # without a byte taken, until a reader is cut
QUEUED_MIB = 400  # without a limit on the buffers of sockets 1077, with it 145


class Crowd:
    """Connections from many addresses. Each sent the same and reads nothing."""

    def __init__(self, server, count, data):
        raise_open_files(count + 200)
        self.clients = []
        for index in range(count):
            with contextlib.suppress(OSError):  # refused or cut: what it was to be
                self.clients.append(small_buffer(server, data, f"127.0.1.{1 + index % 200}"))

    def ends(self):
        """How many of the connections the server has ended."""
        return len(self.ended())

    def ended(self):
        poll = select.poll()
        for client in self.clients:
            poll.register(client, select.POLLRDHUP)
        return {descriptor for descriptor, _ in poll.poll(0)}

    def left(self):
        """How many are in which state of TCP, of those that the server has not ended."""
        ended = self.ended()
        return Counter(client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
                       for client in self.clients if client.fileno() not in ended)

    def close(self):
        for client in self.clients:
            client.close()


class SlowReaders(Case):
    FLAGS = ("--send-seconds", str(SECONDS))
    ENGINES = {"ok": fake("ok"), "slow": fake("slow", 20)}

    def setUp(self):
        self.server = self.own_server(*self.FLAGS, engines=self.ENGINES,
                                      open_files=(4096, 4096))

    def largest_asset(self):
        return max(assets(self.server).items(), key=lambda found: found[1])

    def ask_meanwhile(self, crowd):
        """Healthy requests, each on a connection of its own; none may fail."""
        self.addCleanup(crowd.close)
        for _ in range(HEALTHY):
            self.assertEqual(200, self.server.get("/v1/runs").status)

    def test_readers_that_take_nothing_are_cut_and_others_served(self):
        path, _ = self.largest_asset()
        request = f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        crowd = Crowd(self.server, READERS, request * PIPELINED)
        self.ask_meanwhile(crowd)
        self.assertLess(crowd.ends(), len(crowd.clients), "the others were served meanwhile, not after")
        self.assertLess(self.server.socket_mib(), QUEUED_MIB)
        deadline = time.monotonic() + PATIENCE
        while crowd.ends() < len(crowd.clients) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(Counter(), crowd.left(), "all are cut")
        until(lambda: self.server.socket_mib() < 20, "the kernel's memory is back")

    def test_a_reader_on_a_slow_line_gets_its_answer(self):
        path, whole = self.largest_asset()
        with self.server.raw() as client:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.send(f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            got = b""
            while len(got) < whole:
                piece = client.socket.recv(16384)
                self.assertTrue(piece, f"cut after {len(got)} bytes")
                got += piece
                time.sleep(1.1 * SECONDS * len(piece) / whole)  # in all it takes longer than one may wait

    def test_waits_of_clients_that_are_gone_keep_no_place(self):
        run = self.server.queue("slow", steps=100000, max_seconds=600)
        request = f"GET /v1/runs/{run}?wait=300 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        crowd = Crowd(self.server, READERS, request + "x" * 45000)
        crowd.close()
        self.ask_meanwhile(crowd)
        self.server.delete(f"/v1/runs/{run}")

    def test_waits_behind_one_address_leave_room_for_its_others(self):
        run = self.server.queue("slow", steps=100000, max_seconds=600)
        request = f"GET /v1/runs/{run}?wait=300 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        events = (f"GET /v1/runs/{run}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                  "Accept: text/event-stream\r\n\r\n")
        raise_open_files(1000)
        waiting = [self.server.raw().send(events if index % 2 else request)
                   for index in range(300)]
        for client in waiting:
            self.addCleanup(client.close)
        for _ in range(HEALTHY):
            self.assertEqual(200, self.server.get("/v1/runs").status)
        self.server.delete(f"/v1/runs/{run}")

"""Clients that ask for what takes long, again and again, and clients that take large answers
slowly: others are served meanwhile, and the memory of answers has a bound."""
import re
import socket
import threading
from pathlib import Path

from harness import Case, Server, ServerCase, until
from http_clients import small_buffer
from run_documents import document, machine, run_id, take_in

STEPS = 25_000
LOOPERS = 8
HEALTHY = 20


def slow_reader(server, path, address="127.0.0.1"):
    return small_buffer(server, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", address)


def status_of(client):
    return int(client.recv(12).split()[1])


class LongWork(Case):
    """One thread for requests: with more, which of them meet depends on luck."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--http-threads", "1").start()
        cls.addClassCleanup(cls.server.stop)
        take_in(cls.server, [document(1, steps=STEPS)])

    def check_meanwhile(self, path):
        """Healthy requests are answered before the last of what was asked for first."""
        connections = [self.server.connection() for _ in range(LOOPERS)]
        for connection in connections:
            self.addCleanup(connection.close)
            connection.request("GET", path)
        for _ in range(HEALTHY):
            self.assertEqual(200, self.server.get("/healthz").status)
        self.assertGreater(self.at_work(), 0, "they were served meanwhile, not after")
        for connection in connections:
            response = connection.getresponse()
            response.read()
            self.assertEqual(200, response.status)

    def at_work(self):
        return sum(value for name, value in self.server.metrics().items()
                   if name.startswith("pennyworth_long_jobs{"))

    def test_recomputations_leave_others_unhindered(self):
        self.check_meanwhile(f"/v1/runs/{run_id(1)}/recompute")

    def test_exports_leave_others_unhindered(self):
        self.check_meanwhile("/v1/runs/export")

    def test_one_address_leaves_places_for_others(self):
        path = f"/v1/runs/{run_id(1)}/recompute"
        clients = [slow_reader(self.server, path) for _ in range(48)]
        for client in clients:
            self.addCleanup(client.close)
        other = self.server.connection(source="127.0.0.2")
        self.addCleanup(other.close)
        other.request("GET", path)
        self.assertEqual(200, other.getresponse().status)
        for client in clients[32:]:
            client.close()
        until(lambda: self.at_work() == 0, "all are answered, or their clients have left")

    def test_clients_that_reset_their_connections_leave_nothing_behind(self):
        for path in ("/v1/runs/export", f"/v1/runs/{run_id(1)}/recompute"):
            for _ in range(LOOPERS):
                client = slow_reader(self.server, path)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                client.close()
        until(lambda: self.at_work() == 0, "nothing is made any more")


class Cached(ServerCase):
    def wakes(self):
        """How often a thread woke, of those that take no requests."""
        tasks = Path(f"/proc/{self.server.process.pid}/task").iterdir()
        return sum(int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)",
                                 (task / "status").read_text(), re.M)[1])
                   for task in tasks if (task / "comm").read_text().strip() != "MHD-worker")

    def test_an_answer_that_is_cached_is_no_long_work(self):
        for path in ("/v1/comparison", "/v1/comparison.svg", "/v1/badge.svg", "/v1/history"):
            with self.subTest(path):
                self.assertEqual(200, self.server.get(path).status)
                before = self.wakes()
                for _ in range(50):
                    self.assertEqual(200, self.server.get(path).status)
                self.assertLess(self.wakes() - before, 50)


class Budget(Case):
    """8 MiB for large answers; exports have half of them, and so has each client."""
    FLAGS = ("--http-threads", "1", "--answer-mib", "8")

    def setUp(self):
        self.server = self.own_server(*self.FLAGS)
        self.clients = []
        self.addCleanup(self.hang_up)

    def hang_up(self):
        while self.clients:
            self.clients.pop().close()

    def slow(self, path, address="127.0.0.1"):
        """The status that a reader gets, which takes no more of its answer."""
        client = slow_reader(self.server, path, address)
        self.clients.append(client)
        return status_of(client)

    def held(self):
        samples = self.server.metrics()
        self.assertLessEqual(samples["pennyworth_answer_bytes"],
                             samples["pennyworth_answer_limit_bytes"])
        return samples["pennyworth_answer_bytes"]

    def store_machines(self):
        take_in(self.server, [document(number, machine=machine(
            {"isa": "avx2", "number": number, "pad": "x" * 60_000})) for number in range(40)])

    def check_refused(self, path):
        reply = self.server.get(path)
        self.assertProblem(reply, 503, "busy")
        self.assertIn("--answer-mib", reply.json()["detail"])
        self.assertEqual("1", reply.headers["retry-after"])

    def test_lists_beyond_it_are_refused_and_small_answers_served(self):
        self.store_machines()  # a list of 2.4 MB
        addresses = [f"127.0.0.{1 + number % 4}" for number in range(8)]
        self.assertEqual([200] * 3 + [503] * 5,
                         [self.slow("/v1/machines", address) for address in addresses])
        self.check_refused("/v1/machines")
        self.assertGreater(self.held(), 7_000_000)
        self.assertEqual(200, self.server.get("/v1/runs?limit=5").status)
        self.hang_up()
        until(lambda: self.held() == 0, "the budget is back")
        self.assertEqual(200, self.server.get("/v1/machines").status)

    def test_one_client_leaves_half_to_others(self):
        self.store_machines()
        self.assertEqual([200] + [503] * 5, [self.slow("/v1/machines") for _ in range(6)])
        self.check_refused("/v1/machines")
        self.assertEqual(200, self.slow("/v1/machines", "127.0.0.2"))

    def test_exports_have_half_of_it(self):
        take_in(self.server, [document(1, steps=100_000)])  # 1.7 MB
        addresses = [f"127.0.0.{1 + number}" for number in range(6)]
        self.assertEqual([200] * 2 + [503] * 4,
                         [self.slow("/v1/runs/export", address) for address in addresses])
        self.check_refused("/v1/runs/export")
        self.assertLess(self.held(), 4 * 2**20)
        self.hang_up()
        until(lambda: self.held() == 0, "the budget is back")
        self.assertEqual(1, self.server.get("/v1/runs/export").body.count(b"\n"))

    def test_an_export_under_way_waits_for_room(self):
        take_in(self.server, [document(1, steps=60_000)])  # 1 MB
        take_in(self.server, [document(2, steps=220_000)])  # 3.7 MB
        self.assertEqual(200, self.slow("/v1/runs/export"))
        connection = self.server.connection()
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/runs/export")
        response = connection.getresponse()
        first = response.readline()
        self.assertIn(run_id(1).encode(), first)
        until(lambda: self.held() < len(first) + 2**16, "one holds its first document, one none")
        self.hang_up()
        self.assertIn(run_id(2).encode(), response.read())
        until(lambda: self.held() == 0, "the budget is back")


class Stopped(Case):
    def test_a_signal_ends_the_server_during_long_work(self):
        server = self.own_server("--http-threads", "1")
        take_in(server, [document(1, steps=STEPS)])
        path = f"/v1/runs/{run_id(1)}/recompute"
        clients = [slow_reader(server, path if index % 2 else "/v1/runs/export")
                   for index in range(2 * LOOPERS)]
        statuses = []

        def read(client):
            try:
                statuses.append(status_of(client))
            except (OSError, IndexError):
                statuses.append(0)

        readers = [threading.Thread(target=read, args=(client,)) for client in clients]
        for reader in readers:
            reader.start()
        server.get("/healthz")
        server.stop(seconds=60)
        for reader in readers:
            reader.join()
        for client in clients:
            client.close()
        self.assertLessEqual(set(statuses), {0, 200, 503})
        server.start()
        self.assertEqual(200, server.get(f"/v1/runs/{run_id(1)}").status)

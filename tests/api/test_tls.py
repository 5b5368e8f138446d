"""The server over TLS: what is served plainly is served so too, and wrong files are refused."""
import contextlib
import http.client
import os
import shutil
import socket
import ssl
import tempfile
import unittest

import harness
from harness import Events, Server, fake, together, until
from certificates import OPENSSL, make_pair
from run_documents import document, export, ids, lines, take_in

ENGINES = {"ok": fake("ok"), "slow": fake("slow", 50)}


class SecureServer(Server):
    def __init__(self, certificate, key, *flags, **options):
        super().__init__("--tls-certificate", certificate, "--tls-key", key, *flags, **options)
        self.context = ssl.create_default_context(cafile=certificate)

    def connection(self, timeout=60, source=None):
        return http.client.HTTPSConnection(self.listen, self.port, timeout=timeout,
                                           source_address=source and (source, 0),
                                           context=self.context)

    def secure_socket(self):
        plain = socket.create_connection((self.listen, self.port), 60)
        return self.context.wrap_socket(plain, server_hostname=self.listen)


@unittest.skipUnless(OPENSSL, "no openssl that could make a certificate")
class Case(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.certificate, cls.key = make_pair(cls.folder)

    def serve(self, *flags, **options):
        return self.running(SecureServer(self.certificate, self.key, *flags, engines=ENGINES, **options))


class Serving(Case):
    def test_what_is_asked_is_answered_and_is_to_stay_secure(self):
        server = self.serve()
        reply = server.get("/v1/runs")
        self.assertEqual((200, "max-age=31536000"),
                         (reply.status, reply.headers["strict-transport-security"]))
        self.assertIn("listening on https://127.0.0.1:", server.read_log())
        run = server.wait(server.queue())
        self.assertEqual("finished", run["state"])

    def test_only_versions_that_hold_are_spoken(self):
        server = self.serve()
        for version, spoken in ((ssl.TLSVersion.TLSv1_3, "TLSv1.3"),
                                (ssl.TLSVersion.TLSv1_2, "TLSv1.2"),
                                (ssl.TLSVersion.TLSv1_1, None)):
            context = ssl.create_default_context(cafile=self.certificate)
            context.set_ciphers("DEFAULT:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = version
            with socket.create_connection((server.listen, server.port), 60) as plain:
                if spoken:
                    with context.wrap_socket(plain, server_hostname=server.listen) as secure:
                        self.assertEqual(spoken, secure.version())
                else:
                    with self.assertRaises(OSError):
                        context.wrap_socket(plain, server_hostname=server.listen)

    def test_plain_words_are_not_answered(self):
        server = self.serve()
        with server.raw() as raw:
            raw.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertNotIn(b"HTTP/1.1 200", raw.rest())
        self.assertEqual(200, server.get("/healthz").status)

    def test_large_bodies_go_both_ways(self):
        server = self.serve()
        documents = [document(number, steps=1000) for number in range(200)]
        self.assertGreater(len(lines(documents)), 3_000_000)
        take_in(server, documents)
        self.assertEqual([run["id"] for run in documents], ids(export(server)))

    def test_many_at_once_and_many_on_one_connection(self):
        server = self.serve("--http-threads", "4")
        together(20, lambda _: self.assertEqual(200, server.get("/v1/runs").status))
        connection = server.connection()
        for _ in range(50):
            connection.request("GET", "/v1/runs")
            self.assertEqual(200, connection.getresponse().read() and 200)
        connection.close()

    def test_a_held_answer_comes_when_the_run_ends(self):
        server = self.serve()
        reply = server.post({"engine": "slow", "warmup_steps": 0, "steps": 10}, "?wait=50")
        self.assertEqual((201, "finished"), (reply.status, reply.json()["state"]))
        reply = server.get("/v1/runs/" + reply.json()["id"] + "?wait=20")
        self.assertEqual(200, reply.status)

    def test_events_come_while_they_happen(self):
        server = self.serve()
        run_id = server.queue("slow", steps=20)
        events = Events(server, run_id)
        seen = [(name, data) for _, name, data in events]
        events.close()
        self.assertEqual("finished", seen[-1][1]["state"])
        self.assertGreater(sum(name == "progress" for name, _ in seen), 1)

    def test_it_stops_with_connections_open(self):
        server = self.serve("--idle-seconds", "3600")
        with server.secure_socket() as resting:
            self.assertEqual("TLSv1.3", resting.version())
            events = Events(server, server.begin())
            server.stop()
            events.close()


class Clients(Case):
    def test_a_handshake_that_does_not_come_is_cut_as_a_header_is(self):
        server = self.serve("--header-seconds", "1", "--idle-seconds", "3600")
        beginnings = (b"", b"\x16\x03\x01\x00\xc8\x01")

        def cut(i):
            with server.raw() as raw:
                raw.send(beginnings[i]).rest()  # that this returns at all
        together(2, cut)

    def test_a_header_that_does_not_come_is_cut(self):
        server = self.serve("--header-seconds", "1", "--idle-seconds", "3600")
        with server.secure_socket() as secure:
            secure.sendall(b"GET /healthz HTTP/1.1\r\n")
            self.assertEqual(b"", self.rest(secure))

    def rest(self, secure):
        try:
            return secure.recv(100)
        except TimeoutError:
            raise
        except OSError:
            return b""

    def watchers(self, server, count):
        until(lambda: server.watchers() == count, f"{count} watch")

    def test_a_client_that_closes_while_its_answer_is_held_is_noticed(self):
        server = self.serve()
        run_id = server.begin()
        for gently in (True, False):
            secure = server.secure_socket()
            secure.sendall(f"GET /v1/runs/{run_id}?wait=50 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.watchers(server, 1)
            if gently:  # says that it closes, which is bytes to be read
                secure.settimeout(0.1)
                with contextlib.suppress(OSError):  # it does not wait for the server to say so too
                    secure.unwrap()
            secure.close()
            self.watchers(server, 0)

    def test_a_closed_event_stream_is_noticed(self):
        server = self.serve()
        run_id = server.begin()
        events = Events(server, run_id)
        next(iter(events))
        self.watchers(server, 1)
        events.close()
        self.watchers(server, 0)

    def test_a_crowd_of_silent_ones_leaves_room(self):
        server = self.serve("--max-connections-per-address", "8")
        crowd = [socket.create_connection((server.listen, server.port), 60) for _ in range(30)]
        self.assertEqual(200, server.get("/healthz").status)
        for one in crowd:
            one.close()


class Files(Case):
    def refused(self, certificate, key):
        database = os.path.join(self.folder, "none.db")
        process = self.command("--port", 0, "--database", database, "--published", "off",
                               "--tls-certificate", certificate, "--tls-key", key, status=1)
        self.assertFalse(os.path.exists(database))
        return process.stderr

    def test_wrong_files_refuse_the_start(self):
        _, other = make_pair(self.folder, "other")
        damaged = os.path.join(self.folder, "damaged")
        with open(damaged, "w") as file:
            file.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        for certificate, key, why in (
                (self.certificate, other, "--tls-key .*do not belong together"),
                (damaged, self.key, "--tls-key .*is damaged"),
                ("/nonexistent", self.key, "--tls-certificate cannot read /nonexistent")):
            with self.subTest(why):
                self.assertRegex(self.refused(certificate, key), "pennyworth: .*" + why)

    def test_a_key_readable_by_all_users_is_logged(self):
        open_key = shutil.copy(self.key, self.key + ".open")
        os.chmod(open_key, 0o644)
        for key, logged in ((open_key, True), (self.key, False)):
            server = self.running(SecureServer(self.certificate, key, engines=ENGINES))
            self.assertEqual(logged, "can be read or changed by everybody" in server.read_log())

"""The health command, beside a server and without one: what a container asks about itself."""
import http.server
import os
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from harness import SERVER, Server


def health(*flags, environment=None):
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith("PENNYWORTH_")}
    return subprocess.run([SERVER, "health", *flags], capture_output=True, text=True, timeout=30,
                          env={**clean, **(environment or {})})


class Played(http.server.BaseHTTPRequestHandler):
    """Answers as its server says: .status, .seconds before it does."""

    def do_GET(self):
        time.sleep(self.server.seconds)
        self.server.asked.append(self.path)
        body = b'{"detail": "no room\\nis left"}'
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        pass


class Case(unittest.TestCase):
    def play(self, status=200, seconds=0, context=None):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Played)
        server.status, server.seconds, server.asked = status, seconds, []
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def assertHealthy(self, answer):
        self.assertEqual((0, "", ""), (answer.returncode, answer.stdout, answer.stderr))

    def assertIll(self, answer, *words):
        """One line of stderr, with all of these words."""
        self.assertEqual((1, ""), (answer.returncode, answer.stdout), answer.stderr)
        self.assertEqual(1, answer.stderr.count("\n"), answer.stderr)
        for word in words:
            self.assertIn(word, answer.stderr)


class OfAServer(Case):
    def test_a_server_is_healthy_until_it_has_ended(self):
        server = Server().start()
        port = str(server.port)
        self.assertHealthy(health("--port", port))
        server.stop()
        self.assertIll(health("--port", port), f"http://127.0.0.1:{port}/readyz")

    def test_the_environment_of_the_server_is_enough(self):
        # As in a container: nothing but what the server itself was told. No token is needed.
        told = {"PENNYWORTH_WRITE_TOKEN": "0123456789abcdef0123"}
        server = Server(listen="0.0.0.0", environment=told).start()
        self.addCleanup(server.stop)
        server.token = told["PENNYWORTH_WRITE_TOKEN"]
        self.assertHealthy(health(environment={**told, "PENNYWORTH_LISTEN": "0.0.0.0",
                                               "PENNYWORTH_PORT": str(server.port)}))

    def test_no_proxy_comes_between(self):
        server = Server().start()
        self.addCleanup(server.stop)
        nobody = {"http_proxy": "http://127.0.0.1:9", "ALL_PROXY": "http://127.0.0.1:9"}
        self.assertHealthy(health("--port", str(server.port), environment=nobody))


class OfOthers(Case):
    def test_a_server_that_is_not_ready_is_told_in_one_line(self):
        played = self.play(status=503)
        self.assertIll(health("--port", str(played.server_port)), "answers 503", "no room")
        self.assertEqual(["/readyz"], played.asked)

    def test_a_redirect_is_no_health(self):
        played = self.play(status=302)
        self.assertIll(health("--port", str(played.server_port)), "answers 302")

    def test_who_does_not_answer_is_ill_within_seconds(self):
        played = self.play(seconds=20)
        began = time.monotonic()
        self.assertIll(health("--port", str(played.server_port)), "/readyz")
        self.assertLess(time.monotonic() - began, 15)

    def test_what_cannot_be_asked_is_refused(self):
        self.assertIll(health("--port", "0"), "--port", "must be the port")
        self.assertIll(health("--listen", "localhost"), "--listen", "must be an IPv4 or IPv6")
        self.assertEqual(2, health("--port", "70000").returncode)
        self.assertEqual(2, health("--database", "x").returncode)


@unittest.skipUnless(shutil.which("openssl"), "there is no openssl to make certificates with")
class OverTls(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.ours, cls.other = cls.certificate("ours"), cls.certificate("other")

    @classmethod
    def certificate(cls, name):
        """For a host that is never the one we ask."""
        path = Path(cls.folder.name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=hub.example", "-addext", "subjectAltName=DNS:hub.example",
                        "-keyout", path / f"{name}.key", "-out", path / f"{name}.pem"],
                       check=True, capture_output=True)
        return path / f"{name}.pem", path / f"{name}.key"

    def serve(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.ours)
        return str(self.play(context=context).server_port)

    def test_the_servers_own_certificate_is_trusted_whatever_its_name(self):
        self.assertHealthy(health("--port", self.serve(), "--tls-certificate", self.ours[0]))

    def test_another_certificate_is_not(self):
        answer = health("--port", self.serve(), "--tls-certificate", self.other[0])
        self.assertIll(answer, "https://127.0.0.1:", "certificate")

    def test_a_certificate_that_cannot_be_read_is_told(self):
        answer = health("--port", self.serve(), "--tls-certificate", "/nowhere.pem")
        self.assertIll(answer, "/nowhere.pem")


if __name__ == "__main__":
    unittest.main()

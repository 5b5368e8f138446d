"""Requests that two servers could take apart in two ways, and so smuggle a second request past a
proxy: each is refused whole, or answered without the second, and its connection ends. Where there is
nginx, it stands in front of the server, and no request of one client answers another."""
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from harness import Raw, ServerCase, until
from waiting import PATIENCE, free_port

INNER = "GET /v1/machine HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
SEEN = '"identity":'  # in the answer to it
HOST = "Host: 127.0.0.1\r\n"
CHUNKED = f"0\r\n\r\n{INNER}"
POST = "POST /v1/runs HTTP/1.1\r\n"


def post(*fields, body=INNER):
    return POST + "".join(field + "\r\n" for field in (HOST.strip(), *fields)) + "\r\n" + body


SHAPES = {
    "two lengths": post(f"Content-Length: {len(INNER)}", "Content-Length: 0"),
    "two lengths alike": post("Content-Length: 0", "Content-Length: 0"),
    "two lengths in one": post(f"Content-Length: 0, {len(INNER)}"),
    "a length with a sign": post("Content-Length: +0"),
    "a length in hexadecimal": post("Content-Length: 0x0"),
    "a blank before the colon": post(f"Content-Length : {len(INNER)}"),
    "a tab before the colon": post(f"Content-Length\t: {len(INNER)}"),
    "a folded field": post("X: y", f" Content-Length: {len(INNER)}"),
    "a folded coding": post("Transfer-Encoding:", " chunked", body=CHUNKED),
    "a field without a name": post(f": x\r\nContent-Length: {len(INNER)}"),
    "a length before a coding": post("Content-Length: 6", "Transfer-Encoding: chunked",
                                     body=CHUNKED),
    "a coding before a length": post("Transfer-Encoding: chunked", "Content-Length: 6",
                                     body=CHUNKED),
    "two codings": post("Transfer-Encoding: chunked", "Transfer-Encoding: identity", body=CHUNKED),
    "an unknown coding": post("Transfer-Encoding: xchunked", body=CHUNKED),
    "a list of codings": post("Transfer-Encoding: identity, chunked", body=CHUNKED),
    "a coding in HTTP/1.0": post("Transfer-Encoding: chunked", body=CHUNKED).replace("1.1", "1.0",
                                                                                     1),
    "no host": "GET /healthz HTTP/1.1\r\n\r\n" + INNER,
    "two hosts": f"GET /healthz HTTP/1.1\r\n{HOST}Host: other\r\n\r\n{INNER}",
    "bare line feeds": f"GET /healthz HTTP/1.1\n{HOST}\r\n{INNER}",
    "a bare line feed behind a field": f"GET /healthz HTTP/1.1\r\n{HOST}X: y\n\r\n{INNER}",
    "a bare line feed at the end": f"GET /healthz HTTP/1.1\r\n{HOST}\n{INNER}",
    "a NUL in the path": f"GET /healthz\0x HTTP/1.1\r\n{HOST}\r\n{INNER}",
    "a NUL in a field": f"GET /healthz HTTP/1.1\r\n{HOST}X: y\0z\r\n\r\n{INNER}",
    "a blank in the path": f"GET /healthz /x HTTP/1.1\r\n{HOST}\r\n{INNER}",
    "a line without a colon": f"GET /healthz HTTP/1.1\r\n{HOST}x\r\n\r\n{INNER}",
}
# libmicrohttpd reads these bodies, some of them otherwise than a proxy may.
CHUNKED_BODIES = {
    "a last chunk that ends with LF alone": "0\n\r\n",
    "a chunk that ends with LF alone": "1\nx\n0\n\n",
    "an extension that ends with LF alone": "1;a\nx\r\n0\r\n\r\n",
    "an extension with CR in it": "0;a\rb\r\n\r\n",
    "a trailer": "0\r\nContent-Length: 0\r\n\r\n",
    "as it should be": "0\r\n\r\n",
}
CHUNKS = {name: post("Transfer-Encoding: chunked", body=body + INNER)
          for name, body in CHUNKED_BODIES.items()}


class Direct(ServerCase):
    def test_a_smuggled_request_would_be_seen(self):
        self.assertIn(SEEN, self.server.reply_to(INNER).body.decode())

    def test_nothing_behind_a_chunked_body_is_a_request(self):
        for name, shape in CHUNKS.items():
            with self.subTest(name), self.server.raw() as client:
                sent = client.send(shape).rest().decode()
                self.assertNotIn(SEEN, sent)
                self.assertLessEqual(sent.count("HTTP/1."), 1, sent)

    def test_each_shape_is_refused_and_ends_its_connection(self):
        for name, shape in SHAPES.items():
            with self.subTest(name), self.server.raw() as client:
                sent = client.send(shape).rest().decode()
                answers = re.findall(r"HTTP/1\.[01] (\d+)", sent)
                # Some end the connection at once; the library writes some of its own twice.
                self.assertTrue(set(answers) <= {"400"}, sent)
                self.assertNotIn(SEEN, sent)

    def test_a_refusal_says_what_is_wrong(self):
        reply = self.server.reply_to(SHAPES["two hosts"])
        self.assertProblem(reply, 400, "invalid")
        self.assertEqual("Host is given more than once", reply.json()["detail"])
        self.assertEqual("close", reply.headers["connection"].lower())

    def test_what_clients_send_is_read(self):
        body = '{"engine":"ok","steps":3,"warmup_steps":0}'
        kind = "Content-Type: application/json\r\n"
        chunked = f"{len(body):x}\r\n{body}\r\n0\r\n\r\n"
        for header, sent, times in ((f"Content-Length: {len(body)}\r\n", body, 2),
                                    ("transfer-encoding: Chunked\r\n", chunked, 1),
                                    (f"X:  a\tb  \r\nContent-Length:{len(body)}\r\n", body, 2)):
            with self.subTest(header), self.server.raw() as client:
                for _ in range(times):  # on one connection
                    reply = client.send(POST + HOST + kind + header + "\r\n" + sent).reply()
                    self.assertEqual(201, reply.status, reply)


NGINX = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    upstream pennyworth {{ server 127.0.0.1:{port}; keepalive 1; }}
    server {{
        listen unix:{folder}/socket;
        listen 127.0.0.1:{listen};
        location / {{
            proxy_pass http://pennyworth;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host 127.0.0.1;
        }}
    }}
}}
"""


# Installed, or unpacked by ./test.
UNPACKED = Path(__file__).resolve().parents[2] / "build/nginx/usr/sbin"
PROGRAM = shutil.which("nginx", path=f"/usr/sbin:/usr/bin:{UNPACKED}")


@unittest.skipUnless(PROGRAM, "there is no nginx")
class BehindNginx(ServerCase):
    def setUp(self):
        folder = self.new_folder()
        self.port = free_port()
        file = folder / "nginx.conf"
        file.write_text(NGINX.format(folder=folder, port=self.server.port, listen=self.port))
        proxy = subprocess.Popen([PROGRAM, "-c", file, "-p", folder], stderr=subprocess.DEVNULL)
        self.addCleanup(proxy.wait, PATIENCE)
        self.addCleanup(proxy.terminate)
        until(self.answers, "nginx listens")

    def answers(self):
        try:
            return self.ask().status == 200
        except OSError:
            return False

    def ask(self, path="/healthz"):
        with Raw(("127.0.0.1", self.port)) as client:
            return client.send(f"GET {path} HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n").reply()

    def test_no_request_answers_another_client(self):
        for name, shape in (SHAPES | CHUNKS).items():
            with self.subTest(name):
                with Raw(("127.0.0.1", self.port)) as client:
                    client.send(shape)
                    client.socket.settimeout(1)
                    try:
                        client.rest()
                    except TimeoutError:  # nginx waits for what the shape promises
                        pass
                for _ in range(3):  # the connection to the server is kept: each gets its own
                    self.assertEqual(404, self.ask("/nothing").status)
                    self.assertEqual({"status": "ok"}, self.ask().json())

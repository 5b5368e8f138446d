"""Attackers for bench/soak.py: clients that send malformed or hostile requests.

Each shape in SHAPES is one behaviour, repeated from addresses of its own. Shapes with connections keep
CONNECTIONS of them each, and let the server end them."""
import random
import re
import select
import socket
import time

from run_documents import document, lines

HOST = "Host: 127.0.0.1\r\n"
TOKEN = "token-of-a-stranger-who-sends-documents"
SCOPES = "import,read"
CONNECTIONS = 10
PATIENCE = 60  # seconds after which a stranger gives a connection up

MALFORMED = [
    f"GET /?{'a&' * 990} HTTP/1.1\r\n{HOST}\r\n", f"GET / HTTP/1.1\r\n{HOST}" + "x:\r\n" * 3000 + "\r\n",
    f"POST /v1/runs HTTP/1.1\r\n{HOST}Content-Length: 5\r\nContent-Length: 60\r\n\r\nhello"
    f"GET /v1/backup HTTP/1.1\r\n{HOST}\r\n",
    f"POST /v1/runs HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n0\r\n\r\n",
    f"GET /v1/runs HTTP/1.1\r\n{HOST} folded\r\n\r\n", f"GET /\0 HTTP/1.1\r\n{HOST}\r\n",
    f"POST /v1/runs/import HTTP/1.1\r\n{HOST}Content-Length: 16777216\r\n\r\n" + "{" * 50000,
    "GET / HTTP/1.1\nHost: x\n\n", "\x16\x03\x01\x02", ""]
FORGED = {200, 400, 413, 422, 429, 503}  # what a forged document deserves


def get(path, more=""):
    return f"GET {path} HTTP/1.1\r\n{HOST}Authorization: Bearer {TOKEN}\r\n{more}\r\n"


def forged():
    """A made-up run, mostly broken."""
    text = lines([document(random.randrange(10**9, 10**10), random.choice([20, 200]),
                           nanoseconds=random.choice([1, 10**6, 10**9]))]).decode()
    how = random.randrange(5)
    if how == 0:
        text = re.sub(r'"fingerprint":"[^"]*"', '"fingerprint":"0123456789abcdef"', text)
    elif how == 1:
        text = text.replace('"spec":{', '"spec":{"' + "x" * 70000 + '":1,', 1)
    elif how == 2:
        text = text[:random.randrange(len(text))]
    elif how == 3:
        at = random.randrange(len(text))
        text = text[:at] + random.choice(["\0", "1e999", "[" * 5000, '"', "\ud800"]) + text[at + 1:]
    return text.encode(errors="replace")


class Attacker:
    """One stranger of one shape. `soak` has the server, a run to wait for, and notes what is answered."""

    def __init__(self, soak):
        self.soak = soak
        self.open = []  # (socket, since)

    def connect(self, text, half_closed=False):
        stranger = socket.socket()
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        stranger.settimeout(1)
        stranger.bind((f"127.0.2.{random.randrange(1, 250)}", 0))
        self.open.append((stranger, time.monotonic()))
        try:
            stranger.connect(("127.0.0.1", self.soak.server.port))
            stranger.sendall(text.encode())
            if half_closed:
                stranger.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused or cut
        self.soak.note("attack", 0)
        self.leave_room()

    def leave_room(self):
        """Waits until the server has ended a connection, or it is time to give one up."""
        while len(self.open) >= CONNECTIONS and time.monotonic() < self.soak.end:
            self.open = [each for each in self.open if self.keeps(*each)]
            time.sleep(0.05)

    @staticmethod
    def keeps(stranger, since):
        poll = select.poll()
        poll.register(stranger, 0)  # only whether it has ended
        if time.monotonic() - since < PATIENCE and not poll.poll(0):
            return True
        stranger.close()
        return False

    def close(self):
        for stranger, _ in self.open:
            stranger.close()

    def read_nothing(self):
        self.connect(get("/v1/openapi.json") * 40)

    def hold_waits(self):
        self.connect(get(f"/v1/runs/{self.soak.latest}", "Prefer: wait=600\r\n"))

    def half_close(self):
        self.connect(random.choice([get("/v1/runs?limit=200"), get("/v1/runs")[:40]]), half_closed=True)

    def malform(self):
        self.connect(random.choice(MALFORMED), half_closed=random.random() < 0.3)

    def forge(self):
        reply = self.soak.server.request(
            "POST", "/v1/runs/import", forged(),
            {"Content-Type": "application/x-ndjson", "Authorization": "Bearer " + TOKEN}, timeout=120)
        self.soak.note("forged", reply.status)
        time.sleep(0.05)


SHAPES = {"slow readers": Attacker.read_nothing, "holders of waits": Attacker.hold_waits,
          "half-closed": Attacker.half_close, "malformed": Attacker.malform, "forgers": Attacker.forge}

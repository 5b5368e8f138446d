#!/usr/bin/env python3
"""Mixed load for a while, and what it does to the server's memory.

usage: soak.py [SECONDS [attacked]]

Runs a server (PENNYWORTH_TEST_SERVER, see tests/api/README.md) with a fake engine on loopback, and at
once: runs that are queued, watched and cancelled; imports of new and of known documents; exports;
comparisons, lists, pages; questions that are wrong; clients that hang up; a backup now and then.
Prints requests and answers by kind, resident memory over time, and whether nothing was lost: each run
that was acknowledged is there, once. Where it is attacked, two strangers run beside: one with
connections (readers that take nothing, half-closed ones, smuggled and endless headers), one that
imports made-up and broken documents with a token of its own; what a healthy request took is then
said, too. Exits with 1 where something was, or an answer was not what
the question deserved."""
import collections
import hashlib
import json
import random
import re
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/api"))

from harness import FINAL, SANITIZED, Events, Server, fake  # noqa: E402
from run_documents import document, lines, run_id  # noqa: E402

# What a stranger sends before it stops to read, or to speak.
HOST = "Host: 127.0.0.1\r\n"
SHAPES = [
    f"GET /v1/openapi.json HTTP/1.1\r\n{HOST}\r\n" * 40, f"GET /v1/runs?wait=9 HTTP/1.1\r\n{HOST}",
    f"GET /?{'a&' * 990} HTTP/1.1\r\n{HOST}\r\n", f"GET / HTTP/1.1\r\n{HOST}" + "x:\r\n" * 3000 + "\r\n",
    f"POST /v1/runs HTTP/1.1\r\n{HOST}Content-Length: 5\r\nContent-Length: 60\r\n\r\nhello"
    f"GET /v1/backup HTTP/1.1\r\n{HOST}\r\n",
    f"POST /v1/runs HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n0\r\n\r\n",
    f"GET /v1/runs HTTP/1.1\r\n{HOST} folded\r\n\r\n", f"GET /\0 HTTP/1.1\r\n{HOST}\r\n",
    f"POST /v1/runs/import HTTP/1.1\r\n{HOST}Content-Length: 16777216\r\n\r\n" + "{" * 50000,
    "GET / HTTP/1.1\nHost: x\n\n", "\x16\x03\x01\x02", ""]
STRANGER = "token-of-a-stranger-who-sends-documents"
OPEN_MAX = 300  # connections that the stranger keeps

NDJSON = {"Content-Type": "application/x-ndjson"}
WANTED = {"queue": {201, 429}, "cancel": {200, 202, 409}, "import": {200, 503}, "again": {200, 503},
          "export": {200}, "read": {200}, "wrong": {400, 404, 405, 415}, "backup": {200, 503},
          "watch": {200}, "hang up": {0},
          "attack": {0}, "forged": {200, 400, 413, 422, 429, 503}}


class Soak:
    def __init__(self, server, seconds, attacked):
        self.server = server
        self.attacked = attacked
        self.end = time.monotonic() + seconds
        self.lock = threading.Lock()
        self.answers = collections.Counter()
        self.surprises = collections.Counter()
        self.acknowledged = set()
        self.next_document = 0
        self.memory = []
        self.latencies = []
        self.stuck = []

    def note(self, kind, status):
        with self.lock:
            self.answers[kind] += 1
            if status not in WANTED[kind]:
                self.surprises[kind, status] += 1

    def ask(self, kind, *question):
        began = time.monotonic()
        reply = self.server.request(*question, timeout=120)
        if kind in ("read", "wrong"):
            self.latencies.append(time.monotonic() - began)
        self.note(kind, reply.status)
        return reply

    def queue(self):
        reply = self.ask("queue", "POST", "/v1/runs", json.dumps(
            {"engine": "ok", "warmup_steps": 0, "steps": random.choice([3, 30, 300]),
             "labels": {"soak": str(random.randrange(20))}}),
            {"Content-Type": "application/json"})
        if reply.status == 201:
            name = reply.json()["id"]
            with self.lock:
                self.acknowledged.add(name)
            if random.random() < 0.1:
                self.ask("cancel", "DELETE", f"/v1/runs/{name}")
            elif random.random() < 0.2:
                self.watch(name)
        time.sleep(0.05)

    def watch(self, name):
        events = Events(self.server, name, {"Authorization": f"Bearer {self.server.token}"})
        for _, event, data in events:
            if event == "state" and data["state"] in FINAL or time.monotonic() > self.end:
                break
        events.close()
        self.note("watch", 200)

    def take_in(self):
        with self.lock:
            first = self.next_document
            self.next_document += 20
        many = [document(number, 200) for number in range(first, first + 20)]
        reply = self.ask("import", "POST", "/v1/runs/import", lines(many), NDJSON)
        if reply.status == 200 and reply.json()["imported"] == len(many):
            with self.lock:
                self.acknowledged.update(each["id"] for each in many)
        elif reply.status != 503:
            self.surprises["imported", reply.body[:200]] += 1
        time.sleep(0.2)

    def again(self):
        if self.next_document > 40:
            first = random.randrange(self.next_document - 40)
            many = [document(number, 200) for number in range(first, first + 20)]
            self.ask("again", "POST", "/v1/runs/import", lines(many), NDJSON)
        time.sleep(0.5)

    def export(self):
        after = run_id(random.randrange(max(self.next_document - 20, 1)))
        known = self.server.get(f"/v1/runs/{after}").status == 200
        self.ask("export", "GET", "/v1/runs/export" + (f"?after={after}" if known else ""))
        time.sleep(3)

    def read(self):
        self.ask("read", "GET", random.choice(
            ["/", "/v1/runs", "/v1/runs?limit=200", "/v1/comparison?workload=mlp2017", "/metrics",
             "/v1/comparison?workload=mlp2017&format=csv", "/v1/machines", "/v1/prices", "/v1/feeds",
             "/v1/figures", "/healthz", "/readyz", "/v1/openapi.json", "/v1/sweeps"]))
        time.sleep(0.01)

    def wrong(self):
        self.ask("wrong", *random.choice(
            [("GET", "/v1/nothing"), ("POST", "/v1/runs", b"{", {"Content-Type": "text/plain"}),
             ("POST", "/v1/runs", b"{", {"Content-Type": "application/json"}),
             ("PUT", "/v1/runs"), ("GET", "/v1/runs?limit=x"), ("GET", "/v1/runs/unknown")]))
        time.sleep(0.05)

    def hang_up(self):
        with self.server.raw() as raw:
            raw.send(random.choice(["GET / HTT", "POST /v1/runs/import HTTP/1.1\r\nHost: localhost\r\n"
                                    "Content-Length: 1000\r\n\r\n{", "GET /v1/runs/export "
                                    "HTTP/1.1\r\nHost: localhost\r\n\r\n"]))
        self.note("hang up", 0)
        time.sleep(0.2)

    def backup(self):
        self.ask("backup", "GET", "/v1/backup")
        time.sleep(20)

    def attack_connections(self):
        stranger = socket.socket()
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        stranger.settimeout(1)
        stranger.bind((f"127.0.2.{random.randrange(1, 200)}", 0))
        self.stuck.append(stranger)
        if len(self.stuck) > OPEN_MAX:
            self.stuck.pop(random.randrange(len(self.stuck))).close()
        try:
            stranger.connect(("127.0.0.1", self.server.port))
            stranger.sendall(random.choice(SHAPES).encode())
            if random.random() < 0.3:
                stranger.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused or cut
        self.note("attack", 0)
        time.sleep(0.01)

    def forge(self):
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

    def attack_documents(self):
        reply = self.server.request("POST", "/v1/runs/import", self.forge(),
                                    {**NDJSON, "Authorization": "Bearer " + STRANGER}, timeout=120)
        self.note("forged", reply.status)
        time.sleep(0.05)

    def loop(self, work):
        while time.monotonic() < self.end:
            try:
                work()
            except Exception as problem:  # a soak tells of everything, at its end
                with self.lock:
                    self.surprises[work.__name__, repr(problem)[:200]] += 1
                time.sleep(0.5)

    def look(self):
        began = time.monotonic()
        while time.monotonic() < self.end:
            status = Path(f"/proc/{self.server.process.pid}/status").read_text(encoding="ascii")
            resident = int(status.split("VmRSS:")[1].split()[0]) / 1024
            self.memory.append((time.monotonic() - began, resident))
            time.sleep(1)

    def run(self):
        works = [self.queue, self.take_in, self.again, self.export, self.read, self.read,
                 self.wrong, self.hang_up, self.backup]
        if self.attacked:
            works += [self.attack_connections, self.attack_documents]
        threads = [threading.Thread(target=self.loop, args=[work]) for work in works]
        threads.append(threading.Thread(target=self.look))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def stored(server):
    """Ids of all runs, page by page."""
    found, cursor = [], ""
    while True:
        page = server.get(f"/v1/runs?limit=200{cursor}").json()
        found += [run["id"] for run in page["runs"]]
        if not page.get("next_cursor"):
            return found
        cursor = f"&cursor={page['next_cursor']}"


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600
    attacked = sys.argv[2:] == ["attacked"]
    folder = tempfile.TemporaryDirectory()
    tokens = Path(folder.name) / "tokens"
    tokens.write_text(f"stranger import sha256:{hashlib.sha256(STRANGER.encode()).hexdigest()}\n",
                      encoding="ascii")
    server = Server("--tokens", str(tokens), "--send-seconds", "5", engines={"ok": fake("ok")},
                    token="token-of-the-soak").start()
    soak = Soak(server, seconds, attacked)
    soak.run()
    found = stored(server)
    lost = soak.acknowledged - set(found)
    for kind, count in sorted(soak.answers.items()):
        print(f"{kind:10} {count:8}")
    for (elapsed, resident), part in zip(soak.memory[::max(len(soak.memory) // 10, 1)], range(99)):
        print(f"{elapsed:6.0f} s  {resident:7.1f} MiB")
    print(f"runs: {len(found)}, acknowledged {len(soak.acknowledged)}, lost {len(lost)}, "
          f"twice {len(found) - len(set(found))}{', sanitized' if SANITIZED else ''}")
    if attacked:
        slow = sorted(soak.latencies)
        print(f"healthy requests: {len(slow)}, p50 {statistics.median(slow) * 1000:.0f} ms, "
              f"p99 {slow[len(slow) * 99 // 100] * 1000:.0f} ms, slowest {slow[-1] * 1000:.0f} ms")
    for surprise, count in soak.surprises.most_common():
        print("surprise:", count, *surprise)
    server.stop()
    return 1 if lost or soak.surprises or len(found) != len(set(found)) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Mixed load for a while, and what it does to the server's memory.

usage: soak.py [SECONDS]

Runs a server (PENNYWORTH_TEST_SERVER, see tests/api/README.md) with a fake engine on loopback, and at
once: runs that are queued, watched and cancelled; imports of new and of known documents; exports;
comparisons, lists, pages; questions that are wrong; clients that hang up; a backup now and then.
Prints requests and answers by kind, resident memory over time, and whether nothing was lost: each run
that was acknowledged is there, once. Exits with 1 where something was, or an answer was not what
the question deserved."""
import collections
import json
import random
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api"))

from harness import FINAL, SANITIZED, Events, Server, fake  # noqa: E402
from run_documents import document, lines, run_id  # noqa: E402

NDJSON = {"Content-Type": "application/x-ndjson"}
WANTED = {"queue": {201, 429}, "cancel": {200, 202, 409}, "import": {200}, "again": {200},
          "export": {200}, "read": {200}, "wrong": {400, 404, 405, 415}, "backup": {200, 503},
          "watch": {200}, "hang up": {0}}


class Soak:
    def __init__(self, server, seconds):
        self.server = server
        self.end = time.monotonic() + seconds
        self.lock = threading.Lock()
        self.answers = collections.Counter()
        self.surprises = collections.Counter()
        self.acknowledged = set()
        self.next_document = 0
        self.memory = []

    def note(self, kind, status):
        with self.lock:
            self.answers[kind] += 1
            if status not in WANTED[kind]:
                self.surprises[kind, status] += 1

    def ask(self, kind, *question):
        reply = self.server.request(*question, timeout=120)
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
        events = Events(self.server, name)
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
        else:
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
            ["/", "/v1/runs", "/v1/runs?limit=200", "/v1/comparison?workload=mlp", "/metrics",
             "/v1/comparison?workload=mlp&format=csv", "/v1/machines", "/v1/prices", "/v1/feeds",
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
    server = Server(engines={"ok": fake("ok")}, token="token-of-the-soak").start()
    soak = Soak(server, seconds)
    soak.run()
    found = stored(server)
    lost = soak.acknowledged - set(found)
    for kind, count in sorted(soak.answers.items()):
        print(f"{kind:10} {count:8}")
    for (elapsed, resident), part in zip(soak.memory[::max(len(soak.memory) // 10, 1)], range(99)):
        print(f"{elapsed:6.0f} s  {resident:7.1f} MiB")
    print(f"runs: {len(found)}, acknowledged {len(soak.acknowledged)}, lost {len(lost)}, "
          f"twice {len(found) - len(set(found))}{', sanitized' if SANITIZED else ''}")
    for surprise, count in soak.surprises.most_common():
        print("surprise:", count, *surprise)
    server.stop()
    return 1 if lost or soak.surprises or len(found) != len(set(found)) else 0


if __name__ == "__main__":
    sys.exit(main())

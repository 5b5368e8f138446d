#!/usr/bin/env python3
"""Mixed load and attackers for a while, and what both do to the server.

usage: soak.py [--minutes M] [--attackers N] [--grow SHARE]

Runs a server (PENNYWORTH_TEST_SERVER, see tests/api/README.md) with a fake engine on loopback, and at
once: runs that are queued, watched and cancelled; imports of new and of known documents; exports;
comparisons, lists, pages; questions that are wrong; clients that hang up; a backup now and then. With
--attackers, N strangers of each shape of bench/attackers.py.
Prints requests and answers by kind, how long healthy ones took, resident memory over time, and whether
nothing was lost: each run that was acknowledged is there, once.
Exits with 1 if a run was lost, an answer was wrong, a healthy request was refused (429 or 503; the
queue may be full) during an attack, or resident
memory grew by more than SHARE from the second tenth of the time to the last one (not with a sanitizer,
whose memory says nothing)."""
import argparse
import collections
import functools
import hashlib
import json
import random
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/api"))

import attackers  # noqa: E402
from harness import FINAL, SANITIZED, Events, Server, fake, raise_open_files  # noqa: E402
from run_documents import document, lines, run_id  # noqa: E402

FILES = 4096  # that we and the server may have open
NDJSON = {"Content-Type": "application/x-ndjson"}
WANTED = {"queue": {201, 429}, "cancel": {200, 202, 409}, "import": {200, 503}, "again": {200, 503},
          "export": {200}, "read": {200}, "wrong": {400, 404, 405, 415}, "backup": {200, 503},
          "watch": {200}, "hang up": {0},
          "attack": {0}, "forged": attackers.FORGED}
BUSY = {429, 503}
OWN_LIMIT = ("queue", 429)  # its queue is full: that is no work of strangers


class Soak:
    def __init__(self, server, seconds, strangers):
        self.server = server
        self.strangers = strangers  # of each shape
        self.end = time.monotonic() + seconds
        self.lock = threading.Lock()
        self.answers = collections.Counter()
        self.surprises = collections.Counter()
        self.acknowledged = set()
        self.next_document = 0
        self.memory = []
        self.seconds = collections.defaultdict(list)  # of each kind of healthy request
        self.refused = collections.Counter()
        self.attackers = []
        self.latest = "unknown"  # run that was queued

    def note(self, kind, status):
        with self.lock:
            self.answers[kind] += 1
            if status not in WANTED[kind]:
                self.surprises[kind, status] += 1

    def ask(self, kind, *question):
        began = time.monotonic()
        reply = self.server.request(*question, timeout=120)
        self.seconds[kind].append(time.monotonic() - began)
        if reply.status in BUSY and (kind, reply.status) != OWN_LIMIT:
            with self.lock:
                self.refused[kind, reply.json()["detail"]] += 1
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
                self.latest = name
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

    def loop(self, work):
        while time.monotonic() < self.end:
            try:
                work()
            except Exception as problem:  # a soak tells of everything, at its end
                with self.lock:
                    self.surprises[str(work)[:60], repr(problem)[:200]] += 1
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
        for shape in attackers.SHAPES.values():
            for stranger in [attackers.Attacker(self) for _ in range(self.strangers)]:
                works.append(functools.partial(shape, stranger))
                self.attackers.append(stranger)
        threads = [threading.Thread(target=self.loop, args=[work]) for work in works]
        threads.append(threading.Thread(target=self.look))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for stranger in self.attackers:
            stranger.close()

    def memory_in(self, first, last):
        """Its median between two shares of the time, in MiB."""
        end = self.memory[-1][0]
        return statistics.median(resident for elapsed, resident in self.memory
                                 if first * end <= elapsed <= last * end)


def stored(server):
    """Ids of all runs, page by page."""
    found, cursor = [], ""
    while True:
        page = server.get(f"/v1/runs?limit=200{cursor}").json()
        found += [run["id"] for run in page["runs"]]
        if not page.get("next_cursor"):
            return found
        cursor = f"&cursor={page['next_cursor']}"


def arguments():
    parser = argparse.ArgumentParser(description="Mixed load and attackers for a while.")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--attackers", type=int, default=0, metavar="N", help="strangers of each shape")
    parser.add_argument("--grow", type=float, default=0.3, metavar="SHARE",
                        help="by which resident memory may grow")
    return parser.parse_args()


def tell(soak, found, lost):
    print(f"{'':10} {'requests':>8} {'p50 ms':>8} {'p99 ms':>8} {'most ms':>8}")
    for kind, count in sorted(soak.answers.items()):
        took = sorted(soak.seconds[kind])
        marks = (took[len(took) // 2], took[len(took) * 99 // 100], took[-1]) if took else ()
        print(f"{kind:10} {count:8}", *(f"{mark * 1000:8.0f}" for mark in marks))
    for (elapsed, resident), _ in zip(soak.memory[::max(len(soak.memory) // 10, 1)], range(99)):
        print(f"{elapsed:6.0f} s  {resident:7.1f} MiB")
    print(f"runs: {len(found)}, acknowledged {len(soak.acknowledged)}, lost {len(lost)}, "
          f"twice {len(found) - len(set(found))}{', sanitized' if SANITIZED else ''}")
    for surprise, count in soak.surprises.most_common():
        print("surprise:", count, *surprise)


def judge(soak, grow):
    """Prints what attackers changed; whether that is too much."""
    refused = sum(soak.refused.values())
    start, middle, end = (soak.memory_in(*part) for part in ((.1, .2), (.45, .55), (.9, 1)))
    grown = end / start - 1
    too_much = grown > grow and not SANITIZED
    print(f"healthy requests refused: {refused}")
    for (kind, why), count in soak.refused.most_common():
        print(f"refused: {count} {kind}: {why}")
    print(f"memory at the start, in the middle, at the end: {start:.1f}, {middle:.1f}, {end:.1f} MiB: "
          f"{'grew' if too_much else 'flat'} ({grown:+.0%}, {grow:.0%} allowed)")
    return (soak.strangers > 0 and refused > 0) or too_much


def main():
    options = arguments()
    folder = tempfile.TemporaryDirectory()
    tokens = Path(folder.name) / "tokens"
    digest = hashlib.sha256(attackers.TOKEN.encode()).hexdigest()
    tokens.write_text(f"stranger {attackers.SCOPES} sha256:{digest}\n", encoding="ascii")
    raise_open_files(FILES)
    server = Server("--tokens", str(tokens), "--send-seconds", "5", engines={"ok": fake("ok")},
                    token="token-of-the-soak", open_files=(FILES, FILES)).start()
    soak = Soak(server, options.minutes * 60, options.attackers)
    soak.run()
    found = stored(server)
    lost = soak.acknowledged - set(found)
    tell(soak, found, lost)
    bad = judge(soak, options.grow)
    server.stop()
    return 1 if bad or lost or soak.surprises or len(found) != len(set(found)) else 0


if __name__ == "__main__":
    sys.exit(main())

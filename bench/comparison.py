"""How soon GET /v1/comparison answers over the database of comparison_fill.py:

    comparison.py SERVER FILE [ROUNDS]

Prints a table in Markdown. Each line is the median over rounds of that round's p50 and p99, once
by the clock of the client and once by the processor time of the answering threads: on a shared
machine only the second describes the server."""
import http.client
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import time
import urllib.parse

import comparison_fill as fill

PORT = 18476
ANSWERING = "MHD-worker"
YEAR_US = 365 * fill.DAY_US
UTILITIES = ["samples_per_dollar", "samples_per_second / (price_per_hour + 0.1)",
             "samples_per_dollar - hours"]
FIRST_OF_IMPORTS = 5_000_000  # numbers in ids that the fill does not reach


def busy_ms(pid):
    """Processor time so far of the threads that answer. The runner looks through the whole database
    once a day, and begins twenty seconds after the start: that is no part of an answer."""
    return sum(int((task / "schedstat").read_text().split()[0])
               for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
               if (task / "comm").read_text().strip() == ANSWERING) / 1e6


class Client:
    def __init__(self, pid):
        self.pid = pid
        self.connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
        self.connection.connect()

    def get(self, parameters, headers=None, status=200):
        """Milliseconds by the clock and of the server's processor; ETag and length."""
        path = "/v1/comparison?" + urllib.parse.urlencode(parameters)
        busy, began = busy_ms(self.pid), time.perf_counter()
        self.connection.request("GET", path, headers=headers or {})
        answer = self.connection.getresponse()
        body = answer.read()
        took = (time.perf_counter() - began) * 1000
        if answer.status != status:
            sys.exit(f"{path}: {answer.status} {body[:300]}")
        return (took, busy_ms(self.pid) - busy), answer.getheader("ETag"), len(body)


def varied(chance):
    """Parameters that no request had before, of the regions that are asked for by default."""
    asked = {"workload": chance.choice(["resnet50", "resnet50", "mlp2017"]),
             "samples": f"{chance.uniform(1e6, 1e9):.3f}"}
    if chance.random() < 0.3:
        asked["deadline_h"] = f"{chance.uniform(1, 500):.2f}"
    if chance.random() < 0.3:
        asked["budget"] = f"{chance.uniform(1, 500):.2f}"
    if chance.random() < 0.4:
        asked["reference"] = fill.instance(chance.randrange(fill.TYPES // 2) * 2 + 1)
    asked["price"] = chance.choice(["on_demand", "spot", "spot,on_demand", "paid"])
    if chance.random() < 0.3:
        asked["utility"] = chance.choice(UTILITIES)
    else:
        asked["sort"] = chance.choice(["samples_per_dollar", "throughput", "total_dollars"])
    if chance.random() < 0.3:
        asked["offset"] = str(chance.randrange(0, 500, 50))
    if chance.random() < 0.2:
        asked["configuration"] = "all"
    return asked


def freshen(database):
    """What feeds would have said a moment ago: a kept file would hold expired prices only."""
    now_us = time.time_ns() // 1000
    with database:
        for feed in ("aws-on-demand-page", "aws-spot-history"):
            database.executemany("INSERT INTO readings VALUES (?, ?, ?, ?, ?)",
                                 ((feed, region, now_us, now_us, fill.PRICED_TYPES)
                                  for region in fill.REGIONS))


def import_run(database, number, chance):
    """A run that ended elsewhere, as it is stored: with its contender and the revision."""
    contender = database.execute(
        "SELECT number, workload, json_extract(configuration, '$.batch_size') FROM contenders"
        " WHERE number = ?", (fill.FIRST_CONTENDER + chance.randrange(2 * fill.TYPES),)).fetchone()
    kind = (contender[0] - fill.FIRST_CONTENDER) * 2 // 5
    ended = time.time_ns() // 1000
    with database:
        fill.insert_run(database, fill.run_row(FIRST_OF_IMPORTS + number, ended,
                                               (*contender, kind, 50.0), chance))
        database.execute("UPDATE revision SET number = number + 1")
        database.execute("UPDATE contenders SET changed = (SELECT number FROM revision)"
                         " WHERE number = ?", contender[:1])


def forget_imports(database):
    with database:
        database.execute("DELETE FROM runs WHERE id > '0' AND substr(id, 11) >= ?"
                         " AND number > (SELECT max(number) - 10000 FROM runs)",
                         (f"{FIRST_OF_IMPORTS:016X}",))
        database.execute("UPDATE revision SET number = number + 1")
        database.execute("UPDATE contenders SET changed = (SELECT number FROM revision)")


def start(server, path):
    process = subprocess.Popen([server, "--database", path, "--port", str(PORT), "--feed",
                                "all=off", "--metadata", "off", "--log", "error"])
    while True:
        try:
            return process, Client(process.pid)
        except ConnectionRefusedError:
            time.sleep(0.002)


class Bench:
    """Each method: what the answers of one round took."""

    def __init__(self, client, database):
        self.client, self.database = client, database
        self.chance = random.Random(7)
        self.imports = 0

    def ask(self, count, change=None):
        times = []
        for _ in range(count):
            asked = varied(self.chance)
            if change:
                change(asked)
            times.append(self.client.get(asked)[0])
        return times

    def computed(self):
        return self.ask(200)

    def one_of_four_regions(self):
        def change(asked):
            asked["region"] = self.chance.choice(fill.REGIONS[:4])
        return self.ask(200, change)

    def regions_not_in_memory(self):
        def change(asked):
            asked["region"] = ",".join(self.chance.sample(fill.REGIONS, 2))
        return self.ask(60, change)

    def a_year_ago(self):
        def change(asked):
            at = time.time() - (YEAR_US / 1e6 - self.chance.uniform(0, 20) * 86400)
            asked["price_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
        return self.ask(40, change)

    def one_moment_a_year_ago(self):
        at = time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(time.time() - YEAR_US / 1e6))
        self.client.get({"workload": "resnet50", "price_at": at})
        return self.ask(100, lambda asked: asked.update(price_at=at))

    def just_imported(self):
        times = []
        for _ in range(40):
            import_run(self.database, self.imports, self.chance)
            self.imports += 1
            times += self.ask(1)
        return times

    def again(self):
        asked = varied(self.chance)
        self.client.get(asked)
        return [self.client.get(asked)[0] for _ in range(500)]

    def not_modified(self):
        asked = varied(self.chance)
        etag = self.client.get(asked)[1]
        return [self.client.get(asked, {"If-None-Match": etag}, 304)[0] for _ in range(500)]


LINES = [
    ("computed", "computed, each another question, usual regions", 10),
    ("one_of_four_regions", "computed, one of four regions", 10),
    ("one_moment_a_year_ago", "computed, prices of one moment a year ago", 10),
    ("just_imported", "computed, just after a run was imported", 10),
    ("regions_not_in_memory", "computed, two regions without recent requests", 10),
    ("a_year_ago", "computed, prices of ever another moment a year ago", 10),
    ("again", "the same again", 1),
    ("not_modified", "the same again with If-None-Match: 304", 1),
]


def share(times, percent):
    return sorted(times)[max(len(times) * percent // 100 - 1, 0)]


def middle(rounds, clock, percent):
    """The median over rounds of what that share of answers took at most."""
    return statistics.median(share([times[clock] for times in one], percent) for one in rounds)


def memory(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    raise KeyError(name)


def table(cold, results, process, length):
    print("| what | p50 ms | p99 ms | aim: p99 ms | CPU p50 ms | CPU p99 ms | answers |\n"
          "|---|---|---|---|---|---|---|")
    print(f"| the first answer after the start ({length} bytes) | {cold[0]:.1f} | | | {cold[1]:.1f} "
          "| | 1 |")
    for name, words, aim in LINES:
        numbers = [middle(results[name], clock, percent) for clock in (0, 1) for percent in (50, 99)]
        count = sum(len(times) for times in results[name])
        print(f"| {words} | {numbers[0]:.2f} | {numbers[1]:.2f} | < {aim} | {numbers[2]:.2f} | "
              f"{numbers[3]:.2f} | {count} |")
    print(f"| resident memory, MB | {memory(process.pid, 'VmRSS'):.0f} | "
          f"{memory(process.pid, 'VmHWM'):.0f} (peak) | < 128 | | | |")


def main(server, path, rounds):
    database = sqlite3.connect(path, timeout=30)
    database.execute("PRAGMA synchronous = OFF")
    forget_imports(database)
    freshen(database)
    process, client = start(server, path)
    try:
        cold, _, length = client.get({"workload": "resnet50"})
        bench = Bench(client, database)
        results = {name: [] for name, _, _ in LINES}
        for _ in range(rounds):
            for name, _, _ in LINES:
                results[name].append(getattr(bench, name)())
        table(cold, results, process, length)
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 5)

"""Fills a database that the server has made for the bench of comparisons:

    comparison_fill.py FILE [RUNS [PRICES]]

A million finished runs of 1,000 instance types, ten million prices of 1,250. The rows are what a
server would have written; values, machines and validity are drawn with a fixed seed, and times
count back from now."""
import itertools
import json
import random
import sqlite3
import sys
import time

DAY_US = 86_400_000_000
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TYPES, PRICED_TYPES, VMS = 1000, 1250, 6
REGIONS = ["us-east-1", "us-west-2", "eu-west-1", "eu-central-1", "ap-south-1", "ap-northeast-1",
           "sa-east-1", "ca-central-1"]
ZONES = "abc"
PRICE_DAYS, RUN_DAYS = 400, 80
MACHINES, FIRST_MACHINE = 40, 1000  # the server has stored its own already,
FIRST_CONTENDER, FIRST_SERIES = 1000, 1000  # and what others published
READ_EVERY_US = DAY_US // 4  # often enough that spot prices of a year ago are not expired
LEFT_OUT = ("workload", "engine", "warmup_steps", "steps", "max_seconds", "seed", "min_seconds",
            "target_percent", "max_dollars", "labels")
VALIDITY = ["ok"] * 7 + ["warn"] * 2 + ["invalid"]
BANDS = ["<5%", "5-10%", "10-15%", "15-20%", ">20%"]


def instance(number):
    family = f"{'cmr'[number % 3]}{number // 60}{'iag'[number // 3 % 3]}"
    return f"{family}.{number % 60 // 3 + 1}xlarge"


def run_id(microseconds, number):
    clock = microseconds // 1000
    head = "".join(DIGITS[clock >> shift & 31] for shift in range(45, -1, -5))
    return f"{head}{number:016X}"


def spec(workload, batch):
    return {"workload": workload, "engine": "native", "precision": "f32", "batch_size": batch,
            "layout": "auto", "threads": 0, "warmup_steps": "auto", "steps": 100,
            "max_seconds": 120, "seed": 1, "plan": "auto", "isa": "auto", "input_workers": 0,
            "pinning": "cores", "numa": "auto", "huge_pages": "auto", "openmp": "gnu",
            "allocator": "system", "protocol": "detected", "min_seconds": 60,
            "target_percent": 1.0, "max_dollars": None, "labels": {"branch": "main"}}


def text(value):
    return json.dumps(value, separators=(",", ":"))


def configuration(of):
    return text({name: value for name, value in of.items() if name not in LEFT_OUT})


def contenders(chance):
    """What there is a row for, and how fast it is: (workload, batch, type, samples a second)."""
    for number in range(TYPES):
        speed = chance.uniform(5, 200)
        yield "resnet50", 32, number, speed
        yield "resnet50", 128, number, speed * chance.uniform(0.9, 1.2)
        if number % 2:
            yield "mlp2017", 64, number, speed * 900


def findings(validity):
    steal = {"code": "steal", "level": validity, "value": 0.2,
             "words": "the hypervisor took 0.2 % of the processors' time"}
    swap = {"code": "swap", "level": "ok", "value": 0, "words": "nothing was swapped in"}
    return text([steal, swap])


def summary(low, high, step):
    return text({"method": 1, "throughput": {"low": low, "high": high, "level": 0.95},
                 "median": {"low": step * 0.98, "high": step * 1.02, "method": "order"},
                 "steps": 100, "outliers": 2, "lag1": 0.11, "block": 4})


def price_of_run(number):
    return text({"identity": {"provider": "aws", "instance_type": instance(number),
                              "region": REGIONS[0], "zone": "", "vm": "", "life_cycle": "spot"},
                 "price": {"price_per_hour": 0.1 + number / 100, "currency": "USD",
                           "kind": "on_demand", "feed": "aws-on-demand-page"}})


RUN_COLUMNS = ("id, state, spec, engine, workload, instance, created_us, started_us, ended_us,"
               " software, steps, ended_by, measured_steps, measured_seconds, samples_per_second,"
               " median_step_seconds, engine_details, samples, machine, first_measured,"
               " throughput_low, throughput_high, summary, validity, findings, price, paid_per_hour,"
               " paid_nanos, paid_currency, paid_kind, paid_feed, contender, version, provider, region, vm")


def run_row(number, ended, contender, chance):
    """`contender`: (number, workload, batch, type, speed)."""
    key, workload, batch, kind, speed = contender
    rate = speed * chance.gauss(1, 0.02)
    low, high, step = rate * 0.995, rate * 1.005, batch / rate
    validity = chance.choice(VALIDITY)
    return (run_id(ended, number), "finished", text(spec(workload, batch)), "native", workload,
            instance(kind), ended - 9_000_000, ended - 8_900_000, ended,
            "pennyworth-worker 0.1.0, oneDNN 2.6.3, 8 threads", 105, "all_steps", 100,
            100 * step, rate, step,
            text({"isa": "avx512", "threads": 8, "multiply_adds": 4.1e9}), 100 * batch,
            FIRST_MACHINE + kind % MACHINES, 5, low, high, summary(low, high, step), validity, findings(validity),
            price_of_run(kind), 0.1 + kind / 100, 100_000_000 + kind * 10_000_000, "USD",
            "on_demand", "aws-on-demand-page", key, 1, "aws", REGIONS[0],
            f"{kind:06x}{chance.randrange(VMS):010x}")


def insert_run(database, row):
    marks = ", ".join("?" * len(row))
    database.execute(f"INSERT INTO runs ({RUN_COLUMNS}) VALUES ({marks})", row)


def fill_machines(database):
    for number in range(MACHINES):
        facts = {"cpu_model": f"Made-up processor {number}", "isa": "avx512"}
        database.execute("INSERT INTO machines VALUES (?, ?, ?, ?, 1)",
                         (FIRST_MACHINE + number, f"fingerprint-{number}", f"made-up-{number}", text(facts)))


def fill_contenders(database, chance):
    """All of them, with the numbers that they got; their runs are of version 1."""
    database.execute("INSERT INTO versions VALUES (1, 'pennyworth-worker 0.1.0, oneDNN 2.6.3')")
    made = [(FIRST_CONTENDER + i, *rest) for i, rest in enumerate(contenders(chance))]
    database.executemany(
        "INSERT INTO contenders (number, workload, engine, configuration, provider, instance,"
        " stratum, published, changed) VALUES (?, ?, 'native', ?, 'aws', ?, ?, 0, 1)",
        ((key, workload, configuration(spec(workload, batch)), instance(kind),
          f"made-up-{kind % MACHINES}") for key, workload, batch, kind, _ in made))
    return made


def fill_runs(database, count, now_us, chance):
    made = fill_contenders(database, chance)
    start, between = now_us - RUN_DAYS * DAY_US, RUN_DAYS * DAY_US // count
    marks = ", ".join("?" * (RUN_COLUMNS.count(",") + 1))
    database.executemany(
        f"INSERT INTO runs ({RUN_COLUMNS}) VALUES ({marks})",
        (run_row(i + 1, start + i * between, made[i % len(made)], chance) for i in range(count)))
    # Of the newest twenty of each contender, or the file would be twice as large for nothing.
    newest = count - 20 * len(made)
    database.executemany(
        "INSERT INTO canaries VALUES (?, ?, ?, ?, 1e10)",
        ((run, position, position * 10, 3e9 + position * 1e6)
         for run in range(max(newest, 1), count + 1) for position in range(10)))
    database.executemany(
        "INSERT INTO observations VALUES (?, ?, ?, ?, 1, 0, 0, 0, 0, 0, 1, 0, 0)",
        ((run, position, position * 10, position * 10**9)
         for run in range(max(newest, 1), count + 1) for position in range(10)))


def series():
    """(feed, scope, zone, region, type, kind): of each region its list, then its spot."""
    for region in REGIONS:
        for number in range(PRICED_TYPES):
            yield "aws-on-demand-page", region, "", region, number, "on_demand"
        for number, zone in itertools.product(range(PRICED_TYPES), ZONES):
            yield "aws-spot-history", region, region + zone, region, number, "spot"


def history(changes, start_us, price, chance, number):
    """since_us and nanos of one series, the oldest first."""
    between = PRICE_DAYS * DAY_US // changes
    for i in range(changes):
        yield start_us + i * between + number * 1000, int(price * (0.9 + 0.2 * chance()))


def fill_prices(database, count, now_us, chance):
    start_us = now_us - PRICE_DAYS * DAY_US
    listed = 20  # changes of a list price; spot has the rest
    total = len(REGIONS) * PRICED_TYPES
    moved = (count - listed * total) // (total * len(ZONES)) + 1
    known = list(series())
    latest = []

    def rows():
        for number, (_, _, zone, _, kind, what) in enumerate(known, FIRST_SERIES):
            price = (100_000_000 + kind * 10_000_000) * (1 if what == "on_demand" else 0.4)
            changes = listed if what == "on_demand" else moved
            for since, nanos in history(changes, start_us, price, chance.random, number):
                yield (number, since, nanos, f"{nanos / 1e9:.9f}",
                       "JRTCKXETXF.6YS6EN2CT7" if not zone else "", since, since)
            latest.append((nanos, since))

    database.execute("PRAGMA foreign_keys = OFF")
    database.executemany("INSERT INTO prices (series, since_us, nanos, text, reference,"
                        " source_us, fetched_us) VALUES (?, ?, ?, ?, ?, ?, ?)", rows())
    database.executemany(
        "INSERT INTO price_series (number, feed, scope, provider, region, zone, instance_type,"
        " kind, currency, nanos, since_us) VALUES (?, ?, ?, 'aws', ?, ?, ?, ?, 'USD', ?, ?)",
        ((i, feed, scope, region, zone, instance(kind), what, *now)
         for i, ((feed, scope, zone, region, kind, what), now)
         in enumerate(zip(known, latest), FIRST_SERIES)))
    database.executemany(
        "INSERT INTO readings VALUES (?, ?, ?, ?, ?)",
        ((feed, region, at, at, PRICED_TYPES)
         for feed in ("aws-on-demand-page", "aws-spot-history") for region in REGIONS
         for at in range(start_us + DAY_US, now_us, READ_EVERY_US)))
    database.executemany(
        "INSERT INTO interruptions VALUES ('aws', ?, ?, ?, 'aws-spot-advisor')",
        ((instance(kind), region, chance.choice(BANDS))
         for kind in range(PRICED_TYPES) for region in REGIONS))


def main(path, runs, prices):
    chance = random.Random(1)
    now_us = time.time_ns() // 1000
    database = sqlite3.connect(path)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA cache_size = -1000000")
    with database:
        fill_machines(database)
        fill_runs(database, runs, now_us, chance)
        fill_prices(database, prices, now_us, chance)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for table in ("runs", "contenders", "price_series", "prices", "readings"):
        count = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        print(f"{count} {table}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000,
         int(sys.argv[3]) if len(sys.argv) > 3 else 10_000_000)

"""Fills a database that the server has made with finished runs: seed.py FILE COUNT.

Prints the id of one of them. The rows are what a server would have written."""
import json
import random
import sqlite3
import sys

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
START_US = 1_790_000_000_000_000


def run_id(microseconds, chance):
    time = microseconds // 1000
    head = "".join(DIGITS[time >> shift & 31] for shift in range(45, -1, -5))
    return head + "".join(chance.choice(DIGITS) for _ in range(16))


def rows(count, chance):
    for number in range(count):
        created = START_US + number * 1_000_000
        batch = chance.choice([8, 16, 32, 64, 128])
        labels = {"branch": chance.choice(["main", "topic"]), "commit": f"{number:040x}"}
        spec = {"workload": "mlp2017", "engine": "native", "precision": "f32", "batch_size": batch,
                "layout": "auto", "threads": 0, "warmup_steps": "auto", "steps": 100,
                "max_seconds": 120, "seed": 1, "plan": "auto", "isa": "auto", "input_workers": 0,
                "pinning": "cores", "numa": "auto", "huge_pages": "auto", "openmp": "gnu",
                "allocator": "system", "protocol": "detected", "min_seconds": 60,
                "target_percent": 1.0, "max_dollars": None, "labels": labels}
        rate = chance.uniform(20, 40)
        yield (run_id(created, chance), "finished", json.dumps(spec, separators=(",", ":")),
               "native", "mlp2017", "c7i.large", created, created + 1000, created + 9_000_000,
               "pennyworth-worker 0.1.0, oneDNN 2.6.3, 2 threads", 105, "all_steps", 100,
               100 * batch / rate, rate, batch / rate)


def main(path, count):
    chance = random.Random(1)
    database = sqlite3.connect(path)
    with database:
        database.executemany(
            "INSERT INTO runs (id, state, spec, engine, workload, instance, created_us, started_us,"
            " ended_us, software, steps, ended_by, measured_steps, measured_seconds,"
            " samples_per_second, median_step_seconds) VALUES (" + ", ".join("?" * 16) + ")",
            rows(count, chance))
        database.execute("INSERT INTO run_labels SELECT 'branch', json_extract(spec,"
                         " '$.labels.branch'), number FROM runs")
        database.execute("INSERT INTO run_labels SELECT 'commit', json_extract(spec,"
                         " '$.labels.commit'), number FROM runs")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    print(database.execute("SELECT id FROM runs WHERE number = ?", (count // 2,)).fetchone()[0])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

"""Runs of weeks, written into the database of a running server: a history for each type.
Something happens in the middle of each."""
import json
import random
import sqlite3

from stored_rows import insert, row_of, version_of

DAY = 86_400_000_000
RUNS, HALF = 24, 12
START = 1_700_000_000_000_000  # 2023-11-14T22:13:20Z
# What happens in the middle of the history of each type: a factor of the speed, of the price, and
# what else changes.
EVENTS = {"version.large": (1.1, 1, {"software": "engine 2"}), "kernel.large": (0.9, 1, {"machine": 2}),
          "price.large": (1, 0.8, {}), "several.large": (1.1, 1, {"software": "engine 2", "machine": 2}),
          "unknown.large": (0.9, 1, {}), "steady.large": (1, 1, {"software": "engine 2"})}


def store_histories(server, run_id, events=None):
    """Copies of this run for each event: (factor of the speed, factor of the price, columns that
    change, where the number of a machine is 1 or 2)."""
    with sqlite3.connect(server.database) as database:
        source = row_of(database, run_id)
        _store_machines(database, source["machine"])
        for number, (instance, event) in enumerate((events or EVENTS).items()):
            _store_line(database, source, number, instance, event)
        database.execute("UPDATE revision SET number = number + 1")


def _store_machines(database, known):
    """The machine before and after an upgrade of its kernel, as 1001 and 1002."""
    stratum, facts = database.execute("SELECT stratum, facts FROM machines WHERE number = ?",
                                      [known]).fetchone()
    for number, kernel in ((1, "6.1.0-9"), (2, "6.1.0-10")):
        changed = json.dumps({**json.loads(facts), "kernel": kernel})
        database.execute("INSERT INTO machines VALUES (?, ?, ?, ?, 0)",
                         [1000 + number, f"{number:016x}", stratum, changed])


def _store_line(database, source, number, instance, event):
    noise = random.Random(number)
    faster, cheaper, changed = event
    contender = database.execute(
        "INSERT INTO contenders (workload, engine, configuration, provider, instance, stratum,"
        " published, changed) SELECT workload, engine, configuration, provider, ?, stratum, 0,"
        " changed FROM contenders WHERE number = ? RETURNING number",
        [instance, source["contender"]]).fetchone()[0]
    for i in range(RUNS):
        later = i >= HALF
        speed = 100 * (1 + 0.01 * noise.gauss(0, 1)) * (faster if later else 1)
        row = {**source, "id": f"01ARZ3NDEKTSV4RRFFQ6{number:02}{i:04}",
               "instance": instance, "contender": contender,
               "ended_us": START + i * DAY, "samples_per_second": speed,
               "throughput_low": speed * 0.99, "throughput_high": speed * 1.01,
               "software": "engine 1", "machine": 1001, "validity": "ok",
               "paid_per_hour": 0.36 * (cheaper if later else 1), "paid_currency": "USD"}
        if later:
            row.update({name: 1000 + value if name == "machine" else value
                        for name, value in changed.items()})
        insert(database, {**row, "version": version_of(database, row["software"])})

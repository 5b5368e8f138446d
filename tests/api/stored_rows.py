"""Runs that are written into the database of a running server: copies of one that an engine made, whose
speeds, types or times are made up."""
import sqlite3


def row_of(database, run_id):
    """A run as the database has it: its columns by name."""
    columns = [column[1] for column in database.execute("PRAGMA table_info(runs)")]
    return dict(zip(columns, database.execute("SELECT * FROM runs WHERE id = ?",
                                              [run_id]).fetchone()))


def insert(database, row):
    row = {**row, "number": None}
    database.execute(f"INSERT INTO runs ({','.join(row)}) VALUES ({','.join('?' * len(row))})",
                     list(row.values()))


def version_of(database, name):
    """The number of a version."""
    database.execute("INSERT OR IGNORE INTO versions (name) VALUES (?)", [name])
    return database.execute("SELECT number FROM versions WHERE name = ?", [name]).fetchone()[0]


def store_types(server, run_id, types, workload="mlp2017"):
    """{type: speeds}: each speed of a machine of its own. The run that is copied is no row itself."""
    with sqlite3.connect(server.database) as database:
        database.execute("UPDATE revision SET number = number + 1")
        source = row_of(database, run_id)
        for instance, speeds in types.items():
            (contender,), = database.execute(
                "INSERT INTO contenders (workload, engine, configuration, provider, instance,"
                " stratum, published, changed) SELECT ?, 'ok', '{}', 'aws', ?, 's', 0, number"
                " FROM revision RETURNING number", [workload, instance])
            for i, speed in enumerate(speeds):
                insert(database, {**source, "id": f"{workload}{contender}x{i}",
                                  "contender": contender, "samples_per_second": speed,
                                  "throughput_low": speed * .995, "throughput_high": speed * 1.005,
                                  "vm": f"i{i:015x}", "validity": "ok", "instance": instance})
        database.execute("UPDATE runs SET contender = NULL WHERE id = ?", [run_id])
        database.execute("DELETE FROM contenders WHERE engine = 'ok' AND configuration <> '{}'")


def make_valid(server, **columns):
    """Every run counts, however busy this machine is, and has these values in its columns."""
    columns = {"validity": "ok", **columns}
    server.sql(f"UPDATE runs SET {', '.join(f'{name} = ?' for name in columns)}", *columns.values())
    server.sql("UPDATE revision SET number = number + 1")
    server.sql("UPDATE contenders SET changed = (SELECT number FROM revision)")


def measured(server):
    """The id of a run that counts."""
    run = server.run("ok", workload="resnet50", steps=300)["id"]
    make_valid(server)
    return run

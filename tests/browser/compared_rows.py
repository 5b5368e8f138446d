"""Rows that are written into the database: what the tests of the comparison share."""
import sqlite3

from browser import BrowserCase
from harness import fake


HOSTILE = "<script>alert(1)</script>\u202e" + "x" * 3000


class Rows(BrowserCase):
    """Runs of a fake engine, whose speeds are then written by hand."""
    ENGINES = {"ok": fake("ok")}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_id = cls.server.post({"engine": "ok", "steps": 2}, "?wait=30").json()["id"]
        with sqlite3.connect(cls.server.database) as database:
            names = [row[1] for row in database.execute("PRAGMA table_info(runs)")]
            cls.model = dict(zip(names, database.execute("SELECT * FROM runs WHERE id = ?",
                                                         [cls.run_id]).fetchone()))
            database.execute("UPDATE runs SET contender = NULL WHERE id = ?", [cls.run_id])

    @classmethod
    def store(cls, types, workload="mlp2017"):
        """{type: speeds}: each speed of a machine of its own."""
        with sqlite3.connect(cls.server.database) as database:
            database.execute("UPDATE revision SET number = number + 1")
            for instance, speeds in types.items():
                (contender,), = database.execute(
                    "INSERT INTO contenders (workload, engine, configuration, provider, instance,"
                    " stratum, published, changed) SELECT ?, 'ok', '{}', 'aws', ?, 's', 0, number"
                    " FROM revision RETURNING number", [workload, instance])
                for i, speed in enumerate(speeds):
                    row = {**cls.model, "number": None, "id": f"{workload}{contender}x{i}",
                           "contender": contender, "samples_per_second": speed,
                           "throughput_low": speed * .995, "throughput_high": speed * 1.005,
                           "vm": f"i{i:015x}", "validity": "ok", "instance": instance}
                    database.execute(f"INSERT INTO runs ({','.join(row)}) VALUES"
                                     f" ({','.join('?' * len(row))})", list(row.values()))
            # The run that was copied is no row itself.
            database.execute("DELETE FROM contenders WHERE engine = 'ok' AND configuration <> '{}'")

    @classmethod
    def price(cls, instance, dollars):
        reply = cls.server.post({"instance_type": instance, "price_per_hour": dollars,
                                 "provider": "aws"}, path="/v1/prices")
        assert reply.status == 201, reply

    def see(self, query="?workload=mlp2017"):
        self.open("/" + query)
        self.until(lambda: self.all(".sentence"), "the answer is there")

    def column(self, number):
        return [cell.text.split("\n")[0] for cell in
                self.all(f"table.rows tbody tr:not(.space) > :nth-child({number})")]

    def sort(self, column):
        self.one(f"[data-column={column}]").click()


class FiveTypes(Rows):
    """Two that cannot be told apart, one that is three times as fast, one of a single machine, and
    one with a hostile name."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.store({"a.large": (100, 101, 99), "b.large": (100, 100, 100.5),
                   "c.large": (300, 301, 299), "lone.large": (10,), HOSTILE: (50, 51, 50)})
        for instance, dollars in (("a.large", "0.1"), ("b.large", "0.1"), ("c.large", "0.9"),
                                  ("lone.large", "0.1"), ("d.large", "0.5")):
            cls.price(instance, dollars)

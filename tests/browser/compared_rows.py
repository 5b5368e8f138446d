"""Rows that are written into the database: what the tests of the comparison share."""
from browser import BrowserCase
from harness import fake
from stored_rows import store_types


HOSTILE = "<script>alert(1)</script>\u202e" + "x" * 3000


class Rows(BrowserCase):
    """Runs of a fake engine, whose speeds are then written by hand."""
    ENGINES = {"ok": fake("ok")}

    @classmethod
    def prepare(cls):
        cls.run_id = cls.server.post({"engine": "ok", "steps": 2}, "?wait=30").json()["id"]

    @classmethod
    def store(cls, types):
        store_types(cls.server, cls.run_id, types)

    def see(self, query="?workload=mlp2017"):
        self.open("/" + query, shows=".sentence")

    def column(self, number):
        return [cell.text.split("\n")[0] for cell in
                self.all(f"table.rows tbody tr:not(.space) > :nth-child({number})")]

    def sort(self, column):
        self.click(f"[data-column={column}]")


class FiveTypes(Rows):
    """Two that cannot be told apart, one that is three times as fast, one of a single machine, and
    one with a hostile name."""
    @classmethod
    def prepare(cls):
        super().prepare()
        cls.store({"a.large": (100, 101, 99), "b.large": (100, 100, 100.5),
                   "c.large": (300, 301, 299), "lone.large": (10,), HOSTILE: (50, 51, 50)})
        for instance, dollars in (("a.large", "0.1"), ("b.large", "0.1"), ("c.large", "0.9"),
                                  ("lone.large", "0.1"), ("d.large", "0.5")):
            cls.server.price(instance, dollars, provider="aws")

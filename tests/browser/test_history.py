"""The history of a workload: lines that may be compared, what did not count, and what it cost."""
import sqlite3

from browser import BrowserCase
from harness import fake
from stored_rows import insert, row_of

DAY = 86_400_000_000
FLAGS = ("--provider", "aws", "--region", "us-east-1", "--instance-type", "a.large")


class History(BrowserCase):
    ENGINES = {"ok": fake("ok")}
    FLAGS = FLAGS

    @classmethod
    def prepare(cls):
        cls.server.price("a.large", "0.36", provider="aws")
        cls.store()

    @classmethod
    def store(cls):
        """Two types, six runs each, a day apart; one is invalid, and the engine changes once."""
        run = cls.server.run("ok", steps=5)
        with sqlite3.connect(cls.server.database) as database:
            source = row_of(database, run["id"])
            for i in range(12):
                instance, day = ("a.large", "b.large")[i % 2], i // 2
                speed = (40 if instance == "a.large" else 20) + (day >= 3)
                row = {**source, "id": f"01ARZ3NDEKTSV4RRFFQ69G5F{i:02}",
                       "instance": instance, "ended_us": source["ended_us"] - (6 - day) * DAY,
                       "software": f"engine {1 if day < 3 else 2}", "samples_per_second": speed,
                       "throughput_low": speed * 0.99, "throughput_high": speed * 1.01,
                       "validity": "invalid" if i == 4 else "ok", "contender": None}
                if instance == "b.large" and day >= 4:
                    row["price"] = row["price"].replace('"price_per_hour":0.36',
                                                        '"price_per_hour":0.3')
                insert(database, row)
            database.execute("DELETE FROM run_labels")

    def open_it(self, rest="&workload=mlp2017&engine=ok"):
        self.open(f"/?view=history{rest}", shows=".chart .point")

    def test_there_is_a_line_for_each_type_and_a_hollow_mark_for_what_did_not_count(self):
        self.open_it()
        self.assertEqual(2, len(self.all(".plots > figure:first-child .history-line")))
        self.assertEqual(1, len(self.all(".plots > figure:first-child .point.hollow")))
        self.assertIn("a.large, ok, f32, batch 32", self.text(".plot-legend"))

    def test_where_the_engine_changed_is_marked(self):
        self.open_it("&workload=mlp2017&instance_type=b.large")
        marks = self.all(".plots > figure:first-child .changed title")
        self.assertEqual(["engine 1 \u2192 engine 2"],
                         [mark.get_attribute("textContent") for mark in marks])

    def test_where_the_price_changed_is_marked(self):
        self.open_it("&workload=mlp2017&instance_type=b.large")
        self.until(lambda: self.all(".plots > figure:nth-of-type(2) .changed title"), "the mark")
        marks = self.all(".plots > figure:nth-of-type(2) .changed title")
        self.assertEqual(["$0.36 \u2192 $0.30 an hour"],
                         [mark.get_attribute("textContent") for mark in marks])

    def test_samples_per_dollar_come_of_the_runs_themselves(self):
        self.open_it()
        self.until(lambda: "Known for" in self.text(), "what runs cost")
        self.click(".twin summary")
        self.assertIn("Samples per dollar", self.text(".twin"))

    def test_the_table_says_the_same_and_leads_to_the_runs(self):
        self.open_it()
        self.click(".twin summary")
        rows = self.all(".twin tbody tr")
        self.assertEqual(13, len(rows))
        self.assertEqual(1, sum("invalid" in row.text for row in rows))
        self.click(".twin tbody a")
        self.until(lambda: self.text("h1") == "Run", "the run")

    def test_it_is_read_out_by_keys(self):
        self.open_it()
        before = self.text(".reader output")
        self.script("document.querySelector('.reader input').focus()")
        self.press("\ue012")  # the arrow to the left
        self.until(lambda: self.text(".reader output") != before, "another run is read out")

    def test_without_a_workload_one_is_chosen(self):
        self.open_it("")
        self.assertEqual("mlp2017", self.one("#history-workload").get_attribute("value"))

    def test_nothing_says_so(self):
        self.open("/?view=history&workload=resnet50")
        self.assertIn("No run of resnet50 has finished", self.text())

    def test_axe_finds_nothing_and_it_fits(self):
        self.open_it()
        self.click(".twin summary")
        self.assertLooksRight("history")


class Nothing(BrowserCase):
    ENGINES = {"ok": fake("ok")}

    def test_a_server_without_runs_leads_to_the_first_one(self):
        self.open("/?view=history")
        self.assertIn("No run has finished yet", self.text())
        self.assertTrue(self.all(".empty a"))

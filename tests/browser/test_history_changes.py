"""The history of a workload: where its level changed, and what changed with it."""
from browser import BrowserCase
from harness import fake
from stored_histories import store_histories


class Changes(BrowserCase):
    """Where the level of a line changed, as the server finds it."""
    ENGINES = {"ok": fake("ok")}
    FLAGS = ("--provider", "aws", "--region", "us-east-1", "--instance-type", "a.large",
             "--price-per-hour", "0.36")

    @classmethod
    def prepare(cls):
        store_histories(cls.server, cls.server.run("ok", steps=5)["id"])

    def open_it(self, instance):
        self.open(f"/?view=history&workload=mlp2017&engine=ok&instance_type={instance}", shows=".chart .point")

    def marks(self, chart):
        return [mark.text for mark in self.all(f".plots > figure:nth-of-type({chart}) .level-words")]

    def test_a_change_is_a_line_with_its_size_and_what_it_is_attributed_to(self):
        for instance, sign, cause in (("version.large", "+", "version"), ("kernel.large", "\u2212", "kernel"),
                                      ("unknown.large", "\u2212", "unknown")):
            with self.subTest(instance):
                self.open_it(instance)
                mark, = self.marks(1)
                self.assertRegex(mark, rf"^\{sign}\d+\.\d %: {cause}$")
                line, = self.all(".plots > figure:first-child .level title")
                self.assertIn("Samples per second changed by", line.get_attribute("textContent"))

    def test_a_change_of_the_price_is_in_the_chart_of_dollars_alone(self):
        self.open_it("price.large")
        self.until(lambda: self.marks(2), "what runs cost")
        self.assertEqual([], self.marks(1))
        self.assertRegex(self.marks(2)[0], r"^\+2\d\.\d %: price$")

    def test_a_table_says_the_same(self):
        self.open_it("version.large")
        row, = self.all(".level-changes tbody tr")
        for words in ("samples per second", "version", "engine 1 \u2192 engine 2", "version.large, ok"):
            self.assertIn(words, row.text)
        self.assertIn("changes 1 time", self.one(".plot desc").get_attribute("textContent"))
        row.find_element("tag name", "a").click()
        self.until(lambda: self.text("h1") == "Run", "the run")

    def test_without_a_change_it_says_so(self):
        self.open_it("steady.large")
        self.assertIn("No line changed its level", self.text())
        self.assertEqual([], self.marks(1))

    def test_marks_of_many_lines_do_not_cover_each_other(self):
        self.open("/?view=history&workload=mlp2017")
        self.until(lambda: len(self.marks(1)) == 4, "all of them")
        boxes = [mark.rect for mark in self.all(".plots > figure:first-child .level-words")]
        for i, one in enumerate(boxes):
            for other in boxes[:i]:
                apart = (one["x"] >= other["x"] + other["width"] or other["x"] >= one["x"] + one["width"]
                         or abs(one["y"] - other["y"]) >= 10)
                self.assertTrue(apart, (one, other))

    def test_axe_finds_nothing_and_it_fits(self):
        self.open("/?view=history&workload=mlp2017")
        self.until(lambda: len(self.marks(1)) == 4, "all of them")
        self.assertLooksRight("history-changes")

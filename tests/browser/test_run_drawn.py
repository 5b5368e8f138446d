"""The steps of a run and its roof, drawn; the same is in words."""
import sqlite3

from browser import Keys
from run_scenes import RunCase


class Drawn(RunCase):
    def test_the_roof_is_drawn_and_the_same_is_in_words(self):
        run = self.finished(steps=50)
        self.open_run(run)
        roof = run["roofline"]
        drawing = self.one("svg.roofline")
        words = drawing.find_element("css selector", "desc").get_attribute("textContent")
        heights = self.script("return [...document.querySelectorAll('svg.roofline rect:not(.below-roof, .floor)')]"
                              ".map((bar) => Number(bar.getAttribute('height')))")
        self.assertEqual(len(roof["phases"]), len(heights))
        for part, height in zip(roof["phases"], heights, strict=True):
            share = part["share"]
            self.assertAlmostEqual(120 * (share or 0), height, 5)
            self.assertIn(f"{part['name']} " + ("without" if share is None else ""), words)
        self.assertIn("FMA 256 bits", self.text(".roofline"))
        section = self.one("section[aria-labelledby=part-how-near-the-roof]")
        self.assertIn("26.7 %", section.text)  # forward: 32 M in 0.3 ms, of 400 G a second
        self.assertIn("24.0 %", section.text)  # the step
        self.assertIn("25.0 % of what all threads can read", section.text)
        self.assertEqual("nhwc", self.words("Layout of images"))
        self.assertNarrowAndWide("the roof")
        self.assertAccessible("a run with a roof")

    def test_without_a_peak_the_reasons_are_in_its_place(self):
        run = self.finished("ok")
        self.open_run(run)
        self.assertEqual([], self.all("svg.roofline"))
        for reason in run["roofline"]["missing"]:
            self.assertIn(reason, self.text())

    def test_the_steps_are_drawn_read_out_and_listed(self):
        run = self.finished()
        self.open_run(run)
        self.until(lambda: self.all(".plot .line[d]"), "the line")
        self.assertEqual(1, len(self.all(".plot .warm-up")[:1]))
        for svg in self.all("svg.plot"):
            for part in ("title", "desc"):
                self.assertTrue(svg.find_element("css selector", part).get_attribute("textContent"))
        slider = self.one(".reader input")
        slider.send_keys(Keys.HOME, *[Keys.ARROW_RIGHT] * 3)
        self.assertRegex(self.text(".reader output"), r"^Step 3: 1\.00 ms, loss 1\.25")
        self.until(lambda: self.all(".twin"), "the table")
        self.click(".twin summary")
        self.assertIn("no, warm-up", self.text(".twin"))

    def test_of_many_steps_few_are_drawn_and_none_that_stands_out_is_lost(self):
        run = self.finished("ok", steps=50, warmup_steps=0)
        with sqlite3.connect(self.server.database) as database:
            (number,), = database.execute("SELECT number FROM runs WHERE id = ?", [run["id"]])
            database.executemany(
                "INSERT INTO steps (run, position, nanoseconds, loss) VALUES (?, ?, ?, 1)",
                [(number, i, 5_000_000 if i == 43_210 else 1_000_000 + i % 7)
                 for i in range(run["steps_stored"], 100_000)])
            database.execute(
                "UPDATE runs SET steps = 100000, measured_steps = 99990, summary ="
                " replace(summary, '\"measured_steps\":50,', '\"measured_steps\":99990,')"
                " WHERE number = ?", [number])
        self.open_run(run)
        self.until(lambda: "100,000 steps" in self.script(
            "return document.querySelector('.plot desc')?.textContent ?? ''"), "all are read")
        vertices = self.script("return document.querySelector('.plot .line')"
                               ".getAttribute('d').split('L').length")
        self.assertLess(vertices, 4 * 1280)
        top = "return Math.round(document.querySelector('.plot .%s').getBBox().y)"
        self.assertAlmostEqual(self.script(top % "line"), self.script(
            "const at = [...document.querySelectorAll('.plot .outlier')].map((mark) =>"
            " Number(mark.getAttribute('transform').match(/,([0-9.]+)/)[1]));"
            "return Math.min(...at)"), delta=2)
        for words in ("43,210", "no, after the interval was narrow enough"):  # the table follows a little later
            self.until(lambda: words in self.script(
                "const twin = document.querySelector('.twin'); if (twin) twin.open = true;"
                "return twin?.innerText ?? ''"), words)

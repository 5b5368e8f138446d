"""One run on the page, from its start to its end: its numbers, its steps and its roof, drawn and in words."""
import re
import sqlite3
import unittest

from browser import BrowserCase
from run_scenes import ENGINES, HOSTILE, PLACE, RunCase
from selenium.webdriver.common.keys import Keys


class One(RunCase):
    def test_the_numbers_are_those_of_the_api(self):
        run = self.finished()
        self.open_run(run)
        page = self.text()
        self.assertIn(f"{run['summary']['samples_per_second']:,.0f}", page)
        self.assertIn(f"{run['cost']['samples_per_dollar']['value']:,.0f}", page)
        self.assertIn(f"$0.36 an hour, typed ({run['cost']['price']['label']})", page)
        for finding in run["validity"]["findings"]:
            self.assertIn(finding["words"], page)
        self.assertIn("jit:avx2", page)
        machine = self.server.get(f"/v1/machines/{run['machine']}").json()
        self.assertEqual(machine["stratum"], self.words("Comparable with"))

    def test_of_an_invalid_run_the_reasons_come_first(self):
        run = self.finished("unlearning")
        self.assertEqual("invalid", run["validity"]["level"])
        self.open_run(run)
        page = self.text()
        why = next(each["words"] for each in run["validity"]["findings"]
                   if each["level"] == "invalid")
        self.assertLess(page.index(why), page.index("Training per dollar"))
        self.assertIn("never ranked", page)
        self.assertIn("not ranked: the run is invalid: validity.findings says why", page)
        self.assertIn(f"{run['cost']['samples_per_dollar']['value']:,.0f}", page)

    def test_the_number_can_be_made_again(self):
        self.open_run(self.finished())
        next(button for button in self.all("button") if "Recompute" in button.text).click()
        self.until(lambda: "to the last digit" in self.text(), "the answer")

    def test_measure_again_has_the_whole_spec(self):
        run = self.finished(batch_size=8, labels={"commit": "a:b"})
        self.open_run(run)
        target = next(a for a in self.all("a") if a.text == "Measure again").get_attribute("href")
        for part in ("view=measure", "batch_size=8", "engine=talkative", "label=commit%3Da%3Ab"):
            self.assertIn(part, target)

    def test_the_gate_answers_in_words_and_refuses_at_its_field(self):
        self.finished(seed=5)
        run = self.finished(seed=5)
        check = self.server.get(f"/v1/runs/{run['id']}/check").json()
        self.open_run(run)
        self.until(lambda: check["words"] in self.text(), "the answer")
        self.forgive("400", "404", "422")
        self.one("#check-baseline").send_keys("last:none", Keys.ENTER)
        self.until(lambda: self.text("#check-baseline-problem"), "the refusal")
        self.assertEqual("true", self.one("#check-baseline").get_attribute("aria-invalid"))
        self.assertIn("baseline=last%3Anone", self.address())

    def test_a_run_that_failed_says_why(self):
        run = self.server.run("crash")
        self.open_run(run)
        self.assertIn(run["reason"], self.text())

    def test_a_run_that_goes_becomes_the_finished_one_by_itself(self):
        run = self.server.queue("slow", steps=30)
        with self.paused(run):
            self.open_run(run)
            self.until(lambda: re.search(r"\d done", self.text()), "steps are counted")
        self.until(lambda: "Training per dollar" in self.text(), "the finished run")
        self.assertIn("Recompute the number", self.text())
        self.assertEqual([], self.all(".live"))

    def test_an_imported_run_is_marked(self):
        run = self.finished()
        with sqlite3.connect(self.server.database) as database:
            database.execute("UPDATE runs SET provenance = 'imported' WHERE id = ?", [run["id"]])
        self.open_run(run)
        self.assertIn("imported", self.text(".subtitle"))

    def test_a_run_that_is_not_there_is_said_to_be_so(self):
        self.forgive("404")
        self.open_run("01ARZ3NDEKTSV4RRFFQ69G5FAV")
        self.assertTrue(self.all("main [role=alert]"))

    def test_axe_finds_nothing_and_it_fits(self):
        run = self.finished(labels=HOSTILE)
        self.open_run(run)
        self.until(lambda: self.all(".twin"), "the table")
        self.assertLooksRight("run")


class Unpriced(BrowserCase):
    ENGINES = ENGINES
    FLAGS = PLACE

    def test_no_price_is_unknown_with_its_reason(self):
        run = self.server.run("talkative", steps=50)
        self.assertIsNone(run["cost"]["price"])
        self.open(f"/?view=run&id={run['id']}")
        self.assertIn("unknown: " + run["cost"]["why_no_price"], self.text(".amounts"))
        self.assertNotIn("$0", self.text(".amounts"))


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
        for width in (360, 1280):
            self.look(width=width)
            self.assertNoSideways(f"the roof at {width}")
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


if __name__ == "__main__":
    unittest.main()

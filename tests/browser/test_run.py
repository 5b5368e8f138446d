"""One run on the page, from its start to its end."""
import re

from browser import BrowserCase, Keys
from run_scenes import ENGINES, HOSTILE, PLACE, RunCase


class One(RunCase):
    def test_the_numbers_are_from_the_api(self):
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
        self.server.sql("UPDATE runs SET provenance = 'imported' WHERE id = ?", run["id"])
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

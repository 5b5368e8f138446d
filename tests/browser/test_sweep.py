"""Sweeps on the page: asked for, live, ranked, cancelled, listed."""
import json
import re

from browser import Keys, Select
from sweep_case import SweepCase

SPEED = {"engine": "speed", "steps": 20, "warmup_steps": 1}


class Sweeps(SweepCase):
    def test_a_matrix_from_the_form_to_its_answer(self):
        self.open("/?view=measure&form=sweep&engine=speed&steps=20&warmup_steps=1")
        self.one("[data-field=knob] input").send_keys("8, 64", Keys.TAB)
        blocks = self.one("[data-field=blocks] input")
        blocks.send_keys(Keys.CONTROL + "a", Keys.NULL, "2", Keys.TAB)
        self.send()
        self.assertIn("Fastest: batch_size=64", self.text(".answer"))
        self.assertEqual(["batch_size=64", "batch_size=8"], self.cells())
        self.assertEqual(4, len(self.all(".cells .runs a")))
        self.click(".cells .runs a")
        self.until(lambda: "view=run&id=" in self.address(), "a run of it is shown")

    def test_refused_cells_are_shown_with_their_reasons(self):
        self.show(base=SPEED, knobs={"numa": ["auto", "local"]}, blocks=1)
        self.assertIn("several nodes", self.text(".refused"))
        self.assertEqual(["numa=auto"], self.cells())

    def test_failed_runs_are_unknown_and_never_nothing(self):
        self.show(base={"engine": "crash", "steps": 5}, knobs={"batch_size": [8, 16]}, blocks=1)
        self.assertIn("unknown", self.text(".answer"))
        self.assertIn("unknown: 1 run failed", self.text(".cells"))
        self.assertNotIn("0 not valid", self.text(".cells"))
        self.assertEqual([], self.all(".sweep-chart"))

    def test_it_says_where_the_time_went_if_the_engine_does(self):
        self.show(base={**SPEED, "engine": "talkative", "precision": "f32"}, knobs={"batch_size": [8, 16]}, blocks=1)
        heads = [each.text for each in self.all(".cells thead th")]
        self.assertIn("Time computing", heads)
        self.assertIn("80.0 %\ninput 10.0 %", self.text(".cells tbody"))
        self.show(base=SPEED, knobs={"batch_size": [8, 16]}, blocks=1)
        self.assertNotIn("Time computing", [each.text for each in self.all(".cells thead th")])

    def test_its_table_is_saved_as_the_api_has_it(self):
        sweep = self.show(base=SPEED, knobs={"batch_size": [8, 16]}, blocks=1)
        self.script("""
            const real = URL.createObjectURL;
            URL.createObjectURL = (blob) => {
                blob.text().then((text) => { window.saved = text; });
                return real.call(URL, blob);
            };""")
        self.driver.find_element("xpath", "//button[.='Save as CSV']").click()
        saved = self.until(lambda: self.script("return window.saved"), "it is saved")
        table = self.server.get(f"/v1/sweeps/{sweep['id']}", Accept="text/csv").body.decode()
        self.assertEqual(table, saved)

    def test_it_is_live_and_can_be_cancelled(self):
        sweep_id = self.queue(base={"engine": "slow", "steps": 20, "warmup_steps": 1},
                              knobs={"batch_size": [8, 16, 32]}, blocks=3)
        self.open(f"/?view=sweep&id={sweep_id}")
        self.until(lambda: re.search("[1-8] of 9 runs done", self.text(".live")), "it moves")
        asked = self.script("return performance.getEntriesByType('resource').map((each) => each.name)")
        self.assertEqual(1, self.server.metrics()["pennyworth_watchers"])  # it follows the events
        self.assertLess(len([name for name in asked if "/v1/sweeps/" in name]), 25)
        self.click(".live .cancel")
        self.until(lambda: "Cancelled" in self.text(".live"), "it is cancelled")
        self.assertEqual("cancelled", self.server.wait_for_sweep(sweep_id)["state"])

    def test_a_server_that_is_away_is_reported_and_found_again(self):
        self.forgive("ERR_CONNECTION", "Failed to load resource")
        sweep_id = self.queue(base={"engine": "slow", "steps": 30, "warmup_steps": 1},
                              knobs={"batch_size": [8, 16]}, blocks=1)
        self.open(f"/?view=sweep&id={sweep_id}")
        port = self.server.port
        self.server.kill()
        self.until(lambda: "trying again" in self.text(".live .trouble"), "the lost connection is shown")
        self.assertEqual(2, len(self.cells()))  # what was there stays
        self.server.flags += ["--port", str(port)]
        self.server.start()
        self.until(lambda: "Finished" in self.text(".live"), "it goes on to its end")
        self.assertEqual("", self.text(".live .trouble"))

    def test_its_largest_size_is_said_beforehand(self):
        self.open("/?view=measure&form=sweep&knob=batch_size=8, 16&knob=seed=1,2,3&blocks=4"
                  "&max_seconds=30")
        self.assertIn("Makes 24 runs of at most 30 s each", self.text(".send"))

    def test_sweep_again_asks_for_the_same(self):
        request = {"base": {**SPEED, "labels": {"a": "b:c"}}, "knobs": {"batch_size": [8, 16]},
                   "blocks": 1}
        self.show(**request)
        self.driver.find_element("link text", "Sweep again").click()
        self.until(lambda: self.all(".request"), "the form is shown")
        self.assertEqual("sweep", self.script("return new URLSearchParams(location.search).get('form')"))
        sent = self.one(".request").get_property("textContent").split("\n", 1)[1]
        self.assertEqual(request, json.loads(sent))

    def test_a_field_of_the_base_or_of_a_knob_is_blamed_where_it_stands(self):
        self.forgive("400")
        self.open("/?view=measure&form=sweep&engine=speed&knob=batch_size=0")
        self.click("main button.primary")
        self.until(lambda: "batch_size" in self.text("[data-field=knob] .wrong"), "at the knobs")
        Select(self.one("[data-field=preset] select")).select_by_value("aa")
        self.assertFalse(self.one("[data-field=knob]").is_displayed())
        self.assertTrue(self.one("[data-field=pairs]").is_displayed())

    def test_they_are_listed_and_one_that_is_not_there_says_so(self):
        self.forgive("404")
        sweep = self.show(base=SPEED, knobs={"seed": [1]}, blocks=1)
        self.open("/?view=sweep")
        links = [each.get_dom_attribute("href") for each in self.all(".sweeps a")]
        self.assertEqual(f"/?view=sweep&id={sweep['id']}", links[0])
        self.open("/?view=sweep&id=" + "0" * 26)
        self.assertIn("There is no such sweep", self.text())

"""A run asked for on the page."""
import json

from browser import BrowserCase, Keys, Select
from harness import WORKLOADS, fake

UNANSWERED = "return sessionStorage.getItem('pennyworth-unanswered')"


class Measuring(BrowserCase):
    ENGINES = {"ok": fake("ok"), "slow": fake("slow", 20)}

    def field(self, name):
        return self.one(f"[data-field={name}] input, [data-field={name}] select")

    def write(self, name, text):
        box = self.field(name)
        box.send_keys(Keys.CONTROL + "a", Keys.NULL, text, Keys.TAB)

    def fault(self, name):
        return self.text(f"[data-field={name}] .wrong")

    def runs(self):
        return self.server.get("/v1/runs?limit=200").json()["runs"]

    def submit(self):
        self.click("main button.primary")

    def sent(self):
        """The body that the page says it will send."""
        return json.loads(self.one(".request").get_property("textContent").split("\n", 1)[1])

    def test_from_nothing_to_a_finished_run(self):
        self.open("/?view=measure")
        Select(self.field("engine")).select_by_value("ok")
        self.write("steps", "40")
        self.assertEqual({"engine": "ok", "steps": 40}, self.sent())
        self.assertEqual("/?view=measure&engine=ok&steps=40", self.address())
        self.submit()
        self.until(lambda: "view=run&id=" in self.address(), "the run is shown")
        run = self.server.wait(self.address().rpartition("=")[2])
        self.assertEqual(("finished", "ok", 40),
                         (run["state"], run["spec"]["engine"], run["spec"]["steps"]))

    def test_every_field_of_the_api_is_there_with_its_limits(self):
        schema = self.server.get("/v1/openapi.json").json()["components"]["schemas"]["RunSpec"]
        self.open("/?view=measure")
        shown = {each.get_dom_attribute("data-field") for each in self.all("[data-field]")}
        self.assertEqual({*schema["properties"], "label"} - {"labels"}, shown)
        self.assertIn("1 to 65,536", self.text("[data-field=batch_size] .hint"))
        engines = [each.get_dom_attribute("value") for each in self.all("[data-field=engine] option")]
        self.assertEqual(schema["properties"]["engine"]["enum"], engines)

    def test_only_what_the_engine_has_is_offered(self):
        offered = """return [...document.querySelectorAll('[data-field=precision] option')]
            .filter((option) => !option.hidden).map((option) => option.value)"""
        self.open("/?view=measure")
        self.assertEqual(["", "f32", "bf16"], self.script(offered))
        Select(self.field("engine")).select_by_value("ok")
        self.assertEqual(["", "f32", "bf16", "f16"], self.script(offered))
        Select(self.field("precision")).select_by_value("f16")
        self.write("workload", "gnn")
        self.assertEqual({"engine": "ok", "precision": "f16", "workload": "gnn"}, self.sent())
        self.assertEqual(WORKLOADS, self.script(
            "return [...document.querySelectorAll('[data-field=workload] datalist option')]"
            ".map((option) => option.value)"))

    def test_an_error_of_the_api_is_shown_at_its_field(self):
        self.forgive("400", "422")
        self.open("/?view=measure&engine=ok&label=two words=x")
        self.submit()
        self.until(lambda: "must hold only" in self.text("[data-field=label] .wrong"), "at labels")
        self.open("/?view=measure&engine=ok&threads=lots")
        self.submit()
        self.until(lambda: "Must be" in self.fault("threads"), "at threads, unfolded")
        self.assertEqual(self.field("threads"), self.focused())
        self.assertEqual("true", self.field("threads").get_dom_attribute("aria-invalid"))
        self.write("threads", "2")
        self.assertEqual("", self.fault("threads"))

    def test_a_link_fills_the_form_whatever_it_holds(self):
        hostile = "<script>alert(1)</script>\u202e"
        self.open("/?view=measure&engine=gone&batch_size=64&label=a=%3Cscript%3Ealert(1)"
                  "%3C/script%3E%E2%80%AE&label=b=" + "x" * 256)
        self.assertEqual("gone", self.sent()["engine"])
        self.assertEqual({"a": hostile, "b": "x" * 256}, self.sent()["labels"])
        self.assertNarrowAndWide("a link")

    def test_labels_that_are_too_long_for_an_address_are_sent_all_the_same(self):
        self.forgive("400")
        self.open("/?view=measure&engine=ok&label=a=b")
        self.script("""
            const box = document.querySelectorAll('[data-field=label] .row input')[1];
            box.value = 'y'.repeat(10000);
            box.dispatchEvent(new Event('change', {bubbles: true}));""")
        self.assertEqual("/?view=measure&engine=ok", self.address())
        self.assertIn("too long for the address", self.text(".send"))
        self.assertEqual(10000, len(self.sent()["labels"]["a"]))
        self.assertNoSideways("a label of 10,000 letters")
        self.submit()
        self.until(lambda: "at most 256" in self.fault("label"), "the API's own words")

    def test_two_clicks_and_a_lost_answer_make_one_run(self):
        self.forgive("ERR_CONNECTION", "Failed to load resource")
        before = len(self.runs())
        self.open("/?view=measure&engine=ok&steps=5&seed=77")
        # The request arrives, its answer does not: the page sees what a broken connection shows.
        self.script("""
            const real = window.fetch;
            window.fetch = async (target, options) => {
                const answer = await real(target, options);
                if (options?.method !== 'POST') return answer;
                window.fetch = real;
                throw new TypeError('lost');
            };""")
        self.script("const button = document.querySelector('main button.primary');"
                    "button.click(); button.click();")
        self.until(lambda: "cannot be reached" in self.text("form"), "the lost connection is shown")
        self.assertTrue(self.script(UNANSWERED))
        self.driver.refresh()
        self.loaded()
        self.assertIn("sent before", self.text(".send"))
        self.submit()
        self.until(lambda: "view=run&id=" in self.address(), "the run is shown")
        self.assertEqual(before + 1, len(self.runs()))
        self.assertIsNone(self.script(UNANSWERED))

    def test_it_is_accessible_and_fits(self):
        for form in ("", "&form=sweep"):
            self.open("/?view=measure&threads=2&label=a=b" + form)
            self.assertLooksRight("measure" + form.strip("&"))

    def test_the_tabs_keep_what_is_filled_in(self):
        self.open("/?view=measure&engine=ok&steps=9")
        self.all(".tabs a")[1].click()
        self.until(lambda: self.all("[data-field=preset]"), "the form of sweeps")
        self.assertEqual({"base": {"engine": "ok", "steps": 9}}, self.sent())
        self.driver.back()
        self.until(lambda: not self.all("[data-field=preset]"), "the form of runs")
        self.assertEqual({"engine": "ok", "steps": 9}, self.sent())

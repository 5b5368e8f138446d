"""The list of runs with its filters, and what others wrote, shown as what it is."""
from browser import BrowserCase, Select
from run_scenes import ENGINES, HOSTILE, PLACE


class List(BrowserCase):
    ENGINES = ENGINES
    FLAGS = PLACE

    @classmethod
    def prepare(cls):
        cls.server.run("ok", labels=HOSTILE)
        cls.server.run("crash")
        for _ in range(51):
            cls.server.queue("ok", workload="resnet50")
        cls.server.wait(cls.server.queue("ok", workload="resnet50"))

    def rows(self):
        return self.script("return [...document.querySelectorAll('tbody tr')]"
                           ".map((row) => row.innerText)")

    def test_foreign_text_stays_text(self):
        self.open("/?view=runs&workload=mlp2017")
        self.assertIn(HOSTILE["script"], self.text("tbody"))
        self.assertNotEqual("taken", self.driver.title)
        self.assertEqual("isolate", self.script(
            "return getComputedStyle(document.querySelector('tbody .labels bdi')).unicodeBidi"))
        self.assertNarrowAndWide("labels")

    def test_a_label_leads_to_the_runs_that_have_it(self):
        self.open("/?view=runs&workload=mlp2017")
        self.click("tbody .labels a")
        self.until(lambda: "label=" in self.address() and len(self.rows()) == 1, "one run has it")
        self.assertIn(HOSTILE["script"], self.text("tbody"))

    def test_a_filter_is_in_the_address_and_comes_back_with_it(self):
        self.open("/?view=runs")
        Select(self.one("#filter-state")).select_by_value("failed")
        self.until(lambda: len(self.rows()) == 1, "one run has failed")
        self.assertIn("signal", self.rows()[0])
        self.assertEqual("/?view=runs&state=failed", self.address())
        self.assertEqual("filter-state", self.focused().get_attribute("id"))
        self.driver.refresh()
        self.loaded()
        self.assertEqual(1, len(self.rows()))
        self.assertEqual("failed", Select(self.one("#filter-state")).first_selected_option.text)

    def test_pages_follow_each_other_and_back_leads_back(self):
        self.open("/?view=runs&workload=resnet50")
        self.assertEqual(50, len(self.rows()))
        first = self.rows()[0]
        self.click("a[rel=next]")
        self.until(lambda: len(self.rows()) == 2, "the rest")
        self.assertIn("cursor=", self.address())
        self.driver.back()
        self.until(lambda: len(self.rows()) == 50, "the first page again")
        self.assertEqual(first, self.rows()[0])

    def test_runs_are_filtered_by_what_they_are_and_when(self):
        self.open("/?view=runs&workload=mlp2017")
        self.assertEqual(2, len(self.rows()))
        Select(self.one("#filter-provenance")).select_by_value("imported")
        self.until(lambda: "No run matches the filters" in self.text(), "none was imported")
        self.assertIn("provenance=imported", self.address())
        Select(self.one("#filter-provenance")).select_by_value("measured")
        self.until(lambda: len(self.rows()) == 2, "all were measured here")
        self.open("/?view=runs&workload=mlp2017&since=2001-01-01&until=2101-01-01")
        self.assertEqual(2, len(self.rows()))
        self.assertEqual("2001-01-01", self.one("#filter-since").get_property("value"))
        self.open("/?view=runs&workload=mlp2017&until=2001-01-01")
        self.assertIn("No run matches the filters", self.text())
        self.assertNarrowAndWide("filters")

    def test_a_time_of_day_in_the_address_is_kept(self):
        self.open("/?view=runs&workload=mlp2017&since=2001-01-01T12:00:00Z")
        self.assertEqual("2001-01-01T12:00:00Z", self.one("#filter-since").get_property("value"))
        self.assertEqual(2, len(self.rows()))

    def test_errors_of_the_api_are_shown_next_to_the_fields(self):
        self.forgive("400")
        self.open("/?view=runs&since=soon")
        self.assertIn("since: must be a time", self.text("#filter-problem"))
        self.open("/?view=runs&label=no-value")
        self.assertIn("label", self.text("#filter-problem"))

    def test_nothing_found_says_so_and_leads_on(self):
        self.open("/?view=runs&engine=unknown")
        self.assertIn("No run matches the filters", self.text())
        self.assertIn("engine=unknown matches nothing: no run has it; known are crash, ok",
                      self.text())
        self.click(".empty a")
        self.until(lambda: len(self.rows()) == 50, "all runs")

    def test_axe_finds_nothing(self):
        for dark in (False, True):
            self.look(dark=dark)
            self.open("/?view=runs")
            self.assertAccessible(f"the list, dark: {dark}")

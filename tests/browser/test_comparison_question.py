"""The question of a comparison: it lives in the address, each choice in it is one step back, and what
is wrong in it is shown where it stands."""
import sqlite3

from browser import Keys
from compared_rows import FiveTypes


class Question(FiveTypes):
    def test_sorting_filter_and_columns_live_in_the_address(self):
        self.see()
        length = self.script("return history.length")
        self.sort("throughput")
        self.assertEqual("descending", self.one("th[aria-sort]").get_dom_attribute("aria-sort"))
        self.assertEqual("c.large", self.column(2)[0])
        self.one("#rows-filter").send_keys("large")
        self.until(lambda: "filter=large" in self.address(), "the filter is in the address")
        self.click(".columns summary")
        self.click(".columns label:nth-of-type(1) input")
        self.until(lambda: self.column(1)[0] == "c.large", "there is no rank any more")
        self.assertEqual(length, self.script("return history.length"))
        shown = self.column(1)
        self.assertEqual(["c.large", "lone.large"], [shown[0], shown[-1]])
        self.driver.refresh()
        self.loaded()
        self.assertEqual(shown, self.column(1))
        self.assertIn("4 of 5", self.text(".count"))

    def test_unknown_goes_last_in_either_direction(self):
        self.see()
        for _ in range(2):
            self.sort("price")
            self.assertIn("<script>", self.column(2)[-1])

    def test_typing_is_one_step_and_a_choice_is_another(self):
        self.see()
        length = self.script("return history.length")
        self.one("#ask-reference").send_keys("b.large")
        self.until(lambda: "reference=b.large" in self.address() and
                   self.all("[data-column=to_reference]"), "it is asked again")
        self.assertEqual(length, self.script("return history.length"))
        self.click("#ask-price option[value=typed]")
        self.until(lambda: "price=typed" in self.address(), "the price is in the address")
        self.assertEqual(length + 1, self.script("return history.length"))
        self.driver.back()
        self.until(lambda: self.one("#ask-price").get_property("value") == "", "the choice is back")
        self.assertEqual("b.large", self.one("#ask-reference").get_property("value"))

    def test_an_error_is_shown_at_its_field_with_its_place(self):
        self.forgive("400 (Bad Request)")
        self.see()
        self.open("/?workload=mlp2017&utility=hours+*+foo", shows="#error-utility:not([hidden])")
        self.assertIn('no field "foo"', self.text("#error-utility"))
        self.assertEqual("f", self.text("#error-utility mark"))
        self.assertEqual("true", self.one("#ask-utility").get_dom_attribute("aria-invalid"))
        self.one("#ask-utility").clear()
        self.one("#ask-utility").send_keys("samples_per_second", Keys.ENTER)
        self.until(lambda: self.all(".sentence"), "it is answered")
        self.assertIn("c.large", self.text(".sentence"))
        self.assertFalse(self.all("#error-utility:not([hidden])"))

    def test_labels_choose_the_runs_that_are_compared(self):
        with sqlite3.connect(self.server.database) as database:
            database.execute("INSERT INTO run_labels SELECT 'branch', 'fast', number FROM runs"
                             " WHERE instance = 'c.large'")
            database.execute("UPDATE revision SET number = number + 1")
        self.see("?workload=mlp2017&label=branch%3Dfast")
        self.assertEqual("branch=fast", self.one("#ask-label").get_property("value"))
        self.assertEqual(["c.large"], self.column(2))
        self.see("?workload=mlp2017&label=branch%3Dfats")
        self.assertIn("label=branch=fats matches nothing: no run has 'branch' with this value;"
                      " known are fast", self.text(".answer"))

    def test_a_link_of_before_is_understood(self):
        self.see("?workload=mlp2017&instance_type=a.large")
        self.assertEqual(["a.large"], self.column(2))

    def test_downloads_ask_the_same_question(self):
        self.see("?workload=mlp2017&reference=a.large&order=price")
        links = [link.get_dom_attribute("href") for link in self.all(".files a")]
        self.assertEqual(["/v1/comparison?workload=mlp2017&reference=a.large&limit=1000&format=csv",
                          "/v1/comparison?workload=mlp2017&reference=a.large&limit=1000&format=markdown"],
                         links)

"""The comparison as a person sees it: one answer in words, two charts and a table with the same
numbers, a question that lives in the address, and nothing that is unknown shown as if it were not."""
import re
import sqlite3
import time
import unittest

from compared_rows import FiveTypes
from selenium.webdriver.common.keys import Keys


class Answer(FiveTypes):
    STAYS = True

    def test_the_answer_is_a_sentence_with_its_interval_its_ties_and_its_price(self):
        self.see()
        self.assertRegex(self.text(".sentence"), r"Most training per dollar for mlp2017: [ab]\.large,"
                         r" 3,6\d\d,000 \(3,[\d,]+ to 3,[\d,]+\) samples per dollar;"
                         r" as good as it may be [ab]\.large\.")
        self.assertIn("3 VMs, 3 runs; $0.10 an hour (entered by a user, seen", self.text(".top"))

    def test_one_machine_is_named_in_words(self):
        self.see()
        row = next(row for row in self.all("table.rows tbody tr") if "lone.large" in row.text)
        self.assertIn("one VM", row.text)

    def test_a_row_leads_to_its_newest_run(self):
        self.see()
        link = self.one("table.rows tbody th a")
        self.assertRegex(link.get_dom_attribute("href"), r"^/\?view=run&id=mlp2017\d+x\d$")

    def test_types_without_a_measurement_are_listed_with_their_prices(self):
        self.see()
        row = next(row for row in self.all(".unmeasured tbody tr") if "d.large" in row.text)
        self.assertIn("unknown unknown $0.50", " ".join(row.text.split()))

    def test_foreign_text_stays_text_and_keeps_the_layout(self):
        self.see()
        for width in (360, 1280):
            self.look(width=width)
            self.assertNoSideways(f"{width}")
        self.assertEqual([], self.all("main script"))

    def test_charts_say_what_they_show_and_are_used_by_keyboard(self):
        self.see()
        self.until(lambda: len(self.all(".scatter .mark[role=img]")) == 4, "four have a price")
        for name in ("scatter", "bars"):
            self.assertIn("95 % intervals", self.text(f".{name} figcaption"))
            self.assertTrue(self.one(f".{name} svg title").get_property("textContent"))
            self.assertIn("table below", self.one(f".{name} desc").get_property("textContent"))
            first = self.one(f".{name} svg [tabindex='0']")
            self.script("arguments[0].focus()", first)
            before = self.text(f".{name} .detail")
            self.assertRegex(before, r"samples per dollar.*an hour \(entered by a user")
            self.press(Keys.ARROW_RIGHT)
            self.assertNotEqual(before, self.text(f".{name} .detail"))
            self.assertEqual(1, len(self.all(f".{name} svg [tabindex='0']")))


class Compared(FiveTypes):
    def test_every_number_of_the_table_is_that_of_the_api(self):
        self.see("?workload=mlp2017&reference=b.large")
        rows = self.server.get("/v1/comparison?workload=mlp2017&reference=b.large&fields=all").json()["rows"]
        shown = [[cell.text.split("\n") for cell in row.find_elements("css selector", "th, td")]
                 for row in self.all("table.rows tbody tr:not(.space)")]
        self.assertEqual(len(rows), len(shown))
        for row, (rank, name, per_dollar, on_spot, ratio, speed, price, *_) in zip(rows, shown):
            self.assertEqual(str(row["rank"]["low"]) if row["rank"] else "none", rank[0].split(" ")[0])
            self.assertEqual(" ".join(row["instance_type"].split())[:20], name[0][:20])
            self.same(per_dollar, row["samples_per_dollar"])
            self.same(on_spot, row["kinds"]["spot"]["samples_per_dollar"])
            self.same(speed, row["throughput"])
            self.same(ratio, (row["to_reference"] or {}).get("samples_per_dollar"))
            self.same(price, row["price"] and {"value": row["price"]["price_per_hour"],
                                               "low": None})

    def test_both_kinds_of_price_stand_side_by_side(self):
        now = int(time.time() * 1e6)
        with sqlite3.connect(self.server.database) as database:  # as a feed would say
            (series,), = database.execute("""INSERT INTO price_series (feed, scope, provider, region,
                zone, instance_type, kind, currency, nanos, since_us) VALUES ('aws-spot-page', 'x',
                'aws', 'eu-north-1', '', 'b.large', 'spot', 'USD', 50000000, ?)
                RETURNING number""", [now]).fetchall()
            database.execute("""INSERT INTO prices (series, since_us, nanos, text, reference,
                source_us, fetched_us) VALUES (?, ?, 50000000, '0.05', '', ?, ?)""",
                             [series, now, now, now])
            database.execute("INSERT INTO readings VALUES ('aws-spot-page', 'x', ?, ?, 1)", [now, now])
            database.execute("UPDATE revision SET number = number + 1, prices = number + 1")
        self.see("?workload=mlp2017&columns=instance,on_demand_per_dollar,spot_per_dollar,"
                 "on_demand_dollars,spot_dollars&samples=3600000&region=eu-north-1")
        rows = self.server.get("/v1/comparison?workload=mlp2017&fields=all&samples=3600000&region=eu-north-1"
                               ).json()["rows"]
        for row, cells in zip(rows, self.all("table.rows tbody tr:not(.space)")):
            cells = [cell.text.split("\n") for cell in cells.find_elements("css selector", "td")]
            for kind, per_dollar, cost in (("on_demand", cells[0], cells[2]),
                                           ("spot", cells[1], cells[3])):
                side = row["kinds"][kind]
                self.same(per_dollar, side["samples_per_dollar"])
                self.same(cost, side["job_dollars"])
                if side["price"]:
                    self.assertIn("an hour", per_dollar[-1])
                else:
                    self.assertIn(side["why_no_price"], per_dollar)
        self.assertEqual({True, False}, {row["kinds"]["spot"]["price"] is None for row in rows})

    def same(self, lines, amount):
        """The first line shows the value, the next its interval, rounded to a tenth of half."""
        numbers = [float(word.replace(",", "").lstrip("$")) for line in lines[:2]
                   for word in re.findall(r"\$?\d[\d,]*\.?\d*", line)]
        if amount is None:
            self.assertEqual("unknown", lines[0])
            return
        wanted = [amount["value"]] + [amount[end] for end in ("low", "high")
                                      if amount["low"] is not None]
        half = (amount["high"] - amount["low"]) / 2 if amount["low"] is not None else 0
        for number, value in zip(numbers, wanted):
            self.assertAlmostEqual(value, number, delta=max(half / 10, abs(value) / 100))
        self.assertGreaterEqual(len(numbers), len(wanted))

    def test_the_decision_is_said_in_the_words_of_the_api(self):
        self.see("?workload=mlp2017&samples=3600000&deadline_h=1")
        self.assertIn("none keeps", self.text(".decision").lower())

    def test_unknown_is_said_with_the_reason_and_never_0(self):
        self.see("?workload=mlp2017&columns=instance,samples_per_dollar,price,notes")
        row = next(row for row in self.all("table.rows tbody tr") if "<script>" in row.text)
        cells = [cell.text for cell in row.find_elements("css selector", "td")]
        self.assertEqual(["unknown", "unknown"], cells[:2])
        self.assertIn("no feed has a price", cells[2])

    def test_axe_finds_nothing(self):
        self.see("?workload=mlp2017&reference=a.large&hourly_value=2&discount=0.8")
        self.assertLooksRight("comparison")


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
        self.open("/?workload=mlp2017&utility=hours+*+foo")
        self.until(lambda: self.all("#error-utility:not([hidden])"), "the error is shown")
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


if __name__ == "__main__":
    unittest.main()

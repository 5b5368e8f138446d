"""The comparison as a person sees it: one answer in words, two charts and a table with the same
numbers, a question that lives in the address, and nothing that is unknown shown as if it were not."""
import re
import time

from browser import Keys
from compared_rows import FiveTypes


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
        self.assertNarrowAndWide("foreign text")
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
    def test_every_number_of_the_table_is_from_the_api(self):
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
        # As a feed would say.
        (series,), = self.server.sql("""INSERT INTO price_series (feed, scope, provider, region,
            zone, instance_type, kind, currency, nanos, since_us) VALUES ('aws-spot-page', 'x',
            'aws', 'eu-north-1', '', 'b.large', 'spot', 'USD', 50000000, ?) RETURNING number""", now)
        self.server.sql("""INSERT INTO prices (series, since_us, nanos, text, reference,
            source_us, fetched_us) VALUES (?, ?, 50000000, '0.05', '', ?, ?)""", series, now, now, now)
        self.server.sql("INSERT INTO readings VALUES ('aws-spot-page', 'x', ?, ?, 1)", now, now)
        self.server.sql("UPDATE revision SET number = number + 1, prices = number + 1")
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

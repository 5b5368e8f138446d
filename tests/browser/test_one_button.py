"""The first minute on the page: an empty comparison offers one button, and what it starts ends as a
ranked row in dollars."""
import json

from one_button import BUTTON, CARD, Card, fake
from selenium.webdriver.common.by import By


class FirstMinute(Card):
    def test_a_click_and_a_price_make_a_ranked_row_without_a_reload(self):
        self.serve("paced", 20000).see()
        self.script("window.mark = 1")
        self.assertEqual(1, len(self.all("main button.primary")))
        self.click(BUTTON)
        self.until(lambda: self.all("table.rows tbody th"), "the row")
        self.until(lambda: "Type what an hour costs" in self.text(CARD), "the price is asked for")
        self.assertEqual(1, len(self.all("form.type-price")))
        self.type_price("0.1")
        self.until(lambda: "$0.10 an hour" in self.text(".answer"), "the dollars")
        self.until_gone()
        self.assertIn("Most training per dollar for resnet50", self.text(".sentence"))
        self.assertEqual("1", self.text("table.rows tbody td").split("\n")[0])
        self.assertEqual(1, self.script("return window.mark"))
        self.assertEqual(1, len(self.runs()))

    def test_with_a_price_the_row_takes_the_place_of_the_card(self):
        self.serve("paced", 20000, flags=("--engine", "bad=" + fake("unlearning")))
        self.server.post({"machine": "this", "price_per_hour": 0.1}, path="/v1/prices")
        self.see()
        self.assertIn("$0.10 an hour, typed", self.text(CARD))
        self.assertFalse(self.all("form.type-price"))
        self.click(BUTTON)
        self.until_gone()
        self.until(lambda: "Most training per dollar" in self.text(".sentence"), "the rank")
        self.server.run("bad", workload="resnet50", steps=200)
        self.open("/?configuration=all")
        self.until(lambda: len(self.all("table.rows tbody th")) == 2, "a later run that does not count")
        self.assertFalse(self.one(CARD).is_displayed())

    def test_what_is_known_of_the_machine_is_from_the_api(self):
        self.serve("paced", 20000)
        here = self.server.get("/v1/machine").json()
        facts = self.server.get(f"/v1/machines/{here['machine']}").json()["facts"]
        self.see()
        shown = {each.find_element(By.TAG_NAME, "dt").text: each.find_element(By.TAG_NAME, "dd").text
                 for each in self.all(f"{CARD} dl.ledger > div")}
        self.assertEqual({"Processor", "Cores", "Instruction set", "Memory", "An hour costs"}, {*shown})
        self.assertEqual(facts["cpu_model"], shown["Processor"])
        self.assertEqual(facts["isa"], shown["Instruction set"])
        self.assertIn(here["why_no_price"], shown["An hour costs"])

    def test_a_cloud_and_its_type_are_named_where_they_are_known(self):
        self.serve("paced", 20000, flags=("--provider", "aws", "--region", "eu-north-1",
                                          "--instance-type", "c7i.large")).see()
        for known in ("aws", "eu-north-1", "c7i.large"):
            self.assertIn(known, self.text(f"{CARD} dl.ledger"))

    def test_the_button_asks_for_what_the_form_of_measure_has_as_its_defaults(self):
        self.serve("paced", 20000).see()
        self.add()
        self.click(BUTTON)
        self.until(lambda: self.all("table.rows tbody th"), "the row")
        self.assertEqual([{"max_seconds": 60}], self.script("return window.sent"))
        self.one(f"{CARD} a[href*='view=measure']")
        self.open("/?view=measure&max_seconds=60")
        self.assertEqual({"max_seconds": 60},
                         json.loads(self.one(".request").get_property("textContent").split("\n", 1)[1]))
        values = {name: self.one(f"[data-field={name}] :is(input, select)").get_property("value")
                  for name in ("workload", "engine", "precision", "batch_size")}
        self.assertEqual({"workload": "resnet50", "engine": "native", "precision": "", "batch_size": "auto"},
                         values)
        self.assertEqual("of the machine (default)",
                         self.text("[data-field=precision] option:checked"))

"""The price of a machine without a type, typed on the page: the dollars appear at once."""
from browser import BrowserCase
from harness import fake
from stored_rows import measured

FORM = "form.type-price"
# Opens a run, and notes where its link to the form is when it appears.
OPEN_AND_NOTE = """
    new MutationObserver((_, observer) => {
        const link = document.querySelector('.live .note a');
        if (!link) return;
        observer.disconnect();
        window.appearedAt = link.getBoundingClientRect().top;
    }).observe(document.querySelector('main'), { childList: true, subtree: true });
    const run = document.createElement('a');
    run.href = arguments[0];
    document.querySelector('main').append(run);
    run.click();
"""


class PriceForm(BrowserCase):
    ENGINES = {"ok": fake("ok"), "slow": fake("slow", 20)}

    def setUp(self):
        super().setUp()
        for price in self.server.get("/v1/prices").json()["prices"]:
            self.server.post({"reason": "the next test"},
                             path=f"/v1/prices/{price['id']}/withdraw")

    def unfold(self):
        self.until(lambda: self.all(FORM), "the form")
        self.script("document.querySelector(arguments[0]).closest('details').open = true", FORM)

    def choose(self, way):
        next(each for each in self.all(f"{FORM} fieldset label") if each.text == way).click()

    def fill(self, **texts):
        for title, text in texts.items():
            field = next(each for each in self.all(f"{FORM} input[type=text]")
                         if each.get_attribute("id").endswith(f"-{title}"))
            field.clear()
            field.send_keys(text)

    def send(self):
        self.click(f"{FORM} button")

    def until_said(self, words):
        self.until(lambda: words in self.news(), words)

    def test_on_a_run_the_three_ways_show_their_formula_and_the_dollars_appear(self):
        run = measured(self.server)
        self.open(f"/?view=run&id={run}")
        self.assertIn("type the price of this machine", self.text(".amounts"))
        self.unfold()
        self.assertAccessible("the form")
        formula = f"{FORM} .formula"
        self.assertEqual("An hour: dollars an hour", self.text(formula))
        self.fill(price_per_hour="0.5")
        self.assertEqual("An hour: 0.5 = $0.50", self.text(formula))
        self.choose("A bill a month")
        self.fill(per_month="73")
        self.assertEqual("An hour: 73 / 730 hours = $0.10", self.text(formula))
        self.choose("Own hardware")
        self.fill(purchase="1752", years="4", watts="100", cents_per_kwh="30")
        self.assertEqual("An hour: 1752 / (4 × 8760 hours) + 100 / 1000 × 30 / 100 = $0.080",
                         self.text(formula))
        self.script("window.mark = 1")
        self.send()
        self.until(lambda: "$0.080 an hour, own (given by a person after the run)"
                   in self.text(".amounts"), "the dollars")
        self.until_said("stored run")
        self.assertFalse(self.all(FORM))
        self.assertEqual(1, self.script("return window.mark"))
        self.assertAccessible("a run with a price that was typed later")

    def test_what_is_wrong_is_said_at_its_field_and_stores_nothing(self):
        self.open("/?view=prices")
        self.unfold()
        self.choose("Own hardware")
        self.fill(purchase="1752", years="0", watts="100", cents_per_kwh="30")
        self.forgive("400")
        self.send()
        self.until(lambda: "more than 0 and at most 100" in self.text(FORM), "the reason")
        self.assertTrue(self.focused().get_attribute("id").endswith("-years"))
        self.assertEqual("true", self.focused().get_attribute("aria-invalid"))
        self.assertIsNone(self.server.get("/v1/machine").json()["price"])
        self.fill(years="4")
        self.send()
        self.until(lambda: "$0.080 an hour, own" in self.text(), "the price of this machine")

    def test_in_the_comparison_the_row_has_dollars_without_a_reload(self):
        measured(self.server)
        self.open("/?workload=resnet50", shows="tbody th")
        self.unfold()
        self.script("window.mark = 1")
        self.fill(price_per_hour="0.25")
        self.send()
        self.until(lambda: "$0.25" in self.text("section.all table"), "the dollars")
        self.assertEqual(1, self.script("return window.mark"))

    def test_while_a_run_goes_on_a_link_leads_to_the_form(self):
        run = self.server.queue("slow", steps=5000)
        self.open("/?view=measure")
        self.script(OPEN_AND_NOTE, f"/?view=run&id={run}")
        self.until(lambda: self.all(".live .note a"), "the link")
        reason = self.server.get("/v1/machine").json()["why_no_price"]
        self.until(lambda: reason in self.text(".live dl"), "the reason")
        self.assertEqual(self.script("return window.appearedAt"), self.script(
            "return document.querySelector('.live .note a').getBoundingClientRect().top"))
        self.click(".live .note a")
        self.unfold()
        self.fill(price_per_hour="0.25")
        self.send()
        self.until(lambda: "$0.25 an hour, typed" in self.text(), "the price of this machine")
        self.server.cancel(run)
        self.assertEqual(0.25, self.server.show(run)["cost"]["price"]["price_per_hour"])

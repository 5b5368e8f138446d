"""Prices on the page: this machine, a type now and before, feeds that work and fail, and the price of a
machine without a type: typed, its dollars appear at once."""
import json
import tempfile
import time
import unittest
from pathlib import Path

from browser import BrowserCase
from feed_payloads import Aws
from feed_server import Document, FeedServer
from harness import fake, until
from selenium.webdriver.common.keys import Keys
from stored_rows import measured


TYPE = "a.large"


class Prices(BrowserCase):
    ENGINES = {"ok": fake("ok")}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.file = Path(folder.name, "prices.json")
        cls.FLAGS = ("--provider", "aws", "--region", "us-east-1", "--instance-type", TYPE,
                     "--feed", "price-file=on", "--feed", f"price-file=url={cls.file}")
        super().setUpClass()
        for day, dollars in ((1, "0.30"), (5, "0.36"), (9, None)):
            cls.server.price(TYPE, dollars, provider="aws", region="eu-west-1",
                             valid_from=f"2026-01-0{day}T00:00:00Z")
        cls.server.price(TYPE, "0.25", provider="aws", region="us-east-1")

    def open_it(self, rest=""):
        self.open(f"/?view=prices{rest}")
        self.until(lambda: self.all("section table"), "tables are there")

    def badges(self):
        return self.script("return [...document.querySelectorAll('td .badge')]"
                           ".map((each) => each.textContent)")

    def test_this_machine_and_its_price_with_source_and_age(self):
        self.open_it()
        self.assertIn("$0.25 an hour, typed", self.text())
        self.assertIn("said just now", self.text())

    def test_a_type_has_its_prices_drawn_as_they_were(self):
        self.open_it(f"&instance_type={TYPE}")
        self.until(lambda: self.all(".plot .price-line[d]"), "the chart")
        self.assertEqual(2, len(self.all(".plot .price-line")))
        self.click(".twin summary")
        table = self.text(".twin")
        for words in ("$0.30", "$0.36", "no price from here on", "$0.25"):
            self.assertIn(words, table)
        slider = self.one(".reader input")
        slider.send_keys(Keys.HOME)
        self.assertIn("$0.30 an hour", self.text(".reader output"))

    def test_without_a_price_every_feed_says_why(self):
        self.open("/?view=prices&instance_type=nothing.large")
        self.until(lambda: "There is no such price" in self.text(), "the answer")
        self.assertNotIn("$0.00", self.text())
        absent = self.server.get("/v1/prices?instance_type=nothing.large").json()["absent"]
        self.click("section:nth-of-type(2) details summary")
        for each in absent:
            self.assertIn(each["reason"], self.text())

    def test_a_filter_goes_into_the_address(self):
        self.open_it()
        field = self.one("#price-region")
        field.send_keys("us-east-1", Keys.ENTER)
        self.until(lambda: "region=us-east-1" in self.address(), "the address")
        self.assertIn(f"instance_type={TYPE}", self.address())

    def test_feeds_are_read_when_asked_and_say_what_is_wrong(self):
        self.open_it()
        self.assertIn("failed", self.badges())
        self.file.write_text(json.dumps({"prices": []}))
        before = self.server.get("/v1/feeds").json()["refresh"]["ended_at"]
        self.until(lambda: self.one("#read-price-file").is_enabled(), "it can be asked")
        self.click("#read-price-file")
        self.until(lambda: self.server.get("/v1/feeds").json()["refresh"]["ended_at"] != before,
                   "it was read")
        state = next(feed for feed in self.server.get("/v1/feeds").json()["feeds"]
                     if feed["feed"] == "price-file")["state"].replace("_", " ")
        self.until(lambda: state in self.badges(),
                   f"the page says {state}")

    def test_axe_finds_nothing_and_it_fits(self):
        self.open_it(f"&instance_type={TYPE}")
        self.until(lambda: self.all(".twin"), "the chart")
        self.assertLooksRight("prices")


class HeldBack(BrowserCase):
    """A feed says something that the server does not accept."""

    @classmethod
    def setUpClass(cls):
        cls.feeds = FeedServer().start()
        cls.addClassCleanup(cls.feeds.stop)
        cls.says(1)
        cls.FLAGS = ("--feed", f"aws-spot-page=on url={cls.feeds.url}/spot.json every=864000")
        super().setUpClass()
        cls.waits(lambda feed: feed["state"] == "ok")

    @classmethod
    def says(cls, times):
        aws = Aws(regions=32, kinds=60)
        price = aws.spot_price
        aws.spot_price = lambda *where: price(*where) and f"{float(price(*where)) * times:.6f}"
        cls.feeds.route("/spot.json", Document(aws.spot_page(), f'"{times}"', time.time() - 60))

    @classmethod
    def feed(cls):
        return next(feed for feed in cls.server.get("/v1/feeds").json()["feeds"]
                    if feed["feed"] == "aws-spot-page")

    @classmethod
    def waits(cls, condition):
        until(lambda: not cls.server.get("/v1/feeds").json()["refresh"]["running"]
              and condition(cls.feed()), "the feed was read")

    def accept(self):
        return [each for each in self.all("main button") if each.text == "Accept"]

    def test_what_waits_is_shown_and_accepted_by_a_button(self):
        self.open("/?view=prices&instance_type=m5.large&region=us-east-1")
        self.until(lambda: self.all("#read-aws-spot-page"), "the feeds")
        self.assertEqual([], self.accept())
        self.says(10)
        self.server.post(b"", path="/v1/prices/refresh", query="?feed=aws-spot-page")
        self.waits(lambda feed: feed["state"] == "failed")
        held = self.feed()["scopes"][0]["held"]
        self.open("/?view=prices&instance_type=m5.large&region=us-east-1")
        self.until(self.accept, "the button")
        self.assertIn("not accepted", self.text())
        self.assertIn("In doubt: a reading of", self.text())
        price = self.server.get("/v1/prices?instance_type=m5.large&region=us-east-1"
                                ).json()["prices"][0]
        self.assertIn(f"${price['held']['held_price_per_hour']:.2f}"[:4], self.text())
        for details in self.all("table details"):
            details.find_element("css selector", "summary").click()
        self.assertIn(f"{held['count']:,} prices", self.text().replace("\u202f", ","))
        self.assertIn(held["examples"][0]["instance_type"], self.text())
        self.screenshot("held-back")
        self.assertAccessible("a feed that is held back")
        self.assertNoSideways("a feed that is held back")
        self.accept()[0].click()
        self.until(lambda: self.all("dialog[open]"), "the dialog")
        self.one("#why").send_keys("AWS said so", Keys.ENTER)
        self.until(lambda: not self.all("dialog"), "the dialog has gone")
        self.waits(lambda feed: feed["state"] == "ok" and not feed["scopes"][0]["held"])
        self.until(lambda: not self.accept(), "there is nothing to accept any more")
        self.until(lambda: "In doubt" not in self.text(), "the price is shown as it is now")


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
        self.until(lambda: words in self.script(
            "return document.querySelector('#news').textContent"), words)

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
        self.open("/?workload=resnet50")
        self.until(lambda: self.all("tbody th"), "the row")
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
        self.server.delete(f"/v1/runs/{run}")
        self.server.wait(run)
        self.assertEqual(0.25, self.server.show(run)["cost"]["price"]["price_per_hour"])


if __name__ == "__main__":
    unittest.main()

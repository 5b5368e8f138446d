"""Prices on the page: this machine, a type now and before, and feeds that work and fail."""
import json
import tempfile
import time
from pathlib import Path

from browser import BrowserCase, Keys
from feed_payloads import Aws
from feed_server import Document, FeedServer
from harness import fake, until

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
        self.open(f"/?view=prices{rest}", shows="section table")

    def badges(self):
        return self.script("return [...document.querySelectorAll('td .badge')]"
                           ".map((each) => each.textContent)")

    def test_this_machine_and_its_price_with_source_and_age(self):
        self.open_it()
        self.assertIn("$0.25 an hour, typed", self.text())
        self.assertRegex(self.text(), r"said (just now|\d+ minutes? ago)")

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
        self.until(lambda: self.one("#read-price-file").is_enabled(), "it can be asked")
        self.click("#read-price-file")
        self.until(lambda: "ok" in self.badges(), "the page says that it was read")
        self.assertNotIn("failed", self.badges())

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
        self.open("/?view=prices&instance_type=m5.large&region=us-east-1", shows="#read-aws-spot-page")
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

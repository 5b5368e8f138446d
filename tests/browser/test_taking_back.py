"""Taking back on the page: each asks for a reason first, and shows at once what has changed."""
from browser import BrowserCase, Keys
from harness import fake
from run_documents import FIGURE

REASON = "another job ran at the same time"


class TakingBack(BrowserCase):
    ENGINES = {"ok": fake("ok")}
    FLAGS = ("--provider", "aws", "--region", "us-east-1", "--instance-type", "our.box")

    def button(self, text, of="main"):
        return next(each for each in self.all(f"{of} button") if each.text == text)

    def ask(self, button):
        """Opens the dialog, and looks at how it asks."""
        button.click()
        self.until(lambda: self.all("dialog[open]"), "the dialog")
        self.assertEqual("why", self.focused().get_attribute("id"))
        self.assertTrue(self.script("return document.getElementById('why').required"))

    def give(self, reason=REASON):
        self.one("#why").send_keys(reason, Keys.ENTER)
        self.until(lambda: not self.all("dialog"), "the dialog has gone")

    def test_a_run_is_voided_for_a_reason_and_counted_again(self):
        kept, run = (self.server.run("ok")["id"] for _ in range(2))
        self.open(f"/?view=run&id={run}")
        self.ask(self.button("Void this run"))
        self.assertAccessible("the dialog")
        self.one("#why").send_keys(Keys.ENTER)  # without a reason
        self.one("#why").send_keys("  ", Keys.ENTER)
        self.assertTrue(self.all("dialog[open]"))
        self.assertIsNone(self.server.show(run)["void"])
        self.one("#why").clear()
        self.give()
        self.until(lambda: REASON in self.text(".voided"), "the page says so")
        self.assertEqual(REASON, self.server.show(run)["void"]["reason"])
        self.until(lambda: "voided" in self.news(), "it is announced")
        self.assertEqual("Count it again", self.focused().text)
        self.assertAccessible("a voided run")
        self.open("/?view=runs")
        self.assertIn("voided", self.text("tbody"))
        self.open("/?view=history")
        self.until(lambda: kept in self.script(
            "return document.querySelector('main').innerHTML"), "the other run")
        self.assertNotIn(run, self.script("return document.querySelector('main').innerHTML"))
        self.open(f"/?view=run&id={run}")
        self.ask(self.button("Count it again"))
        self.give("it was right")
        self.until(lambda: not self.all(".voided"), "it counts again")
        self.assertIsNone(self.server.show(run)["void"])
        self.assertEqual("Void this run", self.focused().text)

    def test_cancelling_changes_nothing(self):
        run = self.server.run("ok")["id"]
        self.open(f"/?view=run&id={run}")
        self.ask(self.button("Void this run"))
        self.button("Cancel", "dialog").click()
        self.until(lambda: not self.all("dialog"), "the dialog has gone")
        self.assertEqual("Void this run", self.focused().text)
        self.ask(self.button("Void this run"))
        self.press(Keys.ESCAPE)
        self.until(lambda: not self.all("dialog"), "the dialog has gone")
        self.assertIsNone(self.server.show(run)["void"])

    def test_a_refusal_stays_in_the_dialog(self):
        run = self.server.run("ok")["id"]
        self.open(f"/?view=run&id={run}")
        self.ask(self.button("Void this run"))
        self.forgive("400")
        self.one("#why").send_keys("ä" * 300, Keys.ENTER)  # more bytes than letters
        self.until(lambda: "bytes" in self.text("#why-refused"), "the refusal")
        self.assertEqual("true", self.one("#why").get_attribute("aria-invalid"))
        self.one("#why").clear()
        self.give()
        self.assertEqual(REASON, self.server.show(run)["void"]["reason"])

    def test_a_typed_price_is_withdrawn(self):
        for day, dollars in ((1, "0.25"), (2, "25")):
            self.server.price("our.box", dollars, valid_from=f"2026-01-0{day}T00:00:00Z")
        self.open("/?view=prices&instance_type=our.box", shows="table button.take-back")
        button = self.one("table button.take-back")
        self.assertRegex(button.get_attribute("aria-label"), r"Withdraw \$25.* for our\.box, since ")
        self.ask(button)
        self.give()
        self.until(lambda: self.all(".twin"), "the chart and its table")
        self.until(lambda: "$0.25" in self.text("section:nth-of-type(2) table"), "the one before")
        self.click(".twin summary")
        self.assertIn("withdrawn", self.text(".twin"))
        self.assertIn(REASON, self.text(".twin"))
        self.assertIn("3 prices", self.script(  # to 0.25, to 25, and back
            "return document.querySelector('.plot desc').textContent"))
        self.assertAccessible("prices with a withdrawn one")
        self.assertNoSideways("prices with a withdrawn one")

    def test_a_discount_is_withdrawn(self):
        self.server.post({"provider": "aws", "family": "c7i", "factor": 0.08}, path="/v1/discounts")
        self.open("/?view=prices")
        self.until(lambda: "All discounts" in self.text(), "the discounts")
        self.ask(self.one("[aria-label^='Withdraw the discount aws, c7i']"))
        self.give()
        self.until(lambda: REASON in self.text(), "the page says so")
        self.assertEqual([], self.server.get("/v1/discounts").json()["discounts"])

    def test_a_figure_of_a_user_is_removed(self):
        self.assertEqual(201, self.server.post(FIGURE, path="/v1/figures").status)
        self.open("/?workload=resnet50", shows=".own-figures")
        self.click(".own-figures summary")
        self.ask(self.one("[aria-label='Remove the figure mine']"))
        self.give()
        self.until(lambda: not self.all(".own-figures"), "it has gone")
        self.assertEqual([], self.server.get("/v1/figures").json()["figures"])
        self.until(lambda: "x1.large" not in self.text(), "its row has gone")

    def test_of_a_sweep_a_voided_run_is_marked(self):
        path = self.server.post({"base": {"engine": "ok", "steps": 20, "warmup_steps": 1},
                                 "cells": [{}], "blocks": 2}, path="/v1/sweeps").headers["location"]
        self.until(lambda: self.server.get(path).json()["state"] == "finished", "it is through")
        run = self.server.get(path).json()["cells"][0]["runs"][0]["id"]
        self.server.post({"reason": REASON}, path=f"/v1/runs/{run}/void")
        self.open(f"/?view=sweep&id={path.rpartition('/')[2]}")
        self.until(lambda: "voided" in self.text("td.runs"), "it is marked")
        self.assertIn("1 voided", self.text("td.runs"))

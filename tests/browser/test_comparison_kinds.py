"""Comparisons of particular kinds: rows of senders, published figures alone, behind a token."""
import tempfile
from pathlib import Path

from browser import BrowserCase, Keys
from compared_rows import HOSTILE, Rows


class Sent(Rows):
    """Rows that others have sent: two hubs, and one contradicts this server."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.store({"mixed.large": (100, 101, 99, 100.5, 500, 501, 499), "sent.large": (60, 61, 60),
                   "here.large": (30, 31, 30)})
        senders = {"hub-a": "instance = 'mixed.large' AND samples_per_second = 100.5",
                   "hub-b": "instance = 'mixed.large' AND samples_per_second > 400",
                   HOSTILE[:60]: "instance = 'sent.large'"}
        for name, which in senders.items():
            cls.server.sql("UPDATE runs SET sender = ?, provenance = 'imported'"
                           f" WHERE contender IS NOT NULL AND {which}", name)

    def rows(self):
        return {row.find_element("css selector", "th").text.split("\n")[0]: row.text
                for row in self.all("table.rows tbody tr:not(.space)")}

    def test_a_row_says_whose_runs_it_is_made_of(self):
        self.see()
        rows = self.rows()
        self.assertIn("from measured here 75.0 %, hub-a 25.0 %, hub-b contradicts, does not count",
                      rows["mixed.large"])
        self.assertIn(HOSTILE[:25], rows["sent.large"])
        self.assertNotIn("from", rows["here.large"])
        self.see("?workload=mlp2017&columns=instance,senders")
        self.assertIn("hub-a", self.rows()["mixed.large"])
        self.assertIn("measured here", self.rows()["here.large"])

    def test_the_sender_control_leaves_the_runs_of_one(self):
        self.see()
        self.click(".ask details:last-of-type summary")
        offered = [option.get_attribute("value") for option in self.all("#list-senders option")]
        self.assertEqual(["hub-a", "hub-b", "local"], sorted(offered)[-3:])
        field = self.one("#ask-sender")
        field.send_keys("hub-b", Keys.ENTER)
        self.until(lambda: list(self.rows()) == ["mixed.large"], "one row is left")
        self.assertIn("sender=hub-b", self.driver.current_url)
        self.assertIn("500", self.rows()["mixed.large"])
        field.send_keys(Keys.BACKSPACE * 5, Keys.ENTER)
        self.until(lambda: len(self.rows()) == 3, "all rows are back")
        self.assertNotIn("sender", self.driver.current_url)

    def test_a_name_in_a_row_is_a_link_to_the_runs_of_that_sender(self):
        self.see()
        self.driver.find_element("link text", "measured here").click()
        self.until(lambda: sorted(self.rows()) == ["here.large", "mixed.large"], "two rows are left")
        self.assertEqual("local", self.one("#ask-sender").get_attribute("value"))

    def test_a_sender_without_runs_is_said_so(self):
        self.see("?workload=mlp2017&sender=stranger")
        self.assertIn("sender=stranger matches nothing", self.one(".answer").text)


class Published(BrowserCase):
    FLAGS = ("--published", "on")

    def test_nothing_measured_is_said_so_and_what_is_hidden_can_be_shown(self):
        self.open(shows=".sentence")
        self.assertIn("No run has been measured yet", self.text(".sentence"))
        self.assertIn("published", self.text("table.rows tbody"))
        count = len(self.all("table.rows tbody tr"))
        self.click(".rest a")
        self.until(lambda: len(self.all("table.rows tbody tr")) == count + 7, "all are there")
        self.assertIn("configuration=all", self.address())

    def test_a_workload_without_data(self):
        self.open("/?workload=nothing", shows=".sentence")
        self.assertIn("There is no run and no figure yet for nothing", self.text(".sentence"))
        self.until(lambda: self.all(".rest .empty p + p a"), "others are named")
        self.click(".rest .empty p + p a")
        self.until(lambda: "published" in self.text(".sentence"), "there is something about it")


class Guarded(BrowserCase):
    FLAGS = ("--published", "on")
    ENVIRONMENT = {"PENNYWORTH_READ_TOKEN": "read-token-of-a-test"}

    def test_a_download_carries_the_token_that_a_link_cannot(self):
        self.forgive("401 (Unauthorized)")
        with tempfile.TemporaryDirectory() as folder:
            self.driver.execute_cdp_cmd("Browser.setDownloadBehavior",
                                        {"behavior": "allow", "downloadPath": folder})
            self.driver.get(self.origin() + "/")
            self.script("sessionStorage.setItem('pennyworth-token', 'read-token-of-a-test')")
            self.open("/", shows=".files a")
            self.click(".files a")
            file = Path(folder, "comparison.csv")
            self.until(lambda: file.exists() and file.read_text(), "the file is there, and filled")
            self.assertTrue(file.read_text().startswith("rank_low,rank_high,may_be_best,instance_type,"))

"""A server that asks for a token, and the page that asks a person for it."""
from urllib.parse import urlsplit

from browser import BrowserCase, Keys
from harness import fake

READ, WRITE = "read-" + "r" * 20, "write-" + "w" * 20
KEPT = "return sessionStorage.getItem('pennyworth-token')"


class Tokens(BrowserCase):
    ENGINES = {"ok": fake("ok")}
    ENVIRONMENT = {"PENNYWORTH_READ_TOKEN": READ, "PENNYWORTH_WRITE_TOKEN": WRITE}

    def setUp(self):
        super().setUp()
        self.forgive("401", "403", "/assets/nothing", "/favicon.ico")
        self.driver.get(self.origin() + "/assets/nothing")
        self.script("sessionStorage.clear()")

    def wants_one(self, because=""):
        self.until(lambda: any(because in each.text for each in self.all("dialog[open]")),
                   f"a token is asked for: {because}")
        self.assertEqual(1, len(self.all("dialog")))
        self.assertEqual("token", self.focused().get_dom_attribute("id"))

    def ask(self, target="/?view=runs"):
        self.driver.get(self.origin() + target)
        self.wants_one()

    def give(self, token):
        """One that opens what was asked for."""
        self.press(token, Keys.ENTER)
        self.gone()

    def gone(self):
        self.until(lambda: not self.all("dialog"), "the dialog is closed")
        self.loaded()

    def test_one_that_is_right_is_asked_for_once(self):
        self.ask()
        self.give(READ)
        self.assertEqual(READ, self.script(KEPT))
        self.assertEqual(0, self.script("return localStorage.length"))
        self.assertEqual("", self.script("return document.cookie"))
        self.open("/?view=sweep")
        self.assertEqual([], self.all("dialog"))

    def test_a_wrong_one_is_asked_again_with_the_reason(self):
        self.ask()
        self.press("wrong", Keys.ENTER)
        self.wants_one("not known here")
        self.give(READ)
        self.assertEqual(READ, self.script(KEPT))

    def test_escape_leaves_it_and_nothing_is_kept(self):
        self.ask()
        self.press("wrong", Keys.ENTER)
        self.wants_one("not known here")
        self.press(Keys.ESCAPE)
        self.gone()
        self.assertIsNone(self.script(KEPT))
        self.assertTrue(self.all("main [role=alert]"))

    def test_a_read_token_is_asked_for_a_write_token(self):
        self.open("/?view=measure&engine=ok&steps=5")  # what may be asked is no secret
        self.click("main button.primary")
        self.wants_one("needs a token")
        self.press(READ, Keys.ENTER)
        self.wants_one("the scope write is missing")
        self.press(WRITE, Keys.ENTER)
        self.until(lambda: "view=run&id=" in self.address(), "the run is shown")
        self.assertEqual(WRITE, self.script(KEPT))

    def test_the_stream_of_a_run_has_the_token_too(self):
        self.server.token = WRITE
        self.addCleanup(setattr, self.server, "token", None)
        run_id = self.server.queue("ok", steps=2000)
        self.ask(f"/?view=run&id={run_id}")
        self.give(READ)
        self.server.wait(run_id)
        self.until(lambda: not self.all(".live .cancel"), "the end is shown")
        self.assertEqual([], [url for url in self.requests() if READ in url])

    def test_requests_that_come_together_ask_once(self):
        self.ask("/")
        self.until(lambda: len(self.asked()) > 2, "the start page asks for several things")
        self.wants_one()
        self.give(READ)
        self.assertEqual([], [each.text for each in self.all("main [role=alert]") if each.text])

    def asked(self):
        """The paths of the API that the page asked for."""
        return {urlsplit(url).path for url in self.requests() if "/v1/" in url}

    def test_it_can_be_forgotten(self):
        self.ask()
        self.assertFalse(self.one("footer button").is_displayed())
        self.give(READ)
        self.click("footer button")
        self.assertIsNone(self.script(KEPT))
        self.assertFalse(self.one("footer button").is_displayed())

    def test_the_dialog_is_accessible(self):
        self.ask()
        for dark in (False, True):
            self.look(dark=dark, width=360)
            self.screenshot(f"token-{'dark' if dark else 'light'}")
            self.assertAccessible("the dialog")

"""A server that wants a token: asked for once, kept for the tab alone, and refused politely."""
import unittest

from browser import BrowserCase
from selenium.webdriver.common.keys import Keys

READ = "read-token-of-a-test"
# As a view would ask, through the module that all of them share.
ASK = """
    const [count] = arguments;
    window.answers = [];
    const main = document.querySelector('script[type=module]').src;
    import(main.replace('/main-', '/api-')).then((api) => {
      for (let i = 0; i < count; i++)
        api.get('/v1/machines').then((found) => answers.push(Object.keys(found)[0]),
          (error) => answers.push(`${error.status} ${error.message}`));
    });
"""


class Token(BrowserCase):
    ENVIRONMENT = {"PENNYWORTH_READ_TOKEN": READ}

    def setUp(self):
        super().setUp()
        self.forgive("401 (Unauthorized)")
        self.driver.get(self.origin() + "/")
        self.script("sessionStorage.clear()")
        self.driver.get(self.origin() + "/?view=measure")

    def close_what_the_view_asked(self):
        """A view of its own accord may have been refused already."""
        self.until(lambda: self.all("main h1"), "the frame is there")
        self.script("document.querySelectorAll('dialog').forEach((each) => each.close(''))")

    def ask(self, count=1):
        self.close_what_the_view_asked()
        self.script(ASK, count)
        self.until(lambda: self.all("dialog[open]"), "a token is asked for")

    def answers(self, count=1):
        return self.until(lambda: len(self.script("return answers")) == count
                          and self.script("return answers"), f"{count} answers")

    def test_many_refusals_are_one_question_and_one_token_answers_all(self):
        self.ask(5)
        self.assertEqual(1, len(self.all("dialog")))
        self.press(READ, Keys.ENTER)
        self.assertEqual(5, len([each for each in self.answers(5) if each[0].isalpha()]))
        self.assertEqual([], self.all("dialog"))

    def test_a_wrong_one_is_asked_for_again(self):
        self.ask()
        self.press("wrong", Keys.ENTER)
        self.until(lambda: self.all("dialog[open]")
                   and self.one("dialog input").get_property("value") == "", "asked again")
        self.press(READ, Keys.ENTER)
        self.assertTrue(self.answers()[0].isalpha())

    def test_who_says_nothing_is_told_why_nothing_is_shown(self):
        self.ask()
        self.press(Keys.ESCAPE)
        self.assertRegex(self.answers()[0], "^401 .*only with a token")

    def test_what_no_header_can_hold_is_not_taken(self):
        self.ask()
        self.press("\u043a\u043b\u044e\u0447", Keys.ENTER)
        self.assertTrue(self.all("dialog[open] input:invalid"))
        self.press(Keys.ESCAPE)
        self.answers()

    def test_the_token_is_kept_in_no_other_place_than_this_tab(self):
        self.ask()
        self.press(READ, Keys.ENTER)
        self.answers()
        self.assertEqual([1, 0, ""], self.script(
            "return [sessionStorage.length, localStorage.length, document.cookie]"))
        self.assertNotIn(READ, self.driver.current_url)
        self.assertFalse([url for url in self.requests() if READ in url])

    def test_the_question_is_for_everybody(self):
        self.ask()
        self.assertEqual("password", self.one("dialog input").get_dom_attribute("type"))
        self.assertEqual(self.one("dialog input"), self.focused())
        for dark in (False, True):
            self.look(dark=dark, width=360)
            self.screenshot(f"token-{'dark' if dark else 'light'}-360")
            self.assertAccessible("the question for a token")
            self.assertNoSideways("the question for a token")


if __name__ == "__main__":
    unittest.main()

"""The frame of the page, whatever its views show: it keeps to itself, can be used by keyboard and by
screen reader, and its address says where one is."""
from browser import BrowserCase, Keys
from waiting import share


class Frame(BrowserCase):
    def test_text_may_be_twice_as_large(self):
        self.open()
        self.look(width=720)
        self.script("document.documentElement.style.fontSize = '200%'")
        self.assertNoSideways("text of 200 %")

    def test_an_unknown_view_is_the_first_one(self):
        self.open()
        first = self.heading()
        for name in share(("nothing", "constructor", "__proto__", "toString", "%3Cscript%3E", "")):
            self.open(f"/?view={name}")
            self.assertEqual(first, self.heading(), name)

    def test_two_views_in_the_address_break_nothing(self):
        self.open("/?view=runs&view=prices")
        self.assertEqual(1, len(self.all("h1")))

    def test_back_and_forward_go_through_the_views(self):
        self.open()
        walked = [(self.address(), self.heading())]
        for number in range(1, len(self.all("header nav a"))):
            self.all("header nav a")[number].click()
            self.loaded()
            walked.append((self.address(), self.heading()))
        self.assertEqual(len(walked), len(set(walked)))
        for address, heading in reversed(walked[:-1]):
            self.driver.back()
            self.loaded()
            self.assertEqual((address, heading), (self.address(), self.heading()))
        self.driver.forward()
        self.loaded()
        self.assertEqual(walked[1], (self.address(), self.heading()))

    def test_going_to_a_view_does_not_load_the_page_again(self):
        self.open()
        self.script("window.mark = 1")
        self.all("header nav a")[1].click()
        self.loaded()
        self.assertEqual(1, self.script("return window.mark"))

    def test_the_page_opened_again_shows_the_same_view(self):
        self.open()
        self.all("header nav a")[2].click()
        self.loaded()
        before = self.heading()
        self.driver.refresh()
        self.loaded()
        self.assertEqual(before, self.heading())


class Keyboard(BrowserCase):
    def test_the_first_key_leads_past_the_menu_to_the_content(self):
        self.open()
        self.press(Keys.TAB)
        skip = self.focused()
        self.assertEqual("To the content", skip.text)
        self.until(lambda: skip.rect["y"] >= 0, "the link is seen once it has the focus")
        self.press(Keys.ENTER)
        self.until(lambda: self.focused().tag_name == "main", "the content has the focus")
        self.assertEqual(1, len(self.all("main h1")))

    def test_the_menu_is_reached_and_used_by_keys_alone(self):
        self.open()
        links = self.all("header nav a")
        for _ in range(2 + len(links)):  # the skip link, the name, the menu
            self.press(Keys.TAB)
        self.assertEqual(links[-1], self.focused())
        wanted = links[-1].text
        self.press(Keys.ENTER)
        self.until(lambda: self.text("main h1") == wanted, "the view is shown")
        self.assertEqual("main", self.focused().tag_name)

    def test_the_focus_is_visible(self):
        self.open()
        for _ in range(4):
            self.press(Keys.TAB)
            outline = self.script("const style = getComputedStyle(document.activeElement);"
                                  "return style.outlineStyle + style.outlineWidth")
            self.assertEqual("solid2px", outline, self.focused().text)


class Media(BrowserCase):
    """What the page is to screen readers, to eyes and on paper."""
    STAYS = True

    def test_a_screen_reader_finds_landmarks_and_the_language(self):
        self.open()
        for landmark in ("body > header", "header nav[aria-label]", "main", "body > footer"):
            self.assertEqual(1, len(self.all(landmark)), landmark)
        self.assertEqual("en", self.one("html").get_dom_attribute("lang"))
        self.assertEqual("status", self.one("#news").get_dom_attribute("role"))

    def colour(self, selector, name):
        return self.script("return getComputedStyle(document.querySelector(arguments[0]))"
                           ".getPropertyValue(arguments[1])", selector, name)

    def test_dark_is_dark_and_paper_is_paper(self):
        self.open()
        light = self.colour("body", "background-color")
        self.look(dark=True)
        dark = self.colour("body", "background-color")
        self.assertNotEqual(light, dark)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [
            {"name": "prefers-color-scheme", "value": "dark"}]})
        self.assertEqual(light, self.colour("body", "background-color"))
        self.assertEqual("none", self.colour("nav", "display"))

    def test_animations_stop_on_request(self):
        self.open()
        self.script("const mark = document.createElement('p'); mark.className = 'loading probe';"
                    "document.querySelector('footer').append(mark)")
        name = ("return getComputedStyle(document.querySelector('.probe'), '::before')"
                ".animationName")
        self.assertEqual("none", self.script(name))
        self.look(moving=True)
        self.assertNotEqual("none", self.script(name))


class Limits(BrowserCase):
    """The browser holds to what the server tells it."""

    def test_script_and_style_in_markup_do_nothing(self):
        self.forgive("Content Security Policy")
        self.open()
        self.script("const s = document.createElement('script'); s.textContent = 'window.bad = 1';"
                    "document.body.append(s);"
                    "document.body.setAttribute('style', 'display: none')")
        self.assertIsNone(self.script("return window.bad ?? null"))
        self.assertNotEqual("none", self.script("return getComputedStyle(document.body).display"))

    def test_the_page_asks_no_other_server(self):
        self.forgive("Content Security Policy", "Fetch API cannot load")
        self.open()
        refused = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "fetch('http://127.0.0.1:9/').then(() => done('sent'), () => done('refused'))")
        self.assertEqual("refused", refused)
        self.urls = [url for url in self.requests() if ":9/" not in url]

    def test_names_with_a_hash_are_asked_for_once(self):
        self.open()
        self.driver.refresh()
        self.loaded()
        before = len(self.requests())
        self.open("/?view=runs")
        again = [url for url in self.requests()[before:] if "/assets/" in url]
        sizes = self.script("return performance.getEntriesByType('resource')"
                            ".filter((each) => each.name.includes('/assets/'))"
                            ".map((each) => each.transferSize)")
        self.assertTrue(again)
        self.assertEqual({0}, set(sizes))

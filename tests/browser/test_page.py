"""Every view of the page loads, fits and is accessible, and its numbers have the digits that people want."""
import re

from browser import ROOT, BrowserCase
from waiting import share

# The functions of web/format.js, which imports nothing: they are not names of the page itself.
FORMAT = (ROOT / "web/format.js").read_text()
FORMATS = f"""{FORMAT.replace("export ", "")}
    const functions = {{ {", ".join(re.findall("export const ([a-zA-Z]+)", FORMAT))} }};
    return arguments[0].map(([name, ...values]) => functions[name](...values));"""


class Numbers(BrowserCase):
    def test_numbers_have_the_digits_and_the_unit_that_people_want(self):
        rows = [(("hours", None), "unknown"),
                (("hours", 0.004), "14.4 s"), (("hours", 0.016), "57.6 s"),
                (("hours", 0.017), "1.02 min"), (("hours", 0.9), "54.0 min"),
                (("hours", 1), "1.00 h"), (("hours", 95), "95.0 h"), (("hours", 96), "4.00 days"),
                (("dollars", 0.012345), "$0.01235"), (("dollars", 1234.5), "$1,234.50"),
                (("dollars", 0), "$0.00"),
                (("percent", 0.125), "12.5 %"), (("percentChange", 0.949), "−5.1 %"),
                (("number", 0), "0"), (("number", 410_712, 5600), "410,700"),
                (("interval", {"value": 3.1416, "low": None}), "3.14"),
                (("interval", {"value": 10.04, "low": 9.1, "high": 11.2}), "10.0 (9.1 to 11.2)")]
        self.open()
        told = self.script(FORMATS, [call for call, _words in rows])
        self.assertEqual([words for _call, words in rows], told)


class Views(BrowserCase):
    """Each of the menu, on a database that holds nothing."""
    TURN = 0

    def current(self):
        """What the menu says about where one is."""
        return [link.text for link in self.all("header nav a[aria-current=page]")]

    def test_every_view_of_the_menu_has_a_name_fits_from_360_pixels_up_and_axe_finds_nothing(self):
        self.open()
        menu = [link.get_dom_attribute("href") for link in self.all("header nav a")]
        titles = set()
        for target in menu:
            self.open(target)
            self.assertEqual([], [each.text for each in self.all("main [role=alert]") if each.text])
            self.assertEqual(1, len(self.all("h1")))
            self.assertEqual([self.heading()], self.current())
            self.assertEqual(f"{self.heading()} - pennyworth", self.driver.title)
            titles.add(self.driver.title)
            if target in share(menu, self.TURN):
                self.look(width=600)
                self.assertNoSideways(f"{target} at 600")
                name = target.rpartition("=")[2].strip("/") or "start"
                self.assertLooksRight(f"{type(self).__name__}-{name}".lower())
                self.look()
        self.assertEqual(5, len(titles))


class Published(Views):
    """The same on the database that a new server has."""
    TURN = 2
    FLAGS = ("--published", "on")

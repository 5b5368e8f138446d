"""What the tests of the page as a whole share."""
from browser import ROOT, BrowserCase


class PageCase(BrowserCase):
    def menu(self):
        """Target of each view in the menu."""
        self.open()
        return [link.get_dom_attribute("href") for link in self.all("header nav a")]

    def heading(self):
        return self.text("main h1")

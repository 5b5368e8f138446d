"""What the tests of the page as a whole share."""
from browser import BrowserCase


class PageCase(BrowserCase):
    def menu(self):
        """Target of each view in the menu."""
        self.open()
        return [link.get_dom_attribute("href") for link in self.all("header nav a")]

    def heading(self):
        return self.text("main h1")


# Of web/format.js, through the page's own module.
FORMATS = """
    const done = arguments[arguments.length - 1];
    const name = performance.getEntriesByType('resource').map((each) => each.name)
        .find((each) => /\\/format-[^/]*js$/.test(each));
    import(name).then((format) => done(arguments[0].map(([name, ...values]) => format[name](...values))));
"""

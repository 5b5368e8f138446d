"""What the tests of the card on an empty comparison share."""
from browser import BrowserCase
from harness import fake

CARD = "section.here"
BUTTON = f"{CARD} button.primary"
# What is added to the body of a new run, and a list of the bodies that the page made.
ADD = """
    const [added] = arguments;
    const real = window.fetch;
    window.sent = [];
    window.fetch = (target, options) => {
        if (options?.method !== 'POST' || target !== '/v1/runs') return real(target, options);
        window.sent.push(JSON.parse(options.body));
        return real(target, {...options, body: JSON.stringify({...window.sent.at(-1), ...added})});
    };
"""


class Card(BrowserCase):
    """A server for each test: what a run leaves behind changes the card."""

    def serve(self, *behaviour, **options):
        """An empty database, and a fake in the place of the native engine."""
        self.server = self.own_server(*options.pop("flags", ()),
                                      engines={"native": fake(*behaviour)}, **options)
        return self

    def see(self, target="/"):
        self.open(target)
        self.until(lambda: self.one(CARD).is_displayed() and self.all(f"{CARD} dl.ledger"), "the card")

    def runs(self):
        return self.server.get("/v1/runs?limit=200").json()["runs"]

    def add(self, **members):
        self.script(ADD, members)

    def type_price(self, dollars):
        self.until(lambda: self.all(f"{CARD} form.type-price"), "the form of the price")
        self.one(f"{CARD} form.type-price [id$=price_per_hour]").send_keys(dollars)
        self.click(f"{CARD} form.type-price button")

    def until_gone(self):
        self.until(lambda: not self.one(CARD).is_displayed(), "the card is gone")

    def until_offered(self):
        self.until(lambda: self.one(BUTTON).is_displayed(), "the button")

    def until_live(self):
        self.until(lambda: " done" in self.text(f"{CARD} .live dl"), "the run moves")

    def stop_runs(self):
        for run in self.runs():
            self.server.cancel(run["id"])

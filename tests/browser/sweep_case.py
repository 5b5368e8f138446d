"""Sweeps that are asked for and shown: what their tests share."""
from browser import BrowserCase
from harness import fake


class SweepCase(BrowserCase):
    ENGINES = {"speed": fake("speed"), "slow": fake("slow", 50), "crash": fake("crash"),
               "paced": fake("paced", 5000), "talkative": fake("talkative")}

    def queue(self, **body):
        return self.server.post(body, path="/v1/sweeps").json()["id"]

    def show(self, **body):
        """A sweep that has ended, shown."""
        sweep = self.server.wait_for_sweep(self.queue(**body))
        self.open(f"/?view=sweep&id={sweep['id']}")
        return sweep

    def send(self):
        """Sends the form, and waits for the end of the sweep."""
        self.click("main button.primary")
        self.until(lambda: "view=sweep&id=" in self.address(), "the sweep is shown")
        self.until(lambda: "Finished" in self.text(".live"), "it ends")

    def cells(self):
        return [each.text for each in self.all(".cells tbody th")]

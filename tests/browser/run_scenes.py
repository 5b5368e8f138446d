"""Engines, a place and labels of strangers: what the tests of runs share."""
from browser import BrowserCase
from harness import fake

HOSTILE = {"script": "<script>document.title='taken'</script>", "left": "\u202eabc\u05d0\u05d1",
           "long": "x" * 256}
ENGINES = {"ok": fake("ok"), "talkative": fake("talkative"), "slow": fake("slow", 60),
           "crash": fake("crash"), "unlearning": fake("unlearning")}
PLACE = ("--provider", "aws", "--region", "us-east-1", "--instance-type", "test.large")


class RunCase(BrowserCase):
    ENGINES = ENGINES
    FLAGS = (*PLACE, "--price-per-hour", "0.36")

    def open_run(self, run, rest=""):
        self.open(f"/?view=run&id={run['id'] if isinstance(run, dict) else run}{rest}")

    def finished(self, engine="talkative", **fields):
        return self.server.run(engine, **{"steps": 200, "warmup_steps": 20, **fields})

    def words(self, name):
        """Of a fact."""
        for term, value in self.script(
                "return [...document.querySelectorAll('.ledger > div')].map((pair) =>"
                " [...pair.children].map((part) => part.innerText))"):
            if term == name:
                return value
        raise AssertionError(f"no {name}")

"""The card of a machine without a number: who uses it now, after a run without a result, together with
rows of other machines, for a question that a run here does not answer, and where a token is needed."""
from browser import Keys
from one_button import BUTTON, CARD, Card
from neighbours import NAME, busy_neighbour
from run_documents import document, machine, take_in


class Busy(Card):
    def test_who_uses_the_processors_is_said_to_those_about_to_measure(self):
        self.serve("paced", 20000)
        with busy_neighbour():
            self.see()
            self.until(lambda: NAME in self.text(f"{CARD} .load"), "on the card")
            self.open("/?view=measure")
            self.until(lambda: NAME in self.text("main .load"), "above the form")


class NoResult(Card):
    def test_a_run_that_fails_says_why_and_may_be_repeated(self):
        self.serve("failed").see()
        for count in (1, 2):
            self.click(BUTTON)
            self.until(lambda: len(self.runs()) == count, "the run")
            self.server.wait(self.runs()[0]["id"])
            self.until(lambda: "The run failed: no such precision here." in self.text(CARD), "why")
            self.until_offered()
        self.assertAccessible("a failed run")
        self.see()
        self.assertIn("The run failed: no such precision here.", self.text(CARD))

    def test_an_invalid_run_has_its_figure_and_why_it_has_no_rank(self):
        self.serve("unlearning")
        self.server.post({"machine": "this", "price_per_hour": 0.1}, path="/v1/prices")
        self.see()
        self.add(steps=200)
        self.click(BUTTON)
        self.until(lambda: "not ranked: the run is invalid" in self.text(CARD), "why")
        run = self.server.show(self.runs()[0]["id"])
        self.assertIn(f"{run['summary']['samples_per_second']:,.0f} samples/s", self.text(CARD))
        self.assertIn("no interval", self.text(CARD))
        self.assertIn(f"{run['cost']['samples_per_dollar']['value']:,.0f} samples", self.text(CARD))
        self.assertTrue(self.one(BUTTON).is_displayed())

    def test_a_refusal_is_shown_at_the_button(self):
        self.forgive("400")
        self.serve("paced", 20000).see("/?engine=nothing")
        self.click(BUTTON)
        self.until(lambda: "engine: " in self.text(f"{CARD} .wrong"), "the field and why")
        self.assertEqual([], self.runs())


class Questions(Card):
    def imported(self):
        runs = [document(number, spec={"workload": "resnet50", "engine": "elsewhere", "batch_size": 32,
                                       "warmup_steps": 10, "steps": 50, "seed": number},
                         machine=machine({"isa": "avx2", "cores": 2})) for number in (1, 2)]
        take_in(self.server, runs)

    def test_with_rows_of_other_machines_the_card_is_small(self):
        self.serve("paced", 20000)
        self.imported()
        self.see()
        self.assertTrue(self.one("table.rows").is_displayed())
        self.assertIn("aside", self.one(CARD).get_dom_attribute("class"))
        self.assertFalse(self.one(f"{CARD} > details").get_property("open"))
        small = self.one(CARD).size["height"]
        self.assertNarrowAndWide("a small card")
        self.see("/?workload=mlp2017")
        self.assertLess(small, self.one(CARD).size["height"])

    def test_the_run_is_of_the_workload_that_was_asked_about(self):
        self.serve("paced", 20000).see("/?workload=mlp2017")
        self.click(BUTTON)
        self.until(lambda: self.all("table.rows tbody th"), "the row")
        self.assertEqual(["mlp2017"], [run["spec"]["workload"] for run in self.runs()])

    def test_a_question_about_other_machines_has_no_card(self):
        self.serve("paced", 20000)
        for question in ("instance_type=c7i.large", "sender=somebody", "engine=native,other", "label=a=b"):
            self.open(f"/?{question}", shows=".sentence")
            self.assertFalse(self.one(CARD).is_displayed(), question)

    def test_it_is_accessible_and_fits(self):
        self.serve("paced", 20000).see()
        self.assertLooksRight("one-button")


class Tokens(Card):
    READ, WRITE = "read-" + "r" * 20, "write-" + "w" * 20

    def test_a_page_that_may_only_read_asks_for_a_token_that_may_write(self):
        self.forgive("401", "403", "/assets/nothing")
        self.serve("paced", 20000, environment={"PENNYWORTH_READ_TOKEN": self.READ,
                                                "PENNYWORTH_WRITE_TOKEN": self.WRITE})
        self.driver.get(self.origin() + "/assets/nothing")
        self.script(f"sessionStorage.setItem('pennyworth-token', '{self.READ}')")
        self.see()
        self.click(BUTTON)
        self.until(lambda: "the scope write is missing" in self.text("dialog[open]"), "the dialog")
        self.press(self.WRITE, Keys.ENTER)
        self.until(lambda: self.all("table.rows tbody th"), "the row")
        self.script("sessionStorage.clear()")

"""The one button after the click: figures move, prices are typed, a reload finds the run."""
from browser import Keys
from one_button import BUTTON, CARD, Card


class UnderWay(Card):
    def test_figures_move_while_a_price_is_typed(self):
        self.serve("slow", 20).see()
        self.add(steps=150)
        self.click(BUTTON)
        self.until_live()
        figures = self.text(f"{CARD} .live dl")
        for title in ("Phase", "Throughput so far", "95 % interval so far", "Cost so far", "Time left"):
            self.assertIn(title, figures)
        self.assertIn("unknown: type what an hour costs", figures)
        self.assertFalse(self.all(f"{CARD} .live a"))  # the form is there already
        self.type_price("0.1")
        self.until(lambda: "$" in self.text(f"{CARD} .live dl"), "dollars while it runs")
        self.until_gone()
        self.assertIn("$0.10 an hour", self.text(".all, .answer"))

    def test_a_price_half_typed_survives_the_end_of_the_run(self):
        self.serve("slow", 20).see()
        self.add(steps=50)
        self.click(BUTTON)
        self.until_live()
        self.one(f"{CARD} [id$=price_per_hour]").send_keys("0.")
        self.until(lambda: "Type what an hour costs" in self.text(CARD), "the run has ended")
        self.assertTrue(self.focused().get_attribute("id").endswith("price_per_hour"))
        self.press("1", Keys.ENTER)
        self.until_gone()
        self.assertEqual(0.1, self.server.get("/v1/machine").json()["price"]["price_per_hour"])

    def test_a_reload_finds_the_run_again(self):
        self.serve("slow", 20).see()
        self.click(BUTTON)
        self.until_live()
        self.driver.refresh()
        self.loaded()
        self.until_live()
        self.assertFalse(self.one(BUTTON).is_displayed())
        self.assertEqual(1, len(self.runs()))
        self.stop_runs()
        self.until_offered()

    def test_one_that_waits_behind_another_says_so(self):
        self.serve("slow", 20)
        self.server.queue("native", steps=100000)  # of another network
        self.see()
        self.click(BUTTON)
        self.until(lambda: "Waiting in the queue" in self.text(f"{CARD} .live"), "it is queued")
        self.stop_runs()

    def test_two_clicks_and_two_tabs_make_one_run(self):
        self.serve("slow", 20).see()
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.see()
        self.script("const button = document.querySelector(arguments[0]);"
                    "button.click(); button.click();", BUTTON)
        self.until_live()
        self.driver.close()
        self.driver.switch_to.window(first)
        self.click(BUTTON)
        self.until_live()
        self.assertEqual(1, len(self.runs()))
        self.stop_runs()

    def test_keys_alone_start_it_and_the_focus_stays_on_the_card(self):
        self.serve("slow", 20).see()
        self.assertEqual("here-words", self.one(BUTTON).get_dom_attribute("aria-describedby"))
        self.script(f"document.querySelector('{BUTTON}').focus()")
        self.press(Keys.ENTER)
        self.until_live()
        self.assertEqual("here-title", self.focused().get_dom_attribute("id"))
        self.press(Keys.TAB)
        self.assertEqual("Cancel this run", self.focused().text)
        self.press(Keys.ENTER)
        self.until_offered()
        self.assertIn("The run was cancelled", self.text(CARD))
        self.assertEqual("here-title", self.focused().get_dom_attribute("id"))
        self.press(Keys.TAB)
        self.assertEqual(self.one(BUTTON), self.focused())

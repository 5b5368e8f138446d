"""The presets of a sweep on the page: each has its chart and its table."""
from browser import Select
from sweep_case import SweepCase  # first: it finds the modules of tests/api
from harness import fake
from waiting import share


class Presets(SweepCase):
    def test_each_preset_has_its_chart_and_its_table(self):
        paced = {"engine": "paced", "steps": 20, "warmup_steps": 1}
        titles = {"ladder": "Gain of each rung", "threads": "How it scales",
                  "batch": "Throughput of each cell", "aa": "Equal runs called different",
                  "tune": "The search"}
        for preset, title in titles.items():
            more = {"tune": {"budget_seconds": 30}, "aa": {"pairs": 3}}.get(preset, {"blocks": 2})
            with self.subTest(preset=preset):
                self.show(preset=preset, base=paced, **more)
                self.assertEqual(title, self.text(".sweep-chart figcaption strong"))
                self.assertTrue(self.all(".sweep-chart svg .mark"))
                self.assertTrue(self.all(".cells tbody tr"))
                self.assertNotIn("NaN", self.one("main").get_attribute("outerHTML"))
                if preset in share([*titles]):
                    self.assertLooksRight(f"sweep-{preset}")


class Mixed(SweepCase):
    ENGINES = {"native": fake("speed"), "idle": fake("slow", 2)}

    def test_the_networks_of_2017_share_a_chart_and_none_is_compared(self):
        self.open("/?view=measure&form=sweep&steps=20&warmup_steps=1&blocks=1")
        Select(self.one("[data-field=preset] select")).select_by_value("clouds2017")
        self.send()
        self.assertIn("seven networks of an article", self.text(".lead"))
        self.assertIn("7 workloads with one cell each: none is compared with another", self.text())
        names = [each.text for each in self.all(".cells tbody th")]
        self.assertEqual(7, len(names))
        self.assertEqual("workload=mlp2017", names[0])
        self.assertNotIn("Fastest", self.text())
        self.assertEqual(["Cell", "Samples/s", "Runs, by block"],
                         [each.text for each in self.all(".cells thead th")])
        valid = [row.text.split()[0] for row in self.all(".cells tbody tr") if "1 valid run" in row.text]
        self.assertEqual(1, len(self.all("main figure")))
        self.assertEqual("Throughput of each workload", self.text(".sweep-chart figcaption strong"))
        self.assertEqual(valid, [f"workload={each.text}" for each in self.all(".sweep-chart .row-name")])
        self.assertEqual(len(valid), len(self.all(".sweep-chart .mark")))
        self.assertNotIn("NaN", self.one("main").get_attribute("outerHTML"))
        self.assertLooksRight("sweep-clouds2017")

    def test_workloads_with_several_cells_have_a_chart_each(self):
        self.open("/?view=measure&form=sweep&steps=20&warmup_steps=1&blocks=1"
                  "&knob=workload%3Dmlp2017,%20lstm2017&knob=engine%3Dnative,%20idle")
        self.send()
        self.assertIn("2 workloads: each is compared with its own kind only", self.text())
        self.assertEqual({"Throughput of mlp2017", "Throughput of lstm2017"},
                         {each.text for each in self.all(".sweep-chart figcaption strong")})
        self.assertIn("Relative to the best", [each.text for each in self.all(".cells thead th")])


class Engines(SweepCase):
    ENGINES = {"speed": fake("speed"), "native": fake("slow", 2)}
    FLAGS = ("--price-per-hour", "0.36", "--instance-type", "m7i.large")

    def test_engines_are_asked_for_by_the_form_and_shown_with_dollars(self):
        self.open("/?view=measure&form=sweep&workload=mlp2017&steps=20&warmup_steps=1")
        Select(self.one("[data-field=preset] select")).select_by_value("engines")
        self.assertFalse(self.one("[data-field=knob]").is_displayed())
        self.send()
        self.assertIn("Engines: native compared with the registered ones", self.text(".lead"))
        self.assertEqual({"engine=native", "engine=speed"},
                         {each.text for each in self.all(".cells tbody th")})
        heads = [each.text for each in self.all(".cells thead th")]
        self.assertEqual(["Samples/s", "Samples a dollar", "Dollars a million"], heads[2:5])
        for column, form in ((3, r"^\d[\d,.]*\n\d[\d,.]* to \d"), (4, r"^\$\d")):
            cells = [each.text for each in self.all(f".cells tbody td:nth-of-type({column})")]
            self.assertEqual(2, len(cells))
            for cell in cells:
                self.assertRegex(cell, form)


class EnginesAlone(SweepCase):
    ENGINES = {"native": fake("speed")}

    def test_without_a_registered_engine_the_reason_stands_at_the_preset(self):
        self.forgive("422")
        self.open("/?view=measure&form=sweep")
        Select(self.one("[data-field=preset] select")).select_by_value("engines")
        self.click("main button.primary")
        self.until(lambda: "--engine NAME=COMMAND" in self.text(), "the reason stands there")
        self.assertIn("--engine NAME=COMMAND", self.text("[data-field=preset]"))

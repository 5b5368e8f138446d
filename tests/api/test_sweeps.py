"""Sweeps over HTTP: sets of runs with one answer, through cancelling, killing and refusing."""
from harness import Case, ServerCase, fake, until

QUICK = {"engine": "speed", "steps": 20, "warmup_steps": 1}


def in_order(sweep):
    runs = [run for cell in sweep["cells"] for run in cell["runs"]]
    return [run["id"] for run in sorted(runs, key=lambda run: run["position"])]


def ranks(sweep):
    return [(cell["rank"]["low"], cell["rank"]["high"]) for cell in sweep["cells"]]


class Sweeps(ServerCase):
    FLAGS = ("--queue-limit", "60")
    ENGINES = {"speed": fake("speed"), "slow": fake("slow", 50)}

    def post(self, body, path="/v1/sweeps"):
        return self.server.create(path, body)

    def test_a_matrix_is_run_in_interleaved_blocks_and_ranked(self):
        sweep = self.post({"base": QUICK, "knobs": {"batch_size": [8, 16, 64]},
                           "blocks": 2})
        self.assertEqual(6, sweep["progress"]["runs_total"])
        sweep = self.server.wait_for_sweep(sweep["id"])
        order = sorted((run["position"], cell["cell"], run["block"])
                       for cell in sweep["cells"] for run in cell["runs"])
        blocks = [[cell for _, cell, block in order if block == wanted] for wanted in (0, 1)]
        self.assertEqual(blocks[0], blocks[1][::-1])
        self.assertEqual([0] * 3 + [1] * 3, [block for _, _, block in order])
        # The fake gets faster with the batch: 64 is best, and by far.
        self.assertEqual("batch_size=64", sweep["best"]["name"])
        self.assertEqual([(3, 3), (2, 2), (1, 1)], ranks(sweep))
        self.assertEqual("better", sweep["cells"][2]["ratio_to_first"]["verdict"])
        self.assertEqual(0, sweep["progress"]["seconds_left"])
        run = self.server.get("/v1/runs/" + sweep["cells"][1]["runs"][0]["id"]).json()
        self.assertEqual(sweep["id"], run["sweep"]["id"])
        self.assertEqual(1, run["sweep"]["cell"])
        table = self.server.get(f"/v1/sweeps/{sweep['id']}", Accept="text/csv")
        self.assertEqual(4, len(table.body.decode().splitlines()))

    def test_equal_runs_are_not_called_different(self):
        sweep = self.post({"base": QUICK, "pairs": 4}, "/v1/aa")
        self.assertEqual("aa", sweep["preset"])
        sweep = self.server.wait_for_sweep(sweep["id"])
        self.assertEqual({"pairs": 4, "alarms": 0, "rate": 0, "low": 0, "margin": 0.03},
                         {key: value for key, value in sweep["false_alarms"].items()
                          if key != "high"})
        self.assertEqual([(1, 2), (1, 2)], ranks(sweep))
        self.assertEqual(["A again"], sweep["cells"][0]["cannot_be_told_apart_from"])

    def test_a_tune_ends_with_the_best_and_the_fixed_one(self):
        base = {**QUICK, "workload": "mlp2017", "batch_size": 32, "labels": {"for": "tune"}}
        sweep = self.post({"preset": "tune", "base": base, "budget_seconds": 30})
        sweep = self.server.wait_for_sweep(sweep["id"])
        self.assertEqual(3, sweep["rounds"])
        names = [cell["name"] for cell in sweep["cells"]]
        self.assertIn("fixed: fixed", names)
        self.assertIn("batch_size=128", sweep["best"]["name"])
        self.assertEqual(3, len(sweep["cells"][names.index("fixed: fixed")]["runs"]))
        self.assertTrue(any("converge" in note for note in sweep["notes"]))

    def test_a_cancelled_sweep_ends_at_once(self):
        sweep = self.post({"base": {"engine": "slow", "steps": 10000},
                           "knobs": {"seed": [1, 2]}, "blocks": 2})
        self.server.wait(in_order(sweep)[0], {"running"})
        path = f"/v1/sweeps/{sweep['id']}"
        self.assertEqual("cancelled", self.server.delete(path).json()["state"])
        states = until(lambda: {run["state"] for cell in self.server.get(path).json()["cells"]
                                for run in cell["runs"]} == {"cancelled"}, "all are cancelled")
        self.assertTrue(states)
        self.assertEqual(409, self.server.delete(path).status)

    def test_a_sweep_whose_queued_runs_are_cancelled_one_by_one_ends(self):
        slow = self.server.queue("slow", steps=100000, max_seconds=600)
        sweep = self.post({"base": QUICK, "knobs": {"seed": [1]}, "blocks": 2})
        for run in in_order(sweep):
            self.assertEqual("cancelled", self.server.delete(f"/v1/runs/{run}").json()["state"])
        self.server.delete(f"/v1/runs/{slow}")
        self.assertEqual("finished", self.server.wait_for_sweep(sweep["id"])["state"])

    def test_sweeps_are_listed_newest_first_in_pages(self):
        made = [self.post({"base": QUICK, "knobs": {"seed": [number]}, "blocks": 1})["id"]
                for number in range(3)]
        page = self.server.get("/v1/sweeps?limit=2").json()
        rest = self.server.get(f"/v1/sweeps?limit=2&cursor={page['next_cursor']}").json()
        listed = [sweep["id"] for sweep in page["sweeps"] + rest["sweeps"]]
        self.assertEqual(made[::-1], listed[:3])
        for sweep in made:
            self.server.wait_for_sweep(sweep)


def engine_names(sweep):
    return [cell["name"] for cell in sweep["cells"]]


class Mixed(ServerCase):
    ENGINES = {"native": fake("speed"), "idle": fake("slow", 20)}

    def sweep(self, **body):
        return self.server.wait_for_sweep(self.server.create("/v1/sweeps", {"blocks": 2, **body})["id"])

    def test_the_networks_of_2017_are_cells_that_are_not_compared(self):
        sweep = self.sweep(preset="clouds2017", base={"steps": 20, "warmup_steps": 1})
        self.assertEqual(["mlp2017", "cnn2017", "cifar2017", "fasttext2017", "bilstm2017", "lstm2017",
                          "textgen2017"], [cell["spec"]["workload"] for cell in sweep["cells"]])
        self.assertEqual([128, 128, 32, 32, 32, 128, 128],
                         [cell["spec"]["batch_size"] for cell in sweep["cells"]])
        self.assertEqual(1, len({cell["spec"]["precision"] for cell in sweep["cells"]}))
        self.assertIsNone(sweep["best"])
        for cell, tokens in zip(sweep["cells"], (0, 0, 0, 400, 100, 40, 40)):
            wanted = (cell["samples_per_second"] or 0) * tokens
            self.assertAlmostEqual(wanted, (cell["tokens_per_second"] or {"value": 0})["value"], delta=1)
        self.assertIn("different workloads are not compared", sweep["notes"][0])
        for cell in sweep["cells"]:
            if cell["rank"]:
                self.assertEqual({"low": 1, "high": 1}, cell["rank"])
            self.assertIsNone(cell["ratio_to_previous"])


class Engines(Case):
    """The preset `engines`: ours, here a fake, and every registered engine."""
    BODY = {"preset": "engines", "base": {"workload": "mlp2017", "steps": 20, "warmup_steps": 1},
            "blocks": 2}

    def ask(self, server, body=None):
        return server.wait_for_sweep(server.create("/v1/sweeps", body or self.BODY)["id"])

    def test_ours_and_every_registered_one_are_measured_in_blocks_with_dollars(self):
        server = self.own_server("--price-per-hour", "0.36", "--instance-type", "m7i.large",
                                 engines={"quick": fake("speed"), "idle": fake("slow", 20),
                                          "native": fake("slow", 5)})
        sweep = self.ask(server)
        self.assertEqual("engines", sweep["preset"])
        self.assertEqual(["engine=native", "engine=quick", "engine=idle"], engine_names(sweep))
        self.assertEqual([2, 2, 2], [cell["valid_runs"] for cell in sweep["cells"]], sweep)
        order = sorted((run["position"], cell["cell"]) for cell in sweep["cells"]
                       for run in cell["runs"])
        cells = [cell for _, cell in order]
        self.assertEqual(cells[:3], cells[3:][::-1])  # the second block is the first reversed
        self.assertEqual(0.36, sweep["price_per_hour"])
        for cell in sweep["cells"]:
            speed, cost = cell["samples_per_second"], cell["dollars_per_million_samples"]
            self.assertAlmostEqual(0.36 / 3600 / speed * 1e6, cost["value"], delta=1e-6)
            self.assertAlmostEqual(1e6 / cost["value"], cell["samples_per_dollar"]["value"],
                                   delta=1e-3 * speed / 0.36 * 3600)
            self.assertLessEqual(cost["low"], cost["value"] * (1 + 1e-9))
            self.assertGreaterEqual(cost["high"], cost["value"] * (1 - 1e-9))
            self.assertIsNone(cell["time_shares"])  # this engine does not report it
        table = server.get(f"/v1/sweeps/{sweep['id']}", Accept="text/csv").rows()
        self.assertEqual({"0.36"}, {line["dollars_per_hour"] for line in table})

    def test_an_engine_that_fails_does_not_take_the_others_with_it(self):
        server = self.own_server(engines={"broken": fake("exit"), "native": fake("speed")})
        sweep = self.ask(server, {**self.BODY, "blocks": 1})
        self.assertEqual([(1, 0), (0, 1)], [(cell["valid_runs"], cell["failed_runs"])
                                            for cell in sweep["cells"]])
        self.assertIsNone(sweep["best"])  # what alone is left has beaten nothing
        self.assertIn("Of 2 runs, 1 failed and 0 counted as invalid", sweep["notes"][-1])

    def test_a_server_that_comes_back_without_the_engines_ends_the_sweep(self):
        server = self.own_server(engines={"idle": fake("slow", 20), "native": fake("slow", 20)})
        sweep = server.post(self.BODY, path="/v1/sweeps").json()
        server.wait(in_order(sweep)[0], {"running"})
        server.kill()
        server.engines = {"native": fake("speed")}
        server.start()
        sweep = server.wait_for_sweep(sweep["id"])
        by_name = {cell["name"]: cell for cell in sweep["cells"]}
        self.assertEqual(2, by_name["engine=native"]["valid_runs"])
        self.assertEqual(0, by_name["engine=idle"]["valid_runs"])
        self.assertNotIn("no further round", server.read_log())


class Killed(Case):
    def test_a_killed_server_goes_on_with_its_sweep(self):
        engines = {"slow": fake("slow", 20)}
        server = self.own_server(engines=engines)
        body = {"base": {"engine": "slow", "steps": 15, "warmup_steps": 1},
                "knobs": {"batch_size": [8, 16]}, "blocks": 2}
        sweep = server.post(body, path="/v1/sweeps").json()
        server.wait(in_order(sweep)[1], {"running"})
        server.kill()
        server.start()
        sweep = server.wait_for_sweep(sweep["id"])
        states = sorted(run["state"] for cell in sweep["cells"] for run in cell["runs"])
        self.assertEqual(["finished"] * 4 + ["interrupted"], states)
        places = sorted((cell["cell"], run["block"]) for cell in sweep["cells"]
                        for run in cell["runs"] if run["state"] == "finished")
        self.assertEqual([(0, 0), (0, 1), (1, 0), (1, 1)], places)

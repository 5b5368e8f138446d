"""The batch of a run that leaves it to the machine: timed, chosen, and said."""
from harness import ServerCase, fake
from waiting import until


class Chosen(ServerCase):
    # In place of the engine that is ours: 20 ms a step, whatever the batch is.
    ENGINES = {"native": fake("paced", 20000), "hasty": fake("paced", 100), "crash": fake("crash"),
               "silent": fake("silent")}

    def posted(self, **fields):
        return self.server.create("/v1/runs", {"steps": 10, "warmup_steps": 0, **fields})

    def test_a_run_that_names_no_batch_gets_the_largest_that_fits_into_its_time(self):
        queued = self.posted(steps=60, max_seconds=4)
        self.assertEqual("auto", queued["spec"]["batch_size"])
        run = self.server.wait(queued["id"])
        # Four samples took 20 ms, so eight are taken for 40 ms: 60 steps are 2.4 s, of sixteen 4.8.
        self.assertEqual(("finished", 8), (run["state"], run["spec"]["batch_size"]), run)

    def test_a_number_is_taken_as_it_is(self):
        self.assertEqual(3, self.server.wait(self.posted(batch_size=3)["id"])["spec"]["batch_size"])

    def test_a_registered_engine_has_the_usual_batch_unless_it_is_asked_to_choose(self):
        self.assertEqual(32, self.posted(engine="hasty")["spec"]["batch_size"])
        run = self.server.wait(self.posted(engine="hasty", workload="own", batch_size="auto")["id"])
        self.assertEqual(("finished", 32), (run["state"], run["spec"]["batch_size"]))

    def test_a_worker_that_fails_is_told_of_by_the_run(self):
        run = self.server.wait(self.posted(engine="crash", batch_size="auto")["id"])
        self.assertEqual(("failed", 2), (run["state"], run["spec"]["batch_size"]))
        self.assertTrue(run["reason"])

    def test_a_retry_is_the_same_run_although_its_batch_is_chosen_now(self):
        def asked(steps):
            return self.server.post({"steps": steps, "warmup_steps": 0}, Idempotency_Key="once")
        first = asked(10).json()
        self.server.wait(first["id"])
        again = asked(10)
        self.assertEqual((201, first["id"]), (again.status, again.json()["id"]), again)
        self.assertEqual(422, asked(11).status)

    def test_a_run_can_be_cancelled_while_it_is_timed(self):
        run = self.posted(engine="silent", batch_size="auto", max_seconds=600)["id"]
        until(lambda: (self.server.show(run)["progress"] or {}).get("phase") == "sizing", "the trial")
        self.assertEqual("cancelled", self.server.cancel(run)["state"])

    def test_all_runs_of_a_cell_have_one_batch(self):
        sweep = self.server.post({"blocks": 2, "base": {
            "batch_size": "auto", "steps": 60, "warmup_steps": 0, "max_seconds": 4},
            "knobs": {"seed": [1]}}, path="/v1/sweeps").json()
        self.server.wait_for_sweep(sweep["id"])
        self.assertEqual([8, 8], [self.server.show(run["id"])["spec"]["batch_size"]
                                  for run in self.server.runs_of_sweep(sweep["id"])])

"""Old runs lose most of their steps and nothing else; every answer with their steps says so."""
import json

from harness import ServerCase, fake, until
from run_documents import document, export, ids, line, run_id, take_in

STEPS = 3000  # of a long run


class Retention(ServerCase):
    """One pass, after a second without work: everything here is about what it left."""
    ENGINES = {"ok": fake("ok"), "slow": fake("slow", 20)}

    @classmethod
    def prepare(cls):
        server = cls.server
        cls.observed = [[i, i * 1000, *[i] * 9] for i in range(500)]
        canaries = [[i, 3e9 + i, 1e10] for i in range(0, STEPS, 100)]
        cls.old = document(1, steps=STEPS, evidence={"observations": cls.observed,
                                                     "canaries": canaries})
        cls.short = document(2, steps=100)
        cls.new = document(3, steps=STEPS, created_at=None, started_at=None,
                           ended_at="2999-01-02T03:04:07Z")
        take_in(server, [cls.old, cls.short, cls.new,
                         *(document(number, steps=300) for number in range(10, 130))])
        cls.measured = server.run(steps=400)["id"]
        cls.before = {name: server.show(run_id(number))
                      for name, number in (("old", 1), ("short", 2), ("new", 3))}
        cls.evidence = server.get(f"/v1/runs/{run_id(1)}/evidence").json()
        cls.comparison = server.get("/v1/comparison").json()
        cls.compared = server.get(f"/v1/runs/{run_id(1)}/check").body
        server.stop()  # until now nothing is thinned
        server.flags = ["--keep-steps-days", "30"]
        server.environment["PENNYWORTH_HASTE"] = "20"
        server.start()
        until(lambda: "kept the database in order" in server.read_log(), "a pass")

    def get(self, path, number=1):
        reply = self.server.get(f"/v1/runs/{run_id(number)}{path}")
        self.assertEqual(200, reply.status, reply)
        return reply

    def test_the_audit_log_has_every_write(self):
        self.assertIn("runs_thinned=121 ", self.server.read_log())
        self.assertEqual(121, self.server.metrics()["pennyworth_thinned_runs_total"])

    def test_everything_but_the_steps_is_as_it_was(self):
        for name, number in (("old", 1), ("short", 2), ("new", 3)):
            run = self.server.show(run_id(number))
            at = run.pop("thinned_at")
            before = dict(self.before[name])
            self.assertIsNone(before.pop("thinned_at"))
            self.assertEqual(before, run)
            self.assertEqual(name == "old", at is not None)
        self.assertIsNone(self.server.show(self.measured)["thinned_at"])

    def test_steps_keep_their_places(self):
        answer = self.get("/steps").json()
        self.assertTrue(answer["thinned"])
        steps = answer["steps"]
        self.assertLessEqual(len(steps), 200)
        self.assertEqual(STEPS - 1, steps[-1]["index"])
        for step in steps:
            self.assertEqual(self.old["steps"]["loss"][step["index"]], step["loss"])
            self.assertAlmostEqual(self.old["steps"]["nanoseconds"][step["index"]] / 1e9,
                                   step["seconds"])
            self.assertEqual(step["index"] >= 10, step["measured"])

    def test_a_part_of_them_is_a_part_of_what_is_left(self):
        indices = [step["index"] for step in self.get("/steps").json()["steps"]]
        part = self.get("/steps?from=100&limit=5").json()
        self.assertEqual([index for index in indices if index >= 100][:5],
                         [step["index"] for step in part["steps"]])
        rows = self.server.get(f"/v1/runs/{run_id(1)}/steps", Accept="text/csv").rows()
        self.assertEqual(indices, [int(row["index"]) for row in rows])
        self.assertEqual([], self.get(f"/steps?from={STEPS}").json()["steps"])

    def test_whole_runs_say_that_they_are(self):
        for number, count in ((2, 100), (3, STEPS)):
            answer = self.get("/steps", number).json()
            self.assertEqual((False, count), (answer["thinned"], len(answer["steps"])))
            self.assertFalse(self.get("/evidence", number).json()["thinned"])
            self.assertTrue(self.get("/recompute", number).json()["identical"])

    def test_evidence_is_thinned_and_canaries_stay(self):
        evidence = self.get("/evidence").json()
        self.assertTrue(evidence["thinned"])
        self.assertEqual(self.evidence["canaries"], evidence["canaries"])
        self.assertLessEqual(len(evidence["observations"]), 200)
        places = [self.evidence["observations"].index(one) for one in evidence["observations"]]
        self.assertEqual(sorted(places), places)
        self.assertEqual((0, 499), (places[0], places[-1]))

    def test_the_number_is_not_made_again_from_what_is_left(self):
        reply = self.server.get(f"/v1/runs/{run_id(1)}/recompute")
        problem = self.assertProblem(reply, 409, "conflict")
        at = self.server.show(run_id(1))["thinned_at"]
        self.assertIn(f"thinned on {at[:10]}", problem["detail"])

    def test_comparisons_are_as_they_were(self):
        now = self.server.get("/v1/comparison").json()
        self.assertEqual(self.comparison["rows"], now["rows"])
        self.assertEqual(self.compared, self.server.get(f"/v1/runs/{run_id(1)}/check").body)

    def test_thinned_runs_are_not_exported(self):
        self.assertEqual([run_id(2), run_id(3), self.measured], ids(export(self.server)))

    def test_the_whole_run_is_still_known(self):
        def post(run):
            return self.server.post(run, path="/v1/runs/import")
        self.assertEqual(200, post(self.old).status)
        other = json.loads(line(self.old))
        other["steps"]["nanoseconds"][0] += 1
        self.assertProblem(post(other), 409, "conflict", "id")

    def test_its_events_and_implementations_are_served(self):
        self.get("/implementations")
        self.get("/events")

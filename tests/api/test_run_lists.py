"""Lists and exports of runs: what each run cost, and filters by what it is."""
from urllib.parse import urlencode

from harness import ServerCase, fake, pages
from run_documents import document, export, ids, take_in

ENGINES = {"ok": fake("ok"), "crash": fake("crash"), "slow": fake("slow", 50)}


class Costs(ServerCase):
    ENGINES = ENGINES
    FLAGS = ("--instance-type", "here.large", "--price-per-hour", "0.36")

    def test_a_list_has_the_costs_of_its_runs(self):
        runs = [self.server.run("ok", steps=20), self.server.run("crash")]
        listed = {run["id"]: run for run in self.server.get("/v1/runs").json()["runs"]}
        for run in runs:
            head = listed[run["id"]]["cost"]
            self.assertEqual(0.36, head["price_per_hour"])
            self.assertEqual(run["cost"]["price"]["feed"], head["feed"])
            self.assertEqual(run["cost"]["price"]["kind"], head["kind"])
            self.assertGreater(head["dollars"], 0)
            self.assertLess(head["dollars"], 0.36 / 3600 * 60)
            for name in ("samples_per_dollar", "dollars_per_million_samples",
                         "hours_per_million_samples"):
                known = (run["validity"] or {}).get("level") in ("ok", "warn")
                self.assertEqual(run["cost"][name] if known else None, head[name])

    def test_a_run_that_has_not_ended_has_none(self):
        run_id = self.server.queue("slow", steps=1000)
        self.assertIsNone(self.server.get("/v1/runs?limit=1").json()["runs"][0]["cost"])
        self.server.cancel(run_id)


class Filters(ServerCase):
    ENGINES = ENGINES

    @classmethod
    def prepare(cls):
        for number in range(12):
            cls.server.wait(cls.server.queue("ok" if number % 3 else "crash",
                                             precision=("f32", "bf16")[number % 2]))
        take_in(cls.server, [document()])
        cls.runs = cls.server.get("/v1/runs?limit=200").json()["runs"]

    def listed(self, query):
        return [run["id"] for run in self.server.ask("/v1/runs" + query)["runs"]]

    def expect(self, query, holds):
        """Those runs in a list, newest first, and the finished ones of them in an export."""
        wanted = [run for run in self.runs if holds(run)]
        self.assertEqual([run["id"] for run in wanted], self.listed(query), query)
        self.assertEqual([run["id"] for run in wanted[::-1] if run["state"] == "finished"],
                         ids(export(self.server, query)), query)

    def test_by_precision_validity_and_provenance(self):
        for precision in ("f32", "bf16"):
            self.expect(f"?precision={precision}", lambda run: run["spec"]["precision"] == precision)
        for level in ("ok", "warn", "invalid"):
            self.expect(f"?validity={level}",
                        lambda run: (run["validity"] or {}).get("level") == level)
        for provenance in ("measured", "imported"):
            self.expect(f"?provenance={provenance}", lambda run: run["provenance"] == provenance)
        self.expect("?provenance=measured&precision=bf16&engine=ok",
                    lambda run: run["provenance"] == "measured" and run["spec"]["engine"] == "ok"
                    and run["spec"]["precision"] == "bf16")
        self.assertEqual(1, len(self.listed("?provenance=imported")))

    def test_pages_of_a_filter_follow_each_other(self):
        def ask(**question):
            return self.server.get("/v1/runs?since=1999-01-01&" + urlencode(question)).json()
        self.assertEqual(self.listed("?limit=200&since=1999-01-01"),
                         [run["id"] for page in pages(ask, limit=5) for run in page["runs"]])

"""The networks of 2017 and GPT-2 behind the service, by the real worker. That each of them trains is a
matter of tests/engine/train; here a few stand for all."""
from harness import ServerCase

BATCHES = {"mlp2017": 128, "lstm2017": 128, "gpt2_tiny": 4}
COMPARED = ("mlp2017", "lstm2017")


class Networks(ServerCase):
    """One run of each, which every test looks at."""
    @classmethod
    def prepare(cls):
        ids = {workload: cls.server.queue("native", workload=workload,
                                          steps=3 if workload in COMPARED else 1)
               for workload in BATCHES}
        cls.runs = {workload: cls.server.wait(run_id) for workload, run_id in ids.items()}

    def test_each_trains_with_its_own_batch(self):
        for workload, run in self.runs.items():
            with self.subTest(workload=workload):
                self.assertEqual("finished", run["state"], run)
                self.assertEqual(BATCHES[workload], run["spec"]["batch_size"])
                self.assertEqual("layerwise", run["engine_details"]["plan"])

    def test_a_run_in_bf16_has_a_certificate(self):
        run = self.server.run("native", workload="lstm2017", precision="bf16", batch_size=8)
        self.assertEqual("finished", run["state"], run)
        self.assertEqual(8, run["spec"]["batch_size"])
        self.assertGreater(run["gradient_cosine"], 0.999)

    def test_each_is_compared_with_its_own_kind_only(self):
        for workload in COMPARED:
            # All configurations: another test of this server runs another one of the same workload.
            path = (f"/v1/comparison?workload={workload}&configuration=all"
                    "&fields=newest_run,invalid_runs")
            rows = self.server.get(path).json()["rows"]
            newest = {row["newest_run"] for row in rows} - {None}
            # A busy machine may make the run invalid: then its row counts it, and names no run.
            self.assertTrue(self.runs[workload]["id"] in newest or any(row["invalid_runs"] for row in rows))
            for run in newest:
                self.assertEqual(workload, self.server.show(run)["spec"]["workload"])

    def test_text_is_counted_in_tokens_too(self):
        """In a run, a row, and the end of their CSV; 40 characters are a sample of lstm2017."""
        run = self.runs["lstm2017"]
        self.assertAlmostEqual(40 * run["summary"]["samples_per_second"],
                               run["tokens_per_second"]["value"], delta=1)
        self.assertIsNone(self.runs["mlp2017"]["tokens_per_second"])
        path = "/v1/comparison?configuration=all&workload="
        for workload, tokens in (("lstm2017", 40), ("mlp2017", None)):
            lines = self.server.get(path + workload + "&format=csv").rows()
            rows = self.server.get(path + workload).json()["rows"]
            for row, line in zip(rows, lines, strict=True):
                speed, value = row["throughput"]["value"] if row["throughput"] else None, row["tokens_per_second"]
                if not tokens or not row["throughput"] or not row["throughput"]["runs"]:
                    self.assertEqual((None, ""), (value, line["tokens_per_second"]))
                    continue
                self.assertAlmostEqual(1, value["value"] / tokens / speed)
                self.assertAlmostEqual(1, float(line["tokens_per_second"]) / value["value"], 4)

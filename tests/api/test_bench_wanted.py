"""bench --wanted: a candidate measures what its hub wants next, and says so where that is nothing."""
from datetime import datetime, timezone

from run_documents import document, take_in
from test_bench import Bench


class Wanted(Bench):
    def test_what_the_hub_wants_is_measured_and_reported(self):
        hub = self.own_server()
        runs = [document(number, vm=f"i{number:015x}", instance_type="other.large") for number in range(3)]
        for run in runs:
            run["spec"] |= {"engine": "native", "batch_size": 48, "precision": "f32"}
        take_in(hub, runs)
        flags = ("--wanted", "--report-to", hub.url, "--format", "json",
                 "--max-seconds", "60", "--label", "team=blue")
        wanted = hub.get("/v1/wanted?engine=native&instance_type=m5.large").json()["wanted"]
        self.assertEqual(("never_measured", "mlp2017", 48),
                         (wanted[0]["reason"], wanted[0]["spec"]["workload"],
                          wanted[0]["spec"]["batch_size"]))
        ended = self.bench(*flags)
        self.assertIn("the hub wants mlp2017 in f32, batch 48: ", ended.stderr)
        answer = ended.json()
        self.assertEqual("wanted", answer["bench"])
        self.assertEqual(2, len(answer["runs"]))
        for run in answer["runs"]:
            spec = hub.show(run["id"])["spec"]
            self.assertEqual(("mlp2017", 48, {"bench": "wanted", "team": "blue"}),
                             (spec["workload"], spec["batch_size"], spec["labels"]))
        again = hub.get("/v1/wanted?engine=native&instance_type=m5.large").json()["wanted"]
        self.assertEqual([2], [each["runs"] for each in again if each["spec"]["workload"] == "mlp2017"])
        table = self.bench("--wanted", "--report-to", hub.url, "--max-seconds", "60")
        self.assertRegex(table.out, r"(?m)^Bench +wanted, ")

    def test_a_hub_that_wants_nothing_is_a_success_that_says_so(self):
        hub = self.own_server()
        where = ("--report-to", hub.url)
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        for number, each in enumerate(hub.get("/v1/wanted?engine=native&instance_type=m5.large")
                                      .json()["wanted"] * 3):
            run = document(number, vm=f"i{number:015x}", instance_type="m5.large", ended_at=now)
            run["spec"] = each["spec"] | {"warmup_steps": 10, "steps": 50}
            self.assertEqual(201, hub.post(run, path="/v1/runs/import").status)
        ended = self.bench("--wanted", *where)
        self.assertEqual("the hub wants nothing more of m5.large: nothing was measured\n",
                         ended.out)
        ended = self.bench("--wanted", *where, "--format", "json")
        self.assertEqual({"bench": "wanted", "sweep": None, "words": "the hub wants nothing more of "
                          "m5.large: nothing was measured"}, ended.json())
        self.assertEqual([], hub.get("/v1/runs?label=bench=wanted").json()["runs"])

    def test_it_needs_a_hub_that_answers_and_a_type(self):
        ended = self.bench("--wanted", status=2)
        self.assertIn("--report-to", ended.stderr)
        ended = self.bench("--wanted", "--report-to", "http://127.0.0.1:1", status=1)
        hub = self.own_server()
        ended = self.bench("--wanted", "--report-to", hub.url, place=(), status=1)
        self.assertIn("--instance-type", ended.stderr)
        ended = self.bench("--wanted", "--report-to", f"http://127.0.0.1:{hub.port}/nowhere", status=1)
        self.assertIn("the hub answered 404 when asked what is wanted", ended.stderr)

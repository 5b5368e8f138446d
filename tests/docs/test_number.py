"""docs/number.md says what follows from its example: made again here, with arithmetic of its own."""
import json
import math
import re
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
from harness import ServerCase

T95_OF_2, T95_OF_3 = 4.302653, 3.182446  # Student's t, two-sided, by degrees of freedom
DOLLARS = 0.357
VM_SPREAD = 0.03


def squared_error(batches):
    return statistics.pvariance(batches) / len(batches)


class Number(ServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_ = json.loads((ROOT / "docs/examples/run.json").read_text())
        cls.page = " ".join((ROOT / "docs/number.md").read_text().split())
        cls.steps = cls.run_["steps"]["nanoseconds"]
        cls.summary = cls.run_["summary"]
        cls.fives = [statistics.mean(cls.steps[i:i + 5]) / 1e6 for i in range(1, len(cls.steps), 5)]
        best = min(range(len(cls.fives) // 2 + 1), key=lambda cut: squared_error(cls.fives[cut:]))
        cls.first = 1 + 5 * min(best + (2 * best + 2) // 3, len(cls.fives) // 2)
        cls.measured = cls.steps[cls.first:]
        cls.mean = statistics.mean(cls.measured) / 1e6
        cls.drift = cls.summary["interval"]["drift_percent"]
        # Of 35 steps with so much memory, two count; see test_the_interval.
        cls.half = T95_OF_3 * statistics.stdev(cls.measured) / 1e6 + cls.drift / 100 * cls.mean
        cls.speed = 8e9 * len(cls.measured) / sum(cls.measured)
        cls.faster = cls.summary["interval"]["disturbance_percent"]
        cls.low = 8e3 / (cls.mean + cls.half)
        cls.high = 8e3 / (cls.mean - cls.half) * (1 + cls.faster / 100)

    def says(self, *words):
        for word in words:
            self.assertIn(word, self.page)

    def test_the_example_is_what_was_asked(self):
        spec = self.run_["spec"]
        self.assertEqual(("resnet50", "bf16", 8, 1), tuple(
            spec[name] for name in ("workload", "precision", "batch_size", "threads")))
        self.assertEqual((20, 2, 40, "time_up"), (
            spec["min_seconds"], spec["target_percent"], spec["max_seconds"], self.run_["ended_by"]))
        init = (self.run_["setup_ns"] + self.steps[0]) / 1e9
        self.says(f"({init:.2f} s here) are `init_seconds`")

    def test_the_warm_up(self):
        self.assertEqual(self.first, self.summary["first_measured"])
        self.says(f"{squared_error(self.fives):.2f} with all {len(self.fives)} batches, "
                  f"{squared_error(self.fives[6:]):.2f} without the first six, and "
                  f"{squared_error(self.fives[7:]):.2f} without the first seven",
                  f"{self.first} steps are warm-up and the other {len(self.measured)} count")

    def test_the_drift(self):
        change = self.summary["warmup"]["change_percent"]
        later = min(((statistics.mean(self.measured[cut:]), cut)
                     for cut in range(5, len(self.measured), 5)),
                    key=lambda row: abs(row[0] / statistics.mean(self.measured[:row[1]]) - 1 - change / 100))
        self.assertAlmostEqual(self.drift, 100 * abs(self.mean * 1e6 / later[0] - 1), 9)
        self.says(f"the later part is {-change:.1f} % quicker", f"here by {self.drift:.1f} %",
                  f"{self.drift:.2f} % of {self.mean:.2f} ms")

    def test_the_throughput(self):
        seconds = sum(self.measured) / 1e9
        self.says(f"{len(self.measured)} steps of 8 samples are {8 * len(self.measured)} samples; they took "
                  f"{seconds:.3f} s: {self.speed:.3f} samples a second",
                  f"The median step ({statistics.median(self.measured) / 1e6:.1f} ms)",
                  f"it ended at {50 * (self.high - self.low) / self.speed:.1f} %")
        self.assertAlmostEqual(self.speed, self.summary["samples_per_second"], 9)

    def test_the_interval(self):
        batches = [statistics.mean(self.measured[i:i + 10]) / 1e6 for i in (0, 10, 20)]
        count, lag1 = len(self.measured), self.summary["lag1"]
        by_batches = T95_OF_2 * statistics.stdev(batches) / math.sqrt(3)
        corrected = lag1 + (1 + 4 * lag1) / count
        most = min(0.98, corrected + 2 * math.sqrt((1 - corrected ** 2) / count))
        self.assertLess(count * (1 - most) / (1 + most), 2)  # so it is taken for two
        self.assertLess(count * (1 - corrected ** 2) / (1 + corrected ** 2) - 1, 3)
        scatter = statistics.stdev(self.measured) / 1e6
        by_memory = T95_OF_3 * scatter * math.sqrt(1 / (1 - 1 / 2) / 2)
        self.assertGreater(by_memory, by_batches)
        self.says(f"(here with {lag1:.2f} at lag 1)",
                  "{:.1f}, {:.1f} and {:.1f} ms".format(*batches) + f": +- {by_batches:.2f} ms",
                  f"Here r is {corrected:.2f} and may be {most:.2f}", f"scatter by {scatter:.2f} ms",
                  f"+- {by_memory:.2f} ms, with t = {T95_OF_3:.3f}",
                  f"That makes +- {self.half:.2f} ms",
                  f"as samples a second, {self.low:.2f} to {self.high:.2f}.")
        self.assertAlmostEqual(self.low, self.summary["interval"]["low"], 4)
        self.assertAlmostEqual(self.high, self.summary["interval"]["high"], 4)

    def test_the_verdict(self):
        found = {finding["code"]: finding["value"] for finding in self.run_["validity"]["findings"]}
        self.assertEqual("ok", self.run_["validity"]["level"])
        self.assertAlmostEqual(self.faster, 100 * (1 / (1 - found["contention"] / 100) - 1), 9)
        self.says(f"took {found['steal']:.1f} % of the time, others {found['contention']:.3f} %, the clock "
                  f"moved by {found['clock']:.1f} %, so the interval reaches up by another "
                  f"{self.faster:.3f} %")

    def test_the_price(self):
        per_dollar = self.speed * 3600 / DOLLARS
        self.says(f"{self.speed:.3f} * 3600 / {DOLLARS} = {per_dollar:,.0f} samples per dollar",
                  f"1,000,000 / {per_dollar:,.0f} = ${1e6 / per_dollar:.2f}",
                  f"1,000,000 / {self.speed:.3f} / 3600 = {1e6 / self.speed / 3600:.1f} hours",
                  f"{self.low * 3600 / DOLLARS:,.0f} to {self.high * 3600 / DOLLARS:,.0f} samples per dollar")
        self.assertEqual(DOLLARS, self.run_["cost"]["price"]["price_per_hour"])

    def of_one_run(self, value, low, high):
        """The mixture over how runs of one machine spread; what others took is added on top."""
        error = math.log(value / low) / 1.959964
        spreads = [0.002 * 1.7 ** i for i in range(12)]
        priors = [r * (1 + (r / 0.03) ** 2 / 4) ** -2.5 for r in spreads]
        normal = statistics.NormalDist().cdf

        def above(x):
            return sum(p * normal(-x / math.hypot(error, r)) for p, r in zip(priors, spreads)) / sum(priors)
        least, most = 0, 3
        for _ in range(60):
            middle = (least + most) / 2
            least, most = (middle, most) if above(middle) > 0.025 else (least, middle)
        return value * math.exp(-least), value * math.exp(least) * high / value * low / value

    def between(self, value, low, high):
        half = 1.96 * VM_SPREAD
        return (value * math.exp(-math.hypot(math.log(value / low), half)),
                value * math.exp(math.hypot(math.log(high / value), half)))

    def test_what_it_is_held_against(self):
        low, high = self.between(self.speed, *self.of_one_run(self.speed, self.low, self.high))
        self.says(f"as {low:.2f} to {high:.2f} samples a second")
        half = math.hypot(math.log(high / low) / 2, math.log(high / low) / 2)
        for other, tied in ((17.0, True), (20.0, False)):
            ratio = self.speed / other
            ends = f"{ratio:.2f} ({ratio * math.exp(-half):.2f} to {ratio * math.exp(half):.2f})"
            self.assertEqual(tied, ratio * math.exp(half) >= 1 - 0.03)
            self.says(f"{other}", ends)

    def test_a_server_that_imports_the_example_computes_the_same(self):
        document = (ROOT / "docs/examples/run.json").read_text()
        taken = self.server.request("POST", "/v1/runs/import", document,
                                    {"Content-Type": "application/json"})
        self.assertEqual(201, taken.status, taken)
        self.assertEqual(self.run_["summary"]["interval"], taken.json()["summary"]["interval"])
        again = self.server.get(f"/v1/runs/{self.run_['id']}/recompute").json()
        self.assertIs(True, again["identical"])

    def test_the_thresholds_are_as_in_the_sources(self):
        judged = "".join((ROOT / "engine/stats" / name).read_text()
                         for name in ("validity.h", "validity.c"))
        value = {name: float(number) for name, number in
                 re.findall(r"^#define (\w+) ([\d.]+)", judged, re.M)}
        for words, name in (("clock between canaries, farthest from their median | > {:g} %", "CLOCK_WARN"),
                            ("speed of copying, the same | > {:g} %", "COPY_WARN"),
                            ("| < {:g}, <", "COSINE_MIN"), ("0.99, < {:g} |", "WORST_LAYER_MIN"),
                            ("does not fall ({:g} steps or more)", "LOSS_STEPS_MIN"),
                            ("pushed off a processor more than {:g} times", "SWITCHES_MIN")):
            self.says(words.format(value[name]))
        self.says(f"more than {100 * value['SHARE_WARN']:g} %, or half of the half-width")
        bound = (ROOT / "engine/stats/disturbance.c").read_text()
        self.assertIn("#define FAULT_SECONDS 0.01", bound)
        self.assertIn("#define GONE_MAX 0.5", judged)

"""docs/number.md says what follows from its example: made again here, with arithmetic of its own."""
import json
import math
import re
import statistics
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/api"))
from harness import ServerCase  # noqa: E402

T95_OF_5 = 2.570582  # Student's t, two-sided, five degrees of freedom
DOLLARS = 0.357
VM_SPREAD = 0.03


def median_noise(span, medians):
    return 1.75 * statistics.median(abs(step - medians[i // 5]) for i, step in enumerate(span))


def trend(span):
    score = sum((later > sooner) - (later < sooner)
                for i, sooner in enumerate(span) for later in span[i + 1:])
    n = len(span)
    return (score - math.copysign(1, score)) / math.sqrt(n * (n - 1) * (2 * n + 5) / 18)


class Number(ServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_ = json.loads((ROOT / "docs/examples/run.json").read_text())
        cls.page = " ".join((ROOT / "docs/number.md").read_text().split())
        cls.steps = cls.run_["steps"]["nanoseconds"]
        cls.measured = cls.steps[6:]
        batches = [statistics.mean(cls.measured[i:i + 10]) / 1e6 for i in range(0, 60, 10)]
        cls.batches, cls.mean = batches, statistics.mean(batches)
        cls.half = T95_OF_5 * statistics.stdev(batches) / math.sqrt(6)
        cls.speed = 8e9 * len(cls.measured) / sum(cls.measured)
        cls.low, cls.high = 8e3 / (cls.mean + cls.half), 8e3 / (cls.mean - cls.half)

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
        self.says(f"{init:.2f} s here, is `init_seconds`")

    def test_the_warm_up(self):
        for start, steady in ((1, False), (6, True)):
            span = self.steps[start:start + 15]
            medians = [statistics.median(span[i:i + 5]) for i in (0, 5, 10)]
            apart = (max(medians) - min(medians)) / 1e6
            allowed = max(0.01 * min(medians), 2 * median_noise(span, medians)) / 1e6
            self.assertEqual(steady, apart <= allowed and abs(trend(span)) < 1.645)
            self.says(f"{apart:.1f} ms apart, where {allowed:.1f} are allowed, and z is {trend(span):.2f}")
            if not steady:
                self.says("{:.1f}, {:.1f} and {:.1f} ms".format(*(m / 1e6 for m in medians)))
        self.says(f"6 steps are warm-up and the other {len(self.measured)} count")

    def test_the_throughput_and_its_interval(self):
        seconds = sum(self.measured) / 1e9
        self.says(f"{len(self.measured)} steps of 8 samples are {8 * len(self.measured)} samples; they took "
                  f"{seconds:.3f} s: {self.speed:.3f} samples a second",
                  "{:.1f}, {:.1f}, {:.1f}, {:.1f}, {:.1f} and {:.1f} ms".format(*self.batches),
                  f"{self.mean:.1f} ms, s = {statistics.stdev(self.batches):.2f}, t = {T95_OF_5:.3f}, "
                  f"so +- {self.half:.2f} ms",
                  f"{self.low:.2f} to {self.high:.2f} samples a second",
                  f"The median step ({statistics.median(self.measured) / 1e6:.1f} ms)",
                  f"it ended at {50 * (self.high - self.low) / self.speed:.1f} %")
        mean = statistics.mean(self.batches)
        products = sum((a - mean) * (b - mean) for a, b in zip(self.batches, self.batches[1:]))
        lag1 = products / sum((a - mean) ** 2 for a in self.batches)
        self.says(f"{lag1:.2f} at lag 1: the machine")
        summary = self.run_["summary"]
        self.assertAlmostEqual(self.speed, summary["samples_per_second"], 9)
        self.assertAlmostEqual(self.low, summary["interval"]["low"], 5)
        self.assertAlmostEqual(self.high, summary["interval"]["high"], 5)
        self.says(f"(here with {summary['lag1']:.2f} at lag 1)")

    def test_the_verdict(self):
        found = {finding["code"]: finding["value"] for finding in self.run_["validity"]["findings"]}
        self.assertEqual("ok", self.run_["validity"]["level"])
        self.says(f"took {found['steal']:.1f} %, threads waited for {found['contention']:.1f} % of their "
                  f"time, the clock moved by {found['clock']:.1f} %")

    def test_the_price(self):
        per_dollar = self.speed * 3600 / DOLLARS
        self.says(f"{self.speed:.3f} * 3600 / {DOLLARS} = {per_dollar:,.0f} samples per dollar",
                  f"1,000,000 / {per_dollar:,.0f} = ${1e6 / per_dollar:.2f}",
                  f"1,000,000 / {self.speed:.3f} / 3600 = {1e6 / self.speed / 3600:.1f} hours",
                  f"{self.low * 3600 / DOLLARS:,.0f} to {self.high * 3600 / DOLLARS:,.0f} samples per dollar")
        self.assertEqual(DOLLARS, self.run_["cost"]["price"]["price_per_hour"])

    def between(self, value, low, high):
        half = 1.96 * VM_SPREAD
        return (value * math.exp(-math.hypot(math.log(value / low), half)),
                value * math.exp(math.hypot(math.log(high / value), half)))

    def test_what_it_is_held_against(self):
        low, high = self.between(self.speed, self.low, self.high)
        self.says(f"as {low:.2f} to {high:.2f} samples a second")
        half = math.hypot(math.log(high / low) / 2, math.log(high / low) / 2)
        for other, tied in ((17.0, True), (20.0, False)):
            ratio = self.speed / other
            ends = f"{ratio:.2f} ({ratio * math.exp(-half):.2f} to {ratio * math.exp(half):.2f})"
            self.assertEqual(tied, ratio * math.exp(half) >= 1 - 0.03)
            self.says(f"{other}", ends)

    def test_whoever_takes_the_example_in_comes_to_the_same(self):
        document = (ROOT / "docs/examples/run.json").read_text()
        taken = self.server.request("POST", "/v1/runs/import", document,
                                    {"Content-Type": "application/json"})
        self.assertEqual(201, taken.status, taken)
        self.assertEqual(self.run_["summary"]["interval"], taken.json()["summary"]["interval"])
        again = self.server.get(f"/v1/runs/{self.run_['id']}/recompute").json()
        self.assertIs(True, again["identical"])

    def test_the_thresholds_are_those_of_the_sources(self):
        judged = (ROOT / "engine/validity.c").read_text()
        value = {name: float(number) for name, number in
                 re.findall(r"^#define (\w+) ([\d.]+)", judged, re.M)}
        for words, name in (("clock between canaries, farthest from their median | > {:g} %", "CLOCK_WARN"),
                            ("time taken by the hypervisor | > {:g} %", "STEAL_WARN"),
                            ("others used it | > {:g} %", "WAIT_WARN"),
                            ("speed of copying, the same | > {:g} %", "COPY_WARN"),
                            ("| < {:g}, <", "COSINE_MIN"), ("0.99, < {:g} |", "WORST_LAYER_MIN"),
                            ("does not fall ({:g} steps or more)", "LOSS_STEPS_MIN"),
                            ("pushed off a processor more than {:g} times", "SWITCHES_MIN")):
            self.says(words.format(value[name]))
        self.says(f"hypervisor | > 1 % | > {value['STEAL_INVALID']:g} %",
                  f"median | > 5 % | > {value['CLOCK_INVALID']:g} %")


if __name__ == "__main__":
    unittest.main()

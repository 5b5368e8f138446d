"""An answer depends only on what is left: after imports in any order, voids that come and go, prices and
their withdrawals, a server answers like another one that got only the runs that still count and the
last prices. What an answer says of its rows agrees with itself in JSON, CSV, Markdown and SVG."""
import csv
import io
import math
import os
import random
import unittest
from urllib.parse import urlencode

from harness import Server
from run_documents import document, machine, take_in

SEEDS = os.environ.get("PENNYWORTH_TEST_SEQUENCES", "1,2,3,4")
QUESTIONS = ({}, {"configuration": "all"}, {"sort": "throughput"},
             {"deadline_h": 5, "samples": 1e8}, {"budget": 1, "samples": 1e8},
             {"margin": 0, "vm_spread": 0}, {"hourly_value": 2}, {"price": "paid,typed"},
             {"reference": "c0.large"}, {"utility": "samples_per_dollar - hours"})
# When a price was entered, which is not the same on both servers.
OF_THE_CLOCK = {"source_time", "valid_from"}


def fleet(chance):
    """Runs of a few types: machines that differ much or little, two processors, two versions, runs
    that are too short for an interval."""
    runs = []
    for number in range(chance.randint(3, 6)):
        name = f"{'cm'[number % 2]}{number // 2}.large"
        speed = math.exp(chance.uniform(math.log(4e6), math.log(6e6)))
        spread = chance.choice((0, 0.01, 0.05, 0.2))
        for vm in range(chance.choice((1, 2, 3, 5))):
            of_vm = speed * math.exp(chance.gauss(0, spread))
            model = chance.choice((0, 0, 0, 1))
            facts = {"isa": "avx2", "cores": 2, "cpu_model": f"M{model}", "number": number * 9 + vm}
            for _ in range(chance.choice((1, 1, 2, 3))):
                ended = len(runs) + 1
                batch = chance.choice((32, 32, 32, 64))
                run = document(ended, steps=chance.choice((60, 60, 60, 12, 200)),
                               nanoseconds=int(of_vm * math.exp(chance.gauss(0, 0.003))) * batch // 32,
                               instance_type=name, vm=f"i{number * 9 + vm:015x}", region="us-east-1",
                               machine=machine(facts, f"{model:016x}"),
                               software=chance.choice(("elsewhere 1.0", "elsewhere 1.1")),
                               ended_at=f"2026-01-02T00:{ended // 60:02}:{ended % 60:02}Z",
                               started_at="2026-01-02T00:00:00Z", created_at="2026-01-01T23:00:00Z")
                run["spec"]["batch_size"] = batch
                runs.append(run)
    return runs


class World:
    """A server, and what it has got that still counts."""

    def __init__(self, test, chance):
        self.test, self.chance = test, chance
        self.coming = fleet(chance)
        self.types = sorted({run["instance_type"] for run in self.coming})
        chance.shuffle(self.coming)
        self.there, self.voided, self.prices = {}, set(), {name: [] for name in self.types}
        self.server = self.start()

    def start(self):
        server = Server("--provider", "aws", "--region", "us-east-1", "--instance-type", "our.box",
                        "--life-cycle", "on_demand").start()
        self.test.addCleanup(server.stop)
        return server

    def send(self, server, runs):
        if runs:
            take_in(server, runs)

    def enter(self, server, name, dollars):
        return server.price(name, dollars, provider="aws")["id"]

    def send_some(self):
        some = [self.coming.pop() for _ in range(min(len(self.coming), self.chance.randint(1, 8)))]
        self.send(self.server, some)
        self.there |= {run["id"]: run for run in some}

    def void_one(self):
        counting = sorted(set(self.there) - self.voided)
        if counting:
            run = self.chance.choice(counting)
            reply = self.server.post({"reason": "x"}, path=f"/v1/runs/{run}/void")
            self.test.assertEqual(200, reply.status, reply)
            self.voided.add(run)

    def lift_one(self):
        if self.voided:
            run = self.chance.choice(sorted(self.voided))
            self.test.assertEqual(200, self.server.delete(f"/v1/runs/{run}/void").status)
            self.voided.remove(run)

    def price_one(self):
        name, dollars = self.chance.choice(self.types), round(self.chance.uniform(0.05, 0.5), 3)
        self.prices[name].append((self.enter(self.server, name, dollars), dollars))

    def withdraw_one(self):
        name = self.chance.choice(self.types)
        if self.prices[name]:
            price, _ = self.prices[name].pop()
            reply = self.server.post({"reason": "x"}, path=f"/v1/prices/{price}/withdraw")
            self.test.assertEqual(200, reply.status, reply)

    def ask_something(self):
        self.test.check(self.server, {})

    def live(self):
        steps = (self.send_some, self.send_some, self.void_one, self.lift_one, self.price_one,
                 self.withdraw_one, self.ask_something)
        while self.coming or self.chance.random() < 0.7:
            self.chance.choice(steps)()

    def again(self):
        """Another server that gets what is left, oldest first."""
        server = self.start()
        self.send(server, [run for name, run in sorted(self.there.items())
                           if name not in self.voided])
        for name in self.types:
            if self.prices[name]:
                self.enter(server, name, self.prices[name][-1][1])
        return server


def differences(left, right, path=""):
    """Where two answers differ by more than the order in which numbers were added up."""
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        return [each for name in left if name not in OF_THE_CLOCK and not name.endswith("_at")
                for each in differences(left[name], right[name], f"{path}.{name}")]
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return [each for i, pair in enumerate(zip(left, right))
                for each in differences(*pair, f"{path}[{i}]")]
    if isinstance(left, float) and isinstance(right, (int, float)) and math.isclose(
            left, right, rel_tol=1e-9):
        return []
    return [] if left == right else [(path, left, right)]


class Sequences(unittest.TestCase):
    def ask(self, server, question, form="json", path="/v1/comparison"):
        question = {"workload": "mlp2017", **question, **({} if form == "svg" else {"format": form})}
        reply = server.get(f"{path}?{urlencode(question)}")
        if reply.status == 400 and reply.json()["field"] == "reference":
            return None  # all of its runs were voided
        self.assertEqual(200, reply.status, reply)
        return reply.json() if form == "json" else reply.body.decode()

    def check_rank(self, row, rows, ranked):
        apart = row["cannot_be_told_apart_from"]
        low, high = row["rank"]["low"], row["rank"]["high"]
        self.assertTrue(1 <= low <= high <= ranked, row)
        self.assertEqual(high - low, apart["count"], row)
        for other in apart["rows"]:
            self.assertIn(row["id"], rows[other]["cannot_be_told_apart_from"]["rows"])
        if row["may_be_best"]:
            self.assertEqual(1, low)

    def check_rows(self, answer):
        rows = {row["id"]: row for row in answer["rows"]}
        for row in answer["rows"]:
            self.assertNotEqual(row["rank"] is None, row["why_no_rank"] is None, row)
            if row["rank"]:
                self.check_rank(row, rows, answer["ranked"])
            if row["samples_per_dollar"]:
                self.assertAlmostEqual(
                    1, row["samples_per_dollar"]["value"] * row["price"]["price_per_hour"] /
                    row["throughput"]["value"] / 3600, places=9)
        if answer["ranked"]:
            self.assertTrue(answer["rows"][0]["may_be_best"])

    def check_front(self, rows):
        jobs = [(row["job"]["hours"], row["job"]["dollars"], row["pareto"]) for row in rows
                if row["job"] and row["job"]["dollars"]]
        for hours, dollars, on_front in jobs:
            beaten = any(h <= hours and d <= dollars and (h, d) != (hours, dollars)
                         for h, d, _ in jobs)
            self.assertEqual(on_front, not beaten)

    def check_forms(self, server, question, rows):
        header, *table = csv.reader(io.StringIO(self.ask(server, question, "csv")))
        self.assertEqual(len(header), len(set(header)))
        self.assertEqual(len(rows), len(table))
        markdown = self.ask(server, question, "markdown")
        picture = self.ask(server, question, "svg", "/v1/comparison.svg")
        for row, cells in zip(rows, (dict(zip(header, line)) for line in table)):
            rank = row["rank"] or {"low": "", "high": ""}
            self.assertEqual((row["instance_type"], str(rank["low"]), str(rank["high"]),
                              row["why_no_rank"] or ""),
                             (cells["instance_type"], cells["rank_low"], cells["rank_high"],
                              cells["why_no_rank"]))
            if row["samples_per_dollar"]:
                self.assertAlmostEqual(1, float(cells["samples_per_dollar"]) /
                                       row["samples_per_dollar"]["value"], places=4)
            self.assertIn(row["instance_type"], markdown)
            self.assertIn(row["instance_type"], picture)

    def check(self, server, question):
        answer = self.ask(server, question)
        if answer:
            self.check_rows(answer)
            self.check_front(answer["rows"])
            self.check_forms(server, question, answer["rows"])
        return answer

    def test_only_what_is_left_decides(self):
        for seed in SEEDS.split(","):
            world = World(self, random.Random(int(seed)))
            world.live()
            other = world.again()
            for question in QUESTIONS:
                with self.subTest(seed=seed, question=question):
                    lived, fresh = self.check(world.server, question), self.ask(other, question)
                    self.assertEqual([], differences(fresh, lived))

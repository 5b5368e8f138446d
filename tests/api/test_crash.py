"""kill -9, again and again, while clients post: what they were promised is kept.

PENNYWORTH_TEST_SEED makes the same choices again, and a share of the kills; PENNYWORTH_TEST_KILLS says
how many."""
import collections
import os
import random
import sqlite3
import threading
import time
import unittest

from harness import STATES, Server, fake, until, worker_pids

SHARE = 40 if "PENNYWORTH_TEST_SEED" in os.environ else 200
KILLS = int(os.environ.get("PENNYWORTH_TEST_KILLS", SHARE))
SEED = int(os.environ.get("PENNYWORTH_TEST_SEED", random.SystemRandom().randrange(1 << 32)))
CLIENTS = 4
ENGINES = {"fast": fake("ok", 0), "slow": fake("slow", 15), "crash": fake("crash"),
           "stubborn": fake("stubborn"), "silent": fake("silent")}
# Mostly runs that end soon, or the queue would only grow.
CHOICES = ["fast"] * 12 + ["slow"] * 3 + ["crash", "stubborn", "silent"]


class Client(threading.Thread):
    """Posts until stop is set, and keeps the answers."""

    def __init__(self, server, number, over):
        super().__init__()
        self.server, self.over = server, over
        self.chance = random.Random(SEED + 1 + number)
        self.number = number
        self.given = {}                              # id -> the spec it was given for
        self.by_key = collections.defaultdict(set)   # key -> ids
        self.specs = {}                              # key -> spec
        self.posts = self.failures = self.replays = 0
        self.surprises = []

    def new_spec(self):
        engine = self.chance.choice(CHOICES)
        return {"engine": engine, "warmup_steps": 0, "steps": self.chance.randint(1, 8),
                "max_seconds": 1, "labels": {"client": str(self.number)}}

    def try_once(self, spec, key):
        """True when the server has answered."""
        headers = {"Idempotency_Key": key} if key else {}
        try:
            reply = self.server.post(spec, **headers)
            if reply.status in (429, 503):
                return False
            if reply.status != 201:
                self.surprises.append(repr(reply))
                return True
            run_id = reply.json()["id"]
        except (OSError, ValueError, AttributeError, TypeError):
            self.failures += 1
            return False
        except Exception as problem:  # http.client has many; all mean: no whole answer
            if type(problem).__module__ != "http.client":
                self.surprises.append(repr(problem))
            self.failures += 1
            return False
        self.given[run_id] = spec
        self.replays += "idempotent-replayed" in reply.headers
        if key:
            self.by_key[key].add(run_id)
        return True

    def run(self):
        while not self.over.is_set():
            key, spec = None, self.new_spec()
            if self.chance.random() < 0.5:
                key = f"client {self.number} request {self.posts}"
                if self.specs and self.chance.random() < 0.2:
                    key = self.chance.choice(list(self.specs))  # long answered, asked again
                spec = self.specs.setdefault(key, spec)
            self.posts += 1
            answered = self.try_once(spec, key)
            while key and not answered and not self.over.is_set():
                time.sleep(0.002)
                answered = self.try_once(spec, key)
            time.sleep(self.chance.uniform(0, 0.06))


class Killing(unittest.TestCase):
    def setUp(self):
        self.server = Server("--queue-limit", "50", "--silence-seconds", "1", engines=ENGINES)
        self.chance = random.Random(SEED)
        self.over = threading.Event()
        self.clients = [Client(self.server, number, self.over) for number in range(CLIENTS)]
        self.early = 0

    def kill_and_start(self):
        """Most kills come while it serves, some while it is still starting."""
        self.server.kill()
        while self.chance.random() < 0.1:
            self.server.launch()
            time.sleep(self.chance.uniform(0, 0.03))
            self.server.kill()
            self.early += 1
        self.server.start()

    def storm(self):
        self.server.start()
        for client in self.clients:
            client.start()
        try:
            for _ in range(KILLS):
                time.sleep(self.chance.choice([self.chance.uniform(0, 0.05),
                                               self.chance.uniform(0, 0.6)]))
                self.kill_and_start()
        finally:
            self.over.set()
            for client in self.clients:
                client.join()

    def check_promises(self):
        states = collections.Counter()
        for client in self.clients:
            self.assertEqual([], client.surprises)
            self.assertGreater(len(client.given), 0)
            for key, ids in client.by_key.items():
                self.assertEqual(1, len(ids), f"{key} gave {ids}")
            for run_id, spec in client.given.items():
                run = self.server.show(run_id)  # it exists
                self.assertEqual({**run["spec"], **spec}, run["spec"])
                self.check_valid(run)
                states[run["state"]] += 1
        return states

    def check_valid(self, run):
        state = run["state"]
        self.assertIn(state, STATES - {"cancelled"}, run)
        if state == "finished":
            stored = run["steps_stored"]
            self.assertTrue(stored == run["spec"]["steps"] or run["ended_by"] == "time_up", run)
            steps = self.server.steps(run["id"])
            self.assertEqual(list(range(stored)), [step["index"] for step in steps])
        if state in ("failed", "interrupted"):
            self.assertTrue(run["reason"], run)

    def check_database(self):
        database = sqlite3.connect(self.server.database)
        self.addCleanup(database.close)

        def ask(sql):
            return database.execute(sql).fetchall()
        self.assertEqual([("ok",)], ask("PRAGMA integrity_check"))
        self.assertEqual([], ask("PRAGMA foreign_key_check"))
        self.assertEqual([(0,)], ask("SELECT count(*) FROM runs WHERE state = 'running'"))
        self.assertEqual([], ask("SELECT number FROM runs WHERE steps <> "
                                 "(SELECT count(*) FROM steps WHERE run = number)"))
        return [run_id for run_id, in ask("SELECT id FROM runs")]

    def test_promises_survive_kill_9(self):
        print(f"seed {SEED}: {KILLS} kills", flush=True)
        self.storm()
        states = self.check_promises()
        self.server.stop()
        everything = self.check_database()
        until(lambda: not worker_pids(everything), "no worker is left")
        given = sum(len(client.given) for client in self.clients)
        self.assertLessEqual(given, len(everything))
        print(f"{KILLS} kills and {self.early} during the start, "
              f"{sum(client.posts for client in self.clients)} posts, "
              f"{sum(client.failures for client in self.clients)} without an answer, "
              f"{sum(client.replays for client in self.clients)} replayed, "
              f"{given} ids given, {len(everything)} runs stored, "
              + ", ".join(f"{count} {state}" for state, count in sorted(states.items())))

"""Runs that somebody altered in the database: pennyworth check names each, and in what."""
import contextlib
import os
import re
import shutil
import sqlite3
import tempfile
import unittest

from harness import Server, fake, pennyworth
from run_documents import document, run_id, take_in

RUNS = 60


class Altered(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="pennyworth-altered-"))
        cls.good = os.path.join(cls.folder, "good.db")
        server = Server(database=cls.good, engines={"ok": fake("ok")}).start()
        cls.measured = server.queue(steps=50)
        server.wait(cls.measured)
        take_in(server, map(document, range(RUNS)))
        server.stop()

    def setUp(self):
        self.database = os.path.join(self.folder, "altered.db")
        shutil.copy(self.good, self.database)

    def alter(self, *statements):
        with contextlib.closing(sqlite3.connect(self.database)) as db:
            for statement in statements:
                self.assertGreater(db.execute(statement).rowcount, 0, statement)
            db.commit()

    def check(self, *words, status=0):
        done = pennyworth("check", *words, "--database", self.database)
        self.assertEqual(status, done.returncode, done)
        return done

    def named(self, *words):
        """What is said of each run, by its id."""
        done = self.check(*words, status=1)
        self.assertIn("cannot be relied on", done.stderr)
        self.assertEqual("", done.stdout)
        return dict(re.findall(r"^run (\S+) was altered: (.*)$", done.stderr, re.M))

    def test_an_unaltered_database_is_sound(self):
        self.assertIn(f"\n{RUNS + 1} checksums hold, {RUNS + 1} summaries and verdicts follow from "
                      "their steps\nok\n", self.check().stdout)

    def test_each_part_of_an_answer_is_named(self):
        for change, parts in (
                ("samples_per_second = samples_per_second * 1.01", "samples_per_second"),
                ("throughput_low = throughput_low * 0.9", "throughput_low"),
                ("first_measured = first_measured + 1", "first_measured"),
                ("summary = json_set(summary, '$.samples_per_second', 9e9)", "summary"),
                ("summary = '{}'", "summary"), ("summary = 'words'", "summary"),
                ("validity = 'warn'", "validity"),
                ("findings = '[{\"check\": \"x\"}]'", "findings"), ("findings = NULL", "findings")):
            with self.subTest(change):
                self.setUp()
                self.alter(f"UPDATE runs SET {change} WHERE number = 3")
                self.assertEqual({run_id(1): parts + ", checksum"}, self.named())

    def test_a_step_that_was_altered_is_named(self):
        self.alter("UPDATE steps SET nanoseconds = nanoseconds + 1 WHERE run = 1 AND position = 30")
        self.assertRegex(self.named()[self.measured], r"^summary, .*checksum$")

    def test_a_step_that_was_altered_with_all_that_follows_from_it_is_named(self):
        run = document(1)
        run["steps"]["nanoseconds"][30] += 1000
        other = Server(database=os.path.join(self.folder, "other.db")).start()
        self.assertEqual(201, other.post(run, path="/v1/runs/import").status)
        other.stop()
        names = ("summary", "findings", "validity", "samples_per_second", "measured_seconds",
                 "median_step_seconds", "throughput_low", "throughput_high")
        with contextlib.closing(sqlite3.connect(other.database)) as db:
            steps = db.execute("SELECT steps FROM traces").fetchone()
            result = db.execute(f"SELECT {', '.join(names)} FROM runs").fetchone()
        with contextlib.closing(sqlite3.connect(self.database)) as db:
            db.execute("UPDATE traces SET steps = ? WHERE run = 3", steps)
            db.execute(f"UPDATE runs SET ({', '.join(names)}) = ({', '.join('?' * len(names))})"
                       " WHERE number = 3", result)
            db.commit()
        self.assertEqual({run_id(1): "checksum"}, self.named())

    def test_what_no_conclusion_follows_from_has_a_checksum(self):
        for change in ("UPDATE runs SET sender = 'somebody' WHERE number = 1",
                       "UPDATE runs SET software = 'another 1.0' WHERE number = 1",
                       "UPDATE runs SET zone = 'us-east-1z' WHERE number = 1"):
            with self.subTest(change):
                self.setUp()
                self.alter(change)
                self.assertEqual({self.measured: "checksum"}, self.named())
        self.alter("UPDATE runs SET checksum = NULL WHERE number = 2")
        self.assertEqual("checksum (it has none)", self.named()[run_id(0)])

    def test_many_are_named_and_the_rest_counted(self):
        self.alter("UPDATE runs SET validity = 'invalid' WHERE number > 1")
        done = self.check(status=1)
        self.assertEqual(50, done.stderr.count("was altered"))
        self.assertIn(f"\nand {RUNS - 50} more\n", done.stderr)
        self.assertIn(f"{RUNS} of {RUNS + 1} runs were altered", done.stderr)

    def test_a_sample_is_of_so_many_and_the_same_again_with_its_seed(self):
        done = self.check("--sample", "10").stdout
        seed = re.search(rf"\na sample of 10 of {RUNS + 1} runs, with --seed (\d+)\n10 checksums", done)
        self.assertTrue(seed, done)
        self.alter("UPDATE runs SET validity = 'invalid'")
        chosen = [set(self.named("--sample", "10", "--seed", which))
                  for which in (seed[1], seed[1], str(int(seed[1]) + 1))]
        self.assertEqual([10] * 3, [len(each) for each in chosen])
        self.assertEqual(chosen[0], chosen[1])
        self.assertNotEqual(chosen[0], chosen[2])
        self.assertEqual(RUNS + 1, len(self.check("--sample", "1000", status=1).stderr.split(
            "was altered")) - 1 + RUNS + 1 - 50)

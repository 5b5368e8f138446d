"""A run's number and whether it may be accepted: what ends a run, what it leaves as evidence, the
verdict over it, the same number made again, and what a machine refuses to try."""
import glob
import os
import unittest
from pathlib import Path

from harness import SANITIZED, Server, ServerCase, fake

ENGINES = {name: fake(name) for name in ("ok", "singing", "wavering", "talkative", "askew")}
ENGINES["slow"] = fake("slow", 20)
COUNTERS = ("cpu_ticks", "steal_ticks", "throttled_periods", "throttled_microseconds",
            "involuntary_switches", "waited_nanoseconds", "cpu_nanoseconds", "major_faults",
            "pages_swapped_in")
# As in engine/process/preload.c: the spec's field and word, names of the library, Debian's package.
LIBRARIES = (("openmp", "llvm", ("libomp.so.5", "libomp.so"), "libomp5"),
             ("allocator", "tcmalloc", ("libtcmalloc_minimal.so.4", "libtcmalloc.so.4"),
              "libtcmalloc-minimal4"),
             ("allocator", "jemalloc", ("libjemalloc.so.2",), "libjemalloc2"),
             ("allocator", "mimalloc", ("libmimalloc.so.3", "libmimalloc.so.2"),
              "libmimalloc2.0"))
FOLDERS = ("/usr/local/lib", "/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib",
           "/usr/lib/llvm-*/lib")
# An engine in few words: it tells in its name what was loaded before it.
TELLER = """#!/bin/sh
read -r spec
echo '{"type":"hello","protocol":1,"software":"preloaded '"$LD_PRELOAD"'"}'
for index in 0 1 2; do
    echo '{"type":"step","index":'$index',"nanoseconds":1000000,"loss":1}'
done
echo '{"type":"done","steps":3}'
"""


def installed(names):
    return any(glob.glob(f"{folder}/{name}") for name in names for folder in FOLDERS)


def finding(run, code):
    """The one with this code; None when nothing was found of that kind."""
    found = [one for one in run["validity"]["findings"] if one["code"] == code]
    assert len(found) <= 1, found
    return found[0] if found else None


class Measured(ServerCase):
    ENGINES = ENGINES
    FLAGS = ("--price-per-hour", "3600")  # a dollar a second

    def finished(self, engine, **fields):
        run = self.server.run(engine, **fields)
        self.assertEqual("finished", run["state"], run)
        return run

    def recomputed(self, run, server=None):
        reply = (server or self.server).get(f"/v1/runs/{run['id']}/recompute")
        self.assertEqual(200, reply.status, reply)
        return reply.json()


class Ending(Measured):
    def test_a_target_ends_a_run(self):
        run = self.finished("slow", steps="auto", warmup_steps="auto", min_seconds=1,
                            target_percent=5)
        self.assertEqual("target", run["ended_by"])
        summary = run["summary"]
        self.assertLessEqual(summary["half_width_percent"], 5)
        self.assertGreaterEqual(summary["measured_seconds"], 1)
        self.assertTrue(summary["warmup"]["steady_state"])
        self.assertLessEqual(summary["interval"]["low"], summary["samples_per_second"])
        self.assertGreaterEqual(summary["interval"]["high"], summary["samples_per_second"])

    def test_dollars_end_a_run(self):
        run = self.finished("slow", steps=100000, max_dollars=1.5)
        self.assertEqual("dollars_up", run["ended_by"])
        self.assertLess(run["summary"]["measured_seconds"], 3)
        self.assertEqual(1.5, run["spec"]["max_dollars"])

    def test_dollars_are_refused_where_there_is_no_price(self):
        server = self.own_server(engines=ENGINES)
        problem = self.assertProblem(server.post({"engine": "ok", "max_dollars": 1}), 422,
                                     "not-possible-here", "max_dollars")
        self.assertIn("--price-per-hour", problem["detail"])

    def test_progress_has_the_phase_and_the_cost(self):
        run_id = self.server.begin("slow", warmup_steps=20)
        phases, dollars = set(), []
        while "measuring" not in phases:
            progress = self.server.show(run_id)["progress"]
            if progress:
                phases.add(progress["phase"])
                dollars += [progress["dollars"]] if progress["dollars"] else []
        self.assertEqual({"warm_up", "measuring"}, phases)
        self.assertEqual(sorted(dollars), dollars)
        self.server.delete(f"/v1/runs/{run_id}")


class Evidence(Measured):
    def evidence(self, run):
        reply = self.server.get(f"/v1/runs/{run['id']}/evidence")
        self.assertEqual(200, reply.status, reply)
        return reply.json()

    def test_counters_grow_with_the_steps(self):
        run = self.finished("slow", steps=140)
        seen = self.evidence(run)["observations"]
        self.assertGreater(len(seen), 3)
        for name in ("steps", "seconds", *COUNTERS):
            values = [one[name] for one in seen]
            if None in values:
                self.assertIn(name, COUNTERS)
                continue
            self.assertEqual(sorted(values), values, name)
        self.assertEqual(0, seen[0]["steps"])
        self.assertEqual(1, seen[1]["steps"], "the loading is apart")
        self.assertGreater(seen[-1]["seconds"], seen[0]["seconds"])

    def test_canaries_are_kept_with_their_place(self):
        run = self.finished("singing", steps=20)
        self.assertEqual([{"steps": steps, "hertz": 3e9, "copy_bytes_per_second": 1e10}
                          for steps in (0, 20)], self.evidence(run)["canaries"])
        self.assertEqual([], self.evidence(self.finished("ok"))["canaries"])

    def test_a_run_points_to_its_machine(self):
        run = self.finished("ok")
        listed = self.server.get("/v1/machines").json()
        self.assertEqual(listed["here"], run["machine"])
        self.assertIn(listed["here"], [one["fingerprint"] for one in listed["machines"]])
        machine = self.server.get("/v1/machines/" + run["machine"]).json()
        self.assertIn(machine, listed["machines"])
        self.assertEqual(len(os.sched_getaffinity(0)), machine["facts"]["processors"])
        self.assertEqual(os.uname().release, machine["facts"]["kernel"])


class Recomputing(Measured):
    def test_the_stored_steps_give_the_same_number(self):
        for engine in ("slow", "talkative", "wavering"):
            run = self.finished(engine, steps=60, warmup_steps=5)
            answer = self.recomputed(run)
            self.assertIs(True, answer["identical"], engine)
            for part in ("stored", "recomputed"):
                self.assertEqual({"summary": run["summary"], "validity": run["validity"]},
                                 answer[part])

    def test_a_change_by_another_program_is_noticed(self):
        run = self.finished("ok", steps=60)
        changed = self.server.sql("UPDATE steps SET nanoseconds = nanoseconds + 1 WHERE position = 30 AND run ="
                                  " (SELECT number FROM runs WHERE id = ?) RETURNING run", run["id"])
        self.assertEqual(1, len(changed))
        answer = self.recomputed(run)
        self.assertIs(False, answer["identical"])
        self.assertEqual(run["summary"], answer["stored"]["summary"])
        self.assertLess(answer["recomputed"]["summary"]["samples_per_second"],
                        run["summary"]["samples_per_second"])
        self.assertEqual(run["summary"], self.server.show(run["id"])["summary"])

    def test_without_a_summary_there_is_nothing_to_compare(self):
        run_id = self.server.begin("slow")
        path = f"/v1/runs/{run_id}/recompute"
        self.assertProblem(self.server.get(path), 409, "conflict")
        self.server.cancel(run_id)
        self.assertProblem(self.server.get(path), 409, "conflict")


class Verdicts(Measured):
    def test_a_gradient_at_another_angle_is_no_training_in_that_precision(self):
        run = self.finished("askew", steps=40, precision="bf16")
        found = finding(run, "gradient")
        self.assertEqual((0.5, 0.5, "invalid", "invalid"),
                         (run["gradient_cosine"], found["value"], found["level"], run["validity"]["level"]))

    def test_emulation_and_reference_implementations_are_reported(self):
        run = self.finished("talkative", steps=40, precision="bf16")
        found = finding(run, "emulated")
        self.assertEqual("warn", found["level"])
        self.assertIn("bf16", found["words"])
        self.assertEqual("warn", finding(run, "implementations")["level"])


class Libraries(ServerCase):
    @classmethod
    def prepare(cls):
        teller = Path(cls.server.folder) / "teller"
        teller.write_text(TELLER)
        teller.chmod(0o755)
        cls.telling = Server(engines={"teller": str(teller)}, environment={"LD_PRELOAD": ""}).start()
        cls.addClassCleanup(cls.telling.stop)

    def test_a_missing_library_is_refused_with_its_package(self):
        missing = [one for one in LIBRARIES if not installed(one[2])]
        if not missing:
            self.skipTest("all these libraries are installed here")
        for field, word, _, package in missing:
            with self.subTest(word):
                problem = self.assertProblem(self.server.post({"engine": "ok", field: word}), 422,
                                             "not-possible-here", field)
                self.assertIn(f"Debian package {package}", problem["detail"])

    @unittest.skipIf(SANITIZED, "a sanitizer wants to be the first library")
    def test_an_installed_library_is_loaded_before_the_engine(self):
        present = [one for one in LIBRARIES if installed(one[2])]
        if not present:
            self.skipTest("none of these libraries is installed here")
        for field, word, names, _ in present:
            with self.subTest(word):
                run = self.telling.run("teller", **{field: word})
                self.assertEqual("finished", run["state"], run)
                preloaded = run["software"].partition(" ")[2].partition(":")[0]
                self.assertIn(Path(preloaded).name, names)
                self.assertTrue(Path(preloaded).exists())

    def test_otherwise_nothing_is(self):
        run = self.telling.run("teller")
        self.assertEqual(("finished", "preloaded "), (run["state"], run["software"]), run)

    @unittest.skipIf(SANITIZED, "a sanitizer wants to be the first library")
    def test_a_run_has_the_real_details_of_its_engine(self):
        for field, word, names, _ in LIBRARIES:
            if installed(names):
                run = self.server.run("native", steps=200, threads=1, **{field: word})
                self.assertEqual("finished", run["state"], run)
                self.assertEqual(word, run["loaded"][field])
        run = self.server.run("native", steps=200, threads=1)
        self.assertEqual(("system", "gnu"), (run["loaded"]["allocator"], run["loaded"]["openmp"]))

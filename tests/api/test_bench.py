"""pennyworth bench: real binaries; a server takes the part of the hub."""
import os
import re
import signal
import types
import unittest

from candidate import GOOD, PLACE, QUICK_ENGINE, SLOW_ENGINE, TOKEN, Candidate, FakeHub
from feed_server import FeedServer
from harness import Case, fake, until
from neighbours import NAME, busy_neighbour
from test_preempted import Gcp
from waiting import free_port


class Bench(Case):
    def setUp(self):
        self.candidate = Candidate(self)

    def check(self, ended, status):
        self.assertEqual(status, ended.status, ended)
        return ended

    def bench(self, *flags, status=0, **options):
        """A bench from its start to its end."""
        return self.check(self.candidate.run("bench", *flags, **options), status)


class Alone(Bench):
    def test_it_prints_a_table_and_nothing_else(self):
        ended = self.bench("--set", "quick")
        self.assertTrue(ended.out.startswith("Bench    quick, "), ended)
        self.assertIn("m5.large, aws, us-east-1", ended.out)
        self.assertIn("0.36 USD an hour, typed, given by a person", ended.out)
        self.assertRegex(ended.out, r"precision=\w+ +\d+\S* +\S+ to \S+ +ok\n")
        self.assertIn(" samples per dollar\n", ended.out)
        self.assertIn("Not reported: no hub is set", ended.out)
        self.assertRegex(ended.stderr, r"precision=\w+: \S+ samples/s \(\S+ to \S+\), ok\n")

    def test_it_says_who_uses_the_processors_and_begins(self):
        with busy_neighbour(processes=3):
            ended = self.bench("--set", "quick", "--format", "json")
        load = ended.json()["load_before"]
        self.assertIn(NAME, {one["name"] for one in load["processes"]}, load)
        self.assertIn(load["words"] + "\n", ended.stderr)
        self.assertLess(ended.stderr.index(load["words"]), ended.stderr.index("samples/s"))

    def test_the_standard_set_is_stored_as_any_sweep(self):
        ended = self.bench("--format", "json", "--label", "team=blue", "--label", "round=7")
        answer = ended.json()
        self.assertEqual(("standard", 0, None, None),
                         (answer["bench"], answer["exit_status"], answer["ended_early"],
                          answer["hub"]))
        self.assertEqual("m5.large", answer["machine"]["identity"]["instance_type"])
        self.assertEqual(("typed", 0.36),
                         (answer["price"]["kind"], answer["price"]["price_per_hour"]))
        self.assertEqual({"finished"}, {run["state"] for run in answer["runs"]})
        for cell in answer["configurations"]:
            self.assertEqual((2, 2, 2), (cell["runs"], cell["finished"], cell["counted"]))
            speed = cell["samples_per_second"]
            self.assertLessEqual(speed["low"], speed["value"])
            self.assertAlmostEqual(speed["value"] * 10000, cell["samples_per_dollar"]["value"],
                                   delta=1)
        server = self.own_server(database=self.candidate.database)
        sweep = server.get(f"/v1/sweeps/{answer['sweep']}").json()
        self.assertEqual("finished", sweep["state"])
        for run in answer["runs"]:
            stored = server.show(run["id"])
            self.assertEqual({"bench": "standard", "team": "blue", "round": "7"},
                             stored["spec"]["labels"])
            self.assertEqual(("resnet50", 32), (stored["spec"]["workload"],
                                                stored["spec"]["batch_size"]))
            self.assertAlmostEqual(run["samples_per_second"]["value"],
                                   stored["summary"]["samples_per_second"], 6)
            self.assertEqual(0.36, stored["cost"]["price"]["price_per_hour"])

    def test_a_wrong_option_is_reported_before_anything_starts(self):
        for flags in (("--label", "bench=x"), ("--set", "none"), ("--port", "1"),
                      ("--report-to", "hub"), ("--report-ca", "/nowhere")):
            ended = self.bench(*flags, status=2)
            self.assertIn(flags[0], ended.stderr)
            self.assertFalse(os.path.exists(self.candidate.database))

    def test_help_lists_the_options(self):
        ended = self.bench("--help")
        self.assertIn("--max-dollars USD", ended.out)
        self.assertIn("PENNYWORTH_REPORT_TO", ended.out)
        self.assertNotIn("--listen", ended.out)

    def test_it_cannot_start_while_a_server_runs(self):
        self.own_server(database=self.candidate.database)
        self.bench(status=1)

    def test_a_limit_of_money_wants_a_price(self):
        ended = self.bench("--max-dollars", "1", place=(), status=1)
        self.assertIn("--max-dollars", ended.stderr)
        self.assertIn("--price-per-hour", ended.stderr)


class Disturbed(Bench):
    """The fake engine's loss rises in its first run: that makes the run invalid."""

    def engine(self, behaviour="disturbed", once=True):
        marker = os.path.join(self.candidate.folder, "disturbed")
        return "native=" + fake(behaviour, 50000) + (f" {marker}" if once else "")

    def test_a_disturbed_run_is_repeated_and_kept(self):
        ended = self.bench("--format", "json", engine=self.engine())
        answer = ended.json()
        runs = answer["runs"]
        self.assertEqual([True] + [False] * (len(runs) - 1), [run["repeated"] for run in runs])
        self.assertEqual("invalid", runs[0]["validity"])
        self.assertEqual(runs[0]["configuration"], runs[-1]["configuration"])
        for cell in answer["configurations"]:
            self.assertEqual((2, 2, 2), (cell["runs"], cell["finished"], cell["counted"]))
        self.assertIn("begins again: the one before was invalid", ended.stderr)
        server = self.own_server(database=self.candidate.database)
        self.assertEqual("invalid", server.show(runs[0]["id"])["validity"]["level"])
        self.assertEqual("finished", server.get(f"/v1/sweeps/{answer['sweep']}").json()["state"])

    def test_a_run_that_stays_disturbed_is_given_up_after_three_attempts(self):
        ended = self.bench("--set", "quick", "--format", "json", engine=self.engine(once=False), status=4)
        answer = ended.json()
        self.assertEqual([True, True, False], [run["repeated"] for run in answer["runs"]])
        self.assertEqual((1, 1, 0), tuple(answer["configurations"][0][name] for name in (
            "runs", "finished", "counted")))

    def test_a_repetition_reaches_the_hub_with_the_run_it_repeats(self):
        hub = FakeHub(self, GOOD)
        ended = self.bench("--set", "quick", "--format", "json", "--report-to", hub.url, engine=self.engine())
        ids = [run_id for _, _, request in hub.requests for run_id in request]
        self.assertEqual([run["id"] for run in ended.json()["runs"]], ids)

    def test_a_server_repeats_nothing(self):
        server = self.own_server("--engine", self.engine())
        answer = server.post({"base": {"workload": "resnet50", "min_seconds": 5},
                              "cells": [{"seed": 1}], "blocks": 1}, path="/v1/sweeps").json()
        sweep = server.wait_for_sweep(answer["id"])
        self.assertEqual(1, sweep["progress"]["runs_total"])
        self.assertEqual(1, sweep["cells"][0]["invalid_runs"])


class LittleMore(Bench):
    def test_a_target_out_of_reach_ends_when_more_time_buys_little(self):
        engine = "native=" + fake("noisy", 1000000)
        ended = self.bench("--set", "quick", "--format", "json", engine=engine)
        (run,) = ended.json()["runs"]
        self.assertEqual("little_more", run["ended_by"])
        self.assertRegex(ended.stderr, r"within \S+ %: \S+ % was within reach in the time left")
        server = self.own_server(database=self.candidate.database)
        self.assertEqual("little_more", server.show(run["id"])["ended_by"])

    def test_a_run_that_a_server_was_asked_for_has_all_its_time(self):
        server = self.own_server("--engine", "native=" + fake("noisy", 1000000))
        run = server.post({"workload": "resnet50", "min_seconds": 2, "warmup_steps": 0,
                           "max_seconds": 2}).json()
        self.assertIn(server.wait(run["id"])["ended_by"], ("time_up", "target"))


class Printed(Bench):
    def test_a_first_figure_comes_soon_where_stderr_is_no_terminal(self):
        running = self.candidate.start("bench", "--set", "quick", engine=SLOW_ENGINE)
        running.tells("run 1 of 1 begins")
        running.tells(r"\S+ samples/s within (roughly )?\S+ %.*, about \d+ "
                      r"s left, about \d+ s of all\n")
        # Without a figure it prints a line every 20 seconds: the run is over before the first.
        self.assertIsNone(running.process.poll())
        running.send().wait()


class Prices(Bench):
    PLACE = ("--provider", "aws", "--instance-type", "m5.large", "--region", "us-east-1",
             "--life-cycle", "on_demand")

    def test_a_run_begins_when_its_price_was_read(self):
        path = os.path.join(self.candidate.folder, "prices.csv")
        with open(path, "w") as file:
            file.write("provider,region,zone,instance_type,kind,currency,price_per_hour,"
                       "valid_from,reference\n"
                       "aws,us-east-1,,m5.large,on_demand,USD,0.096,2020-01-01T00:00:00Z,list\n")
        ended = self.bench("--set", "quick", "--format", "json", "--feed", f"price-file=on url={path}",
                           place=self.PLACE)
        answer = ended.json()
        self.assertEqual(("price-file", 0.096),
                         (answer["price"]["feed"], answer["price"]["price_per_hour"]))
        cost = answer["configurations"][0]["dollars_per_million_samples"]
        self.assertAlmostEqual(
            0.096 / 3600 * 1e6 / answer["configurations"][0]["samples_per_second"]["value"],
            cost["value"], 6)
        server = self.own_server(database=self.candidate.database)
        self.assertEqual(0.096, server.show(answer["runs"][0]["id"])["cost"]["price"][
            "price_per_hour"])

    def test_a_slow_feed_is_waited_for(self):
        with FeedServer() as feeds:
            feeds.route("/", lambda exchange: (exchange.pause(0.5), exchange.send(404)))
            ended = self.bench("--set", "quick", "--feed", f"aws-spot-page=on patience=3 url={feeds.url}/spot.json",
                               place=self.PLACE)
        self.assertIn("waiting for the first reading of the price feeds, 25 s at most",
                      ended.stderr)
        self.assertIn("Price    not known", ended.out)


class Ends(Bench):
    def test_a_signal_interrupts_and_the_next_bench_goes_on(self):
        running = self.candidate.start("bench", "--set", "quick", "--label", "a=b",
                                       engine=SLOW_ENGINE)
        running.tells("run 1 of 1 begins")
        ended = self.check(running.send(signal.SIGTERM).wait(), 3)
        self.assertIn("stopped by signal 15", ended.out)
        self.assertIn(": interrupted: ", ended.stderr)
        self.assertIn("queued: the next bench goes on with it", ended.out)
        again = self.bench("--set", "quick", "--label", "a=b", "--format", "json")
        self.assertIn("going on with an earlier bench", again.stderr)
        self.assertIn(again.json()["sweep"], ended.out)
        self.assertEqual(["finished"], [run["state"] for run in again.json()["runs"]])

    def test_a_killed_bench_is_gone_on_with_unless_something_else_is_asked(self):
        running = self.candidate.start("bench", "--set", "quick", engine=SLOW_ENGINE)
        running.tells("begins")
        running.send(signal.SIGKILL).wait()
        other = self.bench("--set", "quick", "--label", "x=y", "--format", "json")
        self.assertIn("asked for something else: given up", other.stderr)
        server = self.own_server(database=self.candidate.database)
        self.assertEqual({"bench": "quick", "x": "y"},
                         server.show(other.json()["runs"][0]["id"])["spec"]["labels"])

    def test_queued_runs_continue_after_a_preemption(self):
        clouds = self.running(FeedServer())
        cloud = Gcp(clouds)
        place = ("--metadata", f"gcp={clouds.url}", "--price-per-hour", "1")
        running = self.candidate.start("bench", "--max-seconds", "600", "--format", "json",
                                       engine="native=" + fake("stubborn"), place=place)
        running.tells("run 1 of . begins")
        cloud.take_back()
        ended = self.check(running.wait(), 6)  # the worker will not go: there are looks meanwhile
        answer = ended.json()
        states = sorted(run["state"] for run in answer["runs"])
        self.assertEqual(["preempted"] + ["queued"] * (len(states) - 1), states, ended)
        self.assertEqual(cloud.REASON, answer["ended_early"])
        again = self.bench("--max-seconds", "600", "--format", "json")
        self.assertIn("going on with an earlier bench", again.stderr)
        self.assertEqual(answer["sweep"], again.json()["sweep"])


class Spot(Bench):
    def bench(self, cloud, *flags, engine):
        return self.candidate.start("bench", "--metadata", f"gcp={cloud.clouds.url}", *flags,
                                    engine=engine, place=["--price-per-hour", "0.36"])

    def play(self):
        clouds = self.running(FeedServer())
        cloud = Gcp(clouds)
        cloud.clouds = clouds
        return cloud

    def test_a_machine_that_stays_ends_as_any_other(self):
        cloud = self.play()
        ended = self.check(self.bench(cloud, "--set", "quick", engine=QUICK_ENGINE).wait(), 0)
        self.assertIn("n2-standard-4, gcp, europe-west4", ended.out)
        self.assertGreaterEqual(len(cloud.clouds.asked(cloud.ASKED)), 1)

    def marker(self):
        """Of an engine that is quick in its first run, and whose later ones do not end."""
        return os.path.join(self.candidate.folder, "begun")

    def test_finished_runs_are_delivered_on_preemption(self):
        cloud, hub = self.play(), FakeHub(self, GOOD)
        running = self.bench(cloud, "--report-to", hub.url, "--format", "json",
                             engine=QUICK_ENGINE + " " + self.marker())
        running.tells("run 2 of")
        cloud.take_back()
        ended = self.check(running.wait(), 6)
        answer = ended.json()
        states = [run["state"] for run in answer["runs"]]
        self.assertEqual((1, 1), (states.count("finished"), states.count("preempted")))
        self.assertIn(cloud.REASON, answer["ended_early"])
        finished = [run["id"] for run in answer["runs"] if run["state"] == "finished"]
        self.assertEqual(finished, [run_id for _, _, ids in hub.requests for run_id in ids
                                    if run_id in finished])

    def test_on_a_machine_that_is_being_taken_back_nothing_is_begun(self):
        cloud = self.play()
        cloud.take_back()
        ended = self.check(self.bench(cloud, "--format", "json", engine=SLOW_ENGINE).wait(), 6)
        self.assertEqual({"queued"}, {run["state"] for run in ended.json()["runs"]})


class Reports(Bench):
    def test_each_run_is_at_the_hub_when_it_ends(self):
        hub = self.own_server("--write-token-file", self.token_file())
        hub.token = TOKEN
        ended = self.bench("--report-to", hub.url + "/", "--format", "json",
                           environment={"PENNYWORTH_REPORT_TOKEN": TOKEN})
        answer = ended.json()
        self.assertEqual((hub.url, len(answer["runs"]), 0, 0, None),
                         tuple(answer["hub"].values()))
        for run in answer["runs"]:
            self.assertEqual("accepted", run["hub"])
            there = hub.show(run["id"])
            self.assertEqual(("imported", "m5.large"), (there["provenance"], there["instance_type"]))
            self.assertAlmostEqual(run["samples_per_second"]["value"],
                                   there["summary"]["samples_per_second"], 6)
            self.assertEqual(run["validity"], there["validity"]["level"])

    def token_file(self):
        path = os.path.join(self.candidate.folder, "token")
        with open(path, "w") as file:
            file.write(TOKEN + "\n")
        return path

    def test_the_environment_alone_configures_a_container(self):
        hub = FakeHub(self, GOOD)
        ended = self.check(self.candidate.run(None, environment={
            "PENNYWORTH_REPORT_TO": hub.url + "/base/", "PENNYWORTH_SET": "quick"}), 0)
        self.assertIn("1 accepted, 0 refused, 0 still waiting", ended.out)
        path, headers, ids = hub.requests[0]
        self.assertEqual(("/base/v1/runs/import", "application/x-ndjson", 1),
                         (path, headers["Content-Type"], len(ids)))
        self.assertNotIn("Authorization", headers)

    def test_a_hub_that_comes_up_later_gets_it(self):
        port = free_port()
        running = self.candidate.start("bench", "--set", "quick", "--report-to",
                                       f"http://127.0.0.1:{port}")
        running.tells("waiting for the hub")
        hub = self.own_server("--port", str(port))
        ended = self.check(running.wait(), 0)
        self.assertIn("1 accepted, 0 refused, 0 still waiting", ended.out)

    def test_runs_that_are_not_accepted_are_kept_and_reported(self):
        words, hub = "it does not know this token", FakeHub(self, (401, {}, TOKEN))
        running = self.candidate.start(
            "bench", "--set", "quick", "--report-to", hub.url, "--format", "json",
            environment={"PENNYWORTH_REPORT_TOKEN": TOKEN})
        ended = self.check(running.give_up(words), 5)
        self.assertEqual(1, len(re.findall("error hub .*" + words, ended.stderr)), ended)
        self.assertEqual(1, ended.json()["hub"]["waiting"])
        self.assertIn(words, ended.json()["hub"]["last_error"])
        self.assertEqual("Bearer " + TOKEN, hub.requests[0][1]["Authorization"])
        self.assertEqual(1, len(hub.requests))

    def test_a_signal_ends_the_waiting(self):
        running = self.candidate.start("bench", "--set", "quick", "--report-to",
                                       f"http://127.0.0.1:{free_port()}")
        running.tells("waiting for the hub")
        ended = self.check(running.send(signal.SIGINT).wait(), 5)
        self.assertIn("1 still waiting", ended.out)

    def test_runs_that_ended_before_a_signal_are_still_pushed(self):
        hub = FakeHub(self, (503, {}, "no"), GOOD)
        running = self.candidate.start("bench", "--set", "quick", "--report-to", hub.url,
                                       "--label", "n=1")
        running.wait()
        self.assertEqual(2, len(hub.requests))
        slow = FakeHub(self, (503, {}, "no"), (503, {}, "no"), GOOD)
        running = self.candidate.start("bench", "--set", "quick", "--report-to", slow.url,
                                       engine=SLOW_ENGINE)
        running.tells("begins")
        until(lambda: slow.requests, "a first try")  # of the run of the first bench
        self.check(running.send().wait(), 3)
        self.assertEqual(3, len(slow.requests))


class WhenTimeIsUp(Bench):
    """Benches that last as long as an option says: they start with this module and run during its tests."""
    TIME, DOLLAR = ["--max-seconds", "10"], ["--max-dollars", "1"]  # which is three seconds
    EXPENSIVE = ["--provider", "aws", "--instance-type", "m5.large", "--price-per-hour", "1200"]
    BENCHES = {"unlearning": ("native=" + fake("unlearning", 100), TIME, PLACE),
               "stubborn": ("native=" + fake("stubborn"), TIME, PLACE),
               "slow": (SLOW_ENGINE, DOLLAR, EXPENSIVE)}
    running = {}

    @classmethod
    def begin(cls):
        module = types.SimpleNamespace(addCleanup=unittest.addModuleCleanup)
        for name, (engine, flags, place) in cls.BENCHES.items():
            cls.running[name] = Candidate(module).start("bench", "--format", "json", *flags,
                                                        engine=engine, place=place)

    def end_of(self, name, status):
        return self.check(self.running[name].wait(), status)

    def test_repeating_ends_with_the_time(self):
        answer = self.end_of("unlearning", 4).json()
        attempts = 3 * 2 * len(answer["configurations"])  # of a second each, or more: too many
        self.assertLess(len(answer["runs"]), attempts)

    def test_when_the_time_is_up_the_rest_is_cancelled(self):
        ended = self.end_of("stubborn", 3)
        answer = ended.json()
        self.assertIn("--max-seconds", answer["ended_early"])
        self.assertIn("cancelled", {run["state"] for run in answer["runs"]})

    def test_when_the_money_is_spent_the_rest_is_cancelled(self):
        ended = self.end_of("slow", 4)
        answer = ended.json()
        states = [run["state"] for run in answer["runs"]]
        self.assertIn("finished", states)
        self.assertTrue("cancelled" in states or answer["ended_early"] is None, answer)


def setUpModule():
    WhenTimeIsUp.begin()

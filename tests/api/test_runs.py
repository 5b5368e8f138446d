"""A run over HTTP: asked for, refused, found, waited for, cancelled, read step by step."""
import csv
import io
import json
import time
import unittest

from harness import WORKLOADS, ServerCase, fake, together, until


ENGINES = {"ok": fake("ok"), "slow": fake("slow", 20), "crash": fake("crash"),
           "long": fake("slow", 600)}


PARTS = ("input_seconds", "forward_seconds", "backward_seconds", "update_seconds",
         "communication_seconds")


def in_a_list(run):
    """What a list shows of a run: the head of its summary, the level of its validity."""
    summary, validity = run["summary"], run["validity"]
    if summary:
        interval = summary["interval"]
        head = ("samples_per_second", "median_step_seconds", "measured_steps",
                "measured_seconds", "first_measured")
        summary = {**{name: summary[name] for name in head},
                   "interval": interval and {name: interval[name]
                                             for name in ("low", "high", "level")}}
    return {**run, "summary": summary, "roofline": None, "engine_details": None, "loaded": None, "cost": None,
            "validity": validity and {**validity, "findings": None}}


def step_of_row(row):
    """A step as JSON has it, from its row of CSV."""
    split = {part: float(row[part]) for part in PARTS if row[part]}
    return {"index": int(row["index"]), "seconds": float(row["seconds"]),
            "loss": float(row["loss"]), "measured": json.loads(row["measured"]),
            "split": split or None}


class Creating(ServerCase):
    ENGINES = ENGINES
    FLAGS = ("--instance-type", "test.large")

    def test_a_posted_run_is_queued_then_finished(self):
        reply = self.server.post({"engine": "ok", "steps": 4, "warmup_steps": 2, "batch_size": 8})
        self.assertEqual(201, reply.status, reply)
        run = reply.json()
        self.assertEqual("queued", run["state"])
        self.assertEqual(f"/v1/runs/{run['id']}", reply.headers["location"])
        self.assertEqual("test.large", run["instance_type"])
        ended = self.server.wait(run["id"])
        self.assertEqual(("finished", "all_steps", 6),
                         (ended["state"], ended["ended_by"], ended["steps_stored"]))
        summary = ended["summary"]
        self.assertEqual(4, summary["measured_steps"])
        self.assertAlmostEqual(4 * 8 / summary["measured_seconds"], summary["samples_per_second"])
        self.assertLessEqual(ended["created_at"], ended["started_at"])
        self.assertLessEqual(ended["started_at"], ended["ended_at"])
        self.assertEqual("fake-worker", ended["software"])

    def test_an_empty_object_is_a_whole_request(self):
        server = self.own_server(engines={"native": fake("ok")})
        reply = server.post({})
        self.assertEqual(201, reply.status, reply)
        spec = reply.json()["spec"]
        self.assertEqual(("resnet50", "native", "auto", "auto"),
                         (spec["workload"], spec["engine"], spec["batch_size"], spec["steps"]))

    def test_a_refused_spec_names_the_field_and_what_is_allowed(self):
        for spec, field, allowed in [
                ({"batch_sise": 8}, "batch_sise", None),
                ({"batch_size": "8"}, "batch_size", {"minimum": 1, "maximum": 65536}),
                ({"batch_size": 8.5}, "batch_size", {"minimum": 1, "maximum": 65536}),
                ({"batch_size": 0}, "batch_size", {"minimum": 1, "maximum": 65536}),
                ({"batch_size": 65537}, "batch_size", {"minimum": 1, "maximum": 65536}),
                ({"batch_size": None}, "batch_size", {"minimum": 1, "maximum": 65536}),
                ({"steps": 0}, "steps", {"minimum": 1, "maximum": 1000000}),
                ({"steps": "many"}, "steps", {"minimum": 1, "maximum": 1000000}),
                ({"steps": -1}, "steps", {"minimum": 1, "maximum": 1000000}),
                ({"max_dollars": 0}, "max_dollars", {"exclusiveMinimum": 0, "maximum": 1000000}),
                ({"max_dollars": -1}, "max_dollars", {"exclusiveMinimum": 0, "maximum": 1000000}),
                ({"target_percent": 0}, "target_percent", {"exclusiveMinimum": 0, "maximum": 50}),
                ({"precision": "f8"}, "precision", {"values": ["f32", "bf16"]}),
                ({"precision": "f8", "engine": "native"}, "precision", {"values": ["f32", "bf16"]}),
                ({"precision": "f8", "engine": "ok"}, "precision",
                 {"values": ["f32", "bf16", "f16"]}),
                ({"workload": "resnet5"}, "workload", {"values": WORKLOADS}),
                ({"workload": "a b", "engine": "ok"}, "workload", None),
                ({"precision": 1}, "precision", None),
                ({"plan": "measured"}, "plan", {"values": ["auto", "fixed", "plain"]}),
                ({"isa": "sse"}, "isa",
                 {"values": ["auto", "sse41", "avx2", "avx512", "avx512_bf16", "amx"]}),
                ({"input_workers": 65}, "input_workers", {"minimum": 0, "maximum": 64}),
                ({"engine": ""}, "engine", {"minimum": 1, "maximum": 32}),
                ({"engine": "../sh"}, "engine", {"values": [*ENGINES, "native"]}),
                ({"labels": []}, "labels", None),
                ({"labels": {"a b": "c"}}, "labels", None),
                ({"labels": {"a": 1}}, "labels", None),
                ({"labels": {"a": "tab\there"}}, "labels", None),
                ({"labels": {str(key): "" for key in range(17)}}, "labels", None),
                ({"seed": 2 ** 70}, None, None)]:
            with self.subTest(spec=spec):
                problem = self.assertProblem(self.server.post(spec), 400, "invalid", field)
                self.assertEqual(allowed, problem.get("allowed"))

    def test_a_body_that_is_no_object_is_refused(self):
        for body in ["", "{", "[]", "3", '"text"', "null", "{} {}", '{"seed":1,"seed":2}',
                     b'{"seed":\xff}', '{"labels":{"a":"\\u0000"}}', "[" * 60000]:
            with self.subTest(body=body[:40]):
                self.assertProblem(self.server.post(body), 400, "invalid")

    def test_labels_come_back_whatever_letters_they_hold(self):
        labels = {"branch": "größer/日本 \"quoted\" \\", "empty": "", "a.b_c-d/e": "x" * 256}
        run = self.server.run(labels=labels)
        self.assertEqual(labels, run["spec"]["labels"])

    def test_a_spec_that_this_machine_cannot_run_is_refused(self):
        for spec, field in (({"max_dollars": 1}, "max_dollars"), ({"threads": 1024}, "threads")):
            self.assertProblem(self.server.post({"engine": "ok", **spec}), 422,
                               "not-possible-here", field)

    def test_auto_steps_end_when_enough_was_measured(self):
        run = self.server.run("slow", steps="auto", warmup_steps="auto", min_seconds=1,
                              max_seconds=60)
        self.assertEqual(("finished", "target"), (run["state"], run["ended_by"]))
        summary = run["summary"]
        self.assertGreaterEqual(summary["measured_steps"], 30)
        self.assertGreaterEqual(summary["measured_seconds"], 1)
        self.assertLessEqual(summary["half_width_percent"], run["spec"]["target_percent"])
        self.assertEqual(run["steps_stored"],
                         summary["measured_steps"] + summary["first_measured"])

    def test_a_full_queue_answers_429_with_retry_after(self):
        server = self.own_server("--queue-limit", "2", engines=ENGINES)
        first = server.queue("long", steps=1000)
        server.wait(first, {"running"})
        waiting = [server.queue() for _ in range(2)]
        reply = server.post({"engine": "ok"})
        self.assertProblem(reply, 429, "queue-full")
        self.assertGreaterEqual(int(reply.headers["retry-after"]), 1)
        for run_id in [*waiting, first]:
            server.delete(f"/v1/runs/{run_id}")


class Cancelling(ServerCase):
    ENGINES = ENGINES

    def test_each_state_is_cancelled_in_its_way(self):
        running = self.server.queue("long", steps=1000)
        self.server.wait(running, {"running"})
        queued = self.server.queue()
        reply = self.server.delete(f"/v1/runs/{queued}")
        self.assertEqual((200, "cancelled"), (reply.status, reply.json()["state"]))
        self.assertIsNone(reply.json()["started_at"])
        reply = self.server.delete(f"/v1/runs/{running}")
        self.assertEqual((202, "running"), (reply.status, reply.json()["state"]))
        ended = self.server.wait(running)
        self.assertEqual(("cancelled", None), (ended["state"], ended["reason"]))
        for run_id in (queued, running):
            self.assertProblem(self.server.delete(f"/v1/runs/{run_id}"), 409, "conflict")
        self.assertProblem(self.server.delete(f"/v1/runs/{self.server.run()['id']}"), 409)

    def test_a_cancelled_queue_does_not_hold_up_the_rest(self):
        first = self.server.queue("long", steps=1000)
        queued = [self.server.queue() for _ in range(6)]
        for run_id in queued[::2]:
            self.server.delete(f"/v1/runs/{run_id}")
        self.server.delete(f"/v1/runs/{first}")
        states = [self.server.wait(run_id)["state"] for run_id in queued]
        self.assertEqual(["cancelled", "finished"] * 3, states)

    def test_cancelling_at_any_moment_leaves_a_lawful_end(self):
        for attempt in range(40):
            run_id = self.server.queue(steps=1 + attempt % 7)
            time.sleep(attempt % 10 / 1000)
            reply = self.server.delete(f"/v1/runs/{run_id}")
            self.assertIn(reply.status, {200, 202, 409}, reply)
            state = self.server.wait(run_id)["state"]
            allowed = {200: {"cancelled"}, 202: {"cancelled", "finished"}, 409: {"finished"}}
            self.assertIn(state, allowed[reply.status])


class Idempotency(ServerCase):
    ENGINES = ENGINES

    def test_the_same_key_gets_the_same_answer_byte_for_byte(self):
        spec = {"engine": "ok", "steps": 3, "labels": {"a": "b"}}
        first = self.server.post(spec, Idempotency_Key="key one")
        run_id = first.json()["id"]
        self.server.wait(run_id)
        again = self.server.post({"labels": {"a": "b"}, "steps": 3, "engine": "ok", "seed": 1},
                                 Idempotency_Key='"key one"')
        self.assertEqual((201, first.body), (again.status, again.body))
        self.assertEqual(first.headers["location"], again.headers["location"])
        self.assertEqual((None, "true"), (first.headers.get("idempotent-replayed"),
                                          again.headers.get("idempotent-replayed")))
        other = self.server.post({"engine": "ok", "steps": 4}, Idempotency_Key="key one")
        self.assertProblem(other, 422, "key-reused", "Idempotency-Key")
        self.assertProblem(self.server.post(spec, Idempotency_Key="x" * 256), 400, "invalid",
                           "Idempotency-Key")

    def test_a_replay_may_wait_for_the_end(self):
        self.server.post({"engine": "slow", "steps": 5}, Idempotency_Key="waits")
        reply = self.server.post({"engine": "slow", "steps": 5}, "?wait=30",
                                 Idempotency_Key="waits")
        self.assertEqual("finished", reply.json()["state"])

    def test_a_replay_is_answered_though_the_queue_is_full(self):
        server = self.own_server("--queue-limit", "1", engines=ENGINES)
        running = server.queue("long", steps=1000)
        server.wait(running, {"running"})
        first = server.post({"engine": "ok"}, Idempotency_Key="full")
        self.assertEqual(429, server.post({"engine": "ok"}).status)
        self.assertEqual(first.body, server.post({"engine": "ok"}, Idempotency_Key="full").body)

    def test_posts_at_once_with_one_key_make_one_run(self):
        for attempt in range(5):
            replies = together(16, lambda _: self.server.post(
                {"engine": "ok", "steps": 2, "labels": {"attempt": str(attempt)}},
                Idempotency_Key=f"together {attempt}"))
            self.assertEqual({201}, {reply.status for reply in replies})
            self.assertEqual(1, len({reply.body for reply in replies}))
            made = [reply for reply in replies if "idempotent-replayed" not in reply.headers]
            self.assertEqual(1, len(made))
            listed = self.server.get(f"/v1/runs?label=attempt={attempt}").json()["runs"]
            self.assertEqual(1, len(listed))


class Waiting(ServerCase):
    ENGINES = ENGINES

    def timed(self, action):
        began = time.monotonic()
        return action(), time.monotonic() - began

    def test_a_wait_ends_with_the_run(self):
        """Not with its time, which nobody here would live to see."""
        for query, headers in (("?wait=3600", {}), ("", {"Prefer": "respond-async, wait=3600"})):
            reply = self.server.post({"engine": "slow", "steps": 5}, query, **headers)
            self.assertEqual((201, "finished"), (reply.status, reply.json()["state"]))
            self.assertEqual("wait=3600" if headers else None,
                             reply.headers.get("preference-applied"))

    def test_a_wait_ends_with_its_time(self):
        run_id = self.server.queue("slow", steps=100000)
        reply, took = self.timed(lambda: self.server.get(f"/v1/runs/{run_id}?wait=1"))
        self.assertEqual((200, "running"), (reply.status, reply.json()["state"]))
        self.assertGreater(took, 0.9)
        reply, took = self.timed(lambda: self.server.get(f"/v1/runs/{run_id}", Prefer="wait=1"))
        self.assertEqual("running", reply.json()["state"])
        self.assertEqual("wait=1", reply.headers["preference-applied"])
        self.assertGreater(took, 0.9)
        self.assertGreater(reply.json()["progress"]["steps_done"], 0)
        self.server.delete(f"/v1/runs/{run_id}")
        self.server.wait(run_id)

    def test_waiting_for_what_has_ended_takes_no_time(self):
        run_id = self.server.run()["id"]
        reply = self.server.get(f"/v1/runs/{run_id}?wait=3600")
        self.assertEqual("finished", reply.json()["state"])

    def test_a_wrong_wait_is_refused(self):
        for wait in ("-1", "3601", "x", "1.5", ""):
            self.assertProblem(self.server.post({}, f"?wait={wait}"), 400, "invalid", "wait")
        self.assertProblem(self.server.get("/v1/runs/0000000000000000000000000A?wait=1"), 404)

    def test_many_clients_may_wait_and_all_are_answered(self):
        run_id = self.server.queue("slow", steps=20)
        replies = together(20, lambda _: self.server.get(f"/v1/runs/{run_id}?wait=60"))
        self.assertEqual({"finished"}, {reply.json()["state"] for reply in replies})
        until(lambda: self.server.metrics()["pennyworth_watchers"] == 0, "no watcher is left")


class Listing(ServerCase):
    ENGINES = ENGINES
    FLAGS = ("--instance-type", "here.large")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ids = [cls.server.queue("ok" if number % 3 else "crash", labels={
            "parity": str(number % 2), "number": str(number)}) for number in range(24)]
        for run_id in cls.ids:
            cls.server.wait(run_id)

    def listed(self, query=""):
        reply = self.server.get("/v1/runs" + query)
        self.assertEqual(200, reply.status, reply)
        return [self.ids.index(run["id"]) for run in reply.json()["runs"]]

    def test_newest_come_first(self):
        self.assertEqual(list(range(24))[::-1], self.listed())

    def test_filters_narrow_the_list_together(self):
        thirds = [number for number in range(23, -1, -1) if number % 3 == 0]
        self.assertEqual(thirds, self.listed("?state=failed"))
        self.assertEqual(thirds, self.listed("?engine=crash"))
        self.assertEqual([], self.listed("?engine=crash&state=finished"))
        self.assertEqual([], self.listed("?engine=unheard-of"))
        self.assertEqual(24, len(self.listed("?workload=mlp2017&instance_type=here.large")))
        self.assertEqual([], self.listed("?workload=resnet50"))
        self.assertEqual([], self.listed("?instance_type=elsewhere"))
        self.assertEqual([7], self.listed("?label=number=7"))
        self.assertEqual([7], self.listed("?label=number%3D7&label=parity=1"))
        self.assertEqual([], self.listed("?label=number=7&label=parity=0"))
        self.assertEqual([n for n in thirds if n % 2], self.listed("?state=failed&label=parity=1"))

    def test_pages_follow_each_other_without_gap_or_repetition(self):
        for query in ("", "&engine=ok"):
            whole, pages, cursor = self.listed("?limit=200" + query), [], ""
            while cursor is not None:
                reply = self.server.get(f"/v1/runs?limit=5{query}{cursor}").json()
                self.assertLessEqual(len(reply["runs"]), 5)
                pages += [self.ids.index(run["id"]) for run in reply["runs"]]
                cursor = reply["next_cursor"] and f"&cursor={reply['next_cursor']}"
            self.assertEqual(whole, pages)

    def test_a_page_that_holds_just_all_has_no_next(self):
        self.assertIsNone(self.server.get("/v1/runs?limit=24").json()["next_cursor"])
        self.assertIsNotNone(self.server.get("/v1/runs?limit=23").json()["next_cursor"])

    def test_a_run_is_shown_as_it_is_listed(self):
        listed = self.server.get("/v1/runs?limit=1").json()["runs"][0]
        self.assertEqual(listed, in_a_list(self.server.show(listed["id"])))
        for wrong in ("0" * 26, "x", self.ids[0].lower(), self.ids[0] + "0", "%00"):
            self.assertIn(self.server.get(f"/v1/runs/{wrong}").status, {400, 404})


class Steps(ServerCase):
    ENGINES = ENGINES
    HASTE = 10  # steps are stored more often than every second

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_id = cls.server.run(steps=1500, warmup_steps=3)["id"]

    def steps(self, query="", **headers):
        reply = self.server.get(f"/v1/runs/{self.run_id}/steps{query}", **headers)
        self.assertEqual(200, reply.status, reply)
        return reply

    def test_json_and_csv_tell_the_same(self):
        steps = self.steps().json()["steps"]
        self.assertEqual(list(range(1503)), [step["index"] for step in steps])
        self.assertEqual([False] * 3 + [True] * 1500, [step["measured"] for step in steps])
        reply = self.steps(Accept="text/csv")
        self.assertEqual("text/csv; charset=utf-8", reply.headers["content-type"])
        rows = list(csv.DictReader(io.StringIO(reply.body.decode(), newline="")))
        for step, row in zip(steps, rows, strict=True):
            self.assertEqual(step, step_of_row(row))

    def test_a_part_may_be_asked_for(self):
        for query, wanted in (("?from=1500", [1500, 1501, 1502]), ("?limit=2", [0, 1]),
                              ("?from=499&limit=3", [499, 500, 501]), ("?from=1503", []),
                              ("?from=1000000000&limit=1000000000", [])):
            steps = self.steps(query).json()["steps"]
            self.assertEqual(wanted, [step["index"] for step in steps])
            self.assertEqual(len(wanted) + 1, len(self.steps(query, Accept="text/csv")
                                                  .body.splitlines()))
        for query, field in (("?from=-1", "from"), ("?limit=0", "limit"), ("?page=1", "page")):
            self.assertProblem(self.server.get(f"/v1/runs/{self.run_id}/steps{query}"), 400,
                               "invalid", field)

    def test_the_kindest_format_wins(self):
        for accept, wanted in (("*/*", "application/json"), ("text/*", "text/csv"),
                               ("text/csv;q=0.1, application/json;q=0.2", "application/json"),
                               ("text/csv, application/json;q=0.2", "text/csv"),
                               ("text/csv;q=0, */*", "application/json")):
            self.assertEqual(wanted, self.steps(Accept=accept).headers["content-type"]
                             .partition(";")[0], accept)
        reply = self.server.get(f"/v1/runs/{self.run_id}/steps", Accept="text/html")
        self.assertProblem(reply, 406, "not-acceptable", "Accept")

    def test_steps_of_a_run_under_way_are_those_stored(self):
        run_id = self.server.queue("slow", steps=100000)
        path = f"/v1/runs/{run_id}/steps"
        self.assertEqual([], self.server.get(path).json()["steps"])
        until(lambda: self.server.get(path).json()["steps"], "some steps are stored")
        self.server.delete(f"/v1/runs/{run_id}")
        ended = self.server.wait(run_id)
        self.assertEqual(ended["steps_stored"], len(self.server.get(path).json()["steps"]))


class Telling(ServerCase):
    """What an engine tells beside its numbers."""
    ENGINES = {"ok": fake("ok"), "talkative": fake("talkative")}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.silent = cls.server.run("ok")
        cls.detailed = cls.server.run("talkative", plan="fixed", isa="avx2", input_workers=2)

    def get(self, run, part, **headers):
        reply = self.server.get(f"/v1/runs/{run['id']}/{part}", **headers)
        self.assertEqual(200, reply.status, reply)
        return reply

    def test_a_run_keeps_the_details_of_its_engine(self):
        spec = self.detailed["spec"]
        self.assertEqual(("fixed", "avx2", 2), (spec["plan"], spec["isa"], spec["input_workers"]))
        self.assertEqual({"library": "none 1", "isa": "avx2", "plan": "fixed",
                          "layout": "nhwc", "threads": 3,
                          "parameters": 25557032, "multiply_adds": 1000000,
                          "backward_multiply_adds": 2000000, "memory_bytes": 8192,
                          "step_bytes": 5000000, "peak_unit": "FMA 256 bits",
                          "peak_multiply_adds_per_second": 400000000000,
                          "peak_read_bytes_per_second": 20000000000,
                          "emulated": True, "huge_pages": False},
                         self.detailed["engine_details"])
        self.assertEqual((96, 1048576), (self.detailed["samples"], self.detailed["peak_memory_bytes"]))
        self.assertEqual({"conv1": {"forward": "jit:avx2", "backward": "ref:any"}, "fc": {}},
                         self.get(self.detailed, "implementations").json()["implementations"])

    def test_a_run_shows_how_near_to_the_roof_each_part_of_a_step_came(self):
        # A step of 1 ms trains 32 samples; the engine says that its machine does 400 G a second.
        roofline = self.detailed["roofline"]
        self.assertEqual({"unit": "FMA 256 bits", "multiply_adds_per_second": 4e11}, roofline["peak"])
        parts = {part["name"]: part for part in roofline["phases"]}
        self.assertEqual(["input", "forward", "backward", "update", "other"], list(parts))
        self.assertAlmostEqual(0.0003, parts["forward"]["seconds"])
        self.assertEqual(32e6, parts["forward"]["multiply_adds"])
        self.assertAlmostEqual(32e6 / 0.0003 / 4e11, parts["forward"]["share"])
        self.assertAlmostEqual(64e6 / 0.0005 / 4e11, parts["backward"]["share"])
        self.assertAlmostEqual(96e6 / 0.001 / 4e11, roofline["step"]["share"])
        for name in ("input", "update", "other"):
            self.assertIsNone(parts[name]["share"])
        self.assertAlmostEqual(5e6 / 0.001 / 2e10, roofline["memory"]["least_share"])
        self.assertEqual([], roofline["missing"])

    def test_without_what_the_engine_left_out_there_is_no_share_and_a_reason(self):
        roofline = self.silent["roofline"]
        self.assertEqual((None, []), (roofline["peak"], roofline["phases"]))
        self.assertIsNone(roofline["step"]["share"])
        self.assertIsNone(roofline["memory"]["least_share"])
        self.assertEqual(4, len(roofline["missing"]))

    def test_a_run_that_is_not_finished_has_no_roofline(self):
        run = self.server.post({"engine": "talkative", "steps": 3}).json()
        self.assertIsNone(run["roofline"])
        self.server.wait(run["id"])

    def test_details_that_the_engine_left_out_are_null(self):
        for name in ("engine_details", "samples", "peak_memory_bytes"):
            self.assertIsNone(self.silent[name])
        self.assertIsNone(self.get(self.silent, "implementations").json()["implementations"])
        for step in self.get(self.silent, "steps").json()["steps"]:
            self.assertIsNone(step["split"])

    def test_a_list_leaves_out_the_details_only(self):
        listed = self.server.get("/v1/runs?limit=1").json()["runs"][0]
        self.assertEqual(in_a_list(self.detailed), listed)

    def test_a_step_shows_where_its_time_went(self):
        steps = self.get(self.detailed, "steps").json()["steps"]
        self.assertEqual(3, len(steps))
        for step in steps:
            self.assertAlmostEqual(0.001, step["seconds"])
            for part, wanted in zip(PARTS, (0.0001, 0.0003, 0.0005, 0, 0),
                                    strict=True):
                self.assertAlmostEqual(wanted, step["split"][part])
        rows = csv.DictReader(io.StringIO(self.get(self.detailed, "steps", Accept="text/csv")
                                          .body.decode(), newline=""))
        self.assertEqual(steps, [step_of_row(row) for row in rows])

    def test_there_are_no_events_of_an_unknown_run(self):
        reply = self.server.get(f"/v1/runs/{'0' * 26}/implementations")
        self.assertProblem(reply, 404, "not-found")
        reply = self.server.get(f"/v1/runs/{self.detailed['id']}/implementations?layer=fc")
        self.assertProblem(reply, 400, "invalid", "layer")


if __name__ == "__main__":
    unittest.main()

"""A run over HTTP: asked for, refused, found, waited for, cancelled, read step by step."""
import json
import time

from harness import ServerCase, fake, together, until


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
        spec = server.create("/v1/runs", {})["spec"]
        self.assertEqual(("resnet50", "native", "auto", "auto"),
                         (spec["workload"], spec["engine"], spec["batch_size"], spec["steps"]))

    def test_labels_come_back_whatever_letters_they_hold(self):
        labels = {"branch": "größer/日本 \"quoted\" \\", "empty": "", "a.b_c-d/e": "x" * 256}
        run = self.server.run(labels=labels)
        self.assertEqual(labels, run["spec"]["labels"])

    def test_a_spec_that_this_machine_cannot_run_is_refused(self):
        for spec, field in (({"max_dollars": 1}, "max_dollars"), ({"threads": 1024}, "threads")):
            self.assertProblem(self.server.post({"engine": "ok", **spec}), 422,
                               "not-possible-here", field)

    def test_a_full_queue_answers_429_with_retry_after(self):
        server = self.own_server("--queue-limit", "2", engines=ENGINES)
        first = server.begin("long")
        waiting = [server.queue() for _ in range(2)]
        reply = server.post({"engine": "ok"})
        self.assertProblem(reply, 429, "queue-full")
        self.assertGreaterEqual(int(reply.headers["retry-after"]), 1)
        for run_id in [*waiting, first]:
            server.delete(f"/v1/runs/{run_id}")


class Cancelling(ServerCase):
    ENGINES = ENGINES

    def test_each_state_is_cancelled_in_its_way(self):
        running = self.server.begin("long")
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

    def test_cancelling_at_any_moment_leaves_a_valid_end(self):
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
        """Not with its time, which is an hour."""
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
        self.server.cancel(run_id)

    def test_waiting_for_what_has_ended_takes_no_time(self):
        run_id = self.server.run()["id"]
        reply = self.server.get(f"/v1/runs/{run_id}?wait=3600")
        self.assertEqual("finished", reply.json()["state"])

    def test_many_clients_may_wait_and_all_are_answered(self):
        run_id = self.server.queue("slow", steps=20)
        replies = together(20, lambda _: self.server.get(f"/v1/runs/{run_id}?wait=60"))
        self.assertEqual({"finished"}, {reply.json()["state"] for reply in replies})
        until(lambda: self.server.watchers() == 0, "no watcher is left")


class Steps(ServerCase):
    ENGINES = ENGINES
    HASTE = 10  # steps are stored more often than every second

    @classmethod
    def prepare(cls):
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
        for step, row in zip(steps, reply.rows(), strict=True):
            self.assertEqual(step, step_of_row(row))

    def test_a_part_may_be_asked_for(self):
        for query, wanted in (("?from=1500", [1500, 1501, 1502]), ("?limit=2", [0, 1]),
                              ("?from=499&limit=3", [499, 500, 501]), ("?from=1503", []),
                              ("?from=1000000000&limit=1000000000", [])):
            steps = self.steps(query).json()["steps"]
            self.assertEqual(wanted, [step["index"] for step in steps])
            self.assertEqual(len(wanted) + 1, len(self.steps(query, Accept="text/csv")
                                                  .body.splitlines()))

    def test_steps_of_a_run_under_way_are_those_stored(self):
        run_id = self.server.queue("slow", steps=100000)
        self.assertEqual([], self.server.steps(run_id))
        until(lambda: self.server.steps(run_id), "some steps are stored")
        self.assertEqual(self.server.cancel(run_id)["steps_stored"], len(self.server.steps(run_id)))


class Telling(ServerCase):
    """What an engine tells in addition to its numbers."""
    ENGINES = {"ok": fake("ok"), "talkative": fake("talkative")}

    @classmethod
    def prepare(cls):
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

    def test_a_run_that_is_not_finished_has_no_roofline(self):
        run = self.server.create("/v1/runs", {"engine": "talkative", "steps": 3})
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
        rows = self.get(self.detailed, "steps", Accept="text/csv").rows()
        self.assertEqual(steps, [step_of_row(row) for row in rows])

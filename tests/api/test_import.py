"""Runs that were measured elsewhere: imported, distinguished, refused, and exported again."""
import http.client
import json
import socket
import unittest

from harness import SANITIZED, SHARE, Server, ServerCase, fake, together, until
from run_documents import (IMPORT as PATH, NDJSON, document, export, fingerprint, ids, line, lines, machine,
                           run_id, send, speed, unsigned)

LINES = NDJSON["Content-Type"]
LARGE = 16 * 1024 * 1024
PARTS = ("", "/steps", "/evidence", "/implementations", "/recompute")


def taken(server, body):
    reply = send(server, body)
    if reply.status != 200:
        raise AssertionError(reply)
    return reply.json()


class Single(ServerCase):
    def test_a_document_becomes_a_run_with_a_number_of_our_own(self):
        run = document(1)
        reply = self.server.post(run, path=PATH)
        self.assertEqual(201, reply.status, reply)
        self.assertEqual(f"/v1/runs/{run_id(1)}", reply.headers["location"])
        stored = reply.json()
        self.assertEqual(("finished", "imported", None),
                         (stored["state"], stored["provenance"], stored["sweep"]))
        self.assertEqual(60, stored["steps_stored"])
        self.assertAlmostEqual(speed(run), stored["summary"]["samples_per_second"], 6)
        self.assertIsNotNone(stored["validity"])
        self.assertEqual(stored, self.server.show(run_id(1)))
        machine = self.server.get(f"/v1/machines/{stored['machine']}").json()
        self.assertEqual(run["machine"]["facts"], machine["facts"])

    def test_what_belongs_to_it_can_be_read(self):
        run = document(2, steps=1200)
        self.server.post(run, path=PATH)
        steps = self.server.steps(run_id(2))
        self.assertEqual(run["steps"]["nanoseconds"],
                         [round(step["seconds"] * 1e9) for step in steps])
        self.assertEqual(run["steps"]["loss"], [step["loss"] for step in steps])
        self.assertEqual([False] * 10 + [True] * 1190, [step["measured"] for step in steps])
        part = self.server.get(f"/v1/runs/{run_id(2)}/steps?from=700&limit=3").json()["steps"]
        self.assertEqual(steps[700:703], part)
        evidence = self.server.get(f"/v1/runs/{run_id(2)}/evidence").json()
        self.assertEqual([0, 1200], [canary["steps"] for canary in evidence["canaries"]])
        again = self.server.get(f"/v1/runs/{run_id(2)}/recompute").json()
        self.assertTrue(again["identical"])
        self.assertEqual(again["stored"], again["recomputed"])

    def test_the_same_again_is_known(self):
        first = self.server.post(document(3), path=PATH)
        second = self.server.post(json.dumps(document(3), indent=2), path=PATH)
        self.assertEqual((201, 200), (first.status, second.status))
        self.assertEqual(first.json(), second.json())
        self.assertNotIn("location", second.headers)

    def test_one_id_is_one_run(self):
        self.assertEqual(201, self.server.post(document(4), path=PATH).status)
        other = document(5, id=run_id(4))
        self.assertProblem(self.server.post(other, path=PATH), 409, "conflict", "id")
        other = document(4)
        other["spec"]["seed"] += 1
        self.assertProblem(self.server.post(other, path=PATH), 409, "conflict", "id")
        self.assertAlmostEqual(speed(document(4)),
                               self.server.show(run_id(4))["summary"]["samples_per_second"], 6)

    def test_a_machine_has_one_set_of_facts(self):
        self.assertEqual(201, self.server.post(document(6), path=PATH).status)
        other = {**document(9)["machine"], "stratum": "0000000000000001"}
        self.assertProblem(self.server.post(document(9, machine=other), path=PATH), 409,
                           "conflict", "machine")
        for left_out in ("stratum", "facts"):
            other = {**document(9)["machine"], left_out: None}
            self.assertProblem(self.server.post(document(9, machine=other), path=PATH), 400,
                               "invalid", "machine")

    def test_a_fingerprint_that_does_not_follow_from_the_facts_is_refused(self):
        """No document takes the fingerprint that another machine will have."""
        honest = machine({"isa": "avx2", "number": "ninety"})
        run = document(90, machine=honest | {"facts": {"isa": "amx", "number": "ninety"}})
        reply = self.server.post(run, path=PATH)
        self.assertProblem(reply, 400, "invalid", "machine.fingerprint")
        right = machine(run["machine"]["facts"])
        self.assertIn(right["fingerprint"], reply.json()["detail"])
        run["machine"] = right
        self.assertEqual(201, self.server.post(run, path=PATH).status)
        self.assertEqual(404, self.server.get("/v1/machines/" + honest["fingerprint"]).status)

    def test_a_stratum_that_does_not_follow_from_the_facts_is_refused(self):
        """No document takes a machine's facts and puts them where they do not belong."""
        names = ("cpu_model", "cpu_vendor", "cpu_family", "cpu_model_number", "cpu_stepping", "isa",
                 "processors", "cores", "packages", "numa_nodes", "quota_processors", "memory_gib",
                 "hypervisor")
        hardware = dict.fromkeys(names) | {"isa": "avx2", "cores": 2, "cpu_model": "made up"}
        right = fingerprint(hardware)  # the same hash, of the hardware alone
        facts = hardware | {"kernel": "6.1"}
        run = document(91, machine=machine(facts, "00000000000000ff"))
        reply = self.server.post(run, path=PATH)
        self.assertProblem(reply, 400, "invalid", "machine.stratum")
        self.assertIn(right, reply.json()["detail"])
        self.assertEqual(404, self.server.get("/v1/machines/" + fingerprint(facts)).status)
        run["machine"]["stratum"] = right
        self.assertEqual(201, self.server.post(run, path=PATH).status)

    def test_every_member_has_a_limit(self):
        """A run of 15 MiB made lists of machines fail, and readers of it took memory."""
        much = {"text": "x" * 70000}
        for name, field in (("cost", "cost"), ("summary", "summary"), ("validity", "validity"),
                            ("engine_details", "engine_details"), ("spec", "spec"),
                            ("implementations", "implementations"), ("loaded", "loaded")):
            self.assertProblem(self.server.post(document(9, **{name: much}), path=PATH), 400,
                               "invalid", field)
        for facts in (much, {"text": "x" * (15 << 20)}):
            reply = self.server.post(document(9, machine=machine(much) | {"facts": facts}),
                                     path=PATH)
            self.assertProblem(reply, 400, "invalid", "machine.facts")
            self.assertIn("at most 65536 bytes", reply.json()["detail"])
            self.assertEqual(65536, reply.json()["allowed"]["maximum"])
        self.assertEqual(200, self.server.get("/v1/machines").status)

    def test_little_needs_to_be_said(self):
        bare = {name: document(10)[name]
                for name in ("pennyworth_run", "id", "spec", "ended_at", "steps")}
        run = self.server.post(bare, path=PATH).json()
        for unknown in ("created_at", "started_at", "machine", "cost", "software", "ended_by"):
            self.assertIsNone(run[unknown])
        self.assertIn(run_id(10), [one["id"] for one in self.server.get("/v1/runs").json()["runs"]])


def changed(*path, to):
    """A document in which one place is something else."""
    run = document(1)
    place = run
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = to
    return run


# What a sender might do, with the field that is to be blamed. None: the text as a whole.
HOSTILE = [
    (changed("spec", "warmup_steps", to=60), "steps"),
    (changed("summary", to={"samples_per_second": speed(document(1)) * 1000}),
     "summary.samples_per_second"),
    (changed("summary", to={"samples_per_second": speed(document(1)) * 1.002}),
     "summary.samples_per_second"),
    (changed("summary", to={"samples_per_second": 0}), "summary.samples_per_second"),
    ("", None), ("{}", "pennyworth_run"), (line(document(1))[:-1], None),
]


class Refused(ServerCase):
    def as_text(self, hostile):
        return hostile if isinstance(hostile, str) else line(hostile)

    def test_each_is_refused_alone_and_nothing_is_stored(self):
        before = self.server.get("/v1/runs").json()["runs"], export(self.server)
        for hostile, field in HOSTILE:
            text = self.as_text(hostile)
            with self.subTest(text[:100]):
                reply = self.server.post(text, path=PATH)
                problem = reply.json()
                self.assertEqual((400, "urn:pennyworth:problem:invalid"),
                                 (reply.status, problem["type"]), reply)
                self.assertTrue(problem["detail"])
                if field:
                    self.assertEqual(field, problem.get("field"), reply)
        self.assertEqual(before, (self.server.get("/v1/runs").json()["runs"], export(self.server)))

    def test_refused_lines_are_numbered_and_the_others_stored(self):
        server = self.own_server()
        bad = [self.as_text(hostile) for hostile, _ in HOSTILE]
        good = [line(document(number)) for number in range(100, 100 + len(bad))]
        body = "\n".join(text for pair in zip(bad, good) for text in pair)
        report = taken(server, body.encode())
        blank = bad.count("")
        self.assertEqual((len(good), 0, len(bad) - blank),
                         tuple(report[name] for name in ("imported", "known", "refused")))
        self.assertEqual([2 * index + 1 for index, text in enumerate(bad) if text],
                         [error["line"] for error in report["errors"]])
        self.assertEqual(len(good), len(ids(export(server))))
        self.assertIn(run_id(1), [error["id"] for error in report["errors"]])

    def test_in_a_long_file_refused_lines_are_numbered_too(self):
        server = self.own_server()
        texts = [line(document(number)) for number in range(800)]  # a batch has 256 of them
        wrong = range(7, 800, 100)
        for index in wrong:
            texts[index] = line(document(index, setup_ns=-1))
        report = taken(server, "\n".join(texts).encode())
        self.assertEqual((800 - len(wrong), 0, len(wrong)),
                         tuple(report[name] for name in ("imported", "known", "refused")))
        self.assertEqual([(index + 1, run_id(index), "setup_ns") for index in wrong],
                         [(error["line"], error["id"], error["field"])
                          for error in report["errors"]])
        self.assertEqual([run_id(number) for number in range(800) if number not in wrong],
                         ids(export(server)))

    def test_a_sender_with_other_statistics_is_computed_again_and_not_refused(self):
        server = self.own_server("--price-per-hour", "0.5", "--instance-type", "test.large")
        def undisturbed():
            run = server.run(steps=30)
            return run["validity"]["level"] != "invalid" and run["id"]
        number = until(undisturbed, "an undisturbed run")
        run = next(run for run in map(json.loads, unsigned(export(server)).splitlines()) if run["id"] == number)
        ours, hub = json.loads(json.dumps(run)), self.own_server()
        run["summary"]["method"] = 2  # it cut the warm-up elsewhere: 3 % quicker
        run["summary"]["samples_per_second"] *= 1.03
        run["cost"]["samples_per_dollar"]["value"] *= 1.03
        reply = hub.post(run, path=PATH)
        self.assertEqual(201, reply.status, reply)
        self.assertEqual(ours["summary"], reply.json()["summary"])
        for name in ("samples_per_dollar", "dollars_per_million_samples", "hours_per_million_samples"):
            self.assertAlmostEqual(ours["cost"][name]["value"], reply.json()["cost"][name]["value"],
                                   delta=1e-9 * ours["cost"][name]["value"])
        # Milliseconds for nanoseconds are no other statistics.
        run["summary"]["samples_per_second"] *= 1000
        problem = self.assertProblem(hub.post(run, path=PATH), 400, "invalid",
                                     "summary.samples_per_second")
        self.assertRegex(problem["detail"], "is not what the steps give: .* claimed, .* computed")

    def test_at_most_fifty_are_listed_and_all_are_counted(self):
        report = taken(self.server, b"{}\n" * 70)
        self.assertEqual((70, 50), (report["refused"], len(report["errors"])))
        self.assertEqual([*range(1, 51)], [error["line"] for error in report["errors"]])

    def test_lines_are_for_this_path_only(self):
        reply = self.server.request("POST", "/v1/runs", b"{}", {"Content-Type": LINES})
        self.assertProblem(reply, 415, "unsupported-media-type", "Content-Type")


class Large(ServerCase):
    def begin(self, length):
        """A request whose body is awaited, unless it is refused."""
        raw = self.server.raw()
        self.addCleanup(raw.close)
        raw.send(f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {LINES}\r\n"
                 f"Content-Length: {length}\r\nExpect: 100-continue\r\n\r\n")
        return raw

    def test_sixteen_mebibytes_are_taken_and_no_more(self):
        body = lines([document(1)])
        body += b"\n" * (LARGE - len(body))
        self.assertEqual(1, taken(self.server, body)["imported"])
        with self.server.raw() as raw:
            raw.send(f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {LINES}\r\n"
                     f"Content-Length: {LARGE + 1}\r\n\r\n")
            self.assertProblem(raw.reply("POST"), 413, "content-too-large")

    def test_a_fifth_large_body_waits_for_its_turn(self):
        begun = [self.begin(LARGE) for _ in range(4)]
        for raw in begun:
            self.assertEqual(b"HTTP/1.1 100 Continue\r\n", raw.stream.readline())
        reply = self.begin(LARGE).reply("POST")
        self.assertProblem(reply, 503, "busy")
        self.assertIn("retry-after", reply.headers)
        self.assertEqual(1, len(taken(self.server, b"{}")["errors"]))  # a small one needs none
        self.assertEqual(200, self.server.get("/v1/runs").status)
        for raw in begun:
            raw.close()
        until(lambda: send(self.server, b"\n" * 100000).status != 503, "room again")

    def test_a_large_body_of_unknown_length_is_counted_too(self):
        def pieces():
            yield b"\n" * 50000
            yield b"\n" * 50000 + lines([document(2)])
        connection = self.server.connection()
        connection.request("POST", PATH, pieces(), {"Content-Type": LINES}, encode_chunked=True)
        reply = connection.getresponse()
        self.assertEqual((200, 1), (reply.status, json.loads(reply.read())["imported"]))
        connection.close()

    @unittest.skipIf(SANITIZED, "memory says nothing there")
    def test_memory_stays_bounded(self):
        server, steps = self.own_server(), 450_000 // (3 if SHARE else 1)
        before = server.memory("VmHWM")
        body = line(document(3, steps=steps)).encode()
        self.assertGreater(len(body), 13 * steps)
        replies = together(2, lambda _: server.request("POST", PATH, body,
                                                       {"Content-Type": "application/json"}))
        self.assertEqual([200, 201], sorted(reply.status for reply in replies))
        self.assertLess(server.memory("VmHWM") - before, 0.9 * steps)  # KiB
        self.assertEqual(1, export(server).count(b"\n"))
        last = server.ask(f"/v1/runs/{run_id(3)}/steps", **{"from": steps - 1})["steps"]
        self.assertEqual([steps - 1], [step["index"] for step in last])


class RoundTrip(ServerCase):
    ENGINES = {"ok": fake("ok"), "talkative": fake("talkative"), "crash": fake("crash")}
    FLAGS = ("--price-per-hour", "0.5", "--instance-type", "test.large")

    @classmethod
    def prepare(cls):
        for engine in ("ok", "talkative", "ok"):
            cls.server.run(engine, steps=40, labels={"of": engine})
        taken(cls.server, lines(document(number) for number in range(300)))  # a batch and a part of one
        cls.server.run("crash")  # it has no number, and stays

    def check_same(self, there, run_id_):
        ours, theirs = self.server.show(run_id_), there.show(run_id_)
        self.assertEqual("imported", theirs.pop("provenance"))
        measured = ours.pop("provenance") == "measured"
        self.assertEqual(measured, theirs.pop("signed_by") is not None)
        self.assertIsNone(ours.pop("signed_by"))
        self.assertEqual(ours, theirs)
        for part in PARTS[1:]:
            path = f"/v1/runs/{run_id_}{part}"
            self.assertEqual(self.server.get(path).body, there.get(path).body)
        self.assertTrue(there.get(f"/v1/runs/{run_id_}/recompute").json()["identical"])

    def test_every_run_is_the_same_elsewhere(self):
        there = self.own_server()
        out = export(self.server)
        report = taken(there, out)
        self.assertEqual((0, []), (report["refused"], report["errors"]))
        self.assertGreaterEqual(report["imported"], 303)
        self.assertEqual(out, export(there))
        for one in [*ids(out)[:5], *ids(out)[-3:]]:
            self.check_same(there, one)
        # And back: nothing is new, and what was measured here was measured here.
        again = taken(self.server, export(there))
        self.assertEqual((0, report["imported"]), (again["imported"], again["known"]))
        self.assertEqual("measured", self.server.show(ids(out)[0])["provenance"])

    def test_an_export_goes_on_behind_an_id(self):
        everything = ids(export(self.server, "?provenance=imported"))
        for index in (0, 255, 298, 299):
            rest = ids(export(self.server, f"?provenance=imported&after={everything[index]}"))
            self.assertEqual(everything[index + 1:], rest)

    def test_a_reader_that_disconnects_does_not_disturb_others(self):
        for _ in range(5):
            connection = http.client.HTTPConnection(self.server.listen, self.server.port)
            connection.request("GET", "/v1/runs/export")
            connection.getresponse().read(1000)
            connection.sock.shutdown(socket.SHUT_RDWR)
            connection.close()
        self.assertEqual(200, self.server.get("/v1/runs").status)


class Together(ServerCase):
    def test_the_same_file_from_two_sides_is_stored_once(self):
        server = self.own_server()
        body = lines(document(number) for number in range(300))
        reports = together(2, lambda _: taken(server, body))
        self.assertEqual(300, sum(report["imported"] for report in reports))
        self.assertEqual(300, sum(report["known"] for report in reports))
        self.assertEqual({run_id(number) for number in range(300)}, set(ids(export(server))))

    def test_a_slow_line_keeps_its_place(self):
        server = self.own_server()
        runs = [document(0, steps=100000), *(document(number) for number in range(1, 300))]
        self.assertEqual(300, taken(server, lines(runs))["imported"])
        self.assertEqual([run["id"] for run in runs], ids(export(server)))

    def test_one_line_twice_in_a_file_is_one_run(self):
        report = taken(self.server, lines([document(2000), document(2000)]))
        self.assertEqual((1, 1), (report["imported"], report["known"]))

    def test_acknowledged_runs_survive_a_kill(self):
        server = Server().start()
        taken(server, lines(document(number) for number in range(300)))
        server.kill()
        server.start()
        self.assertEqual(300, len(ids(export(server))))
        self.assertTrue(server.get(f"/v1/runs/{run_id(299)}/recompute").json()["identical"])
        server.stop()

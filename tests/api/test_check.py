"""The CI gate over HTTP: what passes, what fails, what stays undecided, and measuring it again."""
import datetime
import json
import signal
import time
from pathlib import Path

from harness import ServerCase, fake, until
from test_tokens import line, secret

QUICK = {"steps": 12, "warmup_steps": 1}
ENGINES = {"old": fake("paced", 2000), "same": fake("paced", 2000), "slow": fake("paced", 2400),
           "fast": fake("paced", 1600), "dawdling": fake("slow", 40)}


def measure(server, engine, count=1, **fields):
    ids = [server.queue(engine, **{**QUICK, **fields}) for _ in range(count)]
    for run_id in ids:
        run = server.wait(run_id)
        assert run["state"] == "finished", run
    return ids


def two_builds(server, **fields):
    """The runs of a slower build, and the question that confirms how they differ from those before."""
    olds = measure(server, "old", 3, labels={"c": "1"}, **fields)
    slow = measure(server, "slow", 3, labels={"c": "2"}, **fields)
    return olds, slow, f"?baseline={olds[0]}&confirm=true"


def check(server, run_id, query="", wanted=200, **headers):
    method = "POST" if "confirm=true" in query else "GET"
    reply = server.request(method, f"/v1/runs/{run_id}/check{query}", headers=headers)
    assert reply.status == wanted, reply
    return reply


def other_machine(server, run_id):
    """As if the run had been measured elsewhere: its contender gets another machine."""
    (contender,), = server.sql(
        "INSERT INTO contenders (workload, engine, configuration, provider, instance, stratum,"
        " published, changed) SELECT workload, engine, configuration, provider, instance,"
        " 'feedfeedfeedfeed', published, changed FROM contenders"
        " WHERE number = (SELECT contender FROM runs WHERE id = ?)"
        " ON CONFLICT DO UPDATE SET changed = excluded.changed RETURNING number", run_id)
    server.sql("UPDATE runs SET contender = ? WHERE id = ?", contender, run_id)


class Looks(ServerCase):
    ENGINES = ENGINES

    @classmethod
    def prepare(cls):
        cls.olds = measure(cls.server, "old", 8, labels={"branch": "main"})

    def test_a_run_as_fast_as_those_before_passes(self):
        (run,) = measure(self.server, "old", labels={"branch": "topic", "commit": "f1"})
        reply = check(self.server, run)
        answer = reply.json()
        self.assertEqual("pass", reply.headers["pennyworth-verdict"])
        self.assertEqual("pass", answer["verdict"])
        self.assertIsNone(answer["confirmed"])
        self.assertEqual([run], answer["candidate"]["runs"])
        self.assertEqual("last", answer["baseline"]["kind"])
        self.assertTrue(set(self.olds) <= set(answer["baseline"]["runs"]), answer)
        self.assertEqual("runs", answer["ratio"]["level"])
        self.assertGreater(answer["smallest_detectable_percent"], 3)
        self.assertAlmostEqual(1, answer["ratio"]["value"], delta=0.02)
        self.assertAlmostEqual(answer["candidate"]["value"] / answer["baseline"]["value"],
                               answer["ratio"]["value"], 5)
        self.assertIsNone(answer["samples_per_dollar"])  # the price of an hour is unknown
        self.assertIsNone(answer["price"]["ratio"])
        self.assertIsNone(answer["confirmation"])

    def test_repeats_stand_together_and_a_label_chooses_the_baseline(self):
        runs = measure(self.server, "old", 3, labels={"commit": "f2"})
        answer = check(self.server, runs[1], "?baseline=branch=main").json()
        self.assertEqual(set(runs), set(answer["candidate"]["runs"]))
        self.assertEqual(set(self.olds), set(answer["baseline"]["runs"]))
        self.assertEqual("label", answer["baseline"]["kind"])
        few = check(self.server, runs[1], "?baseline=branch=main&window=3").json()
        self.assertEqual(self.olds[:-4:-1], few["baseline"]["runs"])
        few = check(self.server, runs[0], "?baseline=last:2").json()
        self.assertEqual(2, few["baseline"]["n"])

    def test_runs_that_differ_only_in_their_id_stand_alone(self):
        runs = measure(self.server, "old", 3, labels={"commit": "same"})
        answer = check(self.server, runs[2], f"?baseline={runs[0]}").json()
        self.assertEqual([runs[2]], answer["candidate"]["runs"])
        self.assertEqual([runs[0]], answer["baseline"]["runs"])
        self.assertEqual([], answer["differs"])
        for labels in ({"commit": "other"}, {"commit": "same", "more": "1"}):
            (other,) = measure(self.server, "old", labels=labels)
            answer = check(self.server, runs[2], f"?baseline={other}").json()
            self.assertEqual(set(runs), set(answer["candidate"]["runs"]), labels)

    def test_a_slower_build_fails_and_is_not_yet_confirmed(self):
        slow = measure(self.server, "slow", 3, labels={"commit": "f3"})
        answer = check(self.server, slow[0], f"?baseline={self.olds[0]}").json()
        self.assertEqual("fail", answer["verdict"], answer)
        self.assertIs(False, answer["confirmed"])
        self.assertAlmostEqual(2000 / 2400, answer["ratio"]["value"], delta=0.01)
        self.assertEqual(["engine"], answer["differs"])
        # Its own margin of tolerance lets it through.
        self.assertEqual("pass", check(self.server, slow[0], "?margin=30&baseline="
                                       + self.olds[0]).json()["verdict"])

    def test_a_baseline_that_no_run_has_is_called_so(self):
        answer = check(self.server, self.olds[0], "?baseline=branch=mian").json()
        self.assertEqual("cannot_tell", answer["verdict"])
        (unmatched,) = answer["unmatched"]
        self.assertEqual(("baseline", "branch=mian"), (unmatched["parameter"], unmatched["value"]))
        self.assertIn("no run has 'branch' with this value", answer["words"])
        self.assertIn("main", unmatched["words"])
        text = check(self.server, self.olds[0], "?format=markdown&baseline=branch=mian").body.decode()
        self.assertIn("matches nothing", text)
        self.assertNotIn("too few runs", text)
        for known in ("branch=main", "last:5"):
            answer = check(self.server, self.olds[0], "?baseline=" + known).json()
            self.assertEqual([], answer["unmatched"])

    def test_a_check_of_an_unfinished_run_waits_or_is_refused(self):
        run = self.server.queue("dawdling", steps=30, warmup_steps=1)
        problem = self.assertProblem(check(self.server, run, wanted=409), 409, "conflict")
        self.assertRegex(problem["detail"], "queued|running")
        reply = check(self.server, run, Prefer="wait=30")
        self.assertEqual("wait=30", reply.headers["preference-applied"])
        self.assertEqual("cannot_tell", reply.json()["verdict"])
        self.assertEqual("finished", self.server.show(run)["state"])
        run = self.server.queue("dawdling", steps=3000, warmup_steps=1)
        problem = check(self.server, run, "?wait=1", wanted=409).json()
        self.server.cancel(run)
        problem = check(self.server, run, "?wait=30", wanted=409).json()
        self.assertIn("cancelled", problem["detail"])

    def test_an_invalid_run_says_nothing(self):
        (run,) = measure(self.server, "slow", labels={"commit": "f4"})
        self.server.sql("UPDATE runs SET validity = 'invalid', findings = json(?) WHERE id = ?",
                        '[{"code":"steal","level":"invalid","value":9,"words":"the hypervisor took 9 %"}]', run)
        for one, other in ((run, self.olds[0]), (self.olds[0], run)):
            answer = check(self.server, one, f"?baseline={other}").json()
            self.assertEqual("cannot_tell", answer["verdict"])
            self.assertIn("the hypervisor took 9 %", answer["words"])

    def test_different_machines_are_never_compared(self):
        here, there = measure(self.server, "old", 2, batch_size=5)
        other_machine(self.server, there)
        problem = self.assertProblem(
            check(self.server, here, f"?baseline={there}", wanted=422), 422,
            "not-possible-here", "baseline")
        self.assertIn("only runs of one instance type and hardware", problem["detail"])
        work = measure(self.server, "old", workload="resnet50")[0]
        self.assertProblem(check(self.server, here, f"?baseline={work}", wanted=422), 422,
                           "not-possible-here", "baseline")

    def test_bad_questions_name_the_parameter(self):
        run = self.olds[0]
        for query in ("baseline=main", f"baseline={run}"):
            reply = check(self.server, run, "?" + query, wanted=400)
            self.assertProblem(reply, 400, "invalid", "baseline")
        self.assertProblem(check(self.server, run, "?baseline=" + "0" * 26, wanted=404), 404,
                           "not-found")

    def test_the_comment_has_the_verdict_first_and_links_to_the_run(self):
        run = self.olds[-1]
        reply = check(self.server, run, "?baseline=branch=none", Accept="text/markdown")
        text = reply.body.decode()
        self.assertEqual("text/markdown; charset=utf-8", reply.headers["content-type"])
        self.assertTrue(text.startswith("**cannot_tell**: "), text)
        text = check(self.server, run, "?format=markdown").body.decode()
        self.assertIn(f"](http://127.0.0.1:{self.server.port}/v1/runs/{run})", text)
        proxied = check(self.server, run, "?format=markdown", **{
            "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/bench/"}).body.decode()
        self.assertIn(f"](https://127.0.0.1:{self.server.port}/bench/v1/runs/{run})", proxied)

    def test_only_a_post_with_a_token_that_writes_queues(self):
        server = self.own_server(engines=ENGINES, environment={
            "PENNYWORTH_READ_TOKEN": "r" * 20, "PENNYWORTH_WRITE_TOKEN": "w" * 20})
        server.token = "w" * 20
        _, slow, query = two_builds(server)
        path = f"/v1/runs/{slow[0]}/check{query}"
        self.assertEqual(400, server.request("HEAD", path).status)
        self.assertProblem(server.get(path), 400, "invalid", "confirm")
        server.token = "r" * 20
        self.assertProblem(server.request("POST", path), 403, "forbidden")
        self.assertEqual([], server.get("/v1/sweeps").json()["sweeps"])
        server.token = "w" * 20
        self.assertEqual("cannot_tell", server.request("POST", path).json()["verdict"])
        server.token = "r" * 20  # what is there may be read
        self.assertEqual("fail", server.get(path + "&wait=60").json()["verdict"])


class Confirmed(ServerCase):
    ENGINES = ENGINES

    def test_two_builds_are_measured_in_turns_once(self):
        _, slow, query = two_builds(self.server)
        first = check(self.server, slow[0], query).json()
        self.assertEqual("cannot_tell", first["verdict"])
        self.assertIsNone(first["confirmed"])
        self.assertEqual("running", first["confirmation"]["state"])
        reply = check(self.server, slow[0], query, Prefer="wait=50")
        known = time.time()
        answer = reply.json()
        self.assertEqual("fail", reply.headers["pennyworth-verdict"])
        self.assertIs(True, answer["confirmed"])
        self.assertEqual("pairs", answer["ratio"]["level"])
        self.assertEqual("interleaved", answer["confirmation"]["kind"])
        self.assertEqual(6, answer["confirmation"]["n"])
        self.assertEqual(first["confirmation"]["sweep"], answer["confirmation"]["sweep"])
        sweep = self.server.get("/v1/sweeps/" + answer["confirmation"]["sweep"]).json()
        # A notification of the end wakes the request; it does not poll.
        ended = datetime.datetime.fromisoformat(sweep["ended_at"].replace("Z", "+00:00"))
        self.assertLess(known - ended.timestamp(), 10)
        self.assertEqual(["slow", "old"], [cell["spec"]["engine"] for cell in sweep["cells"]])
        self.assertEqual([{"check": slow[0]}] * 2,
                         [cell["spec"]["labels"] for cell in sweep["cells"]])
        self.assertEqual({6}, {len(cell["runs"]) for cell in sweep["cells"]})
        # Neither side has grown by what was measured to confirm.
        again = check(self.server, slow[0], query).json()
        self.assertEqual(answer, again)
        self.assertEqual(3, again["candidate"]["n"])
        self.assertEqual(3, again["baseline"]["n"])
        text = check(self.server, slow[0], query + "&format=markdown").body.decode()
        self.assertIn(f"](http://127.0.0.1:{self.server.port}/v1/sweeps/{sweep['id']})", text)
        # A pair does not count when one of its runs was taken back.
        path = f"/v1/runs/{sweep['cells'][1]['runs'][2]['id']}/void"
        self.assertEqual(200, self.server.post({"reason": "a busy machine"}, path=path).status)
        self.assertEqual(5, check(self.server, slow[0], query).json()["confirmation"]["n"])

    def test_a_build_that_is_gone_is_measured_again_alone(self):
        measure(self.server, "fast", 7, labels={"c": "1"})
        server = self.server
        server.stop()
        server.engines["fast"] = fake("paced", 2000)  # the same name, another build
        self.addCleanup(server.engines.update, fast=fake("paced", 1600))
        server.start()
        (slow,) = measure(server, "fast", labels={"c": "3"})
        query = "?baseline=c=1&confirm=true&wait=60"
        answer = check(server, slow, query).json()
        self.assertEqual("fail", answer["verdict"], answer)
        self.assertIs(True, answer["confirmed"])
        self.assertEqual("rerun", answer["confirmation"]["kind"])
        self.assertIn("not interleaved, because", answer["confirmation"]["words"])
        self.assertEqual(4, answer["confirmation"]["n"])
        self.assertEqual(1, answer["candidate"]["n"])

    def test_a_cancelled_confirmation_confirms_nothing(self):
        server = self.own_server(engines={**ENGINES, "old": fake("slow", 5),
                                          "slow": fake("slow", 9)})
        _, slow, query = two_builds(server)
        answer = check(server, slow[0], query).json()
        self.assertEqual("running", answer["confirmation"]["state"], answer)
        server.delete("/v1/sweeps/" + answer["confirmation"]["sweep"])
        answer = check(server, slow[0], query + "&wait=60").json()
        self.assertEqual("cannot_tell", answer["verdict"])
        self.assertEqual("cancelled", answer["confirmation"]["state"])

    def test_it_counts_for_the_limits_of_its_token_and_the_audit_names_it(self):
        folder = self.new_folder()
        tokens, audit = Path(folder, "tokens"), Path(folder, "audit")
        tokens.write_text(line("ci", "read,write", "runs_per_hour=17"))
        server = self.own_server("--tokens", tokens, "--audit", audit, engines=ENGINES)
        server.token = secret("ci")
        _, slow, query = two_builds(server)
        reply = check(server, slow[0], query, wanted=429)  # 6 blocks of 2, and 11 are left
        self.assertProblem(reply, 429, "limited", "runs_per_hour")
        self.assertEqual([], server.get("/v1/sweeps").json()["sweeps"])
        tokens.write_text(tokens.read_text().replace("=17", "=1000"))
        server.process.send_signal(signal.SIGHUP)
        until(lambda: "1 tokens are known now" in server.read_log(), "the new limit")
        sweep = check(server, slow[0], query).json()["confirmation"]["sweep"]
        check(server, slow[0], query)  # is there
        entries = [json.loads(text) for text in audit.read_text().splitlines()]
        self.assertEqual([(429, None), (200, sweep), (200, None)],
                         [(entry["status"], entry.get("id")) for entry in entries
                          if entry["path"].endswith("/check")])
        samples = server.metrics()
        self.assertEqual(18, samples['pennyworth_sender_runs_total{sender="ci"}'])
        self.assertEqual(1, samples['pennyworth_sender_limited_total{sender="ci"}'])

    def test_a_run_of_another_machine_cannot_be_confirmed_here(self):
        olds, slow, query = two_builds(self.server, batch_size=6)
        for run in olds + slow:
            other_machine(self.server, run)
        self.assertEqual("fail", check(self.server, slow[0], f"?baseline={olds[0]}").json()["verdict"])
        reply = check(self.server, slow[0], query, wanted=422)
        self.assertProblem(reply, 422, "not-possible-here", "confirm")

    def test_a_baseline_whose_engine_is_gone_cannot_be_run(self):
        server = self.own_server(engines=ENGINES)
        _, slow, query = two_builds(server)
        server.stop()
        server.engines = {"slow": ENGINES["slow"]}
        server.start()
        reply = check(server, slow[0], query, wanted=422)
        self.assertProblem(reply, 422, "not-possible-here", "confirm")

    def test_a_killed_server_goes_on_confirming(self):
        server = self.own_server(engines={**ENGINES, "old": fake("slow", 5), "slow": fake("slow", 9)})
        _, slow, query = two_builds(server)
        check(server, slow[0], query)
        server.kill()
        server.start()
        answer = check(server, slow[0], query + "&wait=60").json()
        self.assertEqual("finished", answer["confirmation"]["state"])
        self.assertIs(True, answer["confirmed"])

"""What a client may ask by which name, and what it is answered when it asks for what there is not:
workloads of registered engines, filters that match nothing, labels that tell branches apart, and
the cost of a run that is worth none."""
from catalogue import list_types
from harness import WORKLOADS, Case, fake
from openapi import DescribedCase
from run_documents import FIGURE, document

PLACE = ("--provider", "aws", "--region", "us-east-1", "--instance-type", "test.large",
         "--life-cycle", "on_demand")


class Asking(DescribedCase):
    ENGINES = {"ok": fake("ok"), "other": fake("ok")}
    FLAGS = PLACE

    def refused(self, spec, status, field):
        return self.assertProblem(self.server.post(spec), status,
                                  "not-possible-here" if status == 422 else "invalid", field)


class Workloads(Asking):
    def test_a_registered_engine_trains_what_it_calls_its_own(self):
        run = self.server.run("ok", workload="lstm/v2.large_x", steps=20, warmup_steps=5)
        self.assertEqual(("finished", "lstm/v2.large_x"), (run["state"], run["spec"]["workload"]))
        listed = self.ask("/v1/runs?workload=lstm/v2.large_x")["runs"]
        self.assertEqual([run["id"]], [each["id"] for each in listed])
        row, = self.ask("/v1/comparison?workload=lstm/v2.large_x")["rows"]
        self.assertEqual(("ok", run["id"]), (row["engine"], row["newest_run"]))

    def test_the_native_engine_lists_what_it_trains(self):
        for spec in ({"workload": "lstm"}, {"workload": "lstm", "engine": "native"}):
            problem = self.refused(spec, 400, "workload")
            self.assertEqual({"values": WORKLOADS}, problem["allowed"])
            self.assertIn("a registered engine may train its own", problem["detail"])

    def test_a_sweep_may_hold_one(self):
        reply = self.server.post({"base": {"workload": "gnn", "steps": 5, "warmup_steps": 1},
                                  "cells": [{"engine": "ok"}, {"engine": "other"}], "blocks": 1},
                                 path="/v1/sweeps")
        self.assertEqual(201, reply.status, reply)
        refused = self.server.post({"base": {"engine": "native"},
                                    "knobs": {"workload": ["mlp2017", "gnn"]}}, path="/v1/sweeps")
        problem = self.assertProblem(refused, 400, "invalid", "knobs.workload")
        self.assertEqual({"values": WORKLOADS}, problem["allowed"])

    def test_runs_of_it_travel(self):
        run = document(7)
        run["spec"]["workload"] = "gcn"
        reply = self.server.post(run, path="/v1/runs/import")
        self.assertEqual(201, reply.status, reply)
        self.assertEqual("gcn", reply.json()["spec"]["workload"])
        self.assertEqual(1, len(self.ask("/v1/comparison?workload=gcn")["rows"]))
        run = document(8)
        run["spec"] |= {"workload": "gcn", "engine": "native"}
        self.assertProblem(self.server.post(run, path="/v1/runs/import"), 400, "invalid",
                           "spec.workload")


class Precisions(Asking):
    def test_f16_is_refused_with_what_to_use(self):
        for workload in ("mlp2017", "resnet50"):
            problem = self.refused({"workload": workload, "precision": "f16"}, 422, "precision")
            self.assertIn("f16 training is not implemented by the engine native", problem["detail"])
            self.assertIn("use bf16 or f32", problem["detail"])

    def test_a_registered_engine_may_have_it_and_its_runs_are_read(self):
        run = self.server.run("ok", precision="f16", steps=20, warmup_steps=5)
        self.assertEqual(("finished", "f16"), (run["state"], run["spec"]["precision"]))
        row, = self.ask("/v1/comparison?workload=mlp2017&precision=f16")["rows"]
        self.assertEqual("f16", row["configuration"]["precision"])


class Names(Asking):
    def test_every_path_calls_the_type_of_a_machine_alike(self):
        self.server.run("ok", steps=20, warmup_steps=5)
        for path in ("/v1/runs", "/v1/history", "/v1/comparison", "/v1/support", "/v1/families",
                     "/v1/capacity", "/v1/wanted", "/v1/prices", "/v1/instances",
                     "/v1/badge.svg?workload=mlp2017", "/v1/comparison.svg?workload=mlp2017",
                     "/v1/runs/export"):
            between = "&" if "?" in path else "?"
            reply = self.server.get(f"{path}{between}instance_type=test.large")
            self.assertEqual(200, reply.status, f"{path}: {reply}")
            reply = self.server.get(f"{path}{between}instance=test.large")
            self.assertProblem(reply, 400, "invalid", "instance")
        described = {parameter["name"]
                     for path in self.server.get("/v1/openapi.json").json()["paths"].values()
                     for parameter in path.get("get", {}).get("parameters", [])
                     if "name" in parameter}
        self.assertIn("instance_type", described)
        self.assertNotIn("instance", described)
        line, *_ = self.ask("/v1/history?workload=mlp2017&instance_type=test.large")["lines"]
        self.assertEqual("test.large", line["instance_type"])

    def test_a_figure_has_an_instance_type(self):
        reply = self.server.post(FIGURE, path="/v1/figures")
        self.assertEqual(201, reply.status, reply)
        self.assertEqual("x1.large", reply.json()["instance_type"])
        other = {**FIGURE, "id": "other", "instance": "y"}
        self.assertProblem(self.server.post(other, path="/v1/figures"), 400, "invalid", "instance")


# (the list, the question, the parameter that matches nothing, what is said; or how that begins).
PRICES, RUNS, EVENTS = (f"no {what} has it; known are " for what in ("price", "run", "event"))
LISTED, ANYWHERE = "no feed lists it; known are ", "no feed lists it and no run has it; known are "
UNMATCHED = (
    ("runs", "workload=mpl", "workload", RUNS + "mlp2017"),
    ("runs", "engine=native", "engine", RUNS + "ok"),
    ("runs", "instance_type=test.lage", "instance_type", RUNS + "test.large"),
    ("runs", "sender=candidate-8", "sender", "no run has it; none is known here"),
    ("runs", "label=branch=mian", "label", "no run has 'branch' with this value; known are main"),
    ("runs", "label=brunch=main", "label", "no run has a label of this key; known are branch"),
    ("prices", "instance_type=a.lage", "instance_type", PRICES + "a.large, b.large"),
    ("prices", "provider=awz", "provider", PRICES + "aws"),
    ("prices", "region=eu-2", "region", PRICES + "eu-1"),
    ("prices", "zone=eu-1b", "zone", PRICES + "eu-1a"),
    ("prices", "feed=typo", "feed", PRICES + "typed"),
    ("prices", "kind=spot&provider=aws", "kind", PRICES + "typed"),
    ("prices", "history=true&instance_type=a.lage", "instance_type", PRICES + "a.large, b.large"),
    ("instances", "instance_type=c9.lage", "instance_type", LISTED + "c9.large"),
    ("instances", "provider=awz", "provider", LISTED + "aws"),
    ("instances", "architecture=x86", "architecture", "none of these types is known to have it; x86_64 and"
     " arm64 are usual, and of 0 it is not known"),
    ("instances", "prefix=c8.", "prefix", "no type begins with it; known are c9.large"),
    ("history", "workload=mpl", "workload", RUNS + "mlp2017"),
    ("history", "workload=mlp2017&label=branch=mian", "label",
     "no run has 'branch' with this value; known are main"),
    ("support", "instance_type=test.lage", "instance_type", ANYWHERE),
    ("support", "provider=awz", "provider", ANYWHERE + "aws"),
    ("families", "workload=mlp2017&engine=okk", "engine", "no run of mlp2017 has it; known are ok"),
    ("capacity", "zone=us-east-1b", "zone", EVENTS + "us-east-1a"),
    ("capacity", "instance_type=test.lage", "instance_type", EVENTS + "test.large"),
    ("capacity", "price_kind=spott", "price_kind", EVENTS + "spot"),
    ("wanted", "workload=mpl", "workload", RUNS + "mlp2017"),
    ("wanted", "engine=okk", "engine", RUNS + "ok"),
    ("wanted", "instance_type=test.lage", "instance_type", ANYWHERE),
    ("wanted", "instance_type=test.large&provider=awz", "provider", ANYWHERE + "aws"),
)


class Unmatched(Asking):
    @classmethod
    def prepare(cls):
        cls.server.run("ok", labels={"branch": "main"}, steps=20, warmup_steps=5)
        for name, zone in (("a.large", "eu-1a"), ("b.large", "")):
            cls.server.price(name, 0.1, zone=zone, provider="aws", region="eu-1")
        list_types(cls.server, ("c9.large", 2, 4, "x86_64"))
        event = {"provider": "aws", "instance_type": "test.large", "zone": "us-east-1a",
                 "kind": "launched", "price_kind": "spot"}
        assert cls.server.post(event, path="/v1/capacity").status == 201

    def unmatched(self, path, query):
        answer = self.ask(f"/v1/{path}?{query}")
        if path != "wanted":  # which is about other things than the question names
            self.assertEqual([], answer["lines" if path == "history" else path])
        return [(each["parameter"], each["value"], each["words"]) for each in answer["unmatched"]]

    def test_a_filter_that_matches_nothing_says_what_there_is(self):
        for path, query, parameter, words in UNMATCHED:
            with self.subTest(path=path, query=query):
                (named, value, said), = self.unmatched(path, query)
                self.assertEqual((parameter, True), (named, f"{parameter}={value}" in query))
                self.assertEqual(words, said if words[-1] != " " else said[:len(words)])

    def test_a_filter_that_some_match_says_nothing(self):
        for query in ("prices?provider=aws", "instances?prefix=c9.&min_vcpus=64", "wanted",
                      "wanted?workload=mlp2017&engine=ok", "wanted?workload=resnet50&engine=native",
                      "wanted?instance_type=test.large&provider=aws"):
            self.assertEqual([], self.ask("/v1/" + query)["unmatched"], query)

    def test_a_place_without_a_price_is_named(self):
        for path, name in (("families?workload=mlp2017&", "region"), ("families?workload=mlp2017&", "zone"),
                           ("instances?", "region")):
            answer = self.ask(f"/v1/{path}{name}=nowhere-1")
            self.assertEqual([(name, "nowhere-1")], [(each["parameter"], each["value"])
                                                     for each in answer["unmatched"]])

    def test_an_export_of_nothing_says_it_in_its_header(self):
        reply = self.server.get("/v1/runs/export?workload=mpl&label=branch=mian")
        self.assertEqual((200, b""), (reply.status, reply.body))
        self.assertEqual("workload=mpl: no run has it; known are mlp2017 | label=branch=mian: no run "
                         "has 'branch' with this value; known are main",
                         reply.headers["pennyworth-unmatched"])
        for query in ("workload=mlp2017", "workload=mlp2017&precision=bf16"):
            self.assertNotIn("pennyworth-unmatched",
                             self.server.get("/v1/runs/export?" + query).headers)

    def test_a_filter_that_matches_says_nothing(self):
        self.assertEqual([], self.unmatched("runs", "workload=mlp2017&state=failed"))
        answer = self.ask("/v1/runs?workload=mlp2017")
        self.assertEqual((1, []), (len(answer["runs"]), answer["unmatched"]))
        two = self.unmatched("runs", "workload=mlp2017&engine=okk&label=branch=x")
        self.assertEqual(["engine", "label"], [each[0] for each in two])

    def test_labels_work_with_the_other_filters(self):
        for query, count in (("precision=f32&since=2020-01-01", 1), ("precision=bf16", 0),
                             ("until=2020-01-01", 0), ("provenance=measured", 1),
                             ("provenance=imported", 0), ("validity=ok&instance_type=test.large", None)):
            answer = self.ask("/v1/runs?label=branch=main&" + query)
            self.assertEqual([], answer["unmatched"], query)
            if count is not None:
                self.assertEqual(count, len(answer["runs"]), query)
            exported = self.server.get("/v1/runs/export?label=branch=main&" + query).body
            self.assertEqual(len(answer["runs"]), len(exported.splitlines()), query)
        self.assertEqual(["label"], [each[0] for each in
                                     self.unmatched("runs", "precision=f32&label=branch=mian")])


class Branches(Asking):
    """Two branches on one machine, in one configuration."""

    @classmethod
    def prepare(cls):
        cls.ids = {}
        for branch, ticket in (("main", "1"), ("fast", "1"), ("main", "2")):
            run = cls.server.run("ok", labels={"branch": branch, "ticket": ticket}, steps=20,
                                 warmup_steps=5)
            cls.ids.setdefault(branch, []).append(run["id"])

    def compare(self, *labels, **more):
        query = "&".join([f"label={label}" for label in labels] +
                         [f"{name}={value}" for name, value in more.items()])
        return self.ask("/v1/comparison?workload=mlp2017&" + query)

    def runs_of(self, answer):
        return [row["throughput"]["runs"] for row in answer["rows"]]

    def test_only_runs_with_the_labels_are_put_together(self):
        self.assertEqual([3], self.runs_of(self.compare()))
        main, fast = self.compare("branch=main"), self.compare("branch=fast")
        self.assertEqual(([2], [1]), (self.runs_of(main), self.runs_of(fast)))
        self.assertEqual(self.ids["main"][-1], main["rows"][0]["newest_run"])
        self.assertEqual(self.ids["fast"][-1], fast["rows"][0]["newest_run"])
        self.assertEqual([1], self.runs_of(self.compare("branch=main", "ticket=2")))
        self.assertEqual(["branch=main"], main["question"]["labels"])
        self.assertIsNone(main["question"]["newest_runs"])
        self.assertEqual([], self.compare()["question"]["labels"])

    def test_the_id_of_a_row_stays(self):
        row, = self.compare()["rows"]
        same = self.compare("branch=fast", configuration=row["id"])["rows"]
        self.assertEqual([row["id"]], [each["id"] for each in same])

    def test_the_runs_that_were_measured_here_have_a_name(self):
        answer = self.compare(sender="local")
        self.assertEqual(([3], []), (self.runs_of(answer), answer["unmatched"]))
        self.assertEqual([1], self.runs_of(self.compare("branch=fast", sender="local")))
        answer = self.compare("branch=fast", sender="c1")
        self.assertEqual([], answer["rows"])
        self.assertEqual(["sender"], [each["parameter"] for each in answer["unmatched"]])

    def test_tables_say_which_labels(self):
        path = "/v1/comparison?workload=mlp2017&label=branch=fast&label=ticket=1&format="
        self.assertEqual(["branch=fast;ticket=1"], [row["labels"] for row in self.server.get(path + "csv").rows()])
        text = self.server.get(path + "markdown").body.decode()
        self.assertIn(", only runs with `branch=fast` and `ticket=1`\n", text)


class Unranked(Case):
    """The fake engine's loss rises, which makes the run invalid."""

    def test_an_invalid_run_has_its_point_and_no_interval(self):
        engines = {"bad": fake("unlearning"), "ok": fake("ok")}
        server = self.own_server(*PLACE, "--price-per-hour", "0.36", engines=engines)
        amounts = ("samples_per_dollar", "dollars_per_million_samples",
                   "hours_per_million_samples")
        bad = server.run("bad", steps=60, warmup_steps=5)
        self.assertEqual("invalid", bad["validity"]["level"], bad["validity"])
        point = {"value": bad["summary"]["samples_per_second"] * 3600 / 0.36,
                 "low": None, "high": None}
        self.assertEqual(point, bad["cost"]["samples_per_dollar"])
        self.assertEqual("the run is invalid: validity.findings says why",
                         bad["cost"]["why_not_ranked"])
        self.assertEqual(0.36, bad["cost"]["price"]["price_per_hour"])
        listed, = server.get("/v1/runs?engine=bad").json()["runs"]
        self.assertEqual(bad["cost"]["samples_per_dollar"], listed["cost"]["samples_per_dollar"])
        self.assertEqual(0.36, listed["cost"]["price_per_hour"])
        good = server.run("ok", steps=60, warmup_steps=5)
        self.assertIsNone(good["cost"]["why_not_ranked"])
        self.assertTrue(all(good["cost"][name]["value"] > 0 for name in amounts))
        line = server.get("/v1/runs/export?engine=bad").body
        self.assertIn(b'"samples_per_dollar":null', line)
        self.assertNotIn(b"why_not_ranked", line)
        hub = self.own_server(engines={"ok": fake("ok")})
        self.assertEqual(201, hub.post(line.decode(), path="/v1/runs/import").status)
        there = hub.get(f"/v1/runs/{bad['id']}").json()
        self.assertEqual(bad["cost"], there["cost"] | {"identity": bad["cost"]["identity"]})

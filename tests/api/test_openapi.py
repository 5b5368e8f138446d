"""The API's own description is right: it is OpenAPI, it lists the routes of server/http/routes.c, and
every answer on a tour of all routes and all errors is as described."""
import json
import re
import signal
import socket
import sqlite3
from concurrent.futures import ThreadPoolExecutor

from jsonschema import Draft202012Validator, ValidationError

from harness import ROOT, Case, Events, Reply, fake, until
from run_documents import FIGURE, document
from tour_comparing import PICTURES, TourOfComparing
from tour_keeping import NOT_MET, TourOfKeeping
from tour_prices import TourOfPrices
from tour_taking_back import REMOVED, WITHDRAWN
from openapi import STRUCTURE, DescribedCase, Description, references, schemas, text_of, texts

ENGINES = {"ok": fake("ok"), "slow": fake("slow", 20), "crash": fake("crash"),
           "stubborn": fake("stubborn"), "talkative": fake("talkative"),
           "before": fake("paced", 2000), "after": fake("paced", 2400)}
READ, WRITE = "read-token-of-a-test", "write-token-of-a-test"
MISSING = "/v1/runs/" + "0" * 26
MISSING_SWEEP, MISSING_MACHINE = "/v1/sweeps/" + "0" * 26, "/v1/machines/" + "0" * 16
PARTS = ("/steps", "/events", "/implementations", "/evidence", "/recompute", "/check", "/void")
CHECK = MISSING + "/check"
OF_RUNS = (MISSING, *(MISSING + part for part in PARTS))
OF_ONE = (*OF_RUNS, MISSING_SWEEP, MISSING_SWEEP + "/events", MISSING_MACHINE)
PRICES = ("/v1/comparison", *PICTURES, "/v1/machine", "/v1/prices", "/v1/feeds", "/v1/figures",
          "/v1/instances", "/v1/discounts", "/v1/support", "/v1/families", "/v1/capacity",
          "/v1/wanted")
LISTS = ("/v1/runs", "/v1/runs/export", "/v1/sweeps", "/v1/machines", "/v1/history", *PRICES)
LOAD = "/v1/machine/load"
DELETED = (MISSING, MISSING_SWEEP)
SPEC = {"engine": "ok", "steps": 2}
POSTED = {"/v1/runs": SPEC, "/v1/aa": {"base": SPEC, "pairs": 2},
          "/v1/sweeps": {"base": SPEC, "knobs": {"batch_size": [1, 2]}, "blocks": 1},
          "/v1/prices": {"instance_type": "test.large", "price_per_hour": "0.5"},
          "/v1/discounts": {"provider": "aws", "factor": 0.9},
          "/v1/capacity": {"provider": "aws", "instance_type": "test.large", "zone": "z1",
                           "kind": "preempted", "price_kind": "spot", "machine": "m1"},
          "/v1/runs/import": document(), "/v1/figures": FIGURE, **WITHDRAWN}
REFRESH = "/v1/prices/refresh"
BIG, LONG = {"Content-Length": "70000"}, {"X-Long": "x" * 17000}
WRONG_TYPE = {"Accept": "image/png"}
WAL = "readers do not wait for writers in WAL mode, so there is no lock a test could hold"
NOT_PROVOKED = {
    **NOT_MET,
    **{("GET", path, 503): WAL
       for path in ("/metrics", *LISTS, "/v1/sweeps/{id}", "/v1/sweeps/{id}/events", "/v1/machines/{id}",
                    "/v1/runs/{id}", *("/v1/runs/{id}" + part for part in PARTS))},
    **{route: "it asks no database" for route in (
        ("GET", "/v1/machine/load", 500), ("POST", "/v1/prices/refresh", 500),
        ("POST", "/v1/prices/refresh", 503))},
}


def routes():
    source = (ROOT / "server/http/routes.c").read_text()
    return {(method, path) for method, path in re.findall(r'\{"([A-Z]+)", "([^"]+)"', source)}


class Documented(DescribedCase):
    ENGINES = ENGINES

    @property
    def document(self):
        return self.description.document

    def test_it_is_openapi(self):
        Draft202012Validator.check_schema(STRUCTURE)
        Draft202012Validator(STRUCTURE).validate(self.document)

    def test_its_schemas_are_json_schema(self):
        for name, schema in self.document["components"]["schemas"].items():
            with self.subTest(name):
                Draft202012Validator.check_schema(schema)

    def test_nothing_of_it_is_unused(self):
        used = set(references(self.document))
        spoken_of = {"responses/405", "schemas/StateEvent", "schemas/SweepStateEvent"}  # in words
        for kind in ("schemas", "responses", "parameters", "headers"):
            for name in self.document["components"][kind]:
                if f"{kind}/{name}" not in spoken_of:
                    self.assertIn(f"#/components/{kind}/{name}", used)

    def test_its_objects_are_closed_and_say_what_is_required(self):
        for name, schema in self.document["components"]["schemas"].items():
            for found in schemas(schema):
                self.assertIs(False, found.get("additionalProperties"), (name, text_of(found)))
                if name not in ("RunSpec", "Knobs", "Problem", "SweepRequest", "AaRequest", "TypedPrice", "MachinePrice",
                                "NewDiscount", "NewCapacityEvent", "NewFigure", "RunDocument", "DocumentSpec", "DocumentValidity", "DocumentCost", "DocumentSteps",
                                "BenchmarkPoint", "ComparisonRow",
                                "BencherMetric"):
                    self.assertEqual(found["properties"].keys(), set(found["required"]), name)

    def test_it_lists_exactly_the_routes_of_the_server(self):
        self.assertGreater(len(routes()), 10)
        listed = {(method, path) for method, path, _ in self.description.operations()}
        self.assertEqual(routes(), listed)

    def test_operations_have_names_of_their_own_and_parameters_for_their_holes(self):
        names = [operation["operationId"] for _, _, operation in self.description.operations()]
        self.assertEqual(len(set(names)), len(names))
        for path, item in self.document["paths"].items():
            shared = map(self.description.resolve, item.get("parameters", []))
            holes = {parameter["name"] for parameter in shared if parameter["in"] == "path"}
            self.assertEqual(set(re.findall(r"\{(\w+)\}", path)), holes)

    def test_its_texts_that_are_sent_say_which_characters_they_may_hold(self):
        for method, path, operation in self.description.operations():
            body = self.description.resolve(operation.get("requestBody", {"content": {}}))
            for media in body["content"].values():
                for where, text in texts(self.description, media.get("schema", {})):
                    # What is kept as it came, for people.
                    if path == "/v1/runs/import" and where.startswith(("cost.", "validity.")):
                        continue
                    self.assertTrue(text.keys() & {"enum", "const", "format", "pattern"},
                                    (method, path, where))

    def test_the_server_and_its_schema_refuse_the_same_blanks(self):
        # A utility is a language of its own; a cursor is given back as it was sent.
        tried = 0
        for method, path, operation in self.description.operations():
            for parameter in map(self.description.resolve, operation.get("parameters", [])):
                name, schema = parameter["name"], parameter.get("schema", {})
                if (method, parameter["in"]) != ("GET", "query") or name in ("cursor", "utility"):
                    continue
                for _, text in texts(self.description, schema):
                    with self.subTest(path=path, name=name):
                        try:
                            self.description.validate(text, "x ")
                            valid = True
                        except ValidationError:
                            valid = False
                        reply = self.server.get(f"{path.replace('{id}', '0' * 26)}?{name}=x%20")
                        self.assertEqual(valid, reply.status != 400, reply.body)
                        tried += 1
        self.assertGreater(tried, 60)


class Tour(TourOfComparing, TourOfKeeping, TourOfPrices, Case):
    """One long walk, because its end is the question whether anything was left out."""
    POSTED, SPEC = POSTED, SPEC

    def serve(self, *flags, **options):
        return self.own_server(*flags, engines=ENGINES, **options)

    def ask(self, server, method, target, wanted, headers=None, body=None):
        reply = server.request(method, target, body, headers)
        self.assertEqual(wanted, reply.status, f"{method} {target}: {reply}")
        self.description.check(method, target, reply)
        return reply

    def post(self, server, wanted, spec=None, query="", path="/v1/runs", **headers):
        headers = {"Content-Type": "application/json",
                   **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.ask(server, "POST", path + query, wanted, headers,
                        json.dumps(spec or POSTED[path]))

    def test_every_answer_is_as_described(self):
        server = self.serve("--queue-limit", "3", "--instance-type", "test.large")
        self.description = Description(server.get("/v1/openapi.json").json())
        with ThreadPoolExecutor() as pool:
            waiting = pool.submit(self.visit_locked, POSTED)
            self.visit_all(server)
            waiting.result()
        left_out = self.description.documented() - self.description.seen
        self.assertEqual(set(NOT_PROVOKED), left_out)

    def visit_all(self, server):
        self.visit_pages(server)
        self.visit_runs(server)
        self.visit_measurements(server)
        self.visit_imports(server)
        self.visit_sweeps(server)
        self.visit_checks()
        self.visit_prices(server)
        self.visit_comparison(server)
        self.visit_figures(server)
        self.visit_refresh(server)
        self.visit_events(server)
        self.visit_refusals(server)
        self.visit_with_tokens()
        self.visit_keeping(server, POSTED)
        self.visit_stopping()

    def visit_pages(self, server):
        page = self.ask(server, "GET", "/", 200)
        files = re.findall(r'"/(assets/[^"]+)"', page.body.decode())
        self.assertGreater(len(files), 1)
        for path in [*files, "assets/index.html"]:
            self.ask(server, "GET", "/" + path, 200)
        for path in ("/", "/assets/index.html"):
            self.ask(server, "GET", path, 304, {"If-None-Match": page.headers["etag"]})
        for path in ("/healthz", "/readyz", "/metrics", "/v1/openapi.json"):
            self.ask(server, "GET", path, 200)
            self.ask(server, "HEAD", path, 200)
            self.ask(server, "GET", path + "?x=1", 400)

    def visit_runs(self, server):
        first = self.post(server, 201, {"engine": "slow", "steps": 1000}, Idempotency_Key="one")
        path = first.headers["location"]
        self.post(server, 201, {"engine": "slow", "steps": 1000}, Idempotency_Key="one")
        self.post(server, 422, {"engine": "slow", "steps": 1001}, Idempotency_Key="one")
        server.wait(first.json()["id"], {"running"})
        queued = self.post(server, 201).headers["location"]
        ended = [self.post(server, 201, {"engine": engine, "steps": 2}).headers["location"]
                 for engine in ("ok", "crash")]
        self.post(server, 429)
        self.ask(server, "GET", queued, 200)
        reply = self.ask(server, "GET", path, 200, {"Prefer": "wait=1"})
        self.assertIsNotNone(reply.json()["progress"])
        self.assertIn("preference-applied", reply.headers)
        self.ask(server, "GET", "/v1/runs", 200)
        self.ask(server, "GET", path + "/steps", 200)
        self.ask(server, "GET", path + "/implementations", 200)
        self.ask(server, "DELETE", queued, 200)
        self.ask(server, "DELETE", path, 202)
        self.ask(server, "GET", path + "?wait=30", 200)
        self.ask(server, "DELETE", path, 409)
        for location, state in zip(ended, ("finished", "failed")):
            reply = self.ask(server, "GET", location + "?wait=30", 200)
            self.assertEqual(state, reply.json()["state"])
            for accept in ("application/json", "text/csv"):
                self.ask(server, "GET", location + "/steps", 200, {"Accept": accept})
        self.post(server, 201, None, "?wait=30", Prefer="wait=20")
        reply = self.post(server, 201, {"engine": "talkative", "steps": 2}, "?wait=30")
        self.assertIsNotNone(reply.json()["engine_details"])
        path = reply.headers["location"]
        for target, accept in ((path, "*/*"), (path + "/implementations", "*/*"),
                               (path + "/steps", "application/json"), (path + "/steps", "text/csv")):
            self.ask(server, "GET", target, 200, {"Accept": accept})
        for query in ("?limit=1", "?state=finished", "?label=a=b"):
            self.ask(server, "GET", "/v1/runs" + query, 200)

    def visit_measurements(self, server):
        runs = {engine: self.post(server, 201, {"engine": engine, "steps": 2}, "?wait=30")
                for engine in ("ok", "crash", "talkative")}
        for engine, reply in runs.items():
            path = reply.headers["location"]
            self.ask(server, "GET", path + "/evidence", 200)
            self.ask(server, "GET", path + "/recompute", 409 if engine == "crash" else 200)
            self.assertIsNotNone(reply.json()["machine"])
        machines = self.ask(server, "GET", "/v1/machines", 200).json()
        self.ask(server, "GET", "/v1/machines/" + machines["here"], 200)

    def visit_sweeps(self, server):
        """The queue of this server has room for three runs."""
        small, large = POSTED["/v1/sweeps"], {**POSTED["/v1/sweeps"], "blocks": 2}
        for path, body in (("/v1/sweeps", small), ("/v1/aa", {"base": SPEC, "pairs": 1})):
            self.post(server, 400, {**body, "base": {"engine": "unknown"}}, path=path)
        self.post(server, 429, large, path="/v1/sweeps")
        self.post(server, 429, path="/v1/aa")
        sweep = self.post(server, 201, path="/v1/sweeps", Idempotency_Key="set")
        self.post(server, 201, path="/v1/sweeps", Idempotency_Key="set")
        self.post(server, 422, large, path="/v1/sweeps", Idempotency_Key="set")
        path = sweep.headers["location"]
        self.ask(server, "GET", path + "/events", 200)  # returns with the sweep's end
        for accept in ("application/json", "text/csv"):
            self.ask(server, "GET", path, 200, {"Accept": accept, "Prefer": "wait=9"})
        self.ask(server, "DELETE", path, 409)
        for query in ("", "?limit=1"):
            self.ask(server, "GET", "/v1/sweeps" + query, 200)

    def visit_checks(self):
        for limit, wanted in (("3", 429), ("100", 200)):
            server = self.serve("--queue-limit", limit, "--instance-type", "test.large", environment={
                "PENNYWORTH_READ_TOKEN": READ, "PENNYWORTH_WRITE_TOKEN": WRITE})
            writer, reader = ({"Authorization": f"Bearer {token}"} for token in (WRITE, READ))
            price = {**POSTED["/v1/prices"], "valid_from": "2026-01-02T03:04:05Z"}
            self.post(server, 201, price, path="/v1/prices", **writer)
            paths = [self.post(server, 201, {"engine": engine, "steps": 20,
                                             "labels": {"commit": engine}}, "?wait=30",
                               **writer).headers["location"]
                     for engine in ("before", "after") for _ in range(3)]
            before = "?baseline=" + paths[0].rpartition("/")[2]
            path = paths[-1] + "/check"
            for query in ("", before, before + "&fails_on=samples_per_dollar",
                          *("?format=" + form for form in ("json", "markdown", "github", "bencher"))):
                for method in ("GET", "HEAD"):
                    self.ask(server, method, path + query, 200, reader)
            self.ask(server, "GET", path, 200, {"Accept": "text/markdown", **reader})
            self.ask(server, "GET", path + before + "&confirm=true", 400, reader)
            self.ask(server, "POST", path + before + "&confirm=true", 403, reader)
            reply = self.ask(server, "POST", path + before + "&confirm=true", wanted, writer)
            if wanted == 200:
                self.assertEqual("running", reply.json()["confirmation"]["state"])
                reply = self.ask(server, "GET", path + before + "&confirm=true", 200,
                                 {"Prefer": "wait=60", **reader})
                self.assertIs(True, reply.json()["confirmed"])
                self.assertIsNotNone(reply.json()["samples_per_dollar"])
        other = self.post(server, 201, {"engine": "before", "steps": 2, "workload": "mlp2017"},
                          "?wait=30", **writer).headers["location"]
        self.ask(server, "POST", path + "?baseline=" + other.rpartition("/")[2], 422, writer)
        self.ask(server, "GET", path + "?baseline=" + other.rpartition("/")[2], 422, reader)
        failed = self.post(server, 201, {"engine": "crash"}, "?wait=30", **writer)
        self.ask(server, "GET", failed.headers["location"] + "/check", 409, reader)
        self.ask(server, "POST", failed.headers["location"] + "/check", 409, writer)
        self.ask(server, "GET", path + "?margin=x", 400, reader)

    def visit_figures(self, plain):
        self.assertEqual([], self.ask(plain, "GET", "/v1/figures", 200).json()["figures"])
        server = self.serve("--published", "on")
        self.assertEqual({"sample", "job"}, {figure["unit"] for figure in self.ask(
            server, "GET", "/v1/figures", 200).json()["figures"]})
        self.ask(server, "GET", "/v1/prices?feed=published", 200)
        for status, name in ((201, "mine"), (409, "another")):
            self.post(plain, status, {**FIGURE, "id": name}, path="/v1/figures")

    def visit_refresh(self, plain):
        """A feed that takes the question and never answers."""
        deaf = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(deaf.close)
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        server = self.serve("--feed", "all=off", "--feed", f"aws-spot-page=on url={url}")
        until(lambda: server.post(None, path=REFRESH).status == 409, "the first one is under way")
        self.ask(server, "POST", REFRESH, 409)
        self.ask(server, "GET", "/v1/feeds", 200)
        idle = self.serve("--feed", "all=off", "--feed", "price-file=on")
        until(lambda: not idle.get("/v1/feeds").json()["refresh"]["running"], "the start is over")
        self.ask(idle, "POST", REFRESH, 202)
        self.ask(plain, "POST", REFRESH, 422)
        self.visit_headers(plain, "POST", REFRESH)
        self.ask(plain, "POST", REFRESH + "?feed=x", 400)

    def visit_headers(self, server, method, path):
        for wanted, headers in ((431, LONG), (413, BIG), (406, WRONG_TYPE)):
            self.ask(server, method, path, wanted, headers)

    def visit_events(self, server):
        run_id = server.queue("slow", steps=20)
        self.ask(server, "GET", f"/v1/runs/{run_id}/events", 200)  # returns with the stream's end
        names, parts = set(), {"state": "StateEvent", "progress": "Progress"}
        reader = Events(server, server.queue("slow", steps=20))
        for _, name, data in reader:
            names.add(name)
            self.description.validate_as(parts[name], data)
        reader.close()
        self.assertEqual({"state", "progress"}, names)

    def visit_refusals(self, server):
        """What any path answers to the wrong question."""
        plain = ["/healthz", "/readyz", "/metrics", "/v1/openapi.json", LOAD, *LISTS, *OF_ONE]
        for path in ["/", "/assets/style.css", *plain]:
            self.ask(server, "GET", path + "?a=%zz", 400)
            self.ask(server, "GET", path, 431, LONG)
            self.ask(server, "GET", path, 413, BIG)
            self.ask(server, "PUT", path, 405)
            self.ask(server, "OPTIONS", path, 204)
        for path in plain:
            self.ask(server, "GET", path, 406, WRONG_TYPE)
        for path in OF_ONE:
            self.ask(server, "GET", path, 404)
            self.ask(server, "GET", path.replace("0" * 16, "x"), 404)
        for path in ("/x", "/v1", "/assets/x"):
            self.ask(server, "GET", path, 404)
        self.ask(server, "GET", "/v1/runs?state=x", 400)
        self.ask(server, "GET", "/v1/runs?limit=0", 400)
        for method, path in (*(("DELETE", path) for path in (*DELETED, *REMOVED)), ("POST", CHECK)):
            self.visit_headers(server, method, path)
            self.ask(server, method, path, 404)
            self.ask(server, method, path + "?x=1", 400)
        self.post(server, 400, {"engine": "unknown"})
        self.post(server, 400, {"batch_size": 0})
        for path in POSTED:
            self.visit_refusals_of_bodies(server, path)

    def visit_refusals_of_bodies(self, server, path):
        self.post(server, 400, {"extra": 0}, path=path)
        self.post(server, 431, path=path, **LONG)
        if path == "/v1/runs/import":
            self.post(server, 413, path=path, Content_Length="16777217")
        else:
            self.post(server, 413, {"labels": {"a": "x" * 70000}}, path=path)
        self.post(server, 415, path=path, Content_Type="text/plain")
        self.post(server, 406, path=path, Accept="image/png")
        reply = server.reply_to(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n"
                                "Content-Type: application/json\r\n\r\n")
        self.assertEqual(411, reply.status)
        self.description.check("POST", path, reply)

    def visit_with_tokens(self):
        server = self.serve(environment={"PENNYWORTH_READ_TOKEN": READ,
                                         "PENNYWORTH_WRITE_TOKEN": WRITE})
        reader = {"Authorization": f"Bearer {READ}"}
        for path in ("/metrics", LOAD, *LISTS, *OF_ONE):
            self.ask(server, "GET", path, 401)
        for path in (*DELETED, *REMOVED):
            self.ask(server, "DELETE", path, 401)
            self.ask(server, "DELETE", path, 403, reader)
        self.ask(server, "POST", CHECK, 401)
        self.ask(server, "POST", REFRESH, 401)
        self.ask(server, "POST", REFRESH, 403, reader)
        for path in POSTED:
            self.post(server, 401, path=path)
            self.post(server, 403, path=path, **reader)
        for method, path, operation in self.description.operations():
            open_to_all = operation.get("security") == []
            status = server.request(method, path.replace("{id}", "x")).status
            self.assertEqual(open_to_all, status != 401, f"{method} {path}")

    def visit_broken(self):
        """Somebody has broken the database."""
        server = self.serve("--instance-type", "test.large")
        other = sqlite3.connect(server.database)
        other.executescript("PRAGMA writable_schema = ON;"
                            "UPDATE sqlite_schema SET sql = 'nonsense' WHERE name = 'runs';"
                            "CREATE TABLE new (x);")
        other.close()
        self.ask(server, "GET", "/readyz", 503)
        for path in ("/metrics", *LISTS, *OF_ONE):
            reply = self.ask(server, "GET", path, 500)
            self.assertNotIn("schema", reply.json()["detail"])  # that is for the log
        for path in DELETED:
            self.ask(server, "DELETE", path, 500)
        for path in POSTED:
            self.post(server, 503, path=path)
        self.ask(server, "GET", "/healthz", 200)
        self.assertIn("malformed", server.read_log())

    def visit_stopping(self):
        server = self.serve()
        server.begin_steps("stubborn", steps=10)
        connection = server.connection()

        def answer(*request):
            connection.request(*request)
            return Reply(connection.getresponse())
        self.assertEqual(200, answer("GET", "/readyz").status)
        server.process.send_signal(signal.SIGTERM)
        until(lambda: answer("GET", "/readyz").status == 503, "it has heard")
        reply = answer("POST", "/v1/runs", "{}", {"Content-Type": "application/json"})
        self.assertEqual(503, reply.status)
        self.description.check("POST", "/v1/runs", reply)
        connection.close()

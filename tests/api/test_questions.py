"""A wrong question is answered by 400 with the name of what is wrong, in `field` and at the beginning of the
sentence: every parameter of every route, and every member of every body, as the API describes them, with every
value that its description does not allow."""
import json
import re
import urllib.parse

from jsonschema import ValidationError

from harness import fake
from openapi import DescribedCase
from run_documents import FIGURE, document

# Tried on each parameter; the description says which of these it allows.
VALUES = ("", " ", "x ", "x" * 600, "%00", "\u202e", "a,,b", "-1", "0", "1.5", "NaN", "1e999", "0x10",
          "99999999999999999999", "true", "maybe", "yesterday", "2026-13-01T00:00:00Z", "<script>")
# What a route needs so that its other parameters are looked at.
NEEDED = {"/v1/wanted": {"instance_type": "m5.large"}, "/v1/history": {"instance_type": "m5.large"}}
# Questions whose parameters are right one by one.
TOGETHER = (
    ("/v1/comparison", "samples=1&epochs=1", "samples"),
    ("/v1/comparison", "reference=unknown", "reference"),
    ("/v1/families", "family=a&instance_type=a.b", "instance_type"),
    ("/v1/runs", "since=2026-01-02&until=2026-01-01", "until"),
    ("/v1/runs/export", "since=2026-01-02&until=2026-01-01", "until"),
    ("/v1/runs/export", "after=" + "0" * 26, "after"),
    ("/v1/prices", "history=true", "instance_type"),
    ("/v1/prices", "history=true&instance_type=a&cursor=1", "cursor"),
)
# A body that each route takes; the test makes one member at a time wrong.
BODIES = {
    "/v1/runs": {"engine": "ok"},
    "/v1/runs/import": document(1),
    "/v1/runs/{id}/void": {"reason": "a test"},
    "/v1/sweeps": {"base": {"engine": "ok"}, "cells": [{}]},
    "/v1/aa": {"base": {"engine": "ok"}},
    "/v1/prices": {"instance_type": "m5.large", "price_per_hour": "1"},
    "/v1/prices/{id}/withdraw": {"reason": "a test"},
    "/v1/figures": FIGURE,
    "/v1/capacity": {"kind": "launched", "provider": "aws", "instance_type": "m5.large", "zone": "a",
                     "price_kind": "spot"},
    "/v1/discounts": {"provider": "aws", "factor": 0.5},
    "/v1/discounts/{id}/withdraw": {"reason": "a test"},
}
# Put into each member; the description says which of these it allows.
MEMBERS = (None, True, -1, 1.5, 2 ** 62, "", " x", "x" * 600, "\u202e", [], [[]], {}, {"x": 1})
# What else a member needs of the body; None: that the other one is absent.
COMPLETE = {"knobs": {"cells": None}, "seconds": {"samples_per_second": None, "unit": "job"}}
# It leaves out what is computed again.
LENIENT = "/v1/runs/import"
# A language of its own, and what may name anything.
FREE = {"utility", "baseline", "label"}


def typed(schema, text):
    """A text of a query as the schema's type, or the text itself."""
    kind = schema.get("type")
    try:
        if kind == "integer":
            return int(text)
        if kind == "number":
            return float(text)
    except ValueError:
        return text
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    return [text] if kind == "array" else text


class Questions(DescribedCase):
    ENGINES = {"ok": fake("ok")}

    @classmethod
    def prepare(cls):
        cls.run_id = cls.server.run("ok")["id"]
        price, discount = (cls.server.create(path, BODIES[path]) for path in ("/v1/prices", "/v1/discounts"))
        cls.ids = {"prices": str(price["prices"][0]["id"]), "discounts": str(discount["id"])}

    def parameters(self):
        """(method, path, name, schema) of each parameter of a query."""
        for method, path, operation in self.description.operations():
            shared = self.description.document["paths"][path].get("parameters", [])
            for parameter in map(self.description.resolve, shared + operation.get("parameters", [])):
                if parameter["in"] == "query":
                    yield method, path, parameter["name"], self.description.resolve(parameter["schema"])

    def ask(self, method, path, body=None, **query):
        target = path.replace("{id}", self.ids.get(path.split("/")[2], self.run_id))
        text = json.dumps(BODIES.get(path) if body is None else body)
        return self.server.request(
            method, target + "?" + urllib.parse.urlencode({**NEEDED.get(path, {}), **query}, doseq=True),
            text if method == "POST" and path in BODIES else None, {"Content-Type": "application/json"})

    def members(self, path):
        """Each member of a body, and which of them are needed."""
        content = self.description.document["paths"][path]["post"]["requestBody"]["content"]
        schema = self.description.resolve(content["application/json"]["schema"])
        if "properties" not in schema:  # the first of several forms
            schema = self.description.resolve((schema.get("oneOf") or schema["allOf"])[0])
        return schema, schema["properties"], schema.get("required", [])

    def assertRefused(self, reply, name):
        """Of a member, or of something within it."""
        problem = reply.json() if reply.status == 400 else {}
        self.assertRegex(problem.get("field", ""), rf"^{re.escape(name)}\b", reply)
        self.assertProblem(reply, 400, field=problem["field"])

    def permits(self, schema, value):
        try:
            self.description.validate(schema, value)
            return True
        except ValidationError:
            return False

    def allows(self, schema, text):
        return self.permits(schema, typed(schema, text))

    def test_every_value_that_is_not_allowed_is_refused_with_the_name_of_its_parameter(self):
        refused = 0
        for method, path, name, schema in self.parameters():
            for value in VALUES:
                if name in FREE or self.allows(schema, value):
                    continue
                with self.subTest(method=method, path=path, name=name, value=value):
                    self.assertProblem(self.ask(method, path, **{name: value}), 400, field=name)
                    refused += 1
        self.assertGreater(refused, 500)

    def test_a_parameter_that_is_given_twice_is_refused(self):
        for method, path, name, schema in self.parameters():
            if schema.get("type") != "array":
                with self.subTest(method=method, path=path, name=name):
                    self.assertProblem(self.ask(method, path, **{name: ["1", "1"]}), 400, field=name)

    def test_an_unknown_parameter_is_refused(self):
        for method, path, _ in self.description.operations():
            if not path.startswith("/v1/") or path == "/v1/backup":  # which needs a token first
                continue
            with self.subTest(method=method, path=path):
                self.assertProblem(self.ask(method, path, nonsense="1"), 400, field="nonsense")

    def test_every_member_of_a_body_that_is_not_allowed_is_refused_with_its_name(self):
        refused = 0
        for path, body in BODIES.items():
            whole, members, _ = self.members(path)
            for name in members:
                for value in MEMBERS:
                    right = {**body, **COMPLETE.get(name, {})}
                    wrong = {**{key: right[key] for key in right if right[key] is not None}, name: value}
                    if self.permits(whole, wrong):
                        continue
                    with self.subTest(path=path, name=name, value=str(value)[:40]):
                        reply = self.ask("POST", path, wrong)
                        if path == LENIENT and reply.status < 300:
                            continue
                        self.assertRefused(reply, name)
                        refused += 1
        self.assertGreater(refused, 500)

    def test_a_member_that_is_needed_or_not_known_is_named(self):
        for path, body in BODIES.items():
            _, _, needed = self.members(path)
            for name in needed:
                with self.subTest(path=path, without=name):
                    short = {key: value for key, value in body.items() if key != name}
                    self.assertProblem(self.ask("POST", path, short), 400, field=name)
            with self.subTest(path=path):
                self.assertProblem(self.ask("POST", path, {**body, "nonsense": 1}), 400, field="nonsense")

    def test_what_is_no_body_is_called_so(self):
        for path in BODIES:
            for text in ("", "{", "5", "[5]", '"x"', "null"):
                with self.subTest(path=path, text=text):
                    target = path.replace("{id}", self.ids.get(path.split("/")[2], self.run_id))
                    problem = self.assertProblem(self.server.post(text, path=target), 400)
                    self.assertRegex(problem["detail"], "must be|is not JSON|is empty")

    def test_what_does_not_go_together_is_refused(self):
        for path, query, field in TOGETHER:
            with self.subTest(path=path, query=query):
                self.assertProblem(self.server.get(f"{path}?{query}"), 400, field=field)

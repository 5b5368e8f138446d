"""A wrong question is answered by 400 with the name of the parameter: every parameter of every GET route,
as the API describes them, with every value that its description does not allow."""
import unittest
import urllib.parse

from jsonschema import ValidationError

from harness import ServerCase, fake
from openapi import Description

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
    ("/v1/prices", "history=true", "instance_type"),
    ("/v1/prices", "history=true&instance_type=a&cursor=1", "cursor"),
)
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


class Questions(ServerCase):
    ENGINES = {"ok": fake("ok")}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_id = cls.server.run("ok")["id"]
        cls.description = Description(cls.server.get("/v1/openapi.json").json())

    def parameters(self):
        for method, path, operation in self.description.operations():
            for parameter in map(self.description.resolve, operation.get("parameters", [])):
                if method == "GET" and parameter["in"] == "query":
                    schema = self.description.resolve(parameter["schema"])
                    yield path, parameter["name"], schema

    def ask(self, path, **query):
        return self.server.get(path.replace("{id}", self.run_id) + "?" + urllib.parse.urlencode(
            {**NEEDED.get(path, {}), **query}, doseq=True))

    def allows(self, schema, text):
        try:
            self.description.validate(schema, typed(schema, text))
            return True
        except ValidationError:
            return False

    def test_every_value_that_is_not_allowed_is_refused_with_the_name_of_its_parameter(self):
        refused = 0
        for path, name, schema in self.parameters():
            for value in VALUES:
                if name in FREE or self.allows(schema, value):
                    continue
                with self.subTest(path=path, name=name, value=value):
                    self.assertProblem(self.ask(path, **{name: value}), 400, field=name)
                    refused += 1
        self.assertGreater(refused, 500)

    def test_a_parameter_that_is_given_twice_is_refused(self):
        for path, name, schema in self.parameters():
            if schema.get("type") != "array":
                with self.subTest(path=path, name=name):
                    self.assertProblem(self.ask(path, **{name: ["1", "1"]}), 400, field=name)

    def test_an_unknown_parameter_is_refused(self):
        for path in sorted({path for path, _, _ in self.parameters()}):
            with self.subTest(path=path):
                self.assertProblem(self.ask(path, nonsense="1"), 400, field="nonsense")

    def test_what_does_not_go_together_is_refused(self):
        for path, query, field in TOGETHER:
            with self.subTest(path=path, query=query):
                self.assertProblem(self.server.get(f"{path}?{query}"), 400, field=field)


if __name__ == "__main__":
    unittest.main()

"""The API's own description, put to use: every answer is held against it."""
import functools
import json
import re
import threading

from jsonschema import Draft202012Validator, FormatChecker, RefResolver

from harness import ServerCase

# Headers that mean something; each must be described where it is sent.
MEANINGFUL = {"location", "retry-after", "idempotent-replayed", "preference-applied", "allow",
              "www-authenticate", "cache-control", "content-security-policy",
              "pennyworth-verdict"}


class Description:
    def __init__(self, document):
        self.document = document
        self.seen = set()  # (method, path pattern, status)
        self.threads = threading.local()  # .resolver: it keeps what it has found, for one thread

    def resolve(self, node):
        while "$ref" in node:
            found = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                found = found[part.replace("~1", "/").replace("~0", "~")]
            node = found
        return node

    def validate(self, schema, value):
        """Raises jsonschema.ValidationError."""
        if not hasattr(self.threads, "resolver"):
            self.threads.resolver = RefResolver("", self.document)
        Draft202012Validator(schema, resolver=self.threads.resolver,
                             format_checker=FormatChecker()).validate(value)

    def validate_as(self, name, value):
        self.validate({"$ref": f"#/components/schemas/{name}"}, value)

    def operations(self):
        for path, item in self.document["paths"].items():
            for method in item.keys() & {"get", "put", "post", "delete", "patch", "head"}:
                yield method.upper(), path, item[method]

    def documented(self):
        return {(method, path, int(status)) for method, path, operation in self.operations()
                for status in operation["responses"]}

    def pattern_of(self, target):
        path = target.partition("?")[0]
        for pattern in self.document["paths"]:
            if re.fullmatch(re.escape(pattern).replace(r"\{id\}", "[^/]+"), path):
                return pattern
        return None

    def response_of(self, method, target, status):
        """What is said about this answer; KeyError when nothing is."""
        pattern = self.pattern_of(target)
        method = "get" if method == "HEAD" else method.lower()
        operation = self.document["paths"].get(pattern, {}).get(method)
        if operation is None:
            # For all paths alike, the document says in its introduction.
            return self.resolve(self.document["components"]["responses"][str(status)])
        said = operation["responses"].get(str(status))
        if said is None and status == 429 and operation.get("security") != []:
            return self.resolve(self.document["components"]["responses"]["429"])
        response = self.resolve(operation["responses"][str(status)])
        self.seen.add((method.upper(), pattern, status))
        return response

    def check(self, method, target, reply):
        """Raises when the answer is not as it is described."""
        if method == "OPTIONS" and reply.status == 204:
            assert reply.headers["allow"] and not reply.body, reply
            return
        response = self.response_of(method, target, reply.status)
        self._check_headers(response.get("headers", {}), reply)
        if "content" not in response:
            assert not reply.body, reply
            return
        kind = reply.headers["content-type"].partition(";")[0]
        content = response["content"][kind]
        if method == "HEAD":
            assert not reply.body, reply
            return
        binary = content["schema"].get("contentEncoding") == "binary"
        value = reply.body.decode("latin-1" if binary else "utf-8")
        if kind == "text/event-stream":  # and here an event
            for event in events_of(value):
                self.validate(content["schema"], event)
            return
        if kind == "application/x-ndjson":  # what is described is a line
            for line in value.splitlines():
                self.validate(content["schema"], json.loads(line))
            return
        if kind.endswith("json"):
            value = json.loads(value)
        self.validate(content["schema"], value)
        if kind == "application/problem+json":
            assert value["status"] == reply.status, reply

    def _check_headers(self, described, reply):
        described = {name.lower(): self.resolve(header) for name, header in described.items()}
        undescribed = MEANINGFUL & reply.headers.keys() - described.keys()
        if reply.headers.get("cache-control") == "no-store":  # as the introduction says
            undescribed.discard("cache-control")
        assert not undescribed, f"{reply}: {undescribed} is not described"
        for name, header in described.items():
            if name in reply.headers:
                value = reply.headers[name]
                if header["schema"].get("type") == "integer":
                    value = int(value)
                self.validate(header["schema"], value)
            else:
                assert not header.get("required"), f"{reply}: {name} is missing"


class Described:
    """Tests that hold every answer of `server` against the description."""

    @functools.cached_property
    def description(self):
        return Description(self.server.ask("/v1/openapi.json"))

    def described(self, method, path, reply, status):
        self.assertEqual(status, reply.status, f"{method} {path}: {reply}")
        self.description.check(method, path, reply)
        return reply.json()

    def ask(self, path, status=200):
        return self.described("GET", path, self.server.get(path), status)

    def post(self, path, body, status=201):
        return self.described("POST", path, self.server.post(body, path=path), status)


class DescribedCase(Described, ServerCase):
    pass


def events_of(text):
    """The fields of each whole event of a stream."""
    for block in text.replace("\r\n", "\n").split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.split("\n")
                      if line and not line.startswith(":"))
        fields.pop("retry", None)
        if fields:
            yield fields


def references(node):
    """Every $ref below node."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield value
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def schemas(node):
    """Every schema below node that describes an object."""
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node:
            yield node
        for value in node.values():
            yield from schemas(value)
    elif isinstance(node, list):
        for value in node:
            yield from schemas(value)


def texts(description, node, where=""):
    """(where, schema) of every text in a value of this schema."""
    node = description.resolve(node)
    kinds = node.get("type", [])
    if "string" in ([kinds] if isinstance(kinds, str) else kinds):
        yield where, node
    for name, schema in node.get("properties", {}).items():
        yield from texts(description, schema, f"{where}.{name}".strip("."))
    for name in ("items", "additionalProperties", "propertyNames"):
        if isinstance(node.get(name), dict):
            yield from texts(description, node[name], where)
    for name in ("allOf", "anyOf", "oneOf"):
        for schema in node.get(name, []):
            yield from texts(description, schema, where)


def text_of(schema):
    return json.dumps(schema)[:200]


# The rules of OpenAPI 3.1 about the parts that we use, after its own schema.
STRUCTURE = {
    "type": "object",
    "required": ["openapi", "info", "paths", "components"],
    "additionalProperties": False,
    "properties": {
        "openapi": {"pattern": r"^3\.1\.\d+$"},
        "info": {
            "type": "object", "required": ["title", "version"], "additionalProperties": False,
            "properties": {name: {"type": "string", "minLength": 1}
                           for name in ("title", "version", "summary", "description")}},
        "tags": {"type": "array", "items": {"type": "object", "required": ["name"]}},
        "security": {"$ref": "#/$defs/security"},
        "paths": {
            "type": "object", "additionalProperties": False,
            "patternProperties": {"^/": {"$ref": "#/$defs/path"}}},
        "components": {
            "type": "object", "additionalProperties": False,
            "properties": {
                "schemas": {"$ref": "#/$defs/schemas"},
                "responses": {"additionalProperties": {"$ref": "#/$defs/response"}},
                "parameters": {"additionalProperties": {"$ref": "#/$defs/parameter"}},
                "headers": {"additionalProperties": {"$ref": "#/$defs/header"}},
                "securitySchemes": {"additionalProperties": {
                    "type": "object", "required": ["type", "scheme"]}}}}},
    "$defs": {
        "security": {"type": "array", "items": {
            "type": "object", "additionalProperties": {"type": "array"}}},
        "schemas": {
            "type": "object", "propertyNames": {"pattern": r"^[a-zA-Z0-9._-]+$"},
            "additionalProperties": {"type": ["object", "boolean"]}},
        "reference": {"type": "object", "required": ["$ref"], "additionalProperties": False,
                      "properties": {"$ref": {"pattern": "^#/components/"}}},
        "path": {
            "type": "object", "additionalProperties": False,
            "properties": {
                "parameters": {"$ref": "#/$defs/parameters"},
                **{method: {"$ref": "#/$defs/operation"} for method in ("get", "post", "delete")}}},
        "operation": {
            "type": "object", "additionalProperties": False,
            "required": ["operationId", "tags", "summary", "responses"],
            "properties": {
                "operationId": {"type": "string"}, "summary": {"type": "string"},
                "description": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "security": {"$ref": "#/$defs/security"},
                "parameters": {"$ref": "#/$defs/parameters"},
                "requestBody": {
                    "type": "object", "required": ["content"],
                    "properties": {"content": {"$ref": "#/$defs/content"}}},
                "responses": {
                    "type": "object", "minProperties": 1, "additionalProperties": False,
                    "patternProperties": {"^[1-5][0-9][0-9]$": {"$ref": "#/$defs/response"}}}}},
        "parameters": {"type": "array", "items": {"$ref": "#/$defs/parameter"}},
        "parameter": {"oneOf": [{"$ref": "#/$defs/reference"}, {
            "type": "object", "required": ["name", "in", "schema"],
            "additionalProperties": False,
            "properties": {
                "name": {"type": "string"}, "in": {"enum": ["path", "query", "header"]},
                "description": {"type": "string"}, "required": {"type": "boolean"},
                "style": {"const": "form"}, "explode": {"type": "boolean"}, "example": {},
                "schema": {"type": "object"}},
            "if": {"properties": {"in": {"const": "path"}}},
            "then": {"required": ["required"], "properties": {"required": {"const": True}}}}]},
        "header": {"oneOf": [{"$ref": "#/$defs/reference"}, {
            "type": "object", "required": ["description", "schema"],
            "additionalProperties": False,
            "properties": {
                "description": {"type": "string"}, "required": {"type": "boolean"},
                "schema": {"type": "object"}}}]},
        "content": {"type": "object", "minProperties": 1, "additionalProperties": {
            "type": "object", "required": ["schema"], "additionalProperties": False,
            "properties": {"schema": {"type": "object"}}}},
        "response": {"oneOf": [{"$ref": "#/$defs/reference"}, {
            "type": "object", "required": ["description"], "additionalProperties": False,
            "properties": {
                "description": {"type": "string", "minLength": 1},
                "headers": {"additionalProperties": {"$ref": "#/$defs/header"}},
                "content": {"$ref": "#/$defs/content"}}}]}}}

#!/usr/bin/env python3
"""usage: docs/make_api.py PENNYWORTH > docs/api.md

Writes the API reference: from the OpenAPI document that this program serves (made from the tables of
the sources and server/http/openapi.json), and from server/http/routes.c, which has the access that
each route needs."""
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from schema_words import cell, members, phrase, slug

ROOT = Path(__file__).resolve().parents[1]
ROUTE = re.compile(r'\{"([A-Z]+)", "([^"]+)",\s*\w+,\s*ACCESS_(\w+)')
METHODS = ("get", "post", "put", "patch", "delete")
ACCESS = {
    "OPEN": "every client",
    "READ": "scope `read`",
    "EXPORT": "scope `read`",
    "WRITE": "scope `write`",
    "COPY": "a token with the scope `write`",
    "IMPORT": "scope `import` or `write`",
}
HEAD = """# API reference

[make_api.py](make_api.py) makes this page from the document that a running server answers as `/v1/openapi.json`; a
test compares the two. Its texts are in [server/http/routes.c](../server/http/routes.c), in the tables that the routes
name there, and in [server/http/openapi.json](../server/http/openapi.json). Do not edit this page by hand.

{description}

Access: where the server has tokens, a client sends `Authorization: Bearer TOKEN`, and the token must have
the scope that the path needs. A server without tokens serves loopback only, and every client may do everything.
"""


def document_of(program):
    """The OpenAPI document of a server that this starts, on a free port with a new database."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [program, "--port", "0", "--database", f"{folder}/api.db", "--metadata", "off",
             "--feed", "all=off", "--published", "off"],
            stderr=subprocess.PIPE, text=True, env={"HOME": folder, "PATH": "/usr/bin:/bin"})
        try:
            for line in server.stderr:
                found = re.search(r"https?://\S+:\d+", line)
                if found:
                    with urllib.request.urlopen(found.group() + "/v1/openapi.json") as answer:
                        return json.load(answer)
            raise SystemExit(f"{program} does not serve")
        finally:
            server.terminate()
            server.communicate()


def access_of():
    routes = (ROOT / "server/http/routes.c").read_text()
    return {(method.lower(), path): ACCESS[word] for method, path, word in ROUTE.findall(routes)}


class Reference:
    def __init__(self, document, access):
        self.document = document
        self.access = access
        self.lines = []

    def say(self, *lines):
        self.lines.extend(lines)

    def resolve(self, node):
        while "$ref" in node:
            found = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            node = found
        return node

    def operations(self):
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    yield method, path, item[method], item.get("parameters", [])

    def table(self, heads, rows):
        self.say("", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads))
        for row in rows:
            self.say("| " + " | ".join(cell(part) for part in row) + " |")
        self.say("")

    def contents(self):
        self.say("", "## Paths")
        self.table(("path", "what", "access"),
                   ((f"[{method.upper()} {path}](#{slug(method + ' ' + path)})",
                     operation["summary"], self.access[method, path])
                    for method, path, operation, _ in self.operations()))

    def parameters(self, parameters):
        rows = []
        for parameter in map(self.resolve, parameters):
            what = phrase(parameter["schema"])
            if parameter["in"] == "query" and parameter.get("required"):
                what += "; must be given"
            rows.append((f"`{parameter['name']}`", parameter["in"], what,
                         parameter.get("description", "")))
        if rows:
            self.table(("parameter", "in", "what", "meaning"), rows)

    def body(self, operation):
        body = operation.get("requestBody")
        if not body:
            return
        for kind, content in body["content"].items():
            schema = content.get("schema", {})
            self.say("", f"Body: `{kind}`, {phrase(schema)}.")
            rows = [(f"`{name}`", what, meaning) for name, what, meaning in members(schema)]
            if rows:
                self.table(("member", "what", "meaning"), rows)
        if "description" in body:
            self.say("", body["description"])

    @staticmethod
    def form(kind, content):
        """The type of an answer's body, and its schema where that has a name."""
        what = phrase(content.get("schema", {}))
        return f"`{kind}` {what}" if "](#" in what else f"`{kind}`"

    def answers(self, operation):
        rows, common = [], []
        for status, response in sorted(operation["responses"].items()):
            if "$ref" in response:
                common.append(f"[{status}](#{slug('Error ' + status)})")
                continue
            content = response.get("content", {})
            forms = ", ".join(self.form(kind, form) for kind, form in content.items())
            headers = ", ".join(f"`{name}`" for name in response.get("headers", {}))
            rows.append((status, response["description"], forms, headers))
        self.table(("answer", "meaning", "body", "headers"), rows)
        if common:
            self.say("Errors: " + ", ".join(common) + ".", "")

    def operation(self, method, path, operation, shared):
        self.say("", f"### {method.upper()} {path}", "",
                 f"{operation['summary']}. Access: {self.access[method, path]}.")
        if "description" in operation:
            self.say("", operation["description"])
        self.parameters(shared + operation.get("parameters", []))
        self.body(operation)
        self.answers(operation)

    def errors(self):
        self.say("", "## Errors", "",
                 f"Each is a problem document (RFC 9457), {phrase({'$ref': '#/components/schemas/Problem'})}, "
                 "unless said otherwise.")
        for status, response in sorted(self.document["components"]["responses"].items()):
            headers = ", ".join(f"`{name}`" for name in response.get("headers", {}))
            self.say("", f"### Error {status}", "",
                     response["description"] + (f" Header: {headers}." if headers else ""))

    def schema(self, name, schema):
        self.say("", f"### Schema {name}", "")
        if "description" in schema:
            self.say(schema["description"], "")
        rows = [(f"`{member}`", what, meaning) for member, what, meaning in members(schema)]
        if not rows:
            self.say(f"{phrase(schema)[0].upper()}{phrase(schema)[1:]}.")
            return
        if not schema.get("required"):
            self.say("All members may be left out.")
        self.table(("member", "what", "meaning"), rows)
        if "allOf" in schema or "if" in schema:
            self.say("Which members go together is in the document itself, as conditions.", "")

    def schemas(self):
        self.say("", "## Schemas", "",
                 "No object has other members than these, and all of them are there unless said "
                 "otherwise.")
        for name, schema in sorted(self.document["components"]["schemas"].items()):
            self.schema(name, schema)

    def text(self):
        self.say(HEAD.format(description=self.document["info"]["description"]))
        self.contents()
        for tag in self.document["tags"]:
            self.say("", f"## Tag: {tag['name']}", "", tag["description"])
            for method, path, operation, shared in self.operations():
                if tag["name"] in operation["tags"]:
                    self.operation(method, path, operation, shared)
        self.errors()
        self.schemas()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines)).rstrip() + "\n"


def make(program):
    return Reference(document_of(program), access_of()).text()


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    sys.stdout.write(make(sys.argv[1]))

"""A member is described once: no two rows of members have the same name and meaning, and a schema of
openapi.json has no name that rows describe too, and no member that has the words of a row."""
import collections
import json
import re

import house

JSON = "server/http/openapi.json"
TABLE = re.compile(r"^(?:static )?const struct member \w+\[\] = \{$(.*?)^\};", re.S | re.M)
ROW = re.compile(r"^    \{(.*?)\},$(?=\n    [{/A-Z]|\n\Z)", re.S | re.M)
NAME = re.compile(r'MEMBER\([^,]+, (\w+)\)|\.name = "(\w+)"|\w+\([^"()]*"(\w+)"|\w+\((\w+)[,)]')
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
MEANING = re.compile(r'\.meaning =\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
SCHEMA = re.compile(r"^(?:static )?const struct members \w+ = \{\s*\.name =\s*\"(\w+)\"", re.M)


def rows(source):
    """(name, meaning, position) of every row with a meaning."""
    for table in TABLE.finditer(source):
        for row in ROW.finditer(table.group(1)):
            name, meaning = NAME.match(row.group(1)), MEANING.search(row.group(1))
            if name and meaning:
                yield (next(filter(None, name.groups())), "".join(TEXT.findall(meaning.group(1))),
                       table.start(1) + row.start())


def members(schema):
    """(name, meaning) of each described property, inner ones included."""
    for name, inner in schema.get("properties", {}).items():
        if "description" in inner:
            yield name, inner["description"]
        yield from members(inner)


def judge_document(gate, document, places, described):
    """How many schemas openapi.json has."""
    said = json.loads(document)["components"]["schemas"]
    for name, schema in said.items():
        line = house.line_of(document, document.index(f'"{name}": {{'))
        if name in described:
            gate.refuse(JSON, line, f"{name} is described by the rows of {described[name]} too")
        for member in members(schema):
            if member in places:
                gate.refuse(JSON, line, f"`{member[0]}` has the words of a row in {places[member][0][0]}")
    return len(said)


def main():
    top, gate = house.root(), house.Gate()
    places, described, count = collections.defaultdict(list), {}, 0
    for path in house.files(top, ".c"):
        source = "" if path.startswith("tests/") else house.text(top, path)
        for name, meaning, position in rows(source):
            places[name, meaning].append((path, house.line_of(source, position)))
        described.update((schema, path) for schema in SCHEMA.findall(source))
    for (name, _), found in places.items():
        for path, line in found[1:]:
            gate.refuse(path, line, f"`{name}` has these words in {found[0][0]} too: share the row")
    if JSON in house.files(top, ".json"):
        count = judge_document(gate, house.text(top, JSON), places, described)
    gate.verdict(f"{len(places)} rows and {len(described)} schemas in code, {count} in {JSON}: each "
                 "described once")


main()

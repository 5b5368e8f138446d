"""A static function of the product is written once: no two files have one with the same parameters and
body, whatever its name."""
import collections
import re

import house

ROOMS = ("answers/", "common/", "db/", "engine/", "pricing/", "server/")
SHORT = 40  # characters; less is not worth a place of its own
STATIC = re.compile(r"^static [^=;{}()]*?\b(\w+)(\([^;{}]*\)\n\{.*?^\})", re.M | re.S)
# Bodies that are compiled anew for each instruction set.
TEMPLATES = re.compile(r"_body\.c$")


def shape(text, name):
    """What a function takes and does, without its own name."""
    return " ".join(re.sub(rf"\b{name}\b", "", text).split())


def main():
    top, gate, places = house.root(), house.Gate(), collections.defaultdict(list)
    for path in house.files(top, ".c", ".h"):
        if not path.startswith(ROOMS) or TEMPLATES.search(path):
            continue
        source = house.text(top, path)
        for match in STATIC.finditer(source):
            found = shape(match.group(2), match.group(1))
            if len(found) >= SHORT:
                places[found].append((path, house.line_of(source, match.start()), match.group(1)))
    for found in places.values():
        for path, line, name in found[1:]:
            if path != found[0][0]:
                gate.refuse(path, line, f"{name}() is {found[0][2]}() of {found[0][0]} once more: share it")
    gate.verdict(f"{len(places)} static functions are written once")


main()

"""Calls that cannot be made safely are not made, memory comes from common/memory.h, SQL takes no JSON
apart, and the compiler keeps NaN."""
import re

import house

BANNED = {
    "strcpy": "memcpy() or snprintf()",
    "strcat": "snprintf()",
    "sprintf": "snprintf()",
    "strtok": "strcspn()",
    "atoi": "strtoll(), which can say no",
    "gets": "fgets()",
    "system": "fork and exec; no shell",
}
ALLOCATES = re.compile(r"\b(malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf)\s*\(")
ENDING = ("answers/", "common/", "db/", "engine/", "pricing/", "server/")  # without memory
MAY_FAIL = {  # beginnings of paths
    "common/memory.c": "is what the others call",
    "engine/trace/trace.c": "the sender of a trace says how many steps it has",
    "engine/train/depth_first/norm.c": "grows with the batch: the run fails, with its reason",
    "engine/train/networks/parameters.c": "as above",
    "engine/train/workloads/certificate.c": "as above",
}
CALL = re.compile(r"\b(" + "|".join(BANNED) + r")\s*\(")
JSON_IN_SQL = re.compile(r"json_(extract|each|tree|type|valid)\(|->>? *'\$")
FAST_MATH = re.compile(r"fast-math|-Ofast|-ffinite-math-only|-funsafe-math")
BUILD = (".c", ".h", ".txt", ".cmake", ".json", ".sh", "Dockerfile", "run", "test")


def main():
    top, gate, count = house.root(), house.Gate(), 0
    for path in house.files(top, *BUILD):
        source = house.text(top, path)
        for match in FAST_MATH.finditer(source):
            gate.refuse(path, house.line_of(source, match.start()),
                        f"{match.group()} would let the compiler forget about NaN")
        if not path.endswith((".c", ".h")):
            continue
        count += 1
        for match in JSON_IN_SQL.finditer(source if path.startswith(ENDING) else ""):
            gate.refuse(path, house.line_of(source, match.start()),
                        f"{match.group()} in SQL: decode the text in C, or store the value")
        source = house.code(source)
        for match in CALL.finditer(source):
            name = match.group(1)
            gate.refuse(path, house.line_of(source, match.start()),
                        f"{name}() is banned: use {BANNED[name]}")
        if not path.startswith(ENDING) or path.startswith(tuple(MAY_FAIL)):
            continue
        for match in ALLOCATES.finditer(source):
            gate.refuse(path, house.line_of(source, match.start()),
                        f"{match.group(1)}() may fail: use x{match.group(1)}() of common/memory.h")
    gate.verdict(f"{count} sources call nothing banned")


main()

"""Files, folders, functions and their parameters stay small, and common/ with them."""
import collections
import os
import re

import house

FILE_LINES = 500
FUNCTION_LINES = 60
PARAMETERS = 6
COMMON_LINES = 3700
FOLDER_FILES = 40  # .c and .h

FLAT = {"tests/fuzz"}  # one file a parser, found by the parser's name

# A library that calls us back decides how many parameters that takes.
IMPOSED = {("server/http/transfer.c", "transfer_on_request"): "MHD_AccessHandlerCallback"}

ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
NAME_AND_OPENING = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


def functions(source):
    """(name, first line, lines, parameters) of every function that the C source defines."""
    source = house.code(source)
    source = DIRECTIVE.sub(lambda m: "\n" * m.group().count("\n"), source)
    depth, since, head = 0, 0, None
    for match in re.finditer(r"[{};]", source):
        at = match.start()
        if match.group() == "{":
            if depth == 0:
                head = since
            depth += 1
        elif match.group() == "}":
            depth -= 1
            if depth == 0:
                found = signature(source[head:source.index("{", head)])
                if found:
                    first = head + len(source[head:at]) - len(source[head:at].lstrip())
                    begin = house.line_of(source, first)
                    yield found[0], begin, house.line_of(source, at) - begin + 1, found[1]
        if depth == 0:
            since = at + 1


def signature(head):
    """(name, number of parameters) if what stands before a brace opens a function."""
    head = ATTRIBUTE.sub(" ", head)
    opening = NAME_AND_OPENING.search(head)
    if not opening or "=" in head[:opening.start()]:
        return None
    depth, commas, at = 1, 0, opening.end()
    while depth and at < len(head):
        depth += {"(": 1, ")": -1}.get(head[at], 0)
        commas += head[at] == "," and depth == 1
        at += 1
    inside = head[opening.end():at - 1].strip()
    return opening.group(1), 0 if inside in ("", "void") else commas + 1


def is_script(top, path):
    first = house.text(top, path).split("\n", 1)[0]
    return first.startswith("#!") and re.search(r"\b(sh|bash|python3)\b", first) is not None


def main():
    top, gate, common, count = house.root(), house.Gate(), 0, 0
    folders = collections.Counter()
    for path in house.files(top):
        if not path.endswith((".c", ".h", ".js", ".py", ".sh")) and not is_script(top, path):
            continue
        source = house.text(top, path)
        lines = len(source.splitlines())
        if lines > FILE_LINES:
            gate.refuse(path, lines, f"{lines} lines; a file has at most {FILE_LINES}")
        if not path.endswith((".c", ".h")):
            continue
        folders[os.path.dirname(path)] += 1
        common += lines if path.startswith("common/") else 0
        for name, line, length, parameters in functions(source):
            count += 1
            if length > FUNCTION_LINES:
                gate.refuse(path, line, f"{name}() has {length} lines, at most {FUNCTION_LINES}")
            if parameters > PARAMETERS and (path, name) not in IMPOSED:
                gate.refuse(path, line,
                            f"{name}() has {parameters} parameters, at most {PARAMETERS}")
    for folder, files in folders.items():
        if files > FOLDER_FILES and folder not in FLAT:
            gate.refuse(folder, 1, f"{files} C files; a folder has at most {FOLDER_FILES}")
    if common > COMMON_LINES:
        gate.refuse("common", 1, f"{common} lines in all, at most {COMMON_LINES}")
    gate.verdict(f"{count} functions, common/ has {common} lines")


main()

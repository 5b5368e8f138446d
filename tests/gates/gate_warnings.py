"""Every warning that we rely on is on, is an error but in a release, and is switched off nowhere."""
import re

import house

NEEDED = """
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wstrict-prototypes
    -Wmissing-prototypes -Wwrite-strings -Wvla -Wformat=2 $<$<NOT:$<CONFIG:Release>>:-Werror>
    """.split()
OFF = re.compile(r"(?<![\w-])-(?:Wno-[\w=-]+|w)(?![\w-])")
PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+(?:GCC|clang)[ \t]+diagnostic[ \t]+ignored", re.M)


def main():
    top, gate = house.root(), house.Gate()
    source = re.sub(r"#[^\n]*", "", house.text(top, "CMakeLists.txt"))
    listed = re.search(r"\badd_compile_options\s*\(([^)]*)\)", source)
    flags = listed.group(1).split() if listed else []
    line = house.line_of(source, listed.start()) if listed else 1
    for flag in NEEDED:
        if flag not in flags:
            gate.refuse("CMakeLists.txt", line, f"{flag} is missing from add_compile_options()")
    first = re.search(r"\badd_subdirectory\b", source)
    if listed and first and first.start() < listed.start():
        gate.refuse("CMakeLists.txt", line, "the warnings come after an add_subdirectory()")
    for path in house.files(top, "CMakeLists.txt", ".cmake", "CMakePresets.json"):
        build = house.text(top, path)
        for match in OFF.finditer(build):
            gate.refuse(path, house.line_of(build, match.start()),
                        f"{match.group()} switches a warning off")
    for path in house.files(top, ".c", ".h"):
        source = house.code(house.text(top, path))
        for match in PRAGMA.finditer(source):
            gate.refuse(path, house.line_of(source, match.start()), "switches a warning off")
    gate.verdict(f"{len(NEEDED)} warnings are errors")


main()

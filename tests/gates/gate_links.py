"""What is linked: CMake's edges go down the rooms, and ldd says the same of the programs.

The programs are $PENNYWORTH_TEST_SERVER and $PENNYWORTH_TEST_WORKER; without them only the
edges are judged.
"""
import os
import re
import subprocess

import house

# Other people's libraries, as CMake calls them, and the rooms that may link them.
OWNERS = {
    r"PkgConfig::JANSSON": {"common", "engine", "pricing", "server"},
    r"PkgConfig::SQLITE": {"db"},
    r"PkgConfig::(MICROHTTPD|NETTLE)": {"server"},
    r"PkgConfig::(CURL|EXPAT)|CURL::\w+|EXPAT::\w+|ZLIB::\w+|PkgConfig::ZLIB": {"pricing"},
    r"\$\{DNNL_LIBRARY\}|DNNL::\w+|OpenMP::OpenMP_C|MPI::MPI_C": {"engine/train"},
    r"Threads::Threads|m|dl|rt": set(house.LINKS),
}
SCOPES = ("PUBLIC", "PRIVATE", "INTERFACE")
NEVER = {
    "PENNYWORTH_TEST_SERVER": ("libdnnl", "libmpi", "libgomp", "libomp"),
    "PENNYWORTH_TEST_WORKER": ("libsqlite3", "libcurl", "libmicrohttpd", "libnettle"),
}
COMMAND = re.compile(r"\b(add_library|add_executable|target_link_libraries)\s*\(([^)]*)\)", re.I)


def commands(top):
    """(path, line, command, words) of what makes and links targets, tests aside."""
    for path in house.files(top, "CMakeLists.txt"):
        source = re.sub(r"#[^\n]*", "", house.text(top, path))
        if path.startswith(("tests/", "bench/")):
            continue
        for match in COMMAND.finditer(source):
            line = house.line_of(source, match.start())
            yield path, line, match.group(1).lower(), match.group(2).split()


def wrong_edge(room, library, homes):
    """What is wrong with linking this library on that room, or None."""
    if library in homes:
        if homes[library] in house.LINKS[room]:
            return None
        return f"{room}/ may not link {library} of {homes[library]}/"
    for pattern, rooms in OWNERS.items():
        if re.fullmatch(pattern, library):
            owners = ", ".join(sorted(rooms))
            return None if room in rooms else f"{library} belongs to {owners}"
    return f"{library} has no owner: say in gate_links.py who may link it"


def judge_edges(gate, top):
    found = list(commands(top))
    homes = {words[0]: os.path.dirname(path) for path, _, command, words in found
             if command != "target_link_libraries" and words}
    count = 0
    for path, line, command, words in found:
        room = os.path.dirname(path)
        if command != "target_link_libraries":
            continue
        if room not in house.LINKS:
            gate.refuse(path, line, "targets are linked in the folder of their floor")
            continue
        for library in words[1:]:
            wrong = None if library in SCOPES else wrong_edge(room, library, homes)
            count += library not in SCOPES
            if wrong:
                gate.refuse(path, line, wrong)
    return count


def judge_program(gate, variable):
    program = os.environ.get(variable)
    if not program:
        print(f"skipped: ${variable} names no program to ask ldd about")
        return
    listed = subprocess.run(["ldd", program], capture_output=True, text=True)
    if listed.returncode != 0:
        gate.refuse(program, 0, f"ldd failed: {listed.stderr.strip()}")
    for library in NEVER[variable]:
        if re.search(rf"\b{library}\b", listed.stdout):
            gate.refuse(program, 0, f"ldd lists {library}")


def main():
    top, gate = house.root(), house.Gate()
    count = judge_edges(gate, top)
    for variable in NEVER:
        judge_program(gate, variable)
    gate.verdict(f"{count} link edges go down")


main()

"""Who may include what: the rooms, the owners of other people's headers, no umbrella header, a header
for each source file, and no circle of files that include each other."""
import collections
import os
import re

import house

# Other people's headers and the one place for each; any further header is the system's.
OWNERS = {
    r"(oneapi/dnnl/)?dnnl[\w.]*\.h": r"engine/train/onednn/\w+\.[ch]",
    r"omp\.h": r"engine/train/(\w+/)?\w+\.[ch]",
    r"mpi\.h": r"engine/train/ranks/\w+\.c",
    r"curl/.*": r"pricing/feeds/fetch\.c",
    r"expat\.h": r"pricing/feeds/aws/\w+\.c",
    r"zlib\.h": r"pricing/feeds/unpack\.c",
    r"sqlite3\w*\.h": r"db/(\w+/)?\w+\.[ch]",
    r"nettle/.*": r"server/keys/ed25519\.c",
    r"microhttpd\w*\.h": r"server/http/(http\.c|transfer\.[ch])",
    r"jansson\.h": r"(common|engine(?!/train/(?!verify/))|pricing|answers|server)/[\w/]+\.[ch]",
}
SYSTEM = set("""
    assert ctype dirent errno fcntl fenv float inttypes iso646 limits locale malloc math mntent
    glob netdb poll pthread pwd sched semaphore setjmp signal spawn stdalign stdarg stdatomic stdbool
    stddef stdint stdio stdlib stdnoreturn string strings syslog termios threads time uchar
    unistd wchar wctype cpuid immintrin x86intrin arm_neon arm_sve
    """.split())
SYSTEM_FOLDERS = ("sys/", "linux/", "netinet/", "arpa/", "net/", "asm/")

# Source files that need no header of their name, and the header that each must include instead.
WITHOUT_HEADER = {
    # Compiled several times, under as many names.
    r"engine/train/kernels/(\w+/)?\w+_body\.c": None,
    # For one instruction set; the sets are declared together.
    r"engine/train/kernels/(\w+/)?\w+_(amx|avx512\w*)\.c": None,
    # For one version of the library, and only one is compiled.
    r"engine/train/onednn/dnn_v[23]\.c": "engine/train/onednn/dnn_api.h",
    # Tables of data or functions, which a list declares.
    r"engine/train/networks/(\w+2017|gpt2)\.c": "engine/train/networks/recipe.h",
    r"engine/train/layerwise/\w+\.c": "engine/train/layerwise/kinds.h",
    r"pricing/feeds/(\w+/)?\w+\.c": "pricing/feeds/sources.h",
    r"server/http/handlers/handle_\w+\.c": "server/http/handlers/handlers.h",
    # main().
    r"(\w+/)+(\w+_)?main\.c": None,
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def ours(room, header):
    """What is wrong with including one of our headers here, or None."""
    target = house.folder_of(header)
    if not target:
        return "our headers are included by their path from the root, and tests/ by none of us"
    if not house.may_use(room, target):
        return f"{room}/ may not include {target}/"
    return None


def theirs(path, header):
    """What is wrong with including a header that is not ours here, or None."""
    for pattern, owner in OWNERS.items():
        if re.fullmatch(pattern, header):
            return None if re.fullmatch(owner, path) else f"<{header}> belongs to {owner}"
    if header.removesuffix(".h") in SYSTEM or header.startswith(SYSTEM_FOLDERS):
        return None
    return f"<{header}> has no owner: say in gate_layers.py who may include it"


def is_umbrella(source):
    """Only includes other headers and declares nothing."""
    rest = re.sub(r"^[ \t]*#[^\n]*", "", source, flags=re.M)
    return INCLUDE.search(source) is not None and not rest.strip()


def lacks_header(path, source, paths):
    """Whether this is a source file without a header that declares what it defines."""
    if not path.endswith(".c") or path[:-2] + ".h" in paths:
        return False
    return not any(re.fullmatch(pattern, path) and (not header or f'#include "{header}"' in source)
                   for pattern, header in WITHOUT_HEADER.items())


def refuse_circles(gate, includes):
    """Refuses each include that closes a circle; x.c and x.h count as one file. `includes`: file
    without its ending -> what it includes, likewise -> where it does, (path, line)."""
    done = set()

    def walk(name, above):
        for target, (path, line) in sorted(includes[name].items()):
            if target in above:
                circle = [*above[above.index(target):], target]
                gate.refuse(path, line, "a circle: " + " -> ".join(map(os.path.basename, circle)))
            elif target in includes and target not in done:
                walk(target, [*above, target])
        done.add(name)

    for name in sorted(includes):
        if name not in done:
            walk(name, [name])


def main():
    top, gate, count = house.root(), house.Gate(), 0
    includes = collections.defaultdict(dict)
    paths = set(house.files(top, ".c", ".h"))
    for path in sorted(paths):
        room = house.folder_of(path)
        source = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), house.text(top, path))
        if path.endswith(".h") and is_umbrella(source):
            gate.refuse(path, 1, "an umbrella header: each file includes the headers that it needs")
        if path.startswith(("tests/", "bench/")):
            continue
        if not room:
            gate.refuse(path, 1, "no room: see house.ROOMS for the folders of C")
            continue
        if lacks_header(path, source, paths):
            gate.refuse(path, 1, "no header of its name: that is where others find what it defines")
        for match in INCLUDE.finditer(source):
            count += 1
            quoted, angled = match.groups()
            wrong = ours(room, quoted) if quoted else theirs(path, angled)
            line = house.line_of(source, match.start())
            if wrong:
                gate.refuse(path, line, wrong)
            own, target = os.path.splitext(path)[0], os.path.splitext(quoted or "")[0]
            if target not in ("", own):
                includes[own][target] = (path, line)
    refuse_circles(gate, includes)
    gate.verdict(f"{count} includes stay in their rooms")


main()

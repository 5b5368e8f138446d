"""The gates themselves: a small good tree passes, and each rule, once broken, is noticed."""
import functools
import json
import os
import stat
import sys
import tempfile
import traceback

import gate_words
import house  # noqa: F401  once for all gates

HERE = os.path.dirname(os.path.abspath(__file__))
GATES = ("sizes", "banned", "clock", "layers", "links", "warnings", "tests", "format", "rows", "names",
         "once", "words")

CMAKE = """add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wstrict-prototypes
    -Wmissing-prototypes -Wwrite-strings -Wvla -Wformat=2 $<$<NOT:$<CONFIG:Release>>:-Werror>)
add_subdirectory(common)
"""
GOOD = {
    ".clang-format": "BasedOnStyle: LLVM\nIndentWidth: 4\nBreakBeforeBraces: Linux\n"
                     "AllowShortFunctionsOnASingleLine: None\n",
    "CMakeLists.txt": CMAKE,
    "common/CMakeLists.txt": "add_library(common STATIC a.c)\n"
                             "target_link_libraries(common PUBLIC PkgConfig::JANSSON)\n",
    "common/a.h": "#pragma once\n\nint a(int number);\n",
    # What is said in comments and quotes breaks no rule.
    "common/a.c": "#include \"common/a.h\"\n\n#include <string.h>\n\n"
                  "/* no strcpy() here: #include <sqlite3.h> */\n"
                  "int a(int number)\n{\n    return number + (int)strlen(\"atoi(x) {\");\n}\n",
    "engine/CMakeLists.txt": "add_library(engine STATIC b.c)\n"
                             "target_link_libraries(engine PUBLIC common m)\n",
    "engine/spec/b.h": "#pragma once\n\n#include \"common/a.h\"\n\nint b(void);\n",
    "server/CMakeLists.txt": "add_library(service STATIC http.c)\n"
                             "target_link_libraries(service PUBLIC engine)\n",
    "server/http/http.h": "#pragma once\n\nvoid http(void);\n",
    "server/http/http.c": "#include <microhttpd.h>\n",
    "tests/db/x_test.c": "#include \"engine/spec/b.h\"\n\n#include <sqlite3.h>\n",
    "web/app.js": "let x = 1;\n",
    "run": "#!/bin/sh\necho\n",
}


def function(lines, parameters="void"):
    """A formatted function of so many lines in all."""
    return f"int f({parameters})\n{{\n" + "    f();\n" * (lines - 4) + "    return 0;\n}\n"


PROMISE = "| promise | test |\n|---|---|\n| It holds. | %s |\n"


def includes(header):
    return f"#include {header}\n"


# (gate, what changes in the good tree, what the gate must say; None: nothing is wrong)
CASES = (
    ("clock", {"tests/x.py": "self.assertLess(time.monotonic() - began, 60)\n"}, None),
    ("clock", {"tests/x.py": "self.assertLess(time.monotonic() - began, 5)\n"}, "tests/x.py:1: "),
    ("clock", {"tests/x.py": "assertLess(took, 30 if SANITIZED else 2)\n"}, "tests/x.py:1: "),
    ("clock", {"tests/x.py": "assertLess(server.stop(), 2)\n"}, "tests/x.py:1: "),
    ("clock", {"tests/x.py": "until(lambda: one(two(3)),\n      'it', seconds=20)\n"}, "tests/x.py:1: "),
    ("clock", {"tests/x.py": "def until(self, truth, seconds=20):\n"}, "tests/x.py:1: "),
    ("clock", {"tests/x.py": "until(lambda: one(), 'it', seconds=60)\n"}, None),
    ("clock", {"tests/x_test.c": "EXPECT(clock_monotonic_ns() - began_ns < 9 * NS_PER_SECOND);\n"},
     "tests/x_test.c:1: "),
    ("names", {"db/f.c": "static int say(int x)\n{\n    return x;\n}\n"}, "db/f.c:1: say() does not"),
    ("names", {"db/f.h": "static inline const char *say(void)\n{\n    return 0;\n}\n"}, "db/f.h:1: "),
    ("names", {"db/f.c": "static int f_say(int x)\n{\n    return x;\n}\n\nint say(void)\n"
                         "{\n    return f_say(1);\n}\n\nstatic int f = a(1);\n"}, None),
    ("names", {"tests/db/f_test.c": "static int say(int x)\n{\n    return x;\n}\n"}, None),
    ("sizes", {"common/b.c": "int x;\n" * 500}, None),
    ("sizes", {"common/b.c": "int x;\n" * 501}, "common/b.c:501: 501 lines"),
    ("sizes", {"web/app.js": "x;\n" * 501}, "web/app.js:501: "),
    ("sizes", {"tests/x.py": "x\n" * 501}, "tests/x.py:501: "),
    ("sizes", {"run": "#!/bin/sh\n" + "x\n" * 500}, "run:501: "),
    ("sizes", {"common/b.c": "int x;\n" * 500, "common/c.c": "int x;\n" * 500,
                **{f"common/d{i}.c": "int x;\n" * 500 for i in range(6)}}, "common:1: "),
    ("sizes", {f"db/d{i}.{kind}": "" for i in range(20) for kind in "ch"}, None),
    ("sizes", {**{f"db/d{i}.{kind}": "" for i in range(20) for kind in "ch"}, "db/e.c": ""},
     "db:1: 41 C files"),
    ("sizes", {f"tests/fuzz/d{i}.c": "" for i in range(41)}, None),
    ("sizes", {"db/f.c": function(60, "int a, int b, int c, int d, int e, int f")}, None),
    ("sizes", {"db/f.c": "\n" + function(61)}, "db/f.c:2: f() has 61 lines"),
    ("sizes", {"db/f.c": function(9, "int a, int b, int c, int d,\n      int e, int f, int g")},
     "db/f.c:1: f() has 7 parameters"),
    ("sizes", {"db/f.c": "static char *f(int a, void (*g)(int, int), int c, int d, int e,\n"
                         "               int f)\n{\n    return 0;\n}\n"}, None),
    ("sizes", {"db/f.c": "static const int f[] = {\n" + "    1,\n" * 90 + "};\n"}, None),
    ("banned", {"db/f.c": "int x = 1;\nint y = atoi (z);\n"}, "db/f.c:2: atoi()"),
    ("banned", {"tests/f.c": "char *x = strcpy(y, z);\n"}, "strcpy()"),
    ("banned", {"db/f.c": "char *x = strcat(y, z);\n"}, "strcat()"),
    ("banned", {"db/f.c": "int x = sprintf(y, z);\n"}, "sprintf()"),
    ("banned", {"db/f.c": "char *x = strtok(y, z);\n"}, "strtok()"),
    ("banned", {"db/f.c": "char *x = gets(y);\n"}, "gets()"),
    ("banned", {"db/f.c": "int x = system(y);\n"}, "system()"),
    ("banned", {"server/f.c": "char *x = strdup (y);\n"},
     "server/f.c:1: strdup() may fail: use xstrdup()"),
    ("banned", {"server/f.c": "void *x = xrealloc(y, 1);\n"}, None),
    ("banned", {"tests/f.c": "void *x = malloc(1);\n"}, None),
    ("banned", {"db/f.c": "int x = my_system(y) + snprintf(a, b, c) + fgets(d);\n"}, None),
    ("banned", {"db/f.c": "const char *x = \"SELECT json_extract(spec, '$.steps')\";\n"},
     "db/f.c:1: json_extract( in SQL"),
    ("banned", {"db/f.c": "const char *x = \"SELECT m.facts ->> '$.isa'\";\n"}, "->> '$ in SQL"),
    ("banned", {"tests/f.c": "const char *x = \"SELECT json_valid(spec)\";\n"}, None),
    ("banned", {"CMakeLists.txt": CMAKE + "add_compile_options(-ffast-math)\n"},
     "CMakeLists.txt:5: fast-math"),
    ("layers", {"common/a.c": includes('"engine/spec/b.h"')},
     "common/a.c:1: common/ may not include engine/spec/"),
    ("layers", {"engine/spec/b.c": includes('"engine/train/net/net.h"')},
     "may not include engine/train/net/"),
    ("layers", {"engine/spec/b.c": "\n" + includes('"pricing/price.h"')}, "engine/spec/b.c:2: "),
    ("layers", {"pricing/p.c": includes('"engine/spec/b.h"')}, "pricing/ may not include engine/spec/"),
    ("layers", {"db/d.c": includes('"server/base/log.h"')}, "db/ may not include server/base/"),
    ("layers", {"server/base/s.c": includes('"engine/train/net/net.h"')}, "server/base/ may not"),
    ("layers", {"engine/stats/s.c": includes('"engine/run/run.h"')},
     "engine/stats/ may not include engine/run/"),
    ("layers", {"engine/train/networks/n.c": includes('"engine/train/depth_first/filter.h"')},
     "engine/train/networks/ may not include engine/train/depth_first/"),
    ("layers", {"engine/train/plain/p.c": includes('"engine/train/workloads/workload.h"')},
     "engine/train/plain/ may not include engine/train/workloads/"),
    ("layers", {"engine/train/verify/v.c": includes('"engine/train/canary_run.h"')},
     "engine/train/verify/ may not include engine/train/"),
    ("layers", {"engine/train/plain/a.h": "int a;\n",
                "engine/train/plain/a.c": includes('"engine/train/plain/a.h"'),
                "engine/train/plain/b.h": includes('"engine/train/plain/a.h"') + "int b;\n"}, None),
    ("layers", {"engine/train/plain/a.c": "\n" + includes('"engine/train/plain/b.h"'),
                "engine/train/plain/b.h": "int b;\n",
                "engine/train/plain/b.c": includes('"engine/train/plain/c.h"'),
                "engine/train/plain/c.h": includes('"engine/train/plain/a.h"') + "int c;\n"},
     "engine/train/plain/c.h:1: a circle: a -> b -> c -> a"),
    ("layers", {"common/b.c": includes('"common/c.h"'), "common/b.h": "int b;\n",
                "common/c.h": includes('"common/b.h"') + "int c;\n"}, "a circle: b -> c -> b"),
    ("layers", {"server/http/e.h": includes('"server/http/handlers/s.h"') + "int e;\n",
                "server/http/handlers/s.h": includes('"server/http/e.h"') + "int s;\n"},
     "a circle: e -> s -> e"),
    ("layers", {"common/b.c": "int b;\n"}, "common/b.c:1: no header of its name"),
    ("layers", {"common/b.c": "int b;\n", "common/b.h": "int b;\n"}, None),
    ("layers", {"engine/train/kernels/b.c": "int b;\n"}, "b.c:1: no header of its name"),
    ("layers", {"pricing/feeds/gcp/gcp_catalog.c": "int b;\n"}, "no header of its name"),
    *(("layers", {path: f'#include "{header}"\nint b;\n' if header else "int b;\n"}, None)
      for path, header in (
          ("engine/train/kernels/elements_body.c", None),
          ("engine/train/kernels/conv/conv_amx.c", None),
          ("engine/train/kernels/passes_avx512bf16_pool.c", None),
          ("engine/train/onednn/dnn_v2.c", "engine/train/onednn/dnn_api.h"),
          ("engine/train/networks/mlp2017.c", "engine/train/networks/recipe.h"),
          ("engine/train/layerwise/dense.c", "engine/train/layerwise/kinds.h"),
          ("pricing/feeds/price_file.c", "pricing/feeds/sources.h"),
          ("server/http/handlers/handle_runs.c", "server/http/handlers/handlers.h"),
          ("engine/train/worker_main.c", None), ("server/cli/main.c", None))),
    ("layers", {"pricing/p.c": includes('"pricing/feeds/source.h"')},
     "pricing/ may not include pricing/feeds/"),
    ("layers", {"answers/compare/c.c": includes('"server/http/exchange.h"')},
     "answers/compare/ may not include server/http/"),
    ("layers", {"server/http/json/c.c": includes('"server/http/exchange.h"')},
     "server/http/json/ may not include server/http/"),
    ("layers", {"db/prices/c.c": includes('"db/runs/runs.h"')},
     "db/prices/ may not include db/runs/"),
    ("layers", {"db/c.c": includes('"db/runs/runs.h"')}, "db/ may not include db/runs/"),
    ("layers", {"server/prices/c.c": includes('"server/runs/runner.h"')},
     "server/prices/ may not include server/runs/"),
    ("layers", {"server/http/handlers/h.h": includes('"server/http/exchange.h"') + "int h;\n"}, None),
    ("layers", {"engine/train/t.c": includes('"db/db.h"')}, "engine/train/ may not include db/"),
    ("layers", {"db/d.h": "int d;\n", "db/d.c": includes('"engine/spec/b.h"')}, None),
    ("layers", {"engine/spec/b.c": includes('"b.h"')}, "by their path from the root"),
    ("layers", {"db/d.c": includes('"tests/test.h"')}, "tests/ by none of us"),
    ("layers", {"server/runs/s.c": includes("<sqlite3.h>")}, "<sqlite3.h> belongs to"),
    ("layers", {"server/runs/s.c": includes("<microhttpd.h>")}, "<microhttpd.h> belongs to"),
    ("layers", {"engine/train/workloads/net_new.c": includes("<dnnl.h>")}, "<dnnl.h> belongs to"),
    ("layers", {"engine/train/onednn/dnn_op.h": includes("<dnnl.h>") + "int op;\n"}, None),
    ("layers", {"engine/train/threads/host.c": includes("<mpi.h>")}, "<mpi.h> belongs to"),
    ("layers", {"pricing/feed.c": includes("<curl/curl.h>")}, "<curl/curl.h> belongs to"),
    ("layers", {"db/d.c": includes("<jansson.h>")}, "<jansson.h> belongs to"),
    ("layers", {"db/d.c": includes("<openssl/ssl.h>")}, "has no owner"),
    ("layers", {"db/all.h": "/* All. */\n#pragma once\n" + includes('"common/a.h"')},
     "db/all.h:1: an umbrella header"),
    ("layers", {"extra/x.c": "int x;\n"}, "extra/x.c:1: no room"),
    ("layers", {"server/x.c": "int x;\n"}, "server/x.c:1: no room"),
    ("links", {"common/CMakeLists.txt": "add_library(common a.c)\n"
                                        "target_link_libraries(common PUBLIC engine)\n"},
     "common/CMakeLists.txt:2: common/ may not link engine"),
    ("links", {"server/CMakeLists.txt": "target_link_libraries(s PRIVATE PkgConfig::SQLITE)\n"},
     "PkgConfig::SQLITE belongs to db"),
    ("links", {"server/CMakeLists.txt": "target_link_libraries(s PRIVATE ssl)\n"}, "no owner"),
    ("links", {"engine/train/CMakeLists.txt": "add_library(train t.c)\n",
               "server/CMakeLists.txt": "target_link_libraries(s\n PRIVATE train)\n"},
     "server/ may not link train"),
    ("links", {"CMakeLists.txt": CMAKE + "target_link_libraries(common m)\n"},
     "CMakeLists.txt:5: targets are linked in the folder"),
    ("warnings", {"CMakeLists.txt": CMAKE.replace(" $<$<NOT:$<CONFIG:Release>>:-Werror>", "")},
     ":-Werror> is missing"),
    ("warnings", {"CMakeLists.txt": CMAKE.replace("-Wmissing-prototypes", "")},
     "CMakeLists.txt:1: -Wmissing-prototypes is missing"),
    ("warnings", {"CMakeLists.txt": "add_subdirectory(common)\n" + CMAKE}, "come after an"),
    ("warnings", {"db/CMakeLists.txt": "add_compile_options(-Wno-vla)\n"},
     "db/CMakeLists.txt:1: -Wno-vla"),
    ("warnings", {"db/d.c": "#pragma GCC diagnostic ignored \"-Wvla\"\n"}, "db/d.c:1: "),
    ("tests", {"pricing/f.c": "int x;\n" * 99}, None),
    ("tests", {"pricing/f.c": "int x;\n" * 100}, "pricing/f.c:1: there is no tests/pricing/f_test.c"),
    ("tests", {"tests/f.c": "int x;\n" * 100}, None),
    ("tests", {"pricing/f.c": "int x;\n" * 100, "tests/pricing/f_test.c": "int x;\n"}, None),
    ("tests", {"pricing/f.c": "/* Tested by tests/db/x_test.c. */\n" + "int x;\n" * 100}, None),
    ("tests", {"pricing/f.c": "/* F. Tested by tests/db/x_test.c and\n * tests/api/test_f.py. */\n",
               "tests/api/test_f.py": "pass\n"}, None),
    ("tests", {"pricing/f.c": "/* F. Tested by tests/db/x_test.c and\n * tests/api/test_f.py. */\n"},
     "pricing/f.c:1: names tests/api/test_f.py, which does not exist"),
    ("tests", {"pricing/f.c": "/* Tested by tests/db/help.c. */\n", "tests/db/help.c": "int x;\n"},
     "pricing/f.c:1: names tests/db/help.c, which is not a test"),
    ("tests", {"docs/p.md": PROMISE % "`it_holds`, `test_more`", "tests/p_test.c": "TEST(it_holds)\n",
               "tests/api/test_p.py": "    def test_more(self):\n"}, None),
    ("tests", {"docs/p.md": PROMISE % "`it_holds`", "tests/p_test.c": "// it_holds\n"},
     "docs/p.md:3: names the test it_holds, which does not run anywhere"),
    ("tests", {"docs/p.md": PROMISE % "one day"}, "docs/p.md:3: this promise names no test"),
    ("tests", {"docs/p.md": "It is tested (`f_test`).\n"}, "docs/p.md:1: names the test f_test"),
    ("tests", {"docs/p.md": "It is tested (`x_test`).\n\n| a | b |\n|---|---|\n| c | `d` |\n"}, None),
    ("tests", {"pricing/f.c": "int x;\n" * 100 + "/* Tested by tests/db/x_test.c. */\n"},
     "pricing/f.c:1: there is no"),
    ("format", {"db/f.c": "#define F(n) ((long)(n)*G)\n"}, "db/f.c:1: versions differ"),
    ("format", {"db/f.c": "int x;\nint   y;\n"}, "db/f.c:2: not formatted"),
)


def table(*rows, name="T"):
    return ("static const struct member rows[] = {\n" + "".join(f"    {{{row}}},\n" for row in rows) +
            "    {0},\n};\nconst struct members t_members = {\n    .name = \"%s\", .rows = rows};\n" % name)


def openapi(name, described):
    return {"server/http/openapi.json": json.dumps({"components": {"schemas": {name: {"properties": {
        "size": {"description": described}}}}}})}


SIZE = 'MEMBER(struct a, size), .meaning = "How " "large."'
CASES += (
    ("rows", {"db/a.c": table(SIZE),
              "db/b.c": table('MEMBER(struct b, size), .meaning = "How wide."')}, None),
    ("rows", {"db/a.c": table(SIZE), "db/b.c": table('MEMBER_AS(struct b, "size", at),\n     '
                                                     '.meaning = "How large."')},
     "db/b.c:2: `size` has these words in db/a.c too"),
    ("rows", {"db/a.c": table(SIZE, '.name = "size", .meaning = "How large."')}, "db/a.c:3: `size`"),
    ("rows", {"db/a.c": table(SIZE, 'WORDS("size", at), .meaning = "How large."')}, "db/a.c:3: `size`"),
    ("rows", {"db/a.c": table(SIZE), **openapi("U", "How wide.")}, None),
    ("rows", {"db/a.c": table(SIZE), **openapi("T", "How wide.")}, "openapi.json:1: T is described by"),
    ("rows", {"db/a.c": table(SIZE), **openapi("U", "How large.")}, "openapi.json:1: `size` has the words"),
)

SUM = "static int %s(int left, int right)\n{\n    int sum = left + right;\n\n    return sum * sum;\n}\n"
CASES += (
    ("once", {"db/a.c": SUM % "a_sum", "db/b.c": SUM.replace("+", "-") % "b_sum"}, None),
    ("names", {"db/a.c": SUM % "a_sum", "db/b.c": SUM % "a_sum"}, "db/b.c:1: a_sum() is a function of a.c too"),
    ("names", {"db/a.c": SUM % "a_sum", "answers/b.c": SUM % "a_sum"}, None),
    ("names", {"engine/train/kernels/a.c": SUM % "a_sum", "engine/train/kernels/b.c": SUM % "a_sum"}, None),
    ("once", {"db/a.c": SUM % "a_sum", "tests/db/b.c": SUM % "b_sum"}, None),
    ("once", {"db/a.c": SUM % "a_sum", "engine/b.c": "int b;\n\n" + SUM % "b_sum"},
     "engine/b.c:3: b_sum() is a_sum() of db/a.c once more"),
)

PLACES = ("db/f.h", "tests/f.py", "web/f.js", "web/f.css", "web/f.html", "docs/p.md", "run", "Dockerfile",
          "deploy/x.yaml", "tests/api/test_confine.py")


def words(path, text, phrase=None, line=2):
    """A case with this text; it holds the phrase."""
    return "words", {path: text}, phrase and f'{path}:{line}: "{phrase}" is a crooked phrase'


PHRASES = tuple(gate_words.INSTEAD)
CASES += (
    words("docs/p.md", "Which of them says that often? Those often call somebody.\n"),
    *(words(path, PHRASES[-1]) for path in (*gate_words.INSTEAD[PHRASES[-1]][1:], "tests/fuzz/corpus/a.json")),
    words("db/f.c", "int x;\n/* Rows, {}\n * {} one is new. */\n".format(*PHRASES[0].split()), PHRASES[0]),
    words("tests/f.c", f"TEST(x_{PHRASES[1].replace(' ', '_')}_a_run)\n", PHRASES[1], 1),
    *(words(path, f"x\ny {phrase.capitalize()} z\n", phrase) for path, phrase in zip(PLACES * 2, PHRASES)),
)


def plant(folder, tree):
    for path, content in tree.items():
        whole = os.path.join(folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(content)


@functools.cache
def script_of(gate):
    path = os.path.join(HERE, f"gate_{gate}.py")
    with open(path, encoding="utf-8") as file:
        return compile(file.read(), path, "exec")


def be_gate(gate, folder, variables, output):
    """In a process of its own; does not return. Starting Python anew would take longer than all the rest."""
    status = 1
    try:
        for number in (1, 2):
            os.dup2(output, number)
        for name in [name for name in os.environ if name.startswith("PENNYWORTH_")]:
            del os.environ[name]
        os.environ.update(variables)
        sys.argv = [f"gate_{gate}.py", folder]
        exec(script_of(gate), {"__name__": "__main__"})
        status = 0
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def judge(gate, folder, **variables):
    script_of(gate)
    sys.stdout.flush()
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            be_gate(gate, folder, variables, output.fileno())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        return status, output.read().decode()


def try_case(gate, changes, wanted, **variables):
    """What is wrong with the gate's verdict on the good tree with these changes, or None."""
    with tempfile.TemporaryDirectory() as folder:
        plant(folder, GOOD | changes)
        status, said = judge(gate, folder, **variables)
    if "skipped: this is" in said:
        return None
    if (status == 0) == (wanted is None) and (wanted or "") in said:
        return None
    wanted = wanted or "no complaint"
    return f"gate_{gate}: {sorted(changes)}: wanted {wanted}, got {status}:\n{said}"


def program_that_ldd_lists(folder, library):
    """Makes the `ldd` of a PATH that says it has seen that library."""
    ldd = os.path.join(folder, "ldd")
    with open(ldd, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\necho '\t{library}.so.1 => /usr/lib/{library}.so.1 (0x0)'\n")
    os.chmod(ldd, stat.S_IRWXU)
    return folder + os.pathsep + os.environ["PATH"]


def try_kept():
    """What is wrong with a gate of formats that keeps what it has seen, as a list."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        ask = functools.partial(judge, "format", folder, PENNYWORTH_TEST_FORMATTED=os.path.join(other, "kept"))
        rules = GOOD[".clang-format"].replace("4", "2")
        for changes, wanted in (({}, None), ({}, None), ({"common/a.h": "int  a;\n"}, "common/a.h:1: "),
                                ({"common/a.h": "int  a;\n"}, "common/a.h:1: "), ({}, None),
                                ({".clang-format": rules}, "common/a.c:7: ")):
            plant(folder, GOOD | changes)
            status, said = ask()
            if "skipped: this is" not in said and ((status == 0) != (wanted is None)
                                                   or (wanted or "") not in said):
                wrong.append(f"gate_format that keeps: {changes}: wanted {wanted}, got {status}:\n{said}")
    return wrong


def main():
    wrong = [*try_kept(), *(try_case(gate, {}, None) for gate in GATES)]
    wrong += [try_case(*case) for case in CASES]
    for variable, library in (("SERVER", "libdnnl"), ("SERVER", "libmpi"),
                              ("WORKER", "libsqlite3"), ("WORKER", "libcurl"),
                              ("WORKER", "libmicrohttpd")):
        with tempfile.TemporaryDirectory() as folder:
            path = program_that_ldd_lists(folder, library)
            wrong.append(try_case("links", {}, f"ldd lists {library}", PATH=path,
                                  **{f"PENNYWORTH_TEST_{variable}": "/bin/true"}))
    wrong = [text for text in wrong if text]
    print("\n".join(wrong) or f"ok: {len(GATES) + len(CASES) + 5} trees judged rightly")
    sys.exit(1 if wrong else 0)


main()

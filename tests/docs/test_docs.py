"""What is written for people holds: made pages are as they would be made now, links lead somewhere,
and every option, variable, command and path that is named exists."""
import functools
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "tests/api"), str(ROOT / "tests/gates")]
import house  # noqa: E402
import make_api  # noqa: E402
import make_man  # noqa: E402
from harness import SERVER, WORKER  # noqa: E402
from schema_words import slug  # noqa: E402

LEFT_OUT = {".git", "build", "crashes", "node_modules"}
# Options of programs that are not ours, as the pages show them.
FOREIGN = set("""--preset --build --target --test-dir --data-binary --read-only --cap-drop --rm
    --security-opt --tmpfs --env-file --publish --volume --name --network --isolation --cap-add
    --restart --warnings --offline --threshold --from-file --from-literal --install --prefix
    --config-file --no-block --now --label-columns --selector --tag --build-arg --timestamp
    --user --mount --no-cache --init --env --detach --file --device --compile --ipex --precision --short --packages
    --map-by --bind-to --oversubscribe --allow-run-as-root --minutes""".split())
# Command lines of clouds, whose options are their own matter.
CLOUD = re.compile(r"^(?:aws|gcloud|az) (?:.*\\\n)*.*$", re.M)
# Variables that are set for tests and builds, or by the server for a worker.
OTHER_VARIABLES = re.compile(r"PENNYWORTH_HASTE$|PENNYWORTH_(TEST_|BENCH_|RUN$|SAMPLES$|COMMIT$|VERSION$|FUZZ$|SANITIZE$|$)")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"\]\(([^()\s]+)\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
SOURCE = re.compile(r"[\w./-]+(?:\.(?:c|h|js|py|json|ndjson|cmake)|/)")
FUNCTION = re.compile(r"(\w+)\(\)")
ROOM = re.compile(r"^( *)([\w-]+)/ {2,}\S", re.M)
NAMED_PATH = re.compile(r"(?<![\w.$/-])(?:(GET|POST|DELETE) )?(/(?:v1/|healthz|readyz|metrics)[^]\s`'\"|),;?#]*)")


def documents():
    return [path for path in sorted(ROOT.rglob("*.md"))
            if not LEFT_OUT.intersection(path.relative_to(ROOT).parts)]


def for_users():
    """Pages about the program; those in tests/ are about tests."""
    return [path for path in documents() if path.relative_to(ROOT).parts[0] != "tests"]


def prose(text):
    return FENCE.sub("", text)


@functools.cache
def anchors(path):
    seen, found = {}, set()
    for heading in re.findall(r"^#+ +(.+?) *#*$", prose(path.read_text()), re.M):
        name = slug(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading))
        found.add(f"{name}-{seen[name]}" if name in seen else name)
        seen[name] = seen.get(name, 0) + 1
    return found


def where(path):
    return str(path.relative_to(ROOT))


class Promises(unittest.TestCase):
    """Tables of promises: each names the tests that hold it."""
    TABLE = re.compile(r"^\| promise \| test \|\n\|[-|]+\|\n((?:\|.*\n)+)", re.M)
    TEST = re.compile(r"^(?:TEST\w*\((\w+)|static void (\w+)\(void\)|    def (test_\w+)\(self)", re.M)

    def test_every_promise_names_a_test_that_exists(self):
        tests = {name for suffix in ("*.c", "*.py") for path in (ROOT / "tests").rglob(suffix)
                 for pair in self.TEST.findall(path.read_text()) for name in pair}
        seen = 0
        for path in for_users():
            for table in self.TABLE.findall(path.read_text()):
                for row in table.splitlines():
                    named = CODE_SPAN.findall(row.rsplit("|", 2)[1])
                    self.assertTrue(named, f"{where(path)}: no test is named for {row}")
                    self.assertEqual([], [name for name in named if name not in tests], where(path))
                    seen += 1
        self.assertGreater(seen, 10)


class Made(unittest.TestCase):
    maxDiff = 2000
    remedy = "make it again: docs/make_api.py PENNYWORTH > docs/api.md; docs/make_man.py PENNYWORTH"

    def test_the_reference_is_what_the_server_says(self):
        self.assertMultiLineEqual((ROOT / "docs/api.md").read_text(), make_api.make(SERVER), self.remedy)

    def test_the_manual_pages_are_what_the_programs_say(self):
        pages = make_man.make(SERVER)
        self.assertEqual({"pennyworth.1", "pennyworth-worker.1"}, set(pages))
        for name, text in pages.items():
            self.assertNotIn("@", re.sub(r"\\@", "", text), f"{name}: something was not filled in")
            self.assertMultiLineEqual((ROOT / "docs/man" / name).read_text(), text, self.remedy)

    def test_the_manual_pages_are_read_without_a_warning(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for page in sorted((ROOT / "docs/man").glob("*.1")):
            output = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-rLL=100n", str(page)],
                                  capture_output=True, text=True, check=True)
            self.assertEqual("", output.stderr)

    def test_the_worker_s_page_has_its_options_and_no_others(self):
        output = subprocess.run([WORKER, "verify", "--help"], capture_output=True, text=True, check=True)
        page = (ROOT / "docs/man/pennyworth-worker.1.in").read_text()
        page = re.sub(r"\\f[BIR]", "", page).replace("\\-", "-")
        page = page.split(".SH VERIFY")[1].split(".SH EXIT")[0]
        self.assertEqual(set(OPTION.findall(output.stdout)), set(OPTION.findall(page)))


class Named(unittest.TestCase):
    @functools.cached_property
    def options(self):
        """{command: its options}."""
        options = make_man.options(SERVER)
        return {name: {flag for (flag, _, _), (_, _, of) in options.items() if flag and name in of} |
                {"--help", "--version"} for name, _, _ in make_man.commands(SERVER)}

    @functools.cached_property
    def routes(self):
        return make_api.access_of()

    def test_every_link_leads_somewhere(self):
        self.assertGreater(len(documents()), 15)
        for path in documents():
            for link in LINK.findall(prose(path.read_text())):
                if re.match(r"[a-z]+:", link):
                    continue
                file, _, anchor = link.partition("#")
                target = (path.parent / file).resolve() if file else path
                with self.subTest(page=where(path), link=link):
                    self.assertTrue(target.exists(), "leads nowhere")
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_every_option_that_is_named_exists(self):
        worker = subprocess.run([WORKER, "verify", "--help"], capture_output=True, text=True, check=True)
        known = set.union(*self.options.values(), OPTION.findall(worker.stdout), FOREIGN)
        for path in for_users():
            with self.subTest(page=where(path)):
                text = CLOUD.sub("", path.read_text())
                self.assertEqual(set(), set(OPTION.findall(text)) - known)

    def test_every_command_line_is_one_that_the_program_takes(self):
        seen = 0
        for path in for_users():
            text = re.sub(r"\\\n", " ", path.read_text())
            for words, rest in re.findall(r"(?:^|[\s`/])pennyworth ([a-z]+)\b([^\n`|]*)", text):
                options = OPTION.findall(rest)
                with self.subTest(page=where(path), command=words):
                    if options or words in self.options:
                        self.assertIn(words, self.options)
                        self.assertLessEqual(set(options) - FOREIGN, self.options[words])
                        seen += 1
        self.assertGreater(seen, 5)

    def test_every_variable_that_is_named_exists(self):
        known = {variable for _, _, variable in make_man.options(SERVER)}
        for path in for_users():
            named = set(re.findall(r"\bPENNYWORTH_[A-Z_]*", path.read_text()))
            with self.subTest(page=where(path)):
                self.assertEqual(set(), {name for name in named - known
                                         if not OTHER_VARIABLES.match(name)})

    def find(self, method, path):
        words = path.rstrip(".:").split("/")
        for (known_method, known), _ in self.routes.items():
            parts = known.split("/")
            if len(parts) == len(words) and (not method or method.lower() == known_method) and \
                    all(part == word or part == "{id}" for part, word in zip(parts, words)):
                return True
        return False

    def test_every_path_that_is_named_is_served(self):
        seen = 0
        for path in for_users():
            for method, named in NAMED_PATH.findall(path.read_text()):
                seen += 1
                with self.subTest(page=where(path), path=named):
                    self.assertTrue(self.find(method, named), f"{method} {named} is not served")
        self.assertGreater(seen, 50)

    def test_every_path_that_is_served_is_in_the_reference(self):
        reference = (ROOT / "docs/api.md").read_text()
        for method, path in self.routes:
            self.assertIn(f"\n### {method.upper()} {path}\n", reference)


class Architecture(unittest.TestCase):
    """ARCHITECTURE.md names rooms, files and functions. They exist, and the gates know the same rooms."""

    @classmethod
    def setUpClass(cls):
        cls.text = (ROOT / "ARCHITECTURE.md").read_text()
        cls.files = list(house.files(str(ROOT)))
        cls.spans = CODE_SPAN.findall(prose(cls.text))

    def rooms(self):
        above = []
        for indent, name in ROOM.findall(FENCE.search(self.text).group()):
            above[len(indent) // 2:] = [name]
            yield "/".join(above)

    def test_its_tree_has_every_room_and_only_folders_that_exist(self):
        rooms = list(self.rooms())
        self.assertEqual(set(), set(house.ROOMS) - set(rooms))
        self.assertEqual([], [room for room in rooms if not (ROOT / room).is_dir()])

    def test_a_room_stands_below_those_that_it_uses(self):
        rooms = list(self.rooms())
        for room, used in house.ROOMS.items():
            for other in used:
                related = f"{room}/".startswith(f"{other}/") or other.startswith(f"{room}/")
                if not related and {room, other} <= set(rooms):
                    with self.subTest(room=room, uses=other):
                        self.assertLess(rooms.index(other), rooms.index(room))

    def test_every_path_that_it_names_exists(self):
        paths = [span for span in self.spans if SOURCE.fullmatch(span)]
        names = {Path(file).name for file in self.files}
        self.assertGreater(len(paths), 100)
        for path in paths:
            with self.subTest(path=path):
                self.assertTrue((ROOT / path).exists() if "/" in path else path in names)

    def test_every_function_that_it_names_exists(self):
        known = {name for file in self.files if file.endswith(".c") and not file.startswith("tests/")
                 for name in re.findall(r"\b(\w+)\(", (ROOT / file).read_text())}
        named = {found.group(1) for found in map(FUNCTION.fullmatch, self.spans) if found}
        self.assertGreater(len(named), 5)
        self.assertEqual(set(), named - known)

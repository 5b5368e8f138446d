"""The page as it is sent: names that hold a hash, packed or not, kept or asked for again."""
import gzip
import re

from harness import ROOT, ServerCase

WEB = ROOT / "web"
# A page that opens at once over a bad line.
MOST_BYTES = 250_000
HASHED = re.compile(r"-[0-9a-f]{8}(?=\.(?:js|css)\b)")
FOR_EVER = "public, max-age=31536000, immutable"
WRITTEN = sorted(path for path in WEB.rglob("*.*") if path.suffix != ".html")
MODULES = [path for path in WRITTEN if path.suffix == ".js"]
STYLES = [path for path in WRITTEN if path.suffix == ".css"]
# How a file names another, and what it names only to be read by others.
IMPORT = re.compile(r"""^import (?:[^;]* from )?'([^']+)';\n""", re.MULTILINE)
EXPORT = re.compile(r"^export (?=const |class )", re.MULTILINE)


class Page(ServerCase):
    def files(self):
        """Answers by path: of the page, and of what it calls."""
        page = self.server.get("/")
        found = {"/": page}
        for path in re.findall(r'"(/assets/[^"]+)"', page.body.decode()):
            found[path] = self.server.get(path)
        for path, reply in found.items():
            self.assertEqual(200, reply.status, path)
        return found

    def text(self, name):
        """What is served as NAME with a hash in it."""
        return next(reply.body.decode() for path, reply in self.files().items()
                    if HASHED.sub("", path) == name)

    def test_the_page_needs_three_files_under_the_names_of_one_hash(self):
        """Where an answer takes a fifth of a second, fifty modules would take some seconds."""
        names = self.files().keys() - {"/"}
        self.assertEqual({"/assets/d3.js", "/assets/main.js", "/assets/style.css"},
                         {HASHED.sub("", path) for path in names})
        self.assertEqual(1, len({HASHED.search(path)[0] for path in names}))

    def test_the_script_has_each_module_once_after_those_it_imports(self):
        script = self.text("/assets/main.js")
        self.assertNotRegex(script, r"(?m)^(import|export)\b")
        at = {}
        for path in MODULES:
            body = EXPORT.sub("", IMPORT.split(path.read_text())[-1])
            self.assertEqual(1, script.count(body), path)
            at[path] = script.index(body)
        for path in MODULES:
            for name in IMPORT.findall(path.read_text()):
                self.assertLess(at[(path.parent / name).resolve()], at[path], f"{path}: {name}")

    def test_the_styles_are_one_file_in_the_order_of_their_links(self):
        links = re.findall(r'href="/assets/([^"]+\.css)"', (WEB / "index.html").read_text())
        self.assertEqual(STYLES, sorted(WEB / link for link in links))
        self.assertEqual("".join((WEB / link).read_text() for link in links),
                         self.text("/assets/style.css"))

    def test_a_module_imports_only_from_its_own_folder_and_those_it_may_use(self):
        allowed = {"charts": {".", "charts"}, "views": {".", "charts", "views"},
                   ".": {"."}, "main.js": {".", "views"}}
        for path in MODULES:
            room = path.name if path.name == "main.js" else str(path.parent.relative_to(WEB))
            for name in IMPORT.findall(path.read_text()):
                target = (path.parent / name).resolve().relative_to(WEB).parent
                self.assertIn(str(target), allowed[room], f"{path.relative_to(WEB)}: {name}")

    def test_a_name_without_the_hash_or_with_another_is_not_known(self):
        for path in ("/assets/main.js", "/assets/d3.js", "/assets/main-00000000.js"):
            self.assertProblem(self.server.get(path), 404, "not-found")

    def test_files_with_a_hash_are_cached_for_ever_and_the_start_page_is_not(self):
        for path, reply in self.files().items():
            self.assertEqual("no-cache" if path == "/" else FOR_EVER,
                             reply.headers["cache-control"])
            self.assertEqual(path == "/", "etag" in reply.headers)

    def test_compressed_answers_are_equal_smaller_and_only_on_request(self):
        total = 0
        for path, plain in self.files().items():
            packed = self.server.get(path, Accept_Encoding="br, gzip;q=0.8")
            self.assertEqual("gzip", packed.headers["content-encoding"])
            self.assertEqual(plain.body, gzip.decompress(packed.body))
            self.assertNotIn("content-encoding", plain.headers)
            for reply in (plain, packed):
                self.assertEqual("Accept-Encoding", reply.headers["vary"])
            total += len(packed.body)
        self.assertLess(total, MOST_BYTES)

    def test_a_page_known_by_its_etag_gets_304(self):
        etag = self.server.get("/").headers["etag"]
        for known in (etag, f'"x", {etag}', "*"):
            again = self.server.get("/", If_None_Match=known, Accept_Encoding="gzip")
            self.assertEqual((304, b"", etag), (again.status, again.body, again.headers["etag"]))
            self.assertNotIn("content-encoding", again.headers)
            self.assertIn("default-src 'none'", again.headers["content-security-policy"])
        self.assertEqual(200, self.server.get("/", If_None_Match='W/"0"').status)

    def test_head_says_what_get_would_send(self):
        for coding in ("identity", "gzip"):
            get = self.server.get("/", Accept_Encoding=coding)
            head = self.server.request("HEAD", "/", headers={"Accept-Encoding": coding})
            self.assertEqual((200, b""), (head.status, head.body))
            self.assertEqual(str(len(get.body)), head.headers["content-length"])

    def test_the_headers_isolate_the_page_in_the_browser(self):
        for reply in self.files().values():
            policy = dict(part.split(" ", 1) for part in
                          reply.headers["content-security-policy"].split("; "))
            self.assertEqual({"'none'", "'self'", "'self' data:"}, set(policy.values()))
            self.assertEqual("'none'", policy["default-src"])
            self.assertEqual("'none'", policy["frame-ancestors"])
            self.assertEqual("no-referrer", reply.headers["referrer-policy"])
            self.assertEqual("same-origin", reply.headers["cross-origin-opener-policy"])
            self.assertIn("camera=()", reply.headers["permissions-policy"])
            self.assertEqual("nosniff", reply.headers["x-content-type-options"])

    def test_nothing_in_it_needs_more_than_the_policy_allows(self):
        for path, reply in self.files().items():
            text = reply.body.decode()
            if path.startswith("/assets/d3-"):
                continue
            self.assertNotRegex(text, r"innerHTML|outerHTML|insertAdjacentHTML|document\.write")
            self.assertNotRegex(text, r"""style=["']|\('style'|\beval\(""", path)
            self.assertNotRegex(text, r"(?<!xmlns=.)https?://(?!www\.w3\.org/2000/svg)", path)

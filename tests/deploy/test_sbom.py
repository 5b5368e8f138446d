"""What cmake --install puts where, and the bill of materials among it: against the parts of SPDX
2.3 that are required, against ldd and dpkg, and against itself when it is made again."""
import hashlib
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema

BUILD = Path(os.environ["PENNYWORTH_TEST_SERVER"]).resolve().parent
ROOT = Path(__file__).resolve().parents[2]
DATE = "1790000000"  # 2026-09-21T14:13:20Z
PROGRAMS = ("pennyworth", "pennyworth-worker")

# From https://spdx.github.io/spdx-spec/v2.3/: what must be there, and of the rest what we write.
ID = {"type": "string", "pattern": r"^SPDXRef-[A-Za-z0-9.-]+$"}
LICENCE = {"enum": ["NOASSERTION", "NONE", "Apache-2.0", "MIT", "ISC", "Zlib", "curl",
                    "BSD-2-Clause", "BSD-3-Clause"]}
TEXT = {"type": "string", "minLength": 1}
HEX = {"SHA1": 40, "SHA256": 64}
CHECKSUM = {"oneOf": [{"type": "object", "additionalProperties": False,
                       "required": ["algorithm", "checksumValue"],
                       "properties": {"algorithm": {"const": name},
                                      "checksumValue": {"type": "string",
                                                        "pattern": f"^[0-9a-f]{{{length}}}$"}}}
                      for name, length in HEX.items()]}


def closed(required, **optional):
    return {"type": "object", "additionalProperties": False, "required": list(required),
            "properties": {**required, **optional}}


def many(items, least=1):
    return {"type": "array", "minItems": least, "items": items}


REFERENCE = closed({
    "referenceCategory": {"const": "PACKAGE-MANAGER"}, "referenceType": {"const": "purl"},
    "referenceLocator": {"type": "string", "pattern": r"^pkg:(deb/debian|npm)/[a-z0-9.%+A-Z-]+"
                                                      r"(@[A-Za-z0-9.~%_-]+(\?arch=[a-z0-9]+)?)?$"}})
PACKAGE = closed(
    {"SPDXID": ID, "name": TEXT, "downloadLocation": {"const": "NOASSERTION"},
     "licenseConcluded": LICENCE, "licenseDeclared": LICENCE, "copyrightText": TEXT,
     "filesAnalyzed": {"type": "boolean"},
     "primaryPackagePurpose": {"enum": ["APPLICATION", "LIBRARY"]}},
    versionInfo=TEXT, sourceInfo=TEXT, externalRefs=many(REFERENCE), checksums=many(CHECKSUM),
    hasFiles=many(ID), licenseInfoFromFiles=many(LICENCE),
    packageVerificationCode=closed({"packageVerificationCodeValue":
                                    {"type": "string", "pattern": "^[0-9a-f]{40}$"}}))
# Who analysed files says which, and who did not must not.
PACKAGE["if"] = {"properties": {"filesAnalyzed": {"const": True}}}
PACKAGE["then"] = {"required": ["packageVerificationCode", "hasFiles", "licenseInfoFromFiles"]}
PACKAGE["else"] = {"not": {"anyOf": [{"required": ["packageVerificationCode"]},
                                     {"required": ["hasFiles"]},
                                     {"required": ["licenseInfoFromFiles"]}]}}
FILE = closed({"SPDXID": ID, "fileName": {"type": "string", "pattern": r"^\./"},
               "checksums": {**many(CHECKSUM), "contains": {
                   "properties": {"algorithm": {"const": "SHA1"}}}},
               "fileTypes": many({"const": "BINARY"}), "licenseConcluded": LICENCE,
               "licenseInfoInFiles": many(LICENCE), "copyrightText": TEXT})
RELATIONSHIP = closed({"spdxElementId": ID, "relatedSpdxElement": ID, "relationshipType": {
    "enum": ["DESCRIBES", "CONTAINS", "DYNAMIC_LINK", "RUNTIME_DEPENDENCY_OF",
             "OPTIONAL_DEPENDENCY_OF"]}})
DOCUMENT = closed({
    "spdxVersion": {"const": "SPDX-2.3"}, "dataLicense": {"const": "CC0-1.0"},
    "SPDXID": {"const": "SPDXRef-DOCUMENT"}, "name": TEXT,
    "documentNamespace": {"type": "string", "pattern": r"^https://[^#\s]+-[0-9a-f]{64}$"},
    "creationInfo": closed({
        "created": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "creators": many({"type": "string", "pattern": "^(Tool|Person|Organization): "})}),
    "packages": many(PACKAGE), "files": many(FILE), "relationships": many(RELATIONSHIP)})


def install(top):
    """The bytes of the SBOM of an installation under `top`."""
    subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr", "--strip"], check=True, capture_output=True,
                   env={**os.environ, "DESTDIR": str(top), "SOURCE_DATE_EPOCH": DATE})
    return (Path(top) / "usr/share/doc/pennyworth/sbom.spdx.json").read_bytes()


def sbom(*words, **environment):
    return subprocess.run([ROOT / "cmake/sbom.sh", *words], capture_output=True, text=True,
                          env={**os.environ, **environment})


def libraries(program):
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return {word for word in said.split() if word.startswith("/")}


def spellings(library):
    """How dpkg may know it: where /lib is a link to /usr/lib, either way."""
    real = os.path.realpath(library)
    return library, real, real.removeprefix("/usr")


def owners_of(found):
    """The packages of these libraries and their versions; None for a library of no package."""
    paths = [path for library in found for path in spellings(library)]
    said = subprocess.run(["dpkg-query", "-S", *paths], capture_output=True, text=True).stdout
    package_of = {path: owner for owner, path in (line.split(": ", 1) for line in said.splitlines()
                                                  if not line.startswith("diversion"))}
    known = {library: next((package_of[path] for path in spellings(library) if path in package_of), None)
             for library in found}
    versions = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *filter(None, known.values())],
                              capture_output=True, text=True, check=True).stdout
    return {**dict(line.split() for line in versions.splitlines()),
            **{os.path.basename(library): None for library, owner in known.items() if not owner}}


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.top = Path(folder.name)
        cls.bytes = install(cls.top)
        cls.listed = json.loads(cls.bytes)
        cls.by_id = {each["SPDXID"]: each
                     for each in cls.listed["packages"] + cls.listed["files"]}

    def related(self, kind, element=None):
        return {each["relatedSpdxElement"] for each in self.listed["relationships"]
                if each["relationshipType"] == kind and element in (None, each["spdxElementId"])}

    def ours(self):
        (described,) = self.related("DESCRIBES", "SPDXRef-DOCUMENT")
        return self.by_id[described]

    def test_programs_documents_and_licences_are_where_debian_looks_for_them(self):
        for path in ("bin/pennyworth", "bin/pennyworth-worker", "share/doc/pennyworth/README.md",
                     "share/doc/pennyworth/LICENSE", "share/doc/pennyworth/sbom.spdx.json"):
            self.assertTrue((self.top / "usr" / path).is_file(), path)
        for page in ROOT.glob("docs/man/*.1"):
            self.assertTrue((self.top / "usr/share/man/man1" / page.name).is_file(), page)
        for unit in ROOT.glob("deploy/systemd/*.service"):
            self.assertTrue((self.top / "usr/lib/systemd/system" / unit.name).is_file(), unit)

    def test_the_installed_programs_find_each_other(self):
        said = subprocess.run([self.top / "usr/bin/pennyworth", "--version"],
                              capture_output=True, text=True, check=True).stdout
        self.assertEqual(f"pennyworth {self.ours()['versionInfo']}\n", said)

    def test_it_is_a_document_of_spdx(self):
        jsonschema.Draft7Validator(DOCUMENT).validate(self.listed)
        self.assertEqual("2026-09-21T14:13:20Z", self.listed["creationInfo"]["created"])
        names = [each["SPDXID"] for each in self.listed["packages"] + self.listed["files"]]
        self.assertEqual(len(names), len(set(names)))
        for each in self.listed["relationships"]:
            for end in (each["spdxElementId"], each["relatedSpdxElement"]):
                self.assertIn(end, {"SPDXRef-DOCUMENT", *names})

    def test_our_package_has_our_version_commit_and_files(self):
        ours = self.ours()
        project = re.search(r"project\(pennyworth VERSION (\S+)", (ROOT / "CMakeLists.txt")
                            .read_text())[1]
        self.assertEqual(("pennyworth", project, "Apache-2.0"),
                         (ours["name"], ours["versionInfo"], ours["licenseDeclared"]))
        self.assertRegex(ours["sourceInfo"], r"^built from commit \S+$")
        self.assertEqual({f"SPDXRef-File-{name}" for name in PROGRAMS}, set(ours["hasFiles"]))
        sums = []
        for name in PROGRAMS:
            data = (self.top / "usr/bin" / name).read_bytes()
            entry = self.by_id[f"SPDXRef-File-{name}"]
            self.assertEqual(f"./usr/bin/{name}", entry["fileName"])
            self.assertEqual({"SHA1": hashlib.sha1(data).hexdigest(),
                              "SHA256": hashlib.sha256(data).hexdigest()},
                             {each["algorithm"]: each["checksumValue"]
                              for each in entry["checksums"]})
            sums.append(hashlib.sha1(data).hexdigest())
        code = hashlib.sha1("".join(sorted(sums)).encode()).hexdigest()
        self.assertEqual(code, ours["packageVerificationCode"]["packageVerificationCodeValue"])

    def test_every_library_that_ldd_finds_is_linked_by_its_package(self):
        for name in PROGRAMS:
            linked = {self.by_id[each]["name"]: self.by_id[each].get("versionInfo")
                      for each in self.related("DYNAMIC_LINK", f"SPDXRef-File-{name}")}
            owners = owners_of(libraries(self.top / "usr/bin" / name))
            self.assertGreater(len(owners), 4)
            self.assertEqual(owners, linked, name)

    def test_d3_is_in_it_with_its_licence(self):
        (entry,) = [each for each in self.listed["packages"] if each["name"] == "d3"]
        self.assertIn(entry["SPDXID"], self.related("CONTAINS", self.ours()["SPDXID"]))
        self.assertRegex(entry["versionInfo"], r"^\d+\.\d+\.\d+$")

    def test_it_does_not_say_where_it_was_made(self):
        self.assertNotIn(self.top.name.encode(), self.bytes)


class TheScript(unittest.TestCase):
    SERVER = os.environ["PENNYWORTH_TEST_SERVER"]

    def test_packages_are_listed_with_their_versions(self):
        said = sbom("--packages", self.SERVER)
        self.assertEqual(0, said.returncode, said.stderr)
        versions = dict(line.split("=", 1) for line in said.stdout.splitlines())
        self.assertIn("libc6", versions)
        self.assertTrue(all(versions.values()))

    def test_missing_and_wrong_members_are_reported(self):
        for words, why in (((), "which binaries"), (("--version", "1"), "which binaries"),
                           ((self.SERVER,), "--version is needed"),
                           (("--version", "1", "/nowhere"), "/nowhere is not there"),
                           (("--version", '1"', self.SERVER), "letters, digits"),
                           (("--versoin", "1", self.SERVER), "--versoin is not an option"),
                           (("--version", "1", "--d3", "/nowhere", self.SERVER), "/nowhere"),
                           (("--version", "1", __file__), "ldd cannot read")):
            said = sbom(*words)
            self.assertNotEqual(0, said.returncode, words)
            self.assertIn(why, said.stderr)
            self.assertEqual("", said.stdout)

    def test_a_date_that_is_none_is_refused(self):
        said = sbom("--version", "1", self.SERVER, SOURCE_DATE_EPOCH="yesterday")
        self.assertNotEqual(0, said.returncode)
        self.assertEqual("", said.stdout)

    def stray(self):
        """A program with a library that no package has, as with a oneDNN that the user has built."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        library, program = folder / "libstray.so", folder / "program"
        for words, text in ((["-shared", "-fPIC", "-o", library], "int stray(void) { return 1; }"),
                            ([library, "-o", program, f"-Wl,-rpath,{folder}"], "int main(void) { return stray(); }")):
            subprocess.run(["cc", "-xc", "-", "-xnone", *words], input="int stray(void);\n" + text + "\n",
                           text=True, check=True)
        return library, program

    def listed(self, program):
        said = sbom("--version", "1", program, SOURCE_DATE_EPOCH=DATE)
        self.assertEqual(0, said.returncode, said.stderr)
        jsonschema.Draft7Validator(DOCUMENT).validate(json.loads(said.stdout))
        return said.stdout

    def test_a_library_of_no_package_is_listed_by_its_hash(self):
        library, program = self.stray()
        (entry,) = [each for each in json.loads(self.listed(program))["packages"] if each["name"] == "libstray.so"]
        self.assertEqual(hashlib.sha256(library.read_bytes()).hexdigest(),
                         entry["checksums"][0]["checksumValue"])
        refused = sbom("--packages", program)
        self.assertNotEqual(0, refused.returncode)
        self.assertIn("no package has", refused.stderr)

    def test_the_same_program_gives_the_same_bytes_and_another_one_another_name(self):
        _, program = self.stray()
        first = self.listed(program)
        self.assertEqual(first, self.listed(program))
        program.write_bytes(program.read_bytes() + b"x")  # which it still is
        self.assertNotEqual(*(json.loads(text)["documentNamespace"] for text in (first, self.listed(program))))

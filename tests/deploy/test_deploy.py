"""What runs pennyworth elsewhere: each file is of its form, gives no right that is not needed, and
names options, variables, ports and paths that there are."""
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import jsonschema
import yaml

import environments
import kubernetes
from kubernetes import closed, many
from waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SERVER = os.environ["PENNYWORTH_TEST_SERVER"]
DEPLOY = ROOT / "deploy"
MODELS = ROOT / "build/kubernetes/node_modules"
# What ./test installs there, where there is npm.
MODELS_INSTALL = "npm install --prefix build/kubernetes --no-save --no-fund --no-audit kubernetes-models@4.5.1"
TEXT = {"type": "string", "minLength": 1}
VARIABLE = re.compile(r"\bPENNYWORTH_[A-Z_]+\b")


def texts():
    """All files that say how to run pennyworth: (path, text)."""
    for path in [ROOT / "Dockerfile", ROOT / "docker-compose.yml", *sorted(DEPLOY.rglob("*"))]:
        if path.is_file():
            yield path.relative_to(ROOT), path.read_text()


def documents(path):
    return list(yaml.safe_load_all(Path(path).read_text()))


def helped(command):
    return subprocess.run([SERVER, command, "--help"], capture_output=True, text=True,
                          check=True).stdout


def variables_of(command):
    return set(VARIABLE.findall(helped(command)))


def validate(schema, document):
    jsonschema.Draft7Validator(schema).validate(document)


def checked(command, environment):
    """What the program says to these variables before it does anything: None where they are fine.
    A proof that a value is one, not only a name."""
    with tempfile.TemporaryDirectory() as home:
        # The last option is refused, so that nothing is begun.
        said = subprocess.run([SERVER, command, "--no-such-option"], capture_output=True,
                              text=True, env={"HOME": home, **environment})
    return None if "--no-such-option" in said.stderr else said.stderr


class Everywhere(unittest.TestCase):
    def test_every_variable_is_one_of_an_option(self):
        known = variables_of("serve") | variables_of("bench")
        self.assertIn("PENNYWORTH_REPORT_TO", known)
        for path, text in texts():
            self.assertEqual(set(), set(VARIABLE.findall(text)) - known, path)

    def test_every_command_is_one(self):
        for path, text in texts():
            for word in re.findall(r"/usr/bin/pennyworth\"?,? \"?([a-z]+)\b", text):
                self.assertIn(f"pennyworth {word}", helped(word), path)

    def test_no_image_is_taken_as_it_happens_to_be(self):
        for path, text in texts():
            self.assertNotIn(":latest", text, path)

    def test_no_secret_is_given_that_would_be_taken(self):
        for path, text in texts():
            for value in re.findall(r"(?:token|TOKEN)\S*[:=] *\"?([^\s\"]{16,})", text):
                self.assertRegex(value, r"^[/$]|^PENNYWORTH_|^pennyworth", f"{path}: {value}")


class Kubernetes(unittest.TestCase):
    FILES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))

    def objects(self):
        for path in self.FILES:
            # As deploy/README.md fills in the template.
            text = path.read_text().replace("INSTANCE-NAME", "c7i-2xlarge")
            for each in yaml.safe_load_all(text.replace("INSTANCE-TYPE", "c7i.2xlarge")):
                yield path.name, each

    def one(self, kind):
        (found,) = [each for _, each in self.objects() if each["kind"] == kind]
        return found

    def pods(self):
        return [self.one(kind)["spec"]["template"]["spec"] for kind in ("Deployment", "Job")]

    def test_objects_have_no_field_that_we_do_not_know(self):
        kinds = set()
        for name, each in self.objects():
            with self.subTest(f"{name}: {each['kind']}"):
                validate(kubernetes.KINDS[each["kind"]], each)
            kinds.add(each["kind"])
        self.assertEqual(set(kubernetes.KINDS), kinds)

    def test_objects_are_of_the_types_that_kubernetes_publishes(self):
        node = shutil.which("node")
        if not node or not (MODELS / "kubernetes-models").is_dir():
            self.skipTest(f"not there: node, or what {MODELS_INSTALL} brings")
        objects = [each for _, each in self.objects() if each["kind"] != "ServiceMonitor"]
        script = Path(__file__).with_name("kubernetes.js")

        def wrong(objects):
            return subprocess.run([node, script, MODELS], input=json.dumps(objects), text=True,
                                  capture_output=True, check=True).stdout

        self.assertEqual("", wrong(objects))
        broken = json.loads(json.dumps(objects))
        for each in broken:
            each["metadata"]["labels"] = "none"
        self.assertEqual(len(broken), len(wrong(broken).splitlines()))

    def commands(self):
        """What deploy/README.md says to type before anything is applied: a shell script."""
        text = (DEPLOY / "README.md").read_text()
        (found,) = re.findall(r"^```\n((?:(?!```).)*^kubectl create secret.*?)^```", text,
                              re.M | re.S)
        return found

    def secrets(self):
        """{name: keys} of the Secrets that those commands make; no file here holds one."""
        return {name: set(re.findall(r"--from-file=(\S+)", rest)) for name, rest in re.findall(
            r"^kubectl create secret generic (\S+)((?:\\\n|.)*)", self.commands(), re.M)}

    def test_what_is_named_is_there(self):
        secrets, claim = self.secrets(), self.one("PersistentVolumeClaim")
        for pod in self.pods():
            volumes = {each["name"]: each for each in pod["volumes"]}
            (container,) = pod["containers"]
            mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
            self.assertEqual(set(volumes), set(mounts))
            self.assertLessEqual({"/data", "/tmp"}, set(mounts.values()))
            files = set()
            for each in volumes.values():
                if "secret" in each:
                    files |= {f"{mounts[each['name']]}/{key}" for key in
                              secrets[each["secret"]["secretName"]]}
                if "persistentVolumeClaim" in each:
                    self.assertEqual(claim["metadata"]["name"],
                                     each["persistentVolumeClaim"]["claimName"])
            self.assertEqual(files, {each["value"] for each in container["env"]
                                     if each["value"].startswith("/run/")})

    def test_a_candidate_has_a_secret_of_its_own_and_none_of_the_hub(self):
        hub, candidate = ({each["secret"]["secretName"] for each in pod["volumes"]
                           if "secret" in each} for pod in self.pods())
        self.assertEqual(set(), hub & candidate)
        self.assertEqual(set(self.secrets()), hub | candidate)
        (name,) = candidate
        self.assertEqual({"report-token"}, self.secrets()[name])
        job = self.one("Job")
        for secret in hub:
            self.assertNotIn(secret, json.dumps(job))

    def test_the_commands_make_a_token_that_can_import_and_nothing_else(self):
        if not shutil.which("openssl"):
            self.skipTest("there is no openssl")
        with tempfile.TemporaryDirectory() as folder:
            programs = Path(folder, "bin")
            programs.mkdir()
            Path(programs, "pennyworth").symlink_to(Path(SERVER).resolve())
            stub = Path(programs, "kubectl")
            stub.write_text('#!/bin/sh\nfor file; do case $file in --from-file=*)'
                            ' test -s "${file#*=}" || exit 1;; esac; done\n')
            stub.chmod(stat.S_IRWXU)
            subprocess.run(["sh", "-euc", self.commands()], cwd=folder, check=True,
                           capture_output=True,
                           env={"PATH": f"{programs}:{os.environ['PATH']}"})
            made = {path.name: path for path in Path(folder).iterdir() if path.is_file()}
            self.assertEqual(set().union(*self.secrets().values()), set(made))
            self.assertEqual({0o600}, {stat.S_IMODE(path.stat().st_mode)
                                       for path in made.values()})
            content = {name: path.read_text().strip() for name, path in made.items()}
            digest = hashlib.sha256(content["report-token"].encode()).hexdigest()
            self.assertRegex(content["tokens"], f"^[a-z]+ import sha256:{digest} keys=many$")
            said = subprocess.run(
                [SERVER, "--port", "0", "--database", "/dev/null/x.db",
                 *(f"--{name}-file={made[name]}" for name in ("read-token", "write-token")),
                 f"--tokens={made['tokens']}"], capture_output=True, text=True, timeout=PATIENCE)
            self.assertIn("/dev/null", said.stderr)  # so the tokens were taken

    def test_services_and_monitors_find_the_hub(self):
        labels = self.one("Deployment")["spec"]["template"]["metadata"]["labels"]
        service, monitor = self.one("Service"), self.one("ServiceMonitor")["spec"]
        self.assertEqual(labels, {**labels, **service["spec"]["selector"]})
        self.assertEqual(labels, {**labels, **self.one("Deployment")["spec"]["selector"]
                                  ["matchLabels"]})
        there = service["metadata"]["labels"]
        self.assertEqual(there, {**there, **monitor["selector"]["matchLabels"]})
        ports = {each["name"]: each["port"] for each in service["spec"]["ports"]}
        (endpoint,) = monitor["endpoints"]
        self.assertIn(endpoint["port"], ports)
        credentials = endpoint["authorization"]["credentials"]
        self.assertIn(credentials["key"], self.secrets()[credentials["name"]])
        variables = {each["name"]: each["value"] for each in self.pods()[1]["containers"][0]["env"]}
        self.assertEqual(f"http://{service['metadata']['name']}:{ports['http']}",
                         variables["PENNYWORTH_REPORT_TO"])

    def test_a_candidate_has_its_cores_to_itself_and_time_enough(self):
        job = self.one("Job")["spec"]
        (container,) = job["template"]["spec"]["containers"]
        self.assertEqual(container["resources"]["requests"], container["resources"]["limits"])
        self.assertRegex(container["resources"]["limits"]["cpu"], r"^\d+$")
        variables = {each["name"]: each["value"] for each in container["env"]}
        self.assertGreater(job["activeDeadlineSeconds"], int(variables["PENNYWORTH_MAX_SECONDS"]) +
                           int(variables["PENNYWORTH_REPORT_SECONDS"]))

    def test_the_values_are_such_as_the_program_takes(self):
        for pod, command in zip(self.pods(), ("serve", "bench")):
            (container,) = pod["containers"]
            self.assertEqual([command], container["args"])
            variables = {each["name"]: each["value"] for each in container["env"]}
            self.assertLessEqual(set(variables), variables_of(command))
            self.assertIsNone(checked(command, variables))
        self.assertIn("PENNYWORTH_MAX_SECONDS",
                      checked("bench", {"PENNYWORTH_MAX_SECONDS": "soon"}))


class CloudInit(unittest.TestCase):
    PATH = DEPLOY / "cloud-init/user-data.yaml"
    FILE = closed({"path": {"type": "string", "pattern": "^/"}, "content": TEXT,
                   "permissions": {"enum": ["0600", "0644", "0755"]}})
    SCHEMA = closed({
        "package_update": {"const": True}, "packages": many(TEXT), "write_files": many(FILE),
        "runcmd": many(many(TEXT)),
        "power_state": closed({"mode": {"const": "poweroff"}, "delay": {"const": "now"},
                               "message": TEXT, "timeout": {"type": "integer"},
                               "condition": TEXT})})

    def setUp(self):
        self.data = yaml.safe_load(self.PATH.read_text())
        self.files = {each["path"]: each for each in self.data["write_files"]}

    def test_it_is_of_the_form_of_cloud_init(self):
        self.assertTrue(self.PATH.read_text().startswith("#cloud-config\n"))
        validate(self.SCHEMA, self.data)

    def test_cloud_init_itself_takes_it(self):
        if not shutil.which("cloud-init"):
            self.skipTest("there is no cloud-init")
        said = subprocess.run(["cloud-init", "schema", "--config-file", self.PATH],
                              capture_output=True, text=True)
        self.assertEqual(0, said.returncode, said.stdout + said.stderr)

    def test_only_root_can_read_secrets(self):
        for path in ("/etc/pennyworth/report-token", "/etc/pennyworth/bench.env"):
            self.assertEqual("0600", self.files[path]["permissions"])

    def test_its_variables_are_such_as_the_bench_takes(self):
        lines = self.files["/etc/pennyworth/bench.env"]["content"].splitlines()
        variables = dict(line.split("=", 1) for line in lines)
        self.assertLessEqual(set(variables), variables_of("bench"))
        self.assertIsNone(checked("bench", variables))

    def test_its_script_runs_the_image_with_no_rights(self):
        script = self.files["/usr/local/sbin/pennyworth-bench"]["content"]
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "bench")
            program.write_text(script.replace("/etc/pennyworth/report-token",
                                              f"{folder}/report-token", 1))
            Path(folder, "report-token").write_text("x")
            for name in ("podman", "chown"):  # tell what they were asked
                stub = Path(folder, name)
                stub.write_text(f'#!/bin/sh\necho {name} "$@"\n')
                stub.chmod(stat.S_IRWXU)
            said = subprocess.run(["sh", program], capture_output=True, text=True, check=True,
                                  env={"PATH": f"{folder}:{os.environ['PATH']}"}).stdout
        owned, ran = said.splitlines()
        self.assertRegex(owned, r"^chown 10001:10001 ")
        self.assertRegex(ran, r"^podman run .* registry\.example/pennyworth:[\d.]+ bench$")
        for right in ("--read-only", "--cap-drop ALL", "--security-opt no-new-privileges",
                      "--volume pennyworth:/data"):
            self.assertIn(right, ran)
        variables = self.files["/etc/pennyworth/bench.env"]["content"]
        where = re.search("PENNYWORTH_REPORT_TOKEN_FILE=(.*)", variables)[1]
        self.assertIn(f"/etc/pennyworth/report-token:{where}:ro", ran)

    def test_the_machine_goes_off_in_the_end_and_waits_longer_than_the_bench(self):
        self.assertIn(self.data["power_state"]["condition"].split()[-1], self.files)
        (command,) = self.data["runcmd"]
        variables = dict(line.split("=", 1) for line in
                    self.files["/etc/pennyworth/bench.env"]["content"].splitlines())
        self.assertEqual("timeout", command[0])
        self.assertGreater(int(command[2]), int(variables["PENNYWORTH_MAX_SECONDS"]) +
                           int(variables["PENNYWORTH_REPORT_SECONDS"]))
        self.assertIn(command[3], self.files)


class Compose(unittest.TestCase):
    SERVICE = closed({
        "build": {"const": "."}, "image": {"type": "string", "pattern": r":\d+\.\d+\.\d+$"},
        "env_file": TEXT, "ports": many({"type": "string", "pattern": r"^127\.0\.0\.1:"}),
        "volumes": many(TEXT), "read_only": {"const": True}, "tmpfs": {"const": ["/tmp"]},
        "cap_drop": {"const": ["ALL"]}, "restart": {"const": "unless-stopped"},
        "security_opt": {"const": ["no-new-privileges:true"]}, "stop_grace_period": TEXT,
        "healthcheck": closed({"test": many(TEXT), "interval": TEXT, "timeout": TEXT,
                               "start_period": TEXT})})
    # Compose 1.29, which is Debian 12's, knows no name at the top, and Compose 2 wants no version.
    SCHEMA = closed({"services": closed({"pennyworth": SERVICE}),
                     "volumes": closed({"data": closed({"name": TEXT})})})

    def test_it_serves_this_machine_alone_and_with_no_rights(self):
        (data,) = documents(ROOT / "docker-compose.yml")
        validate(self.SCHEMA, data)
        service = data["services"]["pennyworth"]
        self.assertEqual(["data:/data"], service["volumes"])
        self.assertEqual("CMD", service["healthcheck"]["test"][0])

    def test_each_compose_that_is_installed_reads_every_setting_of_it(self):
        programs = [words for words in (["docker", "compose"], ["docker-compose"])
                    if shutil.which(words[0]) and subprocess.run(
                        [*words, "version"], capture_output=True).returncode == 0]
        if not programs:
            self.skipTest("there is neither docker compose nor docker-compose")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(ROOT / "docker-compose.yml", folder)
            Path(folder, "pennyworth.env").write_text("PENNYWORTH_WRITE_TOKEN=of-a-test\n")
            for words in programs:
                # Reads the file and asks no engine.
                said = subprocess.run([*words, "config"], cwd=folder, capture_output=True, text=True)
                self.assertEqual(0, said.returncode, f"{words}: {said.stderr}")
                for setting in ("read_only: true", "pennyworth:0.1.0", "no-new-privileges:true",
                                "name: pennyworth_data", "PENNYWORTH_WRITE_TOKEN: of-a-test"):
                    self.assertIn(setting, said.stdout, words)

    def test_the_token_never_gets_into_git_or_the_image(self):
        (data,) = documents(ROOT / "docker-compose.yml")
        name = data["services"]["pennyworth"]["env_file"]
        self.assertIn(f"/{name}", (ROOT / ".gitignore").read_text().split())
        self.assertIn(name, (ROOT / ".dockerignore").read_text().split())

    def test_the_command_that_makes_the_token_makes_one_that_is_taken(self):
        text = (ROOT / "docker-compose.yml").read_text()
        command = re.search(r"^#   (\(umask .*)$", text, re.M)[1]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["sh", "-c", command], check=True, cwd=folder)
            (line,) = Path(folder, "pennyworth.env").read_text().splitlines()
        self.assertRegex(line, r"^PENNYWORTH_WRITE_TOKEN=[0-9a-f]{48}$")


class DockerfileCase(unittest.TestCase):
    PATH = None

    def setUp(self):
        """[instruction, rest] of each step."""
        text = re.sub(r"^#.*\n", "", self.PATH.read_text(), flags=re.M).replace("\\\n", " ")
        self.steps = [line.split(None, 1) for line in text.splitlines() if line.strip()]

    def values(self, word, steps=None):
        return [rest for first, rest in steps or self.steps if first == word]

    def assertUser(self, steps):
        """All is installed before it ends as this user."""
        words = [step[0] for step in steps]
        last = len(words) - 1 - words[::-1].index("USER")
        self.assertEqual("10001:10001", steps[last][1])
        self.assertLess(max(i for i, word in enumerate(words) if word == "RUN"), last)
        self.assertNotIn("ADD", words)


class TheDockerfile(DockerfileCase):
    PATH = ROOT / "Dockerfile"

    def setUp(self):
        super().setUp()
        starts = [i for i, step in enumerate(self.steps) if step[0] == "FROM"]
        self.last = self.steps[starts[-1]:]

    def test_both_stages_stand_on_one_debian_that_is_named(self):
        self.assertEqual(["${BASE} AS build", "${BASE}"], self.values("FROM"))
        self.assertIn("BASE=docker.io/library/debian:trixie-slim", self.values("ARG"))

    def test_packages_are_not_listed_here(self):
        for step in self.values("RUN"):
            for words in re.findall(r"(?:apt-get install|install_packages)([^;&]*)", step):
                plain = {word for word in words.split() if not word.startswith(("-", "$"))}
                self.assertLessEqual(plain - {"/tmp/runtime-packages)"}, {"ca-certificates"})

    def test_a_failing_step_ends_the_build(self):
        for step in self.values("RUN"):
            self.assertTrue(";" not in step or step.startswith("set -eu"), step)

    def test_the_last_stage_runs_as_a_user_with_a_health_and_one_program(self):
        self.assertEqual(["10001:10001"], self.values("USER", self.last))
        self.assertEqual(['["/usr/bin/pennyworth"]'], self.values("ENTRYPOINT", self.last))
        (health,) = self.values("HEALTHCHECK", self.last)
        self.assertIn('["/usr/bin/pennyworth", "health"]', health)
        self.assertEqual(["/data"], self.values("VOLUME", self.last))
        self.assertUser(self.last)

    def test_its_version_is_the_projects(self):
        project = re.search(r"project\(pennyworth VERSION (\S+)",
                            (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertIn(f"VERSION={project}", self.values("ARG"))
        for path, text in texts():
            for tag in re.findall(r"pennyworth:(\d[\w.]*)", text):
                self.assertEqual(project, tag, path)


class ThePeersDockerfile(DockerfileCase):
    """deploy/peers/Dockerfile: pennyworth's image with other frameworks as engines."""
    PATH = DEPLOY / "peers/Dockerfile"
    PEERS = ROOT / "engine/peers"

    def test_it_stands_on_our_image_and_ends_as_its_user(self):
        self.assertEqual(["${BASE}"], self.values("FROM"))
        self.assertRegex(self.values("ARG")[0], r"^BASE=pennyworth:\d")
        self.assertUser(self.steps)

    def test_a_failing_step_ends_the_build(self):
        for step in self.values("RUN"):
            self.assertTrue(step.startswith("set -eu"), step)

    def test_every_peer_is_installed_unless_others_are_named(self):
        (peers,) = re.findall(r'^PEERS="(.*)"$', "\n".join(self.values("ARG")), re.M)
        self.assertEqual(list(environments.ENVIRONMENTS), peers.split())
        (install,) = [step for step in self.values("RUN") if "environments.py" in step]
        self.assertIn("install /opt/peers $PEERS", install)
        words = [step for step in self.steps if step[1].startswith("PEERS=") or
                 step[1] == install]
        self.assertEqual(["ARG", "RUN"], [step[0] for step in words])  # an ARG counts behind it

    def test_the_program_is_ours_with_the_engines_registered(self):
        (entry,) = self.values("ENTRYPOINT")
        python, script, action, folder, program = json.loads(entry)
        self.assertEqual(("/usr/bin/python3", "exec", "/opt/peers", "/usr/bin/pennyworth"),
                         (python, action, folder, program))
        files, *folders = [copied.split() for copied in self.values("COPY")]
        pattern, target = files
        self.assertEqual(script, target + "environments.py")
        there = {path.name for path in self.PEERS.glob(pattern)}
        for name in environments.ENVIRONMENTS:
            self.assertIn(environments.ENVIRONMENTS[name].words[0], there)
        packages = {path.parent.name for path in self.PEERS.glob("*/*.py")}
        self.assertEqual({(name, target + name) for name in packages}, set(map(tuple, folders)))

    @staticmethod
    def begun(variables, folder):
        """What a server with these variables says, whose database is a folder."""
        return subprocess.run([SERVER, "--port", "0", "--database", folder],
                              capture_output=True, text=True, timeout=PATIENCE, check=False,
                              env={"HOME": "/nonexistent", **variables}).stderr

    def test_the_server_takes_what_the_program_is_started_with(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        for name, each in environments.ENVIRONMENTS.items():
            environments.marker(Path(folder), name).parent.mkdir()
            environments.marker(Path(folder), name).write_text("\n".join(each.packages))
            Path(folder, name, "bin").mkdir()
            Path(folder, name, "bin/python").symlink_to(sys.executable)
        shown = subprocess.run(
            [sys.executable, self.PEERS / "environments.py", "exec", folder, "/usr/bin/env"],
            capture_output=True, text=True, check=True).stdout
        (engines,) = re.findall("^PENNYWORTH_ENGINE=(.*)$", shown, re.M)
        for name in environments.ENVIRONMENTS:
            self.assertIn(f"{name}={folder}/{name}/bin/python", engines)
        (silence,) = re.findall(r"PENNYWORTH_SILENCE_SECONDS=(\S+)", " ".join(self.values("ENV")))
        variables = {"PENNYWORTH_ENGINE": engines, "PENNYWORTH_SILENCE_SECONDS": silence}
        self.assertIn(folder, self.begun(variables, folder))  # so the engines were taken
        self.assertIn("--engine", self.begun({"PENNYWORTH_ENGINE": "jax"}, folder))

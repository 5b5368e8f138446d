"""The image under a docker engine, through its command line: plain flags that engines have had for
many years, with the classic builder or BuildKit. chroot.py is the same for machines without one.

All that is made here has a name that begins with PREFIX, and the containers and networks a label;
forget() removes them and touches nothing else. No registry is asked: nothing is ever pulled."""
import contextlib
import gzip
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import userland
from server import Server
from tree import clean_tree, commit, unpack
from userland import BASE, FOLDER, QUIET, ROOT, Unable, say
from waiting import PATIENCE

# One for each source tree, so that two of them can be tested on one engine.
PREFIX = "pennyworth-test-" + hashlib.sha256(str(ROOT).encode()).hexdigest()[:8]
LABEL = f"pennyworth-test={PREFIX}"
IMAGE = PREFIX
RIGHTS = ("--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL",
          "--security-opt", "no-new-privileges")
numbers = itertools.count(1)


def docker(*words, check=True, **options):
    """What docker prints; without `check` the ended process."""
    done = subprocess.run(["docker", *map(str, words)],
                          **{**QUIET, "capture_output": True, **options})
    if check and done.returncode != 0:
        raise AssertionError(f"docker {words}: {done.returncode}\n"
                             f"{(done.stdout or '')[-4000:]}{(done.stderr or '')[-4000:]}")
    return (done.stdout or "").strip() if check else done


def version():
    """The engine's; None where there is none that answers."""
    if not shutil.which("docker"):
        return None
    try:
        done = docker("version", "--format", "{{.Server.Version}}", check=False, timeout=20)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def name_of(what):
    return f"{PREFIX}-{os.getpid()}-{what}-{next(numbers)}"


def has_image(name):
    return docker("image", "inspect", name, check=False).returncode == 0


def inspect(name=IMAGE):
    return json.loads(docker("inspect", name))[0]


def variables(values):
    return [word for name, value in values.items() for word in ("-e", f"{name}={value}")]


class Volume:
    """A named volume that nothing has been written to."""

    def __init__(self):
        self.name = name_of("volume")
        docker("volume", "create", "--label", LABEL, self.name)

    def put(self, file, name, user):
        """Copies a file of this machine into it, with its folder, as `user` would have."""
        script = (f"mkdir -p -m 700 /data/{Path(name).parent} && cat >/data/{name} &&"
                  f" chown -R {user}:{user} /data/{Path(name).parts[0]}")
        with open(file, "rb") as content:
            docker("run", "--rm", "-i", "--label", LABEL, "--user", "0", "--network", "none",
                   "-v", f"{self.name}:/data", "--entrypoint", "/bin/sh", IMAGE, "-c", script,
                   stdin=content)

    def fetch(self, folder):
        """Copies what it holds into a folder of this machine."""
        holder = docker("create", "--label", LABEL, "-v", f"{self.name}:/data", IMAGE)
        docker("cp", f"{holder}:/data/.", folder)
        docker("rm", holder)

    def remove(self):
        docker("volume", "rm", "-f", self.name, check=False)


class Container:
    """A container of the image that goes on by itself, with whatever flags `docker run` has."""

    def __init__(self, *flags, words=(), environment=None):
        self.name = name_of("container")
        docker("run", "-d", "--name", self.name, "--label", LABEL, *RIGHTS,
               *variables(environment or {}),
               *flags, IMAGE, *words)

    def state(self):
        return inspect(self.name)["State"]

    def log(self):
        done = docker("logs", self.name, check=False)
        return done.stdout + done.stderr

    def inside(self, *words):
        """Runs a second program in it, with the same variables and limits."""
        return docker("exec", self.name, *words, check=False, timeout=PATIENCE)

    def wait(self, seconds):
        """The exit status."""
        return int(docker("wait", self.name, timeout=seconds))

    def remove(self):
        docker("rm", "-f", "-v", self.name, check=False)


class Network:
    """A network that leads nowhere but to the containers on it, each under a name."""

    def __init__(self):
        self.name = name_of("network")
        docker("network", "create", "--internal", "--label", LABEL, self.name)

    def connect(self, container, alias):
        docker("network", "connect", "--alias", alias, self.name, container.name)

    def disconnect(self, container):
        docker("network", "disconnect", self.name, container.name)

    def remove(self):
        docker("network", "rm", self.name, check=False)


class DockerServer(Server):
    """A server in a container, on a port that the engine chose."""

    def __init__(self, *flags, run=(), volume=None):
        super().__init__(*flags)
        self.run_flags, self.container = run, None
        self.volume = volume or Volume()
        self.owns = volume is None

    def begin_container(self):
        if self.container:
            self.container.remove()
        self.container = Container("-v", f"{self.volume.name}:/data", "-p", "127.0.0.1::8080",
                                   *self.run_flags, words=self.flags, environment=self.variables)

    def find_port(self):
        address = docker("port", self.container.name, "8080/tcp", check=False).stdout
        if address:
            self.port = int(address.split()[0].rpartition(":")[2])

    def ended(self):
        state = self.container.state()
        return None if state["Running"] else state["ExitCode"]

    def log(self):
        return self.container.log()

    def inside(self, *words):
        return self.container.inside(*words)

    def owner_of(self, name):
        return int(self.inside("/usr/bin/stat", "-c", "%u", f"/data/{name}").stdout)

    def is_first_process(self):
        return "pennyworth\0" in self.inside("/bin/cat", "/proc/1/cmdline").stdout

    def signal(self, number):
        """SIGTERM as `docker stop` sends it, SIGKILL as `docker kill` does."""
        if number == "TERM":
            docker("stop", "-t", "30", self.container.name)
        else:
            docker("kill", "-s", number, self.container.name)
        self.container.wait(PATIENCE)

    def clean(self):
        if self.container:
            self.container.remove()
        if self.owns:
            self.volume.remove()


class Docker:
    """What runtime.py promises, by the engine."""
    server = DockerServer
    volume = Volume

    def describe(self):
        return f"docker, engine {version()}"

    def check(self):
        if not version():
            raise Unable("no docker engine answers")
        if not has_image(BASE):
            userland.check_machine("tar")

    def make_base(self):
        """Debian's own where the engine has it; otherwise ours, by that name."""
        if has_image(BASE):
            return
        tree = userland.make()
        say("container: the base image")
        with subprocess.Popen(["tar", "-C", tree, "--numeric-owner", "-c", "."],
                              stdout=subprocess.PIPE) as packer:
            docker("import", "-c", f"LABEL {LABEL}", "-", BASE, stdin=packer.stdout)

    def has_image(self):
        return has_image(IMAGE)

    def make_image(self, *more):
        """From the Dockerfile, as README.md says; `more` are further words for the builder. Both
        stages get a name, so that forget() finds them. Log: build/container/build.log."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        log = FOLDER / "build.log"
        say("container: the image, in", log)
        with clean_tree() as tree, log.open("w") as output:
            # Asked once: a commit made meanwhile would build everything a second time.
            name = f"COMMIT={commit()}"
            for words in (("--target", "build", "-t", f"{PREFIX}-build", *more), ("-t", IMAGE)):
                done = docker("build", "--force-rm", "--build-arg", name, *words, tree,
                              check=False, capture_output=False, stdout=output,
                              stderr=subprocess.STDOUT)
                if done.returncode != 0:
                    self.remove_layers(log.read_text())
                    self.explain(log.read_text())

    def remove_layers(self, log):
        """Those that a failed build of the classic builder left, as far as nothing else has them."""
        for layer in re.findall(r"^ ---> ([0-9a-f]{12})$", log, re.M)[-1:]:
            if has_image(layer) and not inspect(layer)["RepoTags"]:
                docker("rmi", layer, check=False)

    def explain(self, log):
        if "is there a network" in log and not userland.reaches_mirror():
            raise Unable(f"{userland.mirror()} cannot be reached")
        raise AssertionError(f"the image could not be made: {log[-4000:]}")

    def config(self):
        return inspect()["Config"]

    def measure_layers(self, measure):
        """(of the base's layers, of the others) the sum of what `measure` says of each, unpacked."""
        base = len(inspect(BASE)["RootFS"]["Layers"])
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
            archive = Path(folder, "image.tar")
            docker("save", "-o", archive, IMAGE)
            with tarfile.open(archive) as packed:
                (manifest,) = json.load(packed.extractfile("manifest.json"))
                sizes = [measure(unpacked(packed.extractfile(name)))
                         for name in manifest["Layers"]]
        return sum(sizes[:base]), sum(sizes[base:])

    def bytes_beyond_base(self):
        return self.measure_layers(stream_size)[1]

    def packed_bytes(self, form):
        """(base, ours) as a registry sends them; `form` is gzip or zstd, a program."""
        def measure(layer):
            with tempfile.TemporaryFile() as plain:
                shutil.copyfileobj(layer, plain)
                plain.seek(0)
                with subprocess.Popen([form, "-c"], stdin=plain, stdout=subprocess.PIPE) as packer:
                    return stream_size(packer.stdout)
        return self.measure_layers(measure)

    @contextlib.contextmanager
    def unpacked(self):
        """(folder with the files of the image, the same of its base)"""
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
            tops = Path(folder, "image"), Path(folder, "base")
            for top, image in zip(tops, (IMAGE, BASE)):
                holder = docker("create", "--label", LABEL, image, "/none")
                with subprocess.Popen(["docker", "export", holder],
                                      stdout=subprocess.PIPE) as packer:
                    unpack(packer.stdout, top)
                docker("rm", "-v", holder)
            yield tops

    def worker(self):
        """A command that runs the image's worker on a spec from stdin."""
        return ["docker", "run", "--rm", "-i", "--label", LABEL, *RIGHTS,
                "--entrypoint", "/usr/bin/pennyworth-worker", IMAGE]

    def enter(self, *words, flags=(), **environment):
        """A program in a container of its own, with no network and a volume of its own."""
        return docker("run", "--rm", "--label", LABEL, "--network", "none", *RIGHTS,
                      *variables(environment), *flags, "--entrypoint", words[0], IMAGE, *words[1:],
                      check=False, timeout=600)

    def forget(self):
        """Everything of ours, the layers that builds share included, and the base if we made it."""
        if not version():
            return
        for kind, listed, removed in (("container", ("ps", "-aq"), ("rm", "-f", "-v")),
                                      ("network", ("network", "ls", "-q"), ("network", "rm")),
                                      ("volume", ("volume", "ls", "-q"), ("volume", "rm", "-f"))):
            found = docker(*listed, "--filter", f"label={LABEL}", check=False).stdout.split()
            if found:
                say(f"container: removing {len(found)} of kind {kind}")
                docker(*removed, *found, check=False)
        for image in (IMAGE, f"{PREFIX}-build"):
            if has_image(image):
                docker("rmi", image, check=False)
        if has_image(BASE):
            labels = inspect(BASE)["Config"]["Labels"] or {}
            if labels.get("pennyworth-test") == PREFIX:
                docker("rmi", BASE, check=False)


def unpacked(layer):
    """A layer as `docker save` writes it: newer engines pack them."""
    packed = layer.read(2) == b"\x1f\x8b"
    layer.seek(0)
    return gzip.GzipFile(fileobj=layer) if packed else layer


def stream_size(stream):
    size = 0
    while block := stream.read(1 << 20):
        size += len(block)
    return size

"""The image without an engine: made by Debian's buildah, entered by enter.sh. Limits, networks and
health checks are an engine's, so what tests them wants docker.py. Everything is kept in
build/container, and nothing in the machine's own storage of images.

    /usr/bin/python3 tests/container/chroot.py NAME [WORD...]    makes NAME, prints its layers"""
import atexit
import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import userland
from server import Server
from tree import clean_tree, commit
from userland import BASE, FOLDER, QUIET, Unable, say
from waiting import PATIENCE, free_port

USER = 10001
IMAGE = "localhost/pennyworth"
ENTER = Path(__file__).with_name("enter.sh")


def buildah(*words, check=True, capture=True, **options):
    """Runs buildah with its own storage, never the machine's."""
    command = ["buildah", "--root", FOLDER / "storage", "--runroot", FOLDER / "run",
               "--storage-driver", "vfs", *words]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} if capture else {}
    done = subprocess.run([str(word) for word in command], **{**QUIET, **output, **options})
    if check and done.returncode != 0:
        raise AssertionError(f"buildah {words}: {done.returncode}\n"
                             f"{(done.stdout or '')[-4000:]}{(done.stderr or '')[-4000:]}")
    return (done.stdout or "").strip() if check else done


@functools.cache
def mount(image):
    return Path(buildah("mount", buildah("from", "--pull-never", image)))


def inspect(name=IMAGE):
    return json.loads(buildah("inspect", "--type", "image", name))


def layers(name=IMAGE):
    """(digest, bytes unpacked) of each layer, the base's first."""
    # The storage lists the layers of containers too, which have no digest.
    sizes = {layer["diff-digest"]: layer["diff-size"]
             for file in FOLDER.glob("storage/vfs-layers/*layers.json")
             for layer in json.loads(file.read_text()) if "diff-digest" in layer}
    digests = inspect(name)["OCIv1"]["rootfs"]["diff_ids"]
    return [(digest, sizes[digest]) for digest in digests]


class Volume:
    """An empty folder that the image's user may write to."""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="pennyworth-volume-")
        os.chown(self.name, USER, USER)

    def put(self, file, name, user):
        """Copies a file into it, with its folder, as `user` would have."""
        target = Path(self.name, name)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        for path in (target, *target.parents):
            if path == Path(self.name):
                break
            os.chown(path, user, user)

    def fetch(self, folder):
        shutil.copytree(self.name, folder, dirs_exist_ok=True)

    def remove(self):
        shutil.rmtree(self.name, ignore_errors=True)


def command(top, volume, environment, *words):
    """`environment` has the image's variables and those that a user adds; `words` is the program."""
    return [str(word) for word in
            (ENTER, top, volume, *(f"{name}={value}" for name, value in environment.items()), *words)]


class ChrootServer(Server):
    """The network is the machine's, so it takes a free port of loopback."""

    def __init__(self, *flags, top=None, volume=None):
        super().__init__(*flags)
        self.top = top or mount(IMAGE)
        self.volume = volume or Volume()
        self.owns = volume is None
        self.port = free_port()
        self.variables = {**Chroot().variables(), **self.variables,
                          "PENNYWORTH_LISTEN": "127.0.0.1", "PENNYWORTH_PORT": self.port}
        self.file = tempfile.TemporaryFile()
        self.outside = None

    def begin_container(self):
        self.outside = subprocess.Popen(
            command(self.top, self.volume.name, self.variables, "/usr/bin/pennyworth",
                    *self.flags), stdin=subprocess.DEVNULL, stdout=self.file, stderr=self.file)

    def find_port(self):
        pass

    def ended(self):
        return self.outside.poll()

    def log(self):
        self.file.seek(0)
        return self.file.read().decode(errors="replace")

    def pid(self):
        """Of the program: the first process of its namespace."""
        number = self.outside.pid
        return int(Path(f"/proc/{number}/task/{number}/children").read_text().split()[0])

    def inside(self, *words):
        return subprocess.run(command(self.top, self.volume.name, self.variables, *words),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE)

    def owner_of(self, name):
        return Path(self.volume.name, name).stat().st_uid

    def is_first_process(self):
        lines = Path(f"/proc/{self.pid()}/status").read_text().splitlines()
        return any(line.startswith("NSpid:") and line.split()[2:] == ["1"] for line in lines)

    def signal(self, number):
        os.kill(self.pid(), getattr(signal, f"SIG{number}"))
        self.outside.wait(PATIENCE)

    def clean(self):
        if self.outside and self.outside.poll() is None:
            self.outside.kill()
            self.outside.wait()
        self.file.close()
        if self.owns:
            self.volume.remove()


class Chroot:
    """What runtime.py promises, without an engine."""
    server = ChrootServer
    volume = Volume

    def describe(self):
        return "buildah, and enter.sh: what only a docker engine does is left out"

    def check(self):
        userland.check_machine("buildah")

    def make_base(self):
        if buildah("images", "-q", BASE, check=False).returncode == 0:
            return
        tree = userland.make()
        say("container: the base image")
        container = buildah("from", "scratch")
        subprocess.run(["cp", "-a", f"{tree}/.", buildah("mount", container)], check=True)
        buildah("umount", container)
        buildah("commit", "--rm", "--timestamp", "0", container, BASE)

    def has_image(self):
        return buildah("images", "-q", IMAGE, check=False).returncode == 0

    def make_image(self, *more, name=IMAGE):
        """From the Dockerfile; `more` are further words for buildah. Its log is in
        build/container/build.log."""
        log = FOLDER / "build.log"
        say("container: the image, in", log)
        with clean_tree() as tree, log.open("w") as output:
            done = buildah("bud", "--isolation", "chroot", "--network", "host", "--pull-never",
                           "--format", "docker", "--timestamp", "0", "--build-arg",
                           f"COMMIT={commit()}", *more, "-t", name, tree, check=False,
                           capture=False, stdout=output, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            text = log.read_text()
            if "is there a network" in text and not userland.reaches_mirror():
                raise Unable(f"{userland.mirror()} cannot be reached")
            raise AssertionError(f"the image could not be made: {text[-4000:]}")

    def config(self):
        return inspect()["Docker"]["config"]

    def variables(self):
        return dict(entry.split("=", 1) for entry in self.config()["Env"]
                    if not entry.startswith("PATH="))

    def bytes_beyond_base(self):
        return sum(size for _, size in layers()[len(layers(BASE)):])

    def packed_bytes(self, form):
        """(base, ours) as a registry sends them; `form` is gzip or zstd."""
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
            buildah("push", "--compression-format", form, IMAGE, f"oci:{folder}:x")
            blobs = Path(folder, "blobs/sha256")
            index = json.loads(Path(folder, "index.json").read_text())
            manifest = json.loads((blobs / index["manifests"][0]["digest"][7:]).read_text())
            sizes = [layer["size"] for layer in manifest["layers"]]
            return sizes[0], sum(sizes[1:])

    def worker(self):
        """A command that runs the image's worker on a spec from stdin."""
        volume = Volume()
        atexit.register(volume.remove)
        return command(mount(IMAGE), volume.name, self.variables(), "/usr/bin/pennyworth-worker")

    @contextlib.contextmanager
    def unpacked(self):
        """(folder with the files of the image, the same of its base)"""
        yield mount(IMAGE), mount(BASE)

    def enter(self, *words, flags=(), **environment):
        """A program in the image, with the image's variables and an empty volume."""
        if flags:
            raise AssertionError(f"only an engine knows {flags}")
        volume = Volume()
        try:
            return subprocess.run(
                command(mount(IMAGE), volume.name, {**self.variables(), **environment}, *words),
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        finally:
            volume.remove()

    def forget(self):
        """All but the userland."""
        if not shutil.which("buildah"):
            return
        mount.cache_clear()
        buildah("rm", "--all", check=False)
        buildah("rmi", "--all", "--force", check=False)
        for folder in ("storage", "run"):
            shutil.rmtree(FOLDER / folder, ignore_errors=True)


if __name__ == "__main__":
    maker = Chroot()
    maker.check()
    maker.make_base()
    maker.make_image(*sys.argv[2:], name=sys.argv[1])
    for digest, size in layers(sys.argv[1]):
        print(f"{size / 1e6:8.1f} MB  {digest}")

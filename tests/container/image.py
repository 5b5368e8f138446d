"""Makes the image as anybody would, from the Dockerfile, on a machine that reaches Debian's mirror
and no registry: the base image comes from debootstrap, and everything is kept in build/container.

    /usr/bin/python3 tests/container/image.py [NAME]      makes localhost/pennyworth or NAME
"""
import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/container"
ROOTFS = FOLDER / "trixie"
BASE = "docker.io/library/debian:trixie-slim"
IMAGE = "localhost/pennyworth"
# What Debian's slim images leave out, and theirs is the base that people will have.
SLIM = """\
path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/groff/*
path-exclude /usr/share/info/*
path-exclude /usr/share/locale/*
path-include /usr/share/locale/locale.alias
path-exclude /usr/share/man/*
"""
TOOLS = ("buildah", "debootstrap")
QUIET = {"stdin": subprocess.DEVNULL, "text": True}


class Unable(Exception):
    """This machine cannot make images; says why."""


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def check_machine():
    if os.geteuid() != 0:
        raise Unable("only root can make a userland")
    for tool in TOOLS:
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin"):
            raise Unable(f"there is no {tool}")


def buildah(*words, check=True, capture=True, **options):
    """Runs buildah with a storage of ours, never the machine's."""
    command = ["buildah", "--root", FOLDER / "storage", "--runroot", FOLDER / "run",
               "--storage-driver", "vfs", *words]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} if capture else {}
    done = subprocess.run([str(word) for word in command], **{**QUIET, **output, **options})
    if check and done.returncode != 0:
        raise AssertionError(f"buildah {words}: {done.returncode}\n"
                             f"{(done.stdout or '')[-4000:]}{(done.stderr or '')[-4000:]}")
    return (done.stdout or "").strip() if check else done


@functools.cache
def mirror():
    """From where this machine gets Debian; its other releases are there too."""
    told = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(LABEL)",
                           "Created-By: Packages"], capture_output=True, **QUIET).stdout
    for line in told.splitlines():
        place, _, label = line.partition(" ")
        if label == "Debian":
            return place.rstrip("/")
    raise Unable("apt knows no mirror of Debian (apt-get update)")


def reaches_mirror():
    try:
        with urllib.request.urlopen(f"{mirror()}/dists/trixie/InRelease", timeout=20) as answer:
            return answer.status == 200
    except OSError:
        return False


def make_rootfs():
    """The userland of the base image; kept, since the mirror is asked for all of it."""
    if (ROOTFS / "etc/debian_version").exists() and not (ROOTFS / "debootstrap").exists():
        return
    shutil.rmtree(ROOTFS, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    say("container: debootstrap trixie")
    log = FOLDER / "debootstrap.log"
    with log.open("w") as output:
        done = subprocess.run(["debootstrap", "--variant=minbase", "trixie", ROOTFS, mirror()],
                              stdout=output, stderr=subprocess.STDOUT, **QUIET)
    if done.returncode != 0:
        shutil.rmtree(ROOTFS, ignore_errors=True)
        raise Unable(f"debootstrap could not fetch trixie: {log.read_text()[-500:]}")


def host_apt():
    """How apt of this machine reaches its mirror; that of the image must as well."""
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, **QUIET).stdout
    return "".join(line + "\n" for line in dump.splitlines()
                   if line.startswith("Acquire::Check-") or "::Proxy" in line)


def make_base():
    if buildah("images", "-q", BASE, check=False).returncode == 0:
        return
    make_rootfs()
    say("container: the base image")
    container = buildah("from", "scratch")
    top = Path(buildah("mount", container))
    subprocess.run(["cp", "-a", f"{ROOTFS}/.", top], check=True)
    shutil.rmtree(top / "var/cache/apt/archives", ignore_errors=True)
    for name in (top / "var/lib/apt/lists").glob("*_*"):
        name.unlink()
    (top / "etc/dpkg/dpkg.cfg.d/docker").write_text(SLIM)
    (top / "etc/apt/apt.conf.d/90-as-host").write_text(host_apt())
    for folder in ("doc", "groff", "info", "locale", "man"):
        for path in (top / "usr/share" / folder).rglob("*"):
            if (path.is_file() or path.is_symlink()) and path.name != "copyright":
                path.unlink()
    buildah("umount", container)
    buildah("commit", "--rm", "--timestamp", "0", container, BASE)


@contextlib.contextmanager
def clean_tree():
    """The files that git knows or would, as they are now; a folder that goes away."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard"], capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        for name in filter(None, listed.decode().split("\0")):
            if (ROOT / name).is_file():
                target = Path(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target, follow_symlinks=False)
        yield folder


def commit():
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"],
                          capture_output=True, **QUIET)
    return done.stdout.strip() or "unknown"


def make_image(name=IMAGE, *more):
    """The image from the Dockerfile; `more` are further words for buildah. Its log is in
    build/container/build.log."""
    log = FOLDER / "build.log"
    say("container: the image, in", log)
    with clean_tree() as tree, log.open("w") as output:
        done = buildah("bud", "--isolation", "chroot", "--network", "host", "--pull-never",
                       "--format", "docker", "--timestamp", "0", "--build-arg",
                       f"COMMIT={commit()}", *more, "-t", name, tree, check=False,
                       capture=False, stdout=output, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        said = log.read_text()
        if "is there a network" in said and not reaches_mirror():
            raise Unable(f"{mirror()} cannot be reached")
        raise AssertionError(f"the image could not be made: {said[-4000:]}")


def inspect(name=IMAGE):
    """What the image says of itself, as Docker calls it."""
    return json.loads(buildah("inspect", "--type", "image", name))


def layers(name=IMAGE):
    """(digest, bytes unpacked) of each layer, the base's first."""
    sizes = {layer["diff-digest"]: layer["diff-size"]
             for file in FOLDER.glob("storage/vfs-layers/*layers.json")
             for layer in json.loads(file.read_text()) if "diff-digest" in layer}
    digests = inspect(name)["OCIv1"]["rootfs"]["diff_ids"]
    return [(digest, sizes[digest]) for digest in digests]


def forget():
    """All but the userland."""
    if not shutil.which("buildah"):
        return
    buildah("rm", "--all", check=False)
    buildah("rmi", "--all", "--force", check=False)
    for folder in ("storage", "run"):
        shutil.rmtree(FOLDER / folder, ignore_errors=True)


if __name__ == "__main__":
    check_machine()
    make_base()
    make_image(*sys.argv[1:])
    for digest, size in layers(*sys.argv[1:2]):
        print(f"{size / 1e6:8.1f} MB  {digest}")

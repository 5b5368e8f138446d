"""The userland of the base image, made by debootstrap for machines that reach Debian's mirror and no
registry. It is Debian's slim image in all that the Dockerfile can notice, and stays in
build/container between runs, since the mirror is asked for all of it."""
import functools
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/container"
TREE = FOLDER / "trixie"
BASE = "docker.io/library/debian:trixie-slim"  # as the Dockerfile names it
# What Debian's slim images leave out.
SLIM = """\
path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/groff/*
path-exclude /usr/share/info/*
path-exclude /usr/share/locale/*
path-include /usr/share/locale/locale.alias
path-exclude /usr/share/man/*
"""
SLIMMED = TREE / "etc/dpkg/dpkg.cfg.d/docker"
QUIET = {"stdin": subprocess.DEVNULL, "text": True}


class Unable(Exception):
    """This machine cannot make images; says why."""


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def find_tool(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")


def check_machine(*tools):
    if os.geteuid() != 0:
        raise Unable("only root can make a userland")
    for tool in ("debootstrap", *tools):
        if not find_tool(tool):
            raise Unable(f"there is no {tool}")


@functools.cache
def mirror():
    """From where this machine gets Debian; its other releases are there too."""
    answer = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(LABEL)",
                             "Created-By: Packages"], capture_output=True, **QUIET).stdout
    for line in answer.splitlines():
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


def host_apt():
    """How apt of this machine reaches its mirror; apt in the image must do the same."""
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, **QUIET).stdout
    return "".join(line + "\n" for line in dump.splitlines()
                   if line.startswith("Acquire::Check-") or "::Proxy" in line)


def fetch():
    shutil.rmtree(TREE, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    say("container: debootstrap trixie")
    log = FOLDER / "debootstrap.log"
    with log.open("w") as output:
        done = subprocess.run([find_tool("debootstrap"), "--variant=minbase", "trixie", TREE,
                               mirror()], stdout=output, stderr=subprocess.STDOUT, **QUIET)
    if done.returncode != 0:
        shutil.rmtree(TREE, ignore_errors=True)
        raise Unable(f"debootstrap could not fetch trixie: {log.read_text()[-500:]}")


def slim():
    shutil.rmtree(TREE / "var/cache/apt/archives", ignore_errors=True)
    for name in (TREE / "var/lib/apt/lists").glob("*_*"):
        name.unlink()
    (TREE / "var/cache/ldconfig/aux-cache").unlink(missing_ok=True)
    for folder in ("doc", "groff", "info", "locale", "man"):
        for path in (TREE / "usr/share" / folder).rglob("*"):
            if (path.is_file() or path.is_symlink()) and path.name != "copyright":
                path.unlink()
    (TREE / "etc/apt/apt.conf.d/90-as-host").write_text(host_apt())
    SLIMMED.write_text(SLIM)


def make():
    """The folder with the userland."""
    if not SLIMMED.exists():
        if not (TREE / "etc/debian_version").exists() or (TREE / "debootstrap").exists():
            fetch()
        slim()
    return TREE

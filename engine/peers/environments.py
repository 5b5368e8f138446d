#!/usr/bin/env python3
"""Virtual environments for the engines of this folder, with pinned versions from PyPI.

    environments.py install FOLDER [NAME...]   makes FOLDER/NAME, each by itself
    environments.py engines FOLDER [NAME...]   prints NAME=COMMAND for --engine, where it is there
    environments.py exec FOLDER PROGRAM...     starts PROGRAM, such as pennyworth, with all of them
                                               registered, unless PENNYWORTH_ENGINE is set

NAME is one of pytorch, ipex, xla, jax; without one it is all of them. An environment that is there
in these versions is left alone. Exit status of install: 0 all are there; 1 one could not be
installed; 3 nothing worse than that the package index cannot be reached. FOLDER/NAME.log has what
pip printed, FOLDER/NAME.missing why an environment is not there."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import typing

HERE = pathlib.Path(__file__).resolve().parent
GIB = 1 << 30
# How pip reports that it cannot reach the index, whatever it was to install.
UNREACHABLE = re.compile(r"NewConnectionError|ConnectTimeoutError|NameResolutionError|ProxyError"
                         r"|ReadTimeoutError|Failed to establish a new connection"
                         r"|Temporary failure in name resolution|Network is unreachable")
NETWORK_MISSING = "the package index cannot be reached"
EX_FAILED, EX_UNREACHABLE = 1, 3


class Environment(typing.NamedTuple):
    packages: tuple
    module: str  # what must be importable
    words: tuple  # the script of this folder, and its options
    gib: int  # free space that installing takes, pip's downloads included


# PyPI's PyTorch for x86-64 is the one with CUDA: three gigabytes to download, seven installed.
# IPEX and torch_xla each belong to one PyTorch.
ENVIRONMENTS = {
    "pytorch": Environment(("torch==2.15.0",), "torch", ("pytorch_engine.py",), 12),
    "ipex": Environment(("torch==2.8.0", "intel-extension-for-pytorch==2.8.0"),
                        "intel_extension_for_pytorch", ("pytorch_engine.py", "--ipex"), 12),
    "xla": Environment(("torch==2.9.0", "torch_xla==2.9.0"), "torch_xla",
                       ("pytorch_engine.py", "--device", "xla"), 12),
    "jax": Environment(("jax==0.10.2",), "jax", ("jax_engine.py",), 2),
}


def command(folder, name):
    """The words that start this engine."""
    script, *options = ENVIRONMENTS[name].words
    return [str(folder / name / "bin" / "python"), str(HERE / script), *options]


def marker(folder, name):
    """The file that says which packages were installed, written last."""
    return folder / name / "installed"


def is_installed(folder, name):
    try:
        return marker(folder, name).read_text().split() == list(ENVIRONMENTS[name].packages)
    except OSError:
        return False


def why_missing(folder, name):
    """Why an environment is not there: a sentence."""
    try:
        return (folder / f"{name}.missing").read_text().strip()
    except OSError:
        return f"{folder / name} was not installed"


def run(words, log):
    log.write(" ".join(map(str, words)) + "\n")
    log.flush()
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                          check=False).returncode == 0


def install(folder, name):
    """None when the environment is there, else why not."""
    wanted, path = ENVIRONMENTS[name], folder / f"{name}.log"
    free = shutil.disk_usage(folder).free // GIB
    if free < wanted.gib:
        return f"{free} GiB are free in {folder}, {wanted.gib} are wanted"
    python = folder / name / "bin" / "python"
    with open(path, "w", encoding="utf-8") as log:
        if not run([sys.executable, "-m", "venv", folder / name], log):
            return f"python3 -m venv failed (apt install python3-venv?), see {path}"
        done = run([python, "-m", "pip", "install", "--progress-bar", "off", *wanted.packages], log)
        imported = done and run([python, "-c", f"import {wanted.module}"], log)
    if not done:
        said = path.read_text(encoding="utf-8", errors="replace")
        return NETWORK_MISSING if UNREACHABLE.search(said) else f"pip failed, see {path}"
    if not imported:
        return f"{wanted.module} was installed and cannot be imported, see {path}"
    marker(folder, name).write_text("\n".join(wanted.packages) + "\n")
    return None


def install_all(folder, names):
    """Installs each by itself; returns the exit status."""
    folder.mkdir(parents=True, exist_ok=True)
    status = 0
    for name in names:
        missing = folder / f"{name}.missing"
        if is_installed(folder, name):
            continue
        print(f"installing {' '.join(ENVIRONMENTS[name].packages)}", file=sys.stderr, flush=True)
        why = install(folder, name)
        if why is None:
            missing.unlink(missing_ok=True)
            continue
        missing.write_text(why + "\n")
        print(f"{name} is left out: {why}", file=sys.stderr, flush=True)
        if why != NETWORK_MISSING:
            status = EX_FAILED
        elif status == 0:
            status = EX_UNREACHABLE
    return status


def engines(folder, names):
    """[NAME=COMMAND] of those that are installed."""
    return [f"{name}={' '.join(command(folder, name))}" for name in names
            if is_installed(folder, name)]


def become(folder, program):
    """Replaces this process by the program; the server reads its engines from a variable."""
    os.environ.setdefault("PENNYWORTH_ENGINE", ";".join(engines(folder, ENVIRONMENTS)))
    os.execvp(program[0], program)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("install", "engines", "exec"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", metavar="NAME", nargs=argparse.REMAINDER,
                        help=f"of {', '.join(ENVIRONMENTS)}; all of them if none is named")
    options = parser.parse_args(words)
    folder, names = options.folder.absolute(), options.names or list(ENVIRONMENTS)
    if options.action == "exec":
        if not options.names:
            parser.error("exec needs a program")
        become(folder, options.names)
    for name in names:
        if name not in ENVIRONMENTS:
            parser.error(f"{name}: must be one of {', '.join(ENVIRONMENTS)}")
    if options.action == "install":
        return install_all(folder, names)
    print("\n".join(engines(folder, names)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Who trains, and one training at a time: the processes behind engine.py."""
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SETTINGS = ("compile", "fused", "llvm", "tcmalloc", "thp", "nchw")
FLAGS = {"compile": "--compile", "fused": "--fused", "nchw": "--contiguous"}
# Ours and theirs get this and nothing of the caller's: a stray OMP_ variable is a different test.
CLEAN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root"}


class Failed(Exception):
    """A training did not end as it should; the text says how."""


@dataclasses.dataclass(frozen=True)
class Job:
    """One training: what every contestant is asked to do."""
    precision: str
    batch: int
    warmup: int
    steps: int


@dataclasses.dataclass(frozen=True)
class Machine:
    """What a training may use."""
    cpus: tuple
    roots: pathlib.Path | None
    limit: float  # seconds for one training


@dataclasses.dataclass(frozen=True)
class Ours:
    """Our worker: of this machine, or of a userland when its name is given."""
    name: str
    program: str
    userland: str | None = None
    plan: str | None = None
    is_ours = True

    def command(self, job, machine):
        spec = {"workload": "resnet50", "precision": job.precision, "batch_size": job.batch,
                "threads": len(machine.cpus), "warmup_steps": job.warmup, "steps": job.steps,
                "max_seconds": int(machine.limit)}
        if self.plan:
            spec["plan"] = self.plan
        inside = ["chroot", str(machine.roots / self.userland)] if self.userland else []
        return inside + [self.program], json.dumps(spec) + "\n"


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a PyTorch is: in a userland, or with a Python of this machine."""
    root: pathlib.Path  # of the libraries that SETTINGS preload
    userland: str | None = None
    python: str = "/usr/bin/python3"

    def command(self, env):
        words = ["/usr/bin/env", *(f"{name}={value}" for name, value in env.items()), self.python]
        # env inside of the chroot, so that chroot itself is not asked to preload anything.
        return ["chroot", str(self.root), *words, "/mnt/engine_pytorch.py"] if self.userland else \
            [*words, str(HERE / "engine_pytorch.py")]


@dataclasses.dataclass(frozen=True)
class Theirs:
    """A PyTorch with some of SETTINGS."""
    name: str
    place: Place
    settings: frozenset
    is_ours = False

    @property
    def userland(self):
        return self.place.userland

    def environment(self, cpus):
        preload, root = [], self.place.root
        env = {"OMP_NUM_THREADS": str(len(cpus))}
        if self.userland:
            # Compiling takes a minute or two, so what was compiled is kept for later rounds.
            env["TORCHINDUCTOR_CACHE_DIR"] = "/var/cache/pennyworth-bench"
        if "llvm" in self.settings:
            preload.append(library(root, "libomp.so.5"))
            env |= {"KMP_BLOCKTIME": "1", "KMP_AFFINITY": "granularity=fine,compact,1,0"}
        else:
            env["GOMP_CPU_AFFINITY"] = " ".join(map(str, cpus))
        if "tcmalloc" in self.settings:
            preload.append(library(root, "libtcmalloc_minimal.so.4"))
        if "thp" in self.settings:
            env |= {"THP_MEM_ALLOC_ENABLE": "1", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
        if "compile" in self.settings and self.userland:
            # Debian's torch does not hand sleef on to what it compiles; see refuse_scalar_code().
            preload.append(library(root, "libsleef.so.3"))
        if preload:
            env["LD_PRELOAD"] = ":".join(preload)
        return env

    def command(self, job, machine):
        options = ["--batch", job.batch, "--precision", job.precision, "--threads",
                   len(machine.cpus), "--warmup", job.warmup, "--steps", job.steps]
        options += [FLAGS[setting] for setting in SETTINGS if setting in self.settings & set(FLAGS)]
        words = self.place.command(self.environment(machine.cpus))
        return words + list(map(str, options)), ""


def library(root, name):
    found = sorted(root.glob(f"usr/lib/*-linux-gnu/{name}"))
    if not found:
        raise Failed(f"{root} has no {name}")
    return "/" + str(found[0].relative_to(root))


def userlands(roots):
    """The names of those that can run PyTorch."""
    if not roots or not roots.is_dir():
        return []
    return sorted(path.name for path in roots.iterdir()
                  if (path / "usr/lib/python3/dist-packages/torch").is_dir())


def places(roots, pythons):
    """By name: the userlands, and [NAME=]PYTHON of this machine."""
    found = {name: Place(roots / name, name) for name in userlands(roots)}
    for text in pythons:
        name, _, python = text.rpartition("=")
        name = name or "pypi"
        if not shutil.which(python):
            raise SystemExit(f"engine.sh: --torch {python} is not a program")
        if name in found:
            raise SystemExit("engine.sh: name the Pythons apart: --torch NAME=PYTHON")
        # Not resolved: a virtual environment is known by the link that its Python is.
        found[name] = Place(pathlib.Path("/"), None, os.path.abspath(shutil.which(python)))
    return found


def theirs_from(text, found):
    name, *settings = text.split("+")
    if name not in found:
        raise SystemExit(f"engine.sh: there is no PyTorch {name}: see --prepare, --roots and "
                         "--torch")
    for setting in settings:
        if setting not in SETTINGS:
            raise SystemExit(f"engine.sh: {setting} is not one of {', '.join(SETTINGS)}")
    return Theirs(text, found[name], frozenset(settings))


def ours_from(programs, plans, roots):
    """Each worker ([NAME=][USERLAND:]PATH) with each plan."""
    found = {}
    for text in programs:
        label, _, place = text.rpartition("=")
        userland, _, path = place.rpartition(":")
        seen = pathlib.Path(roots or "/", userland, path.lstrip("/")) if userland else path
        if not os.access(seen, os.X_OK) or os.path.isdir(seen):
            raise SystemExit(f"engine.sh: {place} is not a program")
        for plan in plans or [None]:
            name = " ".join(filter(None, [label or "ours", plan]))
            if name in found:
                raise SystemExit("engine.sh: name the workers apart: --worker NAME=PATH")
            found[name] = Ours(name, path if userland else os.path.abspath(path),
                               userland or None, plan)
    return list(found.values())


def mount(root):
    """What a userland needs of the machine, and these scripts. The caller's mount namespace is a
    private one (engine.sh), so nothing is unmounted."""
    for words in (["-t", "proc", "proc", root / "proc"], ["--rbind", "/dev", root / "dev"],
                  ["--rbind", "/sys", root / "sys"], ["--bind", HERE, root / "mnt"]):
        subprocess.run(["mount", *map(str, words)], check=True)


def busy_seconds(cpus):
    """The time that these cores have worked so far, for all processes, and the stolen time."""
    wanted = {f"cpu{cpu}" for cpu in cpus}
    total = 0
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            name, *fields = line.split()
            if name in wanted:
                user, nice, system, _, _, irq, softirq, steal = map(int, fields[:8])
                total += user + nice + system + irq + softirq + steal
    return total / os.sysconf("SC_CLK_TCK")


def train(contestant, job, machine):
    """What one training gave: {"nanoseconds": [...], "peak_rss_kib": n, ...}, or Failed."""
    words, spec = contestant.command(job, machine)
    began, busy = time.monotonic(), busy_seconds(machine.cpus)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=out, stderr=err, env=CLEAN,
                                   start_new_session=True,
                                   preexec_fn=lambda: os.sched_setaffinity(0, machine.cpus))
        with contextlib.suppress(BrokenPipeError):  # its end will tell why better than we could
            process.stdin.write(spec.encode())
            process.stdin.flush()  # and stays open: where stdin ends the server has gone
        code, usage = wait(process, machine.limit)
        process.stdin.close()
        out.seek(0)
        err.seek(0)
        lines, complaint = out.read().decode(errors="replace").splitlines(), err.read()[-2000:]
    # Others' share of these cores while it ran: a figure taken under 20 % of it is not one.
    wall = (time.monotonic() - began) * len(machine.cpus)
    others = max(0.0, busy_seconds(machine.cpus) - busy - usage.ru_utime - usage.ru_stime) / wall
    result = read_events(lines, job, code, complaint.decode(errors="replace"))
    return {"peak_rss_kib": usage.ru_maxrss} | result | {
        "others_share": round(others, 4), "wall_seconds": round(wall / len(machine.cpus), 2)}


def wait(process, limit):
    """wait4() is the only wait that tells how much memory this one child had at most."""
    alarm = threading.Timer(limit, lambda: os.killpg(process.pid, signal.SIGKILL))
    alarm.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)  # it has a session of its own, so no ^C reaches it
        raise
    finally:
        alarm.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage


def read_events(lines, job, code, complaint):
    steps, about, memory = [], "", {}
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue  # libraries talk on stdout at times; a step that is missing is seen below
        if event.get("type") == "step":
            steps.append(event)
        elif event.get("type") == "failed":
            complaint = event.get("message", "")
        elif event.get("type") == "hello":
            about = event.get("software", "")
        elif "peak_memory_bytes" in event:  # without the certificate that ours makes behind the steps
            memory = {"peak_rss_kib": event["peak_memory_bytes"] // 1024}
        elif "torch" in event:
            about = f"torch {event['torch']}"
    if code != 0 or len(steps) != job.warmup + job.steps:
        if code == -signal.SIGKILL:
            complaint = complaint or "killed: over --limit, or out of memory"
        last = (complaint.strip().splitlines() or ["no word why"])[-1]
        raise Failed(f"status {code}, {len(steps)} of {job.warmup + job.steps} steps: {last[:200]}")
    measured = steps[job.warmup:]
    return memory | {"software": about,
                     "nanoseconds": [event["nanoseconds"] for event in measured],
                     "losses": [steps[0]["loss"], steps[-1]["loss"]]}

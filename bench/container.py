"""The measurements of bench/container.sh, which says what this is."""
import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/container"))

from runtime import RUNTIME  # noqa: E402
from server import Server  # noqa: E402
from waiting import free_port  # noqa: E402

# Student's t, 95 %, for 1, 2, ... degrees of freedom.
T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
       2.145, 2.131, 2.120, 2.110, 2.101, 2.093]
LOADERS = ("lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1")


def options():
    parser = argparse.ArgumentParser(prog="container.sh")
    parser.add_argument("--pairs", type=int, default=10, help="of 2 to 20 (%(default)s)")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=20, help="after 3 that do not count")
    parser.add_argument("--starts", type=int, default=10)
    chosen = parser.parse_args()
    if not 2 <= chosen.pairs <= len(T95) + 1:
        parser.error(f"--pairs must be from 2 to {len(T95) + 1}")
    return chosen


def bare(top, program):
    """The image's program without the image around it."""
    (loader,) = [top / name for name in LOADERS if (top / name).exists()]
    folder = next((top / "usr/lib").glob("*-linux-gnu"))
    return [loader, "--library-path", folder, top / "usr/bin" / program]


def median_step(command, spec):
    """In seconds."""
    done = subprocess.run([str(word) for word in command], input=json.dumps(spec) + "\n",
                          capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    events = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or not events or events[-1]["type"] != "done":
        raise SystemExit(f"container.sh: {command} failed: {done.stdout[-500:]}{done.stderr}")
    steps = [event["nanoseconds"] for event in events if event["type"] == "step"]
    return statistics.median(steps[spec["warmup_steps"]:]) / 1e9


def measure(top, chosen):
    """Seconds of the median step: [(inside, outside)]."""
    flags = os.environ.get("PENNYWORTH_BENCH_INSIDE")
    commands = {"inside": flags.split() if flags else RUNTIME.worker(),
                "outside": bare(top, "pennyworth-worker")}
    spec = {"workload": "resnet50", "precision": "f32", "batch_size": chosen.batch, "seed": 1,
            "warmup_steps": 3, "steps": chosen.steps, "plan": "fixed"}
    pairs = []
    for number in range(chosen.pairs):
        order = ("inside", "outside")
        found = {name: median_step(commands[name], spec)
                 for name in (order if number % 2 == 0 else order[::-1])}
        pairs.append((found["inside"], found["outside"]))
        print(f"  pair {number + 1:2}: inside {chosen.batch / found['inside']:8.2f}, outside "
              f"{chosen.batch / found['outside']:8.2f} samples/s", flush=True)
    return pairs


def report(pairs, batch):
    logs = [math.log(outside / inside) for inside, outside in pairs]
    middle = statistics.mean(logs)
    half = T95[len(logs) - 2] * statistics.stdev(logs) / math.sqrt(len(logs))
    inside, outside = (batch / statistics.median(column) for column in zip(*pairs))
    print(f"inside {inside:.2f} samples/s, outside {outside:.2f}; inside/outside "
          f"{math.exp(middle):.4f} [{math.exp(middle - half):.4f}, {math.exp(middle + half):.4f}]")


class Bare(Server):
    """The image's server, on the bare machine."""

    def __init__(self, top, variables):
        super().__init__()
        self.top, self.port, self.data = top, free_port(), tempfile.mkdtemp()
        self.variables = {**variables, **self.variables, "PENNYWORTH_LISTEN": "127.0.0.1",
                          "PENNYWORTH_PORT": str(self.port), "XDG_STATE_HOME": self.data,
                          "HOME": self.data}

    def begin_container(self):
        self.outside = subprocess.Popen(
            bare(self.top, "pennyworth"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=self.variables)

    def find_port(self):
        pass

    def ended(self):
        return self.outside.poll()

    def log(self):
        return ""

    def clean(self):
        self.outside.kill()
        self.outside.wait()
        shutil.rmtree(self.data)


def starts(make, times):
    taken = []
    for _ in range(times):
        server = make()
        try:
            taken.append(server.start())
        finally:
            server.clean()
    return statistics.median(taken)


def variables():
    entries = RUNTIME.config()["Env"]
    return dict(entry.split("=", 1) for entry in entries if not entry.startswith("PATH="))


def main():
    chosen = options()
    RUNTIME.check()
    print(f"by {RUNTIME.describe()}")
    try:
        RUNTIME.make_base()
        RUNTIME.make_image()
        print(f"image: {RUNTIME.bytes_beyond_base() / 1e6:.1f} MB beyond the base, unpacked")
        for form in ("gzip", "zstd"):
            if shutil.which(form):
                base, ours = RUNTIME.packed_bytes(form)
                print(f"  as {form}: base {base / 1e6:.1f} MB, ours {ours / 1e6:.1f} MB")
        with RUNTIME.unpacked() as (top, _):
            for name, make in (("inside", RUNTIME.server),
                               ("outside", lambda: Bare(top, variables()))):
                print(f"ready {name} after {starts(make, chosen.starts):.0f} ms")
            report(measure(top, chosen), chosen.batch)
    finally:
        RUNTIME.forget()


if __name__ == "__main__":
    main()

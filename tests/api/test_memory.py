"""Memory that is too little: what cannot fit is refused before it starts, and what the kernel kills
all the same says so. The server runs in a memory control group of its own, so this needs root and
a group that may be made; without, the tests say why they are skipped."""
import os
import signal
import sys
import unittest
from pathlib import Path

from harness import Case, until, worker_pids

MIB = 2 ** 20
EATER = """
import sys
print('{"type":"hello","protocol":1}', flush=True)
eaten = []
while True:
    eaten.append(bytearray(b"x") * (16 << 20))
    if len(sys.argv) > 1 and len(eaten) == int(sys.argv[1]):
        import time
        time.sleep(600)
"""


def make_group(name, limit):
    """A control group with a limit of memory, and the file that takes processes in."""
    own = {controllers: path for _, controllers, path in
           (line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines())}
    if "memory" in own:
        group, limits = Path("/sys/fs/cgroup/memory"), ["memory.limit_in_bytes",
                                                        "memory.memsw.limit_in_bytes"]
    else:
        group, limits = Path("/sys/fs/cgroup"), ["memory.max"]
    group = group / name
    try:
        group.mkdir()
        (group / limits[0]).write_text(str(limit))
    except OSError as why:
        if group.is_dir():
            group.rmdir()
        raise unittest.SkipTest(f"no memory control group can be made here: {why}") from why
    for file in limits[1:]:
        try:
            (group / file).write_text(str(limit))  # no swap either
        except OSError:
            pass
    return group


class LittleMemory(Case):
    LIMIT = 1024 * MIB

    def setUp(self):
        eater = self.new_folder() / "eater.py"
        eater.write_text(EATER)
        self.group = make_group(f"pennyworth-{os.getpid()}", self.LIMIT)
        self.addCleanup(self.remove_group)
        self.server = self.own_server(engines={"eater": f"{sys.executable} {eater}",
                                               "fills": f"{sys.executable} {eater} 4"})
        (self.group / "cgroup.procs").write_text(str(self.server.process.pid))

    def remove_group(self):
        until(lambda: not (self.group / "cgroup.procs").read_text(), "the group is empty")
        self.group.rmdir()

    def ask(self, **spec):
        return self.server.post({"engine": "native", "workload": "resnet50", "threads": 2, **spec})

    def end_of(self, reply):
        self.assertEqual(201, reply.status, reply)
        return self.server.wait(reply.json()["id"])

    def test_a_run_that_cannot_fit_is_refused_before_it_starts(self):
        problem = self.ask(precision="f32", batch_size=64)
        self.assertEqual(422, problem.status, problem)
        self.assertEqual("batch_size", problem.json()["field"])
        self.assertIn("64 needs about 3.4 GiB of memory, and the control group's limit is 1.0 GiB; "
                      "the largest batch that fits is 11", problem.json()["detail"])
        self.assertEqual(422, self.ask(precision="f32", batch_size=16, plan="plain").status)
        accepted = self.ask(precision="f32", batch_size=2)
        self.assertEqual(201, accepted.status, accepted)
        self.server.delete(f"/v1/runs/{accepted.json()['id']}")

    def test_a_limit_that_was_raised_counts_from_then_on(self):
        self.assertEqual(422, self.ask(precision="f32", batch_size=32).status)
        for file in ("memory.memsw.limit_in_bytes", "memory.limit_in_bytes", "memory.max"):
            if (self.group / file).exists():
                (self.group / file).write_text(str(4096 * MIB))
        accepted = self.ask(precision="f32", batch_size=32)
        self.assertEqual(201, accepted.status, accepted)
        self.server.delete(f"/v1/runs/{accepted.json()['id']}")

    def test_what_other_engines_need_is_not_known(self):
        accepted = self.ask(engine="fills", precision="f32", batch_size=64)
        self.assertEqual(201, accepted.status, accepted)
        self.server.delete(f"/v1/runs/{accepted.json()['id']}")

    def test_a_worker_that_the_kernel_killed_says_so(self):
        run = self.end_of(self.ask(engine="eater"))
        self.assertEqual("failed", run["state"])
        self.assertRegex(run["reason"],
                         r"^the kernel killed the worker for memory: the control group's limit is "
                         r"1\.0 GiB, the worker's peak was (0\.9\d|1\.0\d) GiB$")

    def test_a_worker_that_another_process_killed_does_not(self):
        run = self.ask(engine="fills").json()
        until(lambda: worker_pids([run["id"]]), "the worker is there")
        for pid in worker_pids([run["id"]]):
            os.kill(pid, signal.SIGKILL)
        self.assertEqual("the worker was killed by signal 9 (Killed)",
                         self.server.wait(run["id"])["reason"])

"""What the kernel says of a worker and its server: which rights they have while a run is under way."""
import os
import resource
import subprocess
import unittest
from pathlib import Path

from harness import SANITIZED, Case, Server, fake, until, worker_pids

NOBODY = 65534
TOKEN = "a-token-of-this-test"
NATIVE = {"engine": "native", "workload": "mlp2017", "batch_size": 32, "threads": 1, "steps": 1000000,
          "max_seconds": 600}


def status(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def limits(pid):
    """Soft and hard, by their names."""
    lines = Path(f"/proc/{pid}/limits").read_text().splitlines()[1:]
    return {line[:26].strip(): line[26:].split()[:2] for line in lines}


class Confined(Case):
    def serve(self, *flags, **options):
        return self.own_server(*flags, engines={"slow": fake("slow", 20)}, **options)

    def worker(self, server, spec):
        run_id = server.create("/v1/runs", spec)["id"]
        until(lambda: server.steps(run_id) or server.show(run_id)["state"] == "failed", "a step is stored")
        self.assertEqual("running", server.show(run_id)["state"], server.show(run_id))
        pids = worker_pids([run_id])
        self.assertEqual(1, len(pids))
        return pids[0]

    def assertLimited(self, pid):
        seen = limits(pid)
        files = min(1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        self.assertEqual([str(files)] * 2, seen["Max open files"])
        self.assertEqual(["0"] * 2, seen["Max core file size"])
        self.assertEqual([str(4 << 30)] * 2, seen["Max file size"])
        self.assertEqual("1", status(pid)["NoNewPrivs"])
        self.assertEqual("0077", status(pid)["Umask"])

    def test_our_worker_has_no_rights_to_speak_of(self):
        server = self.serve()
        seen = status(pid := self.worker(server, NATIVE))
        self.assertLimited(pid)
        if "cannot be filtered here" not in server.read_log():
            self.assertEqual("2", seen["Seccomp"])
        for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            self.assertEqual(0, int(seen[kind], 16), kind)

    def test_the_server_itself_gains_none(self):
        server = self.serve()
        self.assertEqual("1", status(server.process.pid)["NoNewPrivs"])

    @unittest.skipIf(SANITIZED, "sanitizers look into their own process")
    def test_no_process_of_the_same_user_can_inspect_the_server(self):
        folder = self.new_folder()
        user = {}
        if os.geteuid() == 0:  # who may look into everything
            os.chown(folder, NOBODY, NOBODY)
            user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        database = os.path.join(folder, "test.db")
        try:
            server = self.serve(database=database, account=user,
                                environment={"PENNYWORTH_WRITE_TOKEN": TOKEN})
        except PermissionError:
            self.skipTest("another user cannot start the programs from here")
        server.token = TOKEN
        self.worker(server, NATIVE)  # the server itself sees what it has to
        server.metrics()
        for name in ("mem", "environ", "maps", "exe"):
            ended = subprocess.run(["head", "-c", "1", f"/proc/{server.process.pid}/{name}"],
                                   capture_output=True, text=True, check=False, **user)
            self.assertEqual(1, ended.returncode, (name, ended))
            self.assertIn("Permission denied", ended.stderr)
        self.assertGreater(server.metrics()["process_resident_memory_bytes"], 0)

    def test_engines_of_others_keep_its_capabilities_and_reach_no_other_process(self):
        server = self.serve()
        mine = status(server.process.pid)
        seen = status(pid := self.worker(server, {"engine": "slow", "steps": 100000,
                                                  "max_seconds": 600}))
        self.assertLimited(pid)
        self.assertEqual(("2", mine["CapEff"]), (seen["Seccomp"], seen["CapEff"]))

    def test_it_can_be_switched_off(self):
        server = self.serve("--confine", "off")
        mine = status(server.process.pid)
        seen = status(pid := self.worker(server, NATIVE))
        self.assertLimited(pid)
        self.assertEqual((mine["Seccomp"], mine["CapEff"]), (seen["Seccomp"], seen["CapEff"]))

    @unittest.skipIf(os.geteuid(), "only root starts engines as another user")
    def test_root_starts_engines_as_the_user_that_it_is_told(self):
        try:
            server = self.serve("--engine-user", "nobody")
        except AssertionError as refused:
            self.assertIn("not enter a folder on the way to it", str(refused))
            self.skipTest("another user cannot start the programs from here")
        for spec in (NATIVE, {"engine": "slow", "steps": 100000, "max_seconds": 600}):
            pid = self.worker(server, spec)
            self.assertEqual([str(NOBODY)] * 4, status(pid)["Uid"].split())
            for run in server.get("/v1/runs?state=running").json()["runs"]:
                self.assertEqual("cancelled", server.cancel(run["id"])["state"])

    def test_a_user_that_is_not_there_or_may_not_be_taken_ends_the_start(self):
        wanted = "only root can start engines" if os.geteuid() else "is not a user of this machine"
        with self.assertRaises(AssertionError) as refused:
            Server("--engine-user", "there-is-no-such-user").start()
        self.assertIn(wanted, str(refused.exception))

    def test_a_server_of_few_files_gives_its_workers_no_more(self):
        server = self.serve(open_files=(200, 300))
        pid = self.worker(server, NATIVE)
        self.assertEqual(["300", "300"], limits(pid)["Max open files"])

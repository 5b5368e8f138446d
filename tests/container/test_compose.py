"""docker-compose.yml with whichever compose is installed: it comes up, keeps its
data over down and up, and `down -v` removes them. Its names and its port are replaced by ones of the
test's, so that nothing of this machine's user is touched."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import docker
from runtime import need_engine
from server import Server, TOKEN
from userland import ROOT
from waiting import PATIENCE, free_port, until

FILE = ROOT / "docker-compose.yml"
QUEUED = {"workload": "mlp2017", "batch_size": 8, "warmup_steps": 0, "steps": 4, "threads": 1}


def find_compose():
    """The words that begin a command of compose; none where it is not installed."""
    plugin = shutil.which("docker") and docker.docker("compose", "version", check=False)
    if plugin and plugin.returncode == 0:
        return ["docker", "compose"]
    return ["docker-compose"] if shutil.which("docker-compose") else []


def setUpModule():
    need_engine()
    if not find_compose():
        raise unittest.SkipTest("there is neither docker compose nor docker-compose")


class Compose(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.project = docker.name_of("compose")
        self.server = Server()
        self.server.port = free_port()
        text = FILE.read_text()
        for old, new in ((r"image: pennyworth:\S+", f"image: {docker.IMAGE}"),
                         (r"127\.0\.0\.1:8080:", f"127.0.0.1:{self.server.port}:"),
                         (r"name: pennyworth_data", f"name: {self.project}-data")):
            text, times = re.subn(old, new, text)
            self.assertEqual(1, times, old)
        (self.folder / "docker-compose.yml").write_text(text)
        (self.folder / "pennyworth.env").write_text(
            f"PENNYWORTH_WRITE_TOKEN={TOKEN}\nPENNYWORTH_FEED=all=off\nPENNYWORTH_METADATA=off\n")
        self.addCleanup(self.compose, "down", "-v", check=False)

    def compose(self, *words, check=True):
        done = subprocess.run([*find_compose(), "-p", self.project, *words], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE * 2)
        if check:
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done

    def up(self):
        self.compose("up", "-d", "--no-build")

        def ready():
            try:
                return self.server.ask("GET", "/readyz")[0] == 200
            except OSError:
                return False
        until(ready, "it serves")

    def volume_exists(self):
        return docker.docker("volume", "inspect", f"{self.project}-data",
                             check=False).returncode == 0

    def test_up_and_down_and_up_again_keeps_the_runs_and_down_with_v_removes_them(self):
        self.up()
        run = self.server.run(**QUEUED)
        self.assertEqual("finished", run["state"], run)
        self.compose("down")
        self.assertTrue(self.volume_exists())
        self.up()
        self.assertEqual(run["summary"], self.server.show(run["id"])["summary"])
        (name,) = docker.docker("ps", "--filter", f"label=com.docker.compose.project={self.project}",
                                "--format", "{{.Names}}").split()
        inspected = docker.inspect(name)
        self.assertTrue(inspected["HostConfig"]["ReadonlyRootfs"])
        self.assertEqual(["ALL"], inspected["HostConfig"]["CapDrop"])
        self.assertIn("no-new-privileges:true", inspected["HostConfig"]["SecurityOpt"])
        self.assertEqual(["127.0.0.1"], [each["HostIp"] for each in
                                         inspected["HostConfig"]["PortBindings"]["8080/tcp"]])
        self.compose("down", "-v")
        self.assertFalse(self.volume_exists())
        self.assertEqual("", docker.docker("ps", "-aq", "--filter", f"name={self.project}"))

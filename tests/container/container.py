"""What runs in an image, as a container runtime would run it: see enter.sh."""
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api"))

from waiting import PATIENCE, free_port, until  # noqa: E402

USER = 10001
ENTER = Path(__file__).with_name("enter.sh")


def volume():
    """An empty folder that the image's user may write to."""
    folder = tempfile.mkdtemp(prefix="pennyworth-volume-")
    os.chown(folder, USER, USER)
    return folder


def command(top, data, variables, *words):
    """`variables` are those of the image and those that a person gives; `words` the program."""
    told = [f"{name}={value}" for name, value in variables.items()]
    return [str(word) for word in (ENTER, top, data, *told, *words)]


class Container:
    """A server in the image at `top`, on a port of loopback."""
    TOKEN = "0123456789abcdef0123456789abcdef"

    def __init__(self, top, variables, *flags):
        self.data, self.port = volume(), free_port()
        self.variables = {**variables, "PENNYWORTH_LISTEN": "127.0.0.1",
                          "PENNYWORTH_PORT": self.port, "PENNYWORTH_WRITE_TOKEN": self.TOKEN,
                          "PENNYWORTH_METADATA": "off", "PENNYWORTH_FEED": "all=off"}
        self.top, self.flags = top, flags
        self.log = tempfile.TemporaryFile()
        self.outside = None

    def start(self):
        """The milliseconds until it was ready."""
        began = time.monotonic()
        self.outside = subprocess.Popen(
            command(self.top, self.data, self.variables, "/usr/bin/pennyworth", *self.flags),
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        until(self.ready, f"ready: {self.told()}", pause=0.002)
        return (time.monotonic() - began) * 1000

    def told(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def ready(self):
        if self.outside.poll() is not None:
            raise AssertionError(f"it ended with {self.outside.returncode}: {self.told()}")
        try:
            return self.ask("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def pid(self):
        """Of the program: the first process of its namespace."""
        number = self.outside.pid
        return int(Path(f"/proc/{number}/task/{number}/children").read_text().split()[0])

    def ask(self, method, path, body=None):
        """(status, type, bytes)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body and json.dumps(body),
                               {"Authorization": f"Bearer {self.TOKEN}",
                                "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type"), answer.read()
        finally:
            connection.close()

    def begin(self, **spec):
        """The id of a run that was just asked for."""
        status, _, body = self.ask("POST", "/v1/runs", spec)
        if status != 201:
            raise AssertionError((status, body))
        return json.loads(body)["id"]

    def show(self, run_id):
        return json.loads(self.ask("GET", f"/v1/runs/{run_id}")[2])

    def run(self, seconds=300, **spec):
        """A run from its request to its end."""
        run_id = self.begin(**spec)
        until(lambda: self.show(run_id)["state"] not in ("queued", "running"), "the run ends",
              seconds)
        return self.show(run_id)

    def inside(self, *words, variables=None):
        """Another program beside the server, with its variables."""
        return subprocess.run(
            command(self.top, self.data, {**self.variables, **(variables or {})}, *words),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)

    def stop(self):
        """(exit status, seconds), as `docker stop` does it."""
        began = time.monotonic()
        os.kill(self.pid(), signal.SIGTERM)
        status = self.outside.wait(PATIENCE)
        return status, time.monotonic() - began

    def clean(self):
        if self.outside and self.outside.poll() is None:
            self.outside.kill()
            self.outside.wait()
        self.log.close()
        shutil.rmtree(self.data, ignore_errors=True)

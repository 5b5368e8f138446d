"""A server in the image, whatever runs the image: what is asked of it over HTTP. docker.py and
chroot.py say how it is started, entered and ended."""
import http.client
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api"))

from waiting import PATIENCE, until  # noqa: E402

TOKEN = "0123456789abcdef0123456789abcdef"
ALONE = {"PENNYWORTH_METADATA": "off", "PENNYWORTH_FEED": "all=off"}
FINAL = {"finished", "failed", "cancelled", "interrupted", "preempted"}


class Server:
    """server = RUNTIME.server(); server.start(); ... server.clean()

    A subclass has begin_container(), find_port(), ended(), log(), inside(), owner_of(),
    is_first_process(), signal() and clean(). After an end, start() makes a new container on the
    same volume."""

    def __init__(self, *flags):
        self.flags, self.port = flags, None
        self.variables = {**ALONE, "PENNYWORTH_WRITE_TOKEN": TOKEN}

    def start(self):
        """The milliseconds until it was ready."""
        began = time.monotonic()
        self.begin_container()
        until(self.ready, "ready", pause=0.002)
        return (time.monotonic() - began) * 1000

    def ready(self):
        if self.ended() is not None:
            raise AssertionError(f"it ended with {self.ended()}: {self.log()}")
        self.find_port()
        try:
            return self.port and self.ask("GET", "/readyz")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def ask(self, method, path, body=None, headers=None):
        """(status, type, bytes)"""
        connection = self.connection()
        try:
            connection.request(method, path, body and json.dumps(body),
                               {"Authorization": f"Bearer {TOKEN}",
                                "Content-Type": "application/json", **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type"), answer.read()
        finally:
            connection.close()

    def get(self, path):
        status, _, body = self.ask("GET", path)
        if status != 200:
            raise AssertionError((path, status, body))
        return json.loads(body)

    def begin(self, **spec):
        """The id of a run that was just asked for."""
        status, _, body = self.ask("POST", "/v1/runs", spec)
        if status != 201:
            raise AssertionError((status, body))
        return json.loads(body)["id"]

    def show(self, run_id):
        return self.get(f"/v1/runs/{run_id}")

    def run(self, seconds=300, **spec):
        """A run from its request to its end."""
        run_id = self.begin(**spec)
        until(lambda: self.show(run_id)["state"] in FINAL, "the run ends", seconds)
        return self.show(run_id)

    def begin_long(self, **spec):
        """The id of a run that is under way and would go on for minutes."""
        run_id = self.begin(workload="resnet50", batch_size=2, threads=1, warmup_steps=0,
                            steps=100000, max_seconds=600, **spec)
        until(lambda: self.show(run_id)["state"] == "running", "the run is under way")
        return run_id

    def stop(self):
        """The exit status, after SIGTERM."""
        self.signal("TERM")
        return self.ended()

    def kill(self):
        self.signal("KILL")
        return self.ended()

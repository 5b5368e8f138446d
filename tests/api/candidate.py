"""A machine that measures itself: the commands bench and push, and hubs for them that misbehave."""
import http.server
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading

from harness import PATIENCE, SANITIZER, SERVER, fake, until

# A set of minutes takes a moment: this engine only says how long its steps took.
QUICK_ENGINE = "native=" + fake("paced", 50000)
SLOW_ENGINE = "native=" + fake("slow", 20)
PLACE = ["--provider", "aws", "--instance-type", "m5.large", "--region", "us-east-1",
         "--price-per-hour", "0.36"]
ALONE = ["--metadata", "off", "--feed", "all=off"]
TOKEN = "a-token-of-a-candidate"
HASTE = 20  # their own pauses are so many times shorter


class Ended:
    """The result of a command: exit status, standard output, standard error."""

    def __init__(self, status, out, stderr):
        self.status, self.out, self.stderr = status, out, stderr
        if SANITIZER.search(stderr):
            raise AssertionError(stderr)
        if TOKEN in out or TOKEN in stderr:
            raise AssertionError("the token was printed: " + stderr)

    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"<{self.status}\n{self.out}\n{self.stderr}>"


class Candidate:
    """One database, and commands over it."""

    def __init__(self, case):
        self.folder = tempfile.mkdtemp(prefix="pennyworth-")
        case.addCleanup(shutil.rmtree, self.folder, True)
        self.case = case
        self.database = os.path.join(self.folder, "candidate.db")

    def start(self, command, *flags, engine=QUICK_ENGINE, environment=None, place=tuple(PLACE)):
        words = [SERVER] + ([command] if command else []) + ["--database", self.database]
        if command != "push":
            words += [*ALONE, *place, "--engine", engine]
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("PENNYWORTH_", "http", "HTTP"))}
        clean["PENNYWORTH_HASTE"] = str(HASTE)
        clean["PENNYWORTH_BATCH_SIZE"] = "32"  # else an engine is started twice for a run
        process = Running(words + list(flags), {**clean, **(environment or {})}, self.folder)
        self.case.addCleanup(process.end)
        return process

    def run(self, command, *flags, **options):
        return self.start(command, *flags, **options).wait()


class Running:
    def __init__(self, words, environment, folder):
        self.files = [tempfile.TemporaryFile(dir=folder) for _ in range(2)]
        self.process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL,
                                        stdout=self.files[0], stderr=self.files[1])

    def text(self, which):
        size = os.fstat(self.files[which].fileno()).st_size
        return os.pread(self.files[which].fileno(), size, 0).decode()

    def tells(self, pattern):
        return until(lambda: re.search(pattern, self.text(1)) or self.over(pattern), pattern)

    def over(self, pattern):
        if self.process.poll() is not None and not re.search(pattern, self.text(1)):
            raise AssertionError(f"{self.process.returncode}, no {pattern}: {self.text(1)}")

    def send(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self

    def give_up(self, reason):
        """Ends it once it waits for the hub and has logged the reason."""
        self.tells("waiting for the hub .*" + reason)
        return self.send().wait()

    def wait(self, seconds=PATIENCE):
        status = self.process.wait(seconds)
        return Ended(status, self.text(0), self.text(1))

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for file in self.files:
            file.close()


class FakeHub:
    """Answers from a script: `script` is a list of (status, headers, body), where a body of None
    is a report that all was stored; the last one stays."""

    def __init__(self, case, *script, certificate=None):
        self.script = list(script)
        self.requests = []  # (path, headers, ids)
        self.events = []  # preemptions
        self.event_status = 201
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # or a client waits a second for "100 Continue"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/v1/capacity":
                    hub.events.append(json.loads(body))
                    self.answer(hub.event_status, {"Content-Type": "application/json"}, "{}")
                    return
                ids = [json.loads(line)["id"] for line in body.decode().splitlines()]
                status, headers, answer = hub.script[min(len(hub.requests),
                                                         len(hub.script) - 1)]
                hub.requests.append((self.path, dict(self.headers), ids))
                if answer is None:
                    answer = json.dumps({"imported": len(ids), "known": 0, "refused": 0,
                                         "errors": []})
                self.answer(status, {"Content-Type": "application/json", **headers}, answer)

            def answer(self, status, headers, answer):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer.encode())

            def log_message(self, *_words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{port}"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            self.url = f"https://127.0.0.1:{port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        case.addCleanup(self.server.server_close)
        case.addCleanup(self.server.shutdown)


GOOD = (200, {}, None)

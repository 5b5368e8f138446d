"""The real server under test: started on a free port with a database of its own, asked over
loopback, stopped with a look at its exit status and at what the sanitizers have to say."""
import atexit
import contextlib
import http.client
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from urllib.parse import urlencode

from http_clients import Events, Raw, Reply
from waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[2]
# No feed is read, no cloud asked and nothing of others loaded unless a test's flags, which come
# later and win, say so.
ALONE = ["--feed", "all=off", "--metadata", "off", "--published", "off"]
FINAL = {"finished", "failed", "cancelled", "interrupted", "preempted"}
STATES = FINAL | {"queued", "running"}
SANITIZER = re.compile(r"Sanitizer|runtime error:")

# What the engine native trains, in the order of its messages.
WORKLOADS = ["resnet50", "mlp2017", "cnn2017", "cifar2017", "fasttext2017", "fasttext2017_unigrams",
             "bilstm2017", "lstm2017", "textgen2017", "gpt2", "gpt2_tiny"]

# What a test trains unless it names a workload.
SMALL = {"workload": "mlp2017", "batch_size": 32}


def program(variable):
    path = os.environ.get(variable)
    if not path:
        raise SystemExit(f"{variable} is not set; tests/api/README.md says how to run this")
    return str(Path(path).resolve())


SERVER = program("PENNYWORTH_TEST_SERVER")
FAKE = program("PENNYWORTH_TEST_FAKE")
WORKER = program("PENNYWORTH_TEST_WORKER")


def _is_sanitized():
    binary = Path(SERVER).read_bytes()
    return b"__asan_init" in binary or b"__tsan_init" in binary


SANITIZED = _is_sanitized()  # then memory and speed say nothing
SHARE = "PENNYWORTH_TEST_SEED" in os.environ  # of ./test, which leaves the largest cases to ./test all


def fake(behaviour, milliseconds=1):
    return f"{FAKE} {behaviour} {milliseconds}"


def surroundings(more=None):
    """Our environment without the variables of pennyworth, and with these."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PENNYWORTH_")}
    return {**clean, **(more or {})}


def pennyworth(*words, environment=None):
    """A command of the program, from its start to its end."""
    return subprocess.run([SERVER, *map(str, words)], env=surroundings(environment), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)


def raise_open_files(wanted):
    """Lets this process open `wanted` files; skips the test where that is not allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return
    if hard < wanted:
        raise unittest.SkipTest(f"only {hard} open files are allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def worker_pids(run_ids):
    """Living processes that were started for one of these runs, descendants included."""
    wanted = {b"PENNYWORTH_RUN=" + run_id.encode() for run_id in run_ids}
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if wanted.intersection(environment):
            found.append(int(entry.name))
    return found


class Server:
    """server = Server(engines={"ok": fake("ok")}).start(); ... server.stop()"""

    def __init__(self, *flags, engines=None, database=None, environment=None, open_files=None,
                 listen="127.0.0.1", account=None, token=None, haste=1):
        self.folder = None
        if database is None:
            self.folder = tempfile.mkdtemp(prefix="pennyworth-")
            database = os.path.join(self.folder, "test.db")
        self.database = database
        self.flags = list(flags)
        self.engines = engines if engines is not None else {"ok": fake("ok")}
        self.environment = dict(environment or {})
        if haste > 1:  # its own pauses are so many times shorter
            self.environment["PENNYWORTH_HASTE"] = str(haste)
        if token:  # that may do all, and which every request has
            self.environment["PENNYWORTH_WRITE_TOKEN"] = token
        self.open_files = open_files
        self.listen = listen
        self.account = account or {}  # user and groups, as Popen() has them
        self.token = token  # sent with every request when set
        self.process = None
        self.port = None
        self.log = ""
        self.log_file = None
        atexit.register(self._clean)

    def _clean(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.log_file:
            self.log_file.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def command(self):
        words = [SERVER, "--listen", self.listen, "--port", "0", "--database", self.database]
        words += ALONE
        for name, command in self.engines.items():
            words += ["--engine", f"{name}={command}"]
        return words + self.flags

    def _limit(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, self.open_files)

    def launch(self):
        """Starts the process without waiting until it listens."""
        with tempfile.TemporaryFile() as log:
            if self.log_file:
                self.log_file.close()
            self.log_file = os.fdopen(os.dup(log.fileno()), "rb")
            self.process = subprocess.Popen(self.command(), env=surroundings(self.environment), stderr=log,
                                            stdin=subprocess.DEVNULL,
                                            preexec_fn=self.open_files and self._limit,
                                            **self.account)
        self.log = ""
        self.port = None
        return self

    def read_log(self):
        size = os.fstat(self.log_file.fileno()).st_size
        self.log = os.pread(self.log_file.fileno(), size, 0).decode(errors="replace")
        return self.log

    def listens(self):
        """The port, once the log tells it; None when the process has ended instead."""
        address = re.search(r"listening on https?://\S+:(\d+) ", self.read_log())
        if address:
            self.port = int(address[1])
        return self.port

    def start(self):
        self.launch()
        until(lambda: self.listens() or self.process.poll() is not None, "listening", pause=0.002)
        if not self.port:
            raise AssertionError(f"the server ended with {self.process.returncode}: {self.log}")
        return self

    def check_log(self):
        if SANITIZER.search(self.read_log()):
            raise AssertionError(self.log)

    def stop(self, number=signal.SIGTERM, seconds=PATIENCE):
        """Stops it as its owner would, and wants a good end. Returns how long that took."""
        if self.process is None or self.process.returncode is not None:
            return 0
        began = time.monotonic()
        self.process.send_signal(number)
        status = self.process.wait(seconds)
        took = time.monotonic() - began
        self.check_log()
        if status != 0:
            raise AssertionError(f"exit status {status}: {self.log}")
        return took

    def kill(self):
        """kill -9; whatever state it leaves behind is the test's business."""
        self.process.kill()
        self.process.wait()
        self.check_log()

    def connection(self, timeout=PATIENCE, source=None):
        return http.client.HTTPConnection(self.listen, self.port, timeout,
                                          source and (source, 0))

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def raw(self, **options):
        return Raw((self.listen, self.port), **options)

    def reply_to(self, data):
        """The answer to what may be no request, on a connection of its own."""
        with self.raw() as raw:
            return raw.send(data).reply()

    def request(self, method, path, body=None, headers=None, source=None, timeout=PATIENCE):
        connection = self.connection(timeout, source)
        headers = dict(headers or {})
        if self.token:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        try:
            connection.request(method, path, body, headers)
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        """Header names are written with '_' for '-'."""
        return self.request("GET", path, headers=_spelled(headers))

    def ask(self, path, **question):
        """What is answered in JSON to a question that is a good one."""
        reply = self.get(path + ("?" + urlencode(question, doseq=True) if question else ""))
        if reply.status != 200:
            raise AssertionError(reply)
        return reply.json()

    def delete(self, path, **headers):
        return self.request("DELETE", path, headers=_spelled(headers))

    def post(self, spec, query="", path="/v1/runs", **headers):
        body = spec if isinstance(spec, (bytes, str)) else json.dumps(spec)
        return self.request("POST", path + query, body,
                            {"Content-Type": "application/json", **_spelled(headers)})

    def create(self, path, body, query="", **headers):
        """What the server answers to a body from which it makes something new."""
        reply = self.post(body, query, path, **headers)
        if reply.status != 201:
            raise AssertionError(reply)
        return reply.json()

    def queue(self, engine="ok", **fields):
        """Posts a run that must be accepted; returns its id."""
        return self.create("/v1/runs", {
            **({} if "workload" in fields else SMALL), "precision": "f32", "engine": engine,
            "warmup_steps": 0, "steps": 3, **fields})["id"]

    def begin(self, engine="slow", **fields):
        """The id of a run that does not end by itself, once it is under way."""
        run_id = self.queue(engine, **{"steps": 100000, "max_seconds": 3600, **fields})
        self.wait(run_id, {"running"})
        return run_id

    def begin_steps(self, engine="slow", **fields):
        """The same, once a step of it is stored."""
        run_id = self.begin(engine, **fields)
        until(lambda: self.steps(run_id), "a step is stored")
        return run_id

    def cancel(self, run_id):
        """The run, once it has ended by that."""
        self.delete(f"/v1/runs/{run_id}")
        return self.wait(run_id)

    def show(self, run_id):
        return self.ask(f"/v1/runs/{run_id}")

    def steps(self, run_id):
        return self.ask(f"/v1/runs/{run_id}/steps")["steps"]

    def price(self, instance, dollars, **fields):
        """Enters what an hour of a type costs; returns the price as it is stored."""
        body = {"instance_type": instance, "price_per_hour": dollars, **fields}
        return self.create("/v1/prices", body)["prices"][0]

    def wait(self, run_id, states=FINAL, seconds=PATIENCE):
        """The run, once it is in one of the states."""
        def arrived():
            run = self.show(run_id)
            return run if run["state"] in states else None
        return until(arrived, f"run {run_id} is {states}", seconds)

    def run(self, engine="ok", **fields):
        """A run from its request to its end."""
        return self.wait(self.queue(engine, **fields))

    def sql(self, statement, *values):
        """What another program reads from its database, or writes into it."""
        with contextlib.closing(sqlite3.connect(self.database, timeout=PATIENCE)) as database, database:
            return database.execute(statement, values).fetchall()

    def wait_for_sweep(self, sweep_id, states=("finished", "cancelled")):
        """The sweep, once it is in one of the states."""
        def arrived():
            sweep = self.ask(f"/v1/sweeps/{sweep_id}")
            return sweep if sweep["state"] in states else None
        return until(arrived, f"sweep {sweep_id} is {states}", pause=0.05)

    def runs_of_sweep(self, sweep_id):
        return [run for cell in self.ask(f"/v1/sweeps/{sweep_id}")["cells"] for run in cell["runs"]]

    def metrics(self):
        """Samples by name and labels, as they are written."""
        lines = self.get("/metrics").body.decode().splitlines()
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
                for line in lines if line and not line.startswith("#")}

    def watchers(self):
        """How many clients wait for an end, or read events."""
        return self.metrics()["pennyworth_watchers"]

    def memory(self, which="VmRSS"):
        """Kibibytes; VmHWM is the most there ever were."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{which}:\s+(\d+)", status)[1])

    def processor_seconds(self):
        """How long its threads have run, together."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def socket_mib(self):
        """What the kernel has queued in the server's connections, at both ends."""
        end, queued = f":{self.port:04X}", 0
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, _, queues, *_ = line.split()
            if end in (local[-5:], remote[-5:]):
                queued += sum(int(queue, 16) for queue in queues.split(":"))
        return queued / 2**20

    @staticmethod
    def _target(link):
        try:
            return os.readlink(link)
        except FileNotFoundError:  # closed meanwhile
            return ""

    def descriptors(self, kind=""):
        """How many it has open (of a kind, "socket:"), without files of the database: SQLite opens the
        log of a handle when that is first used, which is no leak."""
        folder = f"/proc/{self.process.pid}/fd"
        try:
            targets = [self._target(f"{folder}/{name}") for name in os.listdir(folder)]
            return sum(target.startswith(kind) and not target.startswith(str(self.database))
                       for target in targets)
        except PermissionError:  # a server that is not sanitized hides itself
            raise unittest.SkipTest("only root sees which descriptors the server has") from None


def _spelled(headers):
    return {name.replace("_", "-"): value for name, value in headers.items()}


def pages(ask, **question):
    """The pages of a list, one after another, where ask() answers with a page."""
    cursor = {}
    while cursor is not None:
        page = ask(**question, **cursor)
        yield page
        cursor = page["next_cursor"] and {"cursor": page["next_cursor"]}


def together(count, action):
    """action(0) ... action(count - 1) at once, each in its thread; their results in order."""
    results = [None] * count
    gate = threading.Barrier(count)

    def one(index):
        gate.wait()
        try:
            results[index] = action(index)
        except Exception as problem:  # raised again below, where it is seen
            results[index] = problem

    threads = [threading.Thread(target=one, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


class Case(unittest.TestCase):
    """Tests that start what servers they need."""

    def new_folder(self):
        """One that goes away with the test."""
        return Path(self.enterContext(tempfile.TemporaryDirectory(prefix="pennyworth-")))

    def own_server(self, *flags, **options):
        """Another server, for this test alone; stopped, with all checks, after it."""
        return self.running(Server(*flags, **options))

    def running(self, server):
        """The same for a server of any class."""
        self.addCleanup(server.stop)
        return server.start()

    def following(self, server, name, headers=None, **options):
        """A reader of events, which is closed behind the test."""
        reader = Events(server, name, headers, **options)
        self.addCleanup(reader.close)
        return reader

    def command(self, *words, status=0, **options):
        """A command of the program that ends with this status."""
        done = pennyworth(*words, **options)
        self.assertEqual(status, done.returncode, done)
        return done

    def assertProblem(self, reply, status, kind=None, field=None):
        self.assertEqual(status, reply.status, reply)
        self.assertEqual("application/problem+json", reply.headers["content-type"])
        problem = reply.json()
        self.assertEqual(status, problem["status"])
        if kind:
            self.assertEqual("urn:pennyworth:problem:" + kind, problem["type"])
        self.assertEqual(field, problem.get("field"))
        if field:  # who reads only the sentence knows which field too
            self.assertTrue(problem["detail"].startswith(field + ": "), problem)
        return problem


class ServerCase(Case):
    """Tests that share one server; KIND, FLAGS, ENGINES, ENVIRONMENT, TOKEN and HASTE say which."""
    KIND = Server
    FLAGS = ()
    HASTE = 1
    ENGINES = None
    ENVIRONMENT = None
    TOKEN = None
    server = None

    @classmethod
    def setUpClass(cls):
        cls.server = cls.KIND(*cls.FLAGS, engines=cls.ENGINES, environment=cls.ENVIRONMENT,
                              token=cls.TOKEN, haste=cls.HASTE).start()
        cls.addClassCleanup(cls.server.stop)
        cls.prepare()

    @classmethod
    def prepare(cls):
        """What the server has before the first test."""

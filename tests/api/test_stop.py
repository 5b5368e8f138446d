"""Ends and beginnings of the process: asked to stop, killed, started twice."""
import os
import re
import signal
import subprocess
import time

import harness
from http_clients import story
from harness import SERVER, Server, fake, together, until, worker_pids

ENGINES = {"ok": fake("ok"), "slow": fake("slow", 50), "stubborn": fake("stubborn"),
           "family": fake("family")}


class Case(harness.Case):
    def serve(self, *flags, **options):
        return self.own_server(*flags, engines=ENGINES, haste=20, **options)

    def busy(self, server, engine):
        """A run under way that has stored a step, and three that wait for it."""
        running, queued = server.begin_steps(engine), [server.queue(steps=2) for _ in range(3)]
        until(lambda: worker_pids([running]), "the worker lives")
        return running, queued

    def check_resumed(self, server, running, queued, reason):
        run = server.show(running)
        self.assertEqual("interrupted", run["state"], run)
        self.assertIn(reason, run["reason"])
        self.assertGreater(run["steps_stored"], 0)
        ended = [server.wait(run_id) for run_id in queued]
        self.assertEqual(["finished"] * len(queued), [run["state"] for run in ended])
        starts = [run["started_at"] for run in ended]
        self.assertEqual(sorted(starts), starts)


class Stopping(Case):
    def test_a_signal_ends_the_run_and_the_queue_goes_on_later(self):
        for engine in ("slow", "stubborn", "family"):
            for number in (signal.SIGTERM, signal.SIGINT):
                with self.subTest(f"{engine} {number}"):
                    server = self.serve()
                    running, queued = self.busy(server, engine)
                    server.stop(number)
                    self.assertEqual([], worker_pids([running, *queued]))
                    server.start()
                    self.check_resumed(server, running, queued, "stopped during the run")
                    server.stop()

    def test_an_idle_server_stops_while_a_client_stays(self):
        server = self.serve("--idle-seconds", "3600")
        with server.raw() as raw:
            raw.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").reply()
            server.stop()
            self.assertEqual(b"", raw.rest())

    def test_waiting_clients_are_answered(self):
        server = self.serve()
        running, queued = self.busy(server, "slow")
        held = [server.raw() for _ in range(3)]
        for raw, run_id in zip(held, [running, *queued]):
            raw.send(f"GET /v1/runs/{run_id}?wait=600 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        reader = self.following(server, running)
        until(lambda: server.watchers() == 4, "all wait")
        server.stop()
        states = [raw.reply().json()["state"] for raw in held]
        self.assertEqual(["interrupted", "queued", "queued"], states)
        for raw in held:
            raw.close()
        self.assertEqual(["queued", "running", "interrupted"], story(reader))

    def test_a_server_that_stops_takes_no_work(self):
        server = self.serve()
        running, _ = self.busy(server, "stubborn")
        body = '{"engine":"ok"}'
        with server.raw() as raw:
            ready = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            self.assertEqual(200, raw.send(ready).reply().status)
            server.process.send_signal(signal.SIGTERM)
            until(lambda: raw.send(ready).reply().status == 503, "it has heard")
            raw.send("POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n{body}")
            reply = raw.reply()
            self.assertEqual((503, "urn:pennyworth:problem:stopping"),
                             (reply.status, reply.json()["type"]))
            server.stop()
        server.start()
        self.assertEqual("interrupted", server.show(running)["state"])

    def test_a_stop_right_after_the_start_is_clean(self):
        for pause in (0, 0.001, 0.003, 0.01, 0.03):
            server = Server(engines=ENGINES).launch()
            self.addCleanup(server.stop)
            until(lambda server=server: server.listens(), "listening", pause=0.0005)
            time.sleep(pause)
            server.stop()


class Killed(Case):
    def test_the_worker_dies_with_the_server_and_the_queue_goes_on(self):
        for engine in ("slow", "stubborn"):
            with self.subTest(engine):
                server = self.serve()
                running, queued = self.busy(server, engine)
                server.kill()
                until(lambda run=running: not worker_pids([run]), "the worker is gone")
                server.start()
                self.check_resumed(server, running, queued, "killed, or lost power")
                server.stop()

    def test_files_of_a_dead_worker_are_removed(self):
        server = self.serve()
        running, queued = self.busy(server, "family")
        self.assertEqual(2, len(worker_pids([running])))
        server.kill()
        until(lambda: len(worker_pids([running])) <= 1, "the worker is gone")
        server.start()  # the grandchild knew of no death until now
        self.assertRegex(server.read_log(), f"run {running} .*processes_killed=1")
        until(lambda: not worker_pids([running]), "the grandchild is gone too")
        self.check_resumed(server, running, queued, "killed, or lost power")

    def test_a_key_is_remembered_over_a_kill(self):
        server = self.serve()
        spec = {"engine": "ok", "steps": 2}
        first = server.post(spec, Idempotency_Key="before")
        server.kill()
        server.start()
        again = server.post(spec, Idempotency_Key="before")
        self.assertEqual((201, first.body), (again.status, again.body))
        self.assertIn(server.wait(first.json()["id"])["state"], {"finished", "interrupted"})


class Starting(Case):
    def run_to_end(self, server):
        server.launch()
        status = server.process.wait(60)
        server.check_log()
        return status, server.log

    def test_a_database_has_one_server(self):
        server = self.serve()
        status, log = self.run_to_end(Server(database=server.database))
        self.assertEqual(1, status)
        self.assertIn("another pennyworth uses the database", log)
        self.assertEqual("finished", server.run()["state"])
        server.kill()
        server.start()  # a dead one holds nothing

    def check_second_is_refused(self, server, name):
        """A second server by this name, which leaves the first one's run alone."""
        running = server.begin("slow")
        status, log = self.run_to_end(Server(database=name))
        self.assertEqual(1, status, log)
        self.assertIn("another pennyworth uses the database", log)
        self.assertEqual("running", server.show(running)["state"])
        server.cancel(running)

    def test_a_database_whose_lock_file_was_deleted_has_one_server(self):
        server = self.serve()
        os.remove(server.database + ".lock")
        self.check_second_is_refused(server, server.database)
        os.remove(server.database + ".lock")
        # Commands that run meanwhile do not release the server's lock by closing a descriptor.
        for _ in range(2):
            copy = os.path.join(server.folder, f"copy{time.monotonic_ns()}")
            self.command("backup", copy, "--database", server.database)

        def restore():
            done = self.command("restore", copy, "--replace", "on", "--database", server.database, status=1)
            self.assertIn("stop it first", done.stderr)
        together(2, lambda index: restore() if index else
                 self.check_second_is_refused(server, server.database))

    def test_a_restored_database_is_held_too(self):
        """The file that was locked first is not the one that is served."""
        server = self.serve()
        server.stop()
        copy = os.path.join(server.folder, "copy")
        self.command("backup", copy, "--database", server.database)
        os.rename(copy, server.database + ".restored")  # a restore that was cut short
        server.start()
        os.remove(server.database + ".lock")
        self.check_second_is_refused(server, server.database)

    def test_a_command_on_another_name_of_a_database_in_use_is_refused(self):
        """By a hard link SQLite has another log: what is written there is lost."""
        server = self.serve()
        name = os.path.join(server.folder, "other.db")
        os.link(server.database, name)
        push = ("push", "--report-to", "http://127.0.0.1:9", "--database")
        self.assertIn("hard link", self.command(*push, name, status=1).stderr)
        self.command(*push, server.database)

    def test_too_few_open_files_are_refused_with_how_many_are_needed(self):
        """It must not spin on accepts that fail."""
        done = subprocess.run(["bash", "-c", 'ulimit -n 20; exec "$@"', "-", SERVER, "--database",
                               os.path.join(Server().folder, "few.db"), "--port", "0"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertRegex(done.stderr, r"no more than 20 files may be open .*needs 80")

    def test_a_port_has_one_server(self):
        server = self.serve()
        status, log = self.run_to_end(Server("--port", str(server.port)))
        self.assertEqual(1, status)
        self.assertRegex(log, rf"--port .*{server.port}.*in use")

    def test_a_folder_that_is_not_there_is_refused_and_the_usual_one_is_made(self):
        folder = self.new_folder()
        done = self.command("--database", f"{folder}/a/b/c.db", "--port", "0", status=2)
        self.assertIn(f"--database there is no folder {folder}/a/b: make it first", done.stderr)
        self.assertEqual([], os.listdir(folder))
        other = self.serve(database="", environment={"XDG_STATE_HOME": f"{folder}/state"})
        self.assertEqual("finished", other.run()["state"])
        self.assertEqual(0o700, os.stat(f"{folder}/state/pennyworth").st_mode & 0o777)

    def test_help_and_version_are_printed(self):
        done = self.command("-h")
        self.assertEqual("", done.stderr)
        self.assertIn("PENNYWORTH_WRITE_TOKEN", done.stdout)
        done = self.command("--port", "x", "--version")
        self.assertTrue(re.fullmatch(r"pennyworth \d+\.\d+\.\d+\n", done.stdout), done.stdout)

"""Backups: made while the server works, by command and by request, restored, and refused."""
import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import threading
from pathlib import Path

from harness import SERVER, Server, ServerCase, fake, until
from run_documents import document, export, ids, take_in, unsigned

TOKEN = "token-of-a-test-that-may-write"


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def make_larger_than_buffers(server):
    """So large that the kernel never holds all of it for a client that does not read."""
    held = int(Path("/proc/sys/net/ipv4/tcp_wmem").read_text().split()[2])
    server.sql("CREATE TABLE ballast (bytes BLOB)")
    server.sql("INSERT INTO ballast VALUES (zeroblob(?))", held + 4_000_000)


class BackupCase(ServerCase):
    def setUp(self):
        self.folder = self.new_folder()

    def path(self, name):
        return os.path.join(self.folder, name)

    def restored(self, backup, name="restored.db"):
        """A server on the database that a backup becomes."""
        there = self.path(name)
        self.assertEqual("", self.command("restore", backup, "--database", there).stderr)
        return self.own_server(database=there)

    def assertRefused(self, words, *said):
        done = self.command(*words, status=1)
        self.assertEqual("", done.stdout)
        for word in said:
            self.assertIn(word, done.stderr)


class WhileItWorks(BackupCase):
    TOKEN = TOKEN
    ENGINES = {"ok": fake("ok"), "slow": fake("slow", 20)}

    @classmethod
    def prepare(cls):
        take_in(cls.server, map(document, range(200)))
        cls.server.run(steps=50, labels={"a": "b"})

    def test_by_command_and_by_request_it_restores_to_the_same_export(self):
        before = export(self.server)
        done = self.command("backup", self.path("one.db"), "--database", self.server.database)
        self.assertEqual("", done.stderr)
        self.assertIn("201 runs", done.stdout)
        reply = self.server.get("/v1/backup")
        self.assertEqual(200, reply.status)
        self.assertEqual("application/vnd.sqlite3", reply.headers["content-type"])
        self.assertRegex(reply.headers["content-disposition"],
                         r'^attachment; filename="pennyworth-\d{8}T\d{6}Z\.db"$')
        Path(self.path("two.db")).write_bytes(reply.body)
        self.assertEqual(["one.db", "two.db"], sorted(os.listdir(self.folder)))
        for name in ("one.db", "two.db"):
            there = self.restored(self.path(name), "of-" + name)
            # A backup has no key: the new database signs what was measured with its own.
            self.assertEqual(hashlib.sha256(unsigned(before)).hexdigest(),
                             hashlib.sha256(unsigned(export(there))).hexdigest())
            for path in ("/v1/machines", "/v1/figures", "/v1/runs?limit=200"):
                self.assertEqual(self.server.get(path).body, there.get(path).body)
        self.assertEqual(0o600, os.stat(self.path("one.db")).st_mode & 0o7777)
        self.assertFalse([name for name in os.listdir(os.path.dirname(self.server.database))
                          if ".copy" in name])

    def test_what_comes_meanwhile_is_in_it_or_not_but_whole(self):
        server = self.own_server(engines=self.ENGINES, token=TOKEN)
        take_in(server, map(document, range(1500)))
        running = server.begin_steps("slow")
        stop = threading.Event()

        def load():
            number = 2000
            while not stop.is_set():
                take_in(server, map(document, range(number, number + 20)))
                number += 20
        thread = threading.Thread(target=load)
        thread.start()
        acknowledged, copies = [], []
        for turn in range(3):
            acknowledged.append(set(ids(export(server))))
            target = self.path(f"{turn}.db")
            if turn == 1:
                Path(target).write_bytes(server.get("/v1/backup").body)
            else:
                self.command("backup", target, "--database", server.database)
            copies.append(target)
        stop.set()
        thread.join()
        self.assertIn(f"while run {running} is measured", server.read_log())
        server.cancel(running)
        everything = export(server)
        for known, target in zip(acknowledged, copies):
            there = self.restored(target, "of-" + os.path.basename(target))
            found = export(there)
            self.assertLessEqual(known, set(ids(found)))
            self.assertTrue(everything.startswith(found))  # byte by byte
            self.assertEqual("interrupted", there.show(running)["state"])

    def test_one_backup_at_a_time_and_hanging_up_frees_the_slot(self):
        server = self.own_server(token=TOKEN)
        make_larger_than_buffers(server)
        with server.raw() as raw:
            raw.send(f"GET /v1/backup HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n")
            self.assertIn(b" 200 ", raw.stream.readline())  # this one is the first
            busy = server.get("/v1/backup")
            self.assertProblem(busy, 503, "busy")
            self.assertIn("retry-after", busy.headers)
        until(lambda: server.get("/v1/backup").status == 200, "room again", pause=0.1)
        self.assertEqual(200, server.get("/v1/runs").status)


class ByCommand(BackupCase):
    def backup(self):
        target = self.path("backup")
        self.command("backup", target, "--database", self.server.database)
        return target

    def test_nothing_is_overwritten_and_nothing_half_is_left(self):
        target = self.backup()
        was = digest(target)
        self.assertRefused(("backup", target, "--database", self.server.database),
                           target, "already")
        self.assertEqual(was, digest(target))
        self.assertRefused(("backup", self.path("no/file"), "--database", self.server.database), "No such file")
        self.assertRefused(("backup", "-", "--database", self.server.database), "a file")
        self.assertRefused(("backup", self.path("x"), "--database", self.path("none.db")),
                           "there is no database")
        self.assertEqual(["backup"], os.listdir(self.folder))

    def test_a_database_in_use_is_not_restored_over(self):
        target = self.backup()
        self.assertRefused(("restore", target, "--replace", "on", "--database", self.server.database), "stop it first")
        self.assertEqual(200, self.server.get("/readyz").status)

    def test_the_old_one_is_put_aside(self):
        server = Server(database=self.path("runs.db")).start()
        take_in(server, map(document, range(5)))
        target = self.path("backup")
        self.command("backup", target, "--database", server.database)
        take_in(server, map(document, range(5, 10)))
        server.kill()
        was = digest(target)
        self.assertRefused(("restore", target, "--database", server.database), "--replace")
        done = self.command("restore", target, "--replace", "on", "--database", server.database)
        self.assertEqual("", done.stderr)
        aside = done.stdout.split()[-1]
        self.assertIn("runs.db.replaced-", aside)
        self.assertEqual(was, digest(target))
        server.start()
        self.assertEqual(5, export(server).count(b"\n"))
        server.stop()
        with sqlite3.connect(aside) as old:  # with what was in its log
            self.assertEqual((10,), old.execute("SELECT count(*) FROM runs").fetchone())

    def test_a_restore_that_was_decided_is_finished_by_the_next_start(self):
        target = self.backup()
        server = Server(database=self.path("runs.db")).start()
        take_in(server, map(document, range(5, 10)))
        server.stop()
        shutil.copy(target, server.database + ".restored")
        self.assertRefused(("check", "--database", server.database), "was not finished")
        self.assertRefused(("backup", self.path("x"), "--database", server.database),
                           "was not finished")
        server.start()
        self.assertIn("is finished now", server.read_log())
        self.assertEqual(b"", export(server))
        server.stop()
        self.assertTrue([name for name in os.listdir(self.folder) if "replaced" in name])

    def test_a_signal_leaves_nothing(self):
        big = self.path("big.db")
        shutil.copy(self.backup(), big)
        os.remove(self.path("backup"))
        with sqlite3.connect(big) as database:
            database.execute("CREATE TABLE filler (x)")
            database.executemany("INSERT INTO filler VALUES (?)",
                                 ((b"x" * 1000000,) for _ in range(120)))
        database.close()
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([SERVER, "backup", self.path("copy"), "--database", big],
                                       stderr=subprocess.PIPE, text=True)
            until(lambda: os.path.exists(self.path("copy.part")), "it has begun", pause=0.0005)
            process.send_signal(number)
            _, words = process.communicate(timeout=30)
            self.assertEqual(1, process.returncode)
            self.assertIn("stopped", words)
            self.assertEqual(["big.db"], sorted(os.listdir(self.folder)))

    def test_check_says_ok_or_what_is_wrong(self):
        target = self.backup()
        self.assertTrue(self.command("check", "--database", target).stdout.endswith("\nok\n"))
        self.command("check", "--database", self.server.database)
        content = bytearray(Path(target).read_bytes())
        content[5 * 4096:6 * 4096] = bytes(4096)
        Path(target).write_bytes(content)
        self.assertRefused(("check", "--database", target), target, "cannot be relied on",
                           "pennyworth restore FILE --replace on")
        self.assertEqual(bytes(content), Path(target).read_bytes())
        with sqlite3.connect(self.path("other")) as other:
            other.execute("CREATE TABLE t (x)")
        self.assertRefused(("check", "--database", self.path("other")), "another program")

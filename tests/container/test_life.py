"""A server in the image, from its start to its end: it serves, measures, is stopped and killed in the
middle of a run, and goes on with what its volume holds."""
import gzip
import sys
import unittest

from runtime import ENGINE, RUNTIME, need_image
from server import until

USER = 10001
SHORT = {"workload": "resnet50", "batch_size": 2, "threads": 1, "warmup_steps": 0, "steps": 2}
DATABASE = "pennyworth/pennyworth.db"


def setUpModule():
    need_image()


class Serving(unittest.TestCase):
    def serve(self, **options):
        server = RUNTIME.server(**options)
        self.addCleanup(server.clean)
        took = server.start()
        print(f"image: ready after {took:.0f} ms", file=sys.stderr)
        return server

    def test_it_serves_and_measures_and_ends(self):
        server = self.serve()
        status, kind, page = server.ask("GET", "/")
        self.assertEqual((200, "text/html; charset=utf-8"), (status, kind))
        self.assertIn(b"<html", gzip.decompress(page) if page[:2] == b"\x1f\x8b" else page)
        run = server.run(**SHORT)
        self.assertEqual("finished", run["state"], run)
        self.assertGreater(run["summary"]["samples_per_second"], 0)
        self.assertEqual(USER, server.owner_of(DATABASE))
        self.assertTrue(server.is_first_process())
        self.assertEqual(0, server.stop(), server.log())
        server.start()
        self.assertEqual(run["summary"], server.show(run["id"])["summary"])

    def test_stopped_in_the_middle_of_a_run_it_ends_and_calls_the_run_interrupted(self):
        server = self.serve()
        run_id = server.begin_long()
        self.assertEqual(0, server.stop(), server.log())
        server.start()
        self.assertEqual("interrupted", server.show(run_id)["state"])

    def test_killed_in_the_middle_of_a_run_it_keeps_what_was_stored_and_measures_again(self):
        server = self.serve()
        before = server.run(**SHORT)
        run_id = server.begin_long()
        self.assertNotEqual(0, server.kill())
        server.start()
        self.assertEqual("interrupted", server.show(run_id)["state"])
        self.assertEqual(before["summary"], server.show(before["id"])["summary"])
        self.assertEqual("finished", server.run(**SHORT)["state"])

    def test_the_command_health_says_whether_it_serves(self):
        server = self.serve()
        answer = server.inside("/usr/bin/pennyworth", "health")
        self.assertEqual((0, ""), (answer.returncode, answer.stderr))
        # The same question at a port where nothing listens.
        answer = server.inside("/usr/bin/pennyworth", "health", "--port", "9")
        self.assertEqual(1, answer.returncode)
        self.assertIn("/readyz", answer.stderr)


@unittest.skipUnless(ENGINE, "only an engine asks for health by itself")
class Health(unittest.TestCase):
    # What the image asks every 30 s is asked each second, and one failure is enough.
    OFTEN = ("--health-interval", "1s", "--health-retries", "1", "--health-start-period", "1s")

    def test_a_server_is_healthy_also_while_it_measures(self):
        server = RUNTIME.server(run=self.OFTEN)
        self.addCleanup(server.clean)
        server.start()

        def health():
            return server.container.state()["Health"]
        until(lambda: health()["Status"] == "healthy", "a healthy server")
        server.begin_long()
        seen = len(health()["Log"])
        checked = health()["Log"][-1]["End"]
        until(lambda: health()["Log"][-1]["End"] > checked, f"another check after {seen}")
        self.assertEqual("healthy", health()["Status"], health())

    def test_a_server_that_does_not_answer_is_unhealthy(self):
        # The check asks where PENNYWORTH_PORT says; a flag of the server is unknown to it.
        server = RUNTIME.server("--port", "8081", run=(*self.OFTEN, "-p", "127.0.0.1::8081"))
        self.addCleanup(server.clean)
        server.begin_container()
        until(lambda: server.container.state()["Health"]["Status"] == "unhealthy", "unhealthy")
        self.assertIn("/readyz", server.container.state()["Health"]["Log"][-1]["Output"])

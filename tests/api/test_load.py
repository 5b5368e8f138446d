"""Who uses the processors now: GET /v1/machine/load."""
import json
import select
import unittest

from harness import Server, worker_pids
from neighbours import NAME, busy_neighbour, busy_script
from openapi import DescribedCase
from waiting import until

PATH = "/v1/machine/load"


class Load(DescribedCase):
    def named(self, name, server=None):
        """The answer once it names this process."""
        def look():
            load = (server or self.server).get(PATH).json()
            return any(one["name"] == name for one in load["processes"]) and load
        return until(look, f"{name} is named")

    def test_a_busy_process_is_named_with_its_share(self):
        with busy_neighbour():
            load = self.named(NAME)
        share = next(one["percent"] for one in load["processes"] if one["name"] == NAME)
        self.assertLessEqual(1, share)
        self.assertLessEqual(share, load["busy_percent"])
        self.assertIn(NAME, load["words"])
        self.assertEqual(load["advice"] == "fewer_threads", load["threads"] is not None)

    def test_the_answer_is_as_the_api_describes_it(self):
        self.ask(PATH)

    def test_our_own_worker_does_not_count(self):
        """It is as busy as the neighbour, who shows that the reading has both."""
        server = self.own_server(engines={"busy": busy_script(self.new_folder(), "busyworker")})
        run = server.queue("busy")
        until(lambda: worker_pids([run]), "the worker runs")
        with busy_neighbour():
            names = {one["name"] for one in self.named(NAME, server)["processes"]}
        self.assertNotIn("busyworker", names)


class Held(unittest.TestCase):
    """A server without an earlier question has one reading: the first answer waits for the second."""

    def overtaken(self):
        server = Server("--http-threads", "1").start()
        try:
            first = server.connection()
            first.request("GET", PATH)
            other = server.get("/v1/machine")
            self.assertEqual(200, other.status, other)
            early = not select.select([first.sock], [], [], 0)[0]
            reply = first.getresponse()
            self.assertEqual(200, reply.status)
            self.assertIn("words", json.loads(reply.read()))
            first.close()
            return early
        finally:
            server.stop()

    def test_others_are_answered_while_an_answer_is_held(self):
        until(self.overtaken, "another answer comes first")

    def test_a_server_that_stops_waits_for_none(self):
        server = Server().start()
        first = server.connection()
        first.request("GET", PATH)
        server.stop()
        first.close()

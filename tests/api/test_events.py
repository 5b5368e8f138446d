"""A run followed as it goes: the events that readers get, and that no reader disturbs others."""
import collections
import json
import socket
import time

from harness import SANITIZED, Case, ServerCase, fake, together, until
from http_clients import story

ENGINES = {"ok": fake("ok"), "slow": fake("slow", 20), "snail": fake("slow", 1000),
           "crash": fake("crash"), "fast": fake("ok", 0)}


class ReadingCase(ServerCase):
    ENGINES = ENGINES

    def events(self, run_id, **headers):
        return self.following(self.server, run_id, headers)


class Reading(ReadingCase):
    HASTE = 5

    def test_a_reader_sees_states_and_progress_and_the_end(self):
        run_id = self.server.queue("slow", steps=40)
        reader = self.events(run_id)
        self.assertEqual("text/event-stream", reader.response.headers["content-type"])
        events = list(reader)  # that this returns at all: the stream ends
        self.assertEqual(["queued", "running", "finished"], story(events))
        done = [data["steps_done"] for _, name, data in events if name == "progress"]
        self.assertGreater(len(done), 2)
        self.assertEqual(sorted(done), done)
        self.assertEqual({40}, {data["steps_planned"] for _, name, data in events
                                if name == "progress"})
        run = self.server.show(run_id)
        times = [data["at"] for _, name, data in events if name == "state"]
        self.assertEqual([run["created_at"], run["started_at"], run["ended_at"]], times)
        self.assertEqual("3-40", events[-1][0])

    def test_a_run_that_has_ended_is_sent_at_once(self):
        run = self.server.run("crash")
        events = list(self.events(run["id"]))
        self.assertEqual(["queued", "running", "failed"], story(events))
        self.assertEqual(run["reason"], events[-1][2]["reason"])

    def test_a_run_cancelled_in_the_queue_never_ran(self):
        first = self.server.queue("slow", steps=1000)
        run_id = self.server.queue()
        reader = self.events(run_id)
        self.server.delete(f"/v1/runs/{run_id}")
        self.assertEqual(["queued", "cancelled"], story(reader))
        self.server.delete(f"/v1/runs/{first}")

    def test_the_last_event_id_resumes_the_story(self):
        run_id = self.server.queue("slow", steps=40)
        reader = self.events(run_id)
        for identity, name, _ in reader:
            if name == "progress":
                break
        reader.close()
        resumed = list(self.events(run_id, Last_Event_ID=identity))  # not a header that clients send
        self.assertEqual(["queued", "running", "finished"], story(resumed))
        resumed = list(self.events(run_id, **{"Last-Event-ID": identity}))
        self.assertEqual(["finished"], story(resumed))
        for last, states in (("1-0", ["running", "finished"]), ("2-40", ["finished"]),
                           ("3-40", []), ("x", ["queued", "running", "finished"]),
                           ("9-9", ["queued", "running", "finished"])):
            again = story(self.events(run_id, **{"Last-Event-ID": last}))
            self.assertEqual(states, again, last)

    def test_a_reader_that_comes_back_while_it_runs_misses_no_state(self):
        run_id = self.server.queue("slow", steps=40)
        seen, identity = [], None
        while not seen or seen[-1] != "finished":
            reader = self.events(run_id, **({"Last-Event-ID": identity} if identity else {}))
            for count, (identity, name, data) in enumerate(reader):
                seen += [data["state"]] if name == "state" else []
                if count == 1:
                    break
            reader.close()
        self.assertEqual(["queued", "running", "finished"], seen)

    def test_an_id_from_the_future_is_ignored(self):
        run_id = self.server.queue("slow", steps=40)
        states = story(self.events(run_id, **{"Last-Event-ID": "3-40"}))
        self.assertEqual(["queued", "running", "finished"], states)

    def test_readers_that_hang_up_are_forgotten(self):
        run_id = self.server.begin("slow")
        sockets = self.server.descriptors("socket:")
        readers = [self.events(run_id) for _ in range(20)]
        self.assertEqual(20, self.server.watchers())
        for reader in readers:
            reader.close()
        until(lambda: self.server.watchers() == 0, "no watcher is left")
        until(lambda: self.server.descriptors("socket:") <= sockets, "no connection is left")
        self.server.cancel(run_id)

    def test_many_readers_of_a_fast_run_all_see_its_end(self):
        run_id = self.server.queue("fast", steps=20000)
        for events in together(30, lambda _: list(self.events(run_id))):
            self.assertEqual("finished", story(events)[-1])
        self.assertEqual("finished", self.server.wait(run_id)["state"])

    def test_a_head_leaves_no_watcher(self):
        run_id = self.server.run()["id"]
        path = f"/v1/runs/{run_id}/events"
        self.assertEqual(b"", self.server.request("HEAD", path).body)
        until(lambda: self.server.watchers() == 0, "a HEAD leaves no watcher")


class Silence(ReadingCase):
    """What a reader is sent, and how it is missed, while a run has no news."""
    HASTE = 20  # four seconds are a fifth of one

    def test_a_slow_worker_has_events_between_its_steps(self):
        run_id = self.server.queue("snail", steps=2)
        progress = [data for _, name, data in self.events(run_id) if name == "progress"]
        elapsed = [data["elapsed_seconds"] for data in progress]
        self.assertEqual(sorted(elapsed), elapsed)
        events = collections.Counter(data["steps_done"] for data in progress)
        for steps in (0, 1):  # before the first step, and after it
            self.assertGreater(events[steps], 1, events)

    def test_readers_of_a_waiting_run_are_forgotten_too(self):
        first = self.server.queue("slow", steps=100000)
        queued = self.server.queue()
        reader, held = self.events(queued), self.server.raw()
        held.send(f"GET /v1/runs/{queued}?wait=600 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until(lambda: self.server.watchers() == 2, "both watch")
        reader.close()
        held.close()
        until(lambda: self.server.watchers() == 0, "no watcher is left")
        for run_id in (queued, first):
            self.server.cancel(run_id)


def idle_reader(server, run_id):
    """A client that asks for the events of a run, and then never reads; its buffers are small."""
    stream = socket.socket()
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    stream.connect((server.listen, server.port))
    stream.sendall(f"GET /v1/runs/{run_id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return stream


class SlowReader(Case):
    """One that never reads. The kernel holds some events for it; then it is stuck."""
    HASTE = 10
    PATIENCE = 10 / HASTE  # seconds for which it may be stuck

    def setUp(self):
        self.server = self.own_server("--idle-seconds", "3600", engines=ENGINES, haste=self.HASTE)

    def steps(self, run_id):
        return self.server.show(run_id)["progress"]["steps_done"]

    def follow(self, run_id):
        """(when, steps) until a reader is gone."""
        seen = []

        def is_gone():
            seen.append((time.monotonic(), self.steps(run_id)))
            return self.server.watchers() == 1
        until(is_gone, "the slow one is gone")
        return seen

    def test_it_is_dropped_without_harm_to_others(self):
        run_id = self.server.queue("slow", steps=100000, max_seconds=3600)
        other = self.following(self.server, run_id)
        before = self.server.memory()
        stream = idle_reader(self.server, run_id)
        self.addCleanup(stream.close)
        until(lambda: self.server.watchers() == 2, "both read")
        until(lambda: self.server.show(run_id).get("progress"), "it is under way")
        seen = self.follow(run_id)
        # At its end it was stuck: the run went on meanwhile.
        last = [steps for when, steps in seen if when > seen[-1][0] - self.PATIENCE * 0.8]
        self.assertGreater(last[-1], last[0], "the run was delayed")
        if not SANITIZED:
            self.assertLess(self.server.memory() - before, 2048)
        self.server.delete(f"/v1/runs/{run_id}")
        self.assertEqual(["queued", "running", "cancelled"], story(other))
        print(json.dumps({"dropped_after_steps": last[-1] - seen[0][1]}))

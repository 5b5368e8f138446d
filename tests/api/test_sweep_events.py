"""A sweep followed as it goes: by events, and by an answer that is held until its end."""
import signal
import time

from harness import Case, Events, ServerCase, fake, together, until
from http_clients import story
from openapi import Description

ENGINES = {"ok": fake("ok"), "slow": fake("slow", 20), "speed": fake("speed"),
           "talkative": fake("talkative")}
SHORT = {"base": {"engine": "slow", "steps": 4, "warmup_steps": 1},
         "knobs": {"batch_size": [8, 16]}, "blocks": 2}


def cells(events):
    return [data["cell"] for _, name, data in events if name == "cell"]


class FollowingCase(ServerCase):
    ENGINES = ENGINES

    def queue(self, body=SHORT):
        return self.server.create("/v1/sweeps", body)["id"]

    def events(self, sweep_id, **headers):
        return self.following(self.server, sweep_id, headers, of="sweeps")

    def long(self):
        """A sweep that does not end by itself."""
        return self.queue({"base": {"engine": "slow", "steps": 100000},
                           "knobs": {"batch_size": [8, 16]}, "blocks": 1})

    def lasting(self, events):
        """All but the progress, which every reader gets when it comes."""
        return [event for event in events if event[1] != "progress"]

    def cancel(self, sweep_id):
        self.assertEqual(200, self.server.delete(f"/v1/sweeps/{sweep_id}").status)


class Following(FollowingCase):
    def test_a_reader_sees_progress_and_each_cell_and_the_end(self):
        sweep_id = self.queue()
        reader = self.events(sweep_id)
        self.assertEqual("text/event-stream", reader.response.headers["content-type"])
        events = list(reader)  # that this returns at all: the stream ends
        sweep = self.server.get(f"/v1/sweeps/{sweep_id}").json()
        self.assertEqual(["running", "finished"], story(events))
        self.assertEqual([0, 1], sorted(cells(events)))
        done = [data["runs_done"] for _, name, data in events if name == "progress"]
        self.assertEqual(sorted(done), done)
        self.assertEqual({0, 1, 2, 3, 4}, set(done))
        self.assertIn(1, [data["runs_running"] for _, name, data in events if name == "progress"])
        self.assertEqual("2-4", events[-1][0])
        self.assertEqual([sweep["created_at"], sweep["ended_at"]],
                         [data["at"] for _, name, data in events if name == "state"])
        last = [data for _, name, data in events if name == "cell"][-1]
        self.assertEqual(sweep["cells"][last["cell"]], last)  # no run is left: that is the answer

    def test_events_are_as_described(self):
        description = Description(self.server.get("/v1/openapi.json").json())
        for _, name, data in self.events(self.queue()):
            description.validate_as({"state": "SweepStateEvent", "cell": "Cell",
                                     "progress": "SweepProgress"}[name], data)
        target = f"/v1/sweeps/{self.queue()}?wait=60"
        description.check("GET", target, self.server.get(target, Prefer="wait=60"))

    def test_a_sweep_that_has_ended_is_sent_at_once(self):
        sweep_id = self.queue({"base": {"engine": "talkative", "precision": "f32", "steps": 20, "warmup_steps": 1},
                               "knobs": {"batch_size": [8, 16, 32]}, "blocks": 1})
        self.server.wait_for_sweep(sweep_id)
        events = list(self.events(sweep_id))
        self.assertEqual(["running", "finished"], story(events))
        self.assertEqual([0, 1, 2], sorted(cells(events)))
        for _, name, data in events:
            if name == "cell":
                self.assertAlmostEqual(0.1, data["time_shares"]["input"], 3)
                self.assertAlmostEqual(0.8, data["time_shares"]["compute"], 3)

    def test_the_last_event_id_resumes_the_story(self):
        sweep_id = self.queue()
        self.server.wait_for_sweep(sweep_id)
        events = list(self.events(sweep_id))
        for i, (last, _, _) in enumerate(events[:-1]):
            rest = list(self.events(sweep_id, **{"Last-Event-ID": last}))
            self.assertEqual(self.lasting(events[i + 1:]), self.lasting(rest), last)
        self.assertEqual([], list(self.events(sweep_id, **{"Last-Event-ID": events[-1][0]})))

    def test_an_id_that_makes_no_sense_is_ignored(self):
        sweep_id = self.queue()
        for last in ("2-4",  # ahead of the sweep, which has just begun
                     "1-99", "3-0", "0-0", "1--1", "1-2x", "x"):
            states = story(self.events(sweep_id, **{"Last-Event-ID": last}))
            self.assertEqual(["running", "finished"], states, last)

    def test_a_cancelled_sweep_ends_the_stream(self):
        sweep_id = self.long()
        reader = self.events(sweep_id)
        until(lambda: self.server.watchers() == 1, "it is watched")
        self.cancel(sweep_id)
        self.assertEqual(["running", "cancelled"], story(reader))

    def test_a_head_leaves_no_watcher(self):
        sweep_id = self.queue()
        self.server.wait_for_sweep(sweep_id)
        path = f"/v1/sweeps/{sweep_id}/events"
        self.assertEqual(b"", self.server.request("HEAD", path).body)
        until(lambda: self.server.watchers() == 0, "a HEAD leaves no watcher")

    def test_an_answer_is_held_until_the_end(self):
        sweep_id = self.queue()
        replies = together(3, lambda i: self.server.get(
            f"/v1/sweeps/{sweep_id}" + ("?wait=60" if i else ""),
            **({} if i else {"Prefer": "wait=60"})))
        for reply in replies:
            self.assertEqual("finished", reply.json()["state"])
            self.assertEqual(4, reply.json()["progress"]["runs_done"])
        self.assertEqual("wait=60", replies[0].headers["preference-applied"])
        self.assertNotIn("preference-applied", replies[1].headers)
        until(lambda: self.server.watchers() == 0, "no watcher is left")

    def test_a_table_is_held_too(self):
        sweep_id = self.queue()
        reply = self.server.get(f"/v1/sweeps/{sweep_id}?wait=60", Accept="text/csv")
        self.assertEqual("text/csv; charset=utf-8", reply.headers["content-type"])
        self.assertEqual("finished", self.server.get(f"/v1/sweeps/{sweep_id}").json()["state"])

    def test_a_wait_that_is_over_answers_as_things_are(self):
        sweep_id = self.long()
        began = time.monotonic()
        reply = self.server.get(f"/v1/sweeps/{sweep_id}?wait=1")
        self.assertGreaterEqual(time.monotonic() - began, 0.9)
        self.assertEqual("running", reply.json()["state"])
        self.cancel(sweep_id)

    def test_a_cancel_ends_the_wait(self):
        sweep_id = self.long()

        def act(i):
            if i == 0:
                return self.server.get(f"/v1/sweeps/{sweep_id}?wait=600")
            until(lambda: self.server.watchers() == 1, "it is waited for")
            return self.server.delete(f"/v1/sweeps/{sweep_id}")
        waited, cancelled = together(2, act)
        self.assertEqual(["cancelled"] * 2, [waited.json()["state"], cancelled.json()["state"]])


class Silence(FollowingCase):
    HASTE = 20  # a quarter of a minute is less than a second

    def test_readers_that_hang_up_are_forgotten(self):
        sweep_id = self.long()
        readers = [self.events(sweep_id) for _ in range(10)]
        self.assertEqual(10, self.server.watchers())
        for reader in readers:
            reader.close()
        until(lambda: self.server.watchers() == 0, "no watcher is left")
        self.cancel(sweep_id)

    def test_a_reader_hears_that_a_sweep_without_news_goes_on(self):
        sweep_id = self.long()
        heard = []  # two are of its first run's beginning
        for line in self.events(sweep_id).response:
            if line.startswith((b"event: progress", b":")):
                heard.append(line)
            if len(heard) == 4:
                break
        self.assertEqual([b"event: progress\n"] * 4, heard)
        self.cancel(sweep_id)


class Stopping(Case):
    def test_a_server_that_stops_answers_held_requests(self):
        server = self.own_server(engines=ENGINES)
        sweep_id = server.post({"base": {"engine": "slow", "steps": 100000},
                                "knobs": {"batch_size": [8, 16]}, "blocks": 1},
                               path="/v1/sweeps").json()["id"]

        def act(i):
            if i == 0:
                return server.get(f"/v1/sweeps/{sweep_id}?wait=600").json()["state"]
            if i == 1:
                return story(Events(server, sweep_id, of="sweeps"))
            until(lambda: server.watchers() == 2, "both wait")
            server.process.send_signal(signal.SIGTERM)
            return None
        held, streamed, _ = together(3, act)
        self.assertEqual(("running", ["running"]), (held, streamed))

"""A candidate whose cloud takes it back tells its hub, which counts it once."""
import hashlib
import os
import sqlite3

from candidate import QUICK_ENGINE, TOKEN, GOOD, Candidate, FakeHub
from feed_server import FeedServer
from harness import Case
from test_preempted import Gcp

EVENT = {"provider": "gcp", "instance_type": "n2-standard-4", "zone": "europe-west4-b",
         "kind": "preempted", "price_kind": "spot", "machine": "i0123456789abcde"}


class Preempted(Case):
    def setUp(self):
        self.candidate = Candidate(self)
        folder = self.new_folder()
        self.tokens, self.token_file = folder / "tokens", folder / "token"
        self.token_file.write_text(TOKEN, encoding="ascii")
        self.allow("spot-1 import")

    def allow(self, words, limits=""):
        name, scopes = words.split()
        digest = hashlib.sha256(TOKEN.encode()).hexdigest()
        self.tokens.write_text(f"{name} {scopes} sha256:{digest} {limits}\n", encoding="ascii")

    def hub(self, **options):
        hub = self.own_server("--tokens", str(self.tokens), token="the-token-of-the-operator", **options)
        hub.token = TOKEN
        return hub

    def counts(self, hub):
        """By a connection of its own: the token may not read."""
        return hub.sql("SELECT kind, price_kind, provider, instance_type, zone, sender, own FROM capacity_events")

    def report(self, hub, status, **members):
        reply = hub.post({**EVENT, **members}, path="/v1/capacity")
        self.assertEqual(status, reply.status, reply)
        return reply.json()

    def take_back(self, url, status=6):
        """A bench that ends because its machine is taken back."""
        clouds = self.running(FeedServer())
        cloud = Gcp(clouds)
        engine = QUICK_ENGINE + " " + os.path.join(self.candidate.folder, "begun")
        running = self.candidate.start(
            "bench", "--metadata", f"gcp={clouds.url}", *self.to(url), engine=engine,
            place=["--price-per-hour", "0.36"])
        running.tells("run 2 of")
        cloud.take_back()
        ended = running.wait()
        self.assertEqual(status, ended.status, ended)

    def to(self, url):
        return ["--report-to", url, "--report-token-file", str(self.token_file)]

    def test_the_hub_counts_it_once_with_the_name_of_the_sender(self):
        hub = self.hub()
        self.take_back(hub.url)
        [(kind, price_kind, provider, instance, zone, sender, own)] = self.counts(hub)
        self.assertEqual(("preempted", "spot", "gcp", "n2-standard-4", "spot-1", 0),
                         (kind, price_kind, provider, instance, sender, own))
        self.assertTrue(zone.startswith("europe-west4"), zone)
        with sqlite3.connect(self.candidate.database) as db:  # as if the answer had been lost
            self.assertEqual(1, db.execute("DELETE FROM capacity_deliveries").rowcount)
        pushed = self.candidate.run("push", *self.to(hub.url))
        self.assertIn("1 preemptions wait for it too", pushed.stderr)
        self.assertEqual(0, pushed.status, pushed)
        self.assertEqual(1, len(self.counts(hub)))
        self.assertNotIn("preemptions wait", self.candidate.run("push", *self.to(hub.url)).stderr)

    def test_a_hub_that_does_not_take_it_gets_the_runs(self):
        hub = FakeHub(self, GOOD)
        hub.event_status = 403
        self.take_back(hub.url)
        self.assertEqual([1], [len(ids) for _, _, ids in hub.requests])
        self.assertEqual(["preempted"], [event["kind"] for event in hub.events])
        self.candidate.run("push", *self.to(hub.url))
        self.assertEqual(1, len(hub.events))  # it has said no
        hub.event_status = 201
        self.candidate.run("push", "--refused", "on", *self.to(hub.url))
        self.assertEqual(2, len(hub.events))

    def test_what_others_reported_to_a_server_is_not_passed_on(self):
        self.allow("launcher write")
        server = self.hub(database=self.candidate.database)
        self.report(server, 201)
        server.stop()
        hub = FakeHub(self, GOOD)
        self.candidate.run("push", *self.to(hub.url))
        self.assertEqual([], hub.events)

    def test_a_token_that_may_only_import_reports_nothing_else(self):
        hub = self.hub()
        self.assertEqual("spot-1", self.report(hub, 201)["sender"])
        self.report(hub, 200)
        for members, field in (({"kind": "launched"}, "kind"), ({"machine": None}, "machine")):
            self.assertEqual(field, self.report(hub, 403, **members)["field"])
        self.assertEqual(1, len(self.counts(hub)))

    def test_it_counts_as_a_document_against_the_limits(self):
        self.allow("spot-1 import", limits="runs_per_hour=2")
        hub = self.hub()
        for number in range(2):
            self.report(hub, 201, machine=f"i{number:015}")
        self.report(hub, 429, machine="i" + "f" * 15)

    def test_a_sender_has_counts_of_its_own(self):
        self.allow("spot-1 import,read")
        hub = self.hub()
        self.report(hub, 201)
        for sender, count in (("spot-1", 1), ("spot-2", 0)):
            page = hub.get(f"/v1/capacity?sender={sender}").json()
            self.assertEqual(count, len(page["capacity"]))
        self.assertEqual(["sender"], [each["parameter"] for each in page["unmatched"]])

"""Machines that were launched, not to be had, or taken back: reported, counted by zone, and shown
next to the spot prices of a comparison."""
from datetime import datetime, timedelta, timezone

from harness import Case, pages
from run_documents import document, take_in

EVENT = {"provider": "aws", "instance_type": "c5.large", "zone": "us-east-1a", "kind": "launched",
         "price_kind": "spot"}


def ago(**time):
    return (datetime.now(timezone.utc) - timedelta(**time)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Capacity(Case):
    def setUp(self):
        self.server = self.own_server()

    def report(self, status=201, **fields):
        reply = self.server.post({**EVENT, **fields}, path="/v1/capacity")
        self.assertEqual(status, reply.status, reply)
        return reply.json()

    def page(self, **question):
        return self.server.ask("/v1/capacity", **question)

    def counts(self, **question):
        return [(row["instance_type"], row["zone"], row["price_kind"], row["launched"],
                 row["launch_failed"], row["preempted"]) for row in self.page(**question)["capacity"]]

    def test_events_are_counted_by_zone_over_a_window(self):
        self.assertEqual([], self.counts())
        self.report()
        self.report(kind="launch_failed", at=ago(days=20))
        self.report(kind="launch_failed", at=ago(days=40))
        self.report(zone="us-east-1b", price_kind="on_demand")
        self.assertEqual([("c5.large", "us-east-1a", "spot", 1, 1, 0),
                          ("c5.large", "us-east-1b", "on_demand", 1, 0, 0)], self.counts())
        self.assertEqual([("c5.large", "us-east-1a", "spot", 1, 2, 0)],
                         self.counts(days=60, zone="us-east-1a"))
        [count] = self.page(price_kind="spot")["capacity"]
        self.assertEqual(.5, count["failed_share"])
        self.assertEqual([], self.counts(provider="gcp"))

    def test_pages_have_each_count_once(self):
        for zone in "cab":
            self.report(zone=zone)
        self.assertEqual(self.page()["capacity"],
                         [row for page in pages(self.page, limit=2) for row in page["capacity"]])

    def test_what_cannot_have_happened_is_refused(self):
        for fields, field in (({"kind": "preempted", "price_kind": "on_demand"}, "price_kind"),
                              ({"at": ago(days=-1)}, "at")):
            reply = self.server.post({**EVENT, **fields}, path="/v1/capacity")
            self.assertProblem(reply, 400, field=field)

    def test_a_comparison_shows_the_counts_of_spot_with_its_prices(self):
        take_in(self.server, [document(0, instance_type="c5.large"),
                              document(1, instance_type="m5.large")])

        def shown(**question):
            answer = self.server.ask("/v1/comparison", workload="mlp2017", fields="instance_type,capacity",
                                     **question)
            return {row["instance_type"]: row["capacity"] for row in answer["rows"]}
        self.assertEqual({"c5.large": None, "m5.large": None}, shown())
        self.report()
        self.report(kind="launch_failed", zone="us-east-1b")
        self.report(price_kind="on_demand")
        counts = shown()
        self.assertIsNone(counts["m5.large"])
        self.assertEqual((30, 1, 1, 0), tuple(counts["c5.large"][name] for name in (
            "days", "launched", "launch_failed", "preempted")))
        self.assertEqual(0, shown(zone="us-east-1a")["c5.large"]["launch_failed"])
        self.assertIsNone(shown(price_at=ago(days=1))["c5.large"])

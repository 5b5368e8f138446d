"""What is known of each instance type: from machines that were measured, from the feeds, and by
rules, each marked as such."""
import urllib.parse

from catalogue import list_types
from harness import ServerCase, pages
from run_documents import document, machine, take_in

MACHINE = machine({"isa": "avx2", "cpu_model": "A CPU", "architecture": "x86_64", "processors": 2,
                   "numa_nodes": 1, "memory_gib": 8})


class Support(ServerCase):
    @classmethod
    def prepare(cls):
        list_types(cls.server, ("m5.large", 2, 8, "x86_64"), ("m5.xlarge", 4, 16, "x86_64"),
                   ("c7g.large", 2, 4, "arm64"), ("t3.nano", 2, .5, "x86_64"), ("t3.odd", 0, 0, ""))
        runs = [document(number, instance_type=instance, provider=provider, machine=MACHINE)
                for number, (instance, provider) in enumerate(
                    (("m5.large", "aws"), ("zz9.large", "aws"), ("desk", None)))]
        take_in(cls.server, runs)

    def ask(self, accept="application/json", **question):
        reply = self.server.get("/v1/support?" + urllib.parse.urlencode(question), Accept=accept)
        self.assertEqual(200, reply.status, reply)
        return reply

    def rows(self, **question):
        return self.ask(limit=500, **question).json()["support"]

    def row(self, name):
        rows = self.rows(instance_type=name)
        self.assertEqual(1, len(rows))
        return rows[0]

    def test_measured_facts_win_over_the_feed_and_the_rule(self):
        row = self.row("m5.large")
        self.assertEqual({"value": "avx2", "source": "measured"}, row["isa"])
        self.assertEqual({"value": "yes", "source": "measured"}, row["runs"])
        self.assertEqual({"value": "no", "source": "measured"}, row["amx"])
        self.assertEqual({"value": 1, "source": "measured"}, row["numa_nodes"])
        self.assertEqual({"value": 2, "source": "measured"}, row["vcpus"])
        self.assertEqual(1, row["kinds_measured"])
        self.assertEqual("made-up", row["feed"])

    def test_pages_have_each_type_once(self):
        for filters in ({}, {"family": "m5"}):
            everything = self.rows(**filters)
            for limit in (1, 2, len(everything) - 1, len(everything)):
                found = pages(lambda **asked: self.ask(**asked).json(), limit=max(limit, 1),
                              **filters)
                self.assertEqual(everything, [row for page in found for row in page["support"]])

    def test_csv_has_the_same_facts(self):
        rows = self.rows()
        lines_ = self.ask("text/csv", limit=500).rows()
        self.assertEqual([row["instance_type"] for row in rows],
                         [line["instance_type"] for line in lines_])
        for row, line in zip(rows, lines_):
            for key in ("runs", "isa", "bf16_native", "amx", "memory_enough", "processor"):
                self.assertEqual(row[key]["value"], line[key])
            for key in ("vcpus", "memory_gib", "numa_nodes"):
                value = row[key]["value"]
                self.assertAlmostEqual(value or 0, float(line[key] or 0))
                self.assertEqual(row[key]["source"] or "", line[key + "_source"])
            self.assertEqual(row["why_not"] or "", line["why_not"])

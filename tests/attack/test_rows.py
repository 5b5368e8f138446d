"""A sender with a token for importing sends made-up runs, to move a row of the comparison."""
import test_tokens
from run_documents import document
from test_tokens import line, secret

FORGERIES = 200
HONEST = 5_000_000  # nanoseconds of a step of 32 samples: 6,400 samples a second
FORGED = HONEST // 9  # less than what is held: test_quarantine.py


def forgeries(nanoseconds, first=1000):
    """Each of a machine of its own, as far as it says."""
    return [document(number, nanoseconds=nanoseconds, vm=f"i{number:015x}")
            for number in range(first, first + FORGERIES)]


class Rows(test_tokens.Case):
    def serve_hub(self, *flags):
        names = ["c1", "c2", "c3", "mallory", "eve"]
        return self.serve(*(line(name, "import") for name in names), flags=flags,
                          environment={"PENNYWORTH_WRITE_TOKEN": secret("owner")})

    def row(self, server, query=""):
        reply = self.ask(server, "GET", "/v1/comparison?workload=mlp2017" + query, "owner")
        (row,) = reply.json()["rows"]
        return row

    def senders(self, server):
        return {sender["sender"]: (sender["runs"], sender["counts"], round(sender["share"], 3))
                for sender in self.row(server)["senders"]}

    def test_machines_of_three_senders_keep_their_number(self):
        server = self.serve_hub()
        for number, name in enumerate(("c1", "c2", "c3")):
            self.put(server, name, [document(number, nanoseconds=HONEST)])
        before = self.row(server)
        self.assertTrue(before["throughput"]["generalisable"])
        self.assertAlmostEqual(6400, before["throughput"]["value"], delta=100)
        self.put(server, "mallory", forgeries(FORGED))
        after = self.row(server)
        self.assertEqual(before["throughput"], after["throughput"])
        self.assertEqual(before["newest_run"], after["newest_run"])
        third = (1, "machines", 0.333)
        self.assertEqual({"c1": third, "c2": third, "c3": third,
                          "mallory": (197, "aside", 0)}, self.senders(server))

    def test_one_machine_of_the_operator_keeps_its_number(self):
        server = self.serve_hub()
        self.put(server, "owner", [document(1, nanoseconds=HONEST)])
        before = self.row(server)
        self.put(server, "mallory", forgeries(FORGED))
        self.assertEqual(before["throughput"], self.row(server)["throughput"])
        self.put(server, "eve", forgeries(FORGED, 2000))  # nor do two that agree
        self.assertEqual(before["throughput"], self.row(server)["throughput"])

    def test_a_row_of_a_sender_alone_is_not_generalisable(self):
        server = self.serve_hub()
        self.put(server, "mallory", forgeries(FORGED))
        row = self.row(server)
        self.assertFalse(row["throughput"]["generalisable"])
        self.assertEqual(1, row["throughput"]["vms"])
        self.assertEqual({"mallory": (200, "vote", 1)}, self.senders(server))

    def test_a_trusted_fleet_is(self):
        server = self.serve_hub("--gate-trust", "c1")
        self.put(server, "c1", [document(number) for number in range(7)])
        self.assertTrue(self.row(server)["throughput"]["generalisable"])

    def test_tables_name_the_senders_of_each_row(self):
        server = self.serve_hub()
        self.put(server, "owner", [document(1, nanoseconds=HONEST)])
        self.put(server, "c1", [document(2, nanoseconds=HONEST)])
        self.put(server, "mallory", forgeries(FORGED)[:3])
        table, text = (self.ask(server, "GET", f"/v1/comparison?workload=mlp2017&format={form}", "owner")
                       for form in ("csv", "markdown"))
        self.assertEqual(["imported 50 %, c1 50 %, mallory aside"], [row["senders"] for row in table.rows()])
        self.assertIn("c1 50 %, mallory aside", text.body.decode())

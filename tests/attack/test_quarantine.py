"""Runs of a sender that contradict what is known are held until the operator releases them."""
import json

import test_tokens
from openapi import Description
from run_documents import document, lines, run_id
from test_tokens import IMPORT, NDJSON, line, secret

HONEST = 5_000_000  # nanoseconds of a step
FORGED = HONEST // 11


class Quarantine(test_tokens.Case):
    def serve_hub(self):
        return self.serve(*(line(name, "import") for name in ("c1", "c2", "c3", "mallory")),
                          environment={"PENNYWORTH_WRITE_TOKEN": secret("owner")})

    def put(self, server, name, nanoseconds, *numbers, held=0):
        reply = self.ask(server, "POST", IMPORT, name,
                         lines([document(number, nanoseconds=nanoseconds) for number in numbers]),
                         NDJSON)
        self.assertEqual(200, reply.status, reply)
        report = reply.json()
        self.assertEqual((len(numbers), held), (report["imported"], report["held"]))

    def held(self, server, number):
        void = self.ask(server, "GET", f"/v1/runs/{run_id(number)}", "owner").json()["void"]
        return void and (void["by"], void["reason"])

    def test_what_contradicts_trusted_runs_is_held_until_it_is_released(self):
        server = self.serve_hub()
        self.put(server, "owner", HONEST, 1)
        self.put(server, "mallory", FORGED, 2, held=1)
        self.put(server, "mallory", HONEST * 11, 3, held=1)
        self.put(server, "mallory", HONEST // 9, 4)
        for number in (2, 3):
            by, reason = self.held(server, number)
            self.assertEqual("quarantine", by)
            self.assertRegex(reason, "held: .* trusted runs have")
        self.assertIsNone(self.held(server, 4))  # less than ten times: see test_rows.py
        (row,) = self.ask(server, "GET", "/v1/comparison?workload=mlp2017", "owner").json()["rows"]
        self.assertEqual([(None, 1), ("mallory", 1)],
                         [(sender["sender"], sender["runs"]) for sender in row["senders"]])
        check = self.ask(server, "GET", f"/v1/runs/{run_id(2)}/check", "owner")
        self.assertProblem409(check)
        path = f"/v1/runs/{run_id(2)}/void?reason=it%20is%20true"
        self.assertEqual(403, self.ask(server, "DELETE", path, "mallory").status)
        self.assertEqual(200, self.ask(server, "DELETE", path, "owner").status)
        self.assertIsNone(self.held(server, 2))
        entry = [entry for entry in self.audit() if entry.get("did") == "void lifted"][-1]
        self.assertEqual((run_id(2), "it is true"), (entry["id"], entry["reason"]))

    def test_the_report_counts_what_is_held(self):
        server = self.serve_hub()
        self.put(server, "owner", HONEST, 1)
        body = lines([document(number, nanoseconds=FORGED if number % 3 else HONEST)
                      for number in range(2, 602)])
        report = self.ask(server, "POST", IMPORT, "mallory", body, NDJSON).json()
        self.assertEqual((600, 400, 0), tuple(report[name] for name in
                                              ("imported", "held", "known")))
        again = self.ask(server, "POST", IMPORT, "mallory", body, NDJSON).json()
        self.assertEqual((0, 0, 600), tuple(again[name] for name in
                                            ("imported", "held", "known")))
        Description(self.ask(server, "GET", "/v1/openapi.json", "owner").json()).check(
            "POST", IMPORT, self.ask(server, "POST", IMPORT, "mallory", body, NDJSON))
        one = self.ask(server, "POST", IMPORT, "mallory",
                       json.dumps(document(700, nanoseconds=FORGED)))
        self.assertEqual((201, "quarantine"), (one.status, one.json()["void"]["by"]))
        self.assertIn("location", one.headers)

    def assertProblem409(self, reply):
        self.assertEqual(409, reply.status, reply)
        self.assertIn("held", reply.json()["detail"])

    def test_one_sender_has_no_run_of_another_held(self):
        server = self.serve_hub()
        self.put(server, "mallory", FORGED, *range(10, 60))
        self.put(server, "c1", HONEST, 1)
        self.put(server, "c2", HONEST, 2)
        self.put(server, "c3", HONEST, 3)
        for number in (1, 2, 3):
            self.assertIsNone(self.held(server, number))
        self.put(server, "mallory", FORGED, 60, held=1)
        self.assertRegex(self.held(server, 60)[1], "held: .* other senders have")

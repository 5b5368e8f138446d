"""A sender with a token for importing sends made-up runs, to turn a verdict of the gate."""

import test_tokens
from run_documents import document, run_id
from test_tokens import line, secret

MADE_UP = 20
HONEST = 5_000_000  # nanoseconds of a step
SLOWER = 6_000_000


def labelled(number, nanoseconds, **labels):
    made = document(number, nanoseconds=nanoseconds)
    made["spec"]["labels"] = labels
    return made


class Gates(test_tokens.Case):
    """The operator has twelve runs of the branch main, and four of a change that is 20 % slower."""

    def serve_gate(self, *flags):
        server = self.serve(line("mallory", "import"), line("ci", "import"), flags=flags,
                            environment={"PENNYWORTH_WRITE_TOKEN": secret("owner")})
        self.put(server, "owner", [labelled(number, HONEST, branch="main")
                                   for number in range(100, 112)])
        self.put(server, "owner", [labelled(number, SLOWER, commit="f1")
                                   for number in range(200, 204)])
        return server

    def check(self, server, number=203, query="?baseline=branch=main"):
        reply = self.ask(server, "GET", f"/v1/runs/{run_id(number)}/check{query}", "owner")
        self.assertEqual(200, reply.status, reply)
        return reply.json()

    def assertLeftOut(self, side, sender, count=MADE_UP):
        self.assertEqual([sender] * count, [run["sender"] for run in side["left_out"]])
        for run in side["left_out"]:
            self.assertIn("--gate-trust", run["because"])

    def test_a_failure_stays_one_whatever_is_sent_for_the_baseline(self):
        server = self.serve_gate()
        self.assertEqual("fail", self.check(server)["verdict"])
        self.put(server, "mallory", [labelled(number, SLOWER, branch="main")
                                     for number in range(MADE_UP)])
        answer = self.check(server)
        self.assertEqual("fail", answer["verdict"], answer["words"])
        self.assertEqual(12, answer["baseline"]["n"])
        self.assertLeftOut(answer["baseline"], "mallory")
        self.assertEqual([], answer["candidate"]["left_out"])

    def test_a_failure_stays_one_whatever_is_sent_as_its_repeat(self):
        server = self.serve_gate()
        self.put(server, "mallory", [labelled(number, 1_000_000, commit="f1")
                                     for number in range(MADE_UP)])
        answer = self.check(server)
        self.assertEqual("fail", answer["verdict"], answer["words"])
        self.assertEqual(4, answer["candidate"]["n"])
        self.assertLeftOut(answer["candidate"], "mallory")

    def test_a_made_up_run_passes_no_gate_and_is_no_baseline(self):
        server = self.serve_gate()
        self.put(server, "mallory", [labelled(1, 1_000_000, commit="f2")])
        answer = self.check(server, 1)
        self.assertEqual("cannot_tell", answer["verdict"])
        self.assertIn("mallory", answer["words"])
        answer = self.check(server, query=f"?baseline={run_id(1)}")
        self.assertEqual("cannot_tell", answer["verdict"])
        self.assertIn("mallory", answer["words"])

    def test_senders_that_are_named_count(self):
        server = self.serve_gate("--gate-trust", "ci,other")
        self.put(server, "ci", [labelled(number, HONEST, branch="main") for number in range(8)])
        self.put(server, "ci", [labelled(50, SLOWER, commit="f3")])
        answer = self.check(server)
        self.assertEqual(("fail", 20), (answer["verdict"], answer["baseline"]["n"]))
        self.assertEqual([], answer["baseline"]["left_out"])
        self.assertEqual("fail", self.check(server, 50)["verdict"])

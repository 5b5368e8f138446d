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

    def serve_gate(self):
        server = self.serve(line("mallory", "import"),
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

    def test_a_failure_stays_one_whatever_is_sent_for_the_baseline(self):
        server = self.serve_gate()
        self.assertEqual("fail", self.check(server)["verdict"])
        self.put(server, "mallory", [labelled(number, SLOWER, branch="main")
                                     for number in range(MADE_UP)])
        answer = self.check(server)
        self.assertEqual("fail", answer["verdict"], answer["words"])
        self.assertEqual(12, answer["baseline"]["n"])
        self.assertEqual(["mallory"] * MADE_UP, [run["sender"] for run in answer["baseline"]["left_out"]])
        for run in answer["baseline"]["left_out"]:
            self.assertIn("--gate-trust", run["because"])
        self.assertEqual([], answer["candidate"]["left_out"])

    def test_a_made_up_run_passes_no_gate_and_is_no_baseline(self):
        server = self.serve_gate()
        self.put(server, "mallory", [labelled(1, 1_000_000, commit="f2")])
        answer = self.check(server, 1)
        self.assertEqual("cannot_tell", answer["verdict"])
        self.assertIn("mallory", answer["words"])
        answer = self.check(server, query=f"?baseline={run_id(1)}")
        self.assertEqual("cannot_tell", answer["verdict"])
        self.assertIn("mallory", answer["words"])

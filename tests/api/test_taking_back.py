"""What was a mistake can be taken back: a run, a figure, a price, a discount; and what was said of a time
before stays as it was."""
import json
from pathlib import Path

from harness import Case, ServerCase, fake, until
from run_documents import FIGURE, document, run_id, send, take_in
from test_tokens import line, secret

ENGINES = {"old": fake("paced", 2000), "slow": fake("paced", 2400), "dawdling": fake("slow", 40),
           "crash": fake("crash")}
QUICK = {"steps": 12, "warmup_steps": 1}
BECAUSE = {"reason": "the wrong branch"}


def void(server, run, wanted=200, body=None):
    reply = server.post(BECAUSE if body is None else body, path=f"/v1/runs/{run}/void")
    assert reply.status == wanted, reply
    return reply.json()


def lift(server, run, query="", wanted=200):
    reply = server.delete(f"/v1/runs/{run}/void{query}")
    assert reply.status == wanted, reply
    return reply.json()


def rows(server, query="?workload=mlp2017&provenance=measured"):
    return server.get("/v1/comparison" + query).json()["rows"]


class Runs(ServerCase):
    ENGINES = ENGINES

    def imported(self, *numbers, **members):
        """Runs of this test alone: it has a type of its own."""
        take_in(self.server, [document(number, **members) for number in numbers])
        return [run_id(number) for number in numbers]

    def test_a_voided_run_is_kept_and_says_who_why_and_when(self):
        run = self.server.run("old", **QUICK)
        self.assertIsNone(run["void"])
        voided = void(self.server, run["id"])
        self.assertEqual(("finished", None, BECAUSE["reason"]),
                         (voided["state"], voided["void"]["by"], voided["void"]["reason"]))
        self.assertRegex(voided["void"]["at"], r"^20\d\d-.*Z$")
        self.assertEqual(run["summary"], voided["summary"])
        listed = self.server.get("/v1/runs?limit=1").json()["runs"][0]
        self.assertEqual(voided["void"], listed["void"])
        for part in ("/steps", "/evidence", "/recompute", "/implementations"):
            self.assertEqual(200, self.server.get(f"/v1/runs/{run['id']}{part}").status)

    def test_voiding_again_and_counting_again_change_nothing_twice(self):
        run = self.server.run("old", **QUICK)["id"]
        first = void(self.server, run)
        self.assertEqual(first, void(self.server, run, body={"reason": "another"}))
        self.assertIsNone(lift(self.server, run, "?reason=it+was+right")["void"])
        self.assertIsNone(lift(self.server, run)["void"])
        void(self.server, run, body={"reason": "once more"})
        voids = self.server.get(f"/v1/runs/{run}/void").json()["voids"]
        self.assertEqual([(BECAUSE["reason"], "it was right"), ("once more", None)],
                         [(each["voided"]["reason"], each["lifted"] and each["lifted"]["reason"])
                          for each in voids])

    def test_only_what_has_ended_is_voided_and_only_for_a_reason(self):
        run = self.server.queue("dawdling", steps=100000)
        self.assertProblem(self.server.post(BECAUSE, path=f"/v1/runs/{run}/void"), 409, "conflict")
        self.server.cancel(run)
        longest = void(self.server, run, body={"reason": "x" * 500})
        self.assertEqual("x" * 500, longest["void"]["reason"])
        missing = f"/v1/runs/{run_id(77777)}/void"
        self.assertEqual(404, self.server.post(BECAUSE, path=missing).status)
        self.assertEqual(404, self.server.delete(missing).status)
        self.assertEqual(404, self.server.get(missing).status)

    def test_it_is_on_neither_side_of_the_gate(self):
        runs = [self.server.run("old", **QUICK, seed=5)["id"] for _ in range(3)]
        void(self.server, runs[0])
        reply = self.server.get(f"/v1/runs/{runs[0]}/check")
        self.assertIn("was voided: " + BECAUSE["reason"], self.assertProblem(reply, 409)["detail"])
        reply = self.server.get(f"/v1/runs/{runs[2]}/check?baseline={runs[0]}")
        self.assertIn("was voided", self.assertProblem(reply, 409)["detail"])
        answer = self.server.get(f"/v1/runs/{runs[2]}/check").json()
        self.assertNotIn(runs[0], answer["baseline"]["runs"])
        self.assertIn(runs[1], answer["baseline"]["runs"])

    def test_the_void_travels_but_changes_no_run_that_is_known(self):
        run, = self.imported(20, instance_type="b.large")
        void(self.server, run)
        exported = self.server.get("/v1/runs/export?instance_type=b.large").body
        self.assertEqual(BECAUSE["reason"], json.loads(exported)["void"]["reason"])
        other = self.own_server(engines={})
        self.assertEqual(201, other.request("POST", "/v1/runs/import", exported,
                                            {"Content-Type": "application/json"}).status)
        self.assertEqual(BECAUSE["reason"], other.show(run)["void"]["reason"])
        self.assertEqual([], rows(other))
        lift(other, run)  # voids are per server
        self.assertEqual(1, len(rows(other)))
        reply = send(other, exported)
        self.assertEqual((0, 1), (reply.json()["imported"], reply.json()["known"]))
        self.assertIsNone(other.show(run)["void"])
        reply = send(self.server, [document(20, instance_type="b.large")])
        self.assertEqual(1, reply.json()["known"])
        self.assertIsNotNone(self.server.show(run)["void"])


class Prices(ServerCase):
    FLAGS = ("--provider", "aws", "--region", "us-east-1", "--instance-type", "our.box")

    def withdraw(self, price, wanted=200, kind="prices"):
        reply = self.server.post(BECAUSE, path=f"/v1/{kind}/{price}/withdraw")
        self.assertEqual(wanted, reply.status, reply)
        return reply.json()

    def test_what_a_run_paid_stays_what_it_paid(self):
        server = self.own_server(*self.FLAGS)
        wrong = server.price("our.box", "25")
        run = server.run("ok")
        self.assertEqual("25", run["cost"]["price"]["text"])
        server.post(BECAUSE, path=f"/v1/prices/{wrong['id']}/withdraw")
        self.assertEqual(run["cost"], server.show(run["id"])["cost"])
        self.assertIsNone(server.run("ok")["cost"]["price"])

    def test_what_is_not_there_or_not_typed_is_not_withdrawn(self):
        for price in ("1-1", "x", "999999-1700000000000000", "1"):
            self.withdraw(price, 404)
        server = self.own_server("--published", "on")
        listed = server.get("/v1/prices?feed=published&limit=1").json()["prices"][0]
        reply = server.post(BECAUSE, path=f"/v1/prices/{listed['id']}/withdraw")
        self.assertIn("published with a figure", self.assertProblem(reply, 409)["detail"])

    def test_a_discount_is_withdrawn(self):
        discount = self.server.post({"provider": "aws", "family": "c7i", "factor": 0.08,
                                     "valid_from": "2026-01-03T00:00:00Z"}, path="/v1/discounts")
        answer = self.withdraw(discount.json()["id"], kind="discounts")
        self.assertEqual(BECAUSE["reason"], answer["withdrawn"]["reason"])
        self.assertEqual(answer, self.withdraw(answer["id"], kind="discounts"))
        for rest, count in (("", 0), ("?at=2026-02-01", 1), ("?history=true", 1)):
            listed = self.server.get("/v1/discounts" + rest).json()["discounts"]
            self.assertEqual(count, len(listed), rest)
        for number in ("0", "77", "x", "9" * 30):
            self.withdraw(number, 404, kind="discounts")


class Figures(ServerCase):
    FLAGS = ("--published", "on")

    def test_a_figure_that_a_user_entered_is_removed(self):
        self.assertEqual(201, self.server.post(FIGURE, path="/v1/figures").status)
        query = "?workload=resnet50&provenance=published&configuration=all"
        self.assertEqual(1, sum(row["instance_type"] == "x1.large"
                                for row in rows(self.server, query)))
        etag = self.server.get("/v1/comparison" + query).headers["etag"]
        reply = self.server.delete("/v1/figures/mine?reason=a+typo")
        self.assertEqual((200, "mine"), (reply.status, reply.json()["id"]))
        self.assertNotIn("mine", self.server.get("/v1/figures").body.decode())
        self.assertEqual(200, self.server.get("/v1/comparison" + query, If_None_Match=etag).status)
        self.assertEqual(0, sum(row["instance_type"] == "x1.large"
                                for row in rows(self.server, query)))
        self.assertEqual(404, self.server.delete("/v1/figures/mine").status)
        self.assertEqual(201, self.server.post(FIGURE, path="/v1/figures").status)  # and back
        self.assertEqual(1, sum(row["instance_type"] == "x1.large"
                                for row in rows(self.server, query)))

    def test_an_id_may_be_any_text(self):
        name = "ours, 50 % (ä)"
        self.server.post({**FIGURE, "id": name, "instance_type": "x2.large"}, path="/v1/figures")
        reply = self.server.delete("/v1/figures/ours%2C%2050%20%25%20(%C3%A4)")
        self.assertEqual((200, name), (reply.status, reply.json()["id"]))

    def test_one_that_comes_with_pennyworth_stays(self):
        reply = self.server.delete("/v1/figures/rand-2024-r8")
        self.assertIn("comes with pennyworth", self.assertProblem(reply, 409)["detail"])
        self.assertIn("rand-2024-r8", self.server.get("/v1/figures").body.decode())


class Audited(Case):
    def test_the_audit_says_what_was_taken_back_by_whom_and_why(self):
        folder = self.new_folder()
        tokens, audit = Path(folder, "tokens"), Path(folder, "audit")
        tokens.write_text(line("ann", "read,write") + line("bob", "read,import"))
        server = self.own_server("--tokens", tokens, "--audit", audit, "--feed",
                                 f"price-file=on url={folder}/none every=86400")
        server.token = secret("ann")
        self.assertEqual(201, server.post(document(1), path="/v1/runs/import").status)
        price = server.price("a", 1)["id"]
        discount = server.post({"provider": "aws", "factor": 0.5}, path="/v1/discounts").json()["id"]
        server.post(FIGURE, path="/v1/figures")
        self.assertEqual("ann", void(server, run_id(1))["void"]["by"])
        void(server, run_id(1))  # which does nothing
        lift(server, run_id(1), "?reason=it+was+right")
        for path in (f"/v1/prices/{price}", f"/v1/discounts/{discount}"):
            self.assertEqual(200, server.post(BECAUSE, path=path + "/withdraw").status)
        self.assertEqual(200, server.delete("/v1/figures/mine").status)
        accept = "?feed=price-file&accept=true"
        for query in (accept + "&reason=I+looked", accept, "?feed=price-file"):
            until(lambda query=query: server.post(b"", path="/v1/prices/refresh",
                                                  query=query).status == 202, "it is read")
        server.token = secret("bob")
        for reply in (server.post(BECAUSE, path=f"/v1/runs/{run_id(1)}/void"),
                      server.delete(f"/v1/runs/{run_id(1)}/void"),
                      server.post(BECAUSE, path=f"/v1/prices/{price}/withdraw"),
                      server.post(BECAUSE, path=f"/v1/discounts/{discount}/withdraw"),
                      server.delete("/v1/figures/mine")):
            self.assertEqual(403, reply.status)
        entries = [json.loads(text) for text in audit.read_text().splitlines()]
        why = BECAUSE["reason"]
        self.assertEqual([("ann", "run voided", run_id(1), why),
                          ("ann", "void lifted", run_id(1), "it was right"),
                          ("ann", "price withdrawn", price, why),
                          ("ann", "discount withdrawn", str(discount), why),
                          ("ann", "figure removed", "mine", None),
                          ("ann", "feed accepted", "price-file", "I looked"),
                          ("ann", "feed accepted", "price-file", None)],
                         [(each["who"], each["did"], each["id"], each["reason"])
                          for each in entries if "did" in each])
        self.assertEqual(5, sum(each["who"] == "bob" and each["status"] == 403 for each in entries))

"""Documents with a signature that somebody else made, moved, cut or copied."""
import json

import test_signing
from ed25519 import L, Key, proof, signed
from run_documents import document, line as text_of, run_id
from test_signing import ALICE, MALLORY
from test_tokens import IMPORT, JSON, NDJSON, secret

NAME = ',"signature":'


def parts(text):
    """What is signed, and the value of the member."""
    whole, _, rest = text.partition(NAME)
    return whole, json.loads(rest[:-1])


def joined(whole, signature):
    return whole + NAME + json.dumps(signature, separators=(",", ":")) + "}"


class Signatures(test_signing.Case):
    def setUp(self):
        super().setUp()
        self.server = self.serve_hub()
        self.whole, self.signature = parts(signed(ALICE, text_of(document(1))))

    def tearDown(self):
        self.assertEqual(200, self.ask(self.server, "GET", "/v1/runs", "owner").status)

    def assertRefused(self, text, status, field, name="relay"):
        self.assertEqual((status, field), self.refusal(self.server, name, text)[:2], text[-400:])
        self.assertEqual([], self.ask(self.server, "GET", "/v1/runs", "owner").json()["runs"])

    def test_a_document_that_was_changed_after_it_was_signed(self):
        for old, new in (('"test.large"', '"best.large"'), ('"ended_by":"all_steps"', '"ended_by":"target"'),
                         ('"setup_ns":1000000', '"setup_ns":1000001'), ('"zone":null', '"zone":"a"'),
                         ('"nanoseconds":[', '"nanoseconds":[1'), (run_id(1), run_id(2)),
                         ('"batch_size":32', '"batch_size":64'), ('"zone":null,', ''),
                         ('"zone":null', '"zone": null')):
            with self.subTest(new):
                self.assertIn(old, self.whole)
                self.assertRefused(joined(self.whole.replace(old, new, 1), self.signature), 422,
                                   "signature.value")

    def test_members_that_changed_places(self):
        members = json.loads(self.whole + "}")
        swapped = {name: members[name] for name in sorted(members)}
        self.assertRefused(joined(text_of(swapped)[:-1], self.signature), 422, "signature.value")

    def test_the_signature_of_another_document_key_or_value(self):
        _, other = parts(signed(ALICE, text_of(document(2))))
        _, foreign = parts(signed(MALLORY, text_of(document(1))))
        for signature in (other, {**self.signature, "key": MALLORY.text},
                          {**self.signature, "value": foreign["value"]},
                          {**self.signature, "value": "0" * 128}, {**self.signature, "key": "0" * 64},
                          {**self.signature, "key": "f" * 64}, {**self.signature, "value": "f" * 128}):
            self.assertRefused(joined(self.whole, signature), 422, "signature.value")

    def test_a_signature_has_one_spelling(self):
        """s + L would be the same point, and a second signature of the same document."""
        value = bytes.fromhex(self.signature["value"])
        larger = (int.from_bytes(value[32:], "little") + L).to_bytes(32, "little")
        twin = {**self.signature, "value": (value[:32] + larger).hex()}
        self.assertRefused(joined(self.whole, twin), 422, "signature.value")
        upper = {**self.signature, "value": self.signature["value"].upper()}
        self.assertRefused(joined(self.whole, upper), 400, "signature.value")
        strange = {**self.signature, "kind": 1}
        self.assertRefused(joined(self.whole, strange), 400, "signature.kind")

    def test_a_name_within_a_text_is_no_signature(self):
        hidden = document(1, software='x","signature":{"key":"' + MALLORY.text)
        text = signed(ALICE, text_of(hidden))
        self.assertStored(1, self.put(self.server, "relay", text))
        self.assertEqual([text], self.export(self.server))
        self.assertEqual(ALICE.text, self.show(self.server, 1)["signed_by"])

    def test_runs_of_another_copied_from_an_export(self):
        """With a token of one's own: before it is bound, and after."""
        self.assertStored(1, self.put(self.server, "alice", signed(ALICE, text_of(document(1))), prove=ALICE))
        copied = signed(ALICE, text_of(document(2)))
        self.assertEqual((409, "signature.key"), self.refusal(self.server, "mallory", copied)[:2])
        self.assertStored(1, self.put(self.server, "mallory", signed(MALLORY, text_of(document(3))), prove=MALLORY))
        self.assertEqual((409, "signature.key"), self.refusal(self.server, "mallory", copied)[:2])
        self.assertEqual((409, "signature.key"), self.refusal(self.server, "mallory", copied, prove=MALLORY)[:2])

    def test_a_document_without_its_signature(self):
        self.assertStored(1, self.put(self.server, "alice", signed(ALICE, text_of(document(1))), prove=ALICE))
        self.assertEqual((403, "signature"), self.refusal(self.server, "alice", text_of(document(2)))[:2])
        self.assertEqual((403, "signature"),
                         self.refusal(self.server, "alice", text_of(document(2))[:-1] + NAME + "null}")[:2])

    def test_a_document_sent_again_changes_nothing(self):
        first = signed(ALICE, text_of(document(1)))
        self.assertStored(1, self.put(self.server, "alice", first, prove=ALICE))
        before = self.show(self.server, 1)
        self.assertEqual(1, self.put(self.server, "alice", first)[1]["known"])
        again = signed(ALICE, text_of(document(1, software="better 1")))
        self.assertEqual(1, self.put(self.server, "alice", again)[1]["known"])
        other = signed(MALLORY, text_of(document(1)))
        self.assertEqual(1, self.put(self.server, "relay", other)[1]["known"])
        self.assertEqual(before, self.show(self.server, 1))
        self.assertEqual([first], self.export(self.server))

    def test_a_signature_does_not_reach_runs_that_were_measured_here(self):
        server = self.serve_hub()
        spec = {"engine": "ok", "warmup_steps": 0, "steps": 3}
        measured = self.ask(server, "POST", "/v1/runs", "owner", json.dumps(spec)).json()["id"]
        server.token = secret("owner")
        before = server.wait(measured)
        (exported,) = self.export(server)
        whole, _ = parts(exported)
        forged = signed(MALLORY, whole.replace('"loss":[', '"loss":[9') + "}")
        self.assertEqual(409, self.refusal(server, "mallory", forged, prove=MALLORY)[0])
        self.assertEqual(before, server.show(measured))
        self.assertEqual([exported], self.export(server))

    def test_a_proof_of_another_token_key_or_form(self):
        text = signed(MALLORY, text_of(document(1)))
        alice = proof(ALICE, secret("alice"))["Pennyworth-Key"]
        mallory = proof(MALLORY, secret("mallory"))["Pennyworth-Key"]
        key = Key("mallory")
        for value in (alice, mallory[:-1], mallory + "0", "", "x", mallory.replace(" ", "  "), mallory.upper(),
                      mallory.replace(key.text, ALICE.text), key.text, "\xff" * 193):
            reply = self.ask(self.server, "POST", IMPORT, "mallory", text.encode(),
                             {**NDJSON, "Pennyworth-Key": value})
            self.assertEqual((422, "Pennyworth-Key"), (reply.status, reply.json()["field"]), value)
        reply = self.ask(self.server, "POST", IMPORT, "mallory", text.encode(),
                         {**JSON, "Pennyworth-Key": mallory})
        self.assertEqual(201, reply.status, reply)

    def test_an_import_of_thousands_blames_each_wrong_line_and_no_other(self):
        texts = [signed(ALICE, text_of(document(number))) for number in range(1, 41)]
        texts[7] = texts[7].replace('"zone":null', '"zone":"b"')
        texts[23] = signed(MALLORY, text_of(document(24)))
        texts[30] = text_of(document(31))
        status, report = self.put(self.server, "alice", *texts, prove=ALICE)
        self.assertEqual((200, 37), (status, report["imported"]))
        self.assertEqual([(8, "signature.value"), (24, "signature.key"), (31, "signature")],
                         [(error["line"], error["field"]) for error in report["errors"]])

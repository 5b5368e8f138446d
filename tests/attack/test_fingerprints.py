"""Facts that somebody made up for the fingerprint of another machine keep its runs neither out nor
judge them."""

from harness import ServerCase
from run_documents import document, fingerprint, lines, machine, run_id, second_name
from test_import import export, taken

# Names of machines whose facts, else the same, have one fingerprint: found in two minutes.
COLLIDING = "wIML5QRfvVO", "seHGN_V1HPC"


class Fingerprints(ServerCase):
    def test_facts_made_up_for_a_fingerprint_do_not_keep_the_honest_out(self):
        server, elsewhere = self.own_server(), self.own_server()
        made_up, honest = ({"isa": "avx2", "name": name} for name in COLLIDING)
        self.assertEqual(fingerprint(made_up), fingerprint(honest))
        documents = [document(1, machine=machine(made_up))] + [
            document(number, machine=machine(honest)) for number in (2, 3)]
        report = taken(server, lines(documents))
        self.assertEqual((3, 0), (report["imported"], report["refused"]))
        names = [server.show(run_id(number))["machine"] for number in (1, 2, 3)]
        self.assertEqual([fingerprint(made_up), second_name(honest), second_name(honest)], names)
        for name, facts in zip(names, (made_up, honest)):
            self.assertEqual(facts, server.get(f"/v1/machines/{name}").json()["facts"])
        for number in (1, 2):
            recomputed = server.get(f"/v1/runs/{run_id(number)}/recompute").json()
            self.assertTrue(recomputed["identical"])
        self.assertEqual(3, taken(server, lines(documents))["known"])
        self.assertEqual(3, taken(elsewhere, export(server))["imported"])
        self.assertEqual(export(server), export(elsewhere))

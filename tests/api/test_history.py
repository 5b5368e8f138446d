"""The history of what was measured: its changes are found, dated, sized, and attributed to what
changed with them."""
from urllib.parse import urlencode

from harness import fake
from openapi import DescribedCase
from stored_histories import EVENTS, HALF, RUNS, store_histories


class History(DescribedCase):
    ENGINES = {"ok": fake("ok")}
    FLAGS = ("--provider", "aws", "--instance-type", "a.large", "--price-per-hour", "0.36")

    @classmethod
    def prepare(cls):
        store_histories(cls.server, cls.server.run("ok", steps=5)["id"])

    def history(self, **question):
        return self.ask("/v1/history?" + urlencode({"workload": "mlp2017", **question}, doseq=True))

    def line(self, instance):
        line, = self.history(instance_type=instance)["lines"]
        self.assertEqual((instance, RUNS), (line["instance_type"], line["runs"]))
        return line

    def change(self, instance):
        line = self.line(instance)
        self.assertEqual(1, len(line["changes"]), line)
        return line["changes"][0]

    def test_each_change_is_attributed_to_what_changed_with_it(self):
        for instance, (faster, cheaper, _) in EVENTS.items():
            if instance == "steady.large":
                continue
            with self.subTest(instance):
                change = self.change(instance)
                self.assertEqual(instance.partition(".")[0], change["attributed_to"])
                self.assertEqual("2023-11-26T22:13:20.000Z", change["at"])
                self.assertTrue(change["run"].endswith(f"{HALF:04}"))
                self.assertEqual((HALF, HALF), (change["runs_before"], change["runs_after"]))
                ratio = change["ratio"]
                self.assertLess(ratio["low"], ratio["value"])
                self.assertLess(ratio["value"], ratio["high"])
                self.assertAlmostEqual(faster / cheaper, ratio["value"], delta=0.02)
                self.assertEqual("samples_per_dollar" if cheaper != 1 else "samples_per_second",
                                 change["measure"])

    def test_what_changed_is_named_with_its_values(self):
        for instance, causes in (
                ("version.large", [("version", "engine 1", "engine 2")]),
                ("kernel.large", [("kernel", "6.1.0-9", "6.1.0-10")]),
                ("price.large", [("price", "0.36", "0.288")]),
                ("several.large", [("version", "engine 1", "engine 2"),
                                   ("kernel", "6.1.0-9", "6.1.0-10")]),
                ("unknown.large", [])):
            found = [tuple(cause[name] for name in ("what", "from", "to"))
                     for cause in self.change(instance)["causes"]]
            self.assertEqual(causes, found)

    def test_it_is_said_in_words(self):
        words = self.change("version.large")["words"]
        self.assertRegex(words, r"^Samples per second changed by \+\d+\.\d % \(95 %: \+\d+\.\d to "
                                r"\+\d+\.\d %\), with another version of the engine")
        self.assertRegex(self.change("price.large")["words"],
                         r"^Samples per dollar changed by \+2\d\.\d % .*through the price alone$")
        self.assertIn("changed by -", self.change("unknown.large")["words"])

    def test_runs_that_do_not_count_and_single_runs_make_no_line_of_changes(self):
        answer = self.history()
        self.assertIs(False, answer["more"])
        self.assertEqual(RUNS * len(EVENTS) + 1, answer["runs"])
        own = [line for line in answer["lines"] if line["instance_type"] == "a.large"]
        self.assertTrue(not own or (own[0]["runs"], own[0]["changes"]) == (1, []))

    def test_the_filters_of_the_list_of_runs_hold(self):
        self.assertEqual([], self.history(engine="other")["lines"])
        self.assertEqual([], self.history(label="branch=main")["lines"])
        self.assertEqual([], self.history(workload="resnet50")["lines"])
        self.assertEqual("resnet50", self.server.get("/v1/history").json()["workload"])

    def test_who_has_it_already_gets_304_until_a_run_ends(self):
        path = "/v1/history?workload=mlp2017&instance_type=a.large"
        etag = self.server.get(path).headers["etag"]
        again = self.server.get(path, If_None_Match=etag)
        self.assertEqual((304, b""), (again.status, again.body))
        before = self.history(instance_type="a.large")["runs"]
        self.server.run("ok", steps=5)
        self.assertEqual(before + 1, self.history(instance_type="a.large")["runs"])

"""Pictures of the comparison for other pages: what they say, who gets them, and that names of
strangers stay text."""
import xml.etree.ElementTree as xml
from urllib.parse import urlencode

from harness import ServerCase, fake
from run_documents import FIGURE
from stored_rows import make_valid

CHART, BADGE = "/v1/comparison.svg", "/v1/badge.svg"
ELEMENTS = {"svg", "title", "rect", "text", "path"}


class Pictures(ServerCase):
    ENGINES = {"ok": fake("ok")}
    FLAGS = ("--provider", "aws", "--instance-type", "a.large", "--price-per-hour", "0.36")

    @classmethod
    def prepare(cls):
        cls.server.run("ok", steps=5)
        make_valid(cls.server, samples_per_second=100, throughput_low=97, throughput_high=103)

    def words(self, path, server=None, **question):
        """The texts of a picture, which has none but our elements and attributes."""
        reply = (server or self.server).get(path + "?" + urlencode(question))
        self.assertEqual(200, reply.status, reply)
        self.assertEqual("image/svg+xml", reply.headers["content-type"])
        tree = xml.fromstring(reply.body)
        for element in tree.iter():
            self.assertIn(element.tag, {"{http://www.w3.org/2000/svg}" + name for name in ELEMENTS})
            for name in element.attrib:
                self.assertFalse(name.startswith("on") or name in ("style", "href"), name)
        return [element.text for element in tree.iter() if element.text]

    def test_a_badge_has_the_number_and_half_of_its_interval(self):
        title, label, message = self.words(BADGE, workload="mlp2017", instance_type="a.large")
        self.assertEqual(("samples/$", "1.00M ± 9.1 %"), (label, message))
        self.assertTrue(title.startswith("mlp2017 on a.large, ok, f32, batch 32: "), title)

    def test_without_data_it_says_so(self):
        self.assertEqual("no data", self.words(BADGE, workload="mlp2017", instance_type="b.large")[-1])
        self.assertEqual("no data", self.words(BADGE)[-1])
        self.assertIn("no data", self.words(CHART))

    def test_the_chart_has_the_rows(self):
        words = self.words(CHART, workload="mlp2017")
        self.assertIn("a.large, ok, f32, batch 32", words)
        self.assertIn("1.00M ± 9.1 %", words)
        self.assertIn("0 more rows are not shown.", words)

    def test_other_sites_may_show_it_and_nothing_runs_in_it(self):
        for path in (CHART, BADGE):
            headers = self.server.get(path + "?workload=mlp2017").headers
            self.assertEqual("cross-origin", headers["cross-origin-resource-policy"])
            self.assertEqual("default-src 'none'; sandbox", headers["content-security-policy"])
            self.assertEqual("nosniff", headers["x-content-type-options"])
        headers = self.server.get("/v1/comparison").headers
        self.assertEqual("same-origin", headers["cross-origin-resource-policy"])

    def test_who_has_it_already_gets_304_until_something_changes(self):
        server = self.own_server(engines={"ok": fake("ok")})
        for path in (CHART, BADGE):
            first = server.get(path)
            self.assertEqual("no-cache", first.headers["cache-control"])
            again = server.get(path, If_None_Match=first.headers["etag"])
            self.assertEqual((304, b""), (again.status, again.body))
        self.assertNotEqual(*(server.get(path).headers["etag"] for path in (CHART, BADGE)))
        etag = server.get(CHART).headers["etag"]
        self.assertEqual(201, server.post({**FIGURE, "workload": "resnet50"}, path="/v1/figures").status)
        self.assertEqual(200, server.get(CHART, If_None_Match=etag).status)

"""How training scales over the sizes of a family: measured sizes, and sizes that only the feeds know."""
from catalogue import list_types
from harness import ServerCase
from run_documents import document, machine, take_in

MACHINE = machine({"isa": "avx2", "cpu_model": "A CPU", "processors": 2, "memory_gib": 8})


SIZES = (("c9.large", 2, 4, ""), ("c9.xlarge", 4, 8, ""), ("c9.metal", 96, 192, ""))


class Families(ServerCase):
    @classmethod
    def prepare(cls):
        list_types(cls.server, *SIZES)
        runs = [document(number, instance_type=name, machine=MACHINE, nanoseconds=nanoseconds)
                for number, (name, nanoseconds) in enumerate(
                    (("c9.large", 8_000_000), ("c9.xlarge", 5_000_000), ("zz9.large", 5_000_000)))]
        take_in(cls.server, runs)
        for name, dollars in (("c9.large", "0.1"), ("c9.xlarge", "0.2"), ("c9.metal", "4.8")):
            cls.server.price(name, dollars, provider="aws")

    def page(self, **question):
        return self.server.ask("/v1/families", workload="mlp2017", region="us-east-1", **question)

    def family(self, **question):
        [family] = self.page(**question)["families"]
        return family

    def test_a_family_has_all_its_sizes_the_measured_ones_with_a_number(self):
        family = self.family(family="c9")
        self.assertEqual(("c9", "aws", "c9.large"),
                         (family["family"], family["provider"], family["reference"]))
        self.assertEqual([(name, vcpus) for name, vcpus, *_ in SIZES],
                         [(size["instance_type"], size["vcpus"]["value"]) for size in family["sizes"]])
        for index, size in enumerate(family["sizes"]):
            self.assertEqual(index < 2, size["measured"])
            self.assertEqual(index < 2, size["throughput"] is not None)
            self.assertEqual(index < 2, size["samples_per_dollar"] is not None)
            self.assertEqual("catalogue", size["vcpus"]["source"])
            self.assertIsNotNone(size["price"])
            self.assertEqual(size["memory_gib"]["value"] / size["vcpus"]["value"],
                             size["memory_gib_per_vcpu"])
        self.assertEqual({"value": 1, "low": 1, "high": 1}, family["sizes"][0]["scaling_efficiency"])

    def test_prices_equal_the_comparison(self):
        size = self.family(family="c9")["sizes"][0]
        rows = self.server.get("/v1/comparison?workload=mlp2017&region=us-east-1").json()["rows"]
        [row] = [row for row in rows if row["id"] == size["row"]]
        self.assertEqual((row["price"], row["samples_per_dollar"]),
                         (size["price"], size["samples_per_dollar"]))

    def test_a_type_names_its_family(self):
        self.assertEqual(self.page(family="c9"), self.page(instance_type="c9.metal"))

    def test_without_a_name_there_is_each_family_that_was_measured_page_by_page(self):
        page = self.page()
        self.assertEqual(["c9", "zz9"], [family["family"] for family in page["families"]])
        self.assertIsNone(page["next_cursor"])
        first = self.page(limit=1)
        self.assertEqual(page["families"][:1], first["families"])
        second = self.page(limit=1, cursor=first["next_cursor"])
        self.assertEqual((page["families"][1:], None), (second["families"], second["next_cursor"]))

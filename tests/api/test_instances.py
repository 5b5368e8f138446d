"""What feeds say of instance types: found by filter, page by page, with prices where a region is
named."""
from harness import Case
from price_server import OnDemandPage


class Instances(Case):
    @classmethod
    def setUpClass(cls):
        cls.stage = OnDemandPage("regions=us-east-1,eu-west-1")
        cls.addClassCleanup(cls.stage.__exit__)
        cls.stage.__enter__()
        cls.server = cls.stage.server

    def page(self, **filters):
        return self.server.ask("/v1/instances", **filters)

    def sold(self):
        return sorted({key[1] for key in self.stage.expected()})

    def test_each_type_is_there_once_as_the_feed_describes_it(self):
        rows = self.page(limit=500)["instances"]
        self.assertEqual(self.sold(), sorted(row["instance_type"] for row in rows))
        for row in rows:
            kind = self.stage.aws.by_name[row["instance_type"]]
            self.assertEqual(("aws", kind.cores, kind.gib, self.stage.NAME, None),
                             (row["provider"], row["vcpus"], row["memory_gib"], row["feed"],
                              row["prices"]))

    def test_the_architecture_is_known_by_family_where_the_feed_does_not_say_it(self):
        rows = self.page(limit=500)["instances"]
        by_rule = {row["instance_type"]: (row["architecture"], row["architecture_source"])
                   for row in rows}
        self.assertEqual(("x86_64", "rule"), by_rule["m5.large"])
        page = self.page(architecture="arm64", limit=500)
        self.assertEqual(sorted(name for name, (word, _) in by_rule.items() if word == "arm64"),
                         sorted(row["instance_type"] for row in page["instances"]))
        self.assertTrue(page["instances"])
        self.assertEqual(sum(word is None for word, _ in by_rule.values()),
                         page["unknown_architectures"])
        first = self.page(architecture="x86_64", limit=2)
        second = self.page(architecture="x86_64", limit=2, cursor=first["next_cursor"])
        names = [row["instance_type"] for row in first["instances"] + second["instances"]]
        self.assertEqual(4, len(set(names)), names)

    def test_a_region_that_is_named_brings_its_prices_and_no_others(self):
        expected = self.stage.expected()
        for region in ("us-east-1", "eu-west-1", "nowhere"):
            for row in self.page(limit=500, region=region)["instances"]:
                wanted = expected.get((region, row["instance_type"], "on_demand"))
                self.assertEqual([wanted] if wanted else [],
                                 [price["nanos_per_hour"] for price in row["prices"]])
                self.assertTrue(all(price["region"] == region for price in row["prices"]))

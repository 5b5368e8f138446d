"""A comparison of thousands of rows, and the sizes of a family."""
from compared_rows import Rows
from catalogue import list_types  # which browser has found


class Many(Rows):
    COUNT = 2500

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.store({f"t.{i}": (1 + i * 7919 % cls.COUNT,) for i in range(cls.COUNT)})

    def test_all_take_part_and_few_are_drawn(self):
        self.see()
        self.until(lambda: self.text(".count") == "2,500 rows", "all pages are there")
        asked = [url for url in self.requests() if "/v1/comparison" in url and "price=" not in url]
        self.assertEqual(4, len(asked))
        self.sort("throughput")
        self.assertEqual("2,500", self.column(5)[0])
        self.assertLess(len(self.all("table.rows tbody tr:not(.space)")), 300)
        self.script("document.querySelector('.scroll.tall').scrollTop = 1e9")
        self.until(lambda: "t.0" in self.column(2)[-1:], "the last rows are drawn")
        self.assertLess(len(self.all("table.rows tbody tr:not(.space)")), 300)


class Family(Rows):
    @classmethod
    def prepare(cls):
        super().prepare()
        cls.store({"c9.large": [10, 10.1, 9.9], "c9.xlarge": [16, 16.1, 15.9],
                   "x7.<b>evil</b>": [5, 5, 5]})
        list_types(cls.server, ("c9.large", 2, 4, ""), ("c9.xlarge", 4, 8, ""),
                   ("c9.metal", 96, 192, ""))
        cls.server.price("c9.large", "0.1", provider="aws")
        cls.server.price("c9.metal", "4.8", provider="aws")

    def cells(self, name):
        return self.script(
            "return [...document.querySelectorAll('tbody tr')].filter((row) =>"
            " row.cells[0].textContent.startsWith(arguments[0]))"
            ".flatMap((row) => [...row.cells].map((cell) => cell.textContent))", name)

    def test_a_row_of_the_comparison_leads_to_the_sizes_of_its_family(self):
        self.see("?workload=mlp2017&price=on_demand")
        self.until(lambda: self.all("table.rows a[href*='view=family']"), "the links")
        self.script("[...document.querySelectorAll('table.rows a')].find((link) =>"
                    " link.href.includes('c9.large') && link.href.includes('family')).click()")
        self.until(lambda: "Sizes of a family" in self.text("h1"), "the view")
        self.until(lambda: self.all("section table"), "the table")
        self.assertIn("workload=mlp2017", self.address())
        self.assertIn("2 of 3 sizes were measured", self.text())
        large, xlarge, metal = (self.cells(name) for name in ("c9.large", "c9.xlarge", "c9.metal"))
        self.assertEqual("100 %", large[6][:5])
        self.assertEqual("80.0 %", xlarge[6][:6])
        self.assertIn("unknown", xlarge[3])
        self.assertEqual("not measured", metal[4])
        self.assertIn("$4.80", metal[3])

    def test_without_a_name_all_measured_families_are_there_and_names_are_text(self):
        self.open("/?view=family&workload=mlp2017")
        self.until(lambda: len(self.all("section table")) == 2, "both families")
        self.assertIn("<b>evil</b>", self.text())

    def test_a_family_without_sizes_says_so(self):
        self.open("/?view=family&family=nothing")
        self.until(lambda: "No size of such a family is known" in self.text(), "the answer")

"""The part of the tour of the API that compares machines."""
from stored_rows import make_valid

PICTURES = ("/v1/comparison.svg", "/v1/badge.svg")


class TourOfComparing:
    def visit_comparison(self, server):
        # The fake engines' runs are too short to be trusted: here they stand for some that are.
        server.sql("UPDATE runs SET throughput_high = samples_per_second, throughput_low = samples_per_second")
        make_valid(server)
        path = "/v1/comparison?workload=mlp2017"
        row, *_ = self.ask(server, "GET", path, 200).json()["rows"]
        self.assertEqual((1, "typed"), (row["rank"]["low"], row["price"]["kind"]))
        full = path + ("&reference=test.large&deadline_h=9&budget=9&price=spot,on_demand"
                       "&utility=samples_per_dollar/hours&configuration=all")
        row, *_ = self.ask(server, "GET", full, 200).json()["rows"]
        for member in ("to_reference", "utility", "throughput", "job"):
            self.assertIsNotNone(row[member])
        for accept in ("text/csv", "text/markdown"):
            self.ask(server, "GET", full, 200, {"Accept": accept})
        pictures = [full.replace("/v1/comparison", picture) for picture in PICTURES]
        for again in (full, *pictures, "/v1/history?workload=mlp2017"):
            etag = self.ask(server, "GET", again, 200).headers["etag"]
            self.ask(server, "GET", again, 304, {"If-None-Match": etag})
        self.visit_types(server)
        for wrong in ("reference=x", "utility=1%2B", "sort=x", "price=free", "samples=0", "x=1"):
            self.ask(server, "GET", path + "&" + wrong, 400)
        self.ask(server, "GET", "/metrics", 200)

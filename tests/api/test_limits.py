"""Numbers, texts and times at the edges of what the description allows: each is taken or refused as
it says there, and what is answered keeps to it."""
from harness import fake
from openapi import DescribedCase
from run_documents import FIGURE

TINY = 5e-324  # the smallest double above 0
TIMES = {"/v1/comparison": "price_at", "/v1/prices": "at", "/v1/discounts": "at"}


class Limits(DescribedCase):
    ENGINES = {"ok": fake("ok")}

    def refuses(self, path, field, body=None):
        problem = self.post(path, body, 400) if body else self.ask(path, 400)
        self.assertEqual(field, problem["field"])
        return problem

    def test_a_parameter_may_be_the_smallest_number_there_is(self):
        for path in ("/v1/comparison?epochs=", "/v1/comparison?samples=", "/v1/comparison?margin=",
                     "/v1/comparison?discount=", "/v1/comparison?price_of=a:",
                     "/v1/instances?min_vcpus=", "/v1/instances?min_memory_gib="):
            with self.subTest(path):
                self.ask(f"{path}{TINY}")

    def test_where_0_is_allowed_each_way_to_write_it_is(self):
        for name in ("margin", "vm_spread", "boot_seconds", "restart_seconds", "hourly_value"):
            for zero in ("0", "0.0", "-0.0", "0e3"):
                with self.subTest(f"{name}={zero}"):
                    self.ask(f"/v1/comparison?{name}={zero}")

    def test_a_word_has_at_most_200_characters_not_bytes(self):
        self.ask("/v1/prices?provider=" + "%C3%A9" * 200)
        self.refuses("/v1/prices?provider=" + "%C3%A9" * 201, "provider")

    def test_a_time_of_the_epoch_is_refused_and_the_next_millisecond_is_not(self):
        for path, name in TIMES.items():
            self.refuses(f"{path}?{name}=1970-01-01T00:00:00Z", name)
            self.ask(f"{path}?{name}=1970-01-01T00:00:00.001Z")
        discount = {"provider": "aws", "factor": 0.5, "valid_from": "1970-01-01T00:00:00Z"}
        self.refuses("/v1/discounts", "valid_from", discount)
        discount["valid_from"] = "1970-01-01T00:00:00.001Z"
        self.assertEqual(discount["valid_from"],
                         self.post("/v1/discounts", discount)["valid_from"])

    def test_a_discount_may_be_as_good_as_everything(self):
        self.post("/v1/prices", {"instance_type": "a.large", "provider": "aws", "kind": "own",
                                 "price_per_hour": "0.5"})
        self.assertEqual(TINY, self.post("/v1/discounts", {"provider": "aws", "kind": "spot",
                                                           "factor": TINY})["factor"])
        found = self.ask("/v1/discounts")["discounts"]
        self.assertIn(TINY, [discount["factor"] for discount in found])
        self.refuses("/v1/discounts", "factor", {"provider": "aws", "factor": -0.0})
        self.refuses("/v1/discounts", "family", {"provider": "aws", "factor": 1, "family": ""})

    def test_a_price_is_counted_in_nanos(self):
        price = {"instance_type": "b.large", "price_per_hour": 5e-10}
        self.assertEqual(1, self.post("/v1/prices", price)["prices"][0]["nanos_per_hour"])
        for amount in (TINY, 4.9e-10, 0, -0.0, 100000.1, "0", "0.00"):
            self.refuses("/v1/prices", "price_per_hour", {**price, "price_per_hour": amount})

    def test_a_figure_has_the_limits_of_its_unit(self):
        job = {name: value for name, value in FIGURE.items() if name != "samples_per_second"}
        job = {**job, "unit": "job", "seconds": 1e-9}
        self.assertEqual(1e-9, self.post("/v1/figures", job)["seconds_per_job"])
        self.refuses("/v1/figures", "seconds", {**job, "seconds": 9e-10})
        self.refuses("/v1/figures", "seconds", {**job, "samples_per_second": 1})
        self.refuses("/v1/figures", "measured_at", {**job, "measured_at": "1970-01-01"})

    def test_a_run_takes_its_own_defaults_and_whole_numbers_of_either_kind(self):
        run = {"engine": "ok", "protocol": "published", "warmup_steps": "auto", "steps": "auto"}
        spec = self.post("/v1/runs", run)["spec"]
        self.assertEqual((11, 91), (spec["warmup_steps"], spec["steps"]))
        self.refuses("/v1/runs", "steps", {**run, "steps": 90})
        spec = self.post("/v1/runs", '{"engine": "ok", "batch_size": 8.0, "steps": 1}')["spec"]
        self.assertEqual((8, int), (spec["batch_size"], type(spec["batch_size"])))
        self.refuses("/v1/runs", "batch_size", '{"batch_size": 8.5}')
        self.refuses("/v1/runs", "seed", {"seed": 2**53 + 1})

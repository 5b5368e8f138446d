"""Writes a made-up list in the shape of AWS's savings plans of a region, of real size with the
defaults: savings_plan.py [--types N] [--expected FILE] INDEX FILE

INDEX leads to FILE, which has six plans for all types and six for each family, and under each plan
rates of thirteen systems in three places; one rate in 39 is for plain Linux. --expected gets a line
"type price" for each price that a reader must find, and no other. All prices are invented."""
import argparse
import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/api"))
from instance_names import kinds

SYSTEMS = ["RunInstances", "RunInstances:0002", "RunInstances:0004", "RunInstances:0006",
           "RunInstances:000g", "RunInstances:0010", "RunInstances:0100", "RunInstances:0102",
           "RunInstances:0200", "RunInstances:0202", "RunInstances:0800", "RunInstances:0g00",
           "RunInstances:1010"]
PLACES = ["BoxUsage", "DedicatedUsage", "UnusedBox"]
PAYMENTS = ["No Upfront", "Partial Upfront", "All Upfront"]

RATE = """      {
        "discountedSku" : "%(sku)s",
        "discountedUsageType" : "%(place)s:%(type)s",
        "discountedOperation" : "%(system)s",
        "discountedServiceCode" : "AmazonEC2",
        "rateCode" : "%(plan)s.%(sku)s",
        "unit" : "Hrs",
        "discountedRate" : {
          "price" : "%(price)s",
          "currency" : "USD"
        },
        "discountedRegionCode" : "us-east-1",
        "discountedInstanceType" : "%(type)s"
      }"""


class Plans:
    """Plans (sku, family of plans, family of types or None, payment, years), and their rates."""

    def __init__(self, count, seed=1):
        self.chance = random.Random(seed)
        self.types = [kind.name for kind in kinds(count) if not kind.metal]
        families = sorted({name.partition(".")[0] for name in self.types})
        self.plans = [(f"PLAN{number:06}", family, payment, years) for number, (family, payment, years)
                      in enumerate((family, payment, years) for family in [None, *families]
                                   for payment in PAYMENTS for years in (1, 3))]

    def products(self):
        for sku, family, payment, years in self.plans:
            kind = "EC2InstanceSavingsPlans" if family else "ComputeSavingsPlans"
            yield {"sku": sku, "productFamily": kind, "serviceCode": "ComputeSavingsPlans",
                   "attributes": {"purchaseOption": payment, "granularity": "hourly",
                                  "purchaseTerm": f"{years}yr",
                                  **({"instanceType": family} if family else {})}}

    def rates(self, plan, family, expected):
        for name in self.types:
            if family and name.partition(".")[0] != family:
                continue
            for system in SYSTEMS:
                for place in PLACES:
                    price = f"{self.chance.uniform(0.01, 30):.4f}1"
                    if system == "RunInstances" and place == "BoxUsage":
                        expected.append((name, price))
                    yield RATE % {"sku": f"{self.chance.getrandbits(60):015X}", "place": place,
                                  "type": name, "system": system, "plan": plan, "price": price}

    def write(self, out, expected):
        out.write('{\n  "publicationDate" : "2025-09-11T18:44:47Z",\n  "products" : ')
        out.write(json.dumps(list(self.products()), indent=2, separators=(",", " : ")))
        out.write(',\n  "terms" : {\n    "savingsPlan" : [')
        for number, (sku, family, _payment, years) in enumerate(self.plans):
            out.write(f'{"," if number else ""} {{\n      "sku" : "{sku}",\n      '
                      f'"leaseContractLength" : {{ "duration" : {years}, "unit" : "year" }},\n'
                      '      "rates" : [\n')
            for place, rate in enumerate(self.rates(sku, family, expected)):
                out.write((",\n" if place else "") + rate)
            out.write(" ]\n    }")
        out.write(" ]\n  }\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--types", type=int, default=1300)
    parser.add_argument("--expected")
    parser.add_argument("index")
    parser.add_argument("file")
    asked = parser.parse_args()
    expected = []
    Path(asked.index).write_text(json.dumps({"regions": [
        {"regionCode": "us-east-1", "versionUrl": "/s/1/us-east-1/index.json"}]}))
    with open(asked.file, "w") as out:
        Plans(asked.types).write(out, expected)
    if asked.expected:
        Path(asked.expected).write_text("".join(f"{name} {price}\n" for name, price in expected))


if __name__ == "__main__":
    main()

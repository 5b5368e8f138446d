"""Writes a made-up price list in the shape of AWS's bulk offer file of a region, of real size:
offer.py [--products N] [--megabytes N] [--order ORDER] [--seed N] [--expected FILE] FILE

About one product in eighty is the price of an hour of Linux on demand; the others are similar
products that a reader could confuse with it. --expected gets a line "type price" for each price that a reader must find,
and no other: where the price is ambiguous, there is no line. All prices are invented."""
import argparse
import base64
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/api"))
from instance_names import kinds

REGION, LOCATION = "us-east-1", "US East (N. Virginia)"
DOLLARS_OF_A_CORE = {"c": 0.0446, "m": 0.0504, "r": 0.0661, "g": 0.1515, "p": 0.3413, "t": 0.0416,
                     "x": 0.1042, "u": 0.1218}
PER_TYPE = 106000 / 1300  # products for each type
ORDERS = ("published", "reserved-first", "terms-first")

HEAD = """{
  "formatVersion" : "v1.0",
  "disclaimer" : "This list is made up, for tests. \\"Prices\\" in it are not real.",
  "offerCode" : "AmazonEC2",
  "version" : "20260806171752",
  "publicationDate" : "2026-08-06T17:17:52Z\""""

COMPUTE = """    "%(sku)s" : {
      "sku" : "%(sku)s",
      "productFamily" : "%(family)s",
      "attributes" : {
        "servicecode" : "AmazonEC2",
        "location" : "%(location)s",
        "locationType" : "%(place)s",
        "instanceType" : "%(type)s",
        "currentGeneration" : "Yes",
        "instanceFamily" : "%(group)s",
        "vcpu" : "%(cores)d",
        "physicalProcessor" : "%(processor)s",
        "memory" : "%(memory)s GiB",
        "storage" : "EBS only",
        "networkPerformance" : "Up to 12500 Megabit",
        "processorArchitecture" : "64-bit",
        "tenancy" : "%(tenancy)s",
        "operatingSystem" : "%(system)s",
        "licenseModel" : "%(license)s",
        "usagetype" : "%(usage)s:%(type)s",
        "operation" : "%(operation)s",
        "availabilityzone" : "NA",
        "capacitystatus" : "%(capacity)s",
        "classicnetworkingsupport" : "false",
        "enhancedNetworkingSupported" : "Yes",
        "intelAvxAvailable" : "Yes",
        "marketoption" : "%(market)s",
        "normalizationSizeFactor" : "NA",
        "preInstalledSw" : "%(software)s",
        "processorFeatures" : "AVX; AVX2",
        "regionCode" : "%(region)s",
        "servicename" : "Amazon Elastic Compute Cloud",
        "vpcnetworkingsupport" : "true"
      }
    }"""

STORAGE = """    "%(sku)s" : {
      "sku" : "%(sku)s",
      "productFamily" : "%(family)s",
      "attributes" : {
        "servicecode" : "AmazonEC2",
        "location" : "US East (N. Virginia)",
        "locationType" : "AWS Region",
        "storageMedia" : "SSD-backed",
        "group" : "%(family)s \\"%(type)s\\"",
        "operatingSystem" : "Linux",
        "usagetype" : "%(usage)s:%(type)s",
        "operation" : "",
        "regionCode" : "us-east-1",
        "servicename" : "Amazon Elastic Compute Cloud"
      }
    }"""

DIMENSION = """            "%(sku)s.%(term)s.%(rate)s" : {
              "rateCode" : "%(sku)s.%(term)s.%(rate)s",
              "description" : "%(text)s",
              "beginRange" : "%(begin)s",
              "endRange" : "%(end)s",
              "unit" : "%(unit)s",
              "pricePerUnit" : {
                "USD" : "%(price)s"
              },
              "appliesTo" : [ ]
            }"""

TERM = """        "%(sku)s.%(term)s" : {
          "offerTermCode" : "%(term)s",
          "sku" : "%(sku)s",
          "effectiveDate" : "2026-08-01T00:00:00Z",
          "priceDimensions" : {
%(dimensions)s
          },
          "termAttributes" : { %(attributes)s}
        }"""

UPFRONT = """            "%(sku)s.%(term)s.2TG2D8R56U" : {
              "rateCode" : "%(sku)s.%(term)s.2TG2D8R56U",
              "description" : "Upfront Fee",
              "unit" : "Quantity",
              "pricePerUnit" : {
                "USD" : "%(price)d"
              },
              "appliesTo" : [ ]
            }"""

LEASE = """
            "LeaseContractLength" : "%s",
            "OfferingClass" : "%s",
            "PurchaseOption" : "%s"
          """

RIGHT = {"family": "Compute Instance", "location": LOCATION, "place": "AWS Region",
         "tenancy": "Shared", "system": "Linux", "license": "No License required",
         "usage": "BoxUsage", "operation": "RunInstances", "capacity": "Used",
         "market": "OnDemand", "software": "NA", "region": REGION}

# What runs on it: the attributes that differ, and how many times the price it costs.
SYSTEMS = [
    ({}, 1),
    ({"software": "SQL Std", "operation": "RunInstances:0004"}, 3.7),
    ({"software": "SQL Web", "operation": "RunInstances:0200"}, 1.4),
    ({"software": "SQL Ent", "operation": "RunInstances:0100"}, 9.4),
    ({"system": "Windows", "operation": "RunInstances:0002"}, 2.03),
    ({"system": "Windows", "software": "SQL Std", "operation": "RunInstances:0006"}, 4.7),
    ({"system": "Windows", "software": "SQL Web", "operation": "RunInstances:0202"}, 2.4),
    ({"system": "Windows", "software": "SQL Ent", "operation": "RunInstances:0102"}, 10.4),
    ({"system": "Windows", "license": "Bring your own license",
      "operation": "RunInstances:0800"}, 1),
    ({"system": "RHEL", "operation": "RunInstances:0010"}, 1.32),
    ({"system": "Red Hat Enterprise Linux with HA", "operation": "RunInstances:1010"}, 1.4),
    ({"system": "SUSE", "operation": "RunInstances:000g"}, 1.35),
    ({"system": "Ubuntu Pro", "operation": "RunInstances:0g00"}, 1.04),
]

DEDICATED = {"tenancy": "Dedicated", "usage": "DedicatedUsage"}

# Where it runs and who may: likewise.
PLACES = [
    ({}, 1),
    ({"usage": "UnusedBox", "capacity": "UnusedCapacityReservation"}, 1),
    ({"usage": "Reservation", "capacity": "AllocatedCapacityReservation"}, 0),
    (DEDICATED, 1.06),
    ({"tenancy": "Dedicated", "usage": "UnusedDed", "capacity": "UnusedCapacityReservation"}, 1.06),
    ({"tenancy": "Dedicated", "usage": "DedicatedRes",
      "capacity": "AllocatedCapacityReservation"}, 0),
]

ODDITIES = [
    ({"tenancy": "Host", "usage": "HostBoxUsage"}, 0),
    ({"market": "CapacityBlock", "operation": "RunInstances:CB"}, 0),
    ({"market": "CapacityBlock"}, 0),
    ({"place": "AWS Local Zone", "location": "US East (Atlanta)", "region": "us-east-1-atl-1",
      "usage": "ATL1-BoxUsage"}, 1.2),
    ({"place": "AWS Wavelength Zone", "location": "US East (Verizon) - Boston",
      "region": "us-east-1-wl1", "usage": "WL1-BoxUsage"}, 1.3),
    ({"license": "Bring your own license"}, 0.9),
    ({"family": "Dedicated Host", "tenancy": "Host", "usage": "HostUsage"}, 17),
]

# Not seen at AWS: each breaks one rule alone, so that a reader that forgets one is found out.
SINGLES = [(attributes, 0.7) for attributes in (
    {"family": "Compute Instance (reserved)"}, {"system": "Windows", "group": "Linux"},
    {"tenancy": "Dedicated"}, {"software": "SQL Std"}, {"capacity": "UnusedCapacityReservation"},
    {"market": "CapacityBlock"}, {"license": "Bring your own license"},
    {"operation": "RunInstances:0010"}, {"usage": "DedicatedUsage"}, {"usage": "HostBoxUsage"},
    {"place": "AWS Local Zone"}, {"region": "us-east-2"})]

DECOYS = [({**system, **place}, times * more) for place, more in PLACES
          for system, times in SYSTEMS if system or place]
DECOYS = [DECOYS[0], *ODDITIES, *DECOYS[1:]]  # so that few products have some of each
STORAGES = [("Storage", "EBS:VolumeUsage", "GB-Mo", 0.08),
            ("Data Transfer", "DataTransfer-Out-Bytes", "GB", 0.09),
            ("IP Address", "PublicIPv4:InUseAddress", "Hrs", 0.005),
            ("Load Balancer", "LoadBalancerUsage", "Hrs", 0.0225)]


class Product:
    """What one SKU says, and the prices of its terms on demand."""

    def __init__(self, sku, kind, template, attributes, dimensions):
        self.sku = sku
        self.kind = kind
        self.template = template
        self.attributes = attributes
        self.dimensions = dimensions  # (begin, end, unit, price); none: there is no term

    def product(self):
        kind = self.kind
        return self.template % {
            "type": kind.name, "group": kind.group, "cores": kind.cores, "memory": kind.gib,
            "processor": "AWS Graviton4" if kind.arm else "Intel Xeon Scalable", "sku": self.sku,
            **self.attributes}

    def terms(self):
        dimensions = ",\n".join(DIMENSION % {
            "sku": self.sku, "term": "JRTCKXETXF", "rate": f"6YS6EN2CT{7 + place}",
            "text": f"${price} per On Demand {self.kind.name} Instance Hour",
            "begin": begin, "end": end, "unit": unit, "price": price,
        } for place, (begin, end, unit, price) in enumerate(self.dimensions))
        term = TERM % {"sku": self.sku, "term": "JRTCKXETXF", "dimensions": dimensions,
                       "attributes": ""}
        return f'      "{self.sku}" : {{\n{term}\n      }}'


def dollars(amount):
    return f"{amount:.4f}000000"


def hourly(price):
    return [("0", "Inf", "Hrs", price)]


class Offer:
    def __init__(self, count, seed):
        self.chance = random.Random(seed)
        self.products = []
        self.expected = []  # (type, price)
        wanted = max(1, round(count / PER_TYPE))
        known = kinds(wanted)
        metal = set([kind for kind in known if kind.metal][:12])  # sold dedicated alone
        for kind in known:
            price = self.price(kind)
            self.expected.append((kind.name, price))
            self.add(kind, DEDICATED if kind in metal else {}, hourly(price))
        if wanted > 20:  # some more types, whose price is ambiguous
            others = [kind for kind in kinds(wanted + 8)[wanted:] if not kind.metal]
            doubts = [self.twice, self.at_two_rates, self.in_tiers, self.for_nothing,
                      self.without_term]
            for kind, write in zip(others, doubts):
                write(kind)
                known.append(kind)
        self.decoys(known, count, metal)
        self.chance.shuffle(self.products)

    def price(self, kind):
        core = DOLLARS_OF_A_CORE.get(kind.family[0], 0.0577)
        return dollars(kind.cores * core * self.chance.uniform(0.7, 1.5))

    def add(self, kind, attributes, dimensions, template=COMPUTE):
        sku = base64.b32encode(self.chance.randbytes(10)).decode()
        family = "Compute Instance (bare metal)" if kind.metal else "Compute Instance"
        self.products.append(Product(sku, kind, template,
                                     {**RIGHT, "family": family, **attributes}, dimensions))

    def twice(self, kind):
        for _ in range(2):
            self.add(kind, {}, hourly(self.price(kind)))

    def at_two_rates(self, kind):
        self.add(kind, {}, hourly("0.2000000000") + hourly("0.1000000000"))

    def in_tiers(self, kind):
        self.add(kind, {}, [("0", "100", "Hrs", "0.2000000000"),
                            ("100", "Inf", "Hrs", "0.1000000000")])

    def for_nothing(self, kind):
        self.add(kind, {}, hourly("0.0000000000"))

    def without_term(self, kind):
        self.add(kind, {}, [])

    def decoys(self, known, count, metal):
        """Fills up with twins, each kind of them for all types, and a little that is no machine."""
        shared = [kind for kind in known if kind not in metal]
        twins = [(kind, *single) for single in SINGLES for kind in shared[::10]]
        twins += [(kind, *decoy) for decoy in DECOYS for kind in known
                  if decoy[0] != DEDICATED or kind not in metal]
        for kind, attributes, times in twins:
            if len(self.products) >= count * 0.98:
                break
            self.add(kind, attributes, hourly(dollars(times * kind.cores * 0.05)))
        while len(self.products) < count:
            family, usage, unit, price = self.chance.choice(STORAGES)
            self.add(self.chance.choice(known), {"family": family, "usage": usage},
                     [("0", "10240", unit, dollars(price)),
                      ("10240", "Inf", unit, dollars(price * 0.9))], STORAGE)

    def write_products(self):
        yield ',\n  "products" : {\n'
        for number, product in enumerate(self.products):
            yield (",\n" if number else "") + product.product()
        yield "\n  }"

    def write_on_demand(self):
        """In another order than the products."""
        yield '    "OnDemand" : {\n'
        begun = False
        for product in sorted(self.products, key=lambda product: product.sku[::-1]):
            if product.dimensions:
                yield (",\n" if begun else "") + product.terms()
                begun = True
        yield "\n    }"

    def write_reserved(self, room):
        """At most about `room` bytes: the terms of the products as they come."""
        yield '    "Reserved" : {\n'
        leases = [leases_of(random.Random(number)) for number in range(16)]
        begun = False
        for number, product in enumerate(self.products):
            text = leases[number % len(leases)].replace("<SKU>", product.sku)
            room -= len(text)
            if room < 0:
                break
            yield (",\n" if begun else "") + text
            begun = True
        yield "\n    }"


def leases_of(chance):
    """All Reserved terms of a product "<SKU>"."""
    terms = []
    for years in ("1yr", "3yr"):
        for offering in ("standard", "convertible"):
            for option in ("No Upfront", "Partial Upfront", "All Upfront"):
                code = base64.b32encode(chance.randbytes(10)).decode()[:10]
                price = 0 if option == "All Upfront" else chance.uniform(0.02, 9)
                dimensions = DIMENSION % {
                    "sku": "<SKU>", "term": code, "rate": "6YS6EN2CT7", "begin": "0",
                    "text": "Linux/UNIX (Amazon VPC), reserved instance applied", "end": "Inf",
                    "unit": "Hrs", "price": dollars(price)}
                if option != "No Upfront":
                    dimensions += ",\n" + UPFRONT % {"sku": "<SKU>", "term": code,
                                                     "price": chance.randrange(100, 90000)}
                terms.append(TERM % {"sku": "<SKU>", "term": code, "dimensions": dimensions,
                                     "attributes": LEASE % (years, offering, option)})
    return '      "<SKU>" : {\n' + ",\n".join(terms) + "\n      }"


def whole(offer, order, room):
    """The file's pieces in this order; `room` is for Reserved terms."""
    terms = [offer.write_on_demand(), offer.write_reserved(room)]
    if order == "reserved-first":
        terms.reverse()
    yield HEAD
    if order != "terms-first":
        yield from offer.write_products()
    yield ',\n  "terms" : {\n'
    yield from terms[0]
    yield ",\n"
    yield from terms[1]
    yield "\n  }"
    if order == "terms-first":
        yield from offer.write_products()
    yield ',\n  "attributesList" : { }\n}\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help='"-" is the standard output')
    parser.add_argument("--products", type=int, default=106000)
    parser.add_argument("--megabytes", type=float, default=450,
                        help="what products and prices on demand leave is filled with Reserved")
    parser.add_argument("--order", choices=ORDERS, default="published",
                        help="of the sections; published: products, OnDemand, Reserved")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--expected", metavar="FILE")
    options = parser.parse_args()
    offer = Offer(options.products, options.seed)
    # All but the Reserved terms must be written, so it is counted; everything is ASCII.
    room = options.megabytes * 1e6 - sum(map(len, whole(offer, options.order, 0)))
    written = 0
    with open(1 if options.file == "-" else options.file, "w", encoding="ascii",
              buffering=1 << 20) as file:
        for piece in whole(offer, options.order, room):
            written += file.write(piece)
    if options.expected:
        with open(options.expected, "w", encoding="ascii") as file:
            file.writelines(f"{name} {price}\n" for name, price in sorted(offer.expected))
    print(f"{written / 1e6:.1f} MB, {len(offer.products)} products, "
          f"{len(offer.expected)} right prices", file=sys.stderr)


if __name__ == "__main__":
    main()

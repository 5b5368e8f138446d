"""Names for payloads that tests make up: regions of AWS as its pages call them, and types of
instances that look like AWS's. Nothing here is a price."""

# code|name[|label]: the name is what AWS's pages are called by, the label what people are shown.
_REGIONS = """
us-east-1|US East (N. Virginia)
us-east-2|US East (Ohio)
us-west-1|US West (N. California)
us-west-2|US West (Oregon)
eu-central-1|EU (Frankfurt)|Europe (Frankfurt)
eu-west-1|EU (Ireland)|Europe (Ireland)
eu-west-2|EU (London)|Europe (London)
eu-west-3|EU (Paris)|Europe (Paris)
eu-north-1|EU (Stockholm)|Europe (Stockholm)
eu-south-1|EU (Milan)|Europe (Milan)
eu-central-2|Europe (Zurich)
eu-south-2|Europe (Spain)
ap-northeast-1|Asia Pacific (Tokyo)
ap-northeast-2|Asia Pacific (Seoul)
ap-northeast-3|Asia Pacific (Osaka)
ap-southeast-1|Asia Pacific (Singapore)
ap-southeast-2|Asia Pacific (Sydney)
ap-southeast-3|Asia Pacific (Jakarta)
ap-southeast-4|Asia Pacific (Melbourne)
ap-southeast-5|Asia Pacific (Malaysia)
ap-southeast-7|Asia Pacific (Thailand)
ap-south-1|Asia Pacific (Mumbai)
ap-south-2|Asia Pacific (Hyderabad)
ap-east-1|Asia Pacific (Hong Kong)
ca-central-1|Canada (Central)
ca-west-1|Canada West (Calgary)
sa-east-1|South America (Sao Paulo)
me-south-1|Middle East (Bahrain)
me-central-1|Middle East (UAE)
il-central-1|Israel (Tel Aviv)
af-south-1|Africa (Cape Town)
mx-central-1|Mexico (Central)
us-west-2-lax-1|US West (Los Angeles)
us-east-1-atl-1|US East (Atlanta)
us-east-1-bos-1|US East (Boston)
us-east-1-chi-1|US East (Chicago)
us-east-1-dfw-1|US East (Dallas)
us-east-1-mia-1|US East (Miami)
us-west-2-den-1|US West (Denver)
us-west-2-phx-1|US West (Phoenix)
us-gov-west-1|AWS GovCloud (US)|AWS GovCloud (US-West)
us-gov-east-1|AWS GovCloud (US-East)
""".split("\n")[1:-1]

# Most wanted first, so that a short list has what every reader looks for.
_FAMILIES = """
m5 c5 c7i m7i g5 c6i m6i r5 r6i r7i c7a m7a r7a c7g m7g r7g t3 p4d m8g c8g r8g m8i c8i r8i c6a m6a
r6a c6g m6g r6g c5a m5a r5a c5d m5d r5d c5n m5n r5n m5dn r5dn c5ad m5ad r5ad r5b m5zn z1d c6gd m6gd
r6gd c6gn c7gd m7gd r7gd c7gn c8gd m8gd r8gd c8gn m8gb r8gb c6id m6id r6id c6in m6in r6in m6idn
r6idn c7i-flex m7i-flex c8i-flex m8i-flex r7iz x1 x1e x2idn x2iedn x2iezn x2gd x8g i3 i3en i4i i4g
i7i i7ie i8g i8ge im4gn is4gen d3 d3en d2 h1 g4dn g4ad g5g g6 g6e gr6 g6f p3 p3dn p4de p5 p5e p5en
p6-b200 trn1 trn1n trn2 inf1 inf2 f1 f2 vt1 dl1 dl2q t2 t3a t4g m4 c4 r4 m3 c3 r3 i2 a1 hpc6a
hpc6id hpc7a hpc7g u-3tb1 u-6tb1 u-9tb1 u-12tb1 u7i-6tb u7i-8tb u7i-12tb mac1 mac2 mac2-m2 u7in-16tb
""".split()

_SIZES = (("large", 2), ("xlarge", 4), ("2xlarge", 8), ("4xlarge", 16), ("8xlarge", 32),
          ("12xlarge", 48), ("16xlarge", 64), ("24xlarge", 96), ("metal", 96))
_SMALL = (("nano", 2), ("micro", 2), ("small", 2), ("medium", 2), ("large", 2), ("xlarge", 4),
          ("2xlarge", 8))
_GIB_OF_A_CORE = {"c": 2, "m": 4, "t": 4, "r": 8, "x": 16, "u": 28, "z": 8}


class Region:
    def __init__(self, line):
        self.code, self.name, self.label = (line + "|" + line.split("|")[1]).split("|")[:3]
        local = self.code.count("-") > 2 and "gov" not in self.code
        self.kind = "AWS Local Zone" if local else "AWS Region"


class Kind:
    """A type of instance."""

    def __init__(self, family, size, cores):
        self.name = f"{family}.{size}"
        self.family = family
        self.size = size
        self.cores = cores
        self.gib = cores * _GIB_OF_A_CORE.get(family[0], 4)
        self.gpus = max(1, cores // 12) if family[0] in "gp" else 0
        self.metal = size.startswith("metal")
        self.arm = "g" in family[1:] and family[1:2].isdigit()
        self.group = {"c": "Compute optimized", "r": "Memory optimized", "x": "Memory optimized",
                      "u": "Memory optimized", "i": "Storage optimized", "d": "Storage optimized",
                      "g": "GPU instance", "p": "GPU instance"}.get(family[0], "General purpose")


def regions(count=40):
    """The first is us-east-1; at least the 32nd is the last that is no local zone."""
    if count > len(_REGIONS):
        raise ValueError(f"only {len(_REGIONS)} regions have names here")
    return [Region(line) for line in _REGIONS[:count]]


def kinds(count=1300):
    """As many different types as wanted; m5.large and c5.large are always among the first."""
    made = [Kind(family, size, cores) for family in _FAMILIES
            for size, cores in (_SMALL if family[0] == "t" and family[1:2].isdigit() else _SIZES)]
    made.sort(key=lambda kind: kind.size != "large")
    number = 0
    while len(made) < count:  # families that are still to come
        number += 1
        made += [Kind(f"m{number + 8}x", size, cores) for size, cores in _SIZES]
    return made[:count]

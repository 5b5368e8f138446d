"""What the feeds send, made up: the shapes of AWS's pages, Azure's list and Google's catalogue, in
any size, always the same for the same size. Every price is invented; the *_price() functions
return what a reader must find, and None is a normal result.

    aws = Aws(regions=40, kinds=1300)
    aws.spot_page()                               # bytes of spot.json
    aws.spot_price("us-east-1", "c7i.2xlarge")    # "0.1632", or None
    serve(feeds, aws=aws, azure=Azure(), gcp=Gcp())   # the addresses to configure, by feed

`day` makes another one of the same world: spot prices have moved a little, some others too."""
import functools
import hashlib
import json
import re
import urllib.parse
import zlib

import instance_names
from feed_server import Document

PUBLISHED = 1_790_000_000  # seconds since 1970, for Last-Modified


def _json(value):
    return json.dumps(value, separators=(",", ":")).encode()


@functools.cache
def _share(*words):
    """A number from 0 to 1 that these words always get."""
    return zlib.crc32("/".join(map(str, words)).encode()) / (1 << 32)


def _moved(price, day, *words):
    """The price on that day, at most a tenth away."""
    return price * (1 + 0.1 * _share(day, *words)) if day else price


def _java(number):
    """As AWS writes it: four decimals, and 9.0E-4 where that is all there is."""
    text = f"{number:.4f}".rstrip("0")
    if number < 0.001:
        return f"{max(1, round(number * 10000))}.0E-4"
    return text + "0" if text.endswith(".") else text


class Aws:
    GROUPS = {"General purpose": "generalCurrentGen", "Compute optimized": "computeCurrentGen",
              "Memory optimized": "hiMemCurrentGen", "Storage optimized": "storageCurrentGen",
              "GPU instance": "gpuCurrentGen"}
    MAPS = "/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel/"

    def __init__(self, regions=40, kinds=1300, day=0):
        self.regions = instance_names.regions(regions)
        self.kinds = instance_names.kinds(kinds)
        self.by_name = {kind.name: kind for kind in self.kinds}
        self.places = {region.code: place for place, region in enumerate(self.regions)}
        self.day = day

    def is_sold(self, region, name):
        """Some types are not sold everywhere."""
        return region in self.places and name in self.by_name and \
            (region == "us-east-1" or _share("sold", region, name) > 0.04)

    def _dollars(self, region, name):
        kind = self.by_name[name]
        expensive = 0.04 + 0.03 * _share("expensive", kind.family) + 0.002 * (self.places[region] % 9)
        part = {"nano": 0.02, "micro": 0.1, "small": 0.2, "medium": 0.4}.get(kind.size, 1)
        return (kind.cores * expensive + kind.gpus * 0.9) * part

    def on_demand_price(self, region, name):
        if not self.is_sold(region, name) or \
                (region != "us-east-1" and _share("spot only", name) < 0.03):
            return None
        price = self._dollars(region, name)
        if self.day and _share("cheaper", name) < 0.02:
            price *= 0.95
        return f"{price:.4f}000000"

    def has_spot(self, region, name):
        return self.is_sold(region, name) and _share("no spot", name, region) > 0.02

    def spot_price(self, region, name):
        """None also where the page says N/A*."""
        if not self.has_spot(region, name) or _share("N/A", region, name) < 0.01:
            return None
        price = self._dollars(region, name) * (0.2 + 0.4 * _share("spot", region, name))
        return _java(_moved(price, self.day, region, name))

    def spot_page(self):
        """spot.json: with types twice, groups without types, N/A* and prices of Windows."""
        return _json({"vers": 0.01, "config": {
            "rate": "perhr", "valueColumns": ["linux", "mswin"], "currencies": ["USD"],
            "regions": [self._spot_region(region.code) for region in self.regions]}})

    def _spot_region(self, region):
        groups = {"generalPreviousGen": [], "uI": [], "fpgaCurrentGen": []}
        for kind in self.kinds:
            if not self.has_spot(region, kind.name):
                continue
            price = self.spot_price(region, kind.name)
            size = {"size": kind.name, "valueColumns": [
                {"name": "linux", "prices": {"USD": price or "N/A*"}},
                {"name": "mswin", "prices": {"USD": "N/A*" if kind.arm or not price
                                             else _java(float(price) * 1.7)}}]}
            groups.setdefault(self.GROUPS[kind.group], []).append(size)
            if kind.family == "g6":
                groups[self.GROUPS[kind.group]].append(size)
        return {"region": region, "footnotes": {"*": "notAvailableForCCorCGPU"},
                "instanceTypes": [{"type": name, "sizes": sizes}
                                  for name, sizes in groups.items()]}

    def locations(self):
        """locations.json, with a place that is neither a region nor a local zone."""
        found = {region.name: {"name": region.name, "code": region.code, "type": region.kind,
                               "label": region.label, "continent": "Somewhere"}
                 for region in self.regions}
        found["US East (Verizon) - Boston"] = {
            "name": "US East (Verizon) - Boston", "code": "us-east-1-wl1-bos-wlz-1",
            "type": "AWS Wavelength Zone", "label": "US East (Verizon) - Boston",
            "continent": "Somewhere"}
        return _json(found)

    def on_demand_page(self, name):
        """The page of the location with this name, for Linux; not packed."""
        region = next(region for region in self.regions if region.name == name)
        plain = re.sub(r"[()]", "", name)
        rows = {f"{kind.family} {kind.size} {plain} Linux": self._row(region, kind)
                for kind in self.kinds if self.on_demand_price(region.code, kind.name)}
        return _json({
            "manifest": {"serviceId": "ec2", "accessType": "publish",
                         "hawkFilePublicationDate": f"2026-08-{6 + self.day:02}T17:17:52Z",
                         "currencyCode": "USD", "source": "ec2-ondemand-without-sec-sel"},
            "regions": {name: rows},
            "sets": {f"{plain.replace('.', '')} Linux": list(rows)}})

    def _row(self, region, kind):
        sku = f"{zlib.crc32(kind.name.encode()):08X}{zlib.crc32(region.code.encode()):08X}"
        return {"rateCode": f"{sku}.JRTCKXETXF.6YS6EN2CT7",
                "price": self.on_demand_price(region.code, kind.name), "Location": region.name,
                "Instance Family": kind.group, "vCPU": str(kind.cores),
                "Instance Type": kind.name, "Memory": f"{kind.gib} GiB", "Storage": "EBS only",
                "Network Performance": "Up to 12500 Megabit", "plc:OperatingSystem": "Linux",
                "plc:InstanceFamily": kind.group, "Operating System": "Linux",
                "Pre Installed S/W": "NA", "License Model": "No License required"}

    BANDS = ("<5%", "5-10%", "10-15%", "15-20%", ">20%")

    def band(self, region, name):
        """How often spot of this type is interrupted there."""
        if not self.has_spot(region, name):
            return None
        return self.BANDS[int(_share("band", region, name) * len(self.BANDS))]

    def advisor(self):
        """spot-advisor-data.json."""
        spot = {}
        for region in self.regions:
            bands = {kind.name: {"s": 70, "r": self.BANDS.index(self.band(region.code, kind.name))}
                    for kind in self.kinds if self.band(region.code, kind.name)}
            spot[region.code] = {"Linux": bands, "Windows": bands}
        return _json({
            "instance_types": {kind.name: {"emr": True, "cores": kind.cores,
                                           "ram_gb": float(kind.gib)} for kind in self.kinds},
            "ranges": [{"index": index, "label": label, "dots": index, "max": most}
                       for index, (label, most) in enumerate(zip(self.BANDS,
                                                                 (5, 11, 16, 22, 100)))],
            "spot_advisor": spot, "global_rate": "<10%"})


class Azure:
    """Thirteen rows for each type; two of them are wanted."""
    URL = "/api/retail/prices"
    #      product's end, sku's end, type, times the price, other members
    ROWS = (("", "", "Consumption", 1, {}),
            ("", " Spot", "Consumption", 0.3, {}),
            ("", " Low Priority", "Consumption", 0.2, {}),
            ("", "", "Reservation", 5000, {"reservationTerm": "1 Year"}),
            ("", "", "Reservation", 10000, {"reservationTerm": "3 Years"}),
            (" Windows", "", "Consumption", 1.8, {}),
            (" Windows", " Spot", "Consumption", 0.5, {}),
            (" Windows", " Low Priority", "Consumption", 0.4, {}),
            (" Windows", "", "DevTestConsumption", 1, {}),
            (" Windows", " Spot", "DevTestConsumption", 0.3, {}),
            (" Windows", " Low Priority", "DevTestConsumption", 0.2, {}),
            (" Cloud Services", "", "Consumption", 1.1, {}),
            (" Cloud Services", " Low Priority", "Consumption", 0.4, {}))

    def __init__(self, kinds=1000, day=0, page_size=1000):
        self.kinds = [(f"{letter}{cores}{end}", cores)
                      for version in range(5, 15)
                      for letter in "DEFBLM"
                      for cores in (2, 4, 8, 16, 32, 48, 64, 96)
                      for end in (f"s v{version}", f"ds v{version}", f"as v{version}")][:kinds]
        self.cores = {"Standard_" + kind.replace(" ", "_"): cores for kind, cores in self.kinds}
        self.names = list(self.cores)
        self.day = day
        self.page_size = page_size

    def price(self, region, name, spot=False):
        """A number; None where the type is not sold there."""
        cores = self.cores.get(name)
        if not region or not cores or _share("azure", region, name) < 0.05:
            return None
        day = self.day if _share("moves", name) < 0.3 else 0  # lists hardly move
        price = round(_moved(cores * (0.04 + 0.02 * _share(region)), day, name), 6)
        return round(price * 0.3, 6) if spot else price

    def reserved(self, region, name):
        """Nanos an hour of each term; an empty dict where the type is not sold there."""
        price = self.price(region, name)
        return {f"reserved_{years}y_no_upfront":
                (round(round(price * total, 6) * 10**9) + years * 4380) // (years * 8760)
                for years, total in ((1, 5000), (3, 10000)) if price}

    @functools.lru_cache(maxsize=8)  # one has some ten megabytes
    def items(self, region):
        return [self._item(region, kind, name, (end, sku, of, round(price * times, 6)), more)
                for (kind, _), name in zip(self.kinds, self.names)
                for price in (self.price(region, name),) if price
                for end, sku, of, times, more in self.ROWS]

    @staticmethod
    def _item(region, kind, name, row, more):
        end, sku, of, price = row
        mark = hashlib.md5("/".join((region, kind, end, sku)).encode()).hexdigest()
        product = f"{kind[0]}v{kind.split('v')[-1]} Series"
        return {"currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": price,
                "unitPrice": price, "armRegionName": region, "location": region.upper(),
                "effectiveStartDate": "2023-09-01T00:00:00Z",
                "meterId": f"{mark[:8]}-{mark[8:12]}-4000-8000-{mark[12:24]}",
                "meterName": kind + sku,
                "productId": "DZH318Z0",
                "skuId": f"DZH318Z0/{len(of)}{more.get('reservationTerm', '')[:1]}",
                "productName": product + end if "Cloud" in end
                else f"Virtual Machines {product}{end}",
                "skuName": kind + sku, "serviceName": "Virtual Machines",
                "serviceId": "DZH313Z7MMC8", "serviceFamily": "Compute",
                "unitOfMeasure": "1 Hour", "type": of, "isPrimaryMeterRegion": True,
                "armSkuName": name, **more}

    def page(self, region, start, link):
        """`link` is what comes before the number of the next page's first item."""
        items = self.items(region)
        part = items[start:start + self.page_size]
        following = start + self.page_size
        return _json({"BillingCurrency": "USD", "CustomerEntityId": "Default",
                      "CustomerEntityType": "Retail", "Items": part,
                      "NextPageLink": f"{link}{following}" if following < len(items) else None,
                      "Count": len(part)})

    def pages(self, region, url="https://prices.azure.com:443/api/retail/prices"):
        """All pages of a region, each with its link to the next."""
        link = url + "?api-version=2023-01-01-preview&$filter=" + urllib.parse.quote(
            f"serviceName eq 'Virtual Machines' and armRegionName eq '{region}' and "
            "(priceType eq 'Consumption' or priceType eq 'Reservation')") + "&$skip="
        count = max(1, len(self.items(region)))
        return [self.page(region, start, link) for start in range(0, count, self.page_size)]

    def answer(self, exchange):
        """As the server does it: which region and which page, by the query."""
        query = urllib.parse.unquote(exchange.request.query)
        region = re.search(r"armRegionName eq '(\w+)'", query)
        start = re.search(r"\$skip=(\d+)", query)
        link = exchange.server.url + exchange.request.target.partition("&$skip=")[0] + "&$skip="
        exchange.send(200, self.page(region[1] if region else "", int(start[1]) if start else 0,
                                     link), {"Content-Type": "application/json"})


class Gcp:
    """Prices of cores and of memory, among thousands of others."""
    URL = "/v1/services/6F81-5844-456A/skus"
    FAMILIES = {"n1": "N1 Predefined Instance", "n2": "N2 Instance", "n2d": "N2D AMD Instance",
                "n4": "N4 Instance", "e2": "E2 Instance", "c2": "Compute optimized",
                "c2d": "C2D AMD Instance", "c3": "C3 Instance", "c3d": "C3D Instance",
                "c4": "C4 Instance", "t2d": "T2D AMD Instance", "t2a": "T2A Arm Instance"}
    REGIONS = ([f"us-{side}{number}" for side in ("central", "east", "west", "south")
                for number in (1, 4, 5)] +
               [f"europe-{side}{number}" for side in ("west", "north", "central", "southwest")
                for number in (1, 2, 3, 4)] +
               [f"asia-{side}{number}" for side in ("east", "northeast", "south", "southeast")
                for number in (1, 2, 3)])

    def __init__(self, regions=40, skus=20000, day=0, page_size=5000):
        self.regions = self.REGIONS[:regions]
        self.count = skus
        self.day = day
        self.page_size = page_size

    def rate(self, region, family, part, spot=False):
        """Billionths of a dollar for an hour of a core ("Core") or of a GiB ("Ram")."""
        if region not in self.regions or family not in self.FAMILIES:
            return None
        price = (0.02 if part == "Core" else 0.003) * (1 + _share("gcp", region, family, part))
        return round(_moved(price * (0.25 if spot else 1), self.day, family) * 1e6) * 1000

    def skus(self):
        made = []
        for region in self.regions:
            for family, called in self.FAMILIES.items():
                for part in ("Core", "Ram"):
                    for spot in (False, True):
                        made.append(self._sku(
                            len(made), f"{called} {part} running in Somewhere", region,
                            "N1Standard" if family == "n1" else
                            "CPU" if part == "Core" else "RAM", spot,
                            self.rate(region, family, part, spot),
                            "h" if part == "Core" else "GiBy.h"))
        others = ("Custom Instance Core", "N1 Sole Tenancy Premium for N1 Instance Core",
                  "Nvidia Tesla A100 GPU", "Commitment v1: Cpu", "N2 Custom Extended Instance Ram")
        while len(made) < self.count:
            number = len(made)
            made.append(self._sku(
                number, f"{others[number % len(others)]} running in Somewhere",
                self.regions[number % len(self.regions)], "GPU" if number % 5 == 2 else "CPU",
                number % 2 == 0, 2933908000 + number, "h"))
        return made

    @staticmethod
    def _sku(number, description, region, group, spot, nanos, unit):
        code = f"{number:04X}-{zlib.crc32(region.encode()) >> 16:04X}-{number % 65536:04X}"
        money = {"currencyCode": "USD", "nanos": nanos % 10**9}
        if nanos >= 10**9 or number % 2:  # 0 may be left out
            money["units"] = str(nanos // 10**9)
        return {"name": f"services/6F81-5844-456A/skus/{code}", "skuId": code,
                "description": ("Spot Preemptible " if spot else "") + description,
                "category": {"serviceDisplayName": "Compute Engine", "resourceFamily": "Compute",
                             "resourceGroup": group,
                             "usageType": "Preemptible" if spot else "OnDemand"},
                "serviceRegions": [region],
                "pricingInfo": [{"summary": "", "pricingExpression": {
                    "usageUnit": unit, "displayQuantity": 1,
                    "tieredRates": [{"startUsageAmount": 0, "unitPrice": money}],
                    "usageUnitDescription": "hour", "baseUnit": "s",
                    "baseUnitDescription": "second", "baseUnitConversionFactor": 3600},
                    "currencyConversionRate": 1, "effectiveTime": "2026-08-01T10:00:00.000Z"}],
                "serviceProviderName": "Google",
                "geoTaxonomy": {"type": "REGIONAL", "regions": [region]}}

    def pages(self):
        """All pages, each with the token of the next: "page-1", ..., and "" at the end."""
        skus = self.skus()
        starts = list(range(0, max(1, len(skus)), self.page_size))
        return [_json({"skus": skus[start:start + self.page_size],
                       "nextPageToken": f"page-{number}" if number < len(starts) else ""})
                for number, start in enumerate(starts, 1)]

    def behaviour(self, key=None):
        """As the server does it; with `key`, 403 for a request with another key."""
        pages = self.pages()

        def answer(exchange):
            headers = {"Content-Type": "application/json"}
            token = re.search(r"pageToken=page-(\d+)", exchange.request.query)
            if key is not None and exchange.request.headers.get("x-goog-api-key") != key:
                exchange.send(403, _json({"error": {
                    "code": 403, "status": "PERMISSION_DENIED",
                    "message": "Method doesn't allow unregistered callers"}}), headers)
                return
            exchange.send(200, pages[int(token[1]) if token else 0], headers)
        return answer


def serve_aws(feeds, aws):
    """The three pages of AWS that need no key; 404 for locations that are not there."""
    feeds.route("/spot.json", Document(aws.spot_page(), f'"spot-{aws.day}"', PUBLISHED + aws.day,
                                       "application/x-javascript"))
    feeds.route("/spot-advisor-data.json", Document(aws.advisor(), f'"advisor-{aws.day}"',
                                                    PUBLISHED + aws.day))
    feeds.route("/locations/1.0/aws/current/locations.json", aws.locations())
    made = {}

    def on_demand_page(exchange):
        name = urllib.parse.unquote(exchange.request.path).removeprefix(aws.MAPS)
        name = name.removesuffix("/Linux/index.json")
        if name not in (region.name for region in aws.regions):
            exchange.send(404)
            return
        if name not in made:  # packed whatever was asked for, and not labelled
            made[name] = Document(aws.on_demand_page(name), f'"map-{aws.day}"', packed=True,
                                  labelled=False)
        made[name](exchange)
    feeds.route(aws.MAPS, on_demand_page)


def serve(feeds, aws=None, azure=None, gcp=None, gcp_key=None):
    """Routes all that is given, and returns the addresses of the feeds by their names."""
    urls = {}
    if aws:
        serve_aws(feeds, aws)
        urls.update({"aws-spot-page": feeds.url + "/spot.json", "aws-on-demand-page": feeds.url,
                     "aws-spot-advisor": feeds.url + "/spot-advisor-data.json"})
    if azure:
        feeds.route(azure.URL, azure.answer)
        urls["azure-retail"] = feeds.url + azure.URL
    if gcp:
        feeds.route(gcp.URL, gcp.behaviour(gcp_key))
        urls["gcp-billing-catalog"] = feeds.url
    return urls

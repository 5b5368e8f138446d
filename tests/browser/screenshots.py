"""Takes pictures of every view of the page, light and dark, 1280 and 360 pixels wide.

    /usr/bin/python3 tests/browser/screenshots.py [FOLDER]

FOLDER is build/screenshots unless given; tests/api/README.md names the variables that must be set.
The run is real. The sweep is real too, but its engines only wait. The types of machines, their
speeds and their prices are invented. docs/screenshots keeps two of the pictures."""
import os
import random
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if len(sys.argv) > 2 or sys.argv[1:2] and sys.argv[1].startswith("-"):
    raise SystemExit(__doc__)
os.environ["PENNYWORTH_TEST_SCREENSHOTS"] = (sys.argv[1:] or [str(ROOT / "build/screenshots")])[0]
sys.path.insert(0, str(ROOT / "tests/api"))

from browser import BrowserCase  # noqa: E402
from harness import fake  # noqa: E402
from run_documents import document, lines, machine  # noqa: E402

# samples/s, dollars an hour (None: no known price), machines that were measured
TYPES = {"demo7i.2xlarge": (52, "0.357", 4), "demo7a.2xlarge": (61, "0.4106", 4),
         "demo7.xlarge": (25.5, "0.1785", 3), "demo6i.2xlarge": (14, "0.34", 3),
         "demo8.4xlarge": (131, "0.95", 3), "demo8.large": (17, "0.11", 1),
         "demo9.metal": (410, None, 3)}
SPEC = {"workload": "resnet50", "engine": "native", "precision": "bf16", "batch_size": 16,
        "warmup_steps": 10, "steps": 50}


def days_ago(days):
    return (datetime.now(timezone.utc) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def runs():
    """Runs of the invented machines, three on each, over some weeks."""
    chance, number = random.Random(7), 0
    for instance, (speed, _, vms) in TYPES.items():
        for vm in range(vms):
            of_vm = speed * chance.gauss(1, 0.01)
            for day in range(3):
                number += 1
                made = document(number, 60, int(16e9 / of_vm / chance.gauss(1, 0.006)))
                ended = days_ago(21 - 7 * day + vm)
                yield {**made, "spec": {**SPEC, "seed": number}, "instance_type": instance,
                       "vm": f"i{0xa0 + vm:015x}", "created_at": ended, "started_at": ended,
                       "ended_at": ended, "software": f"pennyworth-worker 0.{1 + (day > 0)}.0",
                       "machine": machine({"cpu_model": "Demonstration CPU", "isa": "avx512_bf16",
                                           "cores": 4, "number": sum(map(ord, instance))},
                                          f"{len(instance) * 7919 + vms:016x}")}


class Pictures(BrowserCase):
    ENGINES = {"ok": fake("ok"), "paced": fake("paced", 20000), "faster": fake("paced", 16000)}
    FLAGS = ("--published", "on", "--provider", "aws", "--region", "us-east-1",
             "--instance-type", "demo7i.2xlarge")

    def picture(self, name, target, ready):
        for dark in (False, True):
            for width in (1280, 360):
                self.look(dark, width)
                self.open(target)
                self.until(lambda: self.all(ready), f"{name} is there")
                time.sleep(1)  # for what comes after what was waited for
                self.screenshot(f"{name}-{'dark' if dark else 'light'}-{width}")

    def fill(self):
        reply = self.server.request("POST", "/v1/runs/import", lines(runs()),
                                    {"Content-Type": "application/x-ndjson"})
        assert reply.json()["refused"] == 0, reply
        for instance, (_, dollars, _) in TYPES.items():
            for days, factor in ((30, 1.1), (12, 1.0)) if dollars else ():
                self.server.price(instance, f"{float(dollars) * factor:.4f}", provider="aws",
                                  valid_from=days_ago(days))

    def test_pictures(self):
        self.fill()
        run = self.server.post({"workload": "resnet50", "precision": "bf16", "batch_size": 4,
                                "min_seconds": 15, "max_seconds": 45,
                                "labels": {"branch": "main"}}, "?wait=55").json()
        sweep = self.server.post({"base": {"steps": 60, "warmup_steps": 10}, "blocks": 3,
                                  "knobs": {"engine": ["paced", "faster"]}},
                                 path="/v1/sweeps").json()
        self.until(lambda: self.server.get("/v1/sweeps/" + sweep["id"]).json()["state"] !=
                   "running", "the sweep is through", seconds=120)
        self.picture("comparison", "/?reference=demo7i.2xlarge", ".sentence")
        self.picture("run", f"/?view=run&id={run['id']}", "svg")
        self.picture("runs", "/?view=runs", "table")
        self.picture("sweep", f"/?view=sweep&id={sweep['id']}", "svg")
        self.picture("history", "/?view=history&workload=resnet50", "svg")
        self.picture("prices", "/?view=prices&instance_type=demo7i.2xlarge", "svg")
        self.picture("measure", "/?view=measure", "form")


if __name__ == "__main__":
    import unittest
    unittest.main(argv=sys.argv[:1])

"""How smooth the comparison is with many rows: seconds until all rows are shown, and the longest stall
of the page during loading, sorting and scrolling.

    PENNYWORTH_TEST_SERVER=... PENNYWORTH_TEST_FAKE=... PENNYWORTH_TEST_WORKER=... page.py [ROWS]

With the variables of tests/api/README.md, and a browser. A stall is a task of more than 50 ms,
which is what browsers report."""
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/browser"))
from compared_rows import Rows  # noqa: E402

WATCH = """
    window.stalls = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.stalls.push(Math.round(entry.duration));
    }).observe({ type: 'longtask', buffered: true });
"""
TAKE = "return window.stalls.splice(0)"
SCROLL = """
    const done = arguments[0];
    const box = document.querySelector('.scroll.tall');
    let last = performance.now();
    let worst = 0;
    const step = (now) => {
      worst = Math.max(worst, now - last);
      last = now;
      const before = box.scrollTop;
      box.scrollTop += 900;
      if (box.scrollTop === before) done(Math.round(worst));
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
"""


class Page(Rows):
    ROWS = 5000

    def test_smooth(self):
        self.store({f"t{i % 97}.{i}": (1 + i * 7919 % self.ROWS,) for i in range(self.ROWS)})
        began = time.monotonic()
        self.driver.get(self.origin() + "/?workload=mlp2017")
        self.script(WATCH)
        self.until(lambda: self.all("table.rows tbody tr"), "the first rows", 60)
        first = time.monotonic() - began
        self.until(lambda: self.all(".count") and f"{self.ROWS:,} rows" in self.text(".count"),
                   "all", 60)
        print(f"the first rows after {first:.1f} s, {self.text('.count')} after"
              f" {time.monotonic() - began:.1f} s,"
              f" stalls {self.script(TAKE)} ms")
        for column in ("throughput", "instance", "notes"):
            self.sort(column)
            time.sleep(0.5)
            print(f"sorted by {column}: stalls {self.script(TAKE)} ms")
        worst = self.driver.execute_async_script(SCROLL)
        print(f"scrolled: longest frame {worst} ms, stalls {self.script(TAKE)} ms")
        self.one("#rows-filter").send_keys("t33.")
        self.until(lambda: " of " in self.text(".count"), "filtered")
        print(f"filtered to {self.text('.count')}: stalls {self.script(TAKE)} ms")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Page.ROWS = int(sys.argv.pop())
    unittest.main()

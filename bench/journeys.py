#!/usr/bin/python3
"""How long a newcomer waits for the first number in dollars, and how wide its interval is.

usage: journeys.py [--ways page,curl,bench] [--loads 0,0.1,0.25] [--rounds N] FILE

Three ways lead from an empty database to samples per dollar of this machine: one click and one typed
price on the page, the commands of README.md, and "pennyworth bench". Each round goes each way once
under each load, which takes that share of every processor. A journey is one line of FILE, which is
continued; at the end a table says what FILE has. Takes the release build, jq, curl and Chromium.
Exits with 1 if a journey had no figure."""
import argparse
import contextlib
import functools
import json
import multiprocessing
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/api"), str(ROOT / "tests/browser")]
for name, program in (("SERVER", "pennyworth"), ("WORKER", "pennyworth-worker"), ("FAKE", "unused")):
    os.environ.setdefault(f"PENNYWORTH_TEST_{name}", str(ROOT / "build/release" / program))

from harness import ALONE, SERVER, Server, until  # noqa: E402

DOLLARS = "0.357"  # an hour
WAYS = {}


def way(function):
    WAYS[function.__name__] = function
    return function


@contextlib.contextmanager
def served():
    server = Server(engines={}).start()
    try:
        yield server
    finally:
        server.stop()


@functools.cache
def browser():
    from browser import open_browser
    return open_browser()


@way
def page():
    """The rank and the dollars of the first row, once the page shows them."""
    with served() as server:
        driver = browser()
        find = functools.partial(driver.find_elements, "css selector")
        click = functools.partial(driver.execute_script, "arguments[0].click()")
        try:
            driver.get(f"http://127.0.0.1:{server.port}/")
            button, = until(lambda: find("section.here button.primary"), "the button")
            click(button)
            field, = until(lambda: find("section.here form.type-price [id$=price_per_hour]"), "the price")
            field.send_keys(DOLLARS)
            click(*find("section.here form.type-price button"))
            time.sleep(55)  # a run takes a minute, and each question to the browser takes processors
            until(lambda: "Most training per dollar" in driver.execute_script(
                "return document.querySelector('main .sentence')?.textContent ?? ''"), "the rank", 60)
        except AssertionError as why:
            raise AssertionError(f"{why}; {find('section.here')[0].text}") from why
        finally:
            driver.get("about:blank")
        return server.get("/v1/comparison?fields=rank,samples_per_dollar").json()["rows"][0]


def readme_commands():
    """What README.md has under "Ask the service"."""
    block = re.search(r"## Ask the service\n+```\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
    commands = re.findall(r"^\$ ((?:.*\\\n)*.*)$", block, re.M)
    return "\n".join(commands).replace("0.357", DOLLARS)


@way
def curl():
    with served() as server, tempfile.TemporaryDirectory() as folder:
        commands = readme_commands().replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
        return json.loads(subprocess.check_output(["sh", "-ec", commands], cwd=folder).splitlines()[-1])


@way
def bench():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([SERVER, "bench", "--set", "quick", "--price-per-hour", DOLLARS,
                               "--format", "json", "--database", f"{folder}/bench.db", *ALONE[:4]],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if not done.stdout:
            raise AssertionError(done.stderr.decode())
        return {"rank": True, **json.loads(done.stdout)["configurations"][0]}


def spin(share):
    """Takes a share of one processor, in pieces of 50 ms."""
    while True:
        end = time.monotonic() + 0.05
        while time.monotonic() < end - 0.05 * (1 - share):
            pass
        time.sleep(max(0, end - time.monotonic()))


@contextlib.contextmanager
def load(share):
    spinners = [multiprocessing.Process(target=spin, args=(share,), daemon=True)
                for _ in range(os.cpu_count() if share else 0)]
    for each in spinners:
        each.start()
    try:
        yield
    finally:
        for each in spinners:
            each.terminate()
            each.join()


def travel(name, share):
    """One journey, as the line that is kept."""
    line = {"way": name, "load": share, "at": time.strftime("%FT%TZ", time.gmtime())}
    with load(share):
        began = time.monotonic()
        try:
            found = WAYS[name]()
            figure = found["samples_per_dollar"]
            assert found["rank"] and figure, f"no figure: {found}"
            line.update(figure, seconds=round(time.monotonic() - began, 1))
        except Exception as why:  # whatever it is: the newcomer has no figure
            line["why"] = f"{type(why).__name__}: {why}"
    return line


def half_width(line):
    return 100 * (line["high"] - line["low"]) / line["value"] / 2


def table(lines):
    print("| way | load | figures | seconds, median | longest | half of the interval, median | widest |")
    print("|---|---|---|---|---|---|---|")
    for name, share in sorted({(line["way"], line["load"]) for line in lines}):
        all_of_it = [line for line in lines if (line["way"], line["load"]) == (name, share)]
        good = [line for line in all_of_it if "value" in line]
        seconds = [line["seconds"] for line in good] or [float("nan")]
        widths = [half_width(line) for line in good] or [float("nan")]
        print(f"| {name} | {100 * share:.0f} % | {len(good)} of {len(all_of_it)}"
              f" | {statistics.median(seconds):.1f} | {max(seconds):.1f}"
              f" | {statistics.median(widths):.1f} % | {max(widths):.1f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--ways", default=",".join(WAYS), help="%(default)s")
    parser.add_argument("--loads", default="0,0.1,0.25", help="shares of the machine (%(default)s)")
    parser.add_argument("--rounds", type=int, default=20, help="0 prints the table alone (%(default)s)")
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    ways, loads = options.ways.split(","), [float(share) for share in options.loads.split(",")]
    unknown = {*ways} - {*WAYS}
    if unknown:
        parser.error(f"unknown way {', '.join(unknown)}; known are {', '.join(WAYS)}")
    if not all(0 <= share < 1 for share in loads):
        parser.error("a load is a share of the machine: 0 to below 1")
    for _ in range(options.rounds):
        for name in ways:
            for share in loads:
                line = travel(name, share)
                with options.file.open("a") as out:
                    print(json.dumps(line), file=out)
                print(f"{name} {share}: {line.get('seconds', line.get('why'))}", file=sys.stderr)
    lines = [json.loads(line) for line in options.file.read_text().splitlines()]
    table(lines)
    sys.exit(any("why" in line for line in lines))


if __name__ == "__main__":
    main()

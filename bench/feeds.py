"""What a refresh costs: both page feeds of every region of AWS, 40 regions of 1,300 types, from
made-up pages on loopback into a fresh database, then once more with other prices, then unchanged.
CPU is the server's own, by the kernel's count; the pages' server is another process's thread.

    PENNYWORTH_TEST_SERVER=build/release/pennyworth PENNYWORTH_TEST_FAKE=build/release/tests/fake-worker \\
        PENNYWORTH_TEST_WORKER=build/release/pennyworth-worker /usr/bin/python3 bench/feeds.py
"""
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/api"))
from feed_payloads import Aws, serve  # noqa: E402
from feed_server import FeedServer  # noqa: E402
from harness import Server, until  # noqa: E402

FEEDS = ("aws-on-demand-page", "aws-spot-page")
TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident_mib(pid, name="VmRSS"):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def refresh(server, what):
    pid = server.process.pid
    before, begun = cpu_seconds(pid), time.monotonic()
    for feed in FEEDS:
        until(lambda: not server.get("/v1/feeds").json()["refresh"]["running"], "idle")
        reply = server.post(None, f"?feed={feed}", "/v1/prices/refresh")
        assert reply.status == 202, reply
        until(lambda: not server.get("/v1/feeds").json()["refresh"]["running"], "read", 300, 0.2)
    took = time.monotonic() - begun
    used = cpu_seconds(pid) - before
    states = {}
    for feed in server.get("/v1/feeds").json()["feeds"]:
        if feed["feed"] in FEEDS:
            states[feed["feed"]] = (feed["state"], feed["prices"], len(feed["scopes"]))
    print(f"{what}: {used:.2f} s of CPU, {took:.1f} s in all, now {resident_mib(pid):.1f} MiB, "
          f"at most {resident_mib(pid, 'VmHWM'):.1f} MiB; {states}", flush=True)


def main():
    with FeedServer() as feeds:
        first, second = Aws(40, 1300), Aws(40, 1300, day=1)
        for aws in (first, second):  # made beforehand
            aws.spot_page()
        urls = serve(feeds, aws=first)
        flags = ["--feed", "all=off"]
        for feed in FEEDS:
            flags += ["--feed", f"{feed}=on every=86400 url={urls[feed]}"]
        server = Server(*flags).start()
        until(lambda: server.get("/v1/feeds").json()["refresh"]["ended_at"], "the first", 300, 0.2)
        print(f"start and first refresh: {cpu_seconds(server.process.pid):.2f} s of CPU; "
              f"{Path(server.database).stat().st_size / 1e6:.0f} MB", flush=True)
        serve(feeds, aws=second)
        refresh(server, "other prices")
        refresh(server, "unchanged   ")
        server.stop()


main()

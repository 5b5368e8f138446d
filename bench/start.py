#!/usr/bin/python3
"""How soon the release build answers after its start, and how often it wakes when idle.

    bench/start.py [STARTS [IDLE_SECONDS]]"""
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

SERVER = pathlib.Path(__file__).resolve().parents[1] / "build/release/pennyworth"
PORT = 18475
QUESTION = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def start(database):
    """The running server, and the milliseconds until its first answer was there."""
    began = time.monotonic()
    server = subprocess.Popen([SERVER, "--database", database, "--port", str(PORT),
                               "--log", "error"])
    while True:
        try:
            with socket.create_connection(("127.0.0.1", PORT)) as connection:
                connection.sendall(QUESTION)
                if connection.recv(100).startswith(b"HTTP/1.1 200"):
                    return server, (time.monotonic() - began) * 1000
        except ConnectionRefusedError:
            time.sleep(0.0005)


def wakes(pid):
    """Context switches of all threads so far."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if "ctxt_switches" in line:
                total += int(line.split()[1])
    return total


def measure(database, times):
    results = []
    for _ in range(times):
        server, milliseconds = start(database)
        results.append(milliseconds)
        server.terminate()
        server.wait()
    return statistics.median(results), max(results)


def main(starts, idle):
    with tempfile.TemporaryDirectory() as folder:
        fresh = [measure(os.path.join(folder, f"{i}.db"), 1)[0] for i in range(starts)]
        median, most = measure(os.path.join(folder, "0.db"), starts)
        server, _ = start(os.path.join(folder, "0.db"))
        time.sleep(12)  # the sentry looks once more after the last client
        before = wakes(server.pid)
        time.sleep(idle)
        woken = wakes(server.pid) - before
        server.terminate()
        server.wait()
    print(f"start to first answer: {statistics.median(fresh):.1f} ms with a new database "
          f"(worst {max(fresh):.1f}), {median:.1f} ms with an old one (worst {most:.1f}), "
          f"{starts} starts each")
    print(f"idle: {woken} wake-ups of all threads in {idle} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10,
         int(sys.argv[2]) if len(sys.argv) > 2 else 30)

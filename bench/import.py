"""How many runs a second an import takes, and how many megabytes an export gives.

    PENNYWORTH_TEST_SERVER=build/release/pennyworth python3 bench/import.py [runs] [steps] [--signed]

Documents are made first, then posted in chunks over two connections; each chunk is on the disk
before its answer. The export is read twice. Runs of more than 20,000 steps are kept as rows, like those that
were measured here; of shorter ones the text is kept. With --signed each document has a signature, which takes a
minute for 10,000 to make."""
import http.client
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/api"))
for other in ("FAKE", "WORKER"):
    os.environ.setdefault(f"PENNYWORTH_TEST_{other}", "/bin/false")

from harness import Server  # noqa: E402
from ed25519 import Key, signed  # noqa: E402
from run_documents import document, line  # noqa: E402

CHUNK_STEPS = 60000  # about 1.7 MB


def post(server, chunks, report):
    connection = http.client.HTTPConnection(server.listen, server.port)
    while True:
        try:
            chunk = chunks.pop()
        except IndexError:
            return
        connection.request("POST", "/v1/runs/import", chunk,
                           {"Content-Type": "application/x-ndjson"})
        answer = json.loads(connection.getresponse().read())
        report.append((answer["imported"], answer["known"], answer["refused"]))


def import_all(server, chunks):
    """Seconds, and how many were imported, known and refused."""
    report, chunks = [], list(chunks)
    threads = [threading.Thread(target=post, args=(server, chunks, report)) for _ in range(2)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - began, [sum(column) for column in zip(*report)]


def export_all(server):
    began, size = time.monotonic(), 0
    connection = http.client.HTTPConnection(server.listen, server.port)
    connection.request("GET", "/v1/runs/export")
    answer = connection.getresponse()
    while piece := answer.read1(1 << 20):
        size += len(piece)
    return time.monotonic() - began, size


def main():
    words = [word for word in sys.argv[1:] if word != "--signed"]
    runs = int(words[0]) if words else 20000
    steps = int(words[1]) if len(words) > 1 else 60
    chunk = max(CHUNK_STEPS // steps, 1)
    key = Key("bench") if "--signed" in sys.argv else None
    texts = (line(document(number, steps)) for number in range(runs))
    chunks, rest = [], [signed(key, text) if key else text for text in texts]
    while rest:
        chunks.append("".join(text + "\n" for text in rest[:chunk]).encode())
        rest = rest[chunk:]
    size = sum(map(len, chunks))
    print(f"{runs} runs of {steps} steps, {size / runs:.0f} bytes each")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(engines={}, database=os.path.join(folder, "bench.db")).start()
        for what in ("new", "known"):
            took, (imported, known, refused) = import_all(server, chunks)
            print(f"import, {what}: {runs / took:.0f} runs/s, {size / took / 1e6:.1f} MB/s "
                  f"({imported} imported, {known} known, {refused} refused)")
        print(f"peak resident: {server.memory('VmHWM') / 1024:.0f} MiB")
        for _ in range(2):
            took, out = export_all(server)
            print(f"export: {out / took / 1e6:.0f} MB/s, {runs / took:.0f} runs/s")
        print(f"peak resident: {server.memory('VmHWM') / 1024:.0f} MiB; database "
              f"{os.path.getsize(server.database) / 1e6:.0f} MB")
        server.stop()


if __name__ == "__main__":
    main()

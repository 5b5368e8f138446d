"""What a test holds a server by over HTTP: whole answers, connections for anything, readers of events."""
import csv
import http.client
import io
import json
import re
import socket

from waiting import PATIENCE


class Reply:
    """A whole answer. Header names are in small letters."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    def json(self):
        return json.loads(self.body)

    def rows(self):
        """Of a table in CSV: each by the names of its columns."""
        return list(csv.DictReader(io.StringIO(self.body.decode(), newline="")))

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


class _Shared:
    """A socket for http.client that reads all its answers through one buffer."""

    def __init__(self, stream):
        self.stream = stream

    def makefile(self, *_arguments, **_options):
        return self

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def close(self):
        pass


class Raw:
    """A connection on which anything may be sent."""

    def __init__(self, address, source=None, timeout=PATIENCE):
        self.socket = socket.create_connection(address, timeout, source and (source, 0))
        self.stream = self.socket.makefile("rb")

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))
        return self

    def reply(self, method="GET"):
        """The next answer."""
        response = http.client.HTTPResponse(_Shared(self.stream), method=method)
        response.begin()
        return Reply(response)

    def rest(self):
        """Everything until the server hangs up."""
        try:
            return self.stream.read()
        except ConnectionError:
            return b""

    def close(self):
        self.stream.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_why):
        self.close()


def assets(server):
    """How long each file of the page is, by its path."""
    paths = re.findall(r'"/(assets/[^"]+)"', server.get("/").body.decode())
    return {path: len(server.get("/" + path).body) for path in set(paths)}


def small_buffer(server, data, address="127.0.0.1"):
    """A connection from this address that has sent the data, and whose kernel takes little of an answer."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.bind((address, 0))
    client.settimeout(PATIENCE)
    client.connect(("127.0.0.1", server.port))
    client.sendall(data.encode())
    return client


def story(events):
    """The states among events."""
    return [data["state"] for _, name, data in events if name == "state"]


class Events:
    """A reader of Server-Sent Events: iterates over (id, name, data)."""

    def __init__(self, server, run_id, headers=None, of="runs"):
        self.connection = server.connection()
        self.connection.request("GET", f"/v1/{of}/{run_id}/events",
                                headers={"Accept": "text/event-stream", **(headers or {})})
        self.response = self.connection.getresponse()
        self.comments = []
        if self.response.status != 200:
            raise AssertionError(Reply(self.response))

    def __iter__(self):
        fields = {}
        for line in self.response:
            line = line.decode().rstrip("\n")
            if line.startswith(":"):
                self.comments.append(line)
            elif line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif "data" in fields:
                yield fields["id"], fields["event"], json.loads(fields["data"])
                fields = {}

    def close(self):
        self.response.close()
        self.connection.close()

"""The feeds at their worst: an HTTP server on loopback, in threads of the test, that answers each
path as the test says.

    with FeedServer() as feeds:
        feeds.route("/spot.json", Document(body, etag='"1"'))
        feeds.route(re.compile("^/api/.*skip=100"), truncated(body, 50))
        ... feeds.url + "/spot.json" ... feeds.requests[0].headers["if-none-match"]

A behaviour is anything that can be called with an Exchange. The route that was added last wins;
what has no route is a 404. Nothing here touches the network beyond 127.0.0.1."""
import email.utils
import functools
import gzip
import http.server
import random
import socket
import socketserver
import struct
import threading
import time
import zlib

GIB = 1 << 30


class Request:
    """What was asked. Header names are in small letters."""

    def __init__(self, handler, body):
        self.method = handler.command
        self.target = handler.path  # with the query
        self.path = handler.path.partition("?")[0]
        self.query = handler.path.partition("?")[2]
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = body
        self.when = time.monotonic()

    def __repr__(self):
        return f"<{self.method} {self.target} {self.body[:200]!r}>"


class Exchange:
    """One request, and the means to answer it, well or badly."""

    def __init__(self, handler, request):
        self.handler = handler
        self.request = request
        self.server = handler.server.feeds

    def send(self, status, body=b"", headers=(), length=None):
        """A whole answer; `length` is what it says of itself where that is a lie."""
        body = _bytes(body)
        self.head(status, [*_pairs(headers),
                           ("Content-Length", len(body) if length is None else length)])
        if self.request.method != "HEAD":
            self.write(body)

    def head(self, status, headers):
        self.handler.send_response(status)
        for name, value in _pairs(headers):
            self.handler.send_header(name, value)
        self.handler.end_headers()

    def write(self, data):
        """Sends the bytes unchanged; false if the client has closed."""
        try:
            self.handler.wfile.write(data)
            self.handler.wfile.flush()
            return True
        except OSError:
            self.handler.close_connection = True
            return False

    def hang_up(self):
        self.handler.close_connection = True

    def reset(self):
        """Hangs up in a way that is an error for the other side, whatever it has read."""
        self.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                           struct.pack("ii", 1, 0))
        self.handler.connection.close()
        self.handler.close_connection = True

    def pause(self, seconds):
        """False when the server is being stopped."""
        return not self.server.ending.wait(seconds)


def _bytes(body):
    return body.encode() if isinstance(body, str) else body


def _pairs(headers):
    return list(headers.items() if isinstance(headers, dict) else headers)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    disable_nagle_algorithm = True

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        if self.server.feeds.ending.is_set():  # as if it had gone with the listener
            self.close_connection = True
            return
        request = Request(self, self.rfile.read(length))
        self.server.feeds.requests.append(request)
        exchange = Exchange(self, request)
        self.server.feeds.behaviour(request.target)(exchange)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *_arguments):
        pass


class _Threads(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, _request, _address):
        pass  # clients that hang up are what some tests are about

    def shutdown_request(self, request):
        """Closes without waiting for what is still to be read; a reset stays one."""
        if request.fileno() >= 0:
            super().shutdown_request(request)


class FeedServer:
    def __init__(self):
        self.ending = threading.Event()
        self.requests = []  # in the order in which they came
        self.routes = []
        self.threads = None

    def start(self):
        self.threads = _Threads(("127.0.0.1", 0), _Handler)
        self.threads.feeds = self
        self.port = self.threads.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.threads.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self):
        self.ending.set()
        if self.threads:
            self.threads.shutdown()
            self.threads.server_close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_why):
        self.stop()

    def route(self, where, behaviour):
        """`where` is how a target (path and query) begins, or a compiled expression to search
        for in it; bytes, text, or a behaviour is what it is answered with."""
        if isinstance(behaviour, (bytes, str)):
            behaviour = Document(behaviour)
        self.routes.insert(0, (where, behaviour))
        return behaviour

    def behaviour(self, target):
        for where, behaviour in self.routes:
            if target.startswith(where) if isinstance(where, str) else where.search(target):
                return behaviour
        return status(404)

    def asked(self, where=""):
        """The requests whose target begins like this, or matches."""
        return [request for request in self.requests
                if (request.target.startswith(where) if isinstance(where, str)
                    else where.search(request.target))]


class Document:
    """A good page with validators: 304 for a conditional request. `change()` makes it another.
    packed: gzip; labelled=False leaves the header out that says so, as AWS's pages do."""

    def __init__(self, body, etag=None, modified=None, content_type="application/json",
                 packed=False, labelled=True, headers=()):
        self.headers = [("Content-Type", content_type), *_pairs(headers)]
        self.labelled = labelled
        self.packed = packed
        self.change(body, etag, modified)

    def change(self, body, etag=None, modified=None):
        """`modified` is in seconds since 1970."""
        body = _bytes(body)
        self.body = gzip.compress(body, 6, mtime=0) if self.packed else body
        self.etag = etag
        self.modified = modified and email.utils.formatdate(modified, usegmt=True)

    def is_had(self, headers):
        """As HTTP says: where an ETag is asked about, the date does not matter."""
        if "if-none-match" in headers:
            tags = [tag.strip().removeprefix("W/") for tag in headers["if-none-match"].split(",")]
            return self.etag is not None and self.etag.removeprefix("W/") in tags
        return self.modified is not None and headers.get("if-modified-since") == self.modified

    def __call__(self, exchange):
        validators = [(name, value) for name, value in
                      (("ETag", self.etag), ("Last-Modified", self.modified)) if value]
        if self.is_had(exchange.request.headers):
            exchange.head(304, validators)
            return
        coding = [("Content-Encoding", "gzip")] if self.packed and self.labelled else []
        exchange.send(200, self.body, self.headers + validators + coding)


def status(code, body=b"", headers=()):
    """The same answer every time."""
    return lambda exchange: exchange.send(code, body, headers)


def redirect(url, code=302):
    """To anywhere; nothing is said of whether it should be followed."""
    return status(code, headers=[("Location", url)])


class Failing:
    """The first `times` requests get this status, then `then` answers; .count tells how many.
    retry_after: seconds, or text as it is."""

    def __init__(self, code, times, then, retry_after=None, body=b""):
        self.code, self.times, self.body = code, times, body
        self.then = Document(then) if isinstance(then, (bytes, str)) else then
        self.headers = [] if retry_after is None else [("Retry-After", str(retry_after))]
        self.count = 0
        self.lock = threading.Lock()

    def __call__(self, exchange):
        with self.lock:
            self.count += 1
            fails = self.count <= self.times
        if fails:
            exchange.send(self.code, self.body, self.headers)
        else:
            self.then(exchange)


def in_turn(*behaviours):
    """A behaviour for each request, the last for all that follow."""
    rest, lock = list(behaviours), threading.Lock()

    def turn(exchange):
        with lock:
            behaviour = rest.pop(0) if len(rest) > 1 else rest[0]
        behaviour(exchange)
    return turn


def truncated(body, sent, headers=()):
    """Says the whole length, sends that many bytes of it, and hangs up."""
    body = _bytes(body)

    def cut(exchange):
        exchange.send(200, body[:sent], headers, length=len(body))
        exchange.hang_up()
    return cut


def slow(body, seconds=1.0, piece=1, headers=()):
    """A byte a second, or as said."""
    body = _bytes(body)

    def drip(exchange):
        exchange.head(200, [*_pairs(headers), ("Content-Length", len(body))])
        for start in range(0, len(body), piece):
            if not exchange.write(body[start:start + piece]) or not exchange.pause(seconds):
                break
        exchange.hang_up()
    return drip


def silent(exchange):
    """Takes the request and never answers."""
    exchange.pause(3600)
    exchange.hang_up()


def empty(exchange):
    """Hangs up without a word."""
    exchange.hang_up()


def reset_after(body=b"", sent=0):
    """Part of a good answer, then the connection is reset."""
    def break_off(exchange):
        if body:
            exchange.send(200, body[:sent], length=len(body))
        exchange.pause(0.05)  # what was written is to arrive
        exchange.reset()
    return break_off


def garbage(size=4096, seed=1):
    """Bytes that are no HTTP."""
    data = random.Random(seed).randbytes(size)

    def answer(exchange):
        exchange.write(data)
        exchange.hang_up()
    return answer


def garbage_body(size=4096, seed=1, headers=()):
    """HTTP, but the body is noise."""
    return status(200, random.Random(seed).randbytes(size), headers)


class Pages:
    """Page after page: write(number, request) makes the body of the number-th, from 0 on. It can
    link to the next for ever, or repeat a token: .count tells how many were fetched."""

    def __init__(self, write):
        self.write = write
        self.count = 0
        self.lock = threading.Lock()

    def __call__(self, exchange):
        with self.lock:
            number = self.count
            self.count += 1
        exchange.send(200, self.write(number, exchange.request),
                      [("Content-Type", "application/json")])


def _deflated(data, last):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush(zlib.Z_FINISH if last else zlib.Z_FULL_FLUSH)


@functools.cache
def _deflated_blanks(size):
    """A block of them, and their checksum."""
    blanks = b" " * size
    return _deflated(blanks, last=False), zlib.crc32(blanks)


def _times(matrix, vector):
    total = 0
    for row in matrix:
        if not vector:
            break
        if vector & 1:
            total ^= row
        vector >>= 1
    return total


@functools.cache
def _zeros(count):
    """The matrix that takes a checksum past that many zero bytes, by squaring."""
    square = [0xEDB88320] + [1 << bit for bit in range(31)]  # one zero bit
    matrix = [1 << bit for bit in range(32)]
    bits = count * 8
    while bits:
        if bits & 1:
            matrix = [_times(square, row) for row in matrix]
        square = [_times(square, row) for row in square]
        bits >>= 1
    return matrix


def _with_zeros(crc, zeros):
    """The checksum after that many zero bytes, without looking at each."""
    return _times(_zeros(zeros), crc)


class Bomb:
    """A small gzip that becomes `unpacked` bytes and a few: `before`, ten gigabytes of blanks, and
    `after`, which is a complete JSON document with a true checksum. It is sent as one block again
    and again, so that it takes no memory here; .sent tells how much of it went out."""

    def __init__(self, unpacked=10 * GIB, labelled=True, before=b"{", after=b"}"):
        size = min(unpacked, 64 << 20)
        self.times, rest = divmod(unpacked, size)
        after = b" " * rest + after
        self.before = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + _deflated(before, last=False)
        self.block, of_block = _deflated_blanks(size)
        crc = zlib.crc32(before)
        for _ in range(self.times):
            crc = _with_zeros(crc, size) ^ of_block
        crc = _with_zeros(crc, len(after)) ^ zlib.crc32(after)
        total = len(before) + self.times * size + len(after)
        self.after = _deflated(after, last=True) + struct.pack("<II", crc, total & 0xFFFFFFFF)
        self.headers = [("Content-Type", "application/json")]
        self.headers += [("Content-Encoding", "gzip")] if labelled else []
        self.sent = 0

    def pieces(self):
        yield self.before
        for _ in range(self.times):
            yield self.block
        yield self.after

    def __call__(self, exchange):
        exchange.head(200, [*self.headers, ("Transfer-Encoding", "chunked")])
        for piece in self.pieces():
            if not exchange.write(b"%x\r\n%s\r\n" % (len(piece), piece)):
                return
            self.sent += len(piece)
        exchange.write(b"0\r\n\r\n")

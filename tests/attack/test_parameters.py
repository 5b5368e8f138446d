"""Requests made of parameters and header fields: each is answered at once, and none leaves memory
behind."""
import unittest

from harness import SANITIZED, ServerCase, until

HOST = "Host: 127.0.0.1\r\n"
FIELDS = "GET /healthz HTTP/1.1\r\n" + HOST + "a:\r\n" * 3000 + "\r\n"
PROCESSOR_SECONDS = 1  # for one refusal
REQUESTS = 3000
KILOBYTES = 4000  # that the allocator may keep; 7 a request leaked


def query(count):
    return "&".join(["a"] * count)


class Parameters(ServerCase):
    def refused(self, request):
        """For what it is, not for its deadline, which would be a 408."""
        before = self.server.processor_seconds()
        reply = self.server.reply_to(request)
        self.assertIn(reply.status, (400, 431))
        if not SANITIZED:
            self.assertLess(self.server.processor_seconds() - before, PROCESSOR_SECONDS)
        return reply

    def flood(self, request):
        for _ in range(REQUESTS):
            with self.server.raw() as client:
                client.send(request)

    def test_a_request_of_parameters_is_refused_at_once(self):
        for count in (100, 990):
            with self.subTest(count):
                reply = self.refused(f"GET /?{query(count)} HTTP/1.1\r\n{HOST}\r\n")
                self.assertIn("parameters", reply.json()["detail"])

    def test_parameters_longer_than_an_address_are_refused_at_once(self):
        for size in (1010, 6000):
            self.refused(f"GET /?{query(size)} HTTP/1.1\r\n{HOST}\r\n")

    def test_a_header_of_tiny_fields_is_refused_at_once(self):
        self.refused(FIELDS)

    @unittest.skipIf(SANITIZED, "the sanitizer keeps what is freed")
    def test_neither_parameters_nor_fields_leave_memory_behind(self):
        for request in (f"GET /?{query(990)} HTTP/1.1\r\n{HOST}\r\n", FIELDS):
            self.flood(request)  # what the allocator keeps once
            before = self.server.memory()
            self.flood(request)
            until(lambda most=before + KILOBYTES: self.server.memory() < most, "the memory is back")

"""Black-box tests of src/http: raw sockets against http_echo_server (its path is the argument)."""

import os
import random
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

SERVER = ""
HOST = b"Host: localhost\r\n"


def until(condition, seconds=10):
    """Waits for the condition; false if it does not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class Server:
    """A running echo server; it must exit with 0 when stopped."""

    def __init__(self, **options):
        arguments = [f"{name}={value}" for name, value in options.items()]
        self.process = subprocess.Popen([SERVER, *arguments], stdout=subprocess.PIPE)
        line = self.process.stdout.readline().split()
        assert line[:1] == [b"port"], "the server did not start"
        self.port = int(line[1])

    def connect(self, receive_buffer=None):
        client = socket.socket()
        if receive_buffer is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.settimeout(10)
        try:
            client.connect(("127.0.0.1", self.port))
        except OSError:
            client.close()
            raise
        return client

    def exchange(self, request):
        """Sends the bytes and returns all that comes until the server closes."""
        with self.connect() as client:
            try:
                client.sendall(request)
            except OSError:
                pass  # The server may refuse before it has read everything.
            return read_all(client)

    def ask(self, path):
        with self.connect() as client:
            client.sendall(b"GET %s HTTP/1.1\r\n%s\r\n" % (path, HOST))
            return Reader(client).response()

    def counts(self):
        """Open connections besides this one, and requests cancelled so far."""
        connections, cancelled = self.ask(b"/count")[2].split()
        return int(connections) - 1, int(cancelled)

    def accepts(self):
        try:
            self.connect().close()
        except OSError:
            return False
        return True

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def stop(self):
        self.terminate()
        try:
            code = self.process.wait(20)
        finally:
            self.process.kill()
            self.process.stdout.close()
        assert code == 0, f"the server exited with {code}"


def read_all(client):
    received = b""
    while True:
        try:
            piece = client.recv(65536)
        except ConnectionResetError:
            return received
        if not piece:
            return received
        received += piece


class Reader:
    """Takes responses off a connection, one by one."""

    def __init__(self, client):
        self.client = client
        self.bytes = b""

    def fill(self):
        piece = self.client.recv(1 << 16)
        if not piece:
            raise EOFError(self.bytes)
        self.bytes += piece

    def head(self):
        while b"\r\n\r\n" not in self.bytes:
            self.fill()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        return head

    def response(self, has_body=True):
        head = self.head()
        status = int(head.split(b" ", 2)[1])
        fields = dict(line.lower().split(b": ", 1) if b": " in line else (line, b"")
                      for line in head.split(b"\r\n")[1:])
        size = int(fields.get(b"content-length", b"0")) if has_body else 0
        while len(self.bytes) < size:
            self.fill()
        body, self.bytes = self.bytes[:size], self.bytes[size:]
        return status, fields, body


def get(path=b"/echo", extra=b""):
    return b"GET %s HTTP/1.1\r\n%s%s\r\n" % (path, HOST, extra)


def post(body, path=b"/echo", extra=b""):
    return b"POST %s HTTP/1.1\r\n%sContent-Length: %d\r\n%s\r\n%s" % (
        path, HOST, len(body), extra, body)


def chunked(chunks, extra=b""):
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return (b"POST /echo HTTP/1.1\r\n%sTransfer-Encoding: chunked\r\n%s\r\n%s0\r\n\r\n"
            % (HOST, extra, body))


def pattern(size):
    return (bytes(range(251)) * (size // 251 + 1))[:size]


# (what is wrong, the bytes, the statuses that are right)
MALFORMED = [
    ("no version", b"GET /\r\n\r\n", {400, 505}),
    ("bare LF before the request", b"\n" + get(), {400}),
    ("bare CR before the request", b"\r\r\n" + get(), {400}),
    ("version 0.9", b"GET / HTTP/0.9\r\n" + HOST + b"\r\n", {505}),
    ("version 1.2", b"GET / HTTP/1.2\r\n" + HOST + b"\r\n", {505}),
    ("version 2.0", b"GET / HTTP/2.0\r\n" + HOST + b"\r\n", {505}),
    ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 505}),
    ("version without digits", b"GET / HTTP/x.y\r\n" + HOST + b"\r\n", {400, 505}),
    ("version in lower case", b"GET / http/1.1\r\n" + HOST + b"\r\n", {400}),
    ("another protocol", b"GET / RTSP/1.0\r\n" + HOST + b"\r\n", {400}),
    ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64, {400}),
    ("unknown method", b"BREW / HTTP/1.1\r\n" + HOST + b"\r\n", {400, 501}),
    ("method in lower case", b"get / HTTP/1.1\r\n" + HOST + b"\r\n", {400, 501}),
    ("CONNECT", b"CONNECT localhost:80 HTTP/1.1\r\n" + HOST + b"\r\n", {400, 501}),
    ("TRACE", b"TRACE / HTTP/1.1\r\n" + HOST + b"\r\n", {501}),
    ("two spaces in the request line", b"GET  / HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("space in the target", b"GET /a b HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("tab in the target", b"GET /a\tb HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("NUL in the target", b"GET /a\0b HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("fragment in the target", b"GET /a#b HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("byte above 127 in the target", b"GET /\xff HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("target without slash", b"GET echo HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("target in asterisk form", b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("URL of another scheme", b"GET ftp://localhost/ HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("URL of another host", b"GET http://other/ HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("URL with another port", b"GET http://localhost:1/ HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("URL with a user", b"GET http://u@localhost/ HTTP/1.1\r\nHost: u@localhost\r\n\r\n", {400}),
    ("URL without a path", b"GET http://localhost HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("URL with an empty host", b"GET http:///echo HTTP/1.1\r\n" + HOST + b"\r\n", {400}),
    ("no Host", b"GET / HTTP/1.1\r\n\r\n", {400}),
    ("empty Host", b"GET / HTTP/1.1\r\nHost:\r\n\r\n", {400}),
    ("two hosts", get(extra=b"Host: localhost\r\n"), {400}),
    ("two hosts, other case", get(extra=b"hOST: other\r\n"), {400}),
    ("list of hosts", b"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", {400}),
    ("user in Host", b"GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", {400}),
    ("path in Host", b"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", {400}),
    ("bytes above 127 in Host", b"GET / HTTP/1.1\r\nHost: a\xc3\xa9\r\n\r\n", {400}),
    ("space before the colon", get(extra=b"X-A : 1\r\n"), {400}),
    ("tab before the colon", get(extra=b"X-A\t: 1\r\n"), {400}),
    ("space within a name", get(extra=b"X A: 1\r\n"), {400}),
    ("space before a name", b"GET / HTTP/1.1\r\n Host: localhost\r\n\r\n", {400}),
    ("no colon", get(extra=b"X-A\r\n"), {400}),
    ("no name", get(extra=b": 1\r\n"), {400}),
    ("NUL in a name", get(extra=b"X\0A: 1\r\n"), {400}),
    ("byte above 127 in a name", get(extra=b"X\xe9: 1\r\n"), {400}),
    ("parenthesis in a name", get(extra=b"X(A): 1\r\n"), {400}),
    ("NUL in a value", get(extra=b"X-A: a\0b\r\n"), {400}),
    ("bell in a value", get(extra=b"X-A: a\x07b\r\n"), {400}),
    ("DEL in a value", get(extra=b"X-A: a\x7fb\r\n"), {400}),
    ("bare CR in a value", get(extra=b"X-A: a\rb\r\n"), {400}),
    ("bare LF ends a line", b"GET /echo HTTP/1.1\nHost: localhost\n\n", {400}),
    ("bare LF ends a header", get(extra=b"X-A: 1\nX-B: 2\r\n"), {400}),
    ("bare LF ends the head", b"GET /echo HTTP/1.1\r\nHost: localhost\r\n\n", {400}),
    ("folded header", get(extra=b"X-A: 1\r\n 2\r\n"), {400}),
    ("header folded with a tab", get(extra=b"X-A: 1\r\n\t2\r\n"), {400}),
    ("folded before its value", get(extra=b"X-A:\r\n 2\r\n"), {400}),
    ("folded empty line", get(extra=b"X-A: 1\r\n \r\n"), {400}),
    ("folded without a value", get(extra=b"X-A:\r\n \r\n"), {400}),
    ("folded after blanks", get(extra=b"X-A: \t\r\n\tb\r\n"), {400}),
    ("folded Transfer-Encoding", get(extra=b"Transfer-Encoding:\r\n chunked\r\n"), {400, 501}),
    ("two lengths that differ", post(b"abc", extra=b"Content-Length: 2\r\n"), {400}),
    ("two lengths that agree", post(b"abc", extra=b"Content-Length: 3\r\n"), {400}),
    ("list of lengths", get(extra=b"Content-Length: 3, 3\r\n") + b"abc", {400}),
    ("length with a sign", get(extra=b"Content-Length: +3\r\n") + b"abc", {400}),
    ("negative length", get(extra=b"Content-Length: -3\r\n") + b"abc", {400}),
    ("hexadecimal length", get(extra=b"Content-Length: 0x3\r\n") + b"abc", {400}),
    ("length with a space inside", get(extra=b"Content-Length: 1 0\r\n") + b"0123456789", {400}),
    ("empty length", get(extra=b"Content-Length:\r\n"), {400}),
    ("length beyond 64 bits", get(extra=b"Content-Length: 18446744073709551617\r\n"), {400}),
    ("length as a variable", get(extra=b"Content_Length: 3\r\n") + b"abc", {400}),
    ("length and coding", post(b"0\r\n\r\n", extra=b"Transfer-Encoding: chunked\r\n"), {400}),
    ("coding and length", get(extra=b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")
     + b"0\r\n\r\n", {400}),
    ("unknown coding", get(extra=b"Transfer-Encoding: cow\r\n"), {400, 501}),
    ("gzip and chunked", get(extra=b"Transfer-Encoding: gzip, chunked\r\n"), {400, 501}),
    ("chunked not last", get(extra=b"Transfer-Encoding: chunked, identity\r\n"), {400, 501}),
    ("chunked twice", get(extra=b"Transfer-Encoding: chunked, chunked\r\n"), {400, 501}),
    ("coding twice", chunked([b"a"], extra=b"Transfer-Encoding: chunked\r\n"), {400}),
    ("identity coding", get(extra=b"Transfer-Encoding: identity\r\n"), {400, 501}),
    ("empty coding", get(extra=b"Transfer-Encoding:\r\n"), {400, 501}),
    ("coding in quotes", get(extra=b'Transfer-Encoding: "chunked"\r\n'), {400, 501}),
    ("coding with a vertical tab", get(extra=b"Transfer-Encoding: \x0bchunked\r\n"), {400, 501}),
    ("coding as a variable", get(extra=b"Transfer_Encoding: chunked\r\n"), {400}),
    ("coding in HTTP/1.0", b"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     {400}),
    ("chunk size not hexadecimal", chunked([]).replace(b"0\r\n\r\n", b"z\r\n"), {400}),
    ("chunk size with a sign", chunked([]).replace(b"0\r\n\r\n", b"-1\r\n"), {400}),
    ("chunk size with 0x", chunked([]).replace(b"0\r\n\r\n", b"0x1\r\na\r\n0\r\n\r\n"), {400}),
    ("chunk size beyond 64 bits", chunked([]).replace(b"0\r\n\r\n", b"1" * 17 + b"\r\n"), {400, 413}),
    ("chunk longer than its size", chunked([b"abc"]).replace(b"3\r\n", b"2\r\n"), {400}),
    ("chunk with a bare LF", chunked([b"abc"]).replace(b"3\r\n", b"3\n"), {400}),
    ("chunk data ended by a bare LF", chunked([b"abc"]).replace(b"abc\r\n", b"abc\n"), {400}),
    ("chunks ended by a bare LF", chunked([b"abc"])[:-2] + b"\n", {400}),
    ("last chunk ended by a bare LF", chunked([b"abc"])[:-4] + b"\n\r\n", {400}),
    ("blank after a chunk size", chunked([b"abc"]).replace(b"3\r\n", b"3 \r\n"), {400}),
    ("chunk extension", chunked([b"abc"]).replace(b"3\r\n", b"3;a=b\r\n"), {400}),
    ("trailer", chunked([]).replace(b"0\r\n\r\n", b"0\r\nX-A: 1\r\n\r\n"), {400}),
    ("two targets", get(extra=b"X-Amz-Target: a\r\nX-Amz-Target: a\r\n"), {400}),
    ("two tenants", get(extra=b"X-Tenant-Id: a\r\nx-tenant-id: b\r\n"), {400}),
    ("tenant as a variable", get(extra=b"X_Tenant_Id: a\r\n"), {400}),
    ("two authorizations", get(extra=b"Authorization: a\r\nauthorization: a\r\n"), {400}),
    ("two content types", get(extra=b"Content-Type: a\r\nContent-Type: b\r\n"), {400}),
    ("upgrade", get(extra=b"Connection: upgrade\r\nUpgrade: websocket\r\n"), {400}),
    ("upgrade to h2c", get(extra=b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                           b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n"), {400}),
    ("another expectation", post(b"abc", extra=b"Expect: magic\r\n"), {417}),
    ("two expectations", post(b"a", extra=b"Expect: 100-continue\r\nExpect: x\r\n"), {400, 417}),
    ("too many headers", get(extra=b"".join(b"X-%d: 1\r\n" % i for i in range(101))), {431}),
    ("a head too large", get(extra=b"X-A: " + b"a" * 17000 + b"\r\n"), {431}),
    ("an endless head", b"GET /" + b"a" * 70000, {431}),
    ("a head too large by a name", get(extra=b"a" * 17000 + b": 1\r\n"), {431}),
    ("a body too large", get(extra=b"Content-Length: 16777217\r\n"), {413}),
    ("a chunk too large", chunked([]).replace(b"0\r\n\r\n", b"1000001\r\n"), {413}),
]


# What a head may look like at most, written down a second time.
GRAMMAR = re.compile(
    rb"(\r\n)*(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (https?://[\w.:\[\]-]+)?/[!-\"$-~]*"
    rb" HTTP/1\.[01]\r\n([!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*\r\n)*\r\n",
    re.IGNORECASE)
MUTATION_COUNT = 1500
PIECES = [b"\r\n", b"\n", b"\r", b" ", b"\t", b":", b"0", b"\r\n\t", b"\r\n ", b",", b"chunked",
          b"http://", b"HTTP/1.1", b"/", b"?", b"#", b"\x80", b"\x7f", b"\0", b"\x0b", b"X-B: 1\r\n",
          b"\r\r\n", b"\n\r\n", b"ICE/1.0", b"-", b"_", b"+", b'"', b"GET ", b" HTTP/1.1\r\n"]


def mutate(mutations):
    """A request with a few faults, after which nothing is sent any more."""
    request = get(b"/echo?a=b", b"X-A:  b \r\nX-Empty:\r\nConnection: close\r\n")
    for _ in range(mutations.randint(1, 3)):
        at = mutations.randint(0, len(request))
        piece = mutations.choice(PIECES)
        request = request[:at] + piece + request[at + mutations.choice((0, 0, 1, len(piece))):]
    return request + b"\r\n\r\nBAD\r\n\r\n"


class Shared(unittest.TestCase):
    """Tests that share one server with the usual settings."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.client = self.server.connect()
        self.reader = Reader(self.client)

    def tearDown(self):
        self.client.close()

    def test_malformed_requests_are_refused_and_closed(self):
        for what, request, statuses in MALFORMED:
            with self.subTest(what):
                received = self.server.exchange(request + get(b"/echo?smuggled"))
                match = re.match(rb"HTTP/1\.1 (\d+) ", received)
                self.assertIsNotNone(match, received)
                self.assertIn(int(match[1]), statuses, received)
                self.assertIn(b"\r\nConnection: close\r\n", received)
                self.assertIn(b"\r\nContent-Type: text/plain\r\n", received)
                self.assertEqual(len(re.findall(rb"HTTP/1\.1 \d", received)), 1, received)
                self.assertNotIn(b"smuggled", received)

    def test_malformed_requests_byte_by_byte_get_the_same_answer(self):
        for what, request, statuses in MALFORMED:
            if len(request) > 300:
                continue
            with self.subTest(what), self.server.connect() as client:
                try:
                    for i in range(len(request)):
                        client.sendall(request[i:i + 1])
                except OSError:
                    pass
                received = read_all(client)
                match = re.match(rb"HTTP/1\.1 (\d+) ", received)
                self.assertIsNotNone(match, received)
                self.assertIn(int(match[1]), statuses, received)

    def test_no_mutation_outside_the_grammar_is_taken(self):
        seed = int(os.environ.get("HTTP_SEED", time.time()))
        mutations = random.Random(seed)
        taken_count = 0
        for _ in range(MUTATION_COUNT):
            request = mutate(mutations)
            received = self.server.exchange(request)
            if received.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 404 ")):
                taken_count += 1
                self.assertTrue(GRAMMAR.match(request), f"HTTP_SEED={seed}: {request}")
        self.assertGreater(taken_count, MUTATION_COUNT // 20)

    def test_a_request_is_understood(self):
        self.client.sendall(post(b"hello", b"/echo/../x?a=b&c?d"))
        self.assertEqual(self.reader.response()[0], 404)
        self.client.sendall(post(b"hello", b"/echo?a=b&c?d%20"))
        status, fields, body = self.reader.response()
        self.assertEqual((status, body), (200, b"hello"))
        self.assertEqual(fields[b"x-method"], b"post")
        self.assertEqual(fields[b"x-path"], b"/echo")
        self.assertEqual(fields[b"x-query"], b"a=b&c?d%20")
        self.assertEqual(fields[b"x-host"], b"localhost")
        self.assertEqual(fields[b"x-peer"], b"127.0.0.1")
        self.assertEqual(fields[b"server"], b"rowhouse")

    def test_the_date_is_now(self):
        from email.utils import parsedate_to_datetime
        self.client.sendall(get())
        date = self.reader.head().split(b"Date: ")[1].split(b"\r\n")[0].decode()
        self.assertLess(abs(parsedate_to_datetime(date).timestamp() - time.time()), 3)

    def test_headers_keep_order_and_lose_case_and_blanks(self):
        self.client.sendall(get(b"/headers", b"X-B:  two words \t\r\nx-a:1\r\nX-Empty:\r\n"
                                b"X-B: again\r\nX-Colon: a:b\r\nX-High: \xc3\xa9\r\n"))
        _, _, body = self.reader.response()
        self.assertEqual(body, b"host=localhost\nx-b=two words\nx-a=1\nx-empty=\nx-b=again\n"
                               b"x-colon=a:b\nx-high=\xc3\xa9\n")

    def test_each_split_of_a_request_is_the_same_request(self):
        request = post(b"hello, world", extra=b"X-Empty:\r\nX-A: b c\r\n")
        for at in range(1, len(request)):
            self.client.sendall(request[:at])
            time.sleep(0.001)
            self.client.sendall(request[at:])
            status, _, body = self.reader.response()
            self.assertEqual((status, body), (200, b"hello, world"), at)

    def test_each_split_of_a_chunked_request_is_the_same_request(self):
        request = chunked([b"hello", b", ", b"w", b"orld" * 5])
        for at in range(1, len(request)):
            self.client.sendall(request[:at])
            time.sleep(0.001)
            self.client.sendall(request[at:])
            status, _, body = self.reader.response()
            self.assertEqual((status, body), (200, b"hello, world" + b"orld" * 4), at)

    def test_a_chunked_request_byte_by_byte(self):
        for byte in chunked([b"hello", b"x" * 20]):
            self.client.sendall(bytes([byte]))
        self.assertEqual(self.reader.response()[2], b"hello" + b"x" * 20)

    def test_many_small_chunks(self):
        body = pattern(50000)
        self.client.sendall(chunked([body[i:i + 1] for i in range(len(body))]))
        self.assertEqual(self.reader.response()[2], body)

    def test_large_bodies_of_both_framings(self):
        for size in (8000, 8192, 65536, 1 << 20, 16 << 20):
            body = pattern(size)
            for request in (post(body), chunked([body]), chunked([body[:size // 3], body[size // 3:]])):
                self.client.sendall(request)
                self.assertTrue(self.reader.response()[2] == body, size)

    def test_a_body_over_the_limit_in_chunks_is_refused(self):
        chunk = b"x" * (1 << 20)
        received = self.server.exchange(chunked([chunk] * 17))
        self.assertTrue(received.startswith(b"HTTP/1.1 413 "), received[:100])

    def test_a_head_of_the_largest_size_is_taken(self):
        room = 16384 - len(get(extra=b"X-A: \r\n"))
        self.client.sendall(get(extra=b"X-A: " + b"a" * room + b"\r\n"))
        self.assertEqual(self.reader.response()[0], 200)
        received = self.server.exchange(get(extra=b"X-A: " + b"a" * (room + 1) + b"\r\n"))
        self.assertTrue(received.startswith(b"HTTP/1.1 431 "), received[:100])

    def test_a_large_head_before_a_large_body(self):
        body = pattern(100000)
        self.client.sendall(post(body, extra=b"X-A: " + b"a" * 16000 + b"\r\n"))
        self.assertEqual(self.reader.response()[2], body)

    def test_pipelined_requests_are_answered_in_order(self):
        for path in (b"/echo", b"/turn", b"/thread"):
            self.client.sendall(b"".join(post(b"%d" % i, path) for i in range(300)))
            bodies = [self.reader.response()[2] for _ in range(300)]
            self.assertEqual(bodies, [b"%d" % i for i in range(300)], path)

    def test_pipelining_mixes_ways_and_framings(self):
        requests, bodies = [], []
        for i in range(200):
            body = pattern(i * 97)
            path = (b"/echo", b"/turn", b"/thread")[i % 3]
            requests.append(post(body, path) if i % 4 else chunked([body[:5], body[5:]])
                            if len(body) > 5 else post(body))
            bodies.append(body)
        stream = b"".join(requests)
        sender = threading.Thread(target=self.client.sendall, args=(stream,))
        sender.start()
        for body in bodies:
            self.assertEqual(self.reader.response()[2], body)
        sender.join()

    def test_a_pipelined_request_waits_for_a_held_one(self):
        self.client.sendall(post(b"first", b"/hold") + post(b"second"))
        self.assertEqual(select.select([self.client], [], [], 0.2)[0], [])
        self.assertEqual(self.server.ask(b"/release")[2], b"1")
        self.assertEqual(self.reader.response()[2], b"first")
        self.assertEqual(self.reader.response()[2], b"second")

    def test_an_error_follows_the_answers_before_it(self):
        received = self.server.exchange(post(b"one") + post(b"two", b"/turn") + b"BAD\r\n\r\n")
        self.assertEqual(re.findall(rb"HTTP/1.1 (\d+)", received), [b"200", b"200", b"400"])

    def test_continue_is_sent_when_the_body_is_held_back(self):
        self.client.sendall(b"POST /echo HTTP/1.1\r\n" + HOST +
                            b"Content-Length: 5\r\nExpect: 100-Continue\r\n\r\n")
        self.assertEqual(self.reader.head(), b"HTTP/1.1 100 Continue")
        self.client.sendall(b"hello")
        self.assertEqual(self.reader.response()[2], b"hello")

    def test_no_continue_when_the_body_is_there(self):
        self.client.sendall(post(b"hello", extra=b"Expect: 100-continue\r\n"))
        self.assertEqual(self.reader.response()[::2], (200, b"hello"))

    def test_no_continue_before_a_refusal(self):
        received = self.server.exchange(get(extra=b"Expect: 100-continue\r\n"
                                            b"Content-Length: 99999999\r\n"))
        self.assertTrue(received.startswith(b"HTTP/1.1 413 "), received)

    def test_the_owner_can_refuse_a_body(self):
        self.client.sendall(b"POST /deny HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\n")
        received = read_all(self.client)
        self.assertTrue(received.startswith(b"HTTP/1.1 403 "), received)
        self.assertIn(b"Connection: close", received)

    def test_the_owner_hears_of_bodies_that_never_come(self):
        before = self.server.counts()[1]
        self.client.sendall(b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\n")
        self.server.counts()
        self.client.close()
        self.assertTrue(until(lambda: self.server.counts()[1] == before + 1))

    def test_head_has_the_length_but_no_body(self):
        self.client.sendall(b"HEAD /size?1000 HTTP/1.1\r\n" + HOST + b"\r\n" + post(b"next"))
        status, fields, _ = self.reader.response(has_body=False)
        self.assertEqual((status, fields[b"content-length"]), (200, b"1000"))
        self.assertEqual(self.reader.response()[2], b"next")

    def test_http_1_0_closes_unless_asked(self):
        received = self.server.exchange(b"GET /echo HTTP/1.0\r\n\r\n")
        self.assertTrue(received.startswith(b"HTTP/1.1 200 "), received)
        self.assertIn(b"Connection: close", received)
        self.client.sendall(b"GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        self.assertEqual(self.reader.response()[1][b"connection"], b"keep-alive")
        self.client.sendall(b"GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        self.assertEqual(self.reader.response()[0], 200)

    def test_connection_close_is_obeyed(self):
        received = self.server.exchange(get(extra=b"Connection: close\r\n") + get())
        self.assertEqual(received.count(b"HTTP/1.1 200"), 1)
        self.assertIn(b"Connection: close", received)

    def test_absolute_targets_agree_with_the_host(self):
        for target in (b"http://localhost/echo?a", b"HTTPS://LOCALHOST/echo?a"):
            self.client.sendall(get(target))
            status, fields, _ = self.reader.response()
            self.assertEqual((status, fields[b"x-path"], fields[b"x-query"]), (200, b"/echo", b"a"))

    def test_a_client_that_closes_its_side_gets_its_answer(self):
        for path in (b"/echo", b"/thread"):
            with self.server.connect() as client:
                client.sendall(post(b"hello", path))
                client.shutdown(socket.SHUT_WR)
                self.assertTrue(read_all(client).endswith(b"hello"))

    def test_peers_that_vanish_hurt_nobody(self):
        linger = struct.pack("ii", 1, 0)
        for request in (b"POST /echo HTTP/1.1\r\n", post(b"x" * 100)[:-10], post(b"x", b"/hold"),
                        post(b"x", b"/turn"), post(b"x", b"/thread"), get(b"/size?9000000"),
                        post(b"x", b"/hold") + post(b"y")):
            for reset in (False, True):
                client = self.server.connect()
                client.sendall(request)
                time.sleep(0.02)
                self.server.counts()
                if reset:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                client.close()
        self.assertGreaterEqual(int(self.server.ask(b"/release")[2]), 4)
        self.client.close()
        self.assertTrue(until(lambda: self.server.counts()[0] == 0))

    def test_large_responses_reach_slow_readers_whole(self):
        with self.server.connect(receive_buffer=4096) as client:
            client.sendall(get(b"/size?3000000") + get(b"/size?1000") + get(b"/size?2000000"))
            reader = Reader(client)
            time.sleep(0.3)
            for size in (3000000, 1000, 2000000):
                self.assertTrue(reader.response()[2] == pattern(size), size)

    def test_a_slow_reader_does_not_hold_up_others(self):
        with self.server.connect(receive_buffer=4096) as slow:
            slow.sendall(get(b"/size?20000000"))
            time.sleep(0.1)
            self.client.sendall(post(b"quick"))
            self.assertEqual(self.reader.response()[2], b"quick")

    def test_a_body_does_not_leak_into_the_next_request(self):
        self.client.sendall(post(b"secret" * 100))
        self.reader.response()
        self.client.sendall(get())
        self.assertEqual(self.reader.response()[2], b"")

    def test_empty_lines_before_a_request_are_skipped(self):
        self.client.sendall(b"\r\n\r\n" + post(b"hello"))
        self.assertEqual(self.reader.response()[2], b"hello")

    def test_many_connections(self):
        clients = [self.server.connect() for _ in range(900)]
        for i, client in enumerate(clients):
            client.sendall(post(b"%d" % i))
        for i, client in enumerate(clients):
            self.assertEqual(Reader(client).response()[2], b"%d" % i)
            client.close()


class Settings(unittest.TestCase):
    """Each test starts a server with settings of its own."""

    def start(self, **options):
        server = Server(**options)
        self.addCleanup(server.stop)
        return server

    def timed(self, server, request):
        begun = time.monotonic()
        received = server.exchange(request)
        return received, time.monotonic() - begun

    def test_slow_heads_are_cut_off(self):
        server = self.start(head=200, linger=100)
        received, seconds = self.timed(server, b"POST /echo HTTP/1.1\r\nHost: ")
        self.assertTrue(received.startswith(b"HTTP/1.1 408 "), received)
        self.assertTrue(0.15 < seconds < 2, seconds)

    def test_dripping_does_not_prolong_a_head(self):
        server = self.start(head=300, linger=100)
        with server.connect() as client:
            begun = time.monotonic()
            client.sendall(b"POST /echo HTTP/1.1\r\n")
            while not select.select([client], [], [], 0.02)[0] and time.monotonic() - begun < 5:
                client.sendall(b"a")
            self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 408 "))
            self.assertLess(time.monotonic() - begun, 2)

    def test_slow_bodies_are_cut_off(self):
        server = self.start(body=200, linger=100)
        for request in (post(b"hello")[:-2], chunked([b"hello"])[:-4]):
            received, seconds = self.timed(server, request)
            self.assertTrue(received.startswith(b"HTTP/1.1 408 "), received)
            self.assertTrue(0.15 < seconds < 2, seconds)

    def test_idle_connections_are_closed_silently(self):
        server = self.start(idle=200)
        self.assertEqual(self.timed(server, b"")[0], b"")
        received, seconds = self.timed(server, get())
        self.assertTrue(received.startswith(b"HTTP/1.1 200 "))
        self.assertTrue(0.15 < seconds < 2, seconds)

    def test_a_held_request_is_not_idle(self):
        server = self.start(idle=100, head=100, body=100, write=100)
        with server.connect() as client:
            client.sendall(post(b"held", b"/hold"))
            time.sleep(0.5)
            server.ask(b"/release")
            self.assertEqual(Reader(client).response()[2], b"held")

    def test_readers_that_take_nothing_are_cut(self):
        server = self.start(write=300)
        with server.connect(receive_buffer=4096) as client:
            client.sendall(get(b"/size?20000000"))
            self.assertEqual(server.counts()[0], 1)
            self.assertTrue(until(lambda: server.counts()[0] == 0))
            self.assertLess(len(read_all(client)), 20000000)

    def test_slow_readers_that_take_something_are_not_cut(self):
        server = self.start(write=300)
        with server.connect() as client:
            client.sendall(get(b"/size?20000000"))
            received = b""
            while len(received) < 20000000:
                piece = client.recv(1 << 20)
                if not piece:
                    break
                received += piece
                time.sleep(0.03)
            self.assertGreater(len(received), 20000000)

    def test_a_newcomer_replaces_the_longest_idle(self):
        server = self.start(connections=10)
        clients = [server.connect() for _ in range(10)]
        for client in clients:
            client.sendall(get())
            Reader(client).response()
        with server.connect() as newcomer:
            newcomer.sendall(post(b"hello"))
            self.assertEqual(Reader(newcomer).response()[2], b"hello")
        self.assertEqual(clients[0].recv(10), b"")
        clients[9].sendall(post(b"last"))
        self.assertEqual(Reader(clients[9]).response()[2], b"last")
        for client in clients:
            client.close()

    def test_with_all_places_busy_a_newcomer_is_turned_away(self):
        server = self.start(connections=2)
        with server.connect() as a, server.connect() as b:
            a.sendall(post(b"held", b"/hold"))
            b.sendall(get(b"/release")[:-2])
            time.sleep(0.1)
            with server.connect() as newcomer:
                self.assertEqual(read_all(newcomer), b"")
            b.sendall(b"\r\n")
            self.assertEqual(Reader(a).response()[2], b"held")
            self.assertEqual(Reader(b).response()[2], b"1")

    def test_large_requests_share_a_maximum_of_memory(self):
        server = self.start(memory=6 << 20)
        body = pattern(3 << 20)
        with server.connect() as first:
            first.sendall(post(body, b"/hold"))
            self.assertEqual(server.counts()[0], 1)
            received = server.exchange(post(body))
            self.assertTrue(received.startswith(b"HTTP/1.1 503 "), received[:100])
            self.assertEqual(server.ask(b"/release")[2], b"1")
            self.assertEqual(Reader(first).response()[2], body)
            first.sendall(post(body))
            self.assertEqual(Reader(first).response()[2], body)

    def test_several_loops_serve_one_port(self):
        server = self.start(loops=3)
        for i in range(60):
            with server.connect() as client:
                client.sendall(post(b"%d" % i, b"/thread"))
                self.assertEqual(Reader(client).response()[2], b"%d" % i)

    def test_a_port_in_use_is_reported(self):
        for loops in (1, 2):
            server = self.start(loops=loops)
            second = subprocess.run([SERVER, f"port={server.port}", f"loops={loops}"],
                                    capture_output=True, timeout=10)
            self.assertEqual(second.returncode, 1)


class Stopping(unittest.TestCase):
    """A graceful stop."""

    def test_idle_connections_end_at_once(self):
        server = Server(loops=2)
        clients = [server.connect() for _ in range(20)]
        for client in clients:
            client.sendall(get())
            Reader(client).response()
        begun = time.monotonic()
        server.stop()
        self.assertLess(time.monotonic() - begun, 1)
        for client in clients:
            self.assertEqual(client.recv(10), b"")
            client.close()

    def test_requests_in_flight_are_finished(self):
        server = Server()
        arriving, reading = server.connect(), server.connect(receive_buffer=4096)
        arriving.sendall(post(b"hello")[:-3])
        reading.sendall(get(b"/size?9000000"))
        self.assertEqual(server.counts()[0], 2)
        server.terminate()
        self.assertTrue(until(lambda: not server.accepts()))
        arriving.sendall(b"llo")
        status, fields, body = Reader(arriving).response()
        self.assertEqual((status, body), (200, b"hello"))
        self.assertEqual(fields[b"connection"], b"close")
        self.assertTrue(Reader(reading).response()[2] == pattern(9000000))
        arriving.close()
        reading.close()
        server.stop()

    def test_what_does_not_finish_is_cut_at_the_deadline(self):
        server = Server(stop=300)
        with server.connect() as client:
            client.sendall(post(b"hello")[:-3])
            self.assertEqual(server.counts()[0], 1)
            begun = time.monotonic()
            server.stop()
            self.assertTrue(0.2 < time.monotonic() - begun < 3)
            self.assertEqual(read_all(client), b"")


if __name__ == "__main__":
    SERVER = sys.argv.pop(1)
    unittest.main(verbosity=1)

"""One keep-alive connection that speaks the DynamoDB protocol, as one tenant of a development
server. Written on sockets: at full speed the client must not be what is measured."""

import json
import socket

TIMEOUT_SECONDS = 30
RECEIVE_BYTES = 65536


class Gone(Exception):
    """The connection ended before the answer came: the request may or may not have happened."""


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status, answer):
        self.status = status
        self.kind = answer.get("__type", "").rpartition("#")[2]
        self.answer = answer
        super().__init__(f"{status} {self.kind}: {answer.get('message', answer)}")


class Connection:
    def __init__(self, port, tenant):
        self.received = b""
        self.head = (
            "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            "Content-Type: application/x-amz-json-1.0\r\n"
            "X-Amz-Date: 20260101T000000Z\r\n"
            f"Authorization: AWS4-HMAC-SHA256 Credential={tenant}/20260101/us-east-1/dynamodb/"
            "aws4_request, SignedHeaders=host;x-amz-date, Signature=" + "0" * 64 + "\r\n"
            "X-Amz-Target: DynamoDB_20120810."
        )
        try:
            self.socket = socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS)
        except ConnectionError as lost:
            raise Gone from lost
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def call(self, operation, **request):
        """The answer of one operation. Raises Gone or Refused."""
        body = json.dumps(request, separators=(",", ":"))
        head = f"{self.head}{operation}\r\nContent-Length: {len(body)}\r\n\r\n"
        try:
            self.socket.sendall((head + body).encode())
            status, answer = self._receive()
        except ConnectionError as lost:
            raise Gone from lost
        if status != 200:
            raise Refused(status, json.loads(answer))
        return json.loads(answer)

    def pages(self, operation, **request):
        """All items of a Query or Scan."""
        items = []
        while True:
            answer = self.call(operation, **request)
            items += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return items
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _receive_more(self):
        more = self.socket.recv(RECEIVE_BYTES)
        if not more:
            raise Gone
        self.received += more

    def _receive(self):
        while (end := self.received.find(b"\r\n\r\n")) < 0:
            self._receive_more()
        head = self.received[:end].decode().lower()
        size = int(head.partition("content-length:")[2].partition("\r\n")[0])
        end += 4
        while len(self.received) < end + size:
            self._receive_more()
        body = self.received[end : end + size]
        self.received = self.received[end + size :]
        return int(head[9:12]), body

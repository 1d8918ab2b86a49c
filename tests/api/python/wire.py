"""Requests as bytes: what no SDK would send."""

import datetime
import http.client
import json
import urllib.parse

CONTENT_TYPE = "application/x-amz-json-1.0"


class Wire:
    """One connection to the server, kept alive."""

    def __init__(self, endpoint):
        address = urllib.parse.urlsplit(endpoint)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)

    def close(self):
        self.connection.close()

    def request(self, method, path="/", body=b"", headers=None):
        """Returns status, headers and body."""
        self.connection.request(method, path, body, headers or {})
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()

    def call(self, operation, body, tenant="acme"):
        """Calls an operation with a body that is bytes, or anything that JSON can say."""
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        head = {**signed(tenant), "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        status, answer_head, answer = self.request("POST", "/", body, head)
        return status, answer_head, json.loads(answer)


def signed(tenant):
    """Headers as of a signed request. Development mode does not verify the signature."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{tenant}/{now[:8]}/us-east-1/dynamodb/aws4_request"
    return {
        "Content-Type": CONTENT_TYPE,
        "X-Amz-Date": now,
        "Authorization": (
            f"AWS4-HMAC-SHA256 Credential={scope}, "
            f"SignedHeaders=host;x-amz-date;x-amz-target, Signature={'0' * 64}"
        ),
    }


def error_type(answer):
    """ValidationException of com.amazon.coral.validate#ValidationException."""
    return answer["__type"].rpartition("#")[2]

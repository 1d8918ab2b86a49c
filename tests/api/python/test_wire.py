"""The protocol below the SDKs: headers, and bodies that are none."""

import http.client
import json
import re
import socket
import urllib.parse
import zlib

import pytest

from values import N, S
from wire import CONTENT_TYPE, Wire, error_type, signed

pytestmark = pytest.mark.rowhouse


@pytest.fixture
def wire(endpoint):
    connection = Wire(endpoint)
    yield connection
    connection.close()


def test_health(wire):
    status, _, body = wire.request("GET")
    assert status == 200
    assert body.startswith(b"healthy")


# ---- Headers ----


def check_headers(headers, body):
    assert re.fullmatch(r"[0-9A-Z]{52}", headers["x-amzn-RequestId"])
    assert int(headers["x-amz-crc32"]) == zlib.crc32(body)
    assert headers["Content-Type"] == CONTENT_TYPE
    assert int(headers["Content-Length"]) == len(body)


@pytest.mark.parametrize(
    "operation, status", [("ListTables", 200), ("GetItem", 400), ("Nope", 400)]
)
def test_headers(wire, operation, status):
    head = {**signed("acme"), "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
    answered, headers, body = wire.request("POST", "/", b"{}", head)
    assert answered == status
    check_headers(headers, body)


def test_request_ids_differ(wire):
    ids = {wire.call("ListTables", {})[1]["x-amzn-RequestId"] for _ in range(20)}
    assert len(ids) == 20


def test_one_connection_serves_many_tenants(wire, tenant, new_table):
    """What a request may see depends on its own credentials, not on its connection."""
    table = new_table()
    table.put({"pk": S("a")})
    request = {"TableName": table.name, "Key": {"pk": S("a")}}
    for _ in range(3):
        status, _, answer = wire.call("GetItem", request, tenant=tenant)
        assert (status, answer) == (200, {"Item": {"pk": S("a")}})
        status, _, answer = wire.call("GetItem", request, tenant="somebody-else")
        assert (status, error_type(answer)) == (400, "ResourceNotFoundException")


def test_without_credentials(wire):
    head = {"Content-Type": CONTENT_TYPE, "X-Amz-Target": "DynamoDB_20120810.ListTables"}
    status, _, body = wire.request("POST", "/", b"{}", head)
    assert status in (400, 403)
    assert error_type(json.loads(body)) == "MissingAuthenticationTokenException"


def test_credentials_do_not_stay_on_the_connection(wire):
    assert wire.call("ListTables", {})[0] == 200
    test_without_credentials(wire)


# ---- Operations ----


@pytest.mark.parametrize("operation", ["NoSuchThing", "", "getItem", "GetItem/"])
def test_unknown_operation(wire, operation):
    status, _, answer = wire.call(operation, {})
    assert (status, error_type(answer)) == (400, "UnknownOperationException")


def test_no_operation(wire):
    status, _, body = wire.request("POST", "/", b"{}", signed("acme"))
    assert status in (400, 404)
    assert error_type(json.loads(body)) == "UnknownOperationException"


# ---- Bodies ----


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"}",
        b"[]",
        b"1",
        b'"text"',
        b"null",
        b'{"TableName": }',
        b'{"TableName": "t",}',
        b'{"TableName": "t"} x',
        b'{"TableName": "\x00"}',
        b'{TableName: "t"}',
        b'{"TableName": "\\ud800"}',
        b'{"TableName": "\xff"}',
        b'{"TableName": "\xc0\x80"}',
        b'{"TableName": "\xed\xa0\x80"}',
    ],
)
def test_body_that_is_no_object(wire, body):
    status, headers, answer = wire.call("DescribeTable", body)
    assert (status, error_type(answer)) == (400, "SerializationException")
    assert wire.call("ListTables", {})[0] == 200


@pytest.mark.parametrize(
    "operation, body",
    [
        ("DescribeTable", {"TableName": 5}),
        ("DescribeTable", {"TableName": ["t"]}),
        ("ListTables", {"Limit": "5"}),
        ("ListTables", {"Limit": {}}),
        ("GetItem", {"TableName": "tab", "Key": "pk"}),
        ("GetItem", {"TableName": "tab", "Key": {"pk": "a"}}),
        ("GetItem", {"TableName": "tab", "Key": {"pk": {"S": 1}}}),
        ("GetItem", {"TableName": "tab", "Key": {"pk": {"N": 1}}}),
        ("PutItem", {"TableName": "tab", "Item": {"pk": {"SS": "a"}}}),
        ("PutItem", {"TableName": "tab", "Item": {"pk": {"BOOL": "maybe"}}}),
        ("PutItem", {"TableName": "tab", "Item": {"pk": {"L": {}}}}),
        ("BatchGetItem", {"RequestItems": []}),
    ],
)
def test_member_of_another_type(wire, operation, body):
    status, _, answer = wire.call(operation, body)
    assert (status, error_type(answer)) == (400, "SerializationException")


def test_binary_that_is_no_base64(wire):
    body = {"TableName": "tab", "Item": {"pk": S("a"), "b": {"B": "not base64!"}}}
    status, _, answer = wire.call("PutItem", body)
    assert status == 400
    assert error_type(answer) in ("SerializationException", "ValidationException")


@pytest.mark.parametrize("depth", [33, 100, 5_000, 200_000])
def test_nesting(wire, depth):
    value = b'{"L":[' * depth + b'{"N":"1"}' + b"]}" * depth
    body = b'{"TableName":"tab","Item":{"pk":{"S":"a"},"v":' + value + b"}}"
    status, _, answer = wire.call("PutItem", body)
    assert status == 400
    assert error_type(answer) in ("SerializationException", "ValidationException")
    assert wire.call("ListTables", {})[0] == 200


def test_nesting_where_none_belongs(wire):
    body = b'{"TableName":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    status, _, answer = wire.call("DescribeTable", body)
    assert (status, error_type(answer)) == (400, "SerializationException")


def test_unknown_members_are_ignored(wire):
    status, _, answer = wire.call("ListTables", {"Limit": 1, "Unknown": {"deep": [1, 2]}})
    assert status == 200


def test_text_survives_escapes(wire, tenant, new_table):
    table = new_table()
    text = '\x00\x01\x1f " \\ / \x7f \u2028 é \U0001f3e0'
    item = {"pk": S("a"), "text": S(text), "n": N(1)}
    assert wire.call("PutItem", {"TableName": table.name, "Item": item}, tenant=tenant)[0] == 200
    request = {"TableName": table.name, "Key": {"pk": S("a")}}
    assert wire.call("GetItem", request, tenant=tenant)[2] == {"Item": item}


@pytest.mark.parametrize("claimed", [17 * 1024 * 1024, 10**12])
def test_body_that_is_announced_too_large(endpoint, claimed):
    """The announcement is enough for a refusal; the body need not come."""
    address = urllib.parse.urlsplit(endpoint)
    head = {**signed("acme"), "X-Amz-Target": "DynamoDB_20120810.ListTables"}
    lines = ["POST / HTTP/1.1", f"Host: {address.netloc}", f"Content-Length: {claimed}"]
    lines += [f"{name}: {value}" for name, value in head.items()]
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = connection.recv(65536)
    assert re.match(rb"HTTP/1.1 (400|413) ", answer)


def test_largest_body(wire):
    """16 MB are read and judged by what they say."""
    padding = b" " * (16 * 1024 * 1024 - 2)
    assert wire.call("ListTables", b"{" + padding + b"}")[0] == 200


def test_other_paths_are_not_the_api(endpoint):
    address = urllib.parse.urlsplit(endpoint)
    for path in ("/x", "//", "//admin"):
        connection = http.client.HTTPConnection(address.hostname, address.port)
        connection.request("POST", path, body=b"{}", headers={"X-Amz-Target": "x"})
        assert connection.getresponse().status == 404, path
        connection.close()

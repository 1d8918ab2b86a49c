#!/usr/bin/env python3
"""Writes vectors.h: signed requests that the verifier must accept.

Signatures come from two signers that share nothing with the server's: botocore's, and a short one
below written from the specification with hashlib and hmac. Run it with a Python that has botocore:

    python generate_vectors.py > vectors.h
"""

import datetime
import hashlib
import hmac
import re
from unittest import mock
from urllib.parse import quote, unquote, urlsplit

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

NOW = datetime.datetime(2026, 3, 1, 12, 30, 0, tzinfo=datetime.timezone.utc)
STAMP = NOW.strftime("%Y%m%dT%H%M%SZ")
KEYS = {
    "AKIDEXAMPLE": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    "AKIDLONG": "long secrets are hashed first " * 4,
}
BODY = '{"TableName":"Music","Key":{"Artist":{"S":"Ghaza\\u0142"}}}'


def sha256(data):
    return hashlib.sha256(data.encode()).hexdigest()


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def sign(key_id, request, signed, date=STAMP, region="us-east-1", payload=None):
    """The specification, step by step."""
    lines = [request["method"], quote(request["path"], safe="/-._~")]
    pairs = [p.partition("=") for p in request["query"].split("&") if p]
    pairs = sorted((quote(unquote(n), safe="-._~"), quote(unquote(v), safe="-._~")) for n, _, v in pairs)
    lines.append("&".join(f"{n}={v}" for n, v in pairs))
    for name in signed:
        values = [" ".join(re.split(r"[ \t]+", v.strip())) for n, v in request["headers"] if n == name]
        lines.append(f"{name}:{','.join(values)}")
    lines += ["", ";".join(signed), payload or sha256(request["body"])]
    scope = f"{date[:8]}/{region}/dynamodb/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", date, scope, sha256("\n".join(lines))])
    key = ("AWS4" + KEYS[key_id]).encode()
    for part in (date[:8], region, "dynamodb", "aws4_request"):
        key = digest(key, part)
    return scope, digest(key, text).hex()


def request(headers, query="", path="/", method="POST", body=BODY):
    return {"method": method, "path": path, "query": query, "headers": list(headers), "body": body}


HOST = ("host", "db.example.com:8000")
DATE = ("x-amz-date", STAMP)
TARGET = ("x-amz-target", "DynamoDB_20120810.GetItem")


def by_hand(name, sent, signed, key_id="AKIDEXAMPLE", **options):
    scope, signature = sign(key_id, sent, signed, **options)
    value = (f"AWS4-HMAC-SHA256 Credential={key_id}/{scope}, SignedHeaders={';'.join(signed)}, "
             f"Signature={signature}")
    sent["headers"].append(("authorization", value))
    return name, sent


def presigned_by_hand(name, expires, signed, headers, payload=None):
    scope = f"{STAMP[:8]}/eu-west-1/dynamodb/aws4_request"
    query = (f"X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={quote('AKIDEXAMPLE/' + scope, safe='')}"
             f"&X-Amz-Date={STAMP}&X-Amz-Expires={expires}&X-Amz-SignedHeaders={quote(';'.join(signed), safe='')}")
    sent = request(headers, query=query)
    _, signature = sign("AKIDEXAMPLE", sent, signed, region="eu-west-1", payload=payload)
    sent["query"] += "&X-Amz-Signature=" + signature
    return name, sent


def by_botocore(name, signer, **options):
    headers = {"Host": "db.example.com:8000", "X-Amz-Target": TARGET[1], "Content-Type": "application/x-amz-json-1.0"}
    aws_request = AWSRequest(method="POST", url="http://db.example.com:8000/", data=BODY.encode(), headers=headers)
    with mock.patch("botocore.auth.get_current_datetime", return_value=NOW.replace(tzinfo=None)):
        signer(Credentials("AKIDEXAMPLE", KEYS["AKIDEXAMPLE"]), "dynamodb", "us-east-1", **options).add_auth(aws_request)
    body = aws_request.data or b""  # presigning has moved it to the query
    sent = request([(n.lower(), v) for n, v in aws_request.headers.items()],
                   query=urlsplit(aws_request.url).query, body=body.decode() if body else "")
    return name, sent


def vectors():
    base = ["host", "x-amz-date", "x-amz-target"]
    yield by_botocore("botocore", botocore.auth.SigV4Auth)
    yield by_botocore("botocore presigned", botocore.auth.SigV4QueryAuth, expires=600)
    yield by_hand("plain", request([HOST, DATE, TARGET]), base)
    yield by_hand("unsigned extra header", request([HOST, DATE, TARGET, ("user-agent", "x")]), base)
    yield by_hand("long secret", request([HOST, DATE, TARGET]), base, key_id="AKIDLONG")
    yield by_hand("other region", request([HOST, DATE, TARGET]), base, region="local")
    yield by_hand("region too long to cache", request([HOST, DATE, TARGET]), base, region="r" * 80)
    yield by_hand("empty body", request([HOST, DATE], body=""), ["host", "x-amz-date"])
    yield by_hand("blanks and repeated headers",
                  request([HOST, ("x-a", "  one \t two  "), DATE, ("x-a", "three"), TARGET]),
                  ["host", "x-a", "x-amz-date", "x-amz-target"])
    yield by_hand("tenant header", request([HOST, DATE, TARGET, ("x-tenant-id", "acme")]), base + ["x-tenant-id"])
    yield by_hand("path and query",
                  request([HOST, DATE], method="GET", path="/a b/\u00fc%20~", query="b=2&a=%7E+&b=1&c&d=x%2fy%", body=""),
                  ["host", "x-amz-date"])
    date = NOW.strftime("%a, %d %b %Y %H:%M:%S GMT")
    yield by_hand("date header", request([HOST, ("date", date), TARGET]), ["date", "host", "x-amz-target"])
    digest_header = ("x-amz-content-sha256", sha256(BODY))
    yield by_hand("body's hash sent", request([HOST, digest_header, DATE, TARGET]),
                  ["host", "x-amz-content-sha256", "x-amz-date", "x-amz-target"])
    yield presigned_by_hand("presigned", 604800, ["host", "x-amz-target"], [HOST, TARGET])
    yield presigned_by_hand("presigned, body unsigned", 60, ["host", "x-amz-content-sha256"],
                            [HOST, ("x-amz-content-sha256", "UNSIGNED-PAYLOAD")], payload="UNSIGNED-PAYLOAD")


def c_text(text, indent=9):
    """A C string literal, in pieces where it is long."""
    pieces = [""]
    for byte in text.encode():
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        if len(pieces[-1]) > 76:
            pieces.append("")
        pieces[-1] += chr(byte) if plain else f"\\{byte:03o}"
    return ("\n" + " " * indent).join(f'"{piece}"' for piece in pieces)


def main():
    print("/* Signed requests. Generated by generate_vectors.py; do not edit. */")
    print("/* clang-format off */")
    print("#define VECTORS_NOW_MS INT64_C(%d)" % int(NOW.timestamp() * 1000))
    print("\nstatic const struct { const char *id, *secret; } vector_keys[] = {")
    for key_id, secret in KEYS.items():
        print(f"    {{{c_text(key_id)},\n     {c_text(secret, 5)}}},")
    print("};\n\nstatic const struct vector vectors[] = {")
    for name, sent in vectors():
        print(f"    {{.name = {c_text(name)},")
        for field in ("method", "path", "query", "body"):
            print(f"     .{field} = {c_text(sent[field])},")
        print("     .headers = {")
        for header, value in sent["headers"]:
            print(f"         {{{c_text(header)},\n          {c_text(value, 10)}}},")
        print("     }},")
    print("};")


main()

"""How Rowhouse words what it refuses: since June 2026 some operations put every fault of the
request itself into an envelope, the others do not yet."""

import pytest
from botocore.exceptions import ClientError

from errors import ENVELOPE
from values import N, S

pytestmark = pytest.mark.rowhouse


def message(call, *arguments, **more):
    with pytest.raises(ClientError) as failure:
        call(*arguments, **more)
    return failure.value.response["Error"]["Message"]


UNUSED = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"


def test_faults_of_writes_are_enveloped(hash_table, pk):
    unused = {"condition": "attribute_exists(pk)", "values": {":v": N(1)}}
    assert message(hash_table.put, {"pk": pk}, **unused) == ENVELOPE + UNUSED
    assert message(hash_table.delete, {"pk": pk}, **unused) == ENVELOPE + UNUSED
    assert message(hash_table.update, {"pk": pk}, "REMOVE a", **unused) == ENVELOPE + UNUSED


def test_faults_of_reads_stand_alone(hash_table, pk):
    unused = {"filter": "attribute_exists(a)", "values": {":v": N(1)}}
    assert message(hash_table.scan, **unused) == UNUSED
    assert message(hash_table.query, "pk = :p", values={":p": pk, ":v": N(1)}) == UNUSED
    assert message(hash_table.get, {"pk": pk}, names={"#x": "x"}) == (
        "ExpressionAttributeNames can only be specified when using expressions"
    )


def test_faults_against_the_table_stand_alone(range_table, pk):
    schema = "The provided key element does not match the schema"
    assert message(range_table.delete, {"pk": pk}) == schema
    assert message(range_table.get, {"pk": pk}) == schema
    assert message(range_table.put, {"pk": pk}) == (
        "One or more parameter values were invalid: Missing the key sk in the item"
    )


def test_faults_of_shape_are_counted(db):
    request = {"TableName": "tab", "Item": {"pk": S("a")}, "ReturnConsumedCapacity": "SOME"}
    said = message(db.put_item, **request)
    assert said.startswith(ENVELOPE + "Value 'SOME' at 'returnConsumedCapacity'")
    said = message(db.put_item, **request, ReturnItemCollectionMetrics="SOME")
    assert said.startswith("2 validation errors detected: ")

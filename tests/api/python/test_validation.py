"""What is refused before any table is looked at, and in which order."""

import pytest

from errors import containing, invalid
from values import S

KEY = {"pk": S("a")}
OPERATIONS = {
    "put_item": {"Item": KEY},
    "get_item": {"Key": KEY},
    "update_item": {"Key": KEY},
    "delete_item": {"Key": KEY},
    "query": {
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": S("a")},
    },
    "scan": {},
}


def call(db, operation, **more):
    return getattr(db, operation)(**OPERATIONS[operation], **more)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_table_names(db, operation):
    with invalid("Value null at 'tableName' failed to satisfy constraint: Member must not be null"):
        call(db, operation)
    with invalid(containing("Member must have length greater than or equal to 1")):
        call(db, operation, TableName="")
    with invalid(containing("ableName' failed to satisfy constraint: Member must")):
        call(db, operation, TableName="bad name!")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_unknown_capacity_detail(db, operation):
    with invalid(
        "Value 'SOME' at 'returnConsumedCapacity' failed to satisfy constraint: "
        "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
    ):
        call(db, operation, TableName="no-such-table", ReturnConsumedCapacity="SOME")


@pytest.mark.parametrize("operation", ["put_item", "delete_item"])
def test_several_faults_are_told_together(db, operation):
    with invalid(containing("2 validation errors detected: ")) as failure:
        call(
            db,
            operation,
            TableName="no-such-table",
            ReturnValues="SOME",
            ReturnConsumedCapacity="SOME",
        )
    message = failure.value.response["Error"]["Message"]
    assert "enum value set: [ALL_" in message
    assert "'returnConsumedCapacity'" in message


def test_missing_item_and_key(db):
    with invalid("Value null at 'item' failed to satisfy constraint: Member must not be null"):
        db.put_item(TableName="no-such-table")
    with invalid("Value null at 'key' failed to satisfy constraint: Member must not be null"):
        db.get_item(TableName="no-such-table")


def test_unknown_select(db):
    with invalid(
        "Value 'SOME' at 'select' failed to satisfy constraint: Member must satisfy enum value "
        "set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"
    ):
        call(db, "query", TableName="no-such-table", Select="SOME")


def test_expressions_are_read_before_tables_are_looked_up(db):
    with invalid(containing("Invalid FilterExpression: Syntax error")):
        call(db, "scan", TableName="no-such-table", FilterExpression="a =")
    with invalid(containing("Invalid UpdateExpression: Syntax error")):
        call(db, "update_item", TableName="no-such-table", UpdateExpression="SET")


def test_values_are_read_before_tables_are_looked_up(db):
    with invalid(containing("cannot be converted to a numeric value")):
        db.put_item(TableName="no-such-table", Item={"pk": {"N": "x"}})
    with invalid(containing("may not be empty")):
        db.put_item(TableName="no-such-table", Item={"pk": {"SS": []}})


def test_empty_index_name(db):
    with invalid(containing("ndexName' failed to satisfy constraint")):
        call(db, "scan", TableName="no-such-table", IndexName="x")

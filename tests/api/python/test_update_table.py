"""UpdateTable: billing, throughput, indexes that come and go, deletion protection."""

import pytest

from errors import containing, invalid, refuses
from tables import Table, create_table, definitions, index, wait_until_active, wait_until_gone
from values import N, S

UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


def update(table, **changes):
    """UpdateTable; returns the table when it is active again."""
    answer = table.db.update_table(TableName=table.name, **changes)
    assert answer["TableDescription"]["TableName"] == table.name
    return wait_until_active(table.db, table.name)


def add_index(table, definition, **types):
    return update(
        table,
        AttributeDefinitions=definitions(pk="S", **types),
        GlobalSecondaryIndexUpdates=[{"Create": definition}],
    )


def drop_index(table, name):
    return update(table, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": name}}])


def throughput(described):
    units = described["ProvisionedThroughput"]
    return units["ReadCapacityUnits"], units["WriteCapacityUnits"]


# ---- Billing and throughput ----


def test_throughput(new_table):
    table = new_table(ProvisionedThroughput=UNITS)
    after = update(table, ProvisionedThroughput={"ReadCapacityUnits": 20, "WriteCapacityUnits": 15})
    assert throughput(after) == (20, 15)


def test_billing_by_request_and_back(new_table):
    table = new_table(ProvisionedThroughput=UNITS)
    after = update(table, BillingMode="PAY_PER_REQUEST")
    assert after["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert throughput(after) == (0, 0)
    after = update(table, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    assert throughput(after) == (5, 5)
    assert after.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST"


def test_billing_by_request_twice(new_table):
    after = update(new_table(), BillingMode="PAY_PER_REQUEST")
    assert after["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_throughput_that_stays_the_same(new_table):
    table = new_table(ProvisionedThroughput=UNITS)
    with invalid(
        "The provisioned throughput for the table will not change. The requested value equals "
        "the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested "
        "ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 5. "
        "Requested WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for "
        "current limits and how to request higher limits."
    ):
        update(table, ProvisionedThroughput=UNITS)


def test_throughput_of_an_index(new_table):
    table = new_table(
        attributes={"g": "S"},
        ProvisionedThroughput=UNITS,
        GlobalSecondaryIndexes=[index("by-g", "g", ProvisionedThroughput=UNITS)],
    )
    more = {"ReadCapacityUnits": 9, "WriteCapacityUnits": 8}
    change = {"Update": {"IndexName": "by-g", "ProvisionedThroughput": more}}
    after = update(table, GlobalSecondaryIndexUpdates=[change])
    assert throughput(after["GlobalSecondaryIndexes"][0]) == (9, 8)
    assert throughput(after) == (5, 5)


def test_throughput_with_billing_by_request(new_table):
    table = new_table(ProvisionedThroughput=UNITS)
    with invalid():
        update(table, BillingMode="PAY_PER_REQUEST", ProvisionedThroughput=UNITS)


def test_throughput_below_one(new_table):
    table = new_table(ProvisionedThroughput=UNITS)
    with invalid(containing("eadCapacityUnits' failed to satisfy constraint")):
        update(table, ProvisionedThroughput={"ReadCapacityUnits": 0, "WriteCapacityUnits": 5})


def test_nothing_to_change(new_table):
    with invalid(containing("At least one of ")):
        update(new_table())


# ---- Indexes ----


def test_new_index_is_described(new_table):
    table = new_table()
    after = add_index(table, index("by-g", "g", "n", projection=["a"]), g="S", n="N")
    (described,) = after["GlobalSecondaryIndexes"]
    assert described["IndexName"] == "by-g"
    assert described["KeySchema"] == index("by-g", "g", "n")["KeySchema"]
    assert described["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a"]}
    assert described["IndexStatus"] == "ACTIVE"
    assert {entry["AttributeName"] for entry in after["AttributeDefinitions"]} == {"pk", "g", "n"}


def test_new_index_holds_what_was_there(new_table):
    table = new_table()
    table.put_all(
        [
            {"pk": S(f"{number}"), "n": N(number), **({"g": S("x")} if number % 2 else {})}
            for number in range(100)
        ]
    )
    add_index(table, index("by-g", "g", "n"), g="S", n="N")
    answer = table.query("g = :g", values={":g": S("x")}, index="by-g")
    assert [int(item["n"]["N"]) for item in answer["Items"]] == list(range(1, 100, 2))


def test_new_index_leaves_out_what_does_not_fit(new_table):
    """Items whose attribute is of another type than the key are not in the index."""
    table = new_table()
    table.put({"pk": S("text"), "g": S("x")})
    table.put({"pk": S("number"), "g": N(1)})
    table.put({"pk": S("empty"), "g": S("")})
    add_index(table, index("by-g", "g"), g="S")
    assert [item["pk"] for item in table.scan(index="by-g")["Items"]] == [S("text")]
    assert table.scan()["Count"] == 3


def test_new_index_follows_writes(new_table):
    table = new_table()
    add_index(table, index("by-g", "g"), g="S")
    table.put({"pk": S("a"), "g": S("x")})
    assert table.query("g = :g", values={":g": S("x")}, index="by-g")["Count"] == 1
    table.delete({"pk": S("a")})
    assert table.query("g = :g", values={":g": S("x")}, index="by-g")["Count"] == 0


def test_indexes_one_after_another(new_table):
    table = new_table()
    table.put({"pk": S("a"), "g": S("x"), "h": S("y")})
    add_index(table, index("first", "g"), g="S")
    after = add_index(table, index("second", "h"), g="S", h="S")
    assert {entry["IndexName"] for entry in after["GlobalSecondaryIndexes"]} == {"first", "second"}
    assert table.scan(index="second")["Count"] == 1


def test_dropped_index_is_gone(new_table):
    table = new_table(attributes={"g": "S"}, GlobalSecondaryIndexes=[index("by-g", "g")])
    table.put({"pk": S("a"), "g": S("x")})
    after = drop_index(table, "by-g")
    assert not after.get("GlobalSecondaryIndexes")
    with invalid("The table does not have the specified index: by-g"):
        table.scan(index="by-g")
    assert table.item({"pk": S("a")}) is not None
    table.put({"pk": S("b"), "g": N(1)})


def test_an_index_of_an_old_name_holds_what_is_there_now(new_table):
    table = new_table(attributes={"g": "S"}, GlobalSecondaryIndexes=[index("by-g", "g")])
    table.put_all([{"pk": S(f"{number}"), "g": S("x")} for number in range(4)])
    drop_index(table, "by-g")
    table.delete({"pk": S("0")})
    add_index(table, index("by-g", "g"), g="S")
    assert sorted(item["pk"]["S"] for item in table.scan(index="by-g")["Items"]) == list("123")


def test_index_that_exists(new_table):
    table = new_table(attributes={"g": "S"}, GlobalSecondaryIndexes=[index("by-g", "g")])
    with invalid():
        add_index(table, index("by-g", "g"), g="S")


def test_dropping_an_index_that_is_none(new_table):
    with refuses("ResourceNotFoundException", containing("Requested resource not found")):
        drop_index(new_table(), "nope")


def test_index_key_without_a_definition(new_table):
    with invalid():
        add_index(new_table(), index("by-g", "g"))


def test_one_new_index_at_a_time(new_table):
    table = new_table()
    with refuses("LimitExceededException"):
        update(
            table,
            AttributeDefinitions=definitions(pk="S", g="S", h="S"),
            GlobalSecondaryIndexUpdates=[
                {"Create": index("first", "g")},
                {"Create": index("second", "h")},
            ],
        )


# ---- Deletion protection ----


def test_protected_table_is_not_deleted(db, unused_name):
    create_table(db, unused_name, DeletionProtectionEnabled=True)
    table = Table(db, unused_name)
    assert table.describe()["DeletionProtectionEnabled"] is True
    table.put({"pk": S("a")})
    try:
        with invalid(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        ):
            db.delete_table(TableName=unused_name)
        assert table.item({"pk": S("a")}) is not None
    finally:
        after = update(table, DeletionProtectionEnabled=False)
    assert after["DeletionProtectionEnabled"] is False
    db.delete_table(TableName=unused_name)
    wait_until_gone(db, unused_name)


def test_protection_can_be_switched_on(new_table):
    table = new_table()
    assert update(table, DeletionProtectionEnabled=True)["DeletionProtectionEnabled"] is True
    update(table, DeletionProtectionEnabled=False)


def test_unknown_table(db):
    with refuses(
        "ResourceNotFoundException",
        "Requested resource not found: Table: no-such-table not found",
    ):
        db.update_table(TableName="no-such-table", BillingMode="PAY_PER_REQUEST")


@pytest.mark.parametrize("kind", ["Create", "Delete", "Update"])
def test_index_change_without_content(new_table, kind):
    with invalid():
        update(new_table(), GlobalSecondaryIndexUpdates=[{kind: {}}])

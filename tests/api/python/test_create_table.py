"""CreateTable and DescribeTable: what a table is made of."""

import datetime
import re

import pytest

from errors import containing, invalid, refuses
from tables import create_table, definitions, index, key_schema
from values import N, S


def create(db, name, **changes):
    """CreateTable of a plain table with these changes; None leaves a parameter out."""
    request = {
        "TableName": name,
        "AttributeDefinitions": definitions(pk="S"),
        "KeySchema": key_schema("pk"),
        "BillingMode": "PAY_PER_REQUEST",
        **changes,
    }
    return db.create_table(**{key: value for key, value in request.items() if value is not None})


def test_description(db, unused_name):
    answer = create(
        db,
        unused_name,
        AttributeDefinitions=definitions(pk="S", sk="B"),
        KeySchema=key_schema("pk", "sk"),
    )
    created = answer["TableDescription"]
    assert created["TableName"] == unused_name
    assert created["TableStatus"] in ("CREATING", "ACTIVE")
    assert created["KeySchema"] == key_schema("pk", "sk")
    assert sorted(created["AttributeDefinitions"], key=str) == sorted(
        definitions(pk="S", sk="B"), key=str
    )
    assert (created["ItemCount"], created["TableSizeBytes"]) == (0, 0)
    assert created["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert created["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    age = datetime.datetime.now(datetime.timezone.utc) - created["CreationDateTime"]
    assert abs(age.total_seconds()) < 60
    assert re.fullmatch(
        rf"arn:aws:dynamodb:[a-z0-9-]+:\d{{12}}:table/{unused_name}", created["TableArn"]
    )


def test_becomes_active(new_table):
    table = new_table()
    assert table.describe()["TableStatus"] == "ACTIVE"
    table.put({"pk": S("a")})


def test_table_id_is_its_own(new_table):
    first, second = new_table().describe(), new_table().describe()
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first["TableId"])
    assert first["TableId"] != second["TableId"]


def test_provisioned(new_table):
    units = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 3}
    table = new_table(
        attributes={"g": "S"},
        ProvisionedThroughput=units,
        GlobalSecondaryIndexes=[index("by-g", "g", ProvisionedThroughput=units)],
    ).describe()
    for described in (table, table["GlobalSecondaryIndexes"][0]):
        throughput = described["ProvisionedThroughput"]
        assert {name: throughput[name] for name in units} == units
    assert table["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0


def test_indexes(new_table):
    table = new_table(
        sk="S",
        attributes={"g": "S", "n": "N"},
        GlobalSecondaryIndexes=[
            index("keys", "g", projection="KEYS_ONLY"),
            index("some", "g", "n", projection=["a", "b"]),
        ],
        LocalSecondaryIndexes=[index("local", "pk", "n")],
    ).describe()
    globals_ = {entry["IndexName"]: entry for entry in table["GlobalSecondaryIndexes"]}
    assert globals_["keys"]["KeySchema"] == key_schema("g")
    assert globals_["keys"]["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    assert globals_["keys"]["IndexStatus"] == "ACTIVE"
    assert globals_["keys"]["IndexArn"] == f"{table['TableArn']}/index/keys"
    assert globals_["some"]["Projection"]["ProjectionType"] == "INCLUDE"
    assert sorted(globals_["some"]["Projection"]["NonKeyAttributes"]) == ["a", "b"]
    (local,) = table["LocalSecondaryIndexes"]
    assert local["KeySchema"] == key_schema("pk", "n")
    assert (local["ItemCount"], local["IndexSizeBytes"]) == (0, 0)


def test_deletion_protection_is_described(new_table):
    assert new_table().describe()["DeletionProtectionEnabled"] is False


def test_names_of_all_allowed_characters(db, unused_name):
    name = f"A.b_{unused_name}-9"
    create_table(db, name)
    db.delete_table(TableName=name)


def test_twenty_global_indexes(new_table, db, unused_name):
    indexes = [index(f"global-{number}", "g") for number in range(21)]
    table = new_table(attributes={"g": "S"}, GlobalSecondaryIndexes=indexes[:20])
    table.put({"pk": S("a"), "g": S("x")})
    answer = table.query("g = :g", values={":g": S("x")}, index="global-19")
    assert answer["Count"] == 1
    with pytest.raises(db.exceptions.ClientError):
        create(
            db,
            unused_name,
            AttributeDefinitions=definitions(pk="S", g="S"),
            GlobalSecondaryIndexes=indexes,
        )


def test_five_local_indexes(new_table, db, unused_name):
    indexes = [index(f"local-{number}", "pk", "n") for number in range(6)]
    table = new_table(sk="S", attributes={"n": "N"}, LocalSecondaryIndexes=indexes[:5])
    table.put({"pk": S("a"), "sk": S("b"), "n": N(1)})
    assert table.query("pk = :p", values={":p": S("a")}, index="local-4")["Count"] == 1
    with invalid():
        create(
            db,
            unused_name,
            AttributeDefinitions=definitions(pk="S", sk="S", n="N"),
            KeySchema=key_schema("pk", "sk"),
            LocalSecondaryIndexes=indexes,
        )


# ---- Refusals ----


def test_name_that_exists(db, new_table):
    table = new_table()
    with refuses("ResourceInUseException", containing(f"Table already exists: {table.name}")):
        create(db, table.name)


@pytest.mark.parametrize(
    "name, constraint",
    [
        ("ab", "greater than or equal to 3|at least 3 characters"),
        ("a" * 256, "less than or equal to 255|at most 255 characters"),
        ("no spaces", r"regular expression pattern: \[a-zA-Z0-9_.-\]\+"),
        ("no/slash", r"regular expression pattern: \[a-zA-Z0-9_.-\]\+"),
    ],
)
def test_names_that_are_none(db, name, constraint):
    with invalid(re.compile(constraint)):
        create(db, name)


def test_missing_name(db):
    with invalid(containing("ableName")):
        create(db, None)


def test_key_without_a_definition(db, unused_name):
    with invalid(containing("ttribute")):
        create(db, unused_name, KeySchema=key_schema("pk", "sk"))


def test_definition_without_a_key(db, unused_name):
    with invalid(containing("AttributeDefinitions")):
        create(db, unused_name, AttributeDefinitions=definitions(pk="S", spare="S"))


def test_same_attribute_twice_in_the_key(db, unused_name):
    with invalid():
        create(db, unused_name, KeySchema=key_schema("pk", "pk"))


def test_sort_key_alone(db, unused_name):
    with invalid():
        create(db, unused_name, KeySchema=[{"AttributeName": "pk", "KeyType": "RANGE"}])


def test_two_partition_keys(db, unused_name):
    schema = [{"AttributeName": name, "KeyType": "HASH"} for name in ("pk", "sk")]
    with invalid():
        create(db, unused_name, AttributeDefinitions=definitions(pk="S", sk="S"), KeySchema=schema)


def test_unknown_enumerators(db, unused_name):
    with invalid(
        "Value 'SIDEWAYS' at 'keySchema.1.member.keyType' failed to satisfy constraint: "
        "Member must satisfy enum value set: [HASH, RANGE]"
    ):
        create(db, unused_name, KeySchema=[{"AttributeName": "pk", "KeyType": "SIDEWAYS"}])
    with invalid(
        "Value 'BOOL' at 'attributeDefinitions.1.member.attributeType' failed to satisfy "
        "constraint: Member must satisfy enum value set: [B, N, S]"
    ):
        create(db, unused_name, AttributeDefinitions=definitions(pk="BOOL"))
    with invalid(containing("billingMode")):
        create(db, unused_name, BillingMode="FREE")


def test_throughput_without_billing_by_request(db, unused_name):
    with invalid(containing("ReadCapacityUnits and WriteCapacityUnits must both be specified")):
        create(db, unused_name, BillingMode=None)
    with invalid(containing("ReadCapacityUnits and WriteCapacityUnits must both be specified")):
        create(db, unused_name, BillingMode="PROVISIONED")


def test_throughput_with_billing_by_request(db, unused_name):
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    with invalid(containing("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified")):
        create(db, unused_name, ProvisionedThroughput=units)


def test_throughput_below_one(db, unused_name):
    units = {"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}
    with invalid(containing("eadCapacityUnits' failed to satisfy constraint")):
        create(db, unused_name, BillingMode=None, ProvisionedThroughput=units)


def test_local_index_without_a_sort_key(db, unused_name):
    with invalid(
        "One or more parameter values were invalid: Table KeySchema does not have a range key, "
        "which is required when specifying a LocalSecondaryIndex"
    ):
        create(
            db,
            unused_name,
            AttributeDefinitions=definitions(pk="S", n="N"),
            LocalSecondaryIndexes=[index("local", "pk", "n")],
        )


def test_local_index_with_another_partition_key(db, unused_name):
    with invalid():
        create(
            db,
            unused_name,
            AttributeDefinitions=definitions(pk="S", sk="S", n="N"),
            KeySchema=key_schema("pk", "sk"),
            LocalSecondaryIndexes=[index("local", "n", "sk")],
        )


def test_index_names_are_unique(db, unused_name):
    with invalid("One or more parameter values were invalid: Duplicate index name: same"):
        create(
            db,
            unused_name,
            AttributeDefinitions=definitions(pk="S", g="S"),
            GlobalSecondaryIndexes=[index("same", "g"), index("same", "pk", "g")],
        )


@pytest.mark.parametrize(
    "projection",
    [
        {"ProjectionType": "INCLUDE"},
        {"ProjectionType": "ALL", "NonKeyAttributes": ["a"]},
        {"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["a"]},
        {"NonKeyAttributes": ["a"]},
        {},
    ],
)
def test_projections_that_do_not_fit(db, unused_name, projection):
    with invalid():
        create(
            db,
            unused_name,
            AttributeDefinitions=definitions(pk="S", g="S"),
            GlobalSecondaryIndexes=[{**index("by-g", "g"), "Projection": projection}],
        )


def test_empty_list_of_indexes(db, unused_name):
    with invalid():
        create(db, unused_name, GlobalSecondaryIndexes=[])

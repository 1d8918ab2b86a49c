"""DescribeTable, ListTables, DeleteTable."""

import pytest

from errors import containing, invalid, refuses
from tables import create_table, wait_until_gone
from values import N, S


@pytest.fixture(scope="module")
def names(new_table):
    """The sorted names of five tables."""
    return sorted(new_table().name for _ in range(5))


def listed(db, **more):
    """All table names, a page at a time."""
    found = []
    while True:
        page = db.list_tables(**more)
        found += page["TableNames"]
        if "LastEvaluatedTableName" not in page:
            return found
        more["ExclusiveStartTableName"] = page["LastEvaluatedTableName"]


def test_list_holds_all_in_order(db, names):
    found = listed(db)
    assert [name for name in found if name in names] == names
    assert found == sorted(found)


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_list_in_pages(db, names, limit):
    page = db.list_tables(Limit=limit)
    assert len(page["TableNames"]) <= limit
    assert listed(db, Limit=limit) == listed(db)


def test_list_starts_after_a_name(db, names):
    page = db.list_tables(ExclusiveStartTableName=names[0], Limit=1)
    found = listed(db, ExclusiveStartTableName=names[0])
    assert names[0] not in found
    assert page["TableNames"] == found[:1]
    assert page["LastEvaluatedTableName"] == found[0]


def test_list_starts_after_a_name_that_is_none(db, names):
    found = listed(db, ExclusiveStartTableName=names[1] + "0")
    assert [name for name in found if name in names] == names[2:]


def test_list_limits(db):
    for limit in (0, 101):
        with invalid(containing("imit' failed to satisfy constraint")):
            db.list_tables(Limit=limit)


def test_describe_unknown(db):
    with refuses(
        "ResourceNotFoundException",
        "Requested resource not found: Table: no-such-table not found",
    ):
        db.describe_table(TableName="no-such-table")


def test_describe_by_arn(db, new_table):
    table = new_table().describe()
    assert db.describe_table(TableName=table["TableArn"])["Table"] == table


def test_items_by_arn(db, new_table):
    table = new_table()
    arn = table.describe()["TableArn"]
    db.put_item(TableName=arn, Item={"pk": S("a"), "n": N(1)})
    assert db.get_item(TableName=arn, Key={"pk": S("a")})["Item"]["n"] == N(1)
    assert table.item({"pk": S("a")})["n"] == N(1)


def test_delete(db, unused_name):
    create_table(db, unused_name)
    answer = db.delete_table(TableName=unused_name)
    assert answer["TableDescription"]["TableName"] == unused_name
    assert answer["TableDescription"]["TableStatus"] == "DELETING"
    wait_until_gone(db, unused_name)
    assert unused_name not in listed(db)
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        db.get_item(TableName=unused_name, Key={"pk": S("a")})


def test_delete_unknown(db):
    with refuses(
        "ResourceNotFoundException",
        "Requested resource not found: Table: no-such-table not found",
    ):
        db.delete_table(TableName="no-such-table")


def test_a_new_table_of_an_old_name_is_empty(db, unused_name):
    key = {"pk": S("a")}
    for _ in range(2):
        create_table(db, unused_name)
        assert db.scan(TableName=unused_name)["Count"] == 0
        db.put_item(TableName=unused_name, Item=key)
        assert db.scan(TableName=unused_name)["Count"] == 1
        db.delete_table(TableName=unused_name)
        wait_until_gone(db, unused_name)


def test_a_new_table_of_an_old_name_may_have_other_keys(db, unused_name):
    create_table(db, unused_name)
    db.put_item(TableName=unused_name, Item={"pk": S("a")})
    db.delete_table(TableName=unused_name)
    wait_until_gone(db, unused_name)
    create_table(db, unused_name, pk="N", sk="B")
    db.put_item(TableName=unused_name, Item={"pk": N(1), "sk": {"B": b"x"}})
    assert db.scan(TableName=unused_name)["Items"] == [{"pk": N(1), "sk": {"B": b"x"}}]

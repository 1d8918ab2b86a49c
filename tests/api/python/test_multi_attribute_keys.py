"""Indexes whose partition and sort keys consist of up to four attributes each."""

import pytest

from errors import containing, invalid
from tables import all_items, definitions, key_schema, wait_until_active
from values import N, S

HASH = ["h1", "h2", "h3", "h4"]
RANGE = ["r1", "r2", "r3", "r4"]
TYPES = {"h1": "S", "h2": "N", "h3": "S", "h4": "S", "r1": "S", "r2": "N", "r3": "S", "r4": "S"}
WHOLE = "h1 = :h1 AND h2 = :h2 AND h3 = :h3 AND h4 = :h4"


def wide_index(name, hash_names, range_names, **more):
    elements = [{"AttributeName": key, "KeyType": "HASH"} for key in hash_names]
    elements += [{"AttributeName": key, "KeyType": "RANGE"} for key in range_names]
    projection = {"ProjectionType": "ALL"}
    return {"IndexName": name, "KeySchema": elements, "Projection": projection, **more}


@pytest.fixture(scope="module")
def table(new_table):
    return new_table(
        attributes=TYPES,
        GlobalSecondaryIndexes=[
            wide_index("wide", HASH, RANGE),
            wide_index("two", ["h1", "h2"], ["r1"]),
        ],
    )


def group(pk):
    """The values of the partition key that a test has for itself."""
    return {"h1": pk, "h2": N(1), "h3": S("c"), "h4": S("d")}


def values(attributes):
    return {f":{name}": value for name, value in attributes.items()}


@pytest.fixture
def rows(table, pk):
    """Items a to f of one partition of the index, written out of order."""
    sort_keys = {
        "a": ("x", -5, "p", "1"),
        "b": ("x", 3, "p", "1"),
        "c": ("x", 20, "p", "1"),
        "d": ("x", 20, "p", "2"),
        "e": ("x", 20, "q", "0"),
        "f": ("y", 0, "p", "1"),
    }
    for letter in "fbdace":
        r1, r2, r3, r4 = sort_keys[letter]
        table.put(
            {"pk": S(f"{pk['S']}-{letter}"), "who": S(letter), **group(pk)}
            | {"r1": S(r1), "r2": N(r2), "r3": S(r3), "r4": S(r4)}
        )
    return group(pk)


def who(items):
    return "".join(item["who"]["S"] for item in items)


def query(table, rows, condition="", extra=None, **more):
    whole = WHOLE + (f" AND {condition}" if condition else "")
    return table.query(whole, values={**values(rows), **(extra or {})}, index="wide", **more)


def test_description(table):
    described = {entry["IndexName"]: entry for entry in table.describe()["GlobalSecondaryIndexes"]}
    assert described["wide"]["KeySchema"] == wide_index("wide", HASH, RANGE)["KeySchema"]


def test_order_by_all_sort_attributes(table, rows):
    assert who(query(table, rows)["Items"]) == "abcdef"
    assert who(query(table, rows, forward=False)["Items"]) == "fedcba"


@pytest.mark.parametrize(
    "condition, extra, expected",
    [
        ("r1 = :r1", {":r1": S("x")}, "abcde"),
        ("r1 > :r1", {":r1": S("x")}, "f"),
        ("begins_with(r1, :r1)", {":r1": S("x")}, "abcde"),
        ("r1 = :r1 AND r2 > :r2", {":r1": S("x"), ":r2": N(0)}, "bcde"),
        ("r1 = :r1 AND r2 BETWEEN :a AND :b", {":r1": S("x"), ":a": N(-5), ":b": N(3)}, "ab"),
        ("r1 = :r1 AND r2 = :r2", {":r1": S("x"), ":r2": N(20)}, "cde"),
        (
            "r1 = :r1 AND r2 = :r2 AND r3 = :r3 AND r4 < :r4",
            {":r1": S("x"), ":r2": N(20), ":r3": S("p"), ":r4": S("2")},
            "c",
        ),
        (
            "r1 = :r1 AND r2 = :r2 AND r3 = :r3 AND r4 = :r4",
            {":r1": S("x"), ":r2": N(20), ":r3": S("q"), ":r4": S("0")},
            "e",
        ),
    ],
)
def test_sort_key_conditions(table, rows, condition, extra, expected):
    assert who(query(table, rows, condition, extra)["Items"]) == expected


@pytest.mark.parametrize("limit", [1, 2, 5])
@pytest.mark.parametrize("forward", [True, False])
def test_pages(table, rows, limit, forward):
    items = all_items(
        table.query, WHOLE, values=values(rows), index="wide", limit=limit, forward=forward
    )
    assert who(items) == ("abcdef" if forward else "fedcba")


def test_last_key_holds_all_keys(table, rows):
    page = query(table, rows, limit=1)
    assert page["LastEvaluatedKey"].keys() == {"pk", *HASH, *RANGE}


def test_items_without_all_attributes_are_left_out(table, pk):
    item = {"pk": pk, **group(pk), "r1": S("x")}
    table.put(item)
    assert query(table, group(pk))["Items"] == []
    pair = {"h1": pk, "h2": N(1)}
    answer = table.query("h1 = :h1 AND h2 = :h2", values=values(pair), index="two")
    assert answer["Items"] == [item]
    table.update({"pk": pk}, "REMOVE h2")
    answer = table.query("h1 = :h1 AND h2 = :h2", values=values(pair), index="two")
    assert answer["Items"] == []


def test_attributes_do_not_run_into_each_other(table, pk):
    for number, (h3, h4) in enumerate([("ab", "c"), ("a", "bc")]):
        table.put(
            {"pk": S(f"{pk['S']}-{number}"), "h1": pk, "h2": N(1), "h3": S(h3), "h4": S(h4)}
            | {"r1": S("r"), "r2": N(1), "r3": S("r"), "r4": S("r"), "who": S(h3)}
        )
    found = query(table, {"h1": pk, "h2": N(1), "h3": S("a"), "h4": S("bc")})["Items"]
    assert who(found) == "a"


def test_scan(table, rows):
    answer = table.scan(
        index="wide", filter="who <> :z AND h1 = :h1", values={":z": S("z"), ":h1": rows["h1"]}
    )
    assert sorted(who(answer["Items"])) == list("abcdef")


def test_whole_partition_key_is_required(table, rows):
    some = {":h1": rows["h1"], ":h2": rows["h2"]}
    with invalid(containing("Query condition missed key schema element")):
        table.query("h1 = :h1 AND h2 = :h2", values=some, index="wide")


def test_partition_key_takes_equality_alone(table, rows):
    with invalid():
        table.query(WHOLE.replace("h4 =", "h4 >"), values=values(rows), index="wide")


def test_sort_attributes_are_given_from_the_left(table, rows):
    with invalid():
        query(table, rows, "r2 = :r2", {":r2": N(3)})
    with invalid():
        query(table, rows, "r1 > :r1 AND r2 = :r2", {":r1": S("x"), ":r2": N(3)})


def test_five_attributes_are_too_many(db, unused_name):
    names = [f"k{number}" for number in range(5)]
    with invalid():
        db.create_table(
            TableName=unused_name,
            AttributeDefinitions=definitions(pk="S", **{name: "S" for name in names}),
            KeySchema=key_schema("pk"),
            GlobalSecondaryIndexes=[wide_index("wide", names, [])],
            BillingMode="PAY_PER_REQUEST",
        )


def test_table_keys_have_one_attribute_each(db, unused_name):
    with invalid():
        db.create_table(
            TableName=unused_name,
            AttributeDefinitions=definitions(a="S", b="S"),
            KeySchema=[
                {"AttributeName": "a", "KeyType": "HASH"},
                {"AttributeName": "b", "KeyType": "HASH"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )


def test_created_on_a_table_with_items(new_table):
    table = new_table()
    table.put_all(
        [{"pk": S(f"{i}"), "h1": S("a"), "h2": N(i % 2), "r1": S("r")} for i in range(10)]
    )
    table.db.update_table(
        TableName=table.name,
        AttributeDefinitions=definitions(pk="S", h1="S", h2="N", r1="S"),
        GlobalSecondaryIndexUpdates=[{"Create": wide_index("late", ["h1", "h2"], ["r1"])}],
    )
    wait_until_active(table.db, table.name)
    answer = table.query("h1 = :h1 AND h2 = :h2", values={":h1": S("a"), ":h2": N(1)}, index="late")
    assert sorted(item["pk"]["S"] for item in answer["Items"]) == ["1", "3", "5", "7", "9"]

"""Global secondary indexes: what is in them, and reading them."""

import pytest

from errors import containing, invalid
from tables import all_items, index
from values import B, L, M, N, S

INDEXES = [
    index("all", "g", "h"),
    index("keys", "g", "h", projection="KEYS_ONLY"),
    index("some", "g", "h", projection=["a", "m"]),
    index("hash-only", "g"),
]


@pytest.fixture(scope="module")
def table(new_table):
    return new_table(sk="S", attributes={"g": "S", "h": "N"}, GlobalSecondaryIndexes=INDEXES)


@pytest.fixture(scope="module")
def tied(new_table):
    """A table without a sort key whose 12 items share both keys of the index."""
    table = new_table(attributes={"g": "S", "h": "N"}, GlobalSecondaryIndexes=INDEXES[:1])
    table.put_all([{"pk": S(f"p{i:02d}"), "g": S("tie"), "h": N(1)} for i in range(12)])
    return table


def read(table, name, group, **more):
    return table.query("g = :g", values={":g": group}, index=name, **more)["Items"]


def test_projections(table, pk):
    item = {"pk": pk, "sk": S("x"), "g": pk, "h": N(1), "a": S("A"), "m": M(k=L(N(1))), "z": N(9)}
    keys = {name: item[name] for name in ("pk", "sk", "g", "h")}
    table.put(item)
    assert read(table, "all", pk) == [item]
    assert read(table, "keys", pk) == [keys]
    assert read(table, "some", pk) == [{**keys, "a": item["a"], "m": item["m"]}]


def test_order_by_the_index_sort_key(table, pk):
    order = [5, -1, 10, 2]
    table.put_all([{"pk": S(f"{pk['S']}{h}"), "sk": S("x"), "g": pk, "h": N(h)} for h in order])
    assert [int(item["h"]["N"]) for item in read(table, "all", pk)] == sorted(order)
    assert [int(item["h"]["N"]) for item in read(table, "all", pk, forward=False)] == sorted(
        order, reverse=True
    )
    middle = table.query(
        "g = :g AND h BETWEEN :a AND :b",
        index="keys",
        values={":g": pk, ":a": N(0), ":b": N(5)},
    )
    assert [item["h"] for item in middle["Items"]] == [N(2), N(5)]


def test_items_without_all_keys_are_left_out(table, pk):
    table.put({"pk": pk, "sk": S("both"), "g": pk, "h": N(1)})
    table.put({"pk": pk, "sk": S("half"), "g": pk})
    table.put({"pk": pk, "sk": S("none")})
    assert [item["sk"] for item in read(table, "all", pk)] == [S("both")]
    assert {item["sk"]["S"] for item in read(table, "hash-only", pk)} == {"both", "half"}


def test_index_follows_its_table(table, pk):
    key = {"pk": pk, "sk": S("x")}
    table.put({**key, "g": pk, "h": N(1), "a": S("1")})
    table.update(key, "SET a = :v", values={":v": S("2")})
    assert [item["a"] for item in read(table, "some", pk)] == [S("2")]

    table.update(key, "SET h = :v", values={":v": N(7)})
    assert [item["h"] for item in read(table, "all", pk)] == [N(7)]

    other = S(pk["S"] + "-other")
    table.update(key, "SET g = :v", values={":v": other})
    assert read(table, "all", pk) == []
    assert len(read(table, "all", other)) == 1

    table.update(key, "REMOVE g")
    assert read(table, "all", other) == []

    table.update(key, "SET g = :v", values={":v": pk})
    table.put({**key, "plain": S("no longer in the index")})
    assert read(table, "all", pk) == []

    table.put({**key, "g": pk, "h": N(1)})
    table.delete(key)
    assert read(table, "all", pk) == []


def test_last_key_holds_both_keys(table, pk):
    for h in (1, 2):
        table.put({"pk": pk, "sk": S(f"{h}"), "g": pk, "h": N(h)})
    page = table.query("g = :g", values={":g": pk}, index="all", limit=1)
    assert page["LastEvaluatedKey"] == {"pk": pk, "sk": S("1"), "g": pk, "h": N(1)}
    page = table.query("g = :g", values={":g": pk}, index="hash-only", limit=1)
    assert page["LastEvaluatedKey"].keys() == {"pk", "sk", "g"}


@pytest.mark.parametrize("limit", [1, 5, 12])
@pytest.mark.parametrize("forward", [True, False])
def test_tied_keys_are_all_found(tied, limit, forward):
    items = all_items(
        tied.query, "g = :g", values={":g": S("tie")}, index="all", limit=limit, forward=forward
    )
    assert sorted(item["pk"]["S"] for item in items) == [f"p{i:02d}" for i in range(12)]


def test_filter_and_projection(table, pk):
    for h in range(4):
        table.put({"pk": pk, "sk": S(f"{h}"), "g": pk, "h": N(h), "a": N(h % 2), "z": N(h)})
    answer = table.query(
        "g = :g",
        index="some",
        filter="a = :one",
        projection="sk",
        values={":g": pk, ":one": N(1)},
    )
    assert answer["Items"] == [{"sk": S("1")}, {"sk": S("3")}]
    assert answer["ScannedCount"] == 4


def test_select(table, pk):
    item = {"pk": pk, "sk": S("x"), "g": pk, "h": N(1), "a": S("A"), "z": N(9)}
    table.put(item)
    assert read(table, "all", pk, select="ALL_ATTRIBUTES") == [item]
    projected = read(table, "some", pk, select="ALL_PROJECTED_ATTRIBUTES")
    assert projected[0].keys() == {"pk", "sk", "g", "h", "a"}
    answer = table.query("g = :g", values={":g": pk}, index="keys", select="COUNT")
    assert answer["Count"] == 1


# ---- Refusals ----


def test_all_attributes_of_a_partial_index(table, pk):
    with invalid(
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported "
        "for global secondary index keys because its projection type is not ALL"
    ):
        read(table, "keys", pk, select="ALL_ATTRIBUTES")


def test_attributes_that_are_not_projected(table, pk):
    with invalid(
        "One or more parameter values were invalid: "
        "Global secondary index some does not project [z]"
    ):
        read(table, "some", pk, projection="z")


def test_consistent_read(table, pk):
    with invalid("Consistent reads are not supported on global secondary indexes"):
        read(table, "all", pk, consistent=True)


def test_table_keys_are_not_the_index_keys(table, pk):
    with invalid(containing("Query")):
        table.query("pk = :p", values={":p": pk}, index="all")
    with invalid("Query key condition not supported"):
        table.query("g = :g AND pk = :p", values={":g": pk, ":p": pk}, index="hash-only")


def test_index_keys_are_not_for_filters(table, pk):
    with invalid(containing("Primary key attribute: h")):
        table.query("g = :g", filter="h = :h", values={":g": pk, ":h": N(1)}, index="all")


def test_table_keys_are_for_filters_of_an_index(table, pk):
    table.put({"pk": pk, "sk": S("x"), "g": pk, "h": N(1)})
    answer = table.query("g = :g", filter="sk = :s", values={":g": pk, ":s": S("x")}, index="all")
    assert answer["Count"] == 1


def test_key_attribute_of_another_type(table, pk):
    with invalid(containing("Type mismatch for Index Key h Expected: N Actual: S IndexName: ")):
        table.put({"pk": pk, "sk": S("x"), "g": pk, "h": S("one")})
    table.put({"pk": pk, "sk": S("x")})
    with invalid(containing("ype")):
        table.update({"pk": pk, "sk": S("x")}, "SET g = :v", values={":v": N(1)})


def test_empty_key_attribute(table, pk):
    with invalid(
        containing("The AttributeValue for a key attribute cannot contain an empty string value.")
    ):
        table.put({"pk": pk, "sk": S("x"), "g": S(""), "h": N(1)})


@pytest.mark.parametrize(
    "extra, missing", [({"x": S("x")}, None), ({}, "h"), ({}, "pk"), ({}, "g")]
)
def test_start_key_of_another_shape(table, pk, extra, missing):
    start = {"pk": pk, "sk": S("x"), "g": pk, "h": N(1), **extra}
    start.pop(missing, None)
    with invalid(containing("starting key is invalid")):
        read(table, "all", pk, start=start)


def test_start_key_of_another_partition(table, pk):
    start = {"pk": pk, "sk": S("x"), "g": S("other"), "h": N(1)}
    with invalid(containing("starting key")):
        read(table, "all", pk, start=start)


def test_binary_index_keys(new_table):
    table = new_table(attributes={"b": "B"}, GlobalSecondaryIndexes=[index("by-b", "b")])
    table.put({"pk": S("x"), "b": B(b"\x00\xff")})
    items = table.query("b = :b", values={":b": B(b"\x00\xff")}, index="by-b")["Items"]
    assert [item["pk"] for item in items] == [S("x")]

"""Local secondary indexes: another order within a partition, and fetching what is not projected."""

import pytest

from errors import containing, invalid
from tables import all_items, index
from values import N, S


@pytest.fixture(scope="module")
def table(new_table):
    return new_table(
        sk="S",
        attributes={"h": "N", "t": "S"},
        LocalSecondaryIndexes=[
            index("by-h", "pk", "h"),
            index("keys", "pk", "h", projection="KEYS_ONLY"),
            index("some", "pk", "t", projection=["a"]),
        ],
    )


@pytest.fixture
def people(table, pk):
    """Five items of one partition; h runs against sk, and e has no h."""
    for number, letter in enumerate("abcd"):
        table.put(
            {
                "pk": pk,
                "sk": S(letter),
                "h": N(10 - number),
                "t": S(letter * 2),
                "a": N(number),
                "z": N(number),
            }
        )
    table.put({"pk": pk, "sk": S("e"), "a": N(4)})
    return pk


def read(table, name, pk, **more):
    return table.query("pk = :p", values={":p": pk}, index=name, **more)["Items"]


def letters(items):
    return "".join(item["sk"]["S"] for item in items)


def test_order(table, people):
    assert letters(read(table, "by-h", people)) == "dcba"
    assert letters(read(table, "by-h", people, forward=False)) == "abcd"


def test_sort_key_condition(table, people):
    answer = table.query("pk = :p AND h >= :h", values={":p": people, ":h": N(9)}, index="by-h")
    assert letters(answer["Items"]) == "ba"


def test_consistent_read(table, people):
    assert letters(read(table, "by-h", people, consistent=True)) == "dcba"


def test_projections(table, people):
    assert read(table, "keys", people)[0].keys() == {"pk", "sk", "h"}
    assert read(table, "some", people)[0].keys() == {"pk", "sk", "t", "a"}
    assert read(table, "by-h", people)[0].keys() == {"pk", "sk", "h", "t", "a", "z"}


def test_what_is_not_projected_is_fetched(table, people):
    assert read(table, "keys", people, projection="z")[0] == {"z": N(3)}
    whole = read(table, "keys", people, select="ALL_ATTRIBUTES")
    assert whole == read(table, "by-h", people)


def test_tied_keys_in_pages(table, pk):
    table.put_all([{"pk": pk, "sk": S(letter), "h": N(1)} for letter in "abcdefg"])
    items = all_items(table.query, "pk = :p", values={":p": pk}, index="by-h", limit=2)
    assert sorted(letters(items)) == list("abcdefg")


def test_last_key(table, people):
    page = table.query("pk = :p", values={":p": people}, index="by-h", limit=1)
    assert page["LastEvaluatedKey"] == {"pk": people, "sk": S("d"), "h": N(7)}


def test_index_follows_its_table(table, people):
    table.update({"pk": people, "sk": S("a")}, "SET h = :h", values={":h": N(0)})
    assert letters(read(table, "by-h", people)) == "adcb"
    table.update({"pk": people, "sk": S("a")}, "REMOVE h")
    table.delete({"pk": people, "sk": S("c")})
    assert letters(read(table, "keys", people)) == "db"


def test_scan(table, people):
    answer = table.scan(index="keys", filter="pk = :p", values={":p": people})
    assert sorted(letters(answer["Items"])) == list("abcd")


def test_partition_key_alone_is_required(table, people):
    with invalid(containing("Query condition missed key schema element: pk")):
        table.query("h = :h", values={":h": N(1)}, index="by-h")
    with invalid("Query condition missed key schema element: h"):
        table.query("pk = :p AND sk = :s", values={":p": people, ":s": S("a")}, index="by-h")


def test_start_key_of_another_shape(table, people):
    with invalid(containing("starting key is invalid")):
        read(table, "by-h", people, start={"pk": people, "sk": S("a")})


def test_key_attribute_of_another_type(table, pk):
    with invalid(containing("Type mismatch for Index Key h Expected: N Actual: S IndexName:")):
        table.put({"pk": pk, "sk": S("x"), "h": S("one")})

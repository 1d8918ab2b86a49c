"""Query: key conditions, order, filters, projections, Select, paging."""

import itertools
import re

import pytest

from errors import containing, invalid, refuses
from tables import all_items, pages
from values import N, S

LETTERS = "abcdefghij"


@pytest.fixture(scope="module")
def letters(range_table):
    """A partition whose sort keys are a to j; n counts from 0."""
    range_table.put_all(
        [
            {
                "pk": S("letters"),
                "sk": S(letter),
                "n": N(i),
                "parity": S("odd" if i % 2 else "even"),
            }
            for i, letter in enumerate(LETTERS)
        ]
    )
    range_table.put({"pk": S("letters-2"), "sk": S("a"), "n": N(99)})
    return range_table


def found(table, condition="pk = :p", **more):
    """The sort keys that a query of the letters gives, as one string."""
    values = {":p": S("letters"), **more.pop("values", {})}
    items = table.query(condition, values=values, **more)["Items"]
    return "".join(item["sk"]["S"] for item in items)


def test_partition_in_order(letters):
    answer = letters.query("pk = :p", values={":p": S("letters")})
    assert [item["sk"]["S"] for item in answer["Items"]] == list(LETTERS)
    assert (answer["Count"], answer["ScannedCount"]) == (10, 10)
    assert "LastEvaluatedKey" not in answer
    assert answer["Items"][3] == {
        "pk": S("letters"),
        "sk": S("d"),
        "n": N(3),
        "parity": S("odd"),
    }


def test_backwards(letters):
    assert found(letters, forward=False) == LETTERS[::-1]


def test_absent_partition(letters):
    answer = letters.query("pk = :p", values={":p": S("nobody")})
    assert (answer["Items"], answer["Count"], answer["ScannedCount"]) == ([], 0, 0)


@pytest.mark.parametrize(
    "condition, expected",
    [
        ("pk = :p AND sk = :c", "c"),
        ("pk = :p AND sk < :c", "ab"),
        ("pk = :p AND sk <= :c", "abc"),
        ("pk = :p AND sk > :c", "defghij"),
        ("pk = :p AND sk >= :c", "cdefghij"),
        ("pk = :p AND sk BETWEEN :c AND :f", "cdef"),
        ("sk = :c AND pk = :p", "c"),
        ("pk = :p AND :c <= sk", "cdefghij"),
        (":p = pk AND :c > sk", "ab"),
        ("(pk = :p) AND (sk < :c)", "ab"),
        ("(pk = :p AND sk < :c)", "ab"),
        ("pk=:p and sk between :c and :f", "cdef"),
    ],
)
def test_sort_key_conditions(letters, condition, expected):
    values = {name: S(name[1]) for name in (":c", ":f") if name in condition}
    assert found(letters, condition, values=values) == expected
    assert found(letters, condition, values=values, forward=False) == expected[::-1]


def test_begins_with(range_table, pk):
    keys = ["a", "ab", "aba", "abb", "ac", "b", "ab\uffff", "ab\U0001f3e0"]
    range_table.put_all([{"pk": pk, "sk": S(key)} for key in keys])
    items = range_table.query(
        "pk = :p AND begins_with(sk, :ab)", values={":p": pk, ":ab": S("ab")}
    )["Items"]
    assert [item["sk"]["S"] for item in items] == sorted(
        (key for key in keys if key.startswith("ab")), key=str.encode
    )


def test_names_in_the_key_condition(letters):
    assert (
        found(letters, "#p = :p AND #s > :h", names={"#p": "pk", "#s": "sk"}, values={":h": S("h")})
        == "ij"
    )


def test_hash_only_table(hash_table, pk):
    hash_table.put({"pk": pk, "n": N(1)})
    answer = hash_table.query("pk = :p", values={":p": pk})
    assert answer["Items"] == [{"pk": pk, "n": N(1)}]


# ---- Filters, projections, Select ----


def test_filter_after_reading(letters):
    answer = letters.query(
        "pk = :p",
        filter="parity = :odd AND n > :n",
        values={":p": S("letters"), ":odd": S("odd"), ":n": N(4)},
    )
    assert "".join(item["sk"]["S"] for item in answer["Items"]) == "fhj"
    assert (answer["Count"], answer["ScannedCount"]) == (3, 10)


def test_limit_counts_before_the_filter(letters):
    answer = letters.query(
        "pk = :p",
        filter="n >= :n",
        values={":p": S("letters"), ":n": N(2)},
        limit=3,
    )
    assert "".join(item["sk"]["S"] for item in answer["Items"]) == "c"
    assert (answer["Count"], answer["ScannedCount"]) == (1, 3)
    assert answer["LastEvaluatedKey"] == {"pk": S("letters"), "sk": S("c")}


def test_key_attributes_are_not_for_filters(letters):
    for name in ("pk", "sk"):
        with invalid(
            "Filter Expression can only contain non-primary key attributes: "
            f"Primary key attribute: {name}"
        ):
            letters.query(
                "pk = :p", filter=f"{name} = :v", values={":p": S("letters"), ":v": S("a")}
            )


def test_projection(letters):
    answer = letters.query("pk = :p", values={":p": S("letters")}, projection="n, absent", limit=2)
    assert answer["Items"] == [{"n": N(0)}, {"n": N(1)}]


def test_projection_that_matches_nothing(letters):
    answer = letters.query("pk = :p", values={":p": S("letters")}, projection="absent", limit=2)
    assert (answer["Items"], answer["Count"]) == ([{}, {}], 2)


def test_count(letters):
    answer = letters.query(
        "pk = :p", filter="n > :n", values={":p": S("letters"), ":n": N(6)}, select="COUNT"
    )
    assert "Items" not in answer
    assert (answer["Count"], answer["ScannedCount"]) == (3, 10)


def test_all_attributes_is_the_default(letters):
    one = {"values": {":p": S("letters")}, "limit": 1}
    chosen = letters.query("pk = :p", select="ALL_ATTRIBUTES", **one)
    assert chosen["Items"] == letters.query("pk = :p", **one)["Items"]


@pytest.mark.parametrize(
    "more, message",
    [
        (
            {"select": "ALL_ATTRIBUTES", "projection": "n"},
            "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
        ),
        (
            {"select": "COUNT", "projection": "n"},
            "Cannot specify the ProjectionExpression when choosing to get only the Count",
        ),
        (
            {"select": "SPECIFIC_ATTRIBUTES"},
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES",
        ),
        (
            {"select": "ALL_PROJECTED_ATTRIBUTES"},
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
    ],
)
def test_select_that_does_not_fit(letters, more, message):
    with invalid(message):
        letters.query("pk = :p", values={":p": S("letters")}, **more)


# ---- Paging ----


@pytest.mark.parametrize("limit", [1, 3, 5, 10, 11])
@pytest.mark.parametrize("forward", [True, False])
def test_pages_join_to_the_whole(letters, limit, forward):
    chunks = [
        [item["sk"]["S"] for item in page["Items"]]
        for page in pages(
            letters.query, "pk = :p", values={":p": S("letters")}, limit=limit, forward=forward
        )
    ]
    assert all(len(chunk) <= limit for chunk in chunks)
    joined = "".join(itertools.chain(*chunks))
    assert joined == (LETTERS if forward else LETTERS[::-1])


def test_a_page_that_ends_with_the_partition_still_has_a_key(letters):
    answer = letters.query("pk = :p", values={":p": S("letters")}, limit=10)
    assert answer["LastEvaluatedKey"] == {"pk": S("letters"), "sk": S("j")}
    rest = letters.query(
        "pk = :p", values={":p": S("letters")}, limit=10, start=answer["LastEvaluatedKey"]
    )
    assert (rest["Count"], "LastEvaluatedKey" in rest) == (0, False)


def test_start_key_need_not_exist(letters):
    start = {"pk": S("letters"), "sk": S("c-and-a-half")}
    assert found(letters, start=start) == "defghij"
    assert found(letters, start=start, forward=False) == "cba"


def test_start_with_a_sort_key_condition(letters):
    start = {"pk": S("letters"), "sk": S("d")}
    more = {"values": {":b": S("b"), ":f": S("f")}, "start": start}
    assert found(letters, "pk = :p AND sk BETWEEN :b AND :f", **more) == "ef"


@pytest.mark.parametrize(
    "start",
    [
        {"pk": S("letters")},
        {"pk": S("letters"), "sk": N(1)},
        {"pk": S("letters"), "sk": S("a"), "extra": S("x")},
        {"pk": S("letters"), "other": S("a")},
    ],
)
def test_start_key_of_another_shape(letters, start):
    with invalid(re.compile("starting key is invalid|does not match the schema")):
        letters.query("pk = :p", values={":p": S("letters")}, start=start)


def test_start_key_of_another_partition(letters):
    with invalid(
        "The provided starting key is outside query boundaries based on provided conditions"
    ):
        letters.query(
            "pk = :p", values={":p": S("letters")}, start={"pk": S("letters-2"), "sk": S("a")}
        )


def test_start_key_outside_the_sort_key_condition(letters):
    with invalid(containing("starting key")):
        letters.query(
            "pk = :p AND sk > :f",
            values={":p": S("letters"), ":f": S("f")},
            start={"pk": S("letters"), "sk": S("a")},
        )


@pytest.fixture(scope="module")
def large(range_table):
    """30 items of 100 KB."""
    for number in range(30):
        range_table.put({"pk": S("large"), "sk": S(f"{number:02d}"), "d": S("x" * 100_000)})
    return range_table


def test_pages_hold_a_megabyte(large):
    sizes = [page["Count"] for page in pages(large.query, "pk = :p", values={":p": S("large")})]
    assert sum(sizes) == 30
    assert all(10 <= size <= 11 for size in sizes[:2])


def test_a_megabyte_counts_before_the_filter(large):
    answer = large.query(
        "pk = :p", filter="attribute_exists(absent)", values={":p": S("large")}, select="COUNT"
    )
    assert answer["Count"] == 0
    assert 10 <= answer["ScannedCount"] <= 11
    assert "LastEvaluatedKey" in answer


def test_large_pages_lose_nothing(large):
    forward = all_items(large.query, "pk = :p", values={":p": S("large")}, projection="sk")
    assert [item["sk"]["S"] for item in forward] == [f"{number:02d}" for number in range(30)]
    backward = all_items(
        large.query, "pk = :p", values={":p": S("large")}, projection="sk", forward=False
    )
    assert backward == forward[::-1]


# ---- Refusals ----


@pytest.mark.parametrize(
    "condition, message",
    [
        ("sk = :v", "Query condition missed key schema element: pk"),
        ("n = :v", "Query condition missed key schema element: pk"),
        ("pk > :v", "Query key condition not supported"),
        ("begins_with(pk, :v)", "Query key condition not supported"),
        ("pk = :v AND sk <> :v", None),
        ("pk = :v AND n = :v", None),
        ("pk = :v AND sk = :v AND n = :v", None),
        ("pk = :v OR sk = :v", "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: OR"),
        ("NOT pk = :v", "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: NOT"),
        ("pk IN (:v)", "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: IN"),
        (
            "pk = :v AND attribute_exists(sk)",
            "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: attribute_exists",
        ),
        (
            "pk = :v AND contains(sk, :v)",
            "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: contains",
        ),
        (
            "pk = :v AND sk > :v AND sk < :v",
            "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition "
            "per key",
        ),
        ("", "Invalid KeyConditionExpression: The expression can not be empty;"),
    ],
)
def test_key_conditions_that_are_none(letters, condition, message):
    values = {"values": {":v": S("x")}} if ":v" in condition else {}
    with invalid(message):
        letters.query(condition, **values)


def test_key_value_of_another_type(letters):
    with invalid(
        "One or more parameter values were invalid: Condition parameter type does not match "
        "schema type"
    ):
        letters.query("pk = :p", values={":p": N(1)})


def test_bounds_in_the_wrong_order(letters):
    with invalid(containing("The BETWEEN operator requires upper bound to be greater")):
        found(letters, "pk = :p AND sk BETWEEN :f AND :c", values={":f": S("f"), ":c": S("c")})


def test_without_a_key_condition(letters):
    with invalid(containing("KeyConditionExpression")):
        letters.db.query(TableName=letters.name)


def test_limit_below_one(letters):
    with invalid(containing("imit' failed to satisfy constraint: Member must have value greater")):
        found(letters, limit=0)


def test_unknown_index(letters):
    with invalid("The table does not have the specified index: nope"):
        found(letters, index="nope")


def test_unknown_table(db):
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        db.query(
            TableName="no-such-table",
            KeyConditionExpression="pk = :p",
            ExpressionAttributeValues={":p": S("a")},
        )

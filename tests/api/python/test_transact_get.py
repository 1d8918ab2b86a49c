"""TransactGetItems."""

import pytest
from botocore.exceptions import ClientError

from errors import containing, invalid, refuses
from tables import parameters
from values import M, N, S


def get(table, key, **more):
    return {"Get": {"TableName": table.name, "Key": key, **parameters(more)}}


def read(db, *members, **more):
    return db.transact_get_items(TransactItems=list(members), **more)["Responses"]


@pytest.fixture
def item(hash_table, pk):
    """An item that is there."""
    content = {"pk": pk, "n": N(1), "m": M(a=N(2), b=N(3))}
    hash_table.put(content)
    return content


def test_answers_in_the_order_of_the_request(db, hash_table, pk):
    keys = [{"pk": S(f"{pk['S']}-{number}")} for number in range(5)]
    for key in keys:
        hash_table.put({**key, "who": key["pk"]})
    answers = read(db, *(get(hash_table, key) for key in reversed(keys)))
    assert [answer["Item"]["who"] for answer in answers] == [key["pk"] for key in reversed(keys)]


def test_several_tables(db, hash_table, range_table, item, pk):
    range_table.put({"pk": pk, "sk": S("a")})
    answers = read(db, get(hash_table, {"pk": pk}), get(range_table, {"pk": pk, "sk": S("a")}))
    assert answers == [{"Item": item}, {"Item": {"pk": pk, "sk": S("a")}}]


def test_absent_items_are_left_out(db, hash_table, item, pk):
    absent = get(hash_table, {"pk": S(pk["S"] + "-absent")})
    assert (
        read(
            db,
            absent,
            get(hash_table, {"pk": pk}),
        )[0]
        == {}
    )


def test_projection(db, hash_table, item, pk):
    answers = read(db, get(hash_table, {"pk": pk}, projection="m.a, #n", names={"#n": "n"}))
    assert answers == [{"Item": {"n": N(1), "m": M(a=N(2))}}]


def test_projection_that_matches_nothing(db, hash_table, item, pk):
    assert read(db, get(hash_table, {"pk": pk}, projection="absent")) == [{}]


def test_sees_whole_transactions(db, hash_table, item, pk):
    other = {"pk": S(pk["S"] + "-other")}
    db.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": hash_table.name, "Item": {"pk": pk, "n": N(7)}}},
            {"Put": {"TableName": hash_table.name, "Item": {**other, "n": N(7)}}},
        ]
    )
    answers = read(db, get(hash_table, {"pk": pk}), get(hash_table, other))
    assert [answer["Item"]["n"] for answer in answers] == [N(7), N(7)]


def test_a_hundred_members(db, hash_table, pk):
    members = [get(hash_table, {"pk": S(f"{pk['S']}-{number}")}) for number in range(101)]
    assert read(db, *members[:100]) == [{}] * 100
    with invalid(containing("Member must have length less than or equal to 100")):
        read(db, *members)


def test_no_members(db):
    with invalid(containing("ransactItems' failed to satisfy constraint")):
        read(db)


def test_the_same_item_twice(db, hash_table, pk):
    with invalid("Transaction request cannot include multiple operations on one item"):
        read(db, get(hash_table, {"pk": pk}), get(hash_table, {"pk": pk}))


def test_unknown_table(db, hash_table, pk):
    stray = {"Get": {"TableName": "no-such-table", "Key": {"pk": pk}}}
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        read(db, get(hash_table, {"pk": pk}), stray)


def test_key_that_is_not_the_tables(db, hash_table, range_table, pk):
    with pytest.raises(ClientError) as failure:
        read(db, get(hash_table, {"pk": pk}), get(range_table, {"pk": pk}))
    answer = failure.value.response
    assert answer["Error"]["Code"] == "TransactionCanceledException"
    assert [reason["Code"] for reason in answer["CancellationReasons"]] == [
        "None",
        "ValidationError",
    ]


def test_projection_syntax(db, hash_table, pk):
    with invalid(containing("Invalid ProjectionExpression: ")):
        read(db, get(hash_table, {"pk": pk}, projection="a,"))

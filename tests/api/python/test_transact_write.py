"""TransactWriteItems: all or nothing, and why nothing."""

import uuid

import pytest
from botocore.exceptions import ClientError

from errors import containing, invalid, refuses
from tables import parameters
from values import L, N, S

NONE = {"Code": "None"}
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}


def put(table, item, **more):
    return {"Put": {"TableName": table.name, "Item": item, **parameters(more)}}


def update(table, key, expression, **more):
    content = {"TableName": table.name, "Key": key, "UpdateExpression": expression}
    return {"Update": {**content, **parameters(more)}}


def delete(table, key, **more):
    return {"Delete": {"TableName": table.name, "Key": key, **parameters(more)}}


def check(table, key, condition, **more):
    content = {"TableName": table.name, "Key": key, "ConditionExpression": condition}
    return {"ConditionCheck": {**content, **parameters(more)}}


def write(db, *members, **more):
    return db.transact_write_items(TransactItems=list(members), **more)


def cancelled(db, *members, **more):
    """The reasons for which the transaction is cancelled."""
    with pytest.raises(ClientError) as failure:
        write(db, *members, **more)
    answer = failure.value.response
    assert answer["Error"]["Code"] == "TransactionCanceledException", answer["Error"]
    reasons = answer["CancellationReasons"]
    codes = ", ".join(reason["Code"] for reason in reasons)
    assert answer["Error"]["Message"] == (
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    )
    assert len(reasons) == len(members)
    return reasons


@pytest.fixture
def keys(pk):
    """Four keys of a test."""
    return [{"pk": S(f"{pk['S']}-{letter}")} for letter in "abcd"]


# ---- All ----


def test_all_kinds_at_once(db, hash_table, keys):
    for key in keys[1:]:
        hash_table.put({**key, "n": N(1)})
    write(
        db,
        put(hash_table, {**keys[0], "n": N(0)}),
        update(hash_table, keys[1], "SET n = n + :v", values={":v": N(5)}),
        delete(hash_table, keys[2]),
        check(hash_table, keys[3], "n = :v", values={":v": N(1)}),
    )
    assert [hash_table.item(key) for key in keys] == [
        {**keys[0], "n": N(0)},
        {**keys[1], "n": N(6)},
        None,
        {**keys[3], "n": N(1)},
    ]


def test_several_tables(db, hash_table, range_table, pk):
    write(
        db,
        put(hash_table, {"pk": pk, "n": N(1)}),
        put(range_table, {"pk": pk, "sk": S("a"), "n": N(2)}),
        put(range_table, {"pk": pk, "sk": S("b"), "n": N(3)}),
    )
    assert hash_table.item({"pk": pk})["n"] == N(1)
    assert range_table.query("pk = :p", values={":p": pk})["Count"] == 2


def test_update_creates(db, hash_table, keys):
    write(
        db,
        update(hash_table, keys[0], "ADD n :v", values={":v": N(1)}),
        update(
            hash_table,
            keys[1],
            "SET n = :v",
            condition="attribute_not_exists(pk)",
            values={":v": N(2)},
        ),
    )
    assert hash_table.item(keys[0])["n"] == N(1)
    assert hash_table.item(keys[1])["n"] == N(2)


def test_a_hundred_members(db, hash_table, pk):
    items = [{"pk": S(f"{pk['S']}-{number}")} for number in range(101)]
    write(db, *(put(hash_table, item) for item in items[:100]))
    assert hash_table.item(items[99]) is not None
    with invalid(containing("Member must have length less than or equal to 100")):
        write(db, *(put(hash_table, item) for item in items))


def test_names_and_values_without_an_expression(db, hash_table, keys):
    """Unlike PutItem, a member of a transaction may carry them for nothing."""
    write(
        db,
        put(hash_table, keys[0], names={"#x": "x"}, values={":v": N(1)}),
        delete(hash_table, keys[1], names={"#x": "x"}),
    )
    assert hash_table.item(keys[0]) == keys[0]


# ---- Nothing ----


def test_one_failure_undoes_all(db, hash_table, keys):
    hash_table.put({**keys[1], "n": N(1)})
    reasons = cancelled(
        db,
        put(hash_table, keys[0]),
        update(hash_table, keys[1], "SET n = :v", values={":v": N(9)}),
        check(hash_table, keys[2], "attribute_exists(pk)"),
        delete(hash_table, keys[3]),
    )
    assert reasons == [NONE, NONE, FAILED, NONE]
    assert hash_table.item(keys[0]) is None
    assert hash_table.item(keys[1])["n"] == N(1)


def test_reasons_stand_at_their_members(db, hash_table, keys):
    hash_table.put({**keys[0], "n": N(1)})
    hash_table.put({**keys[3], "n": N(1)})
    reasons = cancelled(
        db,
        put(hash_table, keys[0], condition="attribute_not_exists(pk)"),
        put(hash_table, keys[1]),
        update(hash_table, keys[2], "SET n = :v", condition="n > :v", values={":v": N(0)}),
        delete(hash_table, keys[3], condition="n <> :v", values={":v": N(1)}),
    )
    assert reasons == [FAILED, NONE, FAILED, FAILED]
    assert hash_table.item(keys[2]) is None


def test_old_items_in_the_reasons(db, hash_table, keys):
    item = {**keys[0], "l": L(N(1), S("x"))}
    hash_table.put(item)
    reasons = cancelled(
        db,
        put(hash_table, keys[0], condition="attribute_not_exists(pk)", on_failure="ALL_OLD"),
        check(hash_table, keys[1], "attribute_exists(pk)", on_failure="ALL_OLD"),
        delete(hash_table, keys[2], condition="attribute_exists(pk)"),
    )
    assert reasons == [{**FAILED, "Item": item}, FAILED, FAILED]


@pytest.mark.parametrize("kind", ["put", "update", "delete", "check"])
def test_old_item_of_every_kind(db, hash_table, keys, kind):
    item = {**keys[0], "n": N(1)}
    hash_table.put(item)
    failing = {"condition": "n = :v", "values": {":v": N(5)}, "on_failure": "ALL_OLD"}
    member = {
        "put": lambda: put(hash_table, keys[0], **failing),
        "update": lambda: update(hash_table, keys[0], "SET n = :v", **failing),
        "delete": lambda: delete(hash_table, keys[0], **failing),
        "check": lambda: check(
            hash_table, keys[0], "n = :v", values={":v": N(5)}, on_failure="ALL_OLD"
        ),
    }[kind]()
    assert cancelled(db, member) == [{**FAILED, "Item": item}]


def test_update_that_cannot_be_done(db, hash_table, keys):
    hash_table.put({**keys[0], "s": S("x")})
    reasons = cancelled(
        db,
        update(hash_table, keys[0], "SET s = s + :v", values={":v": N(1)}),
        put(hash_table, keys[1]),
    )
    assert reasons[0] == {
        "Code": "ValidationError",
        "Message": "An operand in the update expression has an incorrect data type",
    }
    assert reasons[1] == NONE
    assert hash_table.item(keys[1]) is None


def test_item_that_is_too_large(db, hash_table, keys):
    with invalid(containing("Item size has exceeded the maximum allowed size")):
        write(db, put(hash_table, {**keys[0], "d": S("x" * 410_000)}))


def test_update_that_makes_an_item_too_large(db, hash_table, keys):
    hash_table.put({**keys[0], "d": S("x" * 300_000)})
    grow = update(hash_table, keys[0], "SET e = :v", values={":v": S("x" * 200_000)})
    (reason,) = cancelled(db, grow)
    assert reason["Code"] == "ValidationError"
    assert "Item size to update has exceeded the maximum allowed size" in reason["Message"]
    assert "e" not in hash_table.item(keys[0])


def test_four_megabytes_at_most(db, hash_table, pk):
    def items(count):
        return [
            put(hash_table, {"pk": S(f"{pk['S']}-{number}"), "d": S("x" * 350_000)})
            for number in range(count)
        ]

    write(db, *items(11))
    with invalid():
        write(db, *items(13))


# ---- Tokens ----


def test_a_token_counts_once(db, hash_table, pk):
    token = {"ClientRequestToken": str(uuid.uuid4())}
    member = update(hash_table, {"pk": pk}, "ADD n :v", values={":v": N(1)})
    for _ in range(3):
        write(db, member, **token)
    assert hash_table.item({"pk": pk})["n"] == N(1)


def test_replay_reports_read_units(db, hash_table, pk):
    more = {"ClientRequestToken": str(uuid.uuid4()), "ReturnConsumedCapacity": "TOTAL"}
    member = update(hash_table, {"pk": pk}, "ADD n :v", values={":v": N(1)})
    (first,) = write(db, member, **more)["ConsumedCapacity"]
    (replay,) = write(db, member, **more)["ConsumedCapacity"]
    assert (first["CapacityUnits"], first["WriteCapacityUnits"]) == (2, 2)
    assert (replay["CapacityUnits"], replay["ReadCapacityUnits"]) == (2, 2)
    assert "WriteCapacityUnits" not in replay


def test_the_order_of_json_members_does_not_matter(db, hash_table, pk):
    token = {"ClientRequestToken": str(uuid.uuid4())}
    item = {"pk": pk, "a": N(1), "b": N(2)}
    write(db, {"Put": {"TableName": hash_table.name, "Item": item}}, **token)
    reordered = dict(reversed(item.items()))
    write(db, {"Put": {"Item": reordered, "TableName": hash_table.name}}, **token)
    assert hash_table.item({"pk": pk}) == item


def test_a_token_belongs_to_its_request(db, hash_table, pk):
    token = {"ClientRequestToken": str(uuid.uuid4())}
    write(db, put(hash_table, {"pk": pk, "n": N(1)}), **token)
    with refuses("IdempotentParameterMismatchException"):
        write(db, put(hash_table, {"pk": pk, "n": N(2)}), **token)
    assert hash_table.item({"pk": pk})["n"] == N(1)


def test_a_cancelled_transaction_may_be_tried_again(db, hash_table, pk):
    token = {"ClientRequestToken": str(uuid.uuid4())}
    member = update(
        hash_table, {"pk": pk}, "ADD n :v", condition="attribute_exists(pk)", values={":v": N(1)}
    )
    assert cancelled(db, member, **token) == [FAILED]
    hash_table.put({"pk": pk})
    write(db, member, **token)
    assert hash_table.item({"pk": pk})["n"] == N(1)


def test_longest_token(db, hash_table, pk):
    write(db, put(hash_table, {"pk": pk}), ClientRequestToken=uuid.uuid4().hex + "abcd")
    with invalid(containing("lientRequestToken' failed to satisfy constraint")):
        write(db, put(hash_table, {"pk": pk}), ClientRequestToken="x" * 37)


# ---- Refusals ----


def test_two_members_for_one_item(db, hash_table, keys):
    with invalid("Transaction request cannot include multiple operations on one item"):
        write(db, put(hash_table, keys[0]), delete(hash_table, keys[0]))
    with invalid("Transaction request cannot include multiple operations on one item"):
        write(
            db,
            check(hash_table, keys[0], "attribute_not_exists(pk)"),
            update(hash_table, keys[0], "SET n = :v", values={":v": N(1)}),
        )
    assert hash_table.item(keys[0]) is None


def test_no_members(db):
    with invalid(containing("ransactItems' failed to satisfy constraint")):
        write(db)


def test_member_of_two_kinds(db, hash_table, keys):
    with invalid():
        write(db, {**put(hash_table, keys[0]), **delete(hash_table, keys[1])})
    with invalid():
        write(db, {})


def test_check_without_a_condition(db, hash_table, keys):
    with invalid(containing("onditionExpression' failed to satisfy constraint")):
        write(db, {"ConditionCheck": {"TableName": hash_table.name, "Key": keys[0]}})


def test_unknown_table(db, hash_table, keys):
    stray = {"Put": {"TableName": "no-such-table", "Item": keys[1]}}
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        write(db, put(hash_table, keys[0]), stray)
    assert hash_table.item(keys[0]) is None


@pytest.mark.parametrize("expression", ["SET a = ", "SET a = :absent", "SET name = :v"])
def test_expression_that_is_none(db, hash_table, keys, expression):
    values = {"values": {":v": N(1)}} if ":v" in expression else {}
    with invalid(containing("Invalid UpdateExpression: ")):
        write(db, update(hash_table, keys[0], expression, **values))


def test_bad_item_of_a_member(db, range_table, pk):
    """Faults against the table's schema are reasons of their member."""
    good = put(range_table, {"pk": pk, "sk": S("a")})
    for bad in (put(range_table, {"pk": pk}), put(range_table, {"pk": pk, "sk": N(1)})):
        reasons = cancelled(db, good, bad)
        assert reasons[0] == NONE
        assert reasons[1]["Code"] == "ValidationError"
    assert range_table.query("pk = :p", values={":p": pk})["Count"] == 0

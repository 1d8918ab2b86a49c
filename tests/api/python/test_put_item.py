"""PutItem: what is stored, what comes back, what is refused."""

import re

import pytest

from errors import condition_fails, containing, invalid, refuses
from values import BOOL, BS, NS, NULL, SS, B, L, M, N, S, unordered


def test_stores_every_type(hash_table, pk):
    item = {
        "pk": pk,
        "string": S("héllo \U0001f3e0 \x00 end"),
        "empty": S(""),
        "number": N("-3.5"),
        "binary": B(b"\x00\xff\x80"),
        "no_bytes": B(b""),
        "yes": BOOL(True),
        "no": BOOL(False),
        "null": NULL,
        "list": L(S("a"), N(1), L(), M()),
        "map": M(inner=M(deep=L(BOOL(True), NULL))),
        "strings": SS("b", "a", ""),
        "numbers": NS(3, 1, 2),
        "binaries": BS(b"\x02", b"\x01"),
    }
    hash_table.put(item)
    stored = hash_table.item({"pk": pk})
    assert {k: unordered(v) for k, v in stored.items()} == {
        k: unordered(v) for k, v in item.items()
    }


def test_replaces_the_whole_item(hash_table, pk):
    hash_table.put({"pk": pk, "old": S("x")})
    hash_table.put({"pk": pk, "new": S("y")})
    assert hash_table.item({"pk": pk}) == {"pk": pk, "new": S("y")}


def test_returns_nothing_unless_asked(hash_table, pk):
    answer = hash_table.put({"pk": pk})
    del answer["ResponseMetadata"]
    assert answer == {}


def test_all_old_returns_the_replaced_item(hash_table, pk):
    first = hash_table.put({"pk": pk, "n": N(1)}, returns="ALL_OLD")
    assert "Attributes" not in first
    second = hash_table.put({"pk": pk, "n": N(2)}, returns="ALL_OLD")
    assert second["Attributes"] == {"pk": pk, "n": N(1)}


def test_none_returns_nothing(hash_table, pk):
    hash_table.put({"pk": pk})
    assert "Attributes" not in hash_table.put({"pk": pk}, returns="NONE")


@pytest.mark.parametrize("returns", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_other_return_values_are_refused(hash_table, pk, returns):
    with invalid("ReturnValues can only be ALL_OLD or NONE"):
        hash_table.put({"pk": pk}, returns=returns)


def test_condition_holds(hash_table, pk):
    hash_table.put({"pk": pk}, condition="attribute_not_exists(pk)")
    hash_table.put({"pk": pk, "n": N(1)}, condition="attribute_exists(pk)")
    assert hash_table.item({"pk": pk}) == {"pk": pk, "n": N(1)}


def test_failed_condition_changes_nothing(hash_table, pk):
    hash_table.put({"pk": pk, "n": N(1)})
    with condition_fails():
        hash_table.put({"pk": pk, "n": N(2)}, condition="attribute_not_exists(pk)")
    assert hash_table.item({"pk": pk}) == {"pk": pk, "n": N(1)}


def test_failed_condition_on_an_absent_item_creates_nothing(hash_table, pk):
    with condition_fails():
        hash_table.put({"pk": pk}, condition="attribute_exists(pk)")
    assert hash_table.item({"pk": pk}) is None


def test_failed_condition_returns_the_item_if_asked(hash_table, pk):
    old = {"pk": pk, "n": N(1), "s": SS("x")}
    hash_table.put(old)
    with condition_fails() as failure:
        hash_table.put({"pk": pk}, condition="attribute_not_exists(pk)", on_failure="ALL_OLD")
    assert failure.value.response["Item"] == old


def test_failed_condition_returns_no_item_otherwise(hash_table, pk):
    hash_table.put({"pk": pk})
    for on_failure in ({}, {"on_failure": "NONE"}):
        with condition_fails() as failure:
            hash_table.put({"pk": pk}, condition="attribute_not_exists(pk)", **on_failure)
        assert "Item" not in failure.value.response


def test_failed_condition_on_an_absent_item_returns_no_item(hash_table, pk):
    with condition_fails() as failure:
        hash_table.put({"pk": pk}, condition="attribute_exists(pk)", on_failure="ALL_OLD")
    assert "Item" not in failure.value.response


def test_composite_key_holds_items_apart(range_table, pk):
    range_table.put({"pk": pk, "sk": S("a"), "n": N(1)})
    range_table.put({"pk": pk, "sk": S("b"), "n": N(2)})
    assert range_table.item({"pk": pk, "sk": S("a")})["n"] == N(1)
    assert range_table.item({"pk": pk, "sk": S("b")})["n"] == N(2)


def test_keys_do_not_run_into_each_other(range_table, pk):
    """The same bytes split differently between the keys are different items."""
    left, right = {"pk": S(pk["S"] + "a"), "sk": S("b")}, {"pk": S(pk["S"]), "sk": S("ab")}
    range_table.put({**left, "who": S("left")})
    range_table.put({**right, "who": S("right")})
    assert range_table.item(left)["who"] == S("left")
    assert range_table.item(right)["who"] == S("right")


# ---- Refusals ----


def test_missing_partition_key(hash_table):
    with invalid("One or more parameter values were invalid: Missing the key pk in the item"):
        hash_table.put({"n": N(1)})


def test_missing_sort_key(range_table, pk):
    with invalid("One or more parameter values were invalid: Missing the key sk in the item"):
        range_table.put({"pk": pk})


def test_key_of_another_type(hash_table):
    with invalid(
        "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N"
    ):
        hash_table.put({"pk": N(1)})


def test_empty_key(hash_table, range_table, pk):
    message = "The AttributeValue for a key attribute cannot contain an empty string value. Key: "
    with invalid(containing(message + "pk")):
        hash_table.put({"pk": S("")})
    with invalid(containing(message + "sk")):
        range_table.put({"pk": pk, "sk": S("")})


def test_unknown_table(db):
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        db.put_item(TableName="no-such-table", Item={"pk": S("a")})


def test_empty_set(hash_table, pk):
    with invalid("One or more parameter values were invalid: An string set  may not be empty"):
        hash_table.put({"pk": pk, "s": {"SS": []}})
    with invalid("One or more parameter values were invalid: An number set  may not be empty"):
        hash_table.put({"pk": pk, "s": {"NS": []}})
    with invalid(containing("not be empty")):
        hash_table.put({"pk": pk, "s": {"BS": []}})
    with invalid(containing("set  may not be empty")):
        hash_table.put({"pk": pk, "m": M(l=L({"SS": []}))})


def test_duplicates_in_a_set(hash_table, pk):
    with invalid(re.compile(r"Input collection \[.*\] contains duplicates\.")):
        hash_table.put({"pk": pk, "s": SS("a", "a")})
    with invalid(containing("Input collection contains duplicates")):
        hash_table.put({"pk": pk, "s": NS(1, "1.0")})
    with invalid(containing("contains duplicates")):
        hash_table.put({"pk": pk, "s": BS(b"x", b"x")})


def test_null_must_be_true(hash_table, pk):
    with invalid(
        "One or more parameter values were invalid: "
        "Null attribute value types must have the value of true"
    ):
        hash_table.put({"pk": pk, "n": {"NULL": False}})


def test_value_without_a_type(hash_table, pk):
    with invalid(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
    ):
        hash_table.put({"pk": pk, "v": {}})


def test_value_with_two_types(hash_table, pk):
    with invalid(
        "Supplied AttributeValue has more than one datatypes set, "
        "must contain exactly one of the supported datatypes"
    ):
        hash_table.put({"pk": pk, "v": {"S": "a", "N": "1"}})


def test_values_without_a_condition(hash_table, pk):
    with invalid(
        containing("ExpressionAttributeValues can only be specified when using expressions")
    ):
        hash_table.put({"pk": pk}, values={":v": S("x")})


def test_unused_values_and_names(hash_table, pk):
    with invalid(
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}"
    ):
        hash_table.put({"pk": pk}, condition="attribute_not_exists(pk)", values={":unused": S("x")})
    with invalid(
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}"
    ):
        hash_table.put({"pk": pk}, condition="attribute_not_exists(pk)", names={"#unused": "x"})


def test_names_and_values_need_their_prefix(hash_table, pk):
    with invalid('ExpressionAttributeNames contains invalid key: Syntax error; key: "name"'):
        hash_table.put({"pk": pk}, condition="attribute_exists(pk)", names={"name": "x"})
    with invalid('ExpressionAttributeValues contains invalid key: Syntax error; key: "value"'):
        hash_table.put({"pk": pk}, condition="attribute_exists(pk)", values={"value": S("x")})


def test_legacy_and_expression_parameters_do_not_mix(hash_table, pk):
    with invalid(
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}"
    ):
        hash_table.put(
            {"pk": pk}, condition="attribute_not_exists(pk)", Expected={"pk": {"Exists": False}}
        )

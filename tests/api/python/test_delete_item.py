"""DeleteItem."""

import pytest

from errors import condition_fails, invalid, refuses
from values import N, S


def test_deletes(hash_table, pk):
    hash_table.put({"pk": pk})
    hash_table.delete({"pk": pk})
    assert hash_table.item({"pk": pk}) is None


def test_absent_item_is_no_error(hash_table, pk):
    answer = hash_table.delete({"pk": pk}, returns="ALL_OLD")
    assert "Attributes" not in answer


def test_deletes_one_of_a_partition(range_table, pk):
    range_table.put_all([{"pk": pk, "sk": S(letter)} for letter in "abc"])
    range_table.delete({"pk": pk, "sk": S("b")})
    left = range_table.query("pk = :p", values={":p": pk})["Items"]
    assert [item["sk"] for item in left] == [S("a"), S("c")]


def test_all_old_returns_the_item(hash_table, pk):
    hash_table.put({"pk": pk, "n": N(1)})
    answer = hash_table.delete({"pk": pk}, returns="ALL_OLD")
    assert answer["Attributes"] == {"pk": pk, "n": N(1)}


@pytest.mark.parametrize("returns", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_other_return_values_are_refused(hash_table, pk, returns):
    with invalid("ReturnValues can only be ALL_OLD or NONE"):
        hash_table.delete({"pk": pk}, returns=returns)


def test_condition(hash_table, pk):
    hash_table.put({"pk": pk, "n": N(1)})
    with condition_fails():
        hash_table.delete({"pk": pk}, condition="n = :n", values={":n": N(2)})
    assert hash_table.item({"pk": pk}) is not None
    hash_table.delete({"pk": pk}, condition="n = :n", values={":n": N(1)})
    assert hash_table.item({"pk": pk}) is None


def test_condition_on_an_absent_item(hash_table, pk):
    hash_table.delete({"pk": pk}, condition="attribute_not_exists(pk)")
    with condition_fails():
        hash_table.delete({"pk": pk}, condition="attribute_exists(pk)")


def test_failed_condition_returns_the_item_if_asked(hash_table, pk):
    hash_table.put({"pk": pk, "n": N(1)})
    with condition_fails() as failure:
        hash_table.delete({"pk": pk}, condition="n > :n", values={":n": N(5)}, on_failure="ALL_OLD")
    assert failure.value.response["Item"] == {"pk": pk, "n": N(1)}


def test_key_that_is_not_the_tables(range_table, pk):
    with invalid("The provided key element does not match the schema"):
        range_table.delete({"pk": pk})


def test_unknown_table(db):
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        db.delete_item(TableName="no-such-table", Key={"pk": S("a")})

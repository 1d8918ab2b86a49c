"""Sizes at which DynamoDB says no: keys, items, nesting, names."""

import functools

import pytest

from errors import containing, invalid, refuses
from values import B, L, N, NULL, S

ITEM_BYTES_MAX = 400 * 1024
TOO_LARGE = "Item size has exceeded the maximum allowed size"
TOO_LARGE_TO_UPDATE = "Item size to update has exceeded the maximum allowed size"


def filled(key, size):
    """An item of exactly `size` bytes by DynamoDB's count: names and values, in UTF-8."""
    rest = size - len("pk") - len(key["S"]) - len("d")
    return {"pk": key, "d": S("x" * rest)}


def test_largest_item(hash_table, pk):
    hash_table.put(filled(pk, ITEM_BYTES_MAX))
    assert len(hash_table.item({"pk": pk})["d"]["S"]) > ITEM_BYTES_MAX - 50
    with invalid(TOO_LARGE):
        hash_table.put(filled(pk, ITEM_BYTES_MAX + 1))


def test_text_counts_in_bytes(hash_table, pk):
    hash_table.put({"pk": pk, "d": S("é" * 200_000)})
    with invalid(TOO_LARGE):
        hash_table.put({"pk": pk, "d": S("é" * 205_000)})


def test_names_count(hash_table, pk):
    with invalid(TOO_LARGE):
        hash_table.put({"pk": pk, **{f"{i:05d}{'n' * 4000}": N(1) for i in range(103)}})


def test_largest_update(hash_table, pk):
    hash_table.put(filled(pk, ITEM_BYTES_MAX - 10))
    with invalid(TOO_LARGE_TO_UPDATE):
        hash_table.update({"pk": pk}, "SET e = :v", values={":v": S("x" * 20)})
    assert "e" not in hash_table.item({"pk": pk})


def test_longest_partition_key(hash_table):
    hash_table.put({"pk": S("k" * 2048)})
    assert hash_table.item({"pk": S("k" * 2048)}) is not None
    with invalid(
        "One or more parameter values were invalid: "
        "Size of hashkey has exceeded the maximum size limit of2048 bytes"
    ):
        hash_table.put({"pk": S("k" * 2049)})


def test_longest_sort_key(range_table, pk):
    range_table.put({"pk": pk, "sk": S("k" * 1024)})
    with invalid(
        "One or more parameter values were invalid: "
        "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    ):
        range_table.put({"pk": pk, "sk": S("k" * 1025)})


def test_binary_keys_of_every_byte(new_table):
    table = new_table(pk="B", sk="B")
    keys = [b"\x00", b"\x00\x00", b"\x00\x01", b"\x01", b"\x7f", b"\x80", b"\xff", b"\xff\xff"]
    table.put_all([{"pk": B(b"\x00\xff"), "sk": B(key)} for key in reversed(keys)])
    items = table.query("pk = :p", values={":p": B(b"\x00\xff")})["Items"]
    assert [bytes(item["sk"]["B"]) for item in items] == keys


def test_text_keys_order_by_bytes(range_table, pk):
    keys = ["", "\x00", "\x01", "A", "Z", "a", "a\x00", "aa", "b", "é", "\uffff", "\U0001f3e0"][1:]
    range_table.put_all([{"pk": pk, "sk": S(key)} for key in reversed(keys)])
    items = range_table.query("pk = :p", values={":p": pk})["Items"]
    assert [item["sk"]["S"] for item in items] == keys


def nested(depth):
    return functools.reduce(lambda inner, _: L(inner), range(depth), N(1))


def test_deepest_nesting(hash_table, pk):
    hash_table.put({"pk": pk, "v": nested(31)})
    with invalid(containing("Nesting Levels have exceeded supported limits")):
        hash_table.put({"pk": pk, "v": nested(33)})


@pytest.mark.parametrize("size, units", [(1024, 1), (1025, 2), (2048, 2), (2049, 3)])
def test_bytes_are_counted_as_documented(hash_table, pk, size, units):
    answer = hash_table.put(filled(pk, size), capacity="TOTAL")
    assert answer["ConsumedCapacity"]["CapacityUnits"] == units


@pytest.mark.parametrize(
    "value, size",
    [
        (N(0), 1),
        (N(1), 2),
        (N(10), 2),
        (N(100), 2),
        (N(123), 3),
        (N(1234), 3),
        (N("-1234"), 4),
        (N("0.5"), 2),
        (N("12.345"), 4),
        (N("1e20"), 2),
        (B(b"12345"), 5),
        (S("é"), 2),
        ({"BOOL": True}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["a", "bc"]}, 3),
        ({"NS": ["1", "22"]}, 4),
        (L(), 3),
        (L(S("a"), S("b")), 7),
        ({"M": {}}, 3),
        ({"M": {"kk": S("v")}}, 7),
    ],
)
def test_size_of_a_value(hash_table, pk, value, size):
    """Fills an item up to 1024 bytes, which still costs one unit; one more byte costs two."""
    for total, units in ((1024, 1), (1025, 2)):
        item = {**filled(pk, total - size - len("v")), "v": value}
        answer = hash_table.put(item, capacity="TOTAL")
        assert answer["ConsumedCapacity"]["CapacityUnits"] == units, total


@pytest.mark.rowhouse
def test_work_of_conditions(db, hash_table, pk):
    """Operands times size of the items: a long condition on many large items is refused, for all
    others wait meanwhile. On one item, or as a short one, it is fine."""
    keys = [{"pk": S(f"{pk['S']}-{i}")} for i in range(8)]
    for key in keys:
        hash_table.put({**key, "d": L(*[NULL] * 190_000)})

    def check(key, times):
        return {
            "ConditionCheck": {
                "TableName": hash_table.name,
                "Key": key,
                "ConditionExpression": " or ".join(["contains(d, :n)"] * times + [":n = :n"]),
                "ExpressionAttributeValues": {":n": N(1)},
            }
        }

    db.transact_write_items(TransactItems=[check(key, 10) for key in keys])
    db.transact_write_items(TransactItems=[check(keys[0], 149)])
    with refuses("TransactionCanceledException") as failure:
        db.transact_write_items(TransactItems=[check(key, 149) for key in keys])
    reasons = failure.value.response["CancellationReasons"]
    assert {reason["Code"] for reason in reasons} == {"None", "ValidationError"}

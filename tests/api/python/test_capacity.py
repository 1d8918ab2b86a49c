"""ReturnConsumedCapacity and ReturnItemCollectionMetrics, to the unit.

A write costs a unit per KB begun, a read of 4 KB a unit, or half of one if it need not be
consistent; transactions cost twice. Indexes are charged for what changes in them.
"""

import pytest

from tables import index
from values import N, S


@pytest.fixture(scope="module")
def indexed(new_table):
    """A table with a full and a keys-only index on g, and a local one on n."""
    return new_table(
        sk="S",
        attributes={"g": "S", "n": "N"},
        GlobalSecondaryIndexes=[index("full", "g"), index("keys", "g", projection="KEYS_ONLY")],
        LocalSecondaryIndexes=[index("local", "pk", "n")],
    )


def filled(size, **attributes):
    """An item of exactly `size` bytes; attributes are texts."""
    used = sum(len(name) + len(value["S"]) for name, value in attributes.items())
    return {**attributes, "d": S("x" * (size - used - len("d")))}


def units(answer):
    return answer["ConsumedCapacity"]["CapacityUnits"]


def parts(answer):
    """{"Table": 1, "full": 1, ...}: what each part took; those that took nothing are left out."""
    capacity = answer["ConsumedCapacity"]
    taken = {"Table": capacity["Table"]}
    taken |= capacity.get("GlobalSecondaryIndexes", {})
    taken |= capacity.get("LocalSecondaryIndexes", {})
    found = {name: part["CapacityUnits"] for name, part in taken.items() if part["CapacityUnits"]}
    assert capacity["CapacityUnits"] == sum(found.values())
    return found


def test_shape(hash_table, pk):
    answer = hash_table.put({"pk": pk}, capacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": hash_table.name, "CapacityUnits": 1.0}
    answer = hash_table.put({"pk": pk}, capacity="INDEXES")
    assert answer["ConsumedCapacity"] == {
        "TableName": hash_table.name,
        "CapacityUnits": 1.0,
        "Table": {"CapacityUnits": 1.0},
    }
    assert "ConsumedCapacity" not in hash_table.put({"pk": pk}, capacity="NONE")
    assert "ConsumedCapacity" not in hash_table.put({"pk": pk})


# ---- Single items ----


@pytest.mark.parametrize("size, cost", [(100, 1), (1024, 1), (1025, 2), (10_000, 10)])
def test_put(hash_table, pk, size, cost):
    assert units(hash_table.put(filled(size, pk=pk), capacity="TOTAL")) == cost


def test_writes_cost_the_larger_of_before_and_after(hash_table, pk):
    hash_table.put(filled(3000, pk=pk))
    assert units(hash_table.put({"pk": pk}, capacity="TOTAL")) == 3
    hash_table.put(filled(3000, pk=pk))
    assert units(hash_table.update({"pk": pk}, "REMOVE d", capacity="TOTAL")) == 3
    hash_table.put(filled(3000, pk=pk))
    assert units(hash_table.delete({"pk": pk}, capacity="TOTAL")) == 3


def test_writes_that_find_nothing(hash_table, pk):
    assert units(hash_table.delete({"pk": pk}, capacity="TOTAL")) == 1
    assert units(hash_table.update({"pk": pk}, "REMOVE a", capacity="TOTAL")) == 1


@pytest.mark.parametrize("size, cost", [(100, 1), (4096, 1), (4097, 2), (40_000, 10)])
def test_get(hash_table, pk, size, cost):
    hash_table.put(filled(size, pk=pk))
    key = {"pk": pk}
    assert units(hash_table.get(key, capacity="TOTAL", consistent=True)) == cost
    assert units(hash_table.get(key, capacity="TOTAL")) == cost / 2
    assert units(hash_table.get(key, capacity="TOTAL", projection="pk")) == cost / 2


def test_get_of_what_is_absent(hash_table, pk):
    assert units(hash_table.get({"pk": pk}, capacity="TOTAL")) == 0.5
    assert units(hash_table.get({"pk": pk}, capacity="TOTAL", consistent=True)) == 1


# ---- Many items ----


def test_query_rounds_the_sum(range_table, pk):
    for letter in "abc":
        range_table.put(filled(2000, pk=pk, sk=S(letter)))
    more = {"values": {":p": pk}, "capacity": "TOTAL"}
    assert units(range_table.query("pk = :p", **more)) == 1
    assert units(range_table.query("pk = :p", consistent=True, **more)) == 2
    assert units(range_table.query("pk = :p", limit=2, **more)) == 0.5
    assert units(range_table.query("pk = :p", projection="sk", **more)) == 1
    assert units(range_table.query("pk = :p", select="COUNT", **more)) == 1


def test_filters_save_nothing(range_table, pk):
    for letter in "abc":
        range_table.put(filled(4000, pk=pk, sk=S(letter)))
    answer = range_table.query(
        "pk = :p", filter="attribute_exists(absent)", values={":p": pk}, capacity="TOTAL"
    )
    assert (answer["Count"], units(answer)) == (0, 1.5)


def test_scan(new_table):
    table = new_table()
    for number in range(10):
        table.put(filled(1000, pk=S(f"{number}")))
    assert units(table.scan(capacity="TOTAL")) == 1.5
    assert units(table.scan(capacity="TOTAL", consistent=True)) == 3


def test_batch_get_rounds_each_item(db, hash_table, pk):
    keys = [{"pk": S(f"{pk['S']}-{number}")} for number in range(3)]
    for key in keys[:2]:
        hash_table.put(filled(5000, **key))
    for consistent, cost in ((False, 2.5), (True, 5)):
        answer = db.batch_get_item(
            RequestItems={hash_table.name: {"Keys": keys, "ConsistentRead": consistent}},
            ReturnConsumedCapacity="TOTAL",
        )
        assert answer["ConsumedCapacity"] == [{"TableName": hash_table.name, "CapacityUnits": cost}]


def test_batch_write(db, hash_table, range_table, pk):
    answer = db.batch_write_item(
        RequestItems={
            hash_table.name: [
                {"PutRequest": {"Item": filled(1500, pk=pk)}},
                {"DeleteRequest": {"Key": {"pk": S(pk["S"] + "-absent")}}},
            ],
            range_table.name: [{"PutRequest": {"Item": {"pk": pk, "sk": S("a")}}}],
        },
        ReturnConsumedCapacity="TOTAL",
    )
    found = {entry["TableName"]: entry["CapacityUnits"] for entry in answer["ConsumedCapacity"]}
    assert found == {hash_table.name: 3, range_table.name: 1}


# ---- Transactions ----


def test_transact_write(db, hash_table, pk):
    names = [f"{pk['S']}-{letter}" for letter in "ab"]
    members = [{"Put": {"TableName": hash_table.name, "Item": {"pk": S(name)}}} for name in names]
    answer = db.transact_write_items(TransactItems=members, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [
        {"TableName": hash_table.name, "CapacityUnits": 4.0, "WriteCapacityUnits": 4.0}
    ]


def test_transact_write_of_a_large_item(db, hash_table, pk):
    member = {"Put": {"TableName": hash_table.name, "Item": filled(2500, pk=pk)}}
    answer = db.transact_write_items(TransactItems=[member], ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"][0]["WriteCapacityUnits"] == 6


def test_transact_get(db, hash_table, pk):
    hash_table.put(filled(5000, pk=pk))
    members = [
        {"Get": {"TableName": hash_table.name, "Key": {"pk": key}}}
        for key in (pk, S(pk["S"] + "-absent"))
    ]
    answer = db.transact_get_items(TransactItems=members, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [
        {"TableName": hash_table.name, "CapacityUnits": 6.0, "ReadCapacityUnits": 6.0}
    ]


# ---- Indexes ----


def test_put_into_indexes(indexed, pk):
    item = {"pk": pk, "sk": S("a"), "g": pk, "n": N(1)}
    answer = indexed.put(item, capacity="INDEXES")
    assert parts(answer) == {"Table": 1, "full": 1, "keys": 1, "local": 1}
    assert units(indexed.put({"pk": pk, "sk": S("b"), "g": pk}, capacity="TOTAL")) == 3


def test_put_outside_of_indexes(indexed, pk):
    assert parts(indexed.put({"pk": pk, "sk": S("a")}, capacity="INDEXES")) == {"Table": 1}


def test_large_items_cost_what_an_index_holds_of_them(indexed, pk):
    item = filled(2500, pk=pk, sk=S("a"), g=pk)
    assert parts(indexed.put(item, capacity="INDEXES")) == {"Table": 3, "full": 3, "keys": 1}


def test_indexes_that_do_not_change_cost_nothing(indexed, pk):
    key = {"pk": pk, "sk": S("a")}
    item = {**key, "g": pk, "n": N(1), "a": S("x")}
    indexed.put(item)
    assert parts(indexed.put(item, capacity="INDEXES")) == {"Table": 1}
    answer = indexed.update(key, "SET a = :v", values={":v": S("y")}, capacity="INDEXES")
    assert parts(answer) == {"Table": 1, "full": 1, "local": 1}


def test_a_moved_key_costs_two(indexed, pk):
    key = {"pk": pk, "sk": S("a")}
    indexed.put({**key, "g": pk})
    answer = indexed.update(key, "SET g = :v", values={":v": S("other")}, capacity="INDEXES")
    assert parts(answer) == {"Table": 1, "full": 2, "keys": 2}


def test_leaving_an_index(indexed, pk):
    key = {"pk": pk, "sk": S("a")}
    indexed.put({**key, "g": pk})
    answer = indexed.update(key, "REMOVE g", capacity="INDEXES")
    assert parts(answer) == {"Table": 1, "full": 1, "keys": 1}
    indexed.put({**key, "g": pk, "n": N(1)})
    answer = indexed.delete(key, capacity="INDEXES")
    assert parts(answer) == {"Table": 1, "full": 1, "keys": 1, "local": 1}


def test_query_of_an_index(indexed, pk):
    for letter in "ab":
        indexed.put(filled(3000, pk=pk, sk=S(letter), g=pk))
    answer = indexed.query("g = :g", values={":g": pk}, index="full", capacity="INDEXES")
    assert parts(answer) == {"full": 1}
    answer = indexed.query("g = :g", values={":g": pk}, index="keys", capacity="INDEXES")
    assert parts(answer) == {"keys": 0.5}


def test_scan_of_an_index(new_table):
    table = new_table(attributes={"g": "S"}, GlobalSecondaryIndexes=[index("keys", "g")])
    table.put({"pk": S("a"), "g": S("x")})
    assert parts(table.scan(index="keys", capacity="INDEXES")) == {"keys": 0.5}


# ---- Item collections ----


def test_item_collection_metrics(indexed, pk):
    key = {"pk": pk, "sk": S("a")}
    expected = {"ItemCollectionKey": {"pk": pk}, "SizeEstimateRangeGB": [0.0, 1.0]}
    for answer in (
        indexed.put(key, metrics="SIZE"),
        indexed.update(key, "SET a = :v", values={":v": N(1)}, metrics="SIZE"),
        indexed.delete(key, metrics="SIZE"),
    ):
        assert answer["ItemCollectionMetrics"] == expected
    assert "ItemCollectionMetrics" not in indexed.put(key, metrics="NONE")
    assert "ItemCollectionMetrics" not in indexed.put(key)


def test_item_collection_metrics_of_a_batch(db, indexed, pk):
    answer = db.batch_write_item(
        RequestItems={indexed.name: [{"PutRequest": {"Item": {"pk": pk, "sk": S("a")}}}]},
        ReturnItemCollectionMetrics="SIZE",
    )
    (entry,) = answer["ItemCollectionMetrics"][indexed.name]
    assert entry["ItemCollectionKey"] == {"pk": pk}


def test_item_collection_metrics_of_a_transaction(db, indexed, pk):
    member = {"Put": {"TableName": indexed.name, "Item": {"pk": pk, "sk": S("a")}}}
    answer = db.transact_write_items(TransactItems=[member], ReturnItemCollectionMetrics="SIZE")
    (entry,) = answer["ItemCollectionMetrics"][indexed.name]
    assert entry["ItemCollectionKey"] == {"pk": pk}


def test_no_metrics_without_local_indexes(hash_table, pk):
    assert "ItemCollectionMetrics" not in hash_table.put({"pk": pk}, metrics="SIZE")

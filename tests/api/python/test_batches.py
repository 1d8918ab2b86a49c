"""BatchWriteItem and BatchGetItem."""

import re

import pytest

from errors import containing, invalid, refuses
from tables import parameters
from values import N, S

DUPLICATES = "Provided list of item keys contains duplicates"
TOO_MANY_WRITES = re.compile("less than or equal to 25|Too many items requested")
TOO_MANY_READS = re.compile("less than or equal to 100|Too many items requested")


def put(item):
    return {"PutRequest": {"Item": item}}


def delete(key):
    return {"DeleteRequest": {"Key": key}}


def write(db, **requests):
    return db.batch_write_item(RequestItems=requests)


def get(table, keys, **more):
    answer = table.db.batch_get_item(RequestItems={table.name: {"Keys": keys, **parameters(more)}})
    assert answer["UnprocessedKeys"] == {}
    return sorted(answer["Responses"][table.name], key=str)


def keys_of(pk, count):
    return [{"pk": S(f"{pk['S']}-{number:03d}")} for number in range(count)]


# ---- BatchWriteItem ----


def test_puts_and_deletes(hash_table, range_table, pk):
    hash_table.put({"pk": pk})
    answer = write(
        hash_table.db,
        **{
            hash_table.name: [delete({"pk": pk}), put({"pk": S(pk["S"] + "-2"), "n": N(1)})],
            range_table.name: [put({"pk": pk, "sk": S(letter)}) for letter in "ab"],
        },
    )
    assert answer["UnprocessedItems"] == {}
    assert hash_table.item({"pk": pk}) is None
    assert hash_table.item({"pk": S(pk["S"] + "-2")})["n"] == N(1)
    assert range_table.query("pk = :p", values={":p": pk})["Count"] == 2


def test_put_replaces(hash_table, pk):
    hash_table.put({"pk": pk, "old": N(1)})
    hash_table.put_all([{"pk": pk, "new": N(2)}])
    assert hash_table.item({"pk": pk}) == {"pk": pk, "new": N(2)}


def test_delete_of_what_is_absent(hash_table, pk):
    assert write(hash_table.db, **{hash_table.name: [delete({"pk": pk})]})["UnprocessedItems"] == {}


def test_twenty_five_writes_at_most(hash_table, pk):
    requests = [put(key) for key in keys_of(pk, 26)]
    write(hash_table.db, **{hash_table.name: requests[:25]})
    assert len(get(hash_table, keys_of(pk, 26))) == 25
    with invalid(TOO_MANY_WRITES):
        write(hash_table.db, **{hash_table.name: requests})


def test_twenty_five_over_all_tables(hash_table, range_table, pk):
    with invalid(TOO_MANY_WRITES):
        write(
            hash_table.db,
            **{
                hash_table.name: [put(key) for key in keys_of(pk, 13)],
                range_table.name: [put({**key, "sk": S("a")}) for key in keys_of(pk, 13)],
            },
        )
    assert get(hash_table, keys_of(pk, 13)) == []


@pytest.mark.parametrize("second", [put, delete])
def test_one_write_per_item(hash_table, pk, second):
    requests = [put({"pk": pk}), second({"pk": pk})]
    with invalid(DUPLICATES):
        write(hash_table.db, **{hash_table.name: requests})
    assert hash_table.item({"pk": pk}) is None


def test_the_same_key_in_two_tables(hash_table, new_table, pk):
    other = new_table()
    write(hash_table.db, **{hash_table.name: [put({"pk": pk})], other.name: [put({"pk": pk})]})
    assert other.item({"pk": pk}) == {"pk": pk}


def test_one_bad_item_refuses_all(range_table, pk):
    for bad in ({"pk": pk}, {"pk": pk, "sk": N(1)}, {"pk": pk, "sk": S("")}, {"sk": S("a")}):
        with invalid():
            write(
                range_table.db, **{range_table.name: [put({"pk": pk, "sk": S("good")}), put(bad)]}
            )
    assert range_table.query("pk = :p", values={":p": pk})["Count"] == 0


def test_put_without_its_key(hash_table):
    with invalid(containing("provided key element does not match the schema")):
        write(hash_table.db, **{hash_table.name: [delete({"other": S("a")})]})
    with invalid(re.compile("issing the key pk|does not match the schema")):
        write(hash_table.db, **{hash_table.name: [put({"n": N(1)})]})


def test_item_that_is_too_large(hash_table, pk):
    with invalid("Item size has exceeded the maximum allowed size"):
        write(hash_table.db, **{hash_table.name: [put({"pk": pk, "d": S("x" * 410_000)})]})


def test_write_of_nothing(db, hash_table):
    with invalid():
        db.batch_write_item(RequestItems={})
    with invalid():
        write(db, **{hash_table.name: []})
    with invalid(containing("Supplied AttributeValue")):
        write(db, **{hash_table.name: [put({"pk": {}})]})


def test_put_and_delete_in_one_request(hash_table, pk):
    both = {**put({"pk": pk}), **delete({"pk": pk})}
    with invalid():
        write(hash_table.db, **{hash_table.name: [both]})
    with invalid():
        write(hash_table.db, **{hash_table.name: [{}]})


def test_write_to_an_unknown_table(db, hash_table, pk):
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        write(db, **{hash_table.name: [put({"pk": pk})], "no-such-table": [put({"pk": pk})]})


# ---- BatchGetItem ----


def test_gets_what_is_there(hash_table, pk):
    items = [{**key, "n": N(number)} for number, key in enumerate(keys_of(pk, 5))]
    hash_table.put_all(items)
    assert get(hash_table, keys_of(pk, 8)) == items
    assert get(hash_table, keys_of(pk, 8), consistent=True) == items


def test_gets_from_several_tables(hash_table, range_table, pk):
    hash_table.put({"pk": pk, "n": N(1)})
    range_table.put({"pk": pk, "sk": S("a"), "n": N(2)})
    answer = hash_table.db.batch_get_item(
        RequestItems={
            hash_table.name: {"Keys": [{"pk": pk}]},
            range_table.name: {"Keys": [{"pk": pk, "sk": S("a")}], "ConsistentRead": True},
        }
    )
    assert answer["Responses"] == {
        hash_table.name: [{"pk": pk, "n": N(1)}],
        range_table.name: [{"pk": pk, "sk": S("a"), "n": N(2)}],
    }


def test_nothing_found(hash_table, pk):
    assert get(hash_table, [{"pk": pk}]) == []


def test_projection(hash_table, pk):
    hash_table.put_all([{**key, "n": N(1), "name": S("x")} for key in keys_of(pk, 2)])
    found = get(hash_table, keys_of(pk, 2), projection="#n", names={"#n": "name"})
    assert found == [{"name": S("x")}] * 2


def test_a_hundred_keys_at_most(hash_table, pk):
    hash_table.put_all(keys_of(pk, 100))
    assert len(get(hash_table, keys_of(pk, 100))) == 100
    with invalid(TOO_MANY_READS):
        get(hash_table, keys_of(pk, 101))


def test_duplicate_keys(hash_table, pk):
    with invalid(DUPLICATES):
        get(hash_table, [{"pk": pk}, {"pk": pk}])


def test_numbers_that_are_the_same_key(new_table):
    table = new_table(pk="N")
    with invalid(DUPLICATES):
        get(table, [{"pk": N("1.0")}, {"pk": N("1")}])


def test_keys_of_another_shape(range_table, pk):
    with invalid("The provided key element does not match the schema"):
        get(range_table, [{"pk": pk}])


def test_get_of_nothing(db, hash_table):
    with invalid():
        db.batch_get_item(RequestItems={})
    with invalid():
        get(hash_table, [])


def test_get_from_an_unknown_table(db, pk):
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        db.batch_get_item(RequestItems={"no-such-table": {"Keys": [{"pk": pk}]}})


def test_answers_hold_16_megabytes(new_table):
    """What does not fit comes back as UnprocessedKeys, ready to be asked again."""
    table = new_table()
    keys = [{"pk": S(f"{number}")} for number in range(46)]
    for key in keys:
        table.put({**key, "d": S("x" * 390_000)})
    request = {"Keys": keys, "ConsistentRead": True}
    answer = table.db.batch_get_item(RequestItems={table.name: request})
    first = {item["pk"]["S"] for item in answer["Responses"][table.name]}
    rest = answer["UnprocessedKeys"][table.name]
    assert rest["ConsistentRead"] is True
    assert 40 <= len(first) < 46
    answer = table.db.batch_get_item(RequestItems={table.name: rest})
    second = {item["pk"]["S"] for item in answer["Responses"][table.name]}
    assert answer["UnprocessedKeys"] == {}
    assert first.isdisjoint(second)
    assert first | second == {key["pk"]["S"] for key in keys}

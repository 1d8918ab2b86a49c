"""Answers that are far larger as text than DynamoDB counts: what does not fit waits for the next
page or stays unprocessed, and nothing of it is a fault of the server."""

import functools

import pytest

from errors import containing, invalid, refuses
from tables import all_items, index, pages
from values import S

# Two bytes of an item are 130 of text.
NUMBERS = {"NS": [f"{digits}E119" for digits in range(1, 10_000)]}
# One byte of an item is six of text.
CONTROLS = S("\x01" * 409_000)
LARGE = 12


@pytest.fixture(scope="module")
def numbers(new_table):
    """More than one answer holds, in less than 1 MB."""
    table = new_table(sk="S")
    for i in range(24):
        table.put({"pk": S("p"), "sk": S(f"{i:02}"), "n": NUMBERS})
    return table


@pytest.fixture(scope="module")
def controls(new_table):
    table = new_table()
    for i in range(LARGE):
        table.put({"pk": S(str(i)), "d": CONTROLS})
    return table


@pytest.mark.parametrize("forward", [True, False])
def test_query_pages(numbers, forward):
    query = functools.partial(numbers.query, "pk = :p", values={":p": S("p")}, forward=forward)
    found = [item["sk"]["S"] for item in all_items(query)]
    assert found == sorted((f"{i:02}" for i in range(24)), reverse=not forward)


def test_scan_pages_with_a_filter(numbers):
    answers = list(pages(numbers.scan, filter="sk >= :s", values={":s": S("04")}))
    assert sum(answer["Count"] for answer in answers) == 20
    assert sum(answer["ScannedCount"] for answer in answers) == 24


def test_batch_leaves_the_rest_unprocessed(db, controls):
    requests = {controls.name: {"Keys": [{"pk": S(str(i))} for i in range(LARGE)]}}
    found = []
    while requests:
        answer = db.batch_get_item(RequestItems=requests)
        assert answer["Responses"][controls.name]
        found += [item["pk"]["S"] for item in answer["Responses"][controls.name]]
        requests = answer["UnprocessedKeys"]
    assert sorted(found, key=int) == [str(i) for i in range(LARGE)]


def test_cancelled_transaction_shows_what_fits(db, controls):
    delete = {
        "TableName": controls.name,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    deletes = [{"Delete": {**delete, "Key": {"pk": S(str(i))}}} for i in range(LARGE)]
    with refuses("TransactionCanceledException") as failure:
        db.transact_write_items(TransactItems=deletes)
    reasons = failure.value.response["CancellationReasons"]
    assert {reason["Code"] for reason in reasons} == {"ConditionalCheckFailed"}
    assert len(reasons) == LARGE
    assert reasons[0]["Item"] == {"pk": S("0"), "d": CONTROLS}


def test_many_long_names_that_an_index_lacks(new_table):
    table = new_table(
        attributes={"g": "S"},
        GlobalSecondaryIndexes=[index("by-g", "g", projection="KEYS_ONLY")],
    )
    names = {f"#n{i}": "n" * 50_000 + str(i) for i in range(250)}
    with invalid(containing("by-g does not project")):
        table.query(
            "g = :g",
            index="by-g",
            values={":g": S("g")},
            names=names,
            projection=", ".join(names),
        )

"""Many writers at once: nothing is lost, nothing happens twice, nothing is seen half done."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError

from values import N, S

WRITERS = 8
ROUNDS = 25


@pytest.fixture
def together():
    """together(work): runs work(0) to work(WRITERS - 1) at once; returns what they return."""
    with ThreadPoolExecutor(WRITERS) as pool:
        yield lambda work: list(pool.map(work, range(WRITERS)))


def test_counters_lose_nothing(hash_table, pk, together):
    def count(_):
        for _ in range(ROUNDS):
            hash_table.update({"pk": pk}, "ADD n :one", values={":one": N(1)})

    together(count)
    assert hash_table.item({"pk": pk})["n"] == N(WRITERS * ROUNDS)


def test_every_increment_is_seen_once(hash_table, pk, together):
    def count(_):
        seen = []
        for _ in range(ROUNDS):
            answer = hash_table.update(
                {"pk": pk}, "ADD n :one", values={":one": N(1)}, returns="UPDATED_NEW"
            )
            seen.append(int(answer["Attributes"]["n"]["N"]))
        return seen

    seen = [number for numbers in together(count) for number in numbers]
    assert sorted(seen) == list(range(1, WRITERS * ROUNDS + 1))


def test_one_of_many_wins(hash_table, pk, together):
    def claim(writer):
        try:
            hash_table.put({"pk": pk, "owner": N(writer)}, condition="attribute_not_exists(pk)")
        except hash_table.db.exceptions.ConditionalCheckFailedException:
            return None
        return writer

    winners = [winner for winner in together(claim) if winner is not None]
    assert len(winners) == 1
    assert hash_table.item({"pk": pk})["owner"] == N(winners[0])


def test_transfers_keep_the_sum(db, hash_table, pk, together):
    """Transactions move money between two accounts while others read both."""
    accounts = [{"pk": S(f"{pk['S']}-{side}")} for side in ("a", "b")]
    for account in accounts:
        hash_table.put({**account, "balance": N(1000)})

    def move(source, target, amount):
        changes = [(source, f"-{amount}"), (target, f"{amount}")]
        members = [
            {
                "Update": {
                    "TableName": hash_table.name,
                    "Key": account,
                    "UpdateExpression": "ADD balance :by",
                    "ExpressionAttributeValues": {":by": N(by)},
                }
            }
            for account, by in changes
        ]
        until_no_conflict(lambda: db.transact_write_items(TransactItems=members))

    def read_sum():
        members = [{"Get": {"TableName": hash_table.name, "Key": key}} for key in accounts]
        answer = until_no_conflict(lambda: db.transact_get_items(TransactItems=members))
        return sum(int(response["Item"]["balance"]["N"]) for response in answer["Responses"])

    def work(writer):
        source, target = accounts if writer % 2 else reversed(accounts)
        for number in range(ROUNDS):
            move(source, target, number)
            assert read_sum() == 2000

    together(work)
    assert read_sum() == 2000


def until_no_conflict(call):
    """Transactions that meet are cancelled by the service; clients are to try again."""
    while True:
        try:
            return call()
        except ClientError as error:
            if "TransactionConflict" not in str(error):
                raise

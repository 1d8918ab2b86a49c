"""What must hold once the server runs again, one tenant at a time, while nobody writes."""

from collections import Counter as Tally

import schema
from client import Refused
from schema import BY_STATUS, LASTING, OPENING_BALANCE, ORDERS, SCRATCH, VAULTS, WALLETS
from server import Wrong
from writers import STATUSES, Builder, Counter, Transferrer, key_of

REPLAYS = 3


def require(holds, sentence):
    if not holds:
        raise Wrong(sentence)


class Audit:
    def __init__(self, connection, tenant, writers, random):
        self.connection = connection
        self.tenant = tenant
        self.writers = writers
        self.random = random
        self.tables = {}
        self.item_count = 0

    def of(self, kind):
        return [writer for writer in self.writers if isinstance(writer, kind)]

    def run(self):
        self.settle_builders()
        self.read_tables()
        for writer in self.writers:
            writer.audit(self.tables)
        self.compare_counters()
        self.compare_transfers()
        self.replay_transfers()
        for index in self.indexes():
            self.compare_index(index)
        self.query_by_status()
        self.query_by_due()

    # Tables and indexes that come and go.

    def settle_builders(self):
        orders = schema.wait_until_active(self.connection, ORDERS)
        scratch = schema.wait_until_active(self.connection, SCRATCH)
        require(orders, "the table of orders is gone")
        names = {index["IndexName"] for index in orders["GlobalSecondaryIndexes"]}
        for builder in self.of(Builder):
            has_scratch = scratch is not None
            require(has_scratch in builder.tables, f"{SCRATCH} came or went by itself")
            builder.tables = {has_scratch}
            has_index = schema.BY_TOTAL in names
            require(has_index in builder.indexes, f"{schema.BY_TOTAL} came or went by itself")
            builder.indexes = {has_index}

    def indexes(self):
        has_totals = any(builder.indexes == {True} for builder in self.of(Builder))
        return [*LASTING, *([schema.TOTALS] if has_totals else [])]

    # Items.

    def read_table(self, table):
        """Its items by key, where the table counts them right."""
        items = self.connection.pages("Scan", TableName=table)
        by_key = {key_of(table, item): item for item in items}
        require(len(by_key) == len(items), f"a scan of {table} shows an item twice")
        count = schema.describe(self.connection, table)["ItemCount"]
        require(count == len(items), f"{table} counts {count} items, but has {len(items)}")
        self.item_count += len(items)
        return by_key

    def read_tables(self):
        has_scratch = any(builder.tables == {True} for builder in self.of(Builder))
        present = [*schema.TABLES, *([SCRATCH] if has_scratch else [])]
        self.tables = {table: self.read_table(table) for table in present}

    # Counters.

    def compare_counters(self):
        counters = self.of(Counter)
        if not counters:
            return
        for number in range(len(counters[0].sure)):
            found = self.wallet(f"counter#{number}").get("hits", {"N": "0"})
            sure = sum(counter.sure[number] for counter in counters)
            perhaps = sum(counter.in_flight == number for counter in counters)
            hits = int(found["N"])
            require(
                sure <= hits <= sure + perhaps,
                f"counter {number} stands at {hits}, {sure} were acknowledged, {perhaps} in flight",
            )
            counters[0].sure[number] += hits - sure
        for counter in counters:
            counter.in_flight = None

    def wallet(self, pk):
        return self.tables[WALLETS].get((WALLETS, pk, None), {})

    # Transfers.

    def records(self):
        return {
            pk.partition("#")[2]: item
            for (_, pk, _), item in self.tables[WALLETS].items()
            if pk.startswith("transfer#")
        }

    def compare_transfers(self):
        """Every transfer acknowledged has left its record, none has but those and the ones in
        flight, and the balances are what the records make of them."""
        records = self.records()
        transferrers = self.of(Transferrer)
        acknowledged = set().union(*(t.acknowledged for t in transferrers))
        perhaps = {t.in_flight["ClientRequestToken"] for t in transferrers if t.in_flight}
        lost = acknowledged - records.keys()
        require(not lost, f"{len(lost)} transfers are lost, such as {min(lost, default='')}")
        strange = records.keys() - acknowledged - perhaps
        require(not strange, f"transfers that nobody was told of: {strange}")
        self.compare_balances(records)

    def compare_balances(self, records):
        balances = Tally()
        for record in records.values():
            balances[record["source"]["S"]] -= int(record["amount"]["N"])
            balances[record["target"]["S"]] += int(record["amount"]["N"])
        for table in (WALLETS, VAULTS):
            for number in range(schema.ACCOUNTS):
                found = self.tables[table][table, f"account#{number}", None]["balance"]["N"]
                expected = OPENING_BALANCE + balances[f"{table} {number}"]
                require(
                    int(found) == expected,
                    f"account {number} of {table} has {found}, its transfers make it {expected}",
                )

    def replay_transfers(self):
        """A token of the last ten minutes does what it did, once; another payload is refused."""
        for transferrer in self.of(Transferrer):
            recent = list(transferrer.acknowledged.values())[-REPLAYS:]
            older = self.random.sample(sorted(transferrer.acknowledged), min(REPLAYS, len(recent)))
            for request in recent + [transferrer.acknowledged[token] for token in older]:
                self.connection.call("TransactWriteItems", **request)
            if recent:
                self.replay_changed(recent[-1])
            self.replay_in_flight(transferrer)
        for table in (WALLETS, VAULTS):
            self.tables[table] = self.read_table(table)
        self.compare_transfers()

    def replay_changed(self, request):
        put = {"Put": {"TableName": WALLETS, "Item": {"pk": {"S": "transfer#changed"}}}}
        items = request["TransactItems"][:-1] + [put]
        try:
            self.connection.call("TransactWriteItems", **{**request, "TransactItems": items})
        except Refused as refused:
            require(refused.kind == "IdempotentParameterMismatchException", str(refused))
            return
        raise Wrong("a token was taken with another payload")

    def replay_in_flight(self, transferrer):
        request = transferrer.in_flight
        transferrer.in_flight = None
        if request is None:
            return
        try:
            self.connection.call("TransactWriteItems", **request)
            transferrer.acknowledged[request["ClientRequestToken"]] = request
        except Refused as refused:
            require(refused.kind == "TransactionCanceledException", str(refused))

    # Indexes.

    def compare_index(self, index):
        """Each row belongs to an item and each item that it is for has its row."""
        expected = {
            key: row
            for key, item in self.tables[ORDERS].items()
            if (row := index.row_of(item)) is not None
        }
        rows = self.connection.pages("Scan", TableName=ORDERS, IndexName=index.name)
        found = {key_of(ORDERS, row): row for row in rows}
        require(len(found) == len(rows), f"{index.name} has two rows for one item")
        for key in expected.keys() | found.keys():
            require(
                expected.get(key) == found.get(key),
                f"{index.name}: {key} should be {expected.get(key)}, but is {found.get(key)}",
            )
        self.compare_index_count(index, len(rows))

    def compare_index_count(self, index, count):
        description = schema.describe(self.connection, ORDERS)
        kind = "LocalSecondaryIndexes" if index.local else "GlobalSecondaryIndexes"
        for described in description[kind]:
            if described["IndexName"] == index.name:
                found = described["ItemCount"]
                require(found == count, f"{index.name} counts {found} rows, but has {count}")

    def query(self, index, name, value):
        return self.connection.pages(
            "Query",
            TableName=ORDERS,
            IndexName=index.name,
            KeyConditionExpression="#key = :key",
            ExpressionAttributeNames={"#key": name},
            ExpressionAttributeValues={":key": {"S": value}},
        )

    def query_by_status(self):
        for status in STATUSES:
            rows = self.query(BY_STATUS, "status", status)
            expected = [
                item
                for item in self.tables[ORDERS].values()
                if "total" in item and item.get("status") == {"S": status}
            ]
            totals = [int(row["total"]["N"]) for row in rows]
            require(totals == sorted(totals), f"orders of status {status} are out of order")
            require(
                sorted(map(str, rows)) == sorted(map(str, expected)),
                f"a query shows {len(rows)} orders of status {status}, not {len(expected)}",
            )

    def query_by_due(self):
        for pk in {pk for _, pk, _ in self.tables[ORDERS]}:
            rows = self.query(schema.BY_DUE, "pk", pk)
            expected = [
                item["due"]["S"]
                for item in self.tables[ORDERS].values()
                if item["pk"] == {"S": pk} and "due" in item
            ]
            found = [row["due"]["S"] for row in rows]
            require(found == sorted(expected), f"orders of {pk} by date are {found}")

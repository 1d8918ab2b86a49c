"""Writers: each sends one request after the other, as fast as it can, until its connection ends.
A writer outlives the server: what it knows is compared with what the next run of it shows."""

import uuid

import schema
from client import Gone, Refused
from expectation import Expectation
from schema import ACCOUNTS, DOCUMENTS, ORDERS, SCRATCH, VAULTS, WALLETS, account

STATUSES = ("new", "paid", "sent")
PARTITIONS = 4
SORT_KEYS = 12
CUSTOMERS = 5
BATCH_MAX = 25
TRANSACTION_MAX = 6
SMALL_BYTES_MAX = 2000
LARGE_BYTES = 350_000
DOCUMENTS_KEPT = 4
COUNTERS = 2
AMOUNT_MAX = 100_000
REPEAT_CHANCE = 0.1
SCRATCH_ITEMS = 5
WRONG_VERSION = {"N": "-1"}


def key_attributes(key):
    _, pk, sk = key
    return {"pk": {"S": pk}} if sk is None else {"pk": {"S": pk}, "sk": {"N": sk}}


def key_of(table, item):
    return table, item["pk"]["S"], item["sk"]["N"] if "sk" in item else None


class Writer:
    """Its name begins the partition keys of its items; they are its own. `chance` is how likely it
    takes part in a round."""

    chance = 1

    def __init__(self, name):
        self.name = name
        self.random = None  # seeded anew for each round
        self.expectation = Expectation()
        self.requests = 0

    def run(self, connection):
        try:
            self.begin(connection)
            while True:
                self.step(connection)
                self.requests += 1
        except Gone:
            pass

    def begin(self, connection):
        """What it does first in each round."""

    def step(self, connection):
        raise NotImplementedError

    def send(self, connection, operation, changes, is_atomic=True, may_fail=None, **request):
        """True if it was done, False if it failed in the way that it may."""
        self.expectation.begin(changes, is_atomic)
        try:
            answer = connection.call(operation, **request)
        except Refused as refused:
            if refused.kind != may_fail:
                raise
            self.expectation.undone()
            return False
        assert not any(answer.get("UnprocessedItems", {}).values()), answer
        self.expectation.done()
        return True

    def audit(self, tables):
        """Compares its items; `tables` holds all items of the tenant by key."""
        found = {
            key: item
            for items in tables.values()
            for key, item in items.items()
            if key[1].startswith(self.name + "#")
        }
        self.expectation.settle(found)


class OrderWriter(Writer):
    """Every way of writing items, with attributes that move between the rows of the indexes."""

    def step(self, connection):
        self.random.choice(
            (self.put, self.put, self.update, self.update, self.delete)
            + (self.put_if_version, self.put_wrongly, self.batch, self.transact)
        )(connection)

    def new_key(self):
        pk = f"{self.name}#{self.random.randrange(PARTITIONS)}"
        return ORDERS, pk, str(self.random.randrange(SORT_KEYS))

    def some_attributes(self):
        """Each is left out now and then, so that index rows come and go."""
        every = {
            "status": {"S": self.random.choice(STATUSES)},
            "total": {"N": str(self.random.randrange(-9, 10_000))},
            "customer": {"S": f"customer {self.random.randrange(CUSTOMERS)}"},
            "due": {"S": f"2026-{self.random.randrange(1, 13):02}"},
        }
        return {name: value for name, value in every.items() if self.random.random() < 0.8}

    def new_item(self, key):
        old = self.expectation.items.get(key, {"version": {"N": "0"}})
        return {
            **key_attributes(key),
            **self.some_attributes(),
            "version": {"N": str(int(old["version"]["N"]) + 1)},
            "count": {"N": "0"},
            "text": {"S": "x" * self.random.randrange(SMALL_BYTES_MAX)},
        }

    def put(self, connection):
        key = self.new_key()
        item = self.new_item(key)
        self.send(connection, "PutItem", {key: item}, TableName=ORDERS, Item=item)

    def delete(self, connection):
        key = self.new_key()
        if key not in self.expectation.items:
            return
        self.send(
            connection, "DeleteItem", {key: None}, TableName=ORDERS, Key=key_attributes(key)
        )

    def update_request(self, key):
        """Counts, sets some attributes and removes one: the request, and the item after it."""
        old = self.expectation.items.get(key, key_attributes(key))
        values = self.some_attributes()
        removed = self.random.choice([n for n in ("text", "due", "status") if n not in values])
        version = str(int(old.get("version", {"N": "0"})["N"]) + 1)
        count = str(int(old.get("count", {"N": "0"})["N"]) + 1)
        item = {**old, **values, "version": {"N": version}, "count": {"N": count}}
        item.pop(removed, None)
        names = {"count", removed, *values}
        assignments = ["version = :version", *(f"#{name} = :{name}" for name in values)]
        request = {
            "TableName": ORDERS,
            "Key": key_attributes(key),
            "UpdateExpression": f"SET {', '.join(assignments)} ADD #count :one REMOVE #{removed}",
            "ExpressionAttributeNames": {"#" + name: name for name in names},
            "ExpressionAttributeValues": {
                ":one": {"N": "1"},
                ":version": {"N": version},
                **{":" + name: value for name, value in values.items()},
            },
        }
        return request, item

    def update(self, connection):
        key = self.new_key()
        request, item = self.update_request(key)
        self.send(connection, "UpdateItem", {key: item}, **request)

    def put_if_version(self, connection):
        key = self.new_key()
        item = self.new_item(key)
        request = {"TableName": ORDERS, "Item": item}
        if key in self.expectation.items:
            request["ConditionExpression"] = "version = :v"
            request["ExpressionAttributeValues"] = {
                ":v": self.expectation.items[key]["version"]
            }
        else:
            request["ConditionExpression"] = "attribute_not_exists(pk)"
        self.send(connection, "PutItem", {key: item}, **request)

    def put_wrongly(self, connection):
        """Its condition never holds."""
        key = self.new_key()
        done = self.send(
            connection,
            "PutItem",
            {},
            may_fail="ConditionalCheckFailedException",
            TableName=ORDERS,
            Item=self.new_item(key),
            ConditionExpression="version = :v",
            ExpressionAttributeValues={":v": WRONG_VERSION},
        )
        assert not done, "a condition that does not hold was taken to hold"

    def some_changes(self, most):
        keys = {self.new_key() for _ in range(self.random.randrange(1, most + 1))}
        return {
            key: self.new_item(key)
            if key not in self.expectation.items or self.random.random() < 0.7
            else None
            for key in keys
        }

    def batch(self, connection):
        changes = self.some_changes(BATCH_MAX)
        requests = [
            {"PutRequest": {"Item": item}}
            if item
            else {"DeleteRequest": {"Key": key_attributes(key)}}
            for key, item in changes.items()
        ]
        self.send(
            connection,
            "BatchWriteItem",
            changes,
            is_atomic=False,
            RequestItems={ORDERS: requests},
        )

    def member(self, key, item, changes):
        """One change of a transaction; `changes` receives what it will have done."""
        changes[key] = item
        if item is None:
            return {"Delete": {"TableName": ORDERS, "Key": key_attributes(key)}}
        if self.random.random() < 0.5:
            return {"Put": {"TableName": ORDERS, "Item": item}}
        update, changes[key] = self.update_request(key)
        return {"Update": update}

    def transact(self, connection):
        """Now and then with a member whose condition fails: then nothing of it may happen."""
        changes = {}
        members = [
            self.member(key, item, changes)
            for key, item in self.some_changes(TRANSACTION_MAX).items()
        ]
        fails = self.random.random() < 0.2
        if fails:
            members.append(
                {
                    "ConditionCheck": {
                        "TableName": WALLETS,
                        "Key": account(0),
                        "ConditionExpression": "attribute_not_exists(pk)",
                    }
                }
            )
        done = self.send(
            connection,
            "TransactWriteItems",
            {} if fails else changes,
            may_fail="TransactionCanceledException" if fails else None,
            TransactItems=members,
        )
        assert done != fails, "a canceled transaction was acknowledged"


class DocumentWriter(Writer):
    """Large items: they fill memtables, so that tables are flushed and compacted meanwhile."""

    chance = 0.2

    def step(self, connection):
        key = (DOCUMENTS, f"{self.name}#{self.random.randrange(DOCUMENTS_KEPT)}", None)
        text = self.random.choice("abc") * (LARGE_BYTES - self.random.randrange(SMALL_BYTES_MAX))
        item = {**key_attributes(key), "text": {"S": text}}
        self.send(connection, "PutItem", {key: item}, TableName=DOCUMENTS, Item=item)


class Counter(Writer):
    """Counters that all writers of the tenant share: no increment may be lost or come twice."""

    def __init__(self, name):
        super().__init__(name)
        self.sure = [0] * COUNTERS
        self.in_flight = None

    def step(self, connection):
        self.in_flight = self.random.randrange(COUNTERS)
        connection.call(
            "UpdateItem",
            TableName=WALLETS,
            Key={"pk": {"S": f"counter#{self.in_flight}"}},
            UpdateExpression="ADD hits :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
        )
        self.sure[self.in_flight] += 1
        self.in_flight = None

    def audit(self, tables):
        """Nothing: the sum is compared over all writers."""


class Transferrer(Writer):
    """Moves amounts between two tables, in transactions with tokens that leave a record each. Now
    and then an account has not enough, or a request is sent twice."""

    def __init__(self, name):
        super().__init__(name)
        self.acknowledged = {}  # requests by token
        self.in_flight = None

    def new_transfer(self):
        token = str(uuid.UUID(int=self.random.getrandbits(128)))
        amount = self.random.randrange(1, AMOUNT_MAX)
        source, target = self.random.sample([WALLETS, VAULTS], 2)
        origin, goal = self.random.randrange(ACCOUNTS), self.random.randrange(ACCOUNTS)
        record = {
            "pk": {"S": f"transfer#{token}"},
            "amount": {"N": str(amount)},
            "source": {"S": f"{source} {origin}"},
            "target": {"S": f"{target} {goal}"},
        }
        return {
            "ClientRequestToken": token,
            "TransactItems": [
                change_balance(source, origin, -amount),
                change_balance(target, goal, amount),
                {"Put": {"TableName": WALLETS, "Item": record}},
            ],
        }

    def step(self, connection):
        request = self.new_transfer()
        self.in_flight = request
        try:
            connection.call("TransactWriteItems", **request)
            self.acknowledged[request["ClientRequestToken"]] = request
            if self.random.random() < REPEAT_CHANCE:
                connection.call("TransactWriteItems", **request)
        except Refused as refused:
            if refused.kind != "TransactionCanceledException":
                raise
        self.in_flight = None

    def audit(self, tables):
        """Nothing: accounts are compared over all writers."""


def change_balance(table, number, amount):
    update = {
        "TableName": table,
        "Key": account(number),
        "UpdateExpression": "ADD balance :amount",
        "ExpressionAttributeValues": {":amount": {"N": str(amount)}},
    }
    if amount < 0:
        update["ConditionExpression"] = "balance >= :enough"
        update["ExpressionAttributeValues"][":enough"] = {"N": str(-amount)}
    return {"Update": update}


class Builder(Writer):
    """Creates and drops a table, adds and drops an index: each time all writers wait."""

    chance = 0.3

    def __init__(self, name):
        super().__init__(name)
        self.tables = {False}  # whether SCRATCH exists: what may be
        self.indexes = {False}  # the same of BY_TOTAL

    def begin(self, connection):
        schema.wait_until_active(connection, ORDERS)
        schema.wait_until_active(connection, SCRATCH)

    def step(self, connection):
        self.random.choice((self.change_table, self.change_index))(connection)

    def change_table(self, connection):
        exists = self.tables == {True}
        self.tables = {True, False}
        if exists:
            self.expectation.begin({key: None for key in self.expectation.items})
            connection.call("DeleteTable", TableName=SCRATCH)
            self.expectation.done()
            self.tables = {False}
            while schema.describe(connection, SCRATCH):
                pass
            return
        schema.create_plain(connection, SCRATCH)
        self.tables = {True}
        schema.wait_until_active(connection, SCRATCH)
        for number in range(SCRATCH_ITEMS):
            key = (SCRATCH, f"{self.name}#{number}", None)
            item = {**key_attributes(key), "text": {"S": str(self.random.random())}}
            self.send(connection, "PutItem", {key: item}, TableName=SCRATCH, Item=item)

    def change_index(self, connection):
        exists = self.indexes == {True}
        self.indexes = {True, False}
        if exists:
            change = {"Delete": {"IndexName": schema.BY_TOTAL}}
        else:
            change = {"Create": schema.TOTALS.definition()}
        connection.call(
            "UpdateTable",
            TableName=ORDERS,
            AttributeDefinitions=schema.attributes(schema.TOTALS.keys),
            GlobalSecondaryIndexUpdates=[change],
        )
        self.indexes = {not exists}
        schema.wait_until_active(connection, ORDERS)

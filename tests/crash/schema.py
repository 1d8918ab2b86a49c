"""The tables of each tenant."""

import time

from client import Refused

ORDERS = "orders"  # items of single writers, with every kind of index
WALLETS = "wallets"  # accounts, shared counters, and a record of each transfer
VAULTS = "vaults"  # accounts
DOCUMENTS = "documents"  # large items
TABLES = (ORDERS, WALLETS, VAULTS, DOCUMENTS)
SCRATCH = "scratch"  # comes and goes
BY_TOTAL = "by_total"  # comes and goes

ACCOUNTS = 8
OPENING_BALANCE = 200_000
BECOMES_ACTIVE_SECONDS = 60
POLL_SECONDS = 0.01

ATTRIBUTE_TYPES = {"pk": "S", "sk": "N", "status": "S", "total": "N", "customer": "S", "due": "S"}


class Index:
    """`hash` and `range` name its key attributes; `projected` is None for all."""

    def __init__(self, name, hash_key, range_key, projected, local=False):
        self.name = name
        self.keys = [key for key in (hash_key, range_key) if key]
        self.projected = projected
        self.local = local

    def definition(self):
        if self.projected is None:
            projection = {"ProjectionType": "ALL"}
        elif self.projected:
            projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": self.projected}
        else:
            projection = {"ProjectionType": "KEYS_ONLY"}
        return {"IndexName": self.name, "KeySchema": schema(self.keys), "Projection": projection}

    def row_of(self, item):
        """What the index must hold for an item; None for nothing."""
        if any(key not in item for key in self.keys):
            return None
        if self.projected is None:
            return item
        kept = {"pk", "sk", *self.keys, *self.projected}
        return {name: value for name, value in item.items() if name in kept}


BY_STATUS = Index("by_status", "status", "total", None)
BY_CUSTOMER = Index("by_customer", "customer", None, [])
BY_DUE = Index("by_due", "pk", "due", ["total"], local=True)
TOTALS = Index(BY_TOTAL, "customer", "total", ["status"])
LASTING = (BY_STATUS, BY_CUSTOMER, BY_DUE)


def schema(keys):
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(keys, ("HASH", "RANGE"))
    ]


def attributes(names):
    return [{"AttributeName": n, "AttributeType": ATTRIBUTE_TYPES[n]} for n in sorted(names)]


def create_orders(connection):
    names = {"pk", "sk"}.union(*(index.keys for index in LASTING))
    connection.call(
        "CreateTable",
        TableName=ORDERS,
        AttributeDefinitions=attributes(names),
        KeySchema=schema(["pk", "sk"]),
        GlobalSecondaryIndexes=[index.definition() for index in LASTING if not index.local],
        LocalSecondaryIndexes=[index.definition() for index in LASTING if index.local],
        BillingMode="PAY_PER_REQUEST",
    )


def create_plain(connection, table):
    connection.call(
        "CreateTable",
        TableName=table,
        AttributeDefinitions=attributes({"pk"}),
        KeySchema=schema(["pk"]),
        BillingMode="PAY_PER_REQUEST",
    )


def account(number):
    return {"pk": {"S": f"account#{number}"}}


def open_accounts(connection, table):
    for number in range(ACCOUNTS):
        item = {**account(number), "balance": {"N": str(OPENING_BALANCE)}}
        connection.call("PutItem", TableName=table, Item=item)


def create_all(connection):
    create_orders(connection)
    for table in (WALLETS, VAULTS, DOCUMENTS):
        create_plain(connection, table)
    for table in TABLES:
        wait_until_active(connection, table)
    for table in (WALLETS, VAULTS):
        open_accounts(connection, table)


def describe(connection, table):
    """The table's description, or None if there is no such table."""
    try:
        return connection.call("DescribeTable", TableName=table)["Table"]
    except Refused as refused:
        if refused.kind != "ResourceNotFoundException":
            raise
        return None


def is_settled(description):
    indexes = description.get("GlobalSecondaryIndexes", [])
    states = [description["TableStatus"], *(index["IndexStatus"] for index in indexes)]
    return all(state == "ACTIVE" for state in states)


def wait_until_active(connection, table):
    """The description of a table once it and its indexes are active; None if it is gone."""
    deadline = time.monotonic() + BECOMES_ACTIVE_SECONDS
    while (description := describe(connection, table)) and not is_settled(description):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{table} does not become active: {description}")
        time.sleep(POLL_SECONDS)
    return description

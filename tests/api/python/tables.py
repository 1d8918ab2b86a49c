"""Tables: creating and dropping them, and calls on one of them in few words."""

import time

from botocore.exceptions import ClientError

ACTIVE_SECONDS = 60
POLL_SECONDS = 0.02

# What the tests write -> what the API calls it.
PARAMETERS = {
    "condition": "ConditionExpression",
    "filter": "FilterExpression",
    "key_condition": "KeyConditionExpression",
    "projection": "ProjectionExpression",
    "names": "ExpressionAttributeNames",
    "values": "ExpressionAttributeValues",
    "returns": "ReturnValues",
    "on_failure": "ReturnValuesOnConditionCheckFailure",
    "capacity": "ReturnConsumedCapacity",
    "metrics": "ReturnItemCollectionMetrics",
    "index": "IndexName",
    "limit": "Limit",
    "start": "ExclusiveStartKey",
    "forward": "ScanIndexForward",
    "consistent": "ConsistentRead",
    "select": "Select",
    "segment": "Segment",
    "segments": "TotalSegments",
}


class Table:
    """One table. Keywords are those of PARAMETERS; anything else goes through as it is."""

    def __init__(self, db, name):
        self.db = db
        self.name = name

    def put(self, item, **more):
        return self.db.put_item(TableName=self.name, Item=item, **parameters(more))

    def put_all(self, items):
        """Many items, a batch at a time."""
        for start in range(0, len(items), 25):
            requests = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
            answer = self.db.batch_write_item(RequestItems={self.name: requests})
            assert not answer["UnprocessedItems"]

    def get(self, key, **more):
        """The whole answer of GetItem."""
        return self.db.get_item(TableName=self.name, Key=key, **parameters(more))

    def item(self, key):
        """The item as it is now, or None."""
        return self.get(key, consistent=True).get("Item")

    def update(self, key, expression=None, **more):
        if expression is not None:
            more["UpdateExpression"] = expression
        return self.db.update_item(TableName=self.name, Key=key, **parameters(more))

    def delete(self, key, **more):
        return self.db.delete_item(TableName=self.name, Key=key, **parameters(more))

    def query(self, key_condition, **more):
        return self.db.query(
            TableName=self.name, KeyConditionExpression=key_condition, **parameters(more)
        )

    def scan(self, **more):
        return self.db.scan(TableName=self.name, **parameters(more))

    def describe(self):
        return self.db.describe_table(TableName=self.name)["Table"]


def parameters(words):
    return {PARAMETERS.get(word, word): value for word, value in words.items()}


def pages(operation, *arguments, **more):
    """All pages of a Query or Scan."""
    while True:
        page = operation(*arguments, **more)
        yield page
        if "LastEvaluatedKey" not in page:
            return
        more["start"] = page["LastEvaluatedKey"]


def all_items(operation, *arguments, **more):
    return [item for page in pages(operation, *arguments, **more) for item in page["Items"]]


GONE = {"ResourceNotFoundException", "ResourceInUseException"}

# ---- Definitions ----


def key_schema(*elements):
    """key_schema("a", "b"): a is the partition key, b the sort key."""
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(elements, ["HASH", "RANGE"])
    ]


def definitions(**types):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def index(name, *keys, projection="ALL", **more):
    """An index by its keys. `projection` is a type, or a list of attributes to include."""
    content = {"ProjectionType": projection}
    if isinstance(projection, list):
        content = {"ProjectionType": "INCLUDE", "NonKeyAttributes": projection}
    return {"IndexName": name, "KeySchema": key_schema(*keys), "Projection": content, **more}


def create_table(db, name, pk="S", sk=None, attributes=None, **definition):
    """Creates a table with keys pk and sk of these types; returns when it is active."""
    types = {"pk": pk, **({"sk": sk} if sk else {}), **(attributes or {})}
    request = {
        "TableName": name,
        "AttributeDefinitions": definitions(**types),
        "KeySchema": key_schema("pk", *(["sk"] if sk else [])),
        **definition,
    }
    if "ProvisionedThroughput" not in request:
        request.setdefault("BillingMode", "PAY_PER_REQUEST")
    db.create_table(**request)
    return wait_until_active(db, name)


def wait_until_active(db, name):
    """Waits for the table and its indexes, as every client of the API has to."""
    deadline = time.monotonic() + ACTIVE_SECONDS
    while True:
        table = db.describe_table(TableName=name)["Table"]
        states = [entry["IndexStatus"] for entry in table.get("GlobalSecondaryIndexes", [])]
        if {table["TableStatus"], *states} == {"ACTIVE"}:
            return table
        assert time.monotonic() < deadline, f"{name} does not become active: {table}"
        time.sleep(POLL_SECONDS)


def wait_until_gone(db, name):
    deadline = time.monotonic() + ACTIVE_SECONDS
    while True:
        try:
            db.describe_table(TableName=name)
        except db.exceptions.ResourceNotFoundException:
            return
        assert time.monotonic() < deadline, f"{name} does not go away"
        time.sleep(POLL_SECONDS)


def drop_table(db, name):
    """For the end of tests: a table that is not there, or on its way out, is fine."""
    try:
        db.delete_table(TableName=name)
    except ClientError as error:
        if error.response["Error"]["Code"] not in GONE:
            raise

"""Tenants of one server: in development mode the access key id names the tenant. Whatever one of
them asks for, another one's tables and items look like tables and items that do not exist. Every
test first shows that the owner gets what the stranger does not."""

import uuid

import pytest

from client import make_client
from errors import refuses
from tables import Table, create_table, drop_table, wait_until_gone
from values import N, S

pytestmark = pytest.mark.rowhouse

NOT_FOUND = "Requested resource not found"


@pytest.fixture
def owner(endpoint):
    return make_client(endpoint, f"owner-{uuid.uuid4().hex[:12]}")


@pytest.fixture
def stranger(endpoint):
    return make_client(endpoint, f"stranger-{uuid.uuid4().hex[:12]}")


@pytest.fixture
def shared_name(owner, stranger):
    """A table name that both tenants may use."""
    name = f"t-{uuid.uuid4().hex[:20]}"
    yield name
    for tenant in (owner, stranger):
        drop_table(tenant, name)


@pytest.fixture
def owned(owner, shared_name):
    """A table of the owner with one item."""
    create_table(owner, shared_name)
    table = Table(owner, shared_name)
    table.put({"pk": S("secret"), "n": N(1)})
    return table


def test_the_same_name_is_two_tables(owned, stranger):
    create_table(stranger, owned.name, pk="S")
    theirs = Table(stranger, owned.name)
    assert theirs.scan()["Count"] == 0
    theirs.put({"pk": S("secret"), "n": N(2)})
    assert owned.item({"pk": S("secret")})["n"] == N(1)
    assert theirs.item({"pk": S("secret")})["n"] == N(2)
    theirs.delete({"pk": S("secret")})
    assert owned.scan()["Count"] == 1


def test_the_same_name_may_have_other_keys(owned, stranger):
    create_table(stranger, owned.name, pk="N", sk="B")
    stranger.put_item(TableName=owned.name, Item={"pk": N(1), "sk": {"B": b"x"}})
    assert owned.describe()["KeySchema"] == [{"AttributeName": "pk", "KeyType": "HASH"}]


def test_lists_hold_own_tables_alone(owned, owner, stranger):
    assert owner.list_tables()["TableNames"] == [owned.name]
    assert stranger.list_tables()["TableNames"] == []
    start = {"ExclusiveStartTableName": owned.name[:-1]}
    assert owner.list_tables(**start)["TableNames"] == [owned.name]
    assert stranger.list_tables(**start)["TableNames"] == []


KEY = {"pk": S("secret")}
CALLS = {
    "get_item": lambda name: {"TableName": name, "Key": KEY},
    "put_item": lambda name: {"TableName": name, "Item": KEY},
    "update_item": lambda name: {"TableName": name, "Key": KEY},
    "delete_item": lambda name: {"TableName": name, "Key": KEY},
    "scan": lambda name: {"TableName": name},
    "query": lambda name: {
        "TableName": name,
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": S("secret")},
    },
    "batch_get_item": lambda name: {"RequestItems": {name: {"Keys": [KEY]}}},
    "batch_write_item": lambda name: {"RequestItems": {name: [{"DeleteRequest": {"Key": KEY}}]}},
    "transact_get_items": lambda name: {
        "TransactItems": [{"Get": {"TableName": name, "Key": KEY}}]
    },
    "transact_write_items": lambda name: {
        "TransactItems": [
            {
                "ConditionCheck": {
                    "TableName": name,
                    "Key": KEY,
                    "ConditionExpression": "attribute_exists(pk)",
                }
            }
        ]
    },
}


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("by", ["name", "arn"])
def test_a_foreign_table_does_not_exist(owned, owner, stranger, operation, by):
    name = owned.name if by == "name" else owned.describe()["TableArn"]
    request = CALLS[operation](name)
    with refuses("ResourceNotFoundException", NOT_FOUND):
        getattr(stranger, operation)(**request)
    assert owned.item(KEY) == {**KEY, "n": N(1)}
    getattr(owner, operation)(**request)


@pytest.mark.parametrize("operation", ["describe_table", "delete_table", "update_table"])
def test_a_foreign_table_cannot_be_managed(owned, stranger, operation):
    more = {"BillingMode": "PAY_PER_REQUEST"} if operation == "update_table" else {}
    with refuses("ResourceNotFoundException", f"{NOT_FOUND}: Table: {owned.name} not found"):
        getattr(stranger, operation)(TableName=owned.name, **more)
    assert owned.describe()["TableStatus"] == "ACTIVE"


def test_accounts_differ(owned, stranger):
    create_table(stranger, owned.name)
    ours, theirs = owned.describe(), Table(stranger, owned.name).describe()
    assert ours["TableArn"] != theirs["TableArn"]
    assert ours["TableArn"].split(":")[4].isdigit()
    assert ours["TableId"] != theirs["TableId"]


def test_deleting_ones_own_leaves_the_others_alone(owned, stranger):
    create_table(stranger, owned.name)
    stranger.delete_table(TableName=owned.name)
    wait_until_gone(stranger, owned.name)
    assert owned.item(KEY)["n"] == N(1)


def test_a_start_key_stays_within_the_tenant(owned, stranger):
    create_table(stranger, owned.name)
    theirs = Table(stranger, owned.name)
    theirs.put({"pk": S("own")})
    page = owned.scan(limit=1)
    answer = theirs.scan(start=page["LastEvaluatedKey"])
    assert all(item == {"pk": S("own")} for item in answer["Items"])


def test_segments_stay_within_the_tenant(owned, stranger):
    create_table(stranger, owned.name)
    counts = [
        stranger.scan(TableName=owned.name, Segment=segment, TotalSegments=4)["ScannedCount"]
        for segment in range(4)
    ]
    assert counts == [0, 0, 0, 0]
    assert owned.scan()["Count"] == 1


def test_tokens_are_per_tenant(owned, owner, stranger):
    """The same token and the same words of two tenants are two transactions."""
    create_table(stranger, owned.name)
    request = {
        "ClientRequestToken": "one-token",
        "TransactItems": [
            {
                "Update": {
                    "TableName": owned.name,
                    "Key": {"pk": S("counter")},
                    "UpdateExpression": "ADD n :v",
                    "ExpressionAttributeValues": {":v": N(1)},
                }
            }
        ],
    }
    for tenant in (owner, stranger, owner):
        tenant.transact_write_items(**request)
    assert owned.item({"pk": S("counter")})["n"] == N(1)
    assert Table(stranger, owned.name).item({"pk": S("counter")})["n"] == N(1)


def test_ids_are_compared_byte_by_byte(endpoint, shared_name):
    """acme, ACME and acme2 are three tenants."""
    access_key = f"case-{uuid.uuid4().hex[:8]}a"
    tenant = make_client(endpoint, access_key)
    create_table(tenant, shared_name)
    for other in (access_key.upper(), access_key + "2", access_key[:-1]):
        assert make_client(endpoint, other).list_tables()["TableNames"] == []
    assert tenant.list_tables()["TableNames"] == [shared_name]
    drop_table(tenant, shared_name)

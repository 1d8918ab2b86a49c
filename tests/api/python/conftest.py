"""Where the suite finds its server, and the tables that its modules share.

DYNAMODB_ENDPOINT names a server that runs already, ours or anybody's. Without it the suite starts
ROWHOUSE_BINARY on a free port over memory and stops it at the end. A server that does not come up
fails the run; nothing is skipped for want of a server.
"""

import os
import uuid

import pytest

pytest.register_assert_rewrite("errors", "tables")

from client import make_client
from server import Server
from tables import Table, create_table, drop_table


def pytest_configure(config):
    if not os.environ.get("DYNAMODB_ENDPOINT") and not os.environ.get("ROWHOUSE_BINARY"):
        raise pytest.UsageError("set DYNAMODB_ENDPOINT or ROWHOUSE_BINARY")


def pytest_collection_modifyitems(items):
    if not os.environ.get("DYNAMODB_ENDPOINT"):
        return
    for item in items:
        if item.get_closest_marker("rowhouse"):
            item.add_marker(pytest.mark.skip(reason="holds for Rowhouse alone"))


@pytest.fixture(scope="session")
def server():
    """Our own server, or None if the run is for another one."""
    if os.environ.get("DYNAMODB_ENDPOINT"):
        yield None
        return
    server = Server(os.environ["ROWHOUSE_BINARY"])
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def endpoint(server):
    return server.endpoint if server else os.environ["DYNAMODB_ENDPOINT"]


@pytest.fixture(autouse=True)
def server_lives(server, request):
    """A server that dies ends the run at the test that it died of."""
    yield
    if server and server.died():
        pytest.exit(f"{request.node.nodeid}: {server.died()}", returncode=1)


@pytest.fixture(scope="session")
def tenant():
    """Whom most tests are: to Rowhouse in development mode the access key id is a tenant."""
    return os.environ.get("AWS_ACCESS_KEY_ID", "acme")


@pytest.fixture(scope="session")
def db(endpoint, tenant):
    """The service as boto3's client."""
    return make_client(endpoint, tenant)


@pytest.fixture(scope="module")
def new_table(db):
    """Creates tables that live as long as the module: new_table(pk="S", sk="N", **more)."""
    names = []

    def create(pk="S", sk=None, **definition):
        name = f"t-{uuid.uuid4().hex[:20]}"
        names.append(name)
        create_table(db, name, pk, sk, **definition)
        return Table(db, name)

    yield create
    for name in names:
        drop_table(db, name)


@pytest.fixture(scope="module")
def hash_table(new_table):
    """Partition key pk (S), no sort key, no index."""
    return new_table()


@pytest.fixture(scope="module")
def range_table(new_table):
    """Partition key pk (S), sort key sk (S), no index."""
    return new_table(sk="S")


@pytest.fixture
def pk():
    """A partition key of this test alone, so that tests share tables without meeting."""
    return {"S": f"p-{uuid.uuid4().hex}"}


@pytest.fixture
def unused_name(db):
    """A table name that is free, dropped after the test if it came into use."""
    name = f"t-{uuid.uuid4().hex[:20]}"
    yield name
    drop_table(db, name)

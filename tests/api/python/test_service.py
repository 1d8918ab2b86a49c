"""What concerns no table: limits and endpoints."""


def test_limits(db):
    limits = db.describe_limits()
    for kind in ("Read", "Write"):
        of_account = limits[f"AccountMax{kind}CapacityUnits"]
        of_table = limits[f"TableMax{kind}CapacityUnits"]
        assert 0 < of_table <= of_account


def test_endpoints(db):
    (endpoint,) = db.describe_endpoints()["Endpoints"]
    assert endpoint["Address"]
    assert endpoint["CachePeriodInMinutes"] > 0

"""What the example programs share: reaching the server, printing and checking.

A program is a walk through its access patterns. Each pattern prints what came back and what it
consumed; each expectation that does not hold is printed and makes the program exit with 1.
"""

import argparse
import os
import sys

import boto3
from botocore.config import Config


def arguments(description, table):
    """The command line that all programs understand."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--endpoint",
        default=os.environ.get("DYNAMODB_ENDPOINT", "http://127.0.0.1:8000"),
        help="where the server is (default: $DYNAMODB_ENDPOINT or %(default)s)",
    )
    parser.add_argument("--table", default=table, help="the table's name (default: %(default)s)")
    return parser


def connect(endpoint):
    """The service as plain boto3. Credentials come from where boto3 looks for them; a server in
    development mode takes the access key id as the tenant's name, so a name is made up if there
    is none."""
    found = boto3.Session().get_credentials()
    return boto3.resource(
        "dynamodb",
        endpoint_url=endpoint,
        region_name=os.environ.get("AWS_REGION", "us-east-1"),
        aws_access_key_id=None if found else "examples",
        aws_secret_access_key=None if found else "examples",
        config=Config(retries={"mode": "standard", "max_attempts": 8}),
    )


def create_table(dynamodb, **definition):
    """Creates the table unless it exists, and waits until it can be used."""
    client = dynamodb.meta.client
    try:
        dynamodb.create_table(BillingMode="PAY_PER_REQUEST", **definition)
        created = True
    except client.exceptions.ResourceInUseException:
        created = False
    client.get_waiter("table_exists").wait(
        TableName=definition["TableName"], WaiterConfig={"Delay": 1, "MaxAttempts": 60}
    )
    print(f"Table {definition['TableName']}: {'created' if created else 'found'}")
    return dynamodb.Table(definition["TableName"])


class Walkthrough:
    """Prints patterns and counts the expectations that fail."""

    def __init__(self):
        self.patterns = 0
        self.failures = 0

    def pattern(self, name, response, lines):
        """Prints one access pattern: its name, what it consumed, what came back."""
        self.patterns += 1
        print(f"\n{self.patterns}. {name}  [{consumed(response)}]")
        shown = list(lines)
        for line in shown[:8]:
            print(f"   {line}")
        if len(shown) > 8:
            print(f"   ... and {len(shown) - 8} more")

    def expect(self, what, actual, expected):
        if actual == expected:
            return
        self.failures += 1
        print(f"   MISMATCH {what}:\n     expected {expected!r}\n     received {actual!r}")

    def finish(self):
        """Ends the program: 0 if everything was as expected."""
        if self.failures:
            print(f"\nFAILED: {self.failures} expectation(s) did not hold")
            sys.exit(1)
        print(f"\nAll {self.patterns} steps returned what they should.")


def consumed(response):
    """ConsumedCapacity in words. Transactions and batches report one entry per table."""
    capacity = response.get("ConsumedCapacity")
    if capacity is None:
        return "capacity not reported"
    entries = capacity if isinstance(capacity, list) else [capacity]
    return f"{sum(entry['CapacityUnits'] for entry in entries):g} capacity units"


def read_all(operation, **request):
    """All pages of a Query, as one response: items, counts and capacity added up."""
    total = {"Items": [], "Count": 0, "ScannedCount": 0, "Pages": 0}
    units = 0.0
    while True:
        page = operation(ReturnConsumedCapacity="TOTAL", **request)
        total["Items"] += page["Items"]
        total["Count"] += page["Count"]
        total["ScannedCount"] += page["ScannedCount"]
        total["Pages"] += 1
        units += page["ConsumedCapacity"]["CapacityUnits"]
        if "LastEvaluatedKey" not in page:
            return {**total, "ConsumedCapacity": {"CapacityUnits": units}}
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

"""boto3 as the tests want it: nothing checked before sending, nothing sent twice."""

import boto3
from botocore.config import Config

CONFIG = Config(
    parameter_validation=False,
    retries={"total_max_attempts": 1},
    read_timeout=30,
    max_pool_connections=16,
)


def make_client(endpoint, access_key_id):
    return boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=access_key_id,
        aws_secret_access_key="any",
        config=CONFIG,
    )

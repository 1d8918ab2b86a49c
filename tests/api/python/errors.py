"""Expecting a refusal.

Since June 2026 DynamoDB has been putting "1 validation error detected: " before many messages that
had stood without it, region by region. Both ways of saying it are taken here; test_wording.py pins
down which of them Rowhouse uses where.
"""

import re
from contextlib import contextmanager

import pytest
from botocore.exceptions import ClientError

ENVELOPE = "1 validation error detected: "


@contextmanager
def refuses(code, message=None):
    """The block must raise the error `code`. `message` is its whole text, or a pattern that is
    searched for in it. Yields the exception's info; after the block its `.value.response` is the
    answer."""
    with pytest.raises(ClientError) as info:
        yield info
    error = info.value.response["Error"]
    assert error["Code"] == code, error
    said = error["Message"].removeprefix(ENVELOPE)
    if isinstance(message, re.Pattern):
        assert message.search(said), f"{message.pattern!r} is not in {said!r}"
    elif message is not None:
        assert said == message.removeprefix(ENVELOPE)


def invalid(message=None):
    """The block must raise a ValidationException."""
    return refuses("ValidationException", message)


def condition_fails():
    return refuses("ConditionalCheckFailedException", "The conditional request failed")


def containing(text):
    """A pattern for a message of which only a part is fixed."""
    return re.compile(re.escape(text), re.DOTALL)

"""GetItem: items, projections, refusals."""

import pytest

from errors import containing, invalid, refuses
from values import L, M, N, S


@pytest.fixture(scope="module")
def document(hash_table):
    """An item with something to project from; yields its key."""
    key = {"pk": S("document")}
    hash_table.put(
        {
            **key,
            "a": M(b=N(1), c=M(d=S("deep"), e=S("other"))),
            "l": L(S("l0"), S("l1"), M(x=N(2), y=N(3))),
            "name": S("reserved"),
            "with.dot": S("dotted"),
        }
    )
    return key


def test_reads_an_item(hash_table, pk):
    hash_table.put({"pk": pk, "n": N(1)})
    for consistent in (True, False):
        assert hash_table.get({"pk": pk}, consistent=consistent)["Item"] == {"pk": pk, "n": N(1)}


def test_absent_item(hash_table, pk):
    answer = hash_table.get({"pk": pk})
    assert "Item" not in answer


@pytest.mark.parametrize(
    "projection, expected",
    [
        ("a.b", {"a": M(b=N(1))}),
        ("a.c.d, a.b", {"a": M(b=N(1), c=M(d=S("deep")))}),
        ("l[1]", {"l": L(S("l1"))}),
        ("l[2], l[0]", {"l": L(S("l0"), M(x=N(2), y=N(3)))}),
        ("l[2].y", {"l": L(M(y=N(3)))}),
        ("pk, a.b, absent", {"pk": S("document"), "a": M(b=N(1))}),
        ("a.absent, l[9]", {}),
        ("a[0], l.x", {}),
    ],
)
def test_projection(hash_table, document, projection, expected):
    assert hash_table.get(document, projection=projection)["Item"] == expected


def test_projection_by_names(hash_table, document):
    answer = hash_table.get(
        document, projection="#n, #d, a.#b", names={"#n": "name", "#d": "with.dot", "#b": "b"}
    )
    assert answer["Item"] == {
        "name": S("reserved"),
        "with.dot": S("dotted"),
        "a": M(b=N(1)),
    }


def test_projection_of_an_absent_item(hash_table, pk):
    assert "Item" not in hash_table.get({"pk": pk}, projection="a")


@pytest.mark.parametrize("one, two", [("a", "a, b"), ("a, c", "a, c, d"), ("a", "a")])
def test_overlapping_paths(hash_table, document, one, two):
    projection = f"{one.replace(', ', '.')}, {two.replace(', ', '.')}"
    with invalid(
        "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or "
        f"rewrite one of these paths; path one: [{one}], path two: [{two}]"
    ):
        hash_table.get(document, projection=projection)


def test_conflicting_paths(hash_table, document):
    with invalid(containing("Two document paths conflict with each other")):
        hash_table.get(document, projection="a.b, a[0]")


def test_reserved_word(hash_table, document):
    with invalid(
        "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: name"
    ):
        hash_table.get(document, projection="name")


@pytest.mark.parametrize("projection", ["a..b", "a[", "a[x]", "a b", "a,", ",a", "a.b.", "a[-1]"])
def test_projection_syntax(hash_table, document, projection):
    with invalid(containing("Invalid ProjectionExpression: Syntax error; token: ")):
        hash_table.get(document, projection=projection)


def test_empty_projection(hash_table, document):
    with invalid("Invalid ProjectionExpression: The expression can not be empty;"):
        hash_table.get(document, projection="")


def test_undefined_name(hash_table, document):
    with invalid(
        "Invalid ProjectionExpression: An expression attribute name used in the document path "
        "is not defined; attribute name: #x"
    ):
        hash_table.get(document, projection="#x")


def test_names_without_an_expression(hash_table, document):
    with invalid("ExpressionAttributeNames can only be specified when using expressions"):
        hash_table.get(document, names={"#x": "x"})


def test_empty_names(hash_table, document):
    with invalid("ExpressionAttributeNames must not be empty"):
        hash_table.get(document, projection="a", names={})


@pytest.mark.parametrize(
    "key",
    [
        {"pk": S("a")},
        {"pk": S("a"), "other": S("b")},
        {"pk": S("a"), "sk": N(1)},
        {"pk": S("a"), "sk": S("b"), "more": S("c")},
        {},
    ],
)
def test_key_that_is_not_the_tables(range_table, key):
    with invalid("The provided key element does not match the schema"):
        range_table.get(key)


def test_empty_key_value(hash_table):
    with invalid(
        containing(
            "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
        )
    ):
        hash_table.get({"pk": S("")})


def test_unknown_table(db):
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        db.get_item(TableName="no-such-table", Key={"pk": S("a")})

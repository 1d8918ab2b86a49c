"""Conditions: operators, functions, their types and their syntax. Tried as FilterExpression on one
item, which is the same language as ConditionExpression."""

import pytest

from errors import containing, invalid
from values import BOOL, BS, NS, NULL, SS, B, L, M, N, S

ITEM = {
    "n": N(5),
    "s": S("hello"),
    "b": B(b"\x01\x02"),
    "t": BOOL(True),
    "z": NULL,
    "l": L(S("x"), N(1), M(k=N(7))),
    "m": M(a=N(1), b=M(c=S("deep"))),
    "ss": SS("a", "b"),
    "ns": NS(1, 2),
    "bs": BS(b"a"),
    "e": S(""),
}


@pytest.fixture(scope="module")
def holds(hash_table):
    """holds(condition, **values): whether the condition holds for ITEM."""
    key = {"pk": S("the item")}
    hash_table.put({**key, **ITEM})

    def check(condition, names=None, **values):
        more = {"names": names} if names else {}
        answer = hash_table.query(
            "pk = :pk",
            filter=condition,
            values={":pk": key["pk"], **{f":{name}": value for name, value in values.items()}},
            **more,
        )
        assert answer["ScannedCount"] == 1
        return answer["Count"] == 1

    return check


@pytest.mark.parametrize(
    "condition, value, expected",
    [
        ("n = :v", N("5.0"), True),
        ("n = :v", S("5"), False),
        ("n <> :v", N(5), False),
        ("n <> :v", S("5"), True),
        ("absent <> :v", N(5), True),
        ("absent = :v", N(5), False),
        ("absent < :v", N(5), False),
        ("n < :v", N(10), True),
        ("n < :v", N(5), False),
        ("n <= :v", N(5), True),
        ("n > :v", N("-10"), True),
        ("n >= :v", N(6), False),
        ("n < :v", S("9"), False),
        ("s < :v", S("hello "), True),
        ("s > :v", S("Hello"), True),
        ("b < :v", B(b"\x01\x03"), True),
        ("b > :v", B(b"\x01"), True),
        (":v = n", N(5), True),
        ("t = :v", BOOL(True), True),
        ("z = :v", NULL, True),
        ("ss = :v", SS("b", "a"), True),
        ("ss = :v", SS("a"), False),
        ("ns = :v", NS("2.0", "1e0"), True),
        ("l = :v", L(S("x"), N(1), M(k=N(7))), True),
        ("l = :v", L(N(1), S("x"), M(k=N(7))), False),
        ("m = :v", M(b=M(c=S("deep")), a=N("1.0")), True),
        ("m.b.c = :v", S("deep"), True),
        ("l[0] = :v", S("x"), True),
        ("l[2].k = :v", N(7), True),
        ("l[9] = :v", N(7), False),
        ("m.absent = :v", N(7), False),
    ],
)
def test_comparisons(holds, condition, value, expected):
    assert holds(condition, v=value) is expected


def test_two_attributes(holds):
    assert holds("n > m.a")
    assert not holds("n = s")


def test_between(holds):
    assert holds("n BETWEEN :a AND :b", a=N(5), b=N(6))
    assert holds("s between :a and :b", a=S("h"), b=S("i"))
    assert not holds("n BETWEEN :a AND :b", a=N(6), b=N(7))
    assert holds(":v BETWEEN m.a AND n", v=N(3))
    assert not holds("absent BETWEEN :a AND :b", a=N(5), b=N(6))


def test_in(holds):
    assert holds("n IN (:a, :b)", a=N(1), b=N(5))
    assert not holds("n IN (:a)", a=S("5"))
    assert not holds("absent IN (:a)", a=N(1))


def test_logic(holds):
    one = N(1)
    assert holds("n > :v OR absent = :v AND absent = :v", v=one)
    assert not holds("(n > :v OR absent = :v) AND absent = :v", v=one)
    assert holds("NOT absent = :v AND n > :v", v=one)
    assert not holds("NOT (absent = :v OR n > :v)", v=one)
    assert holds("NOT (NOT n > :v)", v=one)
    assert holds("(n > :v) and (n > :v)", v=one)


def test_existence(holds):
    assert holds("attribute_exists(n) AND attribute_exists(m.b.c) AND attribute_exists(l[2])")
    assert holds("attribute_not_exists(absent) AND attribute_not_exists(l[3])")
    assert not holds("attribute_exists(m.absent)")


@pytest.mark.parametrize(
    "name, kind",
    [
        ("s", "S"), ("n", "N"), ("b", "B"), ("t", "BOOL"), ("z", "NULL"),
        ("l", "L"), ("m", "M"), ("ss", "SS"), ("ns", "NS"), ("bs", "BS"),
    ],
)  # fmt: skip
def test_attribute_type(holds, name, kind):
    assert holds(f"attribute_type({name}, :t)", t=S(kind))
    assert not holds(f"attribute_type({name}, :t)", t=S("S" if kind != "S" else "N"))


def test_attribute_type_of_an_unknown_kind(holds):
    with invalid(containing("Invalid attribute type name found; type: X")):
        holds("attribute_type(s, :t)", t=S("X"))


def test_begins_with(holds):
    assert holds("begins_with(s, :p)", p=S("he"))
    assert holds("begins_with(s, :p)", p=S(""))
    assert holds("begins_with(b, :p)", p=B(b"\x01"))
    assert not holds("begins_with(s, :p)", p=S("ello"))
    assert not holds("begins_with(n, :p)", p=S("5"))
    assert not holds("begins_with(absent, :p)", p=S("a"))


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("s", S("ell"), True),
        ("s", S(""), True),
        ("s", N(1), False),
        ("b", B(b"\x02"), True),
        ("ss", S("a"), True),
        ("ss", S("c"), False),
        ("ns", N("1.0"), True),
        ("bs", B(b"a"), True),
        ("l", S("x"), True),
        ("l", M(k=N(7)), True),
        ("l", N(2), False),
        ("n", N(5), False),
        ("absent", S("a"), False),
    ],
)
def test_contains(holds, name, value, expected):
    assert holds(f"contains({name}, :v)", v=value) is expected


@pytest.mark.parametrize(
    "name, size", [("s", 5), ("e", 0), ("b", 2), ("l", 3), ("m", 2), ("ss", 2), ("bs", 1)]
)
def test_size(holds, name, size):
    assert holds(f"size({name}) = :n", n=N(size))
    assert holds(f"size({name}) >= :n", n=N(size))
    assert not holds(f"size({name}) > :n", n=N(size))


def test_size_counts_bytes_of_text(hash_table, pk):
    hash_table.put({"pk": pk, "s": S("é\U0001f3e0")})
    answer = hash_table.query("pk = :pk", filter="size(s) = :n", values={":pk": pk, ":n": N(6)})
    assert answer["Count"] == 1


def test_size_of_what_has_none(holds):
    assert not holds("size(absent) = :n", n=N(0))
    assert not holds("size(n) = :n", n=N(1))


def test_names(holds):
    assert holds("#m.#b.c = :v", names={"#m": "m", "#b": "b"}, v=S("deep"))


# ---- Refusals ----


@pytest.mark.parametrize(
    "condition",
    [
        "n =",
        "= :v",
        "n = :v AND",
        "n = :v n = :v",
        "(n = :v",
        "n = :v)",
        "n == :v",
        "n != :v",
        "n BETWEEN :v",
        "n IN :v",
        "n IN ()",
        "attribute_exists n",
        "NOT",
        "n = :v ;",
    ],
)
def test_syntax(holds, condition):
    values = {"v": N(1)} if ":v" in condition else {}
    with invalid(containing("Invalid FilterExpression: Syntax error; token: ")):
        holds(condition, **values)


def test_redundant_parentheses(holds):
    with invalid("Invalid FilterExpression: The expression has redundant parentheses;"):
        holds("((n = :v))", v=N(1))


def test_unknown_function(holds):
    with invalid("Invalid FilterExpression: Invalid function name; function: foo"):
        holds("foo(n)")


def test_number_of_operands(holds):
    with invalid(
        "Invalid FilterExpression: Incorrect number of operands for operator or function; "
        "operator or function: attribute_exists, number of operands: 2"
    ):
        holds("attribute_exists(n, s)")
    with invalid(
        "Invalid FilterExpression: Incorrect number of operands for operator or function; "
        "operator or function: begins_with, number of operands: 1"
    ):
        holds("begins_with(s)")


def test_operand_types(holds):
    with invalid(
        "Invalid FilterExpression: Incorrect operand type for operator or function; "
        "operator or function: begins_with, operand type: N"
    ):
        holds("begins_with(s, :v)", v=N(1))
    with invalid(
        "Invalid FilterExpression: Incorrect operand type for operator or function; "
        "operator or function: <, operand type: BOOL"
    ):
        holds("n < :v", v=BOOL(True))


def test_update_function_in_a_condition(holds):
    with invalid(containing("function: if_not_exists")):
        holds("if_not_exists(n, :v) = :v", v=N(1))


def test_the_same_operand_twice(holds):
    with invalid(
        "Invalid FilterExpression: The first operand must be distinct from the remaining operands "
        "for this operator or function; operator: =, first operand: [n]"
    ):
        holds("n = n")


def test_bounds_in_the_wrong_order(holds):
    with invalid(
        "Invalid FilterExpression: The BETWEEN operator requires upper bound to be greater than "
        "or equal to lower bound; lower bound operand: AttributeValue: {N:5}, "
        "upper bound operand: AttributeValue: {N:1}"
    ):
        holds("n BETWEEN :a AND :b", a=N(5), b=N(1))


def test_bounds_of_different_types(holds):
    with invalid(
        "Invalid FilterExpression: The BETWEEN operator requires same data type for lower and "
        "upper bounds; lower bound operand: AttributeValue: {N:5}, "
        "upper bound operand: AttributeValue: {S:x}"
    ):
        holds("n BETWEEN :a AND :b", a=N(5), b=S("x"))


def test_undefined_value(holds):
    with invalid(
        "Invalid FilterExpression: An expression attribute value used in expression is not "
        "defined; attribute value: :absent"
    ):
        holds("n = :absent")


def test_reserved_word(holds):
    with invalid(
        "Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: size"
    ):
        holds("size = :v", v=N(1))


def test_empty(holds):
    with invalid("Invalid FilterExpression: The expression can not be empty;"):
        holds("")


def test_longest_expression(hash_table, pk):
    """4 KB of expression are taken, one byte more is not."""
    padding = " " * (4096 - len("attribute_not_exists(pk)"))
    hash_table.put({"pk": pk}, condition="attribute_not_exists(pk)" + padding)
    with invalid(containing("Expression size has exceeded the maximum allowed size")):
        hash_table.put({"pk": pk}, condition="attribute_exists(pk)" + padding + " " * 5)


def test_at_most_a_hundred_in_operands(holds):
    def condition(count):
        return f"n IN ({', '.join(f':v{i}' for i in range(count))})"

    def values(count):
        return {f"v{i}": N(i) for i in range(count)}

    assert holds(condition(100), **values(100))
    with invalid(containing("number of operands")):
        holds(condition(101), **values(101))

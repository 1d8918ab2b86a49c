"""Numbers: 38 digits, canonical text, ordering, and how many bytes they take."""

import pytest

from errors import containing, invalid
from values import NS, N, S, unordered

OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)
TOO_PRECISE = "Attempting to store more than 38 significant digits in a Number"

DIGITS_38 = "12345678901234567890123456789012345678"


@pytest.fixture
def stored(hash_table, pk):
    """stored(text): the number as it comes back."""

    def run(text):
        hash_table.put({"pk": pk, "n": N(text)})
        return hash_table.item({"pk": pk})["n"]["N"]

    return run


@pytest.mark.parametrize(
    "text, canonical",
    [
        ("0", "0"),
        ("-0", "0"),
        ("00042", "42"),
        ("1e3", "1000"),
        ("1E+3", "1000"),
        ("1000", "1000"),
        ("1.5E2", "150"),
        ("1.50", "1.5"),
        ("100.00", "100"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-0.25", "-0.25"),
        ("1e-3", "0.001"),
        (DIGITS_38, DIGITS_38),
        ("-" + DIGITS_38, "-" + DIGITS_38),
        ("0." + DIGITS_38, "0." + DIGITS_38),
        (DIGITS_38 + "00", DIGITS_38 + "00"),
        ("0.0e126", "0"),
    ],
)
def test_canonical_text(stored, text, canonical):
    assert stored(text) == canonical


@pytest.mark.parametrize(
    "text, plain",
    [
        ("9.9999999999999999999999999999999999999E+125", "9" * 38 + "0" * 88),
        ("-9.9999999999999999999999999999999999999E+125", "-" + "9" * 38 + "0" * 88),
        ("1E-130", "0." + "0" * 129 + "1"),
        ("-1E-130", "-0." + "0" * 129 + "1"),
    ],
)
def test_ends_of_the_range(stored, text, plain):
    assert stored(text) == plain


@pytest.mark.parametrize("text", ["1E+126", "-1E+126", "1e999999999999", "0e126"])
def test_overflow(stored, text):
    with invalid(OVERFLOW):
        stored(text)


@pytest.mark.parametrize("text", ["1E-131", "-1E-131", "1e-99999999999"])
def test_underflow(stored, text):
    with invalid(UNDERFLOW):
        stored(text)


@pytest.mark.parametrize("text", [DIGITS_38 + "9", "0." + DIGITS_38 + "9", "1" + "0" * 37 + ".1"])
def test_more_than_38_digits(stored, text):
    with invalid(TOO_PRECISE):
        stored(text)


@pytest.mark.parametrize("text", ["abc", "1a", "0x10", "1e", "--1", "NaN", "Infinity", "1 ", "1_0"])
def test_no_number(stored, text):
    with invalid(f"The parameter cannot be converted to a numeric value: {text}"):
        stored(text)


def test_empty_number(stored):
    with invalid(containing("The parameter cannot be converted to a numeric value")):
        stored("")


def test_number_set(hash_table, pk):
    hash_table.put({"pk": pk, "s": NS("1e2", "-0.50", DIGITS_38)})
    assert unordered(hash_table.item({"pk": pk})["s"]) == unordered(NS(100, "-0.5", DIGITS_38))


def test_sum_beyond_38_digits(hash_table, pk):
    hash_table.put({"pk": pk, "n": N(10**38)})
    with invalid(containing("38")):
        hash_table.update({"pk": pk}, "SET n = n + :v", values={":v": N("0.1")})


def test_sum_beyond_the_range(hash_table, pk):
    hash_table.put({"pk": pk, "n": N("9e125")})
    with invalid(OVERFLOW):
        hash_table.update({"pk": pk}, "SET n = n + n")


def test_exact_sums(hash_table, pk):
    hash_table.put({"pk": pk, "n": N("0." + "0" * 36 + "1")})
    hash_table.update({"pk": pk}, "ADD n :v", values={":v": N(9)})
    assert hash_table.item({"pk": pk})["n"] == N("9." + "0" * 36 + "1")


def test_sort_keys_order_by_value(new_table):
    table = new_table(sk="N")
    ordered = [
        "-9.9999999999999999999999999999999999999E+125", "-" + DIGITS_38, "-10", "-9.99", "-9",
        "-1", "-0.5", "-1E-130", "0", "1E-130", "0.001", "0.5", "1", "2", "9", "10", "10.5", "11",
        "100", DIGITS_38, "9.9999999999999999999999999999999999999E+125",
    ]  # fmt: skip
    table.put_all([{"pk": S("p"), "sk": N(text), "text": S(text)} for text in reversed(ordered)])
    ascending = table.query("pk = :p", values={":p": S("p")})["Items"]
    assert [item["text"]["S"] for item in ascending] == ordered
    descending = table.query("pk = :p", values={":p": S("p")}, forward=False)["Items"]
    assert [item["text"]["S"] for item in descending] == ordered[::-1]
    between = table.query(
        "pk = :p AND sk BETWEEN :a AND :b", values={":p": S("p"), ":a": N("-9"), ":b": N("0.5")}
    )["Items"]
    assert [item["text"]["S"] for item in between] == ordered[4:12]


def test_equal_numbers_are_one_key(new_table):
    table = new_table(pk="N")
    table.put({"pk": N("1e3"), "who": S("first")})
    table.put({"pk": N("1000.0"), "who": S("second")})
    assert table.scan()["Count"] == 1
    assert table.item({"pk": N("10e2")}) == {"pk": N(1000), "who": S("second")}

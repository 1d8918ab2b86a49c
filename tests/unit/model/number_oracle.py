"""Numbers against Python's decimal module: thousands of cases from a seed, answered by both.

usage: number_oracle.py <number_driver> [count]     (ROWHOUSE_SEED repeats a run)
"""

import decimal
import os
import random
import re
import subprocess
import sys
from decimal import Decimal

DIGITS_MAX = 38
EXPONENT_MAX = 125
EXPONENT_MIN = -130
SIZE_MAX = 21

SYNTAX = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

# Sums reach from 1E+125 down to 1E-130 and further below.
decimal.getcontext().prec = 600
decimal.getcontext().Emax = decimal.MAX_EMAX
decimal.getcontext().Emin = decimal.MIN_EMIN

EDGES = [
    "0", "-0", "+0", "00", "0.0", ".0", "0.", "1", "-1", "+1", "01", "1.", ".1", "1.0", "1e0", "1E+0",
    "1e-0", "0e125", "0e126", "0.0e126", "0.00e127", "0e-130", "0e-131", "0.0e-130", "1e125", "1e126",
    "10e125", "0.1e126", "1e-130", "1e-131", "10e-131", "0.1e-129", "9.9999999999999999999999999999999999999e125",
    "9" * 38, "9" * 39, "1" + "0" * 125, "1" + "0" * 126, "1" + "0" * 38 + "1", "0." + "0" * 129 + "1",
    "0." + "0" * 130 + "1", "1e1000000", "1e-1000000", "1e99999999999999999999", "0e99999999999999999999",
    "1" * 38 + "0" * 87, "1" * 38 + "0" * 88, "0" * 300 + "1", "1." + "0" * 300, "1." + "0" * 300 + "1",
    "", "+", "-", ".", "e", "1e", "1e+", "e1", "--1", "1-", "1 ", " 1", "0x10", "1_000", "1,5", "NaN",
    "Infinity", "-Infinity", "sNaN", "1e1.5", "1.2.3", "١", "1e5e5", "+.e1", "100", "1000", "120", "1200",
    "0.01", "0.001", "0.012", "12.5", "-12.5", "-9" + "9" * 36 + ".9",
]


def digits(rng, count):
    return "".join(rng.choice("0123456789") for _ in range(count))


def random_digits(rng):
    """Digits with runs of nines and zeros, where carries and trimming happen."""
    pieces = [digits(rng, rng.randint(0, 12)), rng.choice("09") * rng.randint(0, 30), digits(rng, rng.randint(0, 3))]
    rng.shuffle(pieces)
    return "".join(pieces)


def random_text(rng):
    whole, fraction = random_digits(rng), random_digits(rng)
    text = rng.choice(["", "", "-", "+"]) + whole
    if rng.random() < 0.6:
        text += "." + fraction
    if rng.random() < 0.5:
        text += rng.choice("eE") + str(rng.choice([rng.randint(-5, 5), rng.randint(-190, 190)]))
    if rng.random() < 0.02:
        at = rng.randint(0, len(text))
        text = text[:at] + rng.choice(" e.+-x_") + text[at:]
    return text


def fault_of(value):
    """Why the value is not a number of DynamoDB's, or None."""
    if value == 0:
        first = value.as_tuple().exponent
    else:
        first = value.adjusted()
    if first > EXPONENT_MAX:
        return "overflow"
    if first < EXPONENT_MIN:
        return "underflow"
    return None


def digit_count(value):
    return len("".join(map(str, value.as_tuple().digits)).strip("0"))


def plain(value):
    if value == 0:
        return "0"
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def size_of(value):
    """One byte and one per pair of digits, pairs counted from the point; a sign is a byte."""
    whole, _, fraction = plain(abs(value)).partition(".")
    text = "0" * (len(whole) % 2) + whole + fraction + "0" * (len(fraction) % 2)
    pairs = [text[i : i + 2] for i in range(0, len(text), 2)]
    while pairs and pairs[0] == "00":
        pairs.pop(0)
    while pairs and pairs[-1] == "00":
        pairs.pop()
    return min(1 + len(pairs) + (value < 0), SIZE_MAX)


def expect_parsed(text):
    if not SYNTAX.fullmatch(text):
        return "syntax"
    mantissa, _, exponent = text.lower().partition("e")
    if exponent and len(exponent.lstrip("+-0")) > 7:
        return "underflow" if exponent.startswith("-") else "overflow"
    value = Decimal(text)
    fault = fault_of(value)
    if fault is None and digit_count(value) > DIGITS_MAX:
        fault = "precision"
    return fault or f"{plain(value)}\t{size_of(value)}"


def expect_sum(value):
    if digit_count(value) > DIGITS_MAX:
        return "precision"
    if value == 0:
        return "0"
    return fault_of(value) or plain(value)


def expect_order(a, b):
    order = (a > b) - (a < b)
    return f"{order}\t{order}"


def make_texts(rng, count):
    texts = EDGES + [random_text(rng) for _ in range(count)]
    return texts + [text[1:] if text.startswith("-") else "-" + text for text in texts]


def is_number(text):
    return expect_parsed(text) not in ("syntax", "overflow", "underflow", "precision")


def neighbour(rng, text):
    """A number whose digits lie near those of another, so that sums carry, cancel and overflow."""
    value = Decimal(text)
    shifted = value + Decimal(rng.choice([1, -1, 9, -9])).scaleb(value.adjusted() - rng.randint(0, 40))
    near = rng.choice([-value, value, shifted, -shifted, value.scaleb(rng.randint(-3, 3))])
    return near.to_eng_string() if is_number(near.to_eng_string()) else text


def make_pairs(rng, numbers, count):
    pairs = [("1e38", "-1"), ("1e38", "1"), ("9e125", "9e125"), ("1.1e-130", "-1e-130"), ("1e125", "1e-130")]
    pairs += [("1" + "0" * 38, "-" + "9" * 38), ("9" * 38, "1"), ("2e38", "-1"), ("9" * 38 + "e88", "1.1e88")]
    for _ in range(count):
        a = rng.choice(numbers)
        pairs.append((a, rng.choice([rng.choice(numbers), neighbour(rng, a)])))
    return pairs


def make_cases(rng, count):
    texts = make_texts(rng, count)
    cases = [(("parse", text), expect_parsed(text)) for text in texts]
    for a, b in make_pairs(rng, [text for text in texts if is_number(text)], count):
        x, y = Decimal(a), Decimal(b)
        cases.append((("add", a, b), expect_sum(x + y)))
        cases.append((("subtract", a, b), expect_sum(x - y)))
        cases.append((("compare", a, b), expect_order(x, y)))
    return cases


def ask(driver, cases):
    questions = "".join("\t".join(question) + "\n" for question, _ in cases)
    run = subprocess.run([driver], input=questions.encode(), stdout=subprocess.PIPE, check=True)
    answers = run.stdout.decode().splitlines()
    assert len(answers) == len(cases), f"{len(answers)} answers to {len(cases)} questions"
    return answers


def ordered_forms_are_unique(cases, answers):
    """Equal numbers have one ordered form, and forms sort as numbers do."""
    forms = {}
    for (question, _), answer in zip(cases, answers):
        if question[0] == "parse" and "\t" in answer:
            text, _, form = answer.split("\t")
            assert forms.setdefault(text, form) == form, f"{text} has two ordered forms"
    by_value = [forms[text] for text in sorted(forms, key=Decimal)]
    assert by_value == sorted(by_value), "ordered forms do not sort by value"


def main():
    seed = int(os.environ.get("ROWHOUSE_SEED") or str(random.SystemRandom().getrandbits(32)), 0)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 6000
    print(f"ROWHOUSE_SEED={seed}")
    cases = make_cases(random.Random(seed), count)
    answers = ask(sys.argv[1], cases)
    wrong = 0
    for (question, expected), answer in zip(cases, answers):
        answer = answer.rpartition("\t")[0] if question[0] == "parse" and "\t" in answer else answer
        if answer != expected:
            wrong += 1
            print(f"{question}: expected {expected!r}, got {answer!r}")
    ordered_forms_are_unique(cases, answers)
    print(f"{len(cases)} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

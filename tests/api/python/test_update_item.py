"""UpdateItem: the four clauses, their functions, and what ReturnValues shows of them."""

import pytest

from errors import condition_fails, containing, invalid, refuses
from values import BOOL, BS, NS, SS, B, L, M, N, S, unordered

OVERLAP = (
    "Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite "
    "one of these paths; path one: [{}], path two: [{}]"
)
INVALID_PATH = "The document path provided in the update expression is invalid for update"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
NO_SUCH_ATTRIBUTE = "The provided expression refers to an attribute that does not exist in the item"


@pytest.fixture
def updated(hash_table, pk):
    """updated(item, expression, values): the item, without its key, after the update."""

    def run(before, expression, values=None, names=None):
        hash_table.put({"pk": pk, **before})
        more = {"values": values} if values else {}
        more |= {"names": names} if names else {}
        hash_table.update({"pk": pk}, expression, **more)
        item = hash_table.item({"pk": pk})
        del item["pk"]
        return item

    return run


# ---- SET ----


def test_set_creates_the_item(hash_table, pk):
    hash_table.update({"pk": pk}, "SET a = :v", values={":v": N(1)})
    assert hash_table.item({"pk": pk}) == {"pk": pk, "a": N(1)}


def test_without_an_expression_the_key_alone_is_created(hash_table, pk):
    hash_table.update({"pk": pk})
    assert hash_table.item({"pk": pk}) == {"pk": pk}


def test_set_leaves_the_rest_alone(updated):
    assert updated({"a": N(1), "b": N(2)}, "SET a = :v", {":v": S("x")}) == {
        "a": S("x"),
        "b": N(2),
    }


def test_operands_are_the_values_before_the_update(updated):
    assert updated({"a": S("old")}, "SET a = :v, b = a", {":v": S("new")}) == {
        "a": S("new"),
        "b": S("old"),
    }


def test_swap(updated):
    assert updated({"a": N(1), "b": N(2)}, "SET a = b, b = a") == {"a": N(2), "b": N(1)}


@pytest.mark.parametrize(
    "expression, result",
    [
        ("SET n = n + :v", 13),
        ("SET n = n - :v", 7),
        ("SET n = :v - n", -7),
        ("SET n = :v + :v", 6),
        ("SET n = (n - :v)", 7),
        ("SET n = if_not_exists(m, :v) + n", 13),
    ],
)
def test_arithmetic(updated, expression, result):
    assert updated({"n": N(10)}, expression, {":v": N(3)}) == {"n": N(result)}


def test_arithmetic_is_decimal(updated):
    assert updated({"n": N("0.1")}, "SET n = n + :v", {":v": N("0.2")}) == {"n": N("0.3")}


def test_arithmetic_needs_numbers(hash_table, pk):
    hash_table.put({"pk": pk, "s": S("x")})
    with invalid(WRONG_TYPE):
        hash_table.update({"pk": pk}, "SET s = s + :v", values={":v": N(1)})


def test_absent_operand(hash_table, pk):
    hash_table.put({"pk": pk})
    with invalid(NO_SUCH_ATTRIBUTE):
        hash_table.update({"pk": pk}, "SET a = absent + :v", values={":v": N(1)})
    with invalid(NO_SUCH_ATTRIBUTE):
        hash_table.update({"pk": pk}, "SET a = absent")


def test_if_not_exists(updated):
    assert updated(
        {"a": N(1)}, "SET a = if_not_exists(a, :v), b = if_not_exists(b, :v)", {":v": N(9)}
    ) == {"a": N(1), "b": N(9)}


def test_if_not_exists_of_another_attribute(updated):
    assert updated({"a": N(1)}, "SET b = if_not_exists(a, :v)", {":v": N(9)}) == {
        "a": N(1),
        "b": N(1),
    }


def test_if_not_exists_within_itself(updated):
    expression = "SET a = if_not_exists(x, if_not_exists(y, :v))"
    assert updated({}, expression, {":v": N(9)}) == {"a": N(9)}


@pytest.mark.parametrize(
    "expression, result",
    [
        ("SET l = list_append(l, :v)", ["a", "b"]),
        ("SET l = list_append (l,:v)", ["a", "b"]),
        ("SET l = list_append(:v, l)", ["b", "a"]),
        ("SET l = list_append(:v, :v)", ["b", "b"]),
        ("SET l = list_append(if_not_exists(absent, :v), l)", ["b", "a"]),
    ],
)
def test_list_append(updated, expression, result):
    assert updated({"l": L(S("a"))}, expression, {":v": L(S("b"))}) == {"l": L(*map(S, result))}


def test_list_append_does_not_nest(hash_table, pk):
    with invalid():
        hash_table.update(
            {"pk": pk}, "SET l = list_append(list_append(:v, :v), :v)", values={":v": L()}
        )


def test_list_append_needs_lists(hash_table, pk):
    hash_table.put({"pk": pk, "s": S("x")})
    with invalid(WRONG_TYPE):
        hash_table.update({"pk": pk}, "SET s = list_append(s, :v)", values={":v": L()})
    with invalid(
        "Invalid UpdateExpression: Incorrect operand type for operator or function; "
        "operator or function: list_append, operand type: S"
    ):
        hash_table.update({"pk": pk}, "SET s = list_append(:v, :v)", values={":v": S("x")})


# ---- Paths ----


def test_set_within_a_map(updated):
    before = {"m": M(a=M(b=N(1), keep=N(2)))}
    assert updated(before, "SET m.a.b = :v, m.fresh = :v", {":v": S("x")}) == {
        "m": M(a=M(b=S("x"), keep=N(2)), fresh=S("x"))
    }


def test_set_by_names_with_dots(updated):
    assert updated({"m": M()}, "SET m.#k = :v", {":v": N(1)}, names={"#k": "with.dot"}) == {
        "m": {"M": {"with.dot": N(1)}}
    }


@pytest.mark.parametrize(
    "expression, result",
    [
        ("SET l[1] = :v", "axc"),
        ("SET l[3] = :v", "abcx"),
        ("SET l[50] = :v", "abcx"),
        ("SET l[50] = :v, l[9] = :w", "abcyx"),
        ("REMOVE l[1]", "ac"),
        ("REMOVE l[0], l[2]", "b"),
        ("REMOVE l[7]", "abc"),
        ("SET l[0] = :v REMOVE l[1]", "xc"),
    ],
)
def test_list_elements(updated, expression, result):
    values = {name: S(text) for name, text in ((":v", "x"), (":w", "y")) if name in expression}
    after = updated({"l": L(S("a"), S("b"), S("c"))}, expression, values)
    assert after == {"l": L(*map(S, result))}


@pytest.mark.parametrize("path", ["absent.x", "absent[0]", "s.x", "s[0]", "m[0]", "l.x", "m.a.b"])
def test_path_that_leads_nowhere(hash_table, pk, path):
    hash_table.put({"pk": pk, "s": S("x"), "m": M(), "l": L()})
    with invalid(INVALID_PATH):
        hash_table.update({"pk": pk}, f"SET {path} = :v", values={":v": N(1)})


def test_path_into_an_absent_item(hash_table, pk):
    with invalid(INVALID_PATH):
        hash_table.update({"pk": pk}, "SET m.x = :v", values={":v": N(1)})
    assert hash_table.item({"pk": pk}) is None


@pytest.mark.parametrize(
    "expression, one, two",
    [
        ("SET a = :v, a = :v", "a", "a"),
        ("SET a = :v, a.b = :v", "a", "a, b"),
        ("SET a = :v REMOVE a", "a", "a"),
        ("SET l[0] = :v, l[0].x = :v", "l, [0]", "l, [0], x"),
    ],
)
def test_overlapping_paths(hash_table, pk, expression, one, two):
    with invalid(OVERLAP.format(one, two)):
        hash_table.update({"pk": pk}, expression, values={":v": N(1)})


# ---- REMOVE ----


def test_remove(updated):
    assert updated({"a": N(1), "b": N(2)}, "REMOVE a, absent") == {"b": N(2)}


def test_remove_within_a_map(updated):
    assert updated({"m": M(a=N(1), b=N(2))}, "REMOVE m.a, m.absent") == {"m": M(b=N(2))}


def test_remove_on_an_absent_item_creates_nothing(hash_table, pk):
    hash_table.update({"pk": pk}, "REMOVE a")
    assert hash_table.item({"pk": pk}) is None


def test_remove_of_a_path_on_an_absent_item_is_silent(hash_table, pk):
    hash_table.update({"pk": pk}, "REMOVE a.b")
    assert hash_table.item({"pk": pk}) is None


def test_remove_of_a_path_without_its_parent(hash_table, pk):
    hash_table.put({"pk": pk})
    with invalid(INVALID_PATH):
        hash_table.update({"pk": pk}, "REMOVE a.b")


# ---- ADD and DELETE ----


def test_add_a_number(updated):
    assert updated({"n": N(10)}, "ADD n :v, fresh :v", {":v": N("-2.5")}) == {
        "n": N("7.5"),
        "fresh": N("-2.5"),
    }


@pytest.mark.parametrize(
    "before, value, after",
    [
        (SS("a", "b"), SS("b", "c"), SS("a", "b", "c")),
        (NS(1, 2), NS("2.0", 3), NS(1, 2, 3)),
        (BS(b"a"), BS(b"b"), BS(b"a", b"b")),
    ],
)
def test_add_to_a_set(updated, before, value, after):
    item = updated({"s": before}, "ADD s :v, fresh :v", {":v": value})
    assert unordered(item["s"]) == unordered(after)
    assert "fresh" in item


def test_add_of_the_same_number_changes_nothing(updated):
    assert updated({"s": NS(1)}, "ADD s :v", {":v": NS("1.0")}) == {"s": NS(1)}


def test_add_creates_the_item(hash_table, pk):
    hash_table.update({"pk": pk}, "ADD n :v", values={":v": N(5)})
    assert hash_table.item({"pk": pk}) == {"pk": pk, "n": N(5)}


@pytest.mark.parametrize("before, value", [(S("x"), N(1)), (N(1), SS("a")), (SS("a"), NS(1))])
def test_add_to_another_type(hash_table, pk, before, value):
    hash_table.put({"pk": pk, "a": before})
    with invalid(WRONG_TYPE):
        hash_table.update({"pk": pk}, "ADD a :v", values={":v": value})


@pytest.mark.parametrize(
    "value, kind", [(S("x"), "STRING"), (L(), "LIST"), (BOOL(True), "BOOLEAN")]
)
def test_add_takes_numbers_and_sets(hash_table, pk, value, kind):
    with invalid(
        "Invalid UpdateExpression: Incorrect operand type for operator or function; "
        f"operator: ADD, operand type: {kind}, typeSet: ALLOWED_FOR_ADD_OPERAND"
    ):
        hash_table.update({"pk": pk}, "ADD a :v", values={":v": value})


def test_delete_from_a_set(updated):
    item = updated({"s": SS("a", "b", "c")}, "DELETE s :v, absent :v", {":v": SS("b", "x")})
    assert {"s": unordered(item["s"])} == {"s": SS("a", "c")}
    assert set(item) == {"s"}


def test_delete_of_the_last_element_removes_the_set(updated):
    assert updated({"s": SS("a")}, "DELETE s :v", {":v": SS("a")}) == {}


def test_delete_takes_sets(hash_table, pk):
    with invalid(
        "Invalid UpdateExpression: Incorrect operand type for operator or function; "
        "operator: DELETE, operand type: STRING, typeSet: ALLOWED_FOR_DELETE_OPERAND"
    ):
        hash_table.update({"pk": pk}, "DELETE a :v", values={":v": S("x")})


def test_all_clauses_at_once(updated):
    before = {"a": N(1), "b": N(2), "n": N(3), "s": SS("x", "y")}
    expression = "remove b add n :n delete s :s set a = :a"
    values = {":n": N(1), ":s": SS("x"), ":a": B(b"z")}
    assert updated(before, expression, values) == {"a": B(b"z"), "n": N(4), "s": SS("y")}


# ---- ReturnValues ----


@pytest.fixture
def returned(hash_table, pk):
    """returned(kind, item, expression, values): Attributes of the answer, or None."""

    def run(kind, before, expression, values=None):
        hash_table.put({"pk": pk, **before})
        more = {"values": values} if values else {}
        answer = hash_table.update({"pk": pk}, expression, returns=kind, **more)
        return answer.get("Attributes")

    return run


def test_returns_nothing_unless_asked(hash_table, pk):
    for returns in ({}, {"returns": "NONE"}):
        answer = hash_table.update({"pk": pk}, "SET a = :v", values={":v": N(1)}, **returns)
        assert "Attributes" not in answer


def test_all_old_and_all_new(returned, pk):
    before = {"a": N(1), "b": N(2)}
    assert returned("ALL_OLD", before, "SET a = :v", {":v": N(9)}) == {"pk": pk, **before}
    assert returned("ALL_NEW", before, "SET a = :v", {":v": N(9)}) == {
        "pk": pk,
        "a": N(9),
        "b": N(2),
    }


def test_updated_old_and_updated_new(returned):
    before = {"a": N(1), "b": N(2)}
    values = {":v": N(9)}
    assert returned("UPDATED_OLD", before, "SET a = :v, c = :v", values) == {"a": N(1)}
    assert returned("UPDATED_NEW", before, "SET a = :v, c = :v", values) == {
        "a": N(9),
        "c": N(9),
    }


def test_updated_of_a_path_is_the_fragment(returned):
    before = {"m": M(a=N(1), b=N(2))}
    assert returned("UPDATED_NEW", before, "SET m.a = :v", {":v": N(9)}) == {"m": M(a=N(9))}
    assert returned("UPDATED_OLD", before, "SET m.a = :v", {":v": N(9)}) == {"m": M(a=N(1))}


def test_updated_after_remove(returned):
    before = {"a": N(1), "b": N(2)}
    assert returned("UPDATED_NEW", before, "REMOVE a") is None
    assert returned("UPDATED_OLD", before, "REMOVE a") == {"a": N(1)}


def test_updated_new_beyond_the_end_of_a_list(returned):
    before = {"a": M(c=L(N(1)))}
    assert returned("UPDATED_NEW", before, "SET a.c[100] = :v", {":v": N(9)}) is None


def test_updated_new_after_removal_from_a_list(returned):
    before = {"a": M(c=L(N(1), N(2), N(3)))}
    assert returned("UPDATED_NEW", before, "REMOVE a.c[1]") == {"a": M(c=L(N(3)))}


def test_old_values_of_a_new_item(hash_table, pk):
    answer = hash_table.update({"pk": pk}, "SET a = :v", values={":v": N(1)}, returns="ALL_OLD")
    assert "Attributes" not in answer
    other = {"pk": S(pk["S"] + "-2")}
    answer = hash_table.update(other, "SET a = :v", values={":v": N(1)}, returns="UPDATED_OLD")
    assert "Attributes" not in answer


def test_all_new_of_a_new_item(hash_table, pk):
    answer = hash_table.update({"pk": pk}, "SET a = :v", values={":v": N(1)}, returns="ALL_NEW")
    assert answer["Attributes"] == {"pk": pk, "a": N(1)}


# ---- Conditions ----


def test_condition(hash_table, pk):
    hash_table.put({"pk": pk, "n": N(1)})
    bump = {"expression": "SET n = n + :one", "condition": "n = :expected"}
    hash_table.update({"pk": pk}, **bump, values={":one": N(1), ":expected": N(1)})
    with condition_fails():
        hash_table.update({"pk": pk}, **bump, values={":one": N(1), ":expected": N(1)})
    assert hash_table.item({"pk": pk})["n"] == N(2)


def test_failed_condition_leaves_no_ghost(hash_table, pk):
    for condition, values in (
        ("attribute_exists(pk)", {}),
        ("n > :zero", {":zero": N(0)}),
        ("attribute_exists(pk) AND n = :zero", {":zero": N(0)}),
    ):
        with condition_fails():
            hash_table.update(
                {"pk": pk}, "SET a = :v", condition=condition, values={":v": N(1), **values}
            )
    assert hash_table.item({"pk": pk}) is None


def test_failed_condition_returns_the_item_if_asked(hash_table, pk):
    hash_table.put({"pk": pk, "n": N(1)})
    with condition_fails() as failure:
        hash_table.update(
            {"pk": pk},
            "SET n = :v",
            condition="n = :v",
            values={":v": N(2)},
            on_failure="ALL_OLD",
        )
    assert failure.value.response["Item"] == {"pk": pk, "n": N(1)}


# ---- Refusals ----


def test_key_attributes_cannot_be_changed(range_table, pk):
    for name in ("pk", "sk"):
        with invalid(
            "One or more parameter values were invalid: "
            f"Cannot update attribute {name}. This attribute is part of the key"
        ):
            range_table.update({"pk": pk, "sk": S("a")}, f"SET {name} = :v", values={":v": S("x")})


@pytest.mark.parametrize(
    "expression",
    [
        "SET a = :v,",
        "SET a = :v,, b = :v",
        "SET a",
        "SET a = ",
        "SET = :v",
        "a = :v",
        "SET a = :v b = :v",
        "SET a == :v",
        "SET a = :v + :v + :v",
        "REMOVE a,",
        "REMOVE",
        "ADD a = :v",
        "REPLACE a :v",
    ],
)
def test_syntax(hash_table, pk, expression):
    values = {"values": {":v": N(1)}} if ":v" in expression else {}
    with invalid(containing("Invalid UpdateExpression: Syntax error; token: ")):
        hash_table.update({"pk": pk}, expression, **values)


def test_syntax_error_names_its_place(hash_table, pk):
    with invalid(
        'Invalid UpdateExpression: Syntax error; token: "NONSENSE", near: "NONSENSE HERE"'
    ):
        hash_table.update({"pk": pk}, "NONSENSE HERE")


def test_a_clause_stands_once(hash_table, pk):
    with invalid(
        'Invalid UpdateExpression: The "SET" section can only be used once in an update expression;'
    ):
        hash_table.update({"pk": pk}, "SET a = :v SET b = :v", values={":v": N(1)})


def test_empty_expression(hash_table, pk):
    with invalid("Invalid UpdateExpression: The expression can not be empty;"):
        hash_table.update({"pk": pk}, "")


def test_undefined_value_and_name(hash_table, pk):
    with invalid(
        "Invalid UpdateExpression: An expression attribute value used in expression is not "
        "defined; attribute value: :v"
    ):
        hash_table.update({"pk": pk}, "SET a = :v")
    with invalid(
        "Invalid UpdateExpression: An expression attribute name used in the document path is not "
        "defined; attribute name: #a"
    ):
        hash_table.update({"pk": pk}, "SET #a = :v", values={":v": N(1)})


def test_unused_value_and_name(hash_table, pk):
    with invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}"):
        hash_table.update({"pk": pk}, "SET a = :v", values={":v": N(1), ":w": N(2)})
    with invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {#w}"):
        hash_table.update({"pk": pk}, "SET a = :v", values={":v": N(1)}, names={"#w": "w"})


def test_reserved_word(hash_table, pk):
    with invalid(
        "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status"
    ):
        hash_table.update({"pk": pk}, "SET status = :v", values={":v": N(1)})


def test_unknown_function(hash_table, pk):
    with invalid("Invalid UpdateExpression: Invalid function name; function: upper"):
        hash_table.update({"pk": pk}, "SET a = upper(b)")


def test_condition_function_in_an_update(hash_table, pk):
    with invalid(containing("function: begins_with")):
        hash_table.update({"pk": pk}, "SET a = begins_with(b, :v)", values={":v": S("x")})


def test_legacy_and_expression_parameters_do_not_mix(hash_table, pk):
    with invalid(
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributeUpdates} Expression parameters: {UpdateExpression}"
    ):
        hash_table.update(
            {"pk": pk},
            "SET a = :v",
            values={":v": N(1)},
            AttributeUpdates={"b": {"Value": N(1), "Action": "PUT"}},
        )


def test_key_that_is_not_the_tables(range_table, pk):
    with invalid("The provided key element does not match the schema"):
        range_table.update({"pk": pk}, "SET a = :v", values={":v": N(1)})


def test_unknown_table(db):
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        db.update_item(TableName="no-such-table", Key={"pk": S("a")})

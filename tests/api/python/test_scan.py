"""Scan: everything once, in pages and in parallel segments."""

import itertools

import pytest

from errors import containing, invalid, refuses
from tables import all_items, index, pages
from values import N, S

COUNT = 60


@pytest.fixture(scope="module")
def filled(new_table):
    """60 items over 20 partitions; every third has g, the key of the sparse index."""
    table = new_table(
        sk="N",
        attributes={"g": "S"},
        GlobalSecondaryIndexes=[index("by-g", "g", projection="KEYS_ONLY")],
    )
    table.put_all(
        [
            {
                "pk": S(f"p{number % 20}"),
                "sk": N(number),
                "n": N(number % 4),
                **({"g": S("same")} if number % 3 == 0 else {}),
            }
            for number in range(COUNT)
        ]
    )
    return table


def numbers(items):
    return sorted(int(item["sk"]["N"]) for item in items)


def test_everything(filled):
    answer = filled.scan()
    assert numbers(answer["Items"]) == list(range(COUNT))
    assert (answer["Count"], answer["ScannedCount"]) == (COUNT, COUNT)
    assert "LastEvaluatedKey" not in answer


def test_partitions_stay_together_in_order(filled):
    items = filled.scan()["Items"]
    partitions = [item["pk"]["S"] for item in items]
    changes = sum(left != right for left, right in itertools.pairwise(partitions))
    assert changes == 19
    for name in set(partitions):
        own = [int(item["sk"]["N"]) for item in items if item["pk"]["S"] == name]
        assert own == sorted(own)


def test_order_is_stable(filled):
    assert filled.scan()["Items"] == filled.scan(consistent=True)["Items"]


@pytest.mark.parametrize("limit", [1, 7, 30, 60, 61])
def test_pages_join_to_the_whole(filled, limit):
    chunks = [page["Items"] for page in pages(filled.scan, limit=limit)]
    assert all(len(chunk) <= limit for chunk in chunks)
    assert [item for chunk in chunks for item in chunk] == filled.scan()["Items"]


@pytest.mark.parametrize("segments", [1, 2, 3, 7, 100, 1_000_000])
def test_segments_join_to_the_whole(filled, segments):
    """Of very many segments only some are asked: those must not overlap either."""
    items = []
    for segment in range(min(segments, 100)):
        items += all_items(filled.scan, segment=segment, segments=segments)
    found = numbers(items)
    assert len(found) == len(set(found))
    if segments <= 100:
        assert found == list(range(COUNT))


def test_segments_in_pages(filled):
    items = []
    for segment in range(3):
        items += all_items(filled.scan, segment=segment, segments=3, limit=4)
    assert numbers(items) == list(range(COUNT))


def test_filter(filled):
    answer = filled.scan(filter="n = :n", values={":n": N(3)})
    assert numbers(answer["Items"]) == list(range(3, COUNT, 4))
    assert (answer["Count"], answer["ScannedCount"]) == (15, COUNT)


def test_filter_on_keys(filled):
    answer = filled.scan(filter="pk = :p AND sk > :n", values={":p": S("p3"), ":n": N(3)})
    assert numbers(answer["Items"]) == [23, 43]


def test_projection_and_count(filled):
    assert filled.scan(projection="n", limit=1)["Items"][0].keys() == {"n"}
    answer = filled.scan(select="COUNT")
    assert "Items" not in answer
    assert (answer["Count"], answer["ScannedCount"]) == (COUNT, COUNT)


def test_sparse_index(filled):
    answer = filled.scan(index="by-g")
    assert numbers(answer["Items"]) == list(range(0, COUNT, 3))
    assert all(item.keys() == {"pk", "sk", "g"} for item in answer["Items"])


@pytest.mark.parametrize("limit", [1, 3, 20])
def test_pages_of_an_index(filled, limit):
    items = all_items(filled.scan, index="by-g", limit=limit)
    assert numbers(items) == list(range(0, COUNT, 3))


def test_segments_of_an_index(filled):
    items = []
    for segment in range(4):
        items += all_items(filled.scan, index="by-g", segment=segment, segments=4)
    assert numbers(items) == list(range(0, COUNT, 3))


def test_pages_hold_a_megabyte(new_table):
    table = new_table()
    for number in range(15):
        table.put({"pk": S(f"{number}"), "d": S("x" * 150_000)})
    sizes = [page["Count"] for page in pages(table.scan)]
    assert sum(sizes) == 15
    assert 6 <= sizes[0] <= 7


def test_empty_table(new_table):
    answer = new_table().scan()
    assert (answer["Items"], answer["Count"], answer["ScannedCount"]) == ([], 0, 0)


# ---- Refusals ----


@pytest.mark.parametrize(
    "more, message",
    [
        (
            {"segment": 0},
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present",
        ),
        (
            {"segments": 4},
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present",
        ),
        (
            {"segment": 4, "segments": 4},
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            "Segment: 4 is not less than TotalSegments: 4",
        ),
    ],
)
def test_segments_that_do_not_fit(filled, more, message):
    with invalid(message):
        filled.scan(**more)


def test_segment_limits(filled):
    with invalid(containing("otalSegments' failed to satisfy constraint")):
        filled.scan(segment=0, segments=0)
    with invalid(containing("otalSegments' failed to satisfy constraint")):
        filled.scan(segment=0, segments=1_000_001)
    with invalid(containing("egment' failed to satisfy constraint")):
        filled.scan(segment=-1, segments=4)


def test_limit_below_one(filled):
    with invalid(containing("imit' failed to satisfy constraint: Member must have value greater")):
        filled.scan(limit=0)


def test_start_key_of_another_shape(filled):
    for start in ({"pk": S("p1")}, {"pk": S("p1"), "sk": S("x")}):
        with invalid(containing("The provided starting key is invalid")):
            filled.scan(start=start)


def test_start_key_of_another_segment(filled):
    """Each item belongs to one segment of two; the other must not start there."""
    segment = all_items(filled.scan, segment=0, segments=2)
    start = {name: segment[0][name] for name in ("pk", "sk")}
    with invalid(containing("The provided starting key is invalid")):
        filled.scan(segment=1, segments=2, start=start)


def test_consistent_reads_of_a_global_index(filled):
    with invalid("Consistent reads are not supported on global secondary indexes"):
        filled.scan(index="by-g", consistent=True)


def test_unknown_index(filled):
    with invalid("The table does not have the specified index: nope"):
        filled.scan(index="nope")


def test_unknown_table(db):
    with refuses("ResourceNotFoundException", "Requested resource not found"):
        db.scan(TableName="no-such-table")

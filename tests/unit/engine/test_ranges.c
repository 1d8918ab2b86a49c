/* Query and Scan: every key operator both ways, limits, pages, segments and cursors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fixture.h"

static struct fixture fixture;

static void make_tables(struct client *client)
{
    struct table_spec spec;

    create_table(client, "t", "pk:S sk:N");
    create_table(client, "words", "pk:S sk:S");
    spec_init(&spec, "hash", "pk:S", &client->arena);
    spec_add_index(&spec, "by_team", "team:S", "", PROJECTION_ALL, "", &client->arena);
    assert_int_equal(change_table(client, TABLE_CREATE, "hash", &spec), ST_OK);
    spec_init(&spec, "many", "pk:S", &client->arena);
    spec_add_index(&spec, "parts", "p1:S p2:N", "s1:S s2:N s3:S", PROJECTION_ALL, "",
                   &client->arena);
    assert_int_equal(change_table(client, TABLE_CREATE, "many", &spec), ST_OK);
}

static int setup(void **state)
{
    fixture_init(&fixture, STORE_MEMORY);
    make_tables(&fixture.acme);
    *state = &fixture.acme;
    return 0;
}

static int setup_rocks(void **state)
{
    fixture_init(&fixture, STORE_KIND_COUNT > 1 ? STORE_ROCKS : STORE_MEMORY);
    make_tables(&fixture.acme);
    *state = &fixture.acme;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    expect_healthy(&fixture);
    fixture_deinit(&fixture);
    return 0;
}

/* A condition, its values, and what it finds, forwards. */
struct expectation {
    const char *condition;
    const char *values;
    const char *found;
};

/* The words of a text, the last one first. */
static const char *reversed(struct arena *arena, const char *text)
{
    struct slice result = SLICE_LIT("");
    size_t end = strlen(text);

    while (end > 0) {
        size_t start = end;

        while (start > 0 && text[start - 1] != ' ')
            start--;
        result = arena_printf(arena, "%" PRISLICE "%s%.*s", SLICE_ARG(result),
                              result.n == 0 ? "" : " ", (int)(end - start), text + start);
        end = start == 0 ? 0 : start - 1;
    }
    return (const char *)result.p;
}

/* Both ways, at once and page by page. */
static void expect_found(struct client *client, struct query query, const char *found)
{
    for (int backward = 0; backward < 2; backward++) {
        const char *expected = backward ? reversed(&client->arena, found) : found;

        query.backward = backward;
        query.limit = 0;
        assert_string_equal(run_query(client, &query).items, expected);
        for (query.limit = 1; query.limit < 4; query.limit++) {
            struct query page = query;
            struct slice all = SLICE_LIT("");

            for (;;) {
                struct page got = run_query(client, &page);

                assert_true(got.result.scanned_count <= query.limit);
                all = arena_printf(&client->arena, "%" PRISLICE "%s%s", SLICE_ARG(all),
                                   all.n == 0 || got.items[0] == '\0' ? "" : " ", got.items);
                if (!item_exists(got.result.last_key))
                    break;
                page.start = got.result.last_key;
            }
            assert_string_equal((const char *)all.p, expected);
        }
    }
}

static void expect_each(struct client *client, struct query query,
                        const struct expectation *expectations, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        query.condition = expectations[i].condition;
        query.values = expectations[i].values;
        expect_found(client, query, expectations[i].found);
    }
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void numbers_are_found_by_every_operator(void **state)
{
    static const struct expectation expectations[] = {
        {"pk = :p", ":p=a", "#-100 #-1 #0 #0.5 #1 #10 #100"},
        {"pk = :p AND sk = :v", ":p=a :v=#1.0", "#1"},
        {"pk = :p AND sk = :v", ":p=a :v=#2", ""},
        {"pk = :p AND sk < :v", ":p=a :v=#0", "#-100 #-1"},
        {"pk = :p AND sk <= :v", ":p=a :v=#0", "#-100 #-1 #0"},
        {"pk = :p AND sk > :v", ":p=a :v=#0.5", "#1 #10 #100"},
        {"pk = :p AND sk >= :v", ":p=a :v=#0.5", "#0.5 #1 #10 #100"},
        {"pk = :p AND :v < sk", ":p=a :v=#10", "#100"},
        {"pk = :p AND sk BETWEEN :v AND :w", ":p=a :v=#-1 :w=#1", "#-1 #0 #0.5 #1"},
        {"pk = :p AND sk BETWEEN :v AND :w", ":p=a :v=#2 :w=#9", ""},
        {"pk = :p AND sk < :v", ":p=a :v=#-100", ""},
        {"pk = :p", ":p=b", "#1"},
        {"pk = :p", ":p=nobody", ""},
    };
    static const char *const numbers[] = {"100", "1", "-1", "0", "10", "-100", "0.5"};
    struct client *acme = *state;

    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        put(acme, "t", (const char *)arena_printf(&acme->arena, "pk=a sk=#%s", numbers[i]).p);
    put(acme, "t", "pk=b sk=#1");
    put(acme, "t", "pk=aa sk=#1");
    expect_each(acme, (struct query){.table = "t"}, expectations, COUNT_OF(expectations));
}

static void strings_are_found_by_every_operator(void **state)
{
    static const struct expectation expectations[] = {
        {"pk = :p", ":p=a", "A a aa ab b ba z"},
        {"pk = :p AND begins_with(sk, :v)", ":p=a :v=a", "a aa ab"},
        {"pk = :p AND begins_with(sk, :v)", ":p=a :v=ab", "ab"},
        {"pk = :p AND begins_with(sk, :v)", ":p=a :v=c", ""},
        {"pk = :p AND sk > :v", ":p=a :v=a", "aa ab b ba z"},
        {"pk = :p AND sk >= :v", ":p=a :v=a", "a aa ab b ba z"},
        {"pk = :p AND sk < :v", ":p=a :v=ab", "A a aa"},
        {"pk = :p AND sk <= :v", ":p=a :v=ab", "A a aa ab"},
        {"pk = :p AND sk BETWEEN :v AND :w", ":p=a :v=aa :w=b", "aa ab b"},
        {"pk = :p AND sk BETWEEN :v AND :w", ":p=a :v=a :w=a", "a"},
        {"pk = :p AND sk = :v", ":p=a :v=ba", "ba"},
    };
    static const char *const words[] = {"z", "ab", "A", "a", "ba", "b", "aa"};
    struct client *acme = *state;

    for (size_t i = 0; i < COUNT_OF(words); i++)
        put(acme, "words", (const char *)arena_printf(&acme->arena, "pk=a sk=%s", words[i]).p);
    put(acme, "words", "pk=ab sk=x");
    expect_each(acme, (struct query){.table = "words"}, expectations, COUNT_OF(expectations));
}

static void multi_attribute_keys_narrow_from_the_left(void **state)
{
    static const struct expectation expectations[] = {
        {"p1 = :a AND p2 = :b", ":a=x :b=#1", "1 2 3 4 5"},
        {"p2 = :b AND p1 = :a AND s1 = :c", ":a=x :b=#1 :c=k", "1 2 3"},
        {"p1 = :a AND p2 = :b AND s1 = :c AND s2 > :d", ":a=x :b=#1 :c=k :d=#1", "2 3"},
        {"p1 = :a AND p2 = :b AND s1 = :c AND s2 = :d AND s3 = :e", ":a=x :b=#1 :c=k :d=#2 :e=m",
         "3"},
        {"p1 = :a AND p2 = :b AND s1 = :c AND s2 = :d AND begins_with(s3, :e)",
         ":a=x :b=#1 :c=k :d=#2 :e=m", "3"},
        {"p1 = :a AND p2 = :b AND s1 > :c", ":a=x :b=#1 :c=k", "4 5"},
        {"p1 = :a AND p2 = :b AND begins_with(s1, :c)", ":a=x :b=#1 :c=k", "1 2 3 4"},
        {"p1 = :a AND p2 = :b AND s1 = :c AND s2 BETWEEN :d AND :e", ":a=x :b=#1 :c=k :d=#0 :e=#1",
         "1"},
        {"p1 = :a AND p2 = :b", ":a=x :b=#2", "6"},
        {"p1 = :a AND p2 = :b", ":a=y :b=#1", ""},
    };
    struct client *acme = *state;

    put(acme, "many", "pk=3 p1=x p2=#1 s1=k s2=#2 s3=m");
    put(acme, "many", "pk=1 p1=x p2=#1 s1=k s2=#1 s3=z");
    put(acme, "many", "pk=5 p1=x p2=#1 s1=l s2=#0 s3=a");
    put(acme, "many", "pk=2 p1=x p2=#1 s1=k s2=#2 s3=a");
    put(acme, "many", "pk=4 p1=x p2=#1 s1=kk s2=#0 s3=a");
    put(acme, "many", "pk=6 p1=x p2=#2 s1=k s2=#0 s3=a");
    put(acme, "many", "pk=7 p1=x p2=#1 s1=k s2=#0");
    expect_each(acme, (struct query){.table = "many", .index = "parts", .show = "pk"}, expectations,
                COUNT_OF(expectations));
}

static void a_condition_must_follow_the_schema(void **state)
{
    static const struct expectation refused[] = {
        {"sk = :v", ":v=#1", "Query condition missed key schema element: pk"},
        {"pk = :p AND x = :v", ":p=a :v=#1", "Query condition missed key schema element: sk"},
        {"pk > :p", ":p=a", "Query key condition not supported"},
        {"pk = :p AND sk = :v", ":p=a :v=text",
         "One or more parameter values were invalid: Condition parameter type does not match "
         "schema type"},
    };
    struct query query = {.table = "t"};

    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        query.condition = refused[i].condition;
        query.values = refused[i].values;
        assert_string_equal(query_fault(*state, &query), refused[i].found);
    }
}

static void sort_attributes_cannot_be_skipped(void **state)
{
    static const struct expectation refused[] = {
        {"p1 = :a", ":a=x", "Query condition missed key schema element: p2"},
        {"p1 = :a AND p2 = :b AND s2 = :c", ":a=x :b=#1 :c=#1", NULL},
        {"p1 = :a AND p2 = :b AND s1 > :c AND s2 = :d", ":a=x :b=#1 :c=k :d=#1", NULL},
    };
    struct query query = {.table = "many", .index = "parts"};

    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        query.condition = refused[i].condition;
        query.values = refused[i].values;
        assert_non_null(query_fault(*state, &query));
        if (refused[i].found != NULL)
            assert_string_equal(query_fault(*state, &query), refused[i].found);
    }
}

/* The limits are on the sum of a key's parts: neither conditions nor cursors get past them. */
static void large_operands_are_refused(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "many",
                          .index = "parts",
                          .condition = "p1 = :a AND p2 = :b AND s1 = :c AND s2 = :d AND s3 = :e",
                          .values = ":a=*2047 :b=#1 :c=k :d=#1 :e=k"};

    assert_non_null(query_fault(acme, &query));
    query.values = ":a=*2000 :b=#1 :c=*600 :d=#1 :e=*500";
    assert_non_null(query_fault(acme, &query));
    query.values = ":a=*2046 :b=#1 :c=*500 :d=#1 :e=*500";
    assert_null(query_fault(acme, &query));
    query.condition = NULL;
    query.start = item_of(&acme->arena, "pk=a p1=*2047 p2=#1 s1=k s2=#1 s3=k");
    assert_non_null(query_fault(acme, &query));
    query.start = item_of(&acme->arena, "pk=a p1=x p2=#1 s1=*600 s2=#1 s3=*500");
    assert_non_null(query_fault(acme, &query));
    query.start = item_of(&acme->arena, "pk=a p1=x p2=#1 s1=k s2=#1 s3=k");
    assert_null(query_fault(acme, &query));
}

/* Many items of the same index key: the table's key tells them apart. */
static void paging_through_ties_loses_nothing(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "hash",
                          .index = "by_team",
                          .condition = "team = :t",
                          .values = ":t=red",
                          .show = "pk"};

    for (int i = 10; i < 20; i++)
        put(acme, "hash", (const char *)arena_printf(&acme->arena, "pk=%d team=red", i).p);
    put(acme, "hash", "pk=99 team=blue");
    expect_found(acme, query, "10 11 12 13 14 15 16 17 18 19");
    query.limit = 4;
    assert_string_equal(run_pages(acme, query), "10 11 12 13 | 14 15 16 17 | 18 19");
    query.limit = 5;
    assert_string_equal(run_pages(acme, query), "10 11 12 13 14 | 15 16 17 18 19 | ");
}

static void a_cursor_has_the_keys_of_index_and_table(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "hash", .index = "by_team", .limit = 1, .show = "pk"};

    put(acme, "hash", "pk=1 team=red x=y");
    assert_string_equal(text_of(&acme->arena, run_query(acme, &query).result.last_key),
                        "pk=1 team=red");
    query.index = NULL;
    assert_string_equal(text_of(&acme->arena, run_query(acme, &query).result.last_key), "pk=1");
}

static void a_cursor_may_name_an_item_that_is_gone(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "t", .condition = "pk = :p", .values = ":p=a"};

    for (int i = 1; i <= 5; i++)
        put(acme, "t", (const char *)arena_printf(&acme->arena, "pk=a sk=#%d", i).p);
    query.start = item_of(&acme->arena, "pk=a sk=#3");
    del(acme, "t", "pk=a sk=#3");
    assert_string_equal(run_query(acme, &query).items, "#4 #5");
    query.backward = true;
    assert_string_equal(run_query(acme, &query).items, "#2 #1");
}

static void cursors_are_checked(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "t", .condition = "pk = :p AND sk > :v", .values = ":p=a :v=#3"};

    query.start = item_of(&acme->arena, "pk=a sk=#4");
    assert_null(query_fault(acme, &query));
    query.start = item_of(&acme->arena, "pk=a sk=#4 x=1");
    assert_string_equal(query_fault(acme, &query), "The provided starting key is invalid");
    query.start = item_of(&acme->arena, "pk=a");
    assert_string_equal(query_fault(acme, &query), "The provided starting key is invalid");
    query.start = item_of(&acme->arena, "pk=a sk=text");
    assert_string_equal(query_fault(acme, &query), "The provided starting key is invalid");
    query.start = item_of(&acme->arena, "pk=b sk=#4");
    assert_string_equal(query_fault(acme, &query),
                        "The provided starting key is outside query boundaries based on provided "
                        "conditions");
    query.start = item_of(&acme->arena, "pk=a sk=#3");
    assert_string_equal(query_fault(acme, &query),
                        "The provided starting key does not match the range key predicate");
}

static void a_filter_hides_but_does_not_save(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "t",
                          .condition = "pk = :p",
                          .values = ":p=a",
                          .filter = "n > :n",
                          .filter_values = ":n=#2",
                          .limit = 3};
    struct page page;

    for (int i = 1; i <= 5; i++)
        put(acme, "t", (const char *)arena_printf(&acme->arena, "pk=a sk=#%d n=#%d", i, i).p);
    page = run_query(acme, &query);
    assert_string_equal(page.items, "#3");
    assert_int_equal(page.result.count, 1);
    assert_int_equal(page.result.scanned_count, 3);
    assert_int_equal(page.result.size_bytes, 3 * 10);
    assert_string_equal(run_pages(acme, query), "#3 | #4 #5");
}

/* The item with which a page passes one megabyte is its last. */
static void a_page_ends_after_a_megabyte(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "t", .condition = "pk = :p", .values = ":p=a"};
    struct page page;

    for (int i = 0; i < 12; i++)
        put(acme, "t", (const char *)arena_printf(&acme->arena, "pk=a sk=#%d x=*262135", i).p);
    page = run_query(acme, &query); /* 262,143 or 262,142 bytes each */
    assert_string_equal(page.items, "#0 #1 #2 #3 #4");
    assert_true(page.result.size_bytes >= PAGE_SIZE_BYTES_MAX);
    assert_string_equal(run_pages(acme, query), "#0 #1 #2 #3 #4 | #5 #6 #7 #8 #9 | #10 #11");
    query.filter = "attribute_not_exists(x)";
    assert_string_equal(run_pages(acme, query), " |  | ");
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Splits at blanks and bars into `words`; returns how many there are. */
static size_t add_words(struct arena *arena, const char *text, const char **words, size_t count)
{
    struct slice copy = arena_printf(arena, "%s", text);
    char *rest = (char *)(uintptr_t)copy.p;

    for (char *word; (word = strsep(&rest, " |")) != NULL;)
        if (word[0] != '\0')
            words[count++] = word;
    return count;
}

/* Whatever the number of segments, each item is in exactly one of them. */
static void segments_divide_the_table(void **state)
{
    static const uint32_t counts[] = {1, 2, 3, 7, 64, 1000};
    static const char *words[1000];
    struct client *acme = *state;

    for (int i = 0; i < 200; i++)
        put(acme, "hash", (const char *)arena_printf(&acme->arena, "pk=%03d team=t%d", i, i).p);
    for (size_t c = 0; c < 2 * COUNT_OF(counts); c++) {
        uint32_t segments = counts[c / 2];
        struct query query = {.table = "hash",
                              .index = c % 2 == 0 ? NULL : "by_team",
                              .show = "pk",
                              .limit = 3,
                              .segment_count = segments};
        size_t count = 0;

        for (query.segment = 0; query.segment < segments; query.segment++)
            count = add_words(&acme->arena, run_pages(acme, query), words, count);
        assert_int_equal(count, 200);
        qsort(words, count, sizeof(words[0]), compare_texts);
        for (size_t i = 0; i < count; i++)
            assert_string_equal(words[i], (const char *)arena_printf(&acme->arena, "%03zu", i).p);
    }
}

static void a_cursor_belongs_to_its_segment(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "hash", .segment_count = 2};
    unsigned fitting = 0;

    query.start = item_of(&acme->arena, "pk=a");
    for (query.segment = 0; query.segment < 2; query.segment++)
        fitting += query_fault(acme, &query) == NULL;
    assert_int_equal(fitting, 1);
}

static void a_scan_sees_one_tenant_and_one_table(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "words"};

    make_tables(&fixture.beta);
    put(acme, "words", "pk=a sk=ours");
    put(acme, "t", "pk=a sk=#1");
    put(&fixture.beta, "words", "pk=a sk=theirs");
    assert_string_equal(run_query(acme, &query).items, "ours");
    assert_string_equal(run_query(&fixture.beta, &query).items, "theirs");
}

/* Behind a cold cache a read without leave to block says so, loses nothing and repeats nothing. */
static void a_blocked_read_is_resumed(void **state)
{
    struct client *acme = *state;
    struct range_spec spec = {0};
    struct range_result result;
    struct range_read *read;
    enum range_turn turn;

    for (int i = 0; i < 300; i++)
        put(acme, "words", (const char *)arena_printf(&acme->arena, "pk=a sk=%d x=*900", i).p);
    fixture_reopen(&fixture);
    acme = &fixture.acme;
    spec.scope = acme->scope;
    spec.table = find_table(acme, "words");
    read = range_new(&spec, &acme->arena);
    for (enum kv_mode mode = KV_NO_BLOCK;;) {
        turn = range_turn(read, mode, 0, &result);
        if (turn == RANGE_DONE)
            break;
        assert_true(turn == RANGE_MORE || (turn == RANGE_WOULD_BLOCK && mode == KV_NO_BLOCK));
        mode = turn == RANGE_WOULD_BLOCK ? KV_MAY_BLOCK : KV_NO_BLOCK;
    }
    assert_int_equal(result.count, 300);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
#define TEST_ROCKS(function) cmocka_unit_test_setup_teardown(function, setup_rocks, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_found_by_every_operator),
        TEST_ROCKS(numbers_are_found_by_every_operator),
        TEST(strings_are_found_by_every_operator),
        TEST_ROCKS(strings_are_found_by_every_operator),
        TEST(multi_attribute_keys_narrow_from_the_left),
        TEST(a_condition_must_follow_the_schema),
        TEST(sort_attributes_cannot_be_skipped),
        TEST(large_operands_are_refused),
        TEST(paging_through_ties_loses_nothing),
        TEST(a_cursor_has_the_keys_of_index_and_table),
        TEST(a_cursor_may_name_an_item_that_is_gone),
        TEST(cursors_are_checked),
        TEST(a_filter_hides_but_does_not_save),
        TEST(a_page_ends_after_a_megabyte),
        TEST(segments_divide_the_table),
        TEST_ROCKS(segments_divide_the_table),
        TEST(a_cursor_belongs_to_its_segment),
        TEST(a_scan_sees_one_tenant_and_one_table),
        TEST(a_blocked_read_is_resumed),
        TEST_ROCKS(a_blocked_read_is_resumed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

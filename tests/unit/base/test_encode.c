/* The codecs against published examples, and against what they must refuse. */
#include "base/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/random.h"

static int setup(void **state)
{
    static struct arena arena;

    arena_init(&arena, 0);
    *state = &arena;
    return 0;
}

static int teardown(void **state)
{
    arena_deinit(*state);
    return 0;
}

static void big_endian_bytes_sort_as_numbers(void **state)
{
    uint8_t low[8], high[8];

    (void)state;
    put_be64(low, 0x00ff);
    put_be64(high, 0x0100);
    assert_true(memcmp(low, high, 8) < 0);
    assert_int_equal(get_be64(high), 0x0100);
    put_be16(low, 0x1234);
    assert_int_equal(low[0], 0x12);
    put_be32(low, 0x12345678);
    assert_int_equal(low[0], 0x12);
    assert_int_equal(get_be32(low), 0x12345678);
}

static void little_endian_bytes_begin_with_the_lowest(void **state)
{
    uint8_t p[8];

    (void)state;
    put_le64(p, 0x0807060504030201);
    for (uint8_t i = 0; i < 8; i++)
        assert_int_equal(p[i], i + 1);
    assert_int_equal(get_le16(p), 0x0201);
    assert_int_equal(get_le32(p), 0x04030201);
}

static void hex_goes_both_ways(void **state)
{
    const uint8_t bytes[] = {0x00, 0x7f, 0xab, 0xff};
    uint8_t decoded[4];
    char text[8];

    (void)state;
    hex_encode(bytes, 4, text);
    assert_memory_equal(text, "007fabff", 8);
    assert_int_equal(hex_decode(SLICE_LIT("007FabFf"), decoded, 4), ST_OK);
    assert_memory_equal(decoded, bytes, 4);
}

static void hex_of_the_wrong_length_or_letter_is_invalid(void **state)
{
    uint8_t decoded[2] = {1, 1};

    (void)state;
    assert_int_equal(hex_decode(SLICE_LIT("abc"), decoded, 2), ST_INVALID);
    assert_int_equal(hex_decode(SLICE_LIT("abcdef"), decoded, 2), ST_INVALID);
    assert_int_equal(hex_decode(SLICE_LIT("00g0"), decoded, 2), ST_INVALID);
    assert_int_equal(hex_decode(SLICE_LIT("0x00"), decoded, 2), ST_INVALID);
    assert_int_equal(decoded[0], 1);
}

struct base64_case {
    const char *bytes;
    const char *text;
};

/* RFC 4648, section 10. */
static const struct base64_case base64_cases[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
};

static void base64_matches_the_rfc(void **state)
{
    for (size_t i = 0; i < sizeof(base64_cases) / sizeof(base64_cases[0]); i++) {
        const struct base64_case *c = &base64_cases[i];
        struct slice decoded;
        struct buf buf;

        buf_init(&buf, 100);
        base64_append(&buf, slice_cstr(c->bytes));
        assert_true(slice_is(buf_slice(&buf), c->text));
        assert_int_equal(base64_decode(*state, slice_cstr(c->text), &decoded), ST_OK);
        assert_true(slice_is(decoded, c->bytes));
        buf_deinit(&buf);
    }
}

static void base64_of_random_bytes_comes_back(void **state)
{
    uint64_t seed = 20;
    struct buf buf;

    buf_init(&buf, 1000);
    for (size_t n = 0; n < 300; n++) {
        uint8_t bytes[300];
        struct slice decoded;

        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)random_seeded_next(&seed);
        buf_reset(&buf);
        base64_append(&buf, slice_of(bytes, n));
        assert_int_equal(base64_decode(*state, buf_slice(&buf), &decoded), ST_OK);
        assert_true(slice_equal(decoded, slice_of(bytes, n)));
    }
    buf_deinit(&buf);
}

static void base64_that_is_not_strict_is_invalid(void **state)
{
    const char *const texts[] = {
        "Z",        "Zg",   "Zg=",  "Zm8",     "Zm9v\n",   "Zm9 ", "Z===", "====",
        "Zg==Zg==", "=Zg=", "Zm-_", "Zm9\x80", "Zm8=Zm9v", "Zh==", "Zm9=", "Zg=a",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct slice decoded = SLICE_LIT("untouched");

        assert_int_equal(base64_decode(*state, slice_cstr(texts[i]), &decoded), ST_INVALID);
        assert_true(slice_is(decoded, "untouched"));
    }
}

static void base64_larger_than_the_arena_is_too_large(void **state)
{
    static uint8_t text[64 * 1024];
    struct arena small;
    struct slice decoded;

    (void)state;
    memset(text, 'A', sizeof(text));
    arena_init(&small, 1024);
    assert_int_equal(base64_decode(&small, slice_of(text, sizeof(text)), &decoded), ST_TOO_LARGE);
    arena_deinit(&small);
}

static void base64_past_a_buffer_s_maximum_appends_nothing(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 7);
    base64_append(&buf, SLICE_LIT("fooba"));
    assert_int_equal(buf.n, 0);
    assert_int_equal(buf_status(&buf), ST_TOO_LARGE);
    buf_deinit(&buf);
}

static void well_formed_utf8_is_valid(void **state)
{
    const char *const texts[] = {
        "",
        "plain ASCII that is longer than eight bytes",
        "\xc2\x80 \xdf\xbf",
        "\xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xef\xbf\xbf",
        "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf",
        "1234567\xc3\xa9",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_true(utf8_valid(slice_cstr(texts[i])));
    assert_true(utf8_valid(SLICE_LIT("a\0b")));
}

static void ill_formed_utf8_is_not(void **state)
{
    const char *const texts[] = {
        "\x80",             /* begins inside a character */
        "\xc2",             /* ends inside one */
        "\xe2\x82",         /* likewise */
        "\xf0\x9f\x98",     /* likewise */
        "\xc2\x41",         /* second byte is ASCII */
        "\xe2\x82\x41",     /* third byte is ASCII */
        "\xf0\x9f\x98\x41", /* fourth byte is ASCII */
        "\xc0\xaf",         /* overlong, two bytes */
        "\xc1\xbf",         /* overlong, two bytes */
        "\xe0\x9f\xbf",     /* overlong, three bytes */
        "\xf0\x8f\xbf\xbf", /* overlong, four bytes */
        "\xed\xa0\x80",     /* a surrogate */
        "\xed\xbf\xbf",     /* a surrogate */
        "\xf4\x90\x80\x80", /* above U+10FFFF */
        "\xf5\x80\x80\x80", /* above U+10FFFF */
        "\xff",             /* never a byte of UTF-8 */
        "12345678\xc3",     /* after a stretch of ASCII */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_false(utf8_valid(slice_cstr(texts[i])));
}

static void a_character_cut_by_the_slice_s_end_is_ill_formed(void **state)
{
    (void)state;
    assert_false(utf8_valid(slice_of("\xe2\x82\xac", 2)));
    assert_true(utf8_valid(slice_of("\xe2\x82\xac", 3)));
}

static void integers_are_digits_alone(void **state)
{
    const char *const wrong[] = {
        "", "-1", "+1", " 1", "1 ", "1.0", "0x10", "9223372036854775808", "99999999999999999999"};
    int64_t value = 7;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(parse_int(slice_cstr(wrong[i]), &value), ST_INVALID);
        assert_int_equal(value, 7);
    }
    assert_int_equal(parse_int(SLICE_LIT("9223372036854775807"), &value), ST_OK);
    assert_true(value == INT64_MAX);
    assert_int_equal(parse_int(SLICE_LIT("0042"), &value), ST_OK);
    assert_int_equal(value, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(big_endian_bytes_sort_as_numbers),
        TEST(little_endian_bytes_begin_with_the_lowest),
        TEST(hex_goes_both_ways),
        TEST(hex_of_the_wrong_length_or_letter_is_invalid),
        TEST(base64_matches_the_rfc),
        TEST(base64_of_random_bytes_comes_back),
        TEST(base64_that_is_not_strict_is_invalid),
        TEST(base64_larger_than_the_arena_is_too_large),
        TEST(base64_past_a_buffer_s_maximum_appends_nothing),
        TEST(well_formed_utf8_is_valid),
        TEST(ill_formed_utf8_is_not),
        TEST(a_character_cut_by_the_slice_s_end_is_ill_formed),
        TEST(integers_are_digits_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

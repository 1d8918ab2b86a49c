/*
 * However the network cuts a request into pieces, it is the same request. Seeded mutations of good
 * and bad requests are parsed whole and in pieces, moving to another buffer between the pieces; the
 * outcomes must agree. A failure names its seed; set ROWHOUSE_SEED to repeat it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/encode.h"
#include "base/random.h"
#include "http/message.h"

#define ROUND_COUNT 6000
#define CAPACITY_BYTES 32768
#define HEAD_SIZE_BYTES_MAX 1024
#define BODY_SIZE_BYTES_MAX 4096

static const char *const seeds[] = {
    "POST /a?b=c HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\nX-A:  b \r\nX-E:\r\n\r\nhello_world",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n6\r\n_world\r\n0\r\n\r\n",
    "GET http://h/x HTTP/1.1\r\nhost: H\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "\r\nPUT / HTTP/1.1\r\nHost: h\r\nX-A: 1\r\n 2\r\nContent-Length: 0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: "
    "chunked\r\n\r\n0\r\n\r\n",
};

/* What mutations are made of: bytes and words that mean something to somebody. */
static const char *const words[] = {
    "\r\n",
    "\n",
    "\r",
    " ",
    "\t",
    ":",
    "0",
    "\r\n\t",
    ",",
    "chunked",
    "http",
    "HTTP/1.1",
    "HTTP/1.0",
    "/",
    "?",
    "#",
    "\x80",
    "\x7f",
    "1",
    "a",
    ";x=y",
    "Host: ",
    "\r\n\r\n",
    "X-B: 1\r\n",
    "Content-Length: 1\r\n",
    "Transfer-Encoding: chunked\r\n",
};

struct text {
    uint8_t bytes[1024];
    size_t n;
};

struct fixture {
    struct receive_pool pool;
    struct message_rules rules;
    struct message message;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    assert_non_null(fixture);
    receive_pool_init(&fixture->pool, 4, SIZE_MAX);
    head_rules_init(&fixture->rules.head, NULL);
    fixture->rules.head_size_bytes_max = HEAD_SIZE_BYTES_MAX;
    fixture->rules.body_size_bytes_max = BODY_SIZE_BYTES_MAX;
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    receive_pool_deinit(&fixture->pool);
    free(fixture);
    return 0;
}

static void begin(struct fixture *fixture)
{
    struct receive_buffer *buffer = receive_buffer_new(&fixture->pool, CAPACITY_BYTES);

    assert_non_null(buffer);
    message_begin(&fixture->message, &fixture->rules, buffer);
}

static void end(struct fixture *fixture)
{
    receive_buffer_free(&fixture->pool, fixture->message.buffer);
}

static void move(struct fixture *fixture)
{
    struct receive_buffer *from = fixture->message.buffer;
    struct receive_buffer *to = receive_buffer_new(&fixture->pool, CAPACITY_BYTES);

    assert_non_null(to);
    message_move(&fixture->message, to);
    memset(from->bytes, 0xdd, CAPACITY_BYTES); /* Nothing may still point there. */
    receive_buffer_free(&fixture->pool, from);
}

static enum message_progress parse(struct message *message)
{
    enum message_progress progress = message_parse(message);

    return progress == MESSAGE_HEAD ? message_parse(message) : progress;
}

/* Feeds pieces of `step` bytes until the message ends one way or the other. */
static enum message_progress feed(struct fixture *fixture, struct slice bytes, size_t step)
{
    enum message_progress progress = MESSAGE_PARTIAL;

    while (progress == MESSAGE_PARTIAL && bytes.n > 0) {
        size_t n = bytes.n < step ? bytes.n : step;
        struct receive_buffer *buffer;

        move(fixture);
        buffer = fixture->message.buffer;
        memcpy(buffer->bytes + buffer->filled, bytes.p, n);
        buffer->filled += n;
        bytes = slice_from(bytes, n);
        progress = parse(&fixture->message);
    }
    return progress;
}

static void append_slice(struct text *out, struct slice s)
{
    if (s.n > sizeof(out->bytes) - out->n - 1)
        s.n = sizeof(out->bytes) - out->n - 1;
    if (s.n > 0)
        memcpy(out->bytes + out->n, s.p, s.n);
    out->n += s.n;
    out->bytes[out->n++] = '|';
}

/* All that an owner sees of a request, in one string. */
static void describe(const struct message *message, struct text *out)
{
    const struct http_request *request = &message->request;

    out->n = 0;
    append_slice(out, request->method);
    append_slice(out, request->path);
    append_slice(out, request->query);
    append_slice(out, request->host);
    append_slice(out, request->body);
    append_slice(out, message->keep_alive ? SLICE_LIT("keep") : SLICE_LIT("close"));
    for (size_t i = 0; i < request->header_count && out->n < 900; i++) {
        append_slice(out, request->headers[i].name);
        append_slice(out, request->headers[i].value);
    }
}

static enum message_progress run(struct fixture *fixture, const struct text *text, size_t step,
                                 struct text *ret_seen)
{
    enum message_progress progress;

    begin(fixture);
    progress = feed(fixture, slice_of(text->bytes, text->n), step);
    ret_seen->n = 0;
    if (progress == MESSAGE_COMPLETE)
        describe(&fixture->message, ret_seen);
    end(fixture);
    return progress;
}

static void insert(struct text *text, size_t at, struct slice word)
{
    if (text->n + word.n > sizeof(text->bytes))
        return;
    memmove(text->bytes + at + word.n, text->bytes + at, text->n - at);
    memcpy(text->bytes + at, word.p, word.n);
    text->n += word.n;
}

static void mutate(struct text *text, uint64_t *random)
{
    size_t at = random_seeded_next(random) % text->n;
    const char *word = words[random_seeded_next(random) % (sizeof(words) / sizeof(words[0]))];

    switch (random_seeded_next(random) % 4) {
    case 0:
        text->bytes[at] = (uint8_t)random_seeded_next(random);
        break;
    case 1:
        memmove(text->bytes + at, text->bytes + at + 1, --text->n - at);
        break;
    default:
        insert(text, at, slice_cstr(word));
    }
}

static void make_text(struct text *text, uint64_t *random)
{
    struct slice seed =
        slice_cstr(seeds[random_seeded_next(random) % (sizeof(seeds) / sizeof(seeds[0]))]);
    unsigned count = random_seeded_next(random) % 4;

    text->n = 0;
    insert(text, 0, seed);
    while (count-- > 0)
        mutate(text, random);
}

static void check_text(struct fixture *fixture, const struct text *text, uint64_t seed)
{
    static const size_t steps[] = {1, 2, 7, 31};
    struct text whole, pieces;
    enum message_progress expected = run(fixture, text, sizeof(text->bytes), &whole);

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        enum message_progress progress = run(fixture, text, steps[i], &pieces);

        if (progress != expected ||
            !slice_equal(slice_of(whole.bytes, whole.n), slice_of(pieces.bytes, pieces.n)))
            fail_msg("seed %llu: whole %d, in pieces of %zu bytes %d, of:\n%.*s",
                     (unsigned long long)seed, expected, steps[i], progress, (int)text->n,
                     (const char *)text->bytes);
    }
}

static void test_pieces_make_no_difference(void **state)
{
    const char *given = getenv("ROWHOUSE_SEED");
    int64_t first = 1;

    if (given != NULL)
        assert_int_equal(parse_int(slice_cstr(given), &first), ST_OK);
    for (uint64_t seed = (uint64_t)first; seed < (uint64_t)first + ROUND_COUNT; seed++) {
        uint64_t random = seed;
        struct text text;

        make_text(&text, &random);
        check_text(*state, &text, seed);
    }
}

static void test_what_follows_a_message_stays_unparsed(void **state)
{
    struct fixture *fixture = *state;
    struct slice bytes = SLICE_LIT("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nabGET");

    begin(fixture);
    assert_int_equal(feed(fixture, bytes, bytes.n), MESSAGE_COMPLETE);
    assert_true(slice_is(fixture->message.request.body, "ab"));
    assert_int_equal(fixture->message.buffer->filled - fixture->message.buffer->parsed, 3);
    end(fixture);
}

static void test_chunk_framing_is_no_way_around_the_limits(void **state)
{
    struct fixture *fixture = *state;
    enum message_progress progress;

    begin(fixture);
    progress = feed(
        fixture, SLICE_LIT("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"), 64);
    for (int i = 0; i < 10000 && progress == MESSAGE_PARTIAL; i++)
        progress = feed(fixture, SLICE_LIT("00000000000001\r\na\r\n"), 64);
    assert_int_equal(progress, MESSAGE_REFUSED);
    assert_int_equal(fixture->message.refusal.status, 413);
    assert_true(fixture->message.buffer->filled <= HEAD_SIZE_BYTES_MAX + BODY_SIZE_BYTES_MAX);
    end(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pieces_make_no_difference, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_follows_a_message_stays_unparsed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_chunk_framing_is_no_way_around_the_limits, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

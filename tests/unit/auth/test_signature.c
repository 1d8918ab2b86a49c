/* The steps of a signature against the examples that AWS publishes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "auth/canonical.h"
#include "auth/sha256.h"
#include "auth/signing_keys.h"
#include "auth/uri.h"
#include "base/encode.h"

#define EXAMPLE_SECRET SLICE_LIT("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")

/* ListUsers of IAM, the worked example of the General Reference. */
static const struct auth_header example_headers[] = {
    {{(const uint8_t *)"host", 4}, {(const uint8_t *)"iam.amazonaws.com", 17}},
    {{(const uint8_t *)"content-type", 12},
     {(const uint8_t *)"application/x-www-form-urlencoded; charset=utf-8", 48}},
    {{(const uint8_t *)"x-amz-date", 10}, {(const uint8_t *)"20150830T123600Z", 16}},
};

static struct claim example_claim(void)
{
    return (struct claim){
        .access_key_id = SLICE_LIT("AKIDEXAMPLE"),
        .scope = SLICE_LIT("20150830/us-east-1/iam/aws4_request"),
        .date = SLICE_LIT("20150830"),
        .region = SLICE_LIT("us-east-1"),
        .service = SLICE_LIT("iam"),
        .terminator = SLICE_LIT("aws4_request"),
        .signed_headers = SLICE_LIT("content-type;host;x-amz-date"),
    };
}

static void assert_hex(const uint8_t digest[SHA256_SIZE_BYTES], const char *expected)
{
    char hex[2 * SHA256_SIZE_BYTES + 1] = {0};

    hex_encode(digest, SHA256_SIZE_BYTES, hex);
    assert_string_equal(hex, expected);
}

static void digests_are_the_standards(void **state)
{
    uint8_t digest[SHA256_SIZE_BYTES];
    struct sha256 sha256;

    (void)state;
    sha256_init(&sha256);
    sha256_digest(&sha256, SLICE_EMPTY, digest);
    assert_hex(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_digest(&sha256, SLICE_LIT("abc"), digest);
    assert_hex(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_deinit(&sha256);
}

/* RFC 4231, cases 2 and 6: a short secret, and one longer than a block. */
static void hmacs_are_the_standards(void **state)
{
    uint8_t digest[SHA256_SIZE_BYTES], secret[131];
    struct sha256 sha256;
    struct hmac_key key;

    (void)state;
    sha256_init(&sha256);
    hmac_key_init(&sha256, SLICE_LIT("Jefe"), &key);
    hmac_digest(&sha256, &key, SLICE_LIT("what do ya want for nothing?"), digest);
    assert_hex(digest, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(secret, 0xaa, sizeof(secret));
    hmac_key_init(&sha256, slice_of(secret, sizeof(secret)), &key);
    hmac_digest(&sha256, &key, SLICE_LIT("Test Using Larger Than Block-Size Key - Hash Key First"),
                digest);
    assert_hex(digest, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    sha256_deinit(&sha256);
}

static void the_canonical_request_is_the_published_one(void **state)
{
    const struct auth_request request = {
        .method = SLICE_LIT("GET"),
        .path = SLICE_LIT("/"),
        .query = SLICE_LIT("Version=2010-05-08&Action=ListUsers"),
        .headers = example_headers,
        .header_count = 3,
    };
    struct claim claim = example_claim();
    uint8_t digest[SHA256_SIZE_BYTES];
    struct sha256 sha256;
    struct arena arena;
    struct buf text;

    (void)state;
    sha256_init(&sha256);
    arena_init(&arena, 0);
    buf_init(&text, 4096);
    canonical_append(&text, &request, &claim,
                     SLICE_LIT("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
                     &arena);
    sha256_digest(&sha256, buf_slice(&text), digest);
    assert_hex(digest, "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59");
    buf_deinit(&text);
    arena_deinit(&arena);
    sha256_deinit(&sha256);
}

static void assert_published_signature(const struct signing_keys *keys, struct sha256 *sha256,
                                       const struct access_key *access_key, bool cached)
{
    struct claim claim = example_claim();
    uint8_t digest[SHA256_SIZE_BYTES];
    struct hmac_key key;

    assert_int_equal(signing_keys_get(keys, sha256, access_key, &claim, &key), cached);
    hmac_digest(
        sha256, &key,
        SLICE_LIT("AWS4-HMAC-SHA256\n20150830T123600Z\n20150830/us-east-1/iam/aws4_request\n"
                  "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59"),
        digest);
    assert_hex(digest, "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

/* Derived, from the cache, and after another scope has been kept. */
static void signing_keys_are_the_published_ones(void **state)
{
    const struct access_key access_key = {.id = SLICE_LIT("AKIDEXAMPLE"), .secret = EXAMPLE_SECRET};
    struct signing_keys *keys = signing_keys_new();
    struct claim claim = example_claim();
    struct sha256 sha256;
    struct hmac_key key;

    (void)state;
    sha256_init(&sha256);
    assert_published_signature(keys, &sha256, &access_key, false);
    assert_false(signing_keys_get(keys, &sha256, &access_key, &claim, &key));
    signing_keys_keep(keys, &access_key, &claim, &key);
    assert_published_signature(keys, &sha256, &access_key, true);
    claim.scope = SLICE_LIT("20150831/us-east-1/iam/aws4_request");
    claim.date = SLICE_LIT("20150831");
    assert_false(signing_keys_get(keys, &sha256, &access_key, &claim, &key));
    signing_keys_keep(keys, &access_key, &claim, &key);
    assert_published_signature(keys, &sha256, &access_key, true);
    sha256_deinit(&sha256);
    signing_keys_free(keys);
}

/* A cached key of one secret never verifies another's. */
static void cached_keys_belong_to_their_access_key(void **state)
{
    const struct access_key first = {.id = SLICE_LIT("A"), .secret = EXAMPLE_SECRET};
    const struct access_key second = {.id = SLICE_LIT("A"), .secret = SLICE_LIT("another")};
    struct signing_keys *keys = signing_keys_new();
    struct claim claim = example_claim();
    struct hmac_key one, other;
    struct sha256 sha256;

    (void)state;
    sha256_init(&sha256);
    assert_false(signing_keys_get(keys, &sha256, &first, &claim, &one));
    signing_keys_keep(keys, &first, &claim, &one);
    assert_false(signing_keys_get(keys, &sha256, &second, &claim, &other));
    assert_memory_not_equal(&one, &other, sizeof(one));
    sha256_deinit(&sha256);
    signing_keys_free(keys);
}

static void uris_decode_and_encode(void **state)
{
    struct arena arena;
    struct buf text;

    (void)state;
    arena_init(&arena, 0);
    buf_init(&text, 4096);
    assert_true(slice_is(uri_decode(&arena, SLICE_LIT("a%2Fb%3b%zz%4")), "a/b;%zz%4"));
    assert_true(slice_is(uri_decode(&arena, SLICE_LIT("%41")), "A"));
    uri_append_encoded(&text, SLICE_LIT("a/b ~\xff+"), false);
    assert_true(slice_is(buf_slice(&text), "a%2Fb%20~%FF%2B"));
    buf_reset(&text);
    uri_append_encoded(&text, SLICE_LIT("/a b"), true);
    assert_true(slice_is(buf_slice(&text), "/a%20b"));
    buf_deinit(&text);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_the_standards),
        cmocka_unit_test(hmacs_are_the_standards),
        cmocka_unit_test(the_canonical_request_is_the_published_one),
        cmocka_unit_test(signing_keys_are_the_published_ones),
        cmocka_unit_test(cached_keys_belong_to_their_access_key),
        cmocka_unit_test(uris_decode_and_encode),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

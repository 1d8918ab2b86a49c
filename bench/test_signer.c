/* Against a signature that botocore made of the same request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "signer.h"

#define WALL_MS INT64_C(1767323045000) /* 2026-01-02T03:04:05Z */

static void assert_headers(struct slice secret, const char *expected)
{
    const struct credentials credentials = {
        .access_key_id = SLICE_LIT("AKIDEXAMPLE"),
        .secret = secret,
        .region = SLICE_LIT("us-east-1"),
    };
    struct signer signer;
    struct buf headers;

    buf_init(&headers, 4096);
    signer_init(&signer, &credentials, WALL_MS);
    signer_append_headers(&signer, SLICE_LIT("127.0.0.1:8000"),
                          SLICE_LIT("DynamoDB_20120810.DescribeTable"),
                          SLICE_LIT("{\"TableName\":\"bench\"}"), &headers);
    assert_int_equal(headers.n, strlen(expected));
    assert_memory_equal(headers.p, expected, headers.n);
    buf_deinit(&headers);
}

static void signs_as_botocore_does(void **state)
{
    (void)state;
    assert_headers(
        SLICE_LIT("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
        "X-Amz-Date: 20260102T030405Z\r\n"
        "Authorization: AWS4-HMAC-SHA256 "
        "Credential=AKIDEXAMPLE/20260102/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
        "Signature=70a0d84c3d5c2670f340e0eb532ae528d3987abe2abef253da255c9353503fcb\r\n");
}

static void without_a_secret_the_signature_is_zeros(void **state)
{
    (void)state;
    assert_headers(
        SLICE_EMPTY,
        "X-Amz-Date: 20260102T030405Z\r\n"
        "Authorization: AWS4-HMAC-SHA256 "
        "Credential=AKIDEXAMPLE/20260102/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
        "Signature=0000000000000000000000000000000000000000000000000000000000000000\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_as_botocore_does),
        cmocka_unit_test(without_a_secret_the_signature_is_zeros),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Requests as clients sign them, and every way to tamper with one. The requests in vectors.h were
 * signed by other programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "auth/authenticator.h"

enum { HEADERS_MAX = 8 };

struct vector_header {
    const char *name;
    const char *value;
};

struct vector {
    const char *name;
    const char *method;
    const char *path;
    const char *query;
    const char *body;
    struct vector_header headers[HEADERS_MAX];
};

#include "vectors.h"

#define MINUTE_MS (60 * 1000)
#define MISMATCH                                                                                   \
    "The request signature we calculated does not match the signature you provided. Check your "   \
    "AWS Secret Access Key and signing method. Consult the service documentation for details."

struct fixture {
    struct authenticator *authenticator;
    struct auth_thread *thread;
    struct arena arena;
    struct error error;
    struct principal principal;
    struct auth_request request;
    struct auth_header headers[HEADERS_MAX];
};

static int setup_mode(void **state, bool development)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->authenticator = authenticator_new(development);
    for (size_t i = 0; i < sizeof(vector_keys) / sizeof(vector_keys[0]); i++)
        assert_int_equal(authenticator_add_key(f->authenticator, slice_cstr(vector_keys[i].id),
                                               slice_cstr(vector_keys[i].secret), PRINCIPAL_TENANT,
                                               SLICE_LIT("acme")),
                         ST_OK);
    f->thread = auth_thread_new(f->authenticator);
    arena_init(&f->arena, 0);
    *state = f;
    return 0;
}

static int setup(void **state)
{
    return setup_mode(state, false);
}

static int setup_development(void **state)
{
    return setup_mode(state, true);
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    arena_deinit(&f->arena);
    auth_thread_free(f->thread);
    authenticator_free(f->authenticator);
    free(f);
    return 0;
}

static void load(struct fixture *f, const struct vector *vector)
{
    size_t count = 0;

    for (; count < HEADERS_MAX && vector->headers[count].name != NULL; count++)
        f->headers[count] = (struct auth_header){slice_cstr(vector->headers[count].name),
                                                 slice_cstr(vector->headers[count].value)};
    f->request = (struct auth_request){
        .method = slice_cstr(vector->method),
        .path = slice_cstr(vector->path),
        .query = slice_cstr(vector->query),
        .headers = f->headers,
        .header_count = count,
        .body = slice_cstr(vector->body),
        .now_ms = VECTORS_NOW_MS,
    };
}

static void load_named(struct fixture *f, const char *name)
{
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        if (strcmp(vectors[i].name, name) == 0) {
            load(f, &vectors[i]);
            return;
        }
    }
    fail_msg("no vector is named %s", name);
}

static enum status verify(struct fixture *f)
{
    error_init(&f->error, &f->arena);
    return auth_verify(f->thread, &f->request, &f->arena, &f->error, &f->principal);
}

static void assert_message(struct fixture *f, enum error_code code, const char *message)
{
    assert_int_equal(f->error.code, code);
    assert_int_equal(f->error.message.n, strlen(message));
    assert_memory_equal(f->error.message.p, message, f->error.message.n);
}

static void assert_refused(struct fixture *f, enum error_code code, const char *message)
{
    assert_int_equal(verify(f), ST_REFUSED);
    assert_message(f, code, message);
}

static struct auth_header *header_named(struct fixture *f, const char *name)
{
    for (size_t i = 0; i < f->request.header_count; i++) {
        if (slice_is(f->headers[i].name, name))
            return &f->headers[i];
    }
    fail_msg("no header is named %s", name);
    return NULL;
}

static void remove_header(struct fixture *f, const char *name)
{
    struct auth_header *header = header_named(f, name);

    *header = f->headers[--f->request.header_count];
}

static void add_header(struct fixture *f, const char *name, const char *value)
{
    assert_true(f->request.header_count < HEADERS_MAX);
    f->headers[f->request.header_count++] =
        (struct auth_header){slice_cstr(name), slice_cstr(value)};
}

/* A copy of `text` with the first `from` replaced by `to`. */
static struct slice replaced(struct fixture *f, struct slice text, const char *from, const char *to)
{
    const uint8_t *at = memmem(text.p, text.n, from, strlen(from));
    size_t before;

    assert_non_null(at);
    before = (size_t)(at - text.p);
    return arena_printf(&f->arena, "%" PRISLICE "%s%" PRISLICE, SLICE_ARG(slice_of(text.p, before)),
                        to, SLICE_ARG(slice_from(text, before + strlen(from))));
}

static void replace_in_authorization(struct fixture *f, const char *from, const char *to)
{
    struct auth_header *header = header_named(f, "authorization");

    header->value = replaced(f, header->value, from, to);
}

/* A copy of `text` with its byte `at` changed. */
static struct slice flipped(struct fixture *f, struct slice text, size_t at)
{
    uint8_t *copy = arena_alloc(&f->arena, text.n);

    memcpy(copy, text.p, text.n);
    copy[at] ^= 1;
    return slice_of(copy, text.n);
}

/* ---- Signed requests ---- */

/* Twice: derived signing keys are cached after the first time. */
static void signed_requests_are_accepted(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < 2 * sizeof(vectors) / sizeof(vectors[0]); i++) {
        load(f, &vectors[i / 2]);
        if (verify(f) != ST_OK)
            fail_msg("%s: %.*s", vectors[i / 2].name, SLICE_ARG(f->error.message));
        assert_int_equal(f->principal.kind, PRINCIPAL_TENANT);
        assert_true(slice_is(f->principal.tenant_id, "acme"));
    }
}

static void any_changed_byte_of_the_body_is_noticed(void **state)
{
    struct fixture *f = *state;
    size_t size_bytes;

    load_named(f, "plain");
    size_bytes = f->request.body.n;
    for (size_t at = 0; at < size_bytes; at++) {
        load_named(f, "plain");
        f->request.body = flipped(f, f->request.body, at);
        assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    }
    load_named(f, "plain");
    f->request.body = SLICE_EMPTY;
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
}

static void a_changed_request_is_noticed(void **state)
{
    struct fixture *f = *state;

    load_named(f, "plain");
    f->request.method = SLICE_LIT("PUT");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "plain");
    f->request.path = SLICE_LIT("/other");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "plain");
    f->request.query = SLICE_LIT("a=b");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "plain");
    header_named(f, "host")->value = SLICE_LIT("other.example.com");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "plain");
    header_named(f, "x-amz-target")->value = SLICE_LIT("DynamoDB_20120810.DeleteTable");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "plain");
    add_header(f, "host", "second.example.com");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "tenant header");
    header_named(f, "x-tenant-id")->value = SLICE_LIT("other");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "plain");
    header_named(f, "x-amz-date")->value = SLICE_LIT("20260301T123001Z");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
}

static void a_changed_signature_is_noticed(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < 64; i++) {
        struct auth_header *header;

        load_named(f, "plain");
        header = header_named(f, "authorization");
        header->value = flipped(f, header->value, header->value.n - 1 - i);
        assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    }
    load_named(f, "plain");
    replace_in_authorization(f, "Signature=", "Signature=00");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
}

static void the_scope_belongs_to_the_signature(void **state)
{
    struct fixture *f = *state;

    load_named(f, "plain");
    replace_in_authorization(f, "us-east-1", "us-east-2");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "plain");
    replace_in_authorization(f, "/dynamodb/", "/s3/");
    assert_refused(f, ERROR_INVALID_SIGNATURE,
                   "Credential should be scoped to correct service: 'dynamodb'. ");
    load_named(f, "plain");
    replace_in_authorization(f, "aws4_request", "aws5_request");
    assert_refused(f, ERROR_INVALID_SIGNATURE,
                   "Credential should be scoped with a valid terminator: 'aws4_request', not "
                   "'aws5_request'. ");
    load_named(f, "plain");
    replace_in_authorization(f, "/20260301/", "/20260228/");
    assert_refused(f, ERROR_INVALID_SIGNATURE,
                   "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
                   "from HTTP: '20260228' != '20260301', from '20260301T123000Z'.");
    load_named(f, "plain");
    replace_in_authorization(f, "/dynamodb/aws4_request", "");
    assert_int_equal(verify(f), ST_REFUSED);
    assert_int_equal(f->error.code, ERROR_INCOMPLETE_SIGNATURE);
}

static void keys_are_told_apart(void **state)
{
    struct fixture *f = *state;

    load_named(f, "plain");
    replace_in_authorization(f, "AKIDEXAMPLE", "AKIDLONG");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "plain");
    replace_in_authorization(f, "AKIDEXAMPLE", "AKIDEXAMPL");
    assert_refused(f, ERROR_UNRECOGNIZED_CLIENT,
                   "The security token included in the request is invalid.");
    load_named(f, "plain");
    add_header(f, "x-amz-security-token", "unknown");
    assert_refused(f, ERROR_UNRECOGNIZED_CLIENT,
                   "The security token included in the request is invalid.");
}

/* Access keys have no sessions: a token with one is not ignored, whatever it signs. */
static void session_tokens_are_unknown(void **state)
{
    struct fixture *f = *state;

    load_named(f, "presigned");
    f->request.query =
        replaced(f, f->request.query, "X-Amz-Algorithm", "X-Amz-Security-Token=t&X-Amz-Algorithm");
    assert_refused(f, ERROR_UNRECOGNIZED_CLIENT,
                   "The security token included in the request is invalid.");
}

/* ---- What must be signed ---- */

static void what_chooses_operation_and_tenant_must_be_signed(void **state)
{
    struct fixture *f = *state;

    load_named(f, "empty body");
    add_header(f, "x-amz-target", "DynamoDB_20120810.ListTables");
    assert_refused(f, ERROR_INVALID_SIGNATURE,
                   "'x-amz-target' must be a 'SignedHeader' in the AWS Authorization.");
    load_named(f, "plain");
    add_header(f, "x-tenant-id", "acme");
    assert_refused(f, ERROR_INVALID_SIGNATURE,
                   "'x-tenant-id' must be a 'SignedHeader' in the AWS Authorization.");
    load_named(f, "plain");
    replace_in_authorization(f, "SignedHeaders=host;", "SignedHeaders=");
    assert_refused(f, ERROR_INVALID_SIGNATURE,
                   "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
}

static void signed_names_are_sorted_once_and_there(void **state)
{
    struct fixture *f = *state;

    load_named(f, "plain");
    replace_in_authorization(f, "host;x-amz-date", "x-amz-date;host");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "plain");
    replace_in_authorization(f, "host;", "host;host;");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "plain");
    replace_in_authorization(f, "host;", "host;pragma;");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
}

static void the_body_has_the_hash_that_was_sent(void **state)
{
    struct fixture *f = *state;

    load_named(f, "body's hash sent");
    f->request.body = flipped(f, f->request.body, 0);
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "body's hash sent");
    header_named(f, "x-amz-content-sha256")->value = SLICE_LIT("UNSIGNED-PAYLOAD");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
    load_named(f, "presigned, body unsigned");
    f->request.body = SLICE_LIT("{}");
    assert_int_equal(verify(f), ST_OK);
}

/* ---- Time ---- */

static void a_signature_has_its_time(void **state)
{
    struct fixture *f = *state;

    load_named(f, "plain");
    f->request.now_ms += 15 * MINUTE_MS;
    assert_int_equal(verify(f), ST_OK);
    f->request.now_ms += 1000;
    assert_refused(f, ERROR_INVALID_SIGNATURE,
                   "Signature expired: 20260301T123000Z is now earlier than 20260301T123001Z "
                   "(20260301T124501Z - 15 min.)");
    f->request.now_ms = VECTORS_NOW_MS - 15 * MINUTE_MS;
    assert_int_equal(verify(f), ST_OK);
    f->request.now_ms -= 1000;
    assert_refused(f, ERROR_INVALID_SIGNATURE,
                   "Signature not yet current: 20260301T123000Z is still later than "
                   "20260301T122959Z (20260301T121459Z + 15 min.)");
}

static void a_presigned_request_lasts_as_long_as_it_says(void **state)
{
    struct fixture *f = *state;

    load_named(f, "botocore presigned");
    f->request.now_ms += 10 * MINUTE_MS;
    assert_int_equal(verify(f), ST_OK);
    f->request.now_ms += 1000;
    assert_int_equal(verify(f), ST_REFUSED);
    assert_int_equal(f->error.code, ERROR_INVALID_SIGNATURE);
    load_named(f, "presigned");
    f->request.query = replaced(f, f->request.query, "Expires=604800", "Expires=604801");
    assert_int_equal(verify(f), ST_REFUSED);
    assert_int_equal(f->error.code, ERROR_INVALID_SIGNATURE);
    load_named(f, "presigned");
    f->request.query = replaced(f, f->request.query, "Expires=604800", "Expires=604799");
    assert_refused(f, ERROR_INVALID_SIGNATURE, MISMATCH);
}

static void dates_are_well_formed(void **state)
{
    static const char *const dates[] = {
        "20260301T123000", "2026-03-01T12:30Z", "20260231T123000Z", "20260301 123000Z", "x",
        "20260301T126000Z"};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
        load_named(f, "plain");
        header_named(f, "x-amz-date")->value = slice_cstr(dates[i]);
        assert_int_equal(verify(f), ST_REFUSED);
        assert_int_equal(f->error.code, ERROR_INCOMPLETE_SIGNATURE);
    }
    load_named(f, "date header");
    header_named(f, "date")->value = SLICE_LIT("yesterday");
    assert_int_equal(verify(f), ST_REFUSED);
    assert_int_equal(f->error.code, ERROR_INCOMPLETE_SIGNATURE);
}

/* ---- Forms ---- */

static void a_request_carries_one_credential(void **state)
{
    struct fixture *f = *state;

    load_named(f, "plain");
    remove_header(f, "authorization");
    assert_refused(f, ERROR_MISSING_TOKEN, "Request is missing Authentication Token");
    load_named(f, "plain");
    add_header(f, "authorization", "x");
    assert_int_equal(verify(f), ST_REFUSED);
    assert_int_equal(f->error.code, ERROR_INCOMPLETE_SIGNATURE);
    load_named(f, "plain");
    f->request.query = SLICE_LIT("X-Amz-Algorithm=AWS4-HMAC-SHA256");
    assert_refused(f, ERROR_INVALID_SIGNATURE,
                   "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as "
                   "HTTP header.");
}

/* Whoever peeks at the first and whoever believes the last would see different senders. */
static void a_part_of_the_credential_is_given_once(void **state)
{
    struct fixture *f = *state;

    load_named(f, "plain");
    replace_in_authorization(f, "Credential=", "Credential=other/x, Credential=");
    assert_refused(f, ERROR_INCOMPLETE_SIGNATURE,
                   "Each part of the credentials must be given once.");
    load_named(f, "presigned");
    f->request.query =
        replaced(f, f->request.query, "X-Amz-Algorithm", "X-Amz-Credential=other&X-Amz-Algorithm");
    assert_refused(f, ERROR_INCOMPLETE_SIGNATURE,
                   "Each part of the credentials must be given once.");
}

static void missing_parts_are_named(void **state)
{
    struct fixture *f = *state;

    load_named(f, "plain");
    header_named(f, "authorization")->value = SLICE_LIT("AWS4-HMAC-SHA256 SignedHeaders=host");
    assert_refused(f, ERROR_INCOMPLETE_SIGNATURE,
                   "Authorization header requires 'Credential' parameter. Authorization header "
                   "requires 'Signature' parameter. Authorization=AWS4-HMAC-SHA256 "
                   "SignedHeaders=host");
    load_named(f, "plain");
    header_named(f, "authorization")->value = SLICE_LIT("Bearer x");
    remove_header(f, "x-amz-date");
    assert_refused(f, ERROR_INCOMPLETE_SIGNATURE,
                   "Authorization header requires 'Credential' parameter. Authorization header "
                   "requires 'Signature' parameter. Authorization header requires "
                   "'SignedHeaders' parameter. Authorization header requires existence of either "
                   "a 'X-Amz-Date' or a 'Date' header. Authorization=Bearer x");
    load_named(f, "presigned");
    f->request.query = replaced(f, f->request.query, "X-Amz-Signature", "X-Amz-Other");
    assert_refused(f, ERROR_INCOMPLETE_SIGNATURE,
                   "AWS query-string parameters must include 'X-Amz-Signature'. Re-examine the "
                   "query-string parameters.");
}

static void peeking_reads_the_claimed_key(void **state)
{
    struct fixture *f = *state;

    load_named(f, "plain");
    replace_in_authorization(f, "AKIDEXAMPLE", "AKIDNOBODY");
    assert_true(slice_is(auth_peek(&f->request, &f->arena), "AKIDNOBODY"));
    load_named(f, "presigned");
    assert_true(slice_is(auth_peek(&f->request, &f->arena), "AKIDEXAMPLE"));
    load_named(f, "plain");
    remove_header(f, "authorization");
    assert_int_equal(auth_peek(&f->request, &f->arena).n, 0);
}

/* ---- Keys ---- */

static enum status add_key(struct fixture *f, const char *id, enum principal_kind kind,
                           const char *tenant)
{
    return authenticator_add_key(f->authenticator, slice_cstr(id), SLICE_LIT("secret"), kind,
                                 slice_cstr(tenant));
}

static void keys_are_checked_when_they_are_added(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(add_key(f, "AKIDEXAMPLE", PRINCIPAL_TENANT, "acme"), ST_EXISTS);
    assert_int_equal(add_key(f, "", PRINCIPAL_TENANT, "acme"), ST_INVALID);
    assert_int_equal(add_key(f, "a/b", PRINCIPAL_TENANT, "acme"), ST_INVALID);
    assert_int_equal(add_key(f, "new", PRINCIPAL_TENANT, "no spaces"), ST_INVALID);
    assert_int_equal(add_key(f, "new", PRINCIPAL_TENANT, "operator"), ST_INVALID);
    assert_int_equal(add_key(f, "new", PRINCIPAL_OPERATOR, ""), ST_OK);
}

/* ---- Development mode ---- */

static void claim_tenant(struct fixture *f, const char *id)
{
    load_named(f, "plain");
    header_named(f, "authorization")->value = arena_printf(
        &f->arena, "AWS4-HMAC-SHA256 Credential=%s/20000101/x/y/z, SignedHeaders=a, Signature=0",
        id);
}

static void the_key_id_is_the_tenant_in_development(void **state)
{
    static const char *const ids[] = {"acme", "creators.u42", "A-b_9", "AKIDEXAMPLE"};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        claim_tenant(f, ids[i]);
        assert_int_equal(verify(f), ST_OK);
        assert_int_equal(f->principal.kind, PRINCIPAL_TENANT);
        assert_true(slice_is(f->principal.tenant_id, ids[i]));
    }
    claim_tenant(f, "operator");
    assert_int_equal(verify(f), ST_OK);
    assert_int_equal(f->principal.kind, PRINCIPAL_OPERATOR);
    claim_tenant(f, "application");
    assert_int_equal(verify(f), ST_OK);
    assert_int_equal(f->principal.kind, PRINCIPAL_APPLICATION);
}

static void development_needs_a_tenant_id(void **state)
{
    static const char *const ids[] = {"", "a b", "a.b.c", ".a", "a.", "\xc3\xa9"};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        claim_tenant(f, ids[i]);
        assert_refused(f, ERROR_UNRECOGNIZED_CLIENT,
                       "The security token included in the request is invalid.");
    }
    remove_header(f, "authorization");
    assert_refused(f, ERROR_MISSING_TOKEN, "Request is missing Authentication Token");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(signed_requests_are_accepted),
        TEST(any_changed_byte_of_the_body_is_noticed),
        TEST(a_changed_request_is_noticed),
        TEST(a_changed_signature_is_noticed),
        TEST(the_scope_belongs_to_the_signature),
        TEST(keys_are_told_apart),
        TEST(session_tokens_are_unknown),
        TEST(what_chooses_operation_and_tenant_must_be_signed),
        TEST(signed_names_are_sorted_once_and_there),
        TEST(the_body_has_the_hash_that_was_sent),
        TEST(a_signature_has_its_time),
        TEST(a_presigned_request_lasts_as_long_as_it_says),
        TEST(dates_are_well_formed),
        TEST(a_request_carries_one_credential),
        TEST(a_part_of_the_credential_is_given_once),
        TEST(missing_parts_are_named),
        TEST(peeking_reads_the_claimed_key),
        TEST(keys_are_checked_when_they_are_added),
        cmocka_unit_test_setup_teardown(the_key_id_is_the_tenant_in_development, setup_development,
                                        teardown),
        cmocka_unit_test_setup_teardown(development_needs_a_tenant_id, setup_development, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

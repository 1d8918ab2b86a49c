/*
 * One row per error code, and the one rule about envelopes. Codes are internal names; what a client
 * sees of them stands here alone.
 */
#include "api/errors.h"

#include "api/violations.h"
#include "base/check.h"
#include "json/attribute.h"

#define DYNAMODB "com.amazonaws.dynamodb.v20120810#"
#define CORAL "com.amazon.coral.service#"

static const struct error_facts facts[ERROR_CODE_COUNT] = {
    [ERROR_VALIDATION] = {"com.amazon.coral.validate#ValidationException", 400, "message"},
    [ERROR_VALIDATION_DATA] = {"com.amazon.coral.validate#ValidationException", 400, "message"},
    [ERROR_VALIDATION_KEY] = {"com.amazon.coral.validate#ValidationException", 400, "message"},
    [ERROR_SERIALIZATION] = {CORAL "SerializationException", 400, "Message"},
    [ERROR_UNKNOWN_OPERATION] = {CORAL "UnknownOperationException", 400, "message"},
    [ERROR_MISSING_TOKEN] = {CORAL "MissingAuthenticationTokenException", 400, "message"},
    [ERROR_INCOMPLETE_SIGNATURE] = {CORAL "IncompleteSignatureException", 400, "message"},
    [ERROR_UNRECOGNIZED_CLIENT] = {CORAL "UnrecognizedClientException", 400, "message"},
    [ERROR_INVALID_SIGNATURE] = {CORAL "InvalidSignatureException", 400, "message"},
    [ERROR_ACCESS_DENIED] = {CORAL "AccessDeniedException", 400, "Message"},
    [ERROR_RESOURCE_NOT_FOUND] = {DYNAMODB "ResourceNotFoundException", 400, "message"},
    [ERROR_RESOURCE_IN_USE] = {DYNAMODB "ResourceInUseException", 400, "message"},
    [ERROR_TABLE_NOT_FOUND] = {DYNAMODB "TableNotFoundException", 400, "message"},
    [ERROR_TABLE_IN_USE] = {DYNAMODB "TableInUseException", 400, "message"},
    [ERROR_INDEX_NOT_FOUND] = {DYNAMODB "IndexNotFoundException", 400, "message"},
    [ERROR_LIMIT_EXCEEDED] = {DYNAMODB "LimitExceededException", 400, "message"},
    [ERROR_CONDITIONAL_CHECK] = {DYNAMODB "ConditionalCheckFailedException", 400, "message"},
    [ERROR_TRANSACTION_CANCELED] = {DYNAMODB "TransactionCanceledException", 400, "Message"},
    [ERROR_TRANSACTION_CONFLICT] = {DYNAMODB "TransactionConflictException", 400, "message"},
    [ERROR_TRANSACTION_IN_PROGRESS] = {DYNAMODB "TransactionInProgressException", 400, "Message"},
    [ERROR_IDEMPOTENT_MISMATCH] = {DYNAMODB "IdempotentParameterMismatchException", 400, "Message"},
    [ERROR_COLLECTION_SIZE] = {DYNAMODB "ItemCollectionSizeLimitExceededException", 400, "message"},
    [ERROR_THROTTLING] = {"com.amazon.coral.availability#ThrottlingException", 400, "message"},
    [ERROR_THROUGHPUT_EXCEEDED] = {DYNAMODB "ProvisionedThroughputExceededException", 400,
                                   "message"},
    [ERROR_REQUEST_TOO_LARGE] = {CORAL "RequestEntityTooLargeException", 413, "message"},
    [ERROR_UNAVAILABLE] = {"com.amazon.coral.availability#ServiceUnavailableException", 503,
                           "message"},
    [ERROR_INTERNAL] = {DYNAMODB "InternalServerError", 500, "message"},
};

const struct error_facts *errors_facts(enum error_code code)
{
    CHECK(code > ERROR_NONE && code < ERROR_CODE_COUNT && facts[code].type != NULL);
    return &facts[code];
}

bool errors_is_listed(struct slice message)
{
    size_t digits = 0;

    while (digits < message.n && message.p[digits] >= '0' && message.p[digits] <= '9')
        digits++;
    return digits > 0 &&
           slice_has_prefix(slice_from(message, digits), SLICE_LIT(" validation error"));
}

/* The rule of 2026-10: faults of the request alone stand in the envelope, faults found against a
 * table or an item do not. */
static bool needs_envelope(const struct error_body *body)
{
    return body->wording == WORDING_2026_10 && body->enveloped &&
           body->error->code == ERROR_VALIDATION && !errors_is_listed(body->error->message);
}

/*
 * Until 2026-10, faults of what a key condition is (not of its syntax) did not say which expression
 * they are of.
 */
static struct slice older_key_condition_words(struct slice message)
{
    static const char *const without[] = {"Invalid operator used", "Invalid condition in",
                                          "KeyConditionExpressions "};
    struct slice prefix = SLICE_LIT("Invalid KeyConditionExpression: ");

    if (!slice_has_prefix(message, prefix))
        return message;
    for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
        if (slice_has_prefix(slice_from(message, prefix.n), slice_cstr(without[i])))
            return slice_from(message, prefix.n);
    return message;
}

static void append_message(struct buf *buf, const struct error_body *body)
{
    struct slice message = body->error->message;

    if (body->wording == WORDING_2026_05)
        message = older_key_condition_words(message);
    if (message.n == 0)
        return;
    buf_printf(buf, ",\"%s\":", errors_facts(body->error->code)->message_key);
    if (needs_envelope(body))
        message =
            arena_printf(body->error->arena, ENVELOPE_OF_ONE "%" PRISLICE, SLICE_ARG(message));
    json_append_string(buf, message);
}

void errors_append_body(struct buf *buf, const struct error_body *body)
{
    buf_printf(buf, "{\"__type\":\"%s\"", errors_facts(body->error->code)->type);
    append_message(buf, body);
    if (item_exists(body->item)) {
        BUF_APPEND_LIT(buf, ",\"Item\":");
        attribute_append_item(buf, body->item);
    }
    if (body->detail.n > 0) {
        buf_append_byte(buf, ',');
        buf_append_slice(buf, body->detail);
    }
    buf_append_byte(buf, '}');
}

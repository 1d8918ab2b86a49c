/* Why a transaction was cancelled, member by member, and what it cost, table by table. */
#include "api/transact.h"

#include "api/response.h"
#include "json/attribute.h"

/* ---- Cancellation ---- */

static const char *reason_code(enum error_code code)
{
    switch (code) {
    case ERROR_NONE:
        return "None";
    case ERROR_CONDITIONAL_CHECK:
        return "ConditionalCheckFailed";
    case ERROR_COLLECTION_SIZE:
        return "ItemCollectionSizeLimitExceeded";
    case ERROR_TRANSACTION_CONFLICT:
        return "TransactionConflict";
    case ERROR_THROUGHPUT_EXCEEDED:
        return "ProvisionedThroughputExceeded";
    case ERROR_THROTTLING:
        return "ThrottlingError";
    default:
        return "ValidationError";
    }
}

/* The old items may be larger than any response: when those before it fill one, an item is left
 * out. */
static void append_reason(struct buf *out, const struct error *fault, struct item item)
{
    response_comma(out);
    buf_append_byte(out, '{');
    if (fault->code == ERROR_CONDITIONAL_CHECK && item_exists(item) &&
        out->n < ITEMS_SIZE_BYTES_MAX) {
        response_name(out, "Item");
        attribute_append_item(out, item);
    }
    response_text(out, "Code", slice_cstr(reason_code(fault->code)));
    if (fault->code != ERROR_NONE)
        response_text(out, "Message", fault->message);
    buf_append_byte(out, '}');
}

static struct slice take_text(struct call *call, struct buf *buf)
{
    struct slice text = arena_copy(&call->arena, buf_slice(buf));

    buf_deinit(buf);
    return text;
}

static struct slice list_codes(struct call *call, const struct error *faults, uint32_t count)
{
    struct buf codes;

    buf_init(&codes, RESPONSE_SIZE_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++)
        buf_printf(&codes, "%s%s", i > 0 ? ", " : "", reason_code(faults[i].code));
    return take_text(call, &codes);
}

enum status transact_cancel(struct call *call, const struct error *faults, const struct item *items,
                            uint32_t count)
{
    struct slice codes = list_codes(call, faults, count);
    struct buf reasons;

    buf_init(&reasons, RESPONSE_SIZE_BYTES_MAX);
    BUF_APPEND_LIT(&reasons, "\"CancellationReasons\":[");
    for (uint32_t i = 0; i < count; i++)
        append_reason(&reasons, &faults[i], items == NULL ? ITEM_NONE : items[i]);
    buf_append_byte(&reasons, ']');
    call->error_detail = take_text(call, &reasons);
    return error_set(&call->error, ERROR_TRANSACTION_CANCELED,
                     "Transaction cancelled, please refer cancellation reasons for specific "
                     "reasons [%" PRISLICE "]",
                     SLICE_ARG(codes));
}

/* ---- Capacity ---- */

struct transact_capacity {
    struct capacity *tables;
    uint32_t count;
    enum capacity_kind kind;
};

struct transact_capacity *transact_capacity_new(struct call *call, uint32_t table_count_max,
                                                enum capacity_kind kind)
{
    struct transact_capacity *capacities = ARENA_NEW(&call->arena, struct transact_capacity);

    capacities->tables = ARENA_ARRAY(&call->arena, struct capacity, table_count_max);
    capacities->kind = kind;
    return capacities;
}

struct capacity *transact_capacity_of(struct transact_capacity *capacities,
                                      const struct table *table)
{
    for (uint32_t i = 0; i < capacities->count; i++)
        if (capacities->tables[i].table->id == table->id)
            return &capacities->tables[i];
    capacity_init(&capacities->tables[capacities->count], table, capacities->kind);
    return &capacities->tables[capacities->count++];
}

void transact_capacity_append(struct call *call, const struct transact_capacity *capacities,
                              enum capacity_detail detail)
{
    struct buf *out = &call->response;

    response_name(out, "ConsumedCapacity");
    buf_append_byte(out, '[');
    for (uint32_t i = 0; i < capacities->count; i++) {
        response_comma(out);
        capacity_append(out, &capacities->tables[i], detail);
    }
    buf_append_byte(out, ']');
}

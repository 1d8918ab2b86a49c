/* Invariant: number and version alone decide the bytes of a request. */
#include "operation.h"

#include <inttypes.h>

#include "base/check.h"
#include "base/random.h"

enum {
    ITEM_SIZE_BYTES = 1024,
    ROW_SIZE_BYTES = 400,
    ROWS_PER_PARTITION = 50,
    KEY_SIZE_MAX = 32,
};

struct key {
    char pk[KEY_SIZE_MAX];
    char sk[KEY_SIZE_MAX];
};

/* ---- Keys and items ---- */

static struct key item_key(unsigned number)
{
    struct key key = {.sk = "DATA"};

    CHECK(snprintf(key.pk, sizeof(key.pk), "ITEM#%08u", number) < KEY_SIZE_MAX);
    return key;
}

static struct key row_key(unsigned partition, unsigned row)
{
    struct key key;

    CHECK(snprintf(key.pk, sizeof(key.pk), "ORG#%08u", partition) < KEY_SIZE_MAX);
    CHECK(snprintf(key.sk, sizeof(key.sk), "ROW#%04u", row) < KEY_SIZE_MAX);
    return key;
}

/*
 * The version in hexadecimal, then text without repetition, so that compression on disk finds no
 * more than in real text.
 */
static void append_filler(struct buf *body, size_t size_bytes, unsigned number, uint64_t version)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789";
    enum { VERSION_SIZE = 16 };
    uint64_t state = version ^ ((uint64_t)number << 32);

    CHECK(size_bytes > VERSION_SIZE);
    buf_printf(body, "%016" PRIx64, version);
    for (size_t i = VERSION_SIZE; i < size_bytes; i++)
        buf_append_byte(body, (uint8_t)letters[random_seeded_next(&state) % (sizeof(letters) - 1)]);
}

/* One row of a SaaS: who, when, a flag, a counter, and text that fills it up to `size_bytes`. */
static void append_item(const struct key *key, unsigned number, uint64_t version, size_t size_bytes,
                        struct buf *body)
{
    static const char names[] = "pk"
                                "sk"
                                "owner"
                                "created"
                                "active"
                                "visits"
                                "body";
    static const char created[] = "2026-01-01T00:00:00Z";
    enum { OWNER_SIZE = 25, BOOL_SIZE = 1, VISITS_SIZE = 4 };
    size_t fixed_bytes = sizeof(names) - 1 + strlen(key->pk) + strlen(key->sk) + OWNER_SIZE +
                         sizeof(created) - 1 + BOOL_SIZE + VISITS_SIZE;

    CHECK(fixed_bytes < size_bytes);
    buf_printf(body,
               "{\"pk\":{\"S\":\"%s\"},\"sk\":{\"S\":\"%s\"},"
               "\"owner\":{\"S\":\"user-%08u@example.com\"},\"created\":{\"S\":\"%s\"},"
               "\"active\":{\"BOOL\":true},\"visits\":{\"N\":\"12345\"},\"body\":{\"S\":\"",
               key->pk, key->sk, number, created);
    append_filler(body, size_bytes - fixed_bytes, number, version);
    BUF_APPEND_LIT(body, "\"}}");
}

/* ---- Bodies ---- */

static unsigned count_one(const struct data_set *data_set)
{
    (void)data_set;
    return 1;
}

static unsigned count_items(const struct data_set *data_set)
{
    return data_set->item_count;
}

static unsigned count_rows(const struct data_set *data_set)
{
    return data_set->partition_count * ROWS_PER_PARTITION;
}

static unsigned count_partitions(const struct data_set *data_set)
{
    return data_set->partition_count;
}

static void append_create_table(const struct data_set *data_set, unsigned number, uint64_t version,
                                struct buf *body)
{
    (void)number;
    (void)version;
    buf_printf(body,
               "{\"TableName\":\"%s\",\"BillingMode\":\"PAY_PER_REQUEST\","
               "\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"},"
               "{\"AttributeName\":\"sk\",\"KeyType\":\"RANGE\"}],"
               "\"AttributeDefinitions\":[{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"},"
               "{\"AttributeName\":\"sk\",\"AttributeType\":\"S\"}]}",
               data_set->table);
}

static void append_describe_table(const struct data_set *data_set, unsigned number,
                                  uint64_t version, struct buf *body)
{
    (void)number;
    (void)version;
    buf_printf(body, "{\"TableName\":\"%s\"}", data_set->table);
}

static void append_get(const struct data_set *data_set, unsigned number, uint64_t version,
                       struct buf *body)
{
    struct key key = item_key(number);

    (void)version;
    buf_printf(body, "{\"TableName\":\"%s\",\"Key\":{\"pk\":{\"S\":\"%s\"},\"sk\":{\"S\":\"%s\"}}}",
               data_set->table, key.pk, key.sk);
}

static void append_put_of(const struct data_set *data_set, const struct key *key, unsigned number,
                          uint64_t version, size_t size_bytes, struct buf *body)
{
    buf_printf(body, "{\"TableName\":\"%s\",\"Item\":", data_set->table);
    append_item(key, number, version, size_bytes, body);
    BUF_APPEND_LIT(body, "}");
}

static void append_put(const struct data_set *data_set, unsigned number, uint64_t version,
                       struct buf *body)
{
    struct key key = item_key(number);

    append_put_of(data_set, &key, number, version, ITEM_SIZE_BYTES, body);
}

static void append_put_row(const struct data_set *data_set, unsigned number, uint64_t version,
                           struct buf *body)
{
    struct key key = row_key(number / ROWS_PER_PARTITION, number % ROWS_PER_PARTITION);

    append_put_of(data_set, &key, number, version, ROW_SIZE_BYTES, body);
}

static void append_query(const struct data_set *data_set, unsigned number, uint64_t version,
                         struct buf *body)
{
    struct key key = row_key(number, 0);

    (void)version;
    buf_printf(body,
               "{\"TableName\":\"%s\",\"KeyConditionExpression\":\"pk = :p\","
               "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"%s\"}}}",
               data_set->table, key.pk);
}

/* ---- The operations ---- */

const struct operation operation_create_table = {"create-table", "CreateTable", 2, count_one,
                                                 append_create_table};
const struct operation operation_describe_table = {"describe-table", "DescribeTable", 2, count_one,
                                                   append_describe_table};
const struct operation operation_get = {"get", "GetItem", ITEM_SIZE_BYTES, count_items, append_get};
const struct operation operation_put = {"put", "PutItem", 2, count_items, append_put};
const struct operation operation_put_row = {"put-row", "PutItem", 2, count_rows, append_put_row};
const struct operation operation_query = {"query", "Query", ROWS_PER_PARTITION *ROW_SIZE_BYTES,
                                          count_partitions, append_query};

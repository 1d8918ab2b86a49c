/*
 * A call is one DynamoDB API request on its way through the server: decoded, run in turns and
 * answered. It knows nothing of sockets; the server room feeds it and sends what it leaves, and
 * tests drive it without either.
 *
 *   begin --> TURN_DONE                      the response (or the error) is complete
 *         --> TURN_AGAIN    (resume later)   used up its time; others go first
 *         --> TURN_BLOCKING (resume on the reader pool, with may_block set)
 *         --> TURN_WAITING  (resume after wake())    the committer has it
 *
 * A call is touched by one thread at a time: its loop, or the pool thread or committer that it was
 * handed to. Its parser's nodes (`request`) are valid during begin only: begin decodes everything
 * that later turns need into the arena.
 */
#ifndef ROWHOUSE_API_CALL_H
#define ROWHOUSE_API_CALL_H

#include "api/wording.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "engine/engine.h"
#include "tenant/registry.h"
#include "json/json.h"

#define REQUEST_ID_SIZE 52 /* upper-case letters and digits, as AWS has them */
/*
 * Text may be far longer than the bytes that DynamoDB counts: a number of two bytes has up to 130
 * digits, so that the 400 KB of one item become 20 MB. Items are added to a response while it is
 * below ITEMS_SIZE_BYTES_MAX; the rest is for the last of them, and for the keys and expressions
 * that BatchGetItem returns.
 */
#define ITEMS_SIZE_BYTES_MAX (24u * 1024 * 1024)
#define RESPONSE_SIZE_BYTES_MAX (64u * 1024 * 1024)
#define TURN_BUDGET_NS 50000

/* Fixed at start, shared by all threads. */
struct api_config {
    struct engine *engine;
    const struct clock *clock;
    enum wording wording;
    bool development;    /* unknown tenants come into being with their first CreateTable */
    const char *region;  /* in ARNs, "us-east-1" if not configured */
    const char *address; /* what DescribeEndpoints names, host:port */
};

enum turn { TURN_DONE, TURN_AGAIN, TURN_BLOCKING, TURN_WAITING };

struct call {
    const struct api_config *config;
    const struct operation *operation;
    struct tenant *tenant; /* NULL: unknown (development mode, before its first CreateTable) */
    struct slice tenant_id;
    const struct scope *scope; /* the tenant's, or NULL with it */
    struct json request;       /* the root object; valid in begin only */
    bool may_block;            /* this turn runs on the reader pool */
    struct arena arena;
    struct error error;        /* if set when done, it is the answer */
    struct item error_item;    /* "Item" of a ConditionalCheckFailedException, if any */
    struct slice error_detail; /* raw JSON members to add to an error body, e.g.
                                  "CancellationReasons":[...] */
    struct buf response;       /* the JSON body of a success */
    void *state;               /* the operation's own, in the arena */
    /* Set by the owner: puts a TURN_WAITING call back into its loop's run queue; any thread. */
    void (*wake)(struct call *call);
};

/* `config` must outlive the call. */
void call_init(struct call *call, const struct api_config *config);
/* Makes it ready for the next request: everything of the last one goes but some memory. */
void call_reset(struct call *call);
/* When no other thread has it. */
void call_deinit(struct call *call);
/*
 * Decodes the body, finds the operation for `target` ("DynamoDB_20120810.GetItem"), validates the
 * request against the service model and runs the first turn. The caller has set tenant, tenant_id,
 * scope and wake. JSON_PADDING_BYTES after `body` are readable.
 */
enum turn call_begin(struct call *call, struct json_parser *parser, struct slice target,
                     struct slice body);
/* The next turn, after any but TURN_DONE. */
enum turn call_resume(struct call *call);
/*
 * After TURN_DONE: the HTTP status; the body stays in call->response (an error's body replaces what
 * was there) and the header lines (Content-Type, x-amzn-RequestId, x-amz-crc32) go to
 * `ret_headers`.
 */
int call_finish(struct call *call, struct buf *ret_headers);

/* ---- For operations ---- */

struct shape; /* api/shape.h */

/*
 * Since 2026-10 the service checks some operations in a newer layer than others, which shows in
 * messages about a request alone.
 */
enum message_layer {
    LAYER_OLDER,     /* faults of expression values name their key */
    LAYER_ENVELOPED, /* messages begin with "1 validation error detected: " */
    LAYER_BARE,      /* neither */
};

/* One row of the operations table (api/operations.c). */
struct operation {
    const char *name;
    enum turn (*begin)(struct call *call);
    enum turn (*resume)(struct call *call); /* NULL: one turn is enough */
    const struct shape *input;              /* of api/facts.h */
    enum message_layer layer;
};

/* By name; NULL if there is none. */
const struct operation *operation_find(struct slice name);

#endif

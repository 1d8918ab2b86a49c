/*
 * Query and Scan as resumable reads.
 *
 * The state between turns is the key of the last row looked at: an iterator is kept while turns
 * stay on one thread's mode and thrown away when it would block, and a new one starts after that
 * key. A page ends at the limit, at the row with which the page passes PAGE_SIZE_BYTES_MAX, at the
 * item behind which the receiver has no more room, or at the end of the range.
 *
 *   START --seek--> ROW --look, emit, step--> ROW ... --> DONE
 *     ^              |
 *     +-- blocked ---+
 *
 * Invariants:
 *  1. `position` is the last row counted in the result (or the start key), never one that was not;
 *  2. a row is emitted at most once.
 */
#include "engine/range.h"

#include "base/clock.h"
#include "model/row.h"

/* The clock is read once in so many rows, or bytes of rows: a filter may take long for large ones.
 */
#define ROWS_PER_CLOCK 16
#define BYTES_PER_CLOCK (64 * 1024)

struct range_read {
    struct range_spec spec;
    struct arena *arena;
    struct range_bounds bounds;
    struct buf position; /* key of the last row looked at; empty: none yet */
    struct kv_iter *iter;
    bool on_row;           /* iter stands on the next row to look at */
    bool receiver_is_full; /* emit said so */
    struct range_result result;
};

static void release(void *context)
{
    struct range_read *read = context;

    if (read->iter != NULL)
        kv_iter_free(read->iter);
    buf_deinit(&read->position);
}

struct range_read *range_new(const struct range_spec *spec, struct arena *arena)
{
    struct range_read *read = ARENA_NEW(arena, struct range_read);

    read->spec = *spec;
    read->arena = arena;
    range_bounds_of(spec, &read->bounds);
    buf_init(&read->position, KEY_SIZE_BYTES_MAX);
    if (item_exists(spec->start)) {
        struct key start;

        range_start_key(spec, &start);
        buf_append_slice(&read->position, key_slice(&start));
    }
    arena_on_reset(arena, release, read);
    return read;
}

static enum status step(struct range_read *read)
{
    return read->spec.backward ? kv_iter_previous(read->iter) : kv_iter_next(read->iter);
}

static enum status seek(struct range_read *read)
{
    struct slice position = buf_slice(&read->position);
    enum status status = read->spec.backward ? kv_iter_seek_last(read->iter, position)
                                             : kv_iter_seek(read->iter, position);

    if (status == ST_OK && position.n > 0 && slice_equal(kv_iter_key(read->iter), position))
        status = step(read);
    return status;
}

/* Puts the iterator on the next row. ST_NOT_FOUND at the end of the range. */
static enum status find_row(struct range_read *read, enum kv_mode mode)
{
    enum status status;

    if (read->on_row)
        return ST_OK;
    if (read->iter == NULL) {
        read->iter = kv_iter_new(read->spec.scope, NULL, mode, key_slice(&read->bounds.lower),
                                 key_slice(&read->bounds.upper));
        status = seek(read);
    } else {
        status = step(read);
    }
    read->on_row = status == ST_OK;
    return status;
}

static void drop_iterator(struct range_read *read)
{
    if (read->iter != NULL)
        kv_iter_free(read->iter);
    read->iter = NULL;
    read->on_row = false;
}

static void set_last_key(struct range_read *read, struct item item)
{
    read->result.last_key = table_cursor(read->spec.table, read->spec.index, item, read->arena);
}

static bool page_is_full(const struct range_read *read)
{
    return read->receiver_is_full || read->result.size_bytes >= PAGE_SIZE_BYTES_MAX ||
           (read->spec.limit > 0 && read->result.scanned_count >= read->spec.limit);
}

/* Half a read unit per started 4 KB: what an eventually consistent read costs. */
static uint64_t half_units(uint32_t size_bytes)
{
    return size_bytes == 0 ? 1 : (size_bytes + 4095u) / 4096u;
}

static void show(struct range_read *read, struct item item)
{
    if (read->spec.filter != NULL && !condition_eval(read->spec.filter, item))
        return;
    read->result.count++;
    if (read->spec.emit != NULL)
        read->receiver_is_full = !read->spec.emit(read->spec.context, item);
}

/* Reads the whole item of an index row and shows it. */
static enum status show_fetched(struct range_read *read, struct item row, enum kv_mode mode)
{
    struct item_read whole;

    TRY(engine_get(read->spec.scope, read->spec.table, NULL, mode, row, &whole));
    if (item_exists(whole.item)) {
        read->result.fetched_units_half += half_units(whole.size_bytes);
        show(read, whole.item);
    }
    kv_value_release(&whole.pin);
    return ST_OK;
}

/* Looks at the row under the iterator. */
static enum status look(struct range_read *read, enum kv_mode mode)
{
    struct item item;
    struct slice body;
    uint32_t size_bytes;

    TRY(row_open(kv_iter_value(read->iter), &body, &size_bytes));
    item = (struct item){body};
    if (read->spec.fetch_items)
        TRY(show_fetched(read, item, mode));
    else
        show(read, item);
    read->result.scanned_count++;
    read->result.size_bytes += size_bytes;
    buf_reset(&read->position);
    buf_append_slice(&read->position, kv_iter_key(read->iter));
    read->on_row = false;
    if (page_is_full(read))
        set_last_key(read, item);
    return ST_OK;
}

static enum range_turn end_turn(struct range_read *read, enum status status,
                                struct range_result *ret_result)
{
    drop_iterator(read);
    if (status == ST_WOULD_BLOCK)
        return RANGE_WOULD_BLOCK;
    read->result.status = status;
    *ret_result = read->result;
    return status == ST_OK || status == ST_NOT_FOUND ? RANGE_DONE : RANGE_FAILED;
}

enum range_turn range_turn(struct range_read *read, enum kv_mode mode, int64_t budget_ns,
                           struct range_result *ret_result)
{
    int64_t until_ns = clock_monotonic_ns(&clock_system) + budget_ns;
    uint64_t seen_bytes = read->result.size_bytes;

    for (unsigned rows = 1;; rows++) {
        enum status status = find_row(read, mode);

        if (status == ST_OK)
            status = look(read, mode);
        if (status != ST_OK || page_is_full(read))
            return end_turn(read, status, ret_result);
        if (rows % ROWS_PER_CLOCK != 0 && read->result.size_bytes - seen_bytes < BYTES_PER_CLOCK)
            continue;
        if (clock_monotonic_ns(&clock_system) >= until_ns)
            return RANGE_MORE;
        seen_bytes = read->result.size_bytes;
    }
}

/*
 * Only writes are of interest here. Reads pass through, and iterators and batches are the inner
 * store's own (kv_impl.h, invariant 3). A test arms the fault while another thread writes, hence
 * the lock.
 */
#include "store/kv_fault.h"

#include <pthread.h>

#include "base/check.h"
#include "base/memory.h"
#include "store/kv_impl.h"

struct fault_kv {
    struct kv kv;
    struct kv *inside;
    pthread_mutex_t lock; /* guards all below */
    uint64_t write_count;
    uint64_t fails_at; /* the write_count that fails; 0 is never */
    enum status status;
    enum kv_fault_span span;
};

static struct kv *inside_of(struct kv *kv)
{
    return ((struct fault_kv *)kv)->inside;
}

static void lock(struct fault_kv *fault)
{
    CHECK(pthread_mutex_lock(&fault->lock) == 0);
}

static void unlock(struct fault_kv *fault)
{
    CHECK(pthread_mutex_unlock(&fault->lock) == 0);
}

static void fault_close(struct kv *kv)
{
    struct fault_kv *fault = (struct fault_kv *)kv;

    kv_close(fault->inside);
    CHECK(pthread_mutex_destroy(&fault->lock) == 0);
    mem_free(fault);
}

static enum status fault_get(struct kv *kv, const struct kv_snapshot *snapshot, enum kv_mode mode,
                             struct slice key, struct kv_value *ret_value)
{
    return inside_of(kv)->ops->get(inside_of(kv), snapshot, mode, key, ret_value);
}

static struct kv_snapshot *fault_snapshot_take(struct kv *kv)
{
    return inside_of(kv)->ops->snapshot_take(inside_of(kv));
}

static void fault_snapshot_release(struct kv *kv, struct kv_snapshot *snapshot)
{
    inside_of(kv)->ops->snapshot_release(inside_of(kv), snapshot);
}

static struct kv_iter *fault_iter_new(struct kv *kv, const struct kv_snapshot *snapshot,
                                      enum kv_mode mode, struct slice lower, struct slice upper)
{
    return inside_of(kv)->ops->iter_new(inside_of(kv), snapshot, mode, lower, upper);
}

static struct kv_batch *fault_batch_new(struct kv *kv)
{
    return inside_of(kv)->ops->batch_new(inside_of(kv));
}

/* Counts a write and says how it ends before it reaches the inner store. */
static enum status next_write(struct fault_kv *fault)
{
    enum status status = ST_OK;

    lock(fault);
    fault->write_count++;
    if (fault->fails_at != 0 &&
        (fault->write_count == fault->fails_at ||
         (fault->write_count > fault->fails_at && fault->span == KV_FAULT_FOR_GOOD)))
        status = fault->status;
    unlock(fault);
    return status;
}

static enum status fault_write(struct kv *kv, struct kv_batch *batch, bool sync)
{
    TRY(next_write((struct fault_kv *)kv));
    return inside_of(kv)->ops->write(inside_of(kv), batch, sync);
}

static void fault_compact(struct kv *kv, struct slice lower, struct slice upper)
{
    inside_of(kv)->ops->compact(inside_of(kv), lower, upper);
}

static const struct kv_ops fault_ops = {
    .close = fault_close,
    .get = fault_get,
    .snapshot_take = fault_snapshot_take,
    .snapshot_release = fault_snapshot_release,
    .iter_new = fault_iter_new,
    .batch_new = fault_batch_new,
    .write = fault_write,
    .compact = fault_compact,
};

struct kv *kv_fault_new(struct kv *inside)
{
    struct fault_kv *fault = MEM_NEW(struct fault_kv);

    fault->kv.ops = &fault_ops;
    fault->inside = inside;
    CHECK(pthread_mutex_init(&fault->lock, NULL) == 0);
    return &fault->kv;
}

static void set_fault(struct fault_kv *fault, uint64_t nth, enum status status,
                      enum kv_fault_span span)
{
    lock(fault);
    fault->fails_at = nth == 0 ? 0 : fault->write_count + nth;
    fault->status = status;
    fault->span = span;
    unlock(fault);
}

void kv_fault_arm(struct kv *fault, uint64_t nth, enum status status, enum kv_fault_span span)
{
    CHECK(fault->ops == &fault_ops && nth > 0 && status != ST_OK);
    set_fault((struct fault_kv *)fault, nth, status, span);
}

void kv_fault_disarm(struct kv *fault)
{
    CHECK(fault->ops == &fault_ops);
    set_fault((struct fault_kv *)fault, 0, ST_OK, KV_FAULT_ONCE);
}

uint64_t kv_fault_write_count(struct kv *kv)
{
    struct fault_kv *fault = (struct fault_kv *)kv;
    uint64_t count;

    CHECK(kv->ops == &fault_ops);
    lock(fault);
    count = fault->write_count;
    unlock(fault);
    return count;
}

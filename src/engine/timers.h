/*
 * Due work of a store, in its system slice: a sweep reads what is due, not what exists.
 *
 *   KEY_SPACE_TIMER | minute(8, BE) | kind(1) | tenant(8, BE) | subject -> (empty row)
 *
 * Minute 0 is before any: work that is due whenever the store is opened.
 */
#ifndef ROWHOUSE_ENGINE_TIMERS_H
#define ROWHOUSE_ENGINE_TIMERS_H

#include "model/key.h"
#include "store/kv.h"

/* On disk: never renumber. */
enum timer_kind { TIMER_BACKFILL = 1, TIMER_TOKEN = 2 };

struct timer {
    uint64_t minute;
    enum timer_kind kind;
    uint64_t tenant_number;
    struct slice subject; /* what is due; its form is the kind's */
};

/* The minute since 1970 in which a time lies. */
uint64_t timer_minute(int64_t wall_ms);
/* The key of its row. */
void timer_key(const struct timer *timer, struct key *ret_key);
/* The subject is a view of the key. ST_CORRUPT for what no timer_key made. */
enum status MUST_CHECK timer_read(struct slice key, struct timer *ret_timer);
/* Iterates the timers of the minutes in [first, end). May block. */
struct kv_iter *timer_iter_new(const struct scope *system, uint64_t first, uint64_t end);

#endif

/* Keys of timers: see timers.h for their layout. */
#include "engine/timers.h"

#include "base/encode.h"

#define MS_PER_MINUTE 60000

enum { MINUTE_AT = 1, KIND_AT = 9, TENANT_AT = 10, SUBJECT_AT = 18 };

uint64_t timer_minute(int64_t wall_ms)
{
    return (uint64_t)(wall_ms / MS_PER_MINUTE);
}

void timer_key(const struct timer *timer, struct key *ret_key)
{
    uint8_t kind = (uint8_t)timer->kind;

    key_begin(ret_key, KEY_SPACE_TIMER);
    key_add_be64(ret_key, timer->minute);
    key_add_bytes(ret_key, slice_of(&kind, 1));
    key_add_be64(ret_key, timer->tenant_number);
    key_add_bytes(ret_key, timer->subject);
}

enum status timer_read(struct slice key, struct timer *ret_timer)
{
    if (key.n < SUBJECT_AT || key.p[0] != KEY_SPACE_TIMER)
        return ST_CORRUPT;
    *ret_timer = (struct timer){
        .minute = get_be64(key.p + MINUTE_AT),
        .kind = (enum timer_kind)key.p[KIND_AT],
        .tenant_number = get_be64(key.p + TENANT_AT),
        .subject = slice_from(key, SUBJECT_AT),
    };
    return ST_OK;
}

static void bound(uint64_t minute, struct key *ret_key)
{
    key_begin(ret_key, KEY_SPACE_TIMER);
    key_add_be64(ret_key, minute);
}

struct kv_iter *timer_iter_new(const struct scope *system, uint64_t first, uint64_t end)
{
    struct key lower, upper;

    bound(first, &lower);
    bound(end, &upper);
    return kv_iter_new(system, NULL, KV_MAY_BLOCK, key_slice(&lower), key_slice(&upper));
}

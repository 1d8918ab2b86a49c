/*
 * A store that stands before another and fails writes on demand: for tests of what happens when
 * the disk does. A failed write changes nothing.
 */
#ifndef ROWHOUSE_STORE_KV_FAULT_H
#define ROWHOUSE_STORE_KV_FAULT_H

#include "store/kv.h"

enum kv_fault_span {
    KV_FAULT_ONCE,    /* one write fails, the next goes through */
    KV_FAULT_FOR_GOOD /* all later writes fail as well, as after a real error of the disk */
};

/* Owns `inside`: kv_close closes both. Scopes are minted on the store returned. */
struct kv *kv_fault_new(struct kv *inside);
/* Lets the `nth` write from now (1 is the next) fail with `status`. */
void kv_fault_arm(struct kv *fault, uint64_t nth, enum status status, enum kv_fault_span span);
/* No write fails from now on. */
void kv_fault_disarm(struct kv *fault);
/* Writes that were tried since the store was made, failed ones included. */
uint64_t kv_fault_write_count(struct kv *fault);

#endif

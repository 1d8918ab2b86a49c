/*
 * The store's format row: what wrote it, and its identity.
 *
 *   system slice: KEY_SPACE_STORE | "format" -> version(4, LE) store id(4) created_ms(8, LE)
 */
#ifndef ROWHOUSE_ENGINE_FORMAT_H
#define ROWHOUSE_ENGINE_FORMAT_H

#include "base/clock.h"
#include "store/kv.h"

#define STORE_FORMAT_VERSION 1

/* Checks the row, or writes it into a new store. ST_VERSION if a newer server wrote the store. */
enum status MUST_CHECK format_open(struct kv *store, const struct scope *system,
                                   const struct clock *clock);
/* The check alone, for stores opened for reading. ST_NOT_FOUND without the row. */
enum status MUST_CHECK format_check(const struct scope *system);

#endif

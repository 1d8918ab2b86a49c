/*
 * A table's catalogue row: KEY_SPACE_CATALOGUE | name -> the descriptor, an encoded map, so that
 * later versions can add attributes that older rows lack.
 */
#ifndef ROWHOUSE_ENGINE_TABLE_CODEC_H
#define ROWHOUSE_ENGINE_TABLE_CODEC_H

#include "base/buf.h"
#include "engine/engine.h"
#include "engine/table.h"

/* More than the names of all attributes and indexes, with settings and tags, can take. */
#define TABLE_ROW_SIZE_BYTES_MAX (1024 * 1024)

/* The name's key in the catalogue. */
void table_catalogue_key(struct key *key, struct slice name);
/* Appends the sealed row to a buffer that has TABLE_ROW_SIZE_BYTES_MAX left. */
void table_encode(const struct table *table, struct buf *ret_row);
/* A table with one reference, its counters read from the store. */
enum status MUST_CHECK table_decode(const struct scope *scope, struct slice row,
                                    struct table **ret_table);
/*
 * The next version of `current` (or, if NULL, a first version with the id `table_id`), everything
 * copied into the table's own arena. New indexes get ids, INDEX_CREATING and new counters; those
 * that stay keep theirs. One reference.
 */
struct table *table_from_spec(const struct scope *scope, const struct table *current,
                              uint32_t table_id, int64_t created_ms, const struct table_spec *spec);

#endif

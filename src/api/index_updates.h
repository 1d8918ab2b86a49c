/* GlobalSecondaryIndexUpdates of UpdateTable: decoded, then applied to the next version of a table
 * on the committer's thread. */
#ifndef ROWHOUSE_API_INDEX_UPDATES_H
#define ROWHOUSE_API_INDEX_UPDATES_H

#include "api/table_options.h"

enum index_update_kind { INDEX_UPDATE_CREATE, INDEX_UPDATE_CHANGE, INDEX_UPDATE_DELETE };

struct index_update {
    enum index_update_kind kind;
    struct slice name;
    struct index index; /* of CREATE */
    struct unit_options units;
};

struct index_updates {
    struct index_update *updates;
    uint32_t count;
};

/* An absent list gives none. */
enum status MUST_CHECK index_updates_decode(struct call *call, struct index_updates *ret_updates);
/* Whether an index is created or deleted. */
bool index_updates_change_set(const struct index_updates *updates);
/* The request itself must define the key attributes of the indexes it creates, also those that the
 * table has defined before. */
enum status MUST_CHECK index_updates_check_attributes(const struct index_updates *updates,
                                                      const struct key_part *attributes,
                                                      uint32_t count, struct error *error);
/*
 * Changes the spec's indexes. `current` is the version that the spec was made from; the updates
 * are refused while an index of it is being built. Allocates in the error's arena.
 */
enum status MUST_CHECK index_updates_apply(const struct index_updates *updates,
                                           const struct table *current, bool on_demand,
                                           int64_t now_ms, struct table_spec *spec,
                                           struct error *error);

#endif

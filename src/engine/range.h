/* The inside of Query and Scan, for the engine room alone. */
#ifndef ROWHOUSE_ENGINE_RANGE_H
#define ROWHOUSE_ENGINE_RANGE_H

#include "engine/engine.h"

/* Rows in [lower, upper). */
struct range_bounds {
    struct key lower;
    struct key upper;
    bool upper_is_exact; /* while they are built: `upper` itself is the end */
};

/* The key schema that the read goes by: the index's or the table's. */
const struct key_schema *range_schema(const struct range_spec *spec);
/* The term on an attribute, or NULL. */
const struct key_term *range_find_term(const struct range_spec *spec, struct slice name);
/* Of a checked spec. */
void range_bounds_of(const struct range_spec *spec, struct range_bounds *ret_bounds);
/* The row that the checked start key names. */
void range_start_key(const struct range_spec *spec, struct key *ret_key);

#endif

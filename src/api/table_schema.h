/*
 * Attribute definitions, keys, projections and indexes: decoded from a request, and held against
 * DynamoDB's rules once the whole of the next version of a table is known.
 *
 * Everything is allocated in the error's arena. All faults are ERROR_VALIDATION.
 */
#ifndef ROWHOUSE_API_TABLE_SCHEMA_H
#define ROWHOUSE_API_TABLE_SCHEMA_H

#include "base/error.h"
#include "engine/engine.h"
#include "json/json.h"

/* AttributeDefinitions; refuses a name that is repeated. */
enum status MUST_CHECK schema_decode_attributes(struct json definitions, struct error *error,
                                                const struct key_part **ret_attributes,
                                                uint32_t *ret_count);
/* Types of the parts stay VALUE_ABSENT until schema_check. */
enum status MUST_CHECK schema_decode_key(struct json key_schema, struct error *error,
                                         struct key_schema *ret_key);
/* Name, key and projection of an index. */
enum status MUST_CHECK schema_decode_index(struct json index, bool local, struct error *error,
                                           struct index *ret_index);
/* Every part of an index key has a definition. */
enum status MUST_CHECK schema_check_defined(const struct key_schema *key,
                                            const struct key_part *attributes, uint32_t count,
                                            struct error *error);
/*
 * Fills in the types of all key parts and checks the whole: every key attribute is defined, every
 * definition is used, keys are well formed, index names differ, nothing exceeds its limit.
 */
enum status MUST_CHECK schema_check(struct table_spec *spec, struct error *error);
/* Drops the definitions that no key uses. */
void schema_drop_unused(struct table_spec *spec, struct arena *arena);

#endif

/* The order in which DynamoDB names faults of attribute values. */
#ifndef ROWHOUSE_JSON_ATTRIBUTE_CHECK_H
#define ROWHOUSE_JSON_ATTRIBUTE_CHECK_H

#include "json/attribute.h"

/* Nesting over VALUE_DEPTH_MAX. */
enum status attribute_refuse_nesting(struct error *error);

/*
 * Looks for the faults that are named before any other, wherever in the node they are: wrong JSON
 * types, then empty names of the item itself, then nesting.
 */
enum status MUST_CHECK attribute_check_first(struct json node, struct error *error);
enum status MUST_CHECK attribute_check_item_first(struct json node, struct error *error);

#endif

/* The members of an AttributeValue: which one is set. */
#ifndef ROWHOUSE_JSON_ATTRIBUTE_TYPE_H
#define ROWHOUSE_JSON_ATTRIBUTE_TYPE_H

#include "model/value.h"
#include "json/json.h"

/* "S" -> VALUE_S; VALUE_ABSENT for a name that is no type. */
enum value_type attribute_type_named(struct slice name);

/*
 * The type and content of an AttributeValue that is an object; VALUE_ABSENT if no type is set. A
 * member that is null is not set. `ret_several` says that different types are.
 */
enum value_type attribute_member(struct json node, struct json *ret_content, bool *ret_several);

#endif

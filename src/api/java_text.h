/*
 * Values as the service prints them in its messages: the toString() of its Java classes.
 *
 *   [KeySchemaElement(attributeName=pk, keyType=HASH)]
 *   {Music=[WriteRequest(putRequest=null, deleteRequest=DeleteRequest(key={...}))]}
 */
#ifndef ROWHOUSE_API_JAVA_TEXT_H
#define ROWHOUSE_API_JAVA_TEXT_H

#include "api/shape.h"
#include "base/buf.h"

/* TableName -> tableName */
void java_append_member_name(struct buf *buf, struct slice name);
/* Without quotes; an absent or null value prints as null. */
void java_append_value(struct buf *buf, const struct shape *shape, struct json value);

#endif

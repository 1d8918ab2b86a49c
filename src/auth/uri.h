/* URI encoding as AWS signs it. Source: AWS General Reference, "Create a canonical request". */
#ifndef ROWHOUSE_AUTH_URI_H
#define ROWHOUSE_AUTH_URI_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"

/* Replaces %41 and the like; what is no such escape stays. In the arena, or `text` itself. */
struct slice uri_decode(struct arena *arena, struct slice text);
/* Appends letters, digits, '-', '.', '_', '~' (and '/' in a path) as they are, the rest as %41. */
void uri_append_encoded(struct buf *buf, struct slice text, bool is_path);

#endif

/* The overlay: a hash table on tenant number and key. See overlay.h. */
#include "engine/overlay.h"

#include <uthash.h>

#include "base/encode.h"
#include "model/key.h"

struct overlay_row {
    struct slice row; /* empty: deleted */
    UT_hash_handle hh;
    size_t name_size_bytes;
    uint8_t name[]; /* tenant(8) | key */
};

/* A name on the stack, for look-ups. */
struct name {
    size_t n;
    uint8_t bytes[8 + KEY_SIZE_BYTES_MAX];
};

static void make_name(struct name *name, const struct scope *scope, struct slice key)
{
    put_be64(name->bytes, scope_tenant_number(scope));
    memcpy(name->bytes + 8, key.p, key.n);
    name->n = 8 + key.n;
}

static struct overlay_row *find(const struct overlay *overlay, const struct name *name)
{
    struct overlay_row *row = NULL;

    HASH_FIND(hh, overlay->rows, name->bytes, (unsigned)name->n, row);
    return row;
}

void overlay_set(struct overlay *overlay, struct arena *arena, const struct scope *scope,
                 struct slice key, struct slice row)
{
    struct overlay_row *entry;
    struct name name;

    make_name(&name, scope, key);
    entry = find(overlay, &name);
    if (entry == NULL) {
        entry = arena_zalloc(arena, sizeof(*entry) + name.n);
        entry->name_size_bytes = name.n;
        memcpy(entry->name, name.bytes, name.n);
        HASH_ADD_KEYPTR(hh, overlay->rows, entry->name, (unsigned)name.n, entry);
    }
    entry->row = row.n == 0 ? SLICE_EMPTY : arena_copy(arena, row);
}

bool overlay_find(const struct overlay *overlay, const struct scope *scope, struct slice key,
                  struct slice *ret_row)
{
    struct overlay_row *entry;
    struct name name;

    if (overlay->rows == NULL)
        return false;
    make_name(&name, scope, key);
    entry = find(overlay, &name);
    if (entry == NULL)
        return false;
    *ret_row = entry->row;
    return true;
}

void overlay_clear(struct overlay *overlay)
{
    HASH_CLEAR(hh, overlay->rows);
}

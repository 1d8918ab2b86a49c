/* Physical keys: see key.h for their layout and invariants. */
#include "model/key.h"

#include "base/check.h"
#include "base/encode.h"

static uint8_t *room(struct key *key, size_t size_bytes)
{
    uint8_t *p = key->bytes + key->n;

    CHECK(key->n + size_bytes <= KEY_SIZE_BYTES_MAX);
    key->n += size_bytes;
    return p;
}

void key_begin(struct key *key, enum key_space space)
{
    key->n = 1;
    key->bytes[0] = (uint8_t)space;
}

void key_add_be16(struct key *key, uint16_t v)
{
    put_be16(room(key, 2), v);
}

void key_add_be32(struct key *key, uint32_t v)
{
    put_be32(room(key, 4), v);
}

void key_add_be64(struct key *key, uint64_t v)
{
    put_be64(room(key, 8), v);
}

void key_add_bytes(struct key *key, struct slice bytes)
{
    if (bytes.n > 0)
        memcpy(room(key, bytes.n), bytes.p, bytes.n);
}

void key_begin_rows(struct key *key, uint32_t table, uint16_t index)
{
    key_begin(key, KEY_SPACE_DATA);
    key_add_be32(key, table);
    key_add_be16(key, index);
}

/* FNV-1a over the framed parts, folded: cheap and even enough to spread partitions. */
static uint64_t hash_bytes(uint64_t hash, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

uint16_t key_hash16(const struct value *parts, uint32_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (uint32_t i = 0; i < count; i++) {
        uint8_t size[2];

        put_be16(size, (uint16_t)parts[i].payload.n);
        hash = hash_bytes(hash, size, sizeof(size));
        hash = hash_bytes(hash, parts[i].payload.p, parts[i].payload.n);
    }
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    return (uint16_t)(hash >> 48);
}

void key_add_framed(struct key *key, struct value part)
{
    CHECK(part.payload.n <= UINT16_MAX);
    key_add_be16(key, (uint16_t)part.payload.n);
    key_add_bytes(key, part.payload);
}

void key_add_partition(struct key *key, const struct value *parts, uint32_t count)
{
    CHECK(count > 0 && count <= KEY_PARTS_MAX);
    key_add_be16(key, key_hash16(parts, count));
    for (uint32_t i = 0; i < count; i++)
        key_add_framed(key, parts[i]);
}

static void add_escaped(struct key *key, struct slice bytes)
{
    while (bytes.n > 0) {
        const uint8_t *zero = memchr(bytes.p, 0, bytes.n);
        size_t run = zero == NULL ? bytes.n : (size_t)(zero - bytes.p);

        key_add_bytes(key, slice_of(bytes.p, run));
        if (zero == NULL)
            return;
        key_add_be16(key, 0x00ff);
        bytes = slice_from(bytes, run + 1);
    }
}

void key_add_sort(struct key *key, struct value part)
{
    if (part.type == VALUE_N) {
        key_add_bytes(key, part.payload);
        return;
    }
    add_escaped(key, part.payload);
    key_add_be16(key, 0x0000);
}

void key_add_sort_prefix(struct key *key, struct slice prefix)
{
    add_escaped(key, prefix);
}

bool key_make_upper_bound(struct key *key)
{
    size_t n = key->n;

    while (n > 0 && key->bytes[n - 1] == 0xff)
        n--;
    if (n == 0)
        return false;
    key->bytes[n - 1]++;
    key->n = n;
    return true;
}

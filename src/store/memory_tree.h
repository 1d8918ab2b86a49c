/*
 * The ordered map under the memory store: an immutable AVL tree. A change makes new nodes along
 * one path and shares all others with the tree before it, so a reference to a root is a snapshot
 * of the whole map that costs nothing to take and that no writer can disturb.
 *
 *        root A (before)      root B (after a change of y)
 *             m                    m'
 *           /   \                /   \
 *          f     t  <- shared   |     t'
 *          ^       \ ___________|    / \
 *          |________________________/   y'        f is in both trees
 *
 *  1. A node never changes after it was made; only its count of references does.
 *  2. Left keys < the node's key < right keys.
 *  3. The heights of two siblings differ by at most one.
 *
 * "Taken" below means that the function uses up the caller's reference. NULL is the empty tree.
 */
#ifndef ROWHOUSE_STORE_MEMORY_TREE_H
#define ROWHOUSE_STORE_MEMORY_TREE_H

#include <stdatomic.h>

#include "base/slice.h"

/* A key and its value, shared by trees, batches and pinned reads. `bytes` is key | value. */
struct tree_entry {
    atomic_size_t refs;
    size_t key_size_bytes;
    size_t value_size_bytes;
    uint8_t bytes[];
};

/* One reference; key and value are copied. */
struct tree_entry *tree_entry_new(struct slice key, struct slice value);
struct tree_entry *tree_entry_ref(struct tree_entry *entry);
void tree_entry_unref(struct tree_entry *entry);

static inline struct slice tree_entry_key(const struct tree_entry *entry)
{
    return slice_of(entry->bytes, entry->key_size_bytes);
}

static inline struct slice tree_entry_value(const struct tree_entry *entry)
{
    return slice_of(entry->bytes + entry->key_size_bytes, entry->value_size_bytes);
}

struct tree_node;

struct tree_node *tree_ref(struct tree_node *root);
void tree_unref(struct tree_node *root);
/* The tree with `entry` in place of any of the same key. `root` is taken; `entry` is not. */
struct tree_node *tree_put(struct tree_node *root, struct tree_entry *entry);
/* The tree without `key`. `root` is taken. */
struct tree_node *tree_remove(struct tree_node *root, struct slice key);

/* Which neighbour of a key to find. */
enum tree_side { TREE_BELOW, TREE_AT_OR_BELOW, TREE_EXACTLY, TREE_AT_OR_ABOVE, TREE_ABOVE };
/* The nearest entry on that side of `key`, as a view into the tree, or NULL. */
struct tree_entry *tree_find(const struct tree_node *root, enum tree_side side, struct slice key);

/* CHECKs invariants 2 and 3 and returns the number of entries. */
size_t tree_check(const struct tree_node *root);

#endif

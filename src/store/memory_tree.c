/*
 * See memory_tree.h for the invariants. Trees are walked with a bounded array of ancestors rather
 * than by recursion: an AVL tree of height 64 would hold more than 2^44 entries.
 */
#include "store/memory_tree.h"

#include "base/check.h"
#include "base/memory.h"

#define HEIGHT_MAX 64

struct tree_node {
    atomic_size_t refs;
    unsigned height;
    struct tree_entry *entry;
    struct tree_node *left;
    struct tree_node *right;
};

/* The way from the root to a place in the tree, nearest ancestor last. */
struct path {
    size_t count;
    struct {
        const struct tree_node *node;
        bool went_left;
    } steps[HEIGHT_MAX];
};

struct tree_entry *tree_entry_new(struct slice key, struct slice value)
{
    struct tree_entry *entry = mem_alloc(sizeof(*entry) + key.n + value.n);

    atomic_init(&entry->refs, 1);
    entry->key_size_bytes = key.n;
    entry->value_size_bytes = value.n;
    memcpy(entry->bytes, key.p, key.n);
    if (value.n > 0)
        memcpy(entry->bytes + key.n, value.p, value.n);
    return entry;
}

struct tree_entry *tree_entry_ref(struct tree_entry *entry)
{
    atomic_fetch_add_explicit(&entry->refs, 1, memory_order_relaxed);
    return entry;
}

void tree_entry_unref(struct tree_entry *entry)
{
    if (atomic_fetch_sub_explicit(&entry->refs, 1, memory_order_acq_rel) == 1)
        mem_free(entry);
}

struct tree_node *tree_ref(struct tree_node *root)
{
    if (root != NULL)
        atomic_fetch_add_explicit(&root->refs, 1, memory_order_relaxed);
    return root;
}

/* Frees what no other tree shares, parents before children: at most one sibling per level waits. */
void tree_unref(struct tree_node *root)
{
    struct tree_node *waiting[HEIGHT_MAX + 2];
    size_t count = 0;

    waiting[count++] = root;
    while (count > 0) {
        struct tree_node *node = waiting[--count];

        if (node == NULL || atomic_fetch_sub_explicit(&node->refs, 1, memory_order_acq_rel) > 1)
            continue;
        CHECK(count + 2 <= HEIGHT_MAX + 2);
        waiting[count++] = node->left;
        waiting[count++] = node->right;
        tree_entry_unref(node->entry);
        mem_free(node);
    }
}

static unsigned height_of(const struct tree_node *node)
{
    return node == NULL ? 0 : node->height;
}

/* Takes the children and refs the entry. */
static struct tree_node *make_node(struct tree_node *left, struct tree_entry *entry,
                                   struct tree_node *right)
{
    struct tree_node *node = mem_alloc(sizeof(*node));
    unsigned height_left = height_of(left);
    unsigned height_right = height_of(right);

    atomic_init(&node->refs, 1);
    node->height = 1 + (height_left > height_right ? height_left : height_right);
    node->entry = tree_entry_ref(entry);
    node->left = left;
    node->right = right;
    return node;
}

/*
 * `left` is too high by one: one of
 *
 *       e               l                 e                  lr
 *      / \             / \               / \               /    \
 *     l   r    ->    ll   e      or     l   r     ->      l      e
 *    / \                 / \           / \               / \    / \
 *   ll  lr             lr   r        ll   lr           ll   .  .   r
 */
static struct tree_node *rotate_right(struct tree_node *left, struct tree_entry *entry,
                                      struct tree_node *right)
{
    const struct tree_node *middle = left->right;
    struct tree_node *outer;
    struct tree_node *result;

    if (height_of(left->left) >= height_of(middle)) {
        outer = make_node(tree_ref(left->right), entry, right);
        result = make_node(tree_ref(left->left), left->entry, outer);
    } else {
        struct tree_node *inner =
            make_node(tree_ref(left->left), left->entry, tree_ref(middle->left));

        outer = make_node(tree_ref(middle->right), entry, right);
        result = make_node(inner, middle->entry, outer);
    }
    tree_unref(left);
    return result;
}

/* The mirror image. */
static struct tree_node *rotate_left(struct tree_node *left, struct tree_entry *entry,
                                     struct tree_node *right)
{
    const struct tree_node *middle = right->left;
    struct tree_node *outer;
    struct tree_node *result;

    if (height_of(right->right) >= height_of(middle)) {
        outer = make_node(left, entry, tree_ref(right->left));
        result = make_node(outer, right->entry, tree_ref(right->right));
    } else {
        struct tree_node *inner =
            make_node(tree_ref(middle->right), right->entry, tree_ref(right->right));

        outer = make_node(left, entry, tree_ref(middle->left));
        result = make_node(outer, middle->entry, inner);
    }
    tree_unref(right);
    return result;
}

/* A node over two subtrees (taken) whose heights differ by at most two. */
static struct tree_node *balance(struct tree_node *left, struct tree_entry *entry,
                                 struct tree_node *right)
{
    if (height_of(left) > height_of(right) + 1)
        return rotate_right(left, entry, right);
    if (height_of(right) > height_of(left) + 1)
        return rotate_left(left, entry, right);
    return make_node(left, entry, right);
}

static void path_add(struct path *path, const struct tree_node *node, bool went_left)
{
    CHECK(path->count < HEIGHT_MAX);
    path->steps[path->count].node = node;
    path->steps[path->count].went_left = went_left;
    path->count++;
}

/* Copies the ancestors over a new subtree (taken), up to the root. */
static struct tree_node *rebuild(const struct path *path, struct tree_node *subtree)
{
    for (size_t i = path->count; i-- > 0;) {
        const struct tree_node *node = path->steps[i].node;

        if (path->steps[i].went_left)
            subtree = balance(subtree, node->entry, tree_ref(node->right));
        else
            subtree = balance(tree_ref(node->left), node->entry, subtree);
    }
    return subtree;
}

/* Fills the path to `key`; the node that holds it, or NULL where it would be. */
static const struct tree_node *descend(const struct tree_node *node, struct slice key,
                                       struct path *path)
{
    path->count = 0;
    while (node != NULL) {
        int order = slice_compare(key, tree_entry_key(node->entry));

        if (order == 0)
            return node;
        path_add(path, node, order < 0);
        node = order < 0 ? node->left : node->right;
    }
    return NULL;
}

struct tree_node *tree_put(struct tree_node *root, struct tree_entry *entry)
{
    struct path path;
    const struct tree_node *old = descend(root, tree_entry_key(entry), &path);
    struct tree_node *left = old == NULL ? NULL : tree_ref(old->left);
    struct tree_node *right = old == NULL ? NULL : tree_ref(old->right);
    struct tree_node *result = rebuild(&path, make_node(left, entry, right));

    tree_unref(root);
    return result;
}

/* Both subtrees of a node that goes: the first entry of the right one takes its place. */
static struct tree_node *join(const struct tree_node *gone)
{
    struct path path = {0};
    const struct tree_node *first = gone->right;

    if (gone->left == NULL)
        return tree_ref(gone->right);
    if (gone->right == NULL)
        return tree_ref(gone->left);
    for (; first->left != NULL; first = first->left)
        path_add(&path, first, true);
    return balance(tree_ref(gone->left), first->entry, rebuild(&path, tree_ref(first->right)));
}

struct tree_node *tree_remove(struct tree_node *root, struct slice key)
{
    struct path path;
    const struct tree_node *gone = descend(root, key, &path);
    struct tree_node *result;

    if (gone == NULL)
        return root;
    result = rebuild(&path, join(gone));
    tree_unref(root);
    return result;
}

struct tree_entry *tree_find(const struct tree_node *root, enum tree_side side, struct slice key)
{
    struct tree_entry *below = NULL;
    struct tree_entry *above = NULL;

    for (const struct tree_node *node = root; node != NULL;) {
        int order = slice_compare(key, tree_entry_key(node->entry));

        if (order == 0 && side != TREE_BELOW && side != TREE_ABOVE)
            return node->entry;
        if (order < 0 || (order == 0 && side == TREE_BELOW)) {
            above = order < 0 ? node->entry : above;
            node = node->left;
        } else {
            below = order > 0 ? node->entry : below;
            node = node->right;
        }
    }
    if (side == TREE_EXACTLY)
        return NULL;
    return side < TREE_EXACTLY ? below : above;
}

/* Walks in order, keeping the ancestors whose right side is still to come. */
size_t tree_check(const struct tree_node *root)
{
    const struct tree_node *waiting[HEIGHT_MAX];
    const struct tree_node *node = root;
    const struct tree_entry *last = NULL;
    size_t depth = 0;
    size_t count = 0;

    while (node != NULL || depth > 0) {
        for (; node != NULL; node = node->left) {
            unsigned left = height_of(node->left);
            unsigned right = height_of(node->right);

            CHECK(depth < HEIGHT_MAX);
            CHECK(left <= right + 1 && right <= left + 1); /* invariant 3 */
            CHECK(node->height == 1 + (left > right ? left : right));
            waiting[depth++] = node;
        }
        node = waiting[--depth];
        CHECK(last == NULL ||
              slice_compare(tree_entry_key(last), tree_entry_key(node->entry)) < 0); /* 2 */
        last = node->entry;
        count++;
        node = node->right;
    }
    return count;
}

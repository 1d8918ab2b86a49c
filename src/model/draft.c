/*
 * Drafts: see draft.h. A node is either a view of stored bytes or, once something in it was
 * written, a list of children:
 *
 *   VIEW  value                     (as stored, or as set)
 *   LIST  child 0, child 1, ...     removed children stay in place until the end, so that indexes
 *   MAP   name -> child, ...        mean what they meant before the update
 *
 * Invariant: the children of a MAP are in the order of their names.
 */
#include "model/draft.h"

#include "base/check.h"

/* Far more than an item can take whose old and new parts are each within ITEM_SIZE_BYTES_MAX. */
#define ENCODED_SIZE_BYTES_MAX (64u * 1024 * 1024)

enum node_kind { NODE_VIEW, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    bool removed;
    struct value value; /* of NODE_VIEW */
    struct slice name;  /* within a map */
    struct node **children;
    uint32_t count;
    uint32_t capacity;
    uint32_t stored_count; /* of a LIST: children that the item had; those after it were added */
    uint32_t index;        /* of an added list element: where the update wanted it */
};

struct draft {
    struct arena *arena;
    struct node *root;
};

static struct node *new_view(struct draft *draft, struct value value)
{
    struct node *node = ARENA_NEW(draft->arena, struct node);

    node->value = value;
    return node;
}

static void add_child(struct draft *draft, struct node *parent, uint32_t at, struct node *child)
{
    if (parent->count == parent->capacity) {
        uint32_t capacity = parent->capacity == 0 ? 8 : parent->capacity * 2;
        struct node **children = ARENA_ARRAY(draft->arena, struct node *, capacity);

        if (parent->count > 0)
            memcpy(children, parent->children, parent->count * sizeof(struct node *));
        parent->children = children;
        parent->capacity = capacity;
    }
    memmove(parent->children + at + 1, parent->children + at,
            (parent->count - at) * sizeof(struct node *));
    parent->children[at] = child;
    parent->count++;
}

/* Turns a view of a list or map into a node with children. */
static void open_node(struct draft *draft, struct node *node)
{
    uint32_t count = value_count(node->value);

    if (node->kind != NODE_VIEW)
        return;
    node->kind = node->value.type == VALUE_M ? NODE_MAP : NODE_LIST;
    node->capacity = count + 4;
    node->children = ARENA_ARRAY(draft->arena, struct node *, node->capacity);
    for (uint32_t i = 0; i < count; i++) {
        struct slice name = SLICE_EMPTY;
        struct value value = node->kind == NODE_MAP ? value_map_at(node->value, i, &name)
                                                    : value_list_at(node->value, i);

        node->children[i] = new_view(draft, value);
        node->children[i]->name = name;
    }
    node->count = node->stored_count = count;
}

static bool is_container(const struct node *node, bool list)
{
    if (node->removed)
        return false;
    if (node->kind == NODE_VIEW)
        return node->value.type == (list ? VALUE_L : VALUE_M);
    return node->kind == (list ? NODE_LIST : NODE_MAP);
}

/* Where the name is, or belongs, among the children of a map. */
static uint32_t find_name(const struct node *map, struct slice name, bool *ret_found)
{
    uint32_t low = 0, high = map->count;

    *ret_found = false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = slice_compare(name, map->children[middle]->name);

        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The child that the step names, or NULL. Opens the node. */
static struct node *child_at(struct draft *draft, struct node *node, const struct path_step *step)
{
    bool found;
    uint32_t at;

    if (!is_container(node, step->is_index))
        return NULL;
    open_node(draft, node);
    if (step->is_index)
        return step->index < node->stored_count ? node->children[step->index] : NULL;
    at = find_name(node, step->name, &found);
    return found ? node->children[at] : NULL;
}

/* The container of the path's last step, or NULL if it is missing or of the wrong type. */
static struct node *parent_of(struct draft *draft, struct path path)
{
    struct node *node = draft->root;

    for (uint32_t i = 0; i + 1 < path.count && node != NULL; i++) {
        node = child_at(draft, node, &path.steps[i]);
        if (node != NULL && node->removed)
            return NULL;
    }
    if (node == NULL || !is_container(node, path.steps[path.count - 1].is_index))
        return NULL;
    open_node(draft, node);
    return node;
}

struct draft *draft_new(struct arena *arena, struct item old)
{
    struct draft *draft = ARENA_NEW(arena, struct draft);

    draft->arena = arena;
    draft->root = new_view(draft, item_as_value(old));
    if (!item_exists(old))
        draft->root->kind = NODE_MAP;
    return draft;
}

/* Elements past the end are added in the order of their indexes, whatever gaps lie between. */
static void set_element(struct draft *draft, struct node *list, uint32_t index, struct node *node)
{
    uint32_t at = list->stored_count;

    node->index = index;
    if (index < list->stored_count) {
        list->children[index] = node;
        return;
    }
    while (at < list->count && list->children[at]->index < index)
        at++;
    if (at < list->count && list->children[at]->index == index)
        list->children[at] = node;
    else
        add_child(draft, list, at, node);
}

enum status draft_set(struct draft *draft, struct path path, struct value value)
{
    const struct path_step *last = &path.steps[path.count - 1];
    struct node *parent = parent_of(draft, path);
    struct node *node;
    bool found;
    uint32_t at;

    if (parent == NULL)
        return ST_INVALID;
    node = new_view(draft, value);
    if (last->is_index) {
        set_element(draft, parent, last->index, node);
        return ST_OK;
    }
    node->name = last->name;
    at = find_name(parent, last->name, &found);
    if (found)
        parent->children[at] = node;
    else
        add_child(draft, parent, at, node);
    return ST_OK;
}

enum status draft_remove(struct draft *draft, struct path path)
{
    const struct path_step *last = &path.steps[path.count - 1];
    struct node *parent = parent_of(draft, path);
    struct node *node;

    if (parent == NULL)
        return ST_INVALID;
    node = child_at(draft, parent, last);
    if (node != NULL)
        node->removed = true;
    return ST_OK;
}

/* ---- Encoding ---- */

static uint32_t live_count(const struct node *node)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < node->count; i++)
        count += !node->children[i]->removed;
    return count;
}

// NOLINTBEGIN(misc-no-recursion): as deep as the containers of the writer, which checks their depth
static void write_node(const struct node *node, struct value_writer *writer)
{
    if (node->kind == NODE_VIEW) {
        writer_value(writer, node->value);
        return;
    }
    if (node->kind == NODE_MAP)
        writer_begin_map(writer, live_count(node));
    else
        writer_begin_list(writer, live_count(node));
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->children[i]->removed)
            continue;
        if (node->kind == NODE_MAP)
            writer_name(writer, node->children[i]->name);
        write_node(node->children[i], writer);
    }
    writer_end(writer);
}
// NOLINTEND(misc-no-recursion)

struct item draft_finish(struct draft *draft)
{
    struct value_writer writer;
    struct item item;
    struct buf buf;

    buf_init(&buf, ENCODED_SIZE_BYTES_MAX);
    writer_init(&writer, &buf);
    write_node(draft->root, &writer);
    CHECK(buf_status(&buf) == ST_OK);
    item.payload = arena_copy(draft->arena, writer_item(&writer, 0).payload);
    buf_deinit(&buf);
    return item;
}

struct value item_at_path(struct item item, struct path path)
{
    struct value value = item_as_value(item);

    for (uint32_t i = 0; i < path.count; i++) {
        if (path.steps[i].is_index)
            value = value_list_at(value, path.steps[i].index);
        else
            value = value_map_find(value, path.steps[i].name);
        if (value.type == VALUE_ABSENT)
            return VALUE_NONE;
    }
    return value;
}

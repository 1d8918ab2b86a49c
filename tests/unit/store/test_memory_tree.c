/* Balance, order and sharing of the immutable tree. */
#include "store/memory_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/encode.h"
#include "base/random.h"

static struct tree_node *put_number(struct tree_node *root, uint32_t number)
{
    uint8_t bytes[4];
    struct tree_entry *entry;

    put_be32(bytes, number);
    entry = tree_entry_new(slice_of(bytes, 4), slice_of(bytes, 4));
    root = tree_put(root, entry);
    tree_entry_unref(entry);
    return root;
}

static struct tree_node *remove_number(struct tree_node *root, uint32_t number)
{
    uint8_t bytes[4];

    put_be32(bytes, number);
    return tree_remove(root, slice_of(bytes, 4));
}

/* The number found, or -1. */
static int64_t find(const struct tree_node *root, enum tree_side side, uint32_t number)
{
    uint8_t bytes[4];
    const struct tree_entry *entry;

    put_be32(bytes, number);
    entry = tree_find(root, side, slice_of(bytes, 4));
    return entry == NULL ? -1 : (int64_t)get_be32(tree_entry_value(entry).p);
}

static void trees_stay_balanced_in_any_order_of_changes(void **state)
{
    struct tree_node *rising = NULL;
    struct tree_node *falling = NULL;

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        rising = put_number(rising, i);
        falling = put_number(falling, 1000 - i);
    }
    assert_int_equal(tree_check(rising), 1000);
    assert_int_equal(tree_check(falling), 1000);
    for (uint32_t i = 0; i < 999; i++) {
        rising = remove_number(rising, i);
        falling = remove_number(falling, 1000 - (i * 7) % 1000);
        if (i % 50 == 0) {
            assert_int_equal(tree_check(rising), 999 - i);
            assert_int_equal(tree_check(falling), 999 - i);
        }
    }
    assert_int_equal(find(rising, TREE_EXACTLY, 999), 999);
    tree_unref(rising);
    tree_unref(falling);
}

static void random_changes_keep_the_invariants(void **state)
{
    struct tree_node *root = NULL;
    uint64_t seed = 11;
    bool present[512] = {0};
    size_t count = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint32_t number = (uint32_t)(random_seeded_next(&seed) % 512);
        bool adds = random_seeded_next(&seed) % 2 == 0;

        root = adds ? put_number(root, number) : remove_number(root, number);
        count = count + adds - present[number];
        present[number] = adds;
        if (i % 100 == 0)
            assert_int_equal(tree_check(root), count);
        assert_int_equal(find(root, TREE_EXACTLY, number), adds ? (int64_t)number : -1);
    }
    tree_unref(root);
}

static void neighbours_are_found_on_each_side(void **state)
{
    struct tree_node *root = NULL;

    (void)state;
    assert_int_equal(find(root, TREE_AT_OR_ABOVE, 0), -1);
    for (uint32_t i = 10; i <= 100; i += 10)
        root = put_number(root, i);
    assert_int_equal(find(root, TREE_BELOW, 50), 40);
    assert_int_equal(find(root, TREE_AT_OR_BELOW, 50), 50);
    assert_int_equal(find(root, TREE_AT_OR_BELOW, 55), 50);
    assert_int_equal(find(root, TREE_EXACTLY, 55), -1);
    assert_int_equal(find(root, TREE_AT_OR_ABOVE, 50), 50);
    assert_int_equal(find(root, TREE_AT_OR_ABOVE, 55), 60);
    assert_int_equal(find(root, TREE_ABOVE, 50), 60);
    assert_int_equal(find(root, TREE_BELOW, 10), -1);
    assert_int_equal(find(root, TREE_ABOVE, 100), -1);
    tree_unref(root);
}

static void older_trees_keep_what_they_held(void **state)
{
    struct tree_node *versions[100];
    struct tree_node *root = NULL;

    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        root = i < 50 ? put_number(root, i) : remove_number(root, i - 50);
        versions[i] = tree_ref(root);
    }
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(tree_check(versions[i]), i < 50 ? i + 1 : 99 - i);
        tree_unref(versions[i]);
    }
    tree_unref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_stay_balanced_in_any_order_of_changes),
        cmocka_unit_test(random_changes_keep_the_invariants),
        cmocka_unit_test(neighbours_are_found_on_each_side),
        cmocka_unit_test(older_trees_keep_what_they_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

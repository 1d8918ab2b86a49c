/* Tenants come into being, survive a restart, and never share a number or an account. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "store/kv_fault.h"
#include "store/scope_mint.h"
#include "tenant/registry.h"

#define CREATED_MS 1700000000000

struct house {
    struct kv *kv;
    struct registry *registry;
};

static int setup(void **state)
{
    static struct house house;

    house.kv = kv_fault_new(kv_open_memory());
    assert_int_equal(registry_open(house.kv, &house.registry), ST_OK);
    *state = &house;
    return 0;
}

static int teardown(void **state)
{
    struct house *house = *state;

    registry_close(house->registry);
    kv_close(house->kv);
    return 0;
}

static void reopen(struct house *house)
{
    registry_close(house->registry);
    assert_int_equal(registry_open(house->kv, &house->registry), ST_OK);
}

/* NULL if the store refused the rows. */
static struct tenant *create(struct house *house, const char *id)
{
    struct kv_batch *batch = kv_batch_new(house->kv);
    struct tenant *tenant = registry_prepare(house->registry, slice_cstr(id), CREATED_MS, batch);
    enum status status = kv_write(house->kv, batch, true);

    kv_batch_free(batch);
    if (status == ST_OK) {
        registry_publish(house->registry, tenant);
        return tenant;
    }
    registry_discard(house->registry, tenant);
    return NULL;
}

static void a_new_store_has_no_tenants(void **state)
{
    struct house *house = *state;

    assert_int_equal(registry_count(house->registry), 0);
    assert_null(registry_find(house->registry, SLICE_LIT("acme")));
    assert_null(registry_find_number(house->registry, TENANT_NUMBER_SYSTEM));
    assert_int_equal(scope_tenant_number(registry_system_scope(house->registry)),
                     TENANT_NUMBER_SYSTEM);
}

static void a_tenant_is_found_by_id_and_by_number(void **state)
{
    struct house *house = *state;
    struct tenant *acme = create(house, "acme"), *beta = create(house, "creators.u42");

    assert_ptr_equal(registry_find(house->registry, SLICE_LIT("acme")), acme);
    assert_ptr_equal(registry_find(house->registry, SLICE_LIT("creators.u42")), beta);
    assert_ptr_equal(registry_find_number(house->registry, acme->number), acme);
    assert_int_not_equal(acme->number, beta->number);
    assert_int_not_equal(acme->number, TENANT_NUMBER_SYSTEM);
    assert_false(scope_same(acme->scope, beta->scope));
    assert_int_equal(scope_tenant_number(beta->scope), beta->number);
}

static void ids_are_compared_byte_for_byte(void **state)
{
    struct house *house = *state;

    (void)create(house, "acme");
    assert_null(registry_find(house->registry, SLICE_LIT("Acme")));
    assert_null(registry_find(house->registry, SLICE_LIT("acme ")));
    assert_null(registry_find(house->registry, SLICE_LIT("acm")));
    assert_null(registry_find(house->registry, SLICE_EMPTY));
}

static void tenants_survive_a_restart(void **state)
{
    struct house *house = *state;
    uint64_t number = create(house, "acme")->number;
    struct tenant *tenant;

    reopen(house);
    tenant = registry_find(house->registry, SLICE_LIT("acme"));
    assert_non_null(tenant);
    assert_int_equal(tenant->number, number);
    assert_true(tenant->created_ms == CREATED_MS);
    assert_int_equal(tenant->epoch, 1);
    assert_int_equal(tenant->status, TENANT_ACTIVE);
    assert_ptr_equal(registry_find_number(house->registry, number), tenant);
}

static void numbers_are_never_issued_again(void **state)
{
    struct house *house = *state;
    uint64_t last = create(house, "a")->number;

    for (const char *id = "bcdefgh"; *id != '\0'; id++) {
        char text[2] = {*id, '\0'};
        uint64_t number;

        if (*id == 'e')
            reopen(house);
        number = create(house, text)->number;
        assert_true(number > last);
        last = number;
    }
}

static void a_tenant_whose_rows_were_refused_does_not_exist(void **state)
{
    struct house *house = *state;

    kv_fault_arm(house->kv, 1, ST_NO_SPACE, KV_FAULT_ONCE);
    assert_null(create(house, "acme"));
    assert_null(registry_find(house->registry, SLICE_LIT("acme")));
    assert_non_null(create(house, "acme"));
    reopen(house);
    assert_int_equal(registry_count(house->registry), 1);
}

static void count_tenant(struct tenant *tenant, void *context)
{
    assert_non_null(tenant->scope);
    ++*(size_t *)context;
}

static void each_visits_every_tenant_once(void **state)
{
    struct house *house = *state;
    size_t count = 0;

    (void)create(house, "a");
    (void)create(house, "b");
    (void)create(house, "c");
    registry_each(house->registry, count_tenant, &count);
    assert_int_equal(count, 3);
    assert_int_equal(registry_count(house->registry), 3);
}

/* 63 characters on each side of the dot are the most. */
static void the_grammar_of_ids(void **state)
{
    static const char *const valid[] = {"a", "A-b_9", "-", "_", "ns.id", "9.9"};
    static const char *const invalid[] = {"",    ".",   "a.",  ".a",       "a..b", "a.b.c",
                                          "a b", "a/b", "a#b", "\xc3\xa4", "a\n"};
    char longest[63 + 1 + 63 + 1 + 1];

    (void)state;
    for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++)
        assert_true(tenant_id_valid(slice_cstr(valid[i])));
    for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
        assert_false(tenant_id_valid(slice_cstr(invalid[i])));
    assert_false(tenant_id_valid(slice_of("a\0b", 3)));
    memset(longest, 'x', sizeof(longest));
    assert_true(tenant_id_valid(slice_of(longest, 63)));
    assert_false(tenant_id_valid(slice_of(longest, 64)));
    longest[63] = '.';
    assert_true(tenant_id_valid(slice_of(longest, TENANT_ID_SIZE_BYTES_MAX)));
    assert_false(tenant_id_valid(slice_of(longest, TENANT_ID_SIZE_BYTES_MAX + 1)));
}

static int compare_accounts(const void *a, const void *b)
{
    return memcmp(a, b, 13);
}

static void accounts_have_twelve_digits_and_differ(void **state)
{
    static char accounts[20000][13];

    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        tenant_account_id(i + 1, accounts[i]);
        assert_int_equal(strspn(accounts[i], "0123456789"), 12);
        assert_int_equal(accounts[i][12], '\0');
    }
    qsort(accounts, 20000, sizeof(accounts[0]), compare_accounts);
    for (size_t i = 1; i < 20000; i++)
        assert_string_not_equal(accounts[i - 1], accounts[i]);
}

static void an_account_is_the_same_every_time(void **state)
{
    char one[13], two[13];

    (void)state;
    tenant_account_id(5, one);
    tenant_account_id(5, two);
    assert_string_equal(one, two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_new_store_has_no_tenants, setup, teardown),
        cmocka_unit_test_setup_teardown(a_tenant_is_found_by_id_and_by_number, setup, teardown),
        cmocka_unit_test_setup_teardown(ids_are_compared_byte_for_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(tenants_survive_a_restart, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_are_never_issued_again, setup, teardown),
        cmocka_unit_test_setup_teardown(a_tenant_whose_rows_were_refused_does_not_exist, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(each_visits_every_tenant_once, setup, teardown),
        cmocka_unit_test(the_grammar_of_ids),
        cmocka_unit_test(accounts_have_twelve_digits_and_differ),
        cmocka_unit_test(an_account_is_the_same_every_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

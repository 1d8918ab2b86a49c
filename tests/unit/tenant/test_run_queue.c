/* Tenants take turns, and within one the first to come is the first served. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "tenant/run_queue.h"

struct task {
    struct run_task run;
    uint64_t order; /* among its tenant's */
};

static int setup(void **state)
{
    *state = run_queue_new();
    return 0;
}

static int teardown(void **state)
{
    run_queue_free(*state);
    return 0;
}

static void push(struct run_queue *queue, struct task *task, uint64_t tenant, uint64_t order)
{
    task->run.tenant_number = tenant;
    task->order = order;
    run_queue_push(queue, &task->run);
}

static void expect_pop(struct run_queue *queue, uint64_t tenant, uint64_t order)
{
    struct task *task = (struct task *)(void *)run_queue_pop(queue);

    assert_non_null(task);
    assert_int_equal(task->run.tenant_number, tenant);
    assert_int_equal(task->order, order);
}

static void an_empty_queue_has_no_task(void **state)
{
    assert_null(run_queue_pop(*state));
    assert_int_equal(run_queue_count(*state), 0);
}

static void one_tenant_is_served_in_order(void **state)
{
    struct task tasks[3];

    for (uint64_t i = 0; i < 3; i++)
        push(*state, &tasks[i], 7, i);
    assert_int_equal(run_queue_count(*state), 3);
    for (uint64_t i = 0; i < 3; i++)
        expect_pop(*state, 7, i);
    assert_null(run_queue_pop(*state));
}

/* A tenant that queues a hundred tasks delays another's single one by one turn. */
static void a_crowd_of_one_tenant_delays_another_by_one_turn(void **state)
{
    struct task crowd[100], lone;

    for (uint64_t i = 0; i < 100; i++)
        push(*state, &crowd[i], 1, i);
    push(*state, &lone, 2, 0);
    expect_pop(*state, 1, 0);
    expect_pop(*state, 2, 0);
    for (uint64_t i = 1; i < 100; i++)
        expect_pop(*state, 1, i);
}

static void turns_go_round(void **state)
{
    struct task tasks[6];

    for (uint64_t i = 0; i < 6; i++)
        push(*state, &tasks[i], i / 2, i % 2);
    for (uint64_t order = 0; order < 2; order++)
        for (uint64_t tenant = 0; tenant < 3; tenant++)
            expect_pop(*state, tenant, order);
}

/* Joining again, a tenant stands at the back of the ring. */
static void a_tenant_that_comes_back_waits_for_its_turn(void **state)
{
    struct task tasks[4];

    push(*state, &tasks[0], 1, 0);
    push(*state, &tasks[1], 2, 0);
    push(*state, &tasks[2], 2, 1);
    expect_pop(*state, 1, 0);
    push(*state, &tasks[3], 1, 1);
    expect_pop(*state, 2, 0);
    expect_pop(*state, 1, 1);
    expect_pop(*state, 2, 1);
}

/* Whatever the order of pushes and pops, no task is lost and none overtakes its tenant's others. */
static void nothing_is_lost_among_many_tenants(void **state)
{
    static struct task tasks[2000];
    uint64_t pushed[300] = {0}, popped[300] = {0}, seed = 11;
    size_t next = 0, left = 2000;

    while (left > 0) {
        uint64_t tenant = random_seeded_next(&seed) % 300;

        if (next < 2000 && random_seeded_next(&seed) % 3 > 0) {
            push(*state, &tasks[next++], tenant, pushed[tenant]);
            pushed[tenant]++;
        } else if (run_queue_count(*state) > 0) {
            struct task *task = (struct task *)(void *)run_queue_pop(*state);

            assert_int_equal(task->order, popped[task->run.tenant_number]++);
            left--;
        }
        assert_int_equal(run_queue_count(*state), next - (2000 - left));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_empty_queue_has_no_task, setup, teardown),
        cmocka_unit_test_setup_teardown(one_tenant_is_served_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(a_crowd_of_one_tenant_delays_another_by_one_turn, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(turns_go_round, setup, teardown),
        cmocka_unit_test_setup_teardown(a_tenant_that_comes_back_waits_for_its_turn, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(nothing_is_lost_among_many_tenants, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

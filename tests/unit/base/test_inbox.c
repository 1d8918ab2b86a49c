/* Order, and that no wake-up is lost when many threads push while one takes. */
#include "base/inbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>

enum { SENDERS = 4, LETTERS_EACH = 20000 };

struct letter {
    struct inbox_node node; /* first: a node is its letter */
    int sender;
    int number;
};

struct sender {
    struct inbox *inbox;
    struct letter letters[LETTERS_EACH];
    int wake_ups;
};

static void nodes_come_out_in_the_order_of_their_pushes(void **state)
{
    struct inbox_node a, b, c;
    struct inbox_node *taken;
    struct inbox inbox;

    (void)state;
    inbox_init(&inbox);
    assert_true(inbox_is_empty(&inbox));
    assert_null(inbox_take_all(&inbox));
    assert_true(inbox_push(&inbox, &a));
    assert_false(inbox_push(&inbox, &b));
    assert_false(inbox_push(&inbox, &c));
    taken = inbox_take_all(&inbox);
    assert_ptr_equal(taken, &a);
    assert_ptr_equal(taken->next, &b);
    assert_ptr_equal(taken->next->next, &c);
    assert_null(c.next);
    assert_true(inbox_is_empty(&inbox));
    assert_true(inbox_push(&inbox, &a));
}

static void *send_all(void *context)
{
    struct sender *sender = context;

    for (int i = 0; i < LETTERS_EACH; i++)
        sender->wake_ups += inbox_push(sender->inbox, &sender->letters[i].node);
    return NULL;
}

/* Takes until all letters are there; each sender's come in its order. Counts takes with letters. */
static int receive_all(struct inbox *inbox)
{
    int expected[SENDERS] = {0};
    int received = 0;
    int takes = 0;

    while (received < SENDERS * LETTERS_EACH) {
        struct inbox_node *node = inbox_take_all(inbox);

        if (node == NULL)
            (void)sched_yield();
        else
            takes++;
        for (; node != NULL; node = node->next, received++) {
            struct letter *letter = (struct letter *)node;

            assert_int_equal(letter->number, expected[letter->sender]++);
        }
    }
    return takes;
}

static void of_the_pushes_between_two_takes_one_wakes(void **state)
{
    static struct sender senders[SENDERS];
    pthread_t threads[SENDERS];
    struct inbox inbox;
    int takes, wake_ups = 0;

    (void)state;
    inbox_init(&inbox);
    for (int s = 0; s < SENDERS; s++) {
        senders[s].inbox = &inbox;
        for (int i = 0; i < LETTERS_EACH; i++)
            senders[s].letters[i] = (struct letter){.sender = s, .number = i};
        assert_int_equal(pthread_create(&threads[s], NULL, send_all, &senders[s]), 0);
    }
    takes = receive_all(&inbox);
    for (int s = 0; s < SENDERS; s++) {
        assert_int_equal(pthread_join(threads[s], NULL), 0);
        wake_ups += senders[s].wake_ups;
    }
    assert_int_equal(wake_ups, takes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_come_out_in_the_order_of_their_pushes),
        cmocka_unit_test(of_the_pushes_between_two_takes_one_wakes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

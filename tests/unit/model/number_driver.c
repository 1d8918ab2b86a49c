/*
 * Answers questions about numbers, one a line, for number_oracle.py, which knows the answers from
 * another implementation. Fields are separated by tabs:
 *
 *   parse TAB text            fault, or: text, size and ordered form
 *   add TAB text TAB text     fault, or: text
 *   subtract TAB text TAB text
 *   compare TAB text TAB text the order of the numbers, and that of their ordered forms
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "model/number.h"

#define LINE_SIZE_BYTES_MAX 4096

static const char *const fault_names[] = {
    [NUMBER_SYNTAX] = "syntax",
    [NUMBER_OVERFLOW] = "overflow",
    [NUMBER_UNDERFLOW] = "underflow",
    [NUMBER_PRECISION] = "precision",
};

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

static struct slice ordered_form(const struct number *number, uint8_t *ret_bytes)
{
    size_t n = number_encode_ordered(number, ret_bytes);

    CHECK(n <= NUMBER_ORDERED_SIZE_MAX);
    return slice_of(ret_bytes, n);
}

/* The ordered form reads back as the number it came from, whatever stands behind it. */
static void check_round_trip(const struct number *number, struct slice ordered)
{
    uint8_t bytes[NUMBER_ORDERED_SIZE_MAX + 1];
    struct number back;
    size_t size_bytes;

    memcpy(bytes, ordered.p, ordered.n);
    bytes[ordered.n] = 0xff;
    CHECK(number_decode_ordered(slice_of(bytes, ordered.n + 1), &back, &size_bytes) == ST_OK);
    CHECK(size_bytes == ordered.n);
    CHECK(back.coefficient == number->coefficient && back.exponent == number->exponent);
    CHECK(back.negative == number->negative);
}

/* Texts and sizes come out the same whichever form of the number they are taken from. */
static void print_text(const struct number *number)
{
    char text[NUMBER_TEXT_SIZE_MAX], again[NUMBER_TEXT_SIZE_MAX];
    uint8_t bytes[NUMBER_ORDERED_SIZE_MAX];
    struct slice ordered = ordered_form(number, bytes);
    size_t n = number_format(number, text);

    CHECK(n <= sizeof(text));
    CHECK(slice_equal(slice_of(text, n), slice_of(again, number_format_ordered(ordered, again))));
    CHECK(number_size(number) == number_size_ordered(ordered));
    printf("%.*s", (int)n, text);
}

static void print_parsed(const struct number *number)
{
    uint8_t bytes[NUMBER_ORDERED_SIZE_MAX];
    struct slice ordered = ordered_form(number, bytes);

    check_round_trip(number, ordered);
    print_text(number);
    printf("\t%zu\t", number_size(number));
    for (size_t i = 0; i < ordered.n; i++)
        printf("%02x", ordered.p[i]);
    printf("\n");
}

static void print_order(const struct number *a, const struct number *b)
{
    uint8_t a_bytes[NUMBER_ORDERED_SIZE_MAX], b_bytes[NUMBER_ORDERED_SIZE_MAX];

    printf("%d\t%d\n", sign(number_compare(a, b)),
           sign(slice_compare(ordered_form(a, a_bytes), ordered_form(b, b_bytes))));
}

static void answer_pair(const char *question, const struct number *a, const struct number *b)
{
    struct number result;
    enum number_fault fault;

    if (strcmp(question, "compare") == 0) {
        print_order(a, b);
        return;
    }
    fault =
        strcmp(question, "add") == 0 ? number_add(a, b, &result) : number_subtract(a, b, &result);
    if (fault == NUMBER_FINE)
        print_text(&result);
    else
        printf("%s", fault_names[fault]);
    printf("\n");
}

static void answer(char *line)
{
    char *question = strsep(&line, "\t"), *a_text = strsep(&line, "\t");
    struct number a, b;
    enum number_fault fault = number_parse(slice_cstr(a_text), &a);

    if (strcmp(question, "parse") != 0) {
        CHECK(fault == NUMBER_FINE && number_parse(slice_cstr(line), &b) == NUMBER_FINE);
        answer_pair(question, &a, &b);
    } else if (fault == NUMBER_FINE) {
        print_parsed(&a);
    } else {
        printf("%s\n", fault_names[fault]);
    }
}

int main(void)
{
    static char line[LINE_SIZE_BYTES_MAX];

    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        answer(line);
    }
    return 0;
}

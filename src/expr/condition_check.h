/*
 * What DynamoDB demands of the operands of a condition, checked while it is parsed. Faults are
 * noted in the parser as FAULT_OPERANDS.
 */
#ifndef ROWHOUSE_EXPR_CONDITION_CHECK_H
#define ROWHOUSE_EXPR_CONDITION_CHECK_H

#include "expr/parser.h"

/* The operands of any test but a function: comparisons, BETWEEN, IN. */
void condition_check_operator(struct parser *parser, enum condition_kind kind,
                              const struct operand *operands, uint32_t count);
/* The operands of a function, whose number is right. */
void condition_check_function(struct parser *parser, enum condition_kind kind,
                              const struct operand *operands);
/* What size() is taken of. */
void condition_check_size(struct parser *parser, const struct operand *operand);
/* Notes that IN has more than IN_OPERANDS_MAX candidates. */
void condition_note_in_count(struct parser *parser, uint32_t count);
/* Whether a function has the right number of operands. */
bool condition_check_count(struct parser *parser, const char *function, uint32_t expected,
                           uint32_t count);

#endif

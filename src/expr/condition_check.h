/* What a condition's operands must be, checked while it is parsed. */
#ifndef ROWHOUSE_EXPR_CONDITION_CHECK_H
#define ROWHOUSE_EXPR_CONDITION_CHECK_H

#include "expr/lexer.h"

enum status MUST_CHECK check_function(struct parser *parser, const char *name,
                                      const struct condition *condition);
enum status MUST_CHECK check_comparison(struct parser *parser, const char *operator_text,
                                        const struct condition *condition);
enum status MUST_CHECK check_between(struct parser *parser, const struct condition *condition);
/* The first operand may not stand among the others. */
enum status MUST_CHECK check_distinct(struct parser *parser, const char *operator_text,
                                      const struct condition *condition);
/* size() of a value: always refused, for its type or for not being a path. */
enum status MUST_CHECK check_size_operand(struct parser *parser, struct value value);

#endif

/*
 * DynamoDB has been rewording its validation errors, region by region, since June 2026. Checks are
 * made once; this switch chooses how what they found is said.
 */
#ifndef ROWHOUSE_API_WORDING_H
#define ROWHOUSE_API_WORDING_H

/* How most faults of parameters begin, in both. */
#define INVALID_PARAMETERS "One or more parameter values were invalid: "

enum wording {
    WORDING_2026_10, /* the default: what most regions say since October 2026 */
    WORDING_2026_05,
};

#endif

/* What the files of the decoder share: the walk in progress. */
#ifndef ROWHOUSE_JSON_ATTRIBUTE_DECODER_H
#define ROWHOUSE_JSON_ATTRIBUTE_DECODER_H

#include "base/arena.h"
#include "base/error.h"
#include "model/value.h"
#include "json/json.h"

#define INVALID_PARAMETERS "One or more parameter values were invalid: "

/* Ends the walk where a JSON type is wrong; the words are found by attribute_check_types. */
#define WRONG_TYPE ST_INVALID

struct decoder {
    struct arena *arena;
    struct error *error;
    bool older; /* generation of words: see attribute_reword */
    struct value_writer writer;
};

/* Refuses what is larger than memory is meant for. */
enum status decoder_too_large(struct decoder *decoder);
/* Refuses a text that is no number, in the words of its fault. */
enum status decoder_refuse_number(struct decoder *decoder, enum number_fault fault,
                                  struct slice text);
enum status MUST_CHECK decoder_parse_number(struct decoder *decoder, struct slice text,
                                            struct number *ret_number);
/* The bytes of a base64 string, in the arena. */
enum status MUST_CHECK decoder_bytes(struct decoder *decoder, struct json content,
                                     struct slice *ret_bytes);
/* Writes an SS, NS or BS. */
enum status MUST_CHECK decoder_set(struct decoder *decoder, enum value_type type,
                                   struct json content);

#endif

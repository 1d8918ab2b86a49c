/*
 * The tables in memory, by tenant and name, read through from the store. Any thread reads; the
 * committer alone changes it.
 */
#ifndef ROWHOUSE_ENGINE_CATALOGUE_H
#define ROWHOUSE_ENGINE_CATALOGUE_H

#include "engine/table.h"
#include "store/kv.h"

struct catalogue;

/* Empty: tables are read when they are asked for. */
struct catalogue *catalogue_new(void);
/* Lets go of its references. */
void catalogue_free(struct catalogue *catalogue);
/* The newest version, with a reference for the caller; loads it on the first use. */
enum status MUST_CHECK catalogue_find(struct catalogue *catalogue, const struct scope *scope,
                                      struct slice name, struct table **ret_table);
/* Puts the version in the place of an older one (marked superseded). Takes a reference. */
void catalogue_publish(struct catalogue *catalogue, struct table *table);
/* Takes the table out and marks it superseded. */
void catalogue_remove(struct catalogue *catalogue, struct table *table);

#endif

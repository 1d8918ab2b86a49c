/*
 * The server's configuration: defaults, then a file (INI, read with inih), then the command line.
 *
 *   listen = 0.0.0.0:8000
 *   data = /var/lib/rowhouse
 *
 *   [access-key "AKIAEXAMPLE"]
 *   secret = ...
 *   tenant = acme          # or: operator = yes, or: application = yes
 *
 * One table (config.c) names every key once: how it is read, its default, and what the help says.
 */
#ifndef ROWHOUSE_SERVER_CONFIG_H
#define ROWHOUSE_SERVER_CONFIG_H

#include <stdio.h>

#include "api/wording.h"
#include "auth/principal.h"
#include "base/arena.h"
#include "base/status.h"

#define CONFIG_TEXT_SIZE_MAX 256
#define CONFIG_ACCESS_KEYS_MAX 10000

struct config_access_key {
    char *id;
    char *secret;
    enum principal_kind principal;
    char *tenant; /* of PRINCIPAL_TENANT */
};

struct config {
    char listen_host[CONFIG_TEXT_SIZE_MAX];
    uint16_t listen_port;
    char *data; /* unless in_memory */
    bool in_memory;
    unsigned thread_count;     /* event loops; 0: one per processor */
    unsigned reader_count;     /* threads for reads that miss the cache */
    uint64_t cache_size_bytes; /* block cache */
    char region[64];
    enum wording wording;
    bool development;
    bool any_address; /* development mode may listen on other addresses than loopback */
    struct config_access_key *access_keys;
    size_t access_key_count;
    struct arena arena; /* owns the strings */
};

/* The defaults: a development server. */
void config_init(struct config *config);
void config_deinit(struct config *config);
/* Reads the file. On failure a line that says where and what went to `errors`. */
enum status MUST_CHECK config_read(struct config *config, const char *path, FILE *errors);
/* Sets one key, as in the file. `ret_reason` says what is wrong with the value. */
enum status MUST_CHECK config_set(struct config *config, const char *key, const char *value,
                                  const char **ret_reason);
/* What cannot be checked key by key: addresses, keys without secrets. */
enum status MUST_CHECK config_check(const struct config *config, FILE *errors);

/* A key of the file, which is an option of the command line too. */
struct config_key {
    const char *name;
    const char
        *argument; /* what the help calls its value; NULL: yes or no, as an option a switch */
    const char *otherwise; /* the default; NULL: it depends, see the help */
    const char *help;
    enum status (*set)(struct config *config, const char *value, const char **ret_reason);
};
/* The keys in the order of the help; NULL past the end. */
const struct config_key *config_key_at(size_t index);

#endif

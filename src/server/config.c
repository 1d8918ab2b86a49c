/*
 * Reading the configuration. Each key has one row in one table; files, options and the help go
 * through it, so that none of them can know a key that another does not.
 */
#include "server/config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ini.h>
#include <strings.h>

#include "base/check.h"
#include "base/encode.h"
#include "base/memory.h"
#include "tenant/registry.h"

#define THREADS_MAX 256
#define READERS_MAX 64
#define CACHE_MB_MAX (1 << 30)

/* ---- Values ---- */

static enum status read_text(char *field, size_t size, const char *value, const char **ret_reason)
{
    size_t n = strlen(value);

    if (n == 0 || n >= size) {
        *ret_reason = "expected some text, not so long";
        return ST_INVALID;
    }
    memcpy(field, value, n + 1);
    return ST_OK;
}

static enum status read_number(const char *value, int64_t low, int64_t high, int64_t *ret_number,
                               const char **ret_reason)
{
    int64_t number;

    if (parse_int(slice_cstr(value), &number) != ST_OK || number < low || number > high) {
        *ret_reason = "expected a whole number in range";
        return ST_INVALID;
    }
    *ret_number = number;
    return ST_OK;
}

static enum status read_bool(const char *value, bool *ret_bool, const char **ret_reason)
{
    if (strcasecmp(value, "yes") == 0 || strcasecmp(value, "true") == 0) {
        *ret_bool = true;
        return ST_OK;
    }
    if (strcasecmp(value, "no") == 0 || strcasecmp(value, "false") == 0) {
        *ret_bool = false;
        return ST_OK;
    }
    *ret_reason = "expected yes or no";
    return ST_INVALID;
}

/* ---- Keys ---- */

static enum status set_listen(struct config *config, const char *value, const char **ret_reason)
{
    const char *colon = strrchr(value, ':');
    size_t host_size = colon == NULL ? 0 : (size_t)(colon - value);
    bool bracketed = host_size >= 2 && value[0] == '[' && colon[-1] == ']';
    int64_t port;

    *ret_reason = "expected ADDRESS:PORT, such as 127.0.0.1:8000 or [::1]:8000";
    if (host_size == 0 || host_size >= sizeof(config->listen_host) ||
        parse_int(slice_cstr(colon + 1), &port) != ST_OK || port > UINT16_MAX)
        return ST_INVALID;
    memcpy(config->listen_host, value + bracketed, host_size - 2u * bracketed);
    config->listen_host[host_size - 2u * bracketed] = '\0';
    config->listen_port = (uint16_t)port;
    return ST_OK;
}

static char *copy_text(struct config *config, const char *text)
{
    return (char *)(uintptr_t)arena_printf(&config->arena, "%s", text).p;
}

static enum status set_data(struct config *config, const char *value, const char **ret_reason)
{
    if (value[0] == '\0') {
        *ret_reason = "expected a folder";
        return ST_INVALID;
    }
    config->data = copy_text(config, value);
    return ST_OK;
}

static enum status set_in_memory(struct config *config, const char *value, const char **ret_reason)
{
    return read_bool(value, &config->in_memory, ret_reason);
}

static enum status set_threads(struct config *config, const char *value, const char **ret_reason)
{
    int64_t number;

    TRY(read_number(value, 1, THREADS_MAX, &number, ret_reason));
    config->thread_count = (unsigned)number;
    return ST_OK;
}

static enum status set_readers(struct config *config, const char *value, const char **ret_reason)
{
    int64_t number;

    TRY(read_number(value, 1, READERS_MAX, &number, ret_reason));
    config->reader_count = (unsigned)number;
    return ST_OK;
}

static enum status set_cache(struct config *config, const char *value, const char **ret_reason)
{
    int64_t number;

    TRY(read_number(value, 1, CACHE_MB_MAX, &number, ret_reason));
    config->cache_size_bytes = (uint64_t)number * 1024 * 1024;
    return ST_OK;
}

static enum status set_region(struct config *config, const char *value, const char **ret_reason)
{
    for (const char *p = value; *p != '\0'; p++) {
        if (strchr("abcdefghijklmnopqrstuvwxyz0123456789-", *p) == NULL) {
            *ret_reason = "expected small letters, digits and hyphens, such as eu-west-1";
            return ST_INVALID;
        }
    }
    return read_text(config->region, sizeof(config->region), value, ret_reason);
}

static enum status set_messages(struct config *config, const char *value, const char **ret_reason)
{
    *ret_reason = "expected 2026-10 or 2026-05";
    if (strcmp(value, "2026-10") == 0)
        config->wording = WORDING_2026_10;
    else if (strcmp(value, "2026-05") == 0)
        config->wording = WORDING_2026_05;
    else
        return ST_INVALID;
    return ST_OK;
}

static enum status set_development(struct config *config, const char *value,
                                   const char **ret_reason)
{
    return read_bool(value, &config->development, ret_reason);
}

static enum status set_any_address(struct config *config, const char *value,
                                   const char **ret_reason)
{
    return read_bool(value, &config->any_address, ret_reason);
}

static const struct config_key config_keys[] = {
    {"listen", "ADDRESS:PORT", "127.0.0.1:8000", "where to listen", set_listen},
    {"data", "DIR", "rowhouse-data", "folder of the store; created if missing", set_data},
    {"in-memory", NULL, "no", "keep everything in memory and lose it at the end", set_in_memory},
    {"threads", "N", NULL, "event loops; without it, one per processor", set_threads},
    {"readers", "N", "2", "threads for reads that miss the cache", set_readers},
    {"cache-mb", "N", "128", "block cache of the store, in MB", set_cache},
    {"region", "NAME", "us-east-1", "region in ARNs and in the health text", set_region},
    {"messages", "MONTH", "2026-10", "wording of validation errors: 2026-10 or 2026-05",
     set_messages},
    {"development", NULL, NULL,
     "take any access key id, unverified, as the tenant; so it is without --config",
     set_development},
    {"insecure-any-address", NULL, "no",
     "let development mode listen on other addresses than loopback", set_any_address},
};

#define CONFIG_KEY_COUNT (sizeof(config_keys) / sizeof(config_keys[0]))

const struct config_key *config_key_at(size_t index)
{
    return index < CONFIG_KEY_COUNT ? &config_keys[index] : NULL;
}

enum status config_set(struct config *config, const char *key, const char *value,
                       const char **ret_reason)
{
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++)
        if (strcmp(config_keys[i].name, key) == 0)
            return config_keys[i].set(config, value, ret_reason);
    *ret_reason = "unknown key";
    return ST_INVALID;
}

/* ---- Access keys ---- */

static struct config_access_key *access_key(struct config *config, const char *id)
{
    size_t count = config->access_key_count;

    if (count > 0 && strcmp(config->access_keys[count - 1].id, id) == 0)
        return &config->access_keys[count - 1];
    if (count == CONFIG_ACCESS_KEYS_MAX)
        return NULL;
    config->access_keys =
        mem_realloc(config->access_keys, (count + 1) * sizeof(config->access_keys[0]));
    config->access_keys[count] = (struct config_access_key){.id = copy_text(config, id)};
    config->access_key_count++;
    return &config->access_keys[count];
}

static enum status set_key_tenant(struct config *config, struct config_access_key *key,
                                  const char *value, const char **ret_reason)
{
    struct slice id = slice_cstr(value);

    if (!tenant_id_valid(id) || slice_equal(id, PRINCIPAL_OPERATOR_TENANT) ||
        slice_equal(id, PRINCIPAL_APPLICATION_TENANT)) {
        *ret_reason = "expected a tenant id: letters, digits, _ and -, at most 63";
        return ST_INVALID;
    }
    key->principal = PRINCIPAL_TENANT;
    key->tenant = copy_text(config, value);
    return ST_OK;
}

static enum status set_access_key(struct config *config, const char *id, const char *name,
                                  const char *value, const char **ret_reason)
{
    struct config_access_key *key = access_key(config, id);
    bool is_operator = strcmp(name, "operator") == 0;
    bool yes = false;

    if (key == NULL) {
        *ret_reason = "too many access keys";
        return ST_INVALID;
    }
    if (strcmp(name, "secret") == 0) {
        key->secret = copy_text(config, value);
        return ST_OK;
    }
    if (strcmp(name, "tenant") == 0)
        return set_key_tenant(config, key, value, ret_reason);
    if (!is_operator && strcmp(name, "application") != 0) {
        *ret_reason = "unknown key; expected secret, tenant, operator or application";
        return ST_INVALID;
    }
    TRY(read_bool(value, &yes, ret_reason));
    if (yes)
        key->principal = is_operator ? PRINCIPAL_OPERATOR : PRINCIPAL_APPLICATION;
    return ST_OK;
}

/* ---- The file ---- */

struct reading {
    struct config *config;
    const char *path;
    FILE *errors;
    bool failed;
};

/* access-key "ID" -> ID, in place. NULL if the section is another one. */
static char *access_key_id(char *section)
{
    static const char prefix[] = "access-key \"";
    size_t n = strlen(section);

    if (strncmp(section, prefix, sizeof(prefix) - 1) != 0 || n <= sizeof(prefix) ||
        section[n - 1] != '"')
        return NULL;
    section[n - 1] = '\0';
    return section + sizeof(prefix) - 1;
}

static enum status read_pair(struct config *config, const char *section, const char *name,
                             const char *value, const char **ret_reason)
{
    char copy[CONFIG_TEXT_SIZE_MAX];
    char *id;

    if (section[0] == '\0')
        return config_set(config, name, value, ret_reason);
    if (read_text(copy, sizeof(copy), section, ret_reason) != ST_OK)
        return ST_INVALID;
    id = access_key_id(copy);
    if (id == NULL) {
        *ret_reason = "unknown section; expected [access-key \"ID\"]";
        return ST_INVALID;
    }
    return set_access_key(config, id, name, value, ret_reason);
}

static int on_pair(void *context, const char *section, const char *name, const char *value)
{
    struct reading *reading = context;
    const char *reason = "";

    if (read_pair(reading->config, section, name, value, &reason) == ST_OK)
        return 1;
    (void)fprintf(reading->errors, "rowhouse: %s: %s%s%s%s = ...: %s\n", reading->path,
                  section[0] != '\0' ? "[" : "", section, section[0] != '\0' ? "] " : "", name,
                  reason);
    reading->failed = true;
    return 0;
}

enum status config_read(struct config *config, const char *path, FILE *errors)
{
    struct reading reading = {config, path, errors, false};
    int line;

    config->development = false;
    errno = 0;
    line = ini_parse(path, on_pair, &reading);
    if (line < 0) {
        (void)fprintf(errors, "rowhouse: cannot read %s: %m\n", path);
        return ST_IO;
    }
    if (line > 0 && !reading.failed)
        (void)fprintf(errors, "rowhouse: %s:%d: expected \"key = value\"\n", path, line);
    return line == 0 ? ST_OK : ST_INVALID;
}

void config_init(struct config *config)
{
    *config = (struct config){.development = true};
    arena_init(&config->arena, 0);
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
        const struct config_key *key = &config_keys[i];
        const char *reason;

        if (key->otherwise != NULL)
            CHECK(key->set(config, key->otherwise, &reason) == ST_OK);
    }
}

void config_deinit(struct config *config)
{
    mem_free(config->access_keys);
    arena_deinit(&config->arena);
}

static bool is_loopback(const char *host)
{
    struct in_addr four;
    struct in6_addr six;

    if (strcmp(host, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET, host, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, host, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static enum status check_access_key(const struct config_access_key *key, FILE *errors)
{
    if (key->secret == NULL || key->secret[0] == '\0') {
        (void)fprintf(errors, "rowhouse: [access-key \"%s\"] has no secret\n", key->id);
        return ST_INVALID;
    }
    if (key->principal == PRINCIPAL_TENANT && key->tenant == NULL) {
        (void)fprintf(errors,
                      "rowhouse: [access-key \"%s\"] names nobody; add tenant = ID, "
                      "operator = yes or application = yes\n",
                      key->id);
        return ST_INVALID;
    }
    return ST_OK;
}

enum status config_check(const struct config *config, FILE *errors)
{
    if (config->development && !config->any_address && !is_loopback(config->listen_host)) {
        (void)fprintf(errors,
                      "rowhouse: development mode verifies nobody and listens on loopback only, "
                      "not on %s; give it a --config with access keys, or --insecure-any-address\n",
                      config->listen_host);
        return ST_INVALID;
    }
    if (!config->development && config->access_key_count == 0) {
        (void)fprintf(errors, "rowhouse: the configuration has no [access-key \"ID\"]; nobody "
                              "could use the server\n");
        return ST_INVALID;
    }
    for (size_t i = 0; i < config->access_key_count; i++)
        TRY(check_access_key(&config->access_keys[i], errors));
    return ST_OK;
}

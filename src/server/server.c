/*
 * Starting and stopping.
 *
 * Start: store, engine, authenticator, listeners. Stop: listeners (which wait for the requests in
 * flight), then the engine (which finishes its commits), then the store.
 */
#include "server/server.h"

#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/dead.h"
#include "server/dispatch.h"
#include "store/kv.h"

#define STOP_DEADLINE_MS 10000

struct server {
    const struct config *config;
    struct dispatch_config dispatch;
    struct dead_set *dead;
    struct engine *engine;
    struct kv *store;
    struct http_server *http;
    char address[CONFIG_TEXT_SIZE_MAX + 16];
};

/* ---- The store ---- */

/* Refuses a folder that holds other things than a store, or than the beginnings of one: we would
 * scatter files among them. */
static enum status check_folder(const char *path, FILE *errors)
{
    DIR *folder = opendir(path);
    bool foreign = false, store = false;
    struct dirent *entry;

    if (folder == NULL && errno == ENOENT)
        return ST_OK;
    if (folder == NULL) {
        (void)fprintf(errors, "rowhouse: cannot read the data folder %s: %m\n", path);
        return ST_IO;
    }
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, "CURRENT") == 0)
            store = true;
        if (entry->d_name[0] != '.' && !kv_rocks_is_first_file(entry->d_name))
            foreign = true;
    }
    (void)closedir(folder);
    if (store || !foreign)
        return ST_OK;
    (void)fprintf(errors,
                  "rowhouse: %s is not empty and holds no store; give --data a folder of its own\n",
                  path);
    return ST_INVALID;
}

static enum status open_store(struct server *server, FILE *errors)
{
    struct kv_rocks_options options = {
        .path = server->config->data,
        .cache_size_bytes = server->config->cache_size_bytes,
        .is_dead = dead_set_has_row,
        .is_dead_context = server->dead,
    };
    const char *reason = "";
    enum status status;

    if (server->config->in_memory) {
        server->store = kv_open_memory();
        return ST_OK;
    }
    TRY(check_folder(options.path, errors));
    status = kv_open_rocks(&options, &server->store, &reason);
    if (status == ST_BUSY)
        (void)fprintf(errors, "rowhouse: the data folder %s is in use by another process\n",
                      options.path);
    else if (status != ST_OK)
        (void)fprintf(errors, "rowhouse: cannot open the store in %s: %s (%s)\n", options.path,
                      status_name(status), reason);
    return status;
}

/* The tenant whose slice the key's principal has as its own. */
static struct slice tenant_of(const struct config_access_key *key)
{
    switch (key->principal) {
    case PRINCIPAL_TENANT:
        return slice_cstr(key->tenant);
    case PRINCIPAL_APPLICATION:
        return PRINCIPAL_APPLICATION_TENANT;
    case PRINCIPAL_OPERATOR:
        return PRINCIPAL_OPERATOR_TENANT;
    }
    return SLICE_EMPTY;
}

static enum status open_engine(struct server *server, FILE *errors)
{
    const struct config *config = server->config;
    struct slice *tenants = mem_zalloc(config->access_key_count * sizeof(struct slice));
    struct engine_options options = {
        .store = server->store,
        .dead = server->dead,
        .clock = &clock_system,
        .reader_count = config->reader_count,
        .tenant_ids = tenants,
    };
    enum status status;

    for (size_t i = 0; i < config->access_key_count; i++) {
        tenants[options.tenant_count++] = tenant_of(&config->access_keys[i]);
    }
    status = engine_open(&options, &server->engine);
    mem_free(tenants);
    if (status == ST_VERSION)
        (void)fprintf(errors,
                      "rowhouse: the store in %s was written by a newer version of Rowhouse\n",
                      config->data);
    else if (status != ST_OK)
        (void)fprintf(errors, "rowhouse: cannot open the store: %s\n", status_name(status));
    return status;
}

/* ---- Authentication ---- */

static enum status add_access_keys(struct server *server, FILE *errors)
{
    const struct config *config = server->config;

    server->dispatch.authenticator = authenticator_new(config->development);
    for (size_t i = 0; i < config->access_key_count; i++) {
        const struct config_access_key *key = &config->access_keys[i];
        struct slice tenant = key->tenant == NULL ? SLICE_EMPTY : slice_cstr(key->tenant);

        if (authenticator_add_key(server->dispatch.authenticator, slice_cstr(key->id),
                                  slice_cstr(key->secret), key->principal, tenant) == ST_OK)
            continue;
        (void)fprintf(errors, "rowhouse: [access-key \"%s\"] is there twice or not a valid id\n",
                      key->id);
        return ST_INVALID;
    }
    return ST_OK;
}

/* ---- Listening ---- */

static void *loop_started(struct http_loop *loop, void *context)
{
    struct server *server = context;

    return dispatcher_new(&server->dispatch, loop);
}

static void loop_stopped(void *dispatcher)
{
    dispatcher_free(dispatcher);
}

static unsigned loop_count(const struct config *config)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (config->thread_count > 0)
        return config->thread_count;
    return processors < 1 ? 1 : (unsigned)processors;
}

static const char *const single_headers[] = {"x-amz-target",         "x-amz-date",
                                             "x-amz-content-sha256", "x-amz-security-token",
                                             "x-tenant-id",          NULL};

static void fill_http_options(struct server *server, struct http_options *options)
{
    http_options_init(options);
    options->listen_host = server->config->listen_host;
    options->port = server->config->listen_port;
    options->loop_count = loop_count(server->config);
    options->body_size_bytes_max = DISPATCH_BODY_SIZE_BYTES_MAX;
    options->single_headers = single_headers;
    options->context = server;
    options->callbacks = (struct http_callbacks){
        .on_loop_start = loop_started,
        .on_loop_stop = loop_stopped,
        .on_request = dispatch_request,
        .on_task = dispatch_task,
        .on_turn = dispatch_turn,
    };
}

static enum status start_listening(struct server *server, FILE *errors)
{
    struct http_options options;
    enum status status;

    server->dispatch.registry = engine_registry(server->engine);
    server->dispatch.api = (struct api_config){
        .engine = server->engine,
        .clock = &clock_system,
        .wording = server->config->wording,
        .development = server->config->development,
        .region = server->config->region,
        .address = server->address,
    };
    CHECK(snprintf(server->address, sizeof(server->address), "%s:%u", server->config->listen_host,
                   server->config->listen_port) < (int)sizeof(server->address));
    fill_http_options(server, &options);
    server->http = http_server_new(&options);
    status = http_server_start(server->http);
    if (status == ST_OK)
        return ST_OK;
    (void)fprintf(errors, "rowhouse: cannot listen on %s:%u: %s\n", server->config->listen_host,
                  server->config->listen_port,
                  status == ST_BUSY ? "the port is taken" : status_name(status));
    http_server_free(server->http);
    server->http = NULL;
    return status;
}

/* ---- Start and stop ---- */

/* A connection is a file: take as many as the system allows without asking. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        log_warning("cannot raise the limit of open files: %m");
}

static enum status start_parts(struct server *server, FILE *errors)
{
    TRY(open_store(server, errors));
    TRY(open_engine(server, errors));
    TRY(add_access_keys(server, errors));
    return start_listening(server, errors);
}

static void stop_parts(struct server *server)
{
    if (server->http != NULL)
        http_server_stop(server->http, STOP_DEADLINE_MS);
    http_server_free(server->http);
    if (server->dispatch.authenticator != NULL)
        authenticator_free(server->dispatch.authenticator);
    if (server->engine != NULL)
        engine_close(server->engine);
    if (server->store != NULL)
        kv_close(server->store);
    dead_set_free(server->dead);
    mem_free(server);
}

enum status server_start(const struct config *config, FILE *errors, struct server **ret_server)
{
    struct server *server = MEM_NEW(struct server);
    enum status status;

    raise_file_limit();
    server->config = config;
    server->dead = dead_set_new();
    status = start_parts(server, errors);
    if (status != ST_OK) {
        stop_parts(server);
        return status;
    }
    *ret_server = server;
    return ST_OK;
}

void server_stop(struct server *server)
{
    stop_parts(server);
}

uint16_t server_port(const struct server *server)
{
    return http_server_port(server->http);
}

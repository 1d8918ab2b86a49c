/* Memory is about 1.7 KB for each PutItem of 1 KB and 0.6 KB for each of the others. */
#include "workload.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/random.h"

#define BYTES_MAX ((size_t)1 << 30)
#define BODY_SIZE_BYTES_MAX 8192

static void init(struct workload *workload, const struct operation *operation, size_t count)
{
    CHECK(count > 0);
    buf_init(&workload->bytes, BYTES_MAX);
    workload->offsets = mem_zalloc((count + 1) * sizeof(workload->offsets[0]));
    workload->count = 0;
    workload->answer_size_bytes_min = operation->answer_size_bytes_min;
}

void workload_deinit(struct workload *workload)
{
    buf_deinit(&workload->bytes);
    mem_free(workload->offsets);
}

static void append_request(struct workload *workload, const struct operation *operation,
                           const struct endpoint *endpoint, const struct signer *signer,
                           struct slice body)
{
    struct slice host = slice_cstr(endpoint->authority);
    struct buf *bytes = &workload->bytes;
    char target[64];
    int target_size = snprintf(target, sizeof(target), "DynamoDB_20120810.%s", operation->target);

    CHECK(target_size > 0 && (size_t)target_size < sizeof(target));
    buf_printf(bytes,
               "POST / HTTP/1.1\r\n"
               "Host: %" PRISLICE "\r\n"
               "Content-Type: application/x-amz-json-1.0\r\n"
               "X-Amz-Target: %s\r\n"
               "Content-Length: %zu\r\n",
               SLICE_ARG(host), target, body.n);
    signer_append_headers(signer, host, slice_cstr(target), body, bytes);
    BUF_APPEND_LIT(bytes, "\r\n");
    buf_append_slice(bytes, body);
}

static void add(struct workload *workload, const struct operation *operation,
                const struct data_set *data_set, const struct endpoint *endpoint,
                const struct signer *signer, unsigned number, uint64_t version)
{
    struct buf body;

    buf_init(&body, BODY_SIZE_BYTES_MAX);
    operation->append_body(data_set, number, version, &body);
    CHECK(buf_status(&body) == ST_OK);
    append_request(workload, operation, endpoint, signer, buf_slice(&body));
    CHECK(buf_status(&workload->bytes) == ST_OK);
    workload->offsets[++workload->count] = workload->bytes.n;
    buf_deinit(&body);
}

void workload_init_all(struct workload *workload, const struct operation *operation,
                       const struct data_set *data_set, const struct endpoint *endpoint,
                       const struct signer *signer)
{
    unsigned count = operation->count(data_set);

    init(workload, operation, count);
    for (unsigned number = 0; number < count; number++)
        add(workload, operation, data_set, endpoint, signer, number, 0);
}

void workload_init_random(struct workload *workload, const struct operation *operation,
                          const struct data_set *data_set, const struct endpoint *endpoint,
                          const struct signer *signer, const struct random_choice *choice)
{
    unsigned choices = operation->count(data_set);
    size_t half = (choice->count + 1) / 2;

    CHECK(choice->version_first > 0);
    init(workload, operation, 2 * half);
    for (size_t i = 0; i < 2 * half; i++) {
        uint64_t state = (choice->seed << 32) + i % half;
        unsigned number = (unsigned)(random_seeded_next(&state) % choices);

        add(workload, operation, data_set, endpoint, signer, number, choice->version_first + i);
    }
}

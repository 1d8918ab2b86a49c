/*
 * The C API hides its structs, but two of them are thin: rocksdb_cache_t holds a shared_ptr, and
 * rocksdb_compactionfilter_t is a CompactionFilter of which the C API uses no more than that. This
 * file relies on both, and checks the first at run time.
 */
#include "store/rocks_extra.h"

#include <rocksdb/cache.h>
#include <rocksdb/compaction_filter.h>

#include <memory>
#include <string>

extern "C" {
#include "base/check.h"
}

struct rocksdb_cache_t {
    std::shared_ptr<rocksdb::Cache> rep;
};

extern "C" rocksdb_cache_t *rocks_cache_new(size_t capacity_bytes, size_t block_size_bytes)
{
    rocksdb::HyperClockCacheOptions options(capacity_bytes, block_size_bytes);
    rocksdb_cache_t *cache = rocksdb_cache_create_lru(0);

    cache->rep = options.MakeSharedCache();
    CHECK(rocksdb_cache_get_capacity(cache) == capacity_bytes);
    return cache;
}

struct rocks_filter final : public rocksdb::CompactionFilter {
    rocks_filter(rocks_filter_fn *wanted, void *argument) : function(wanted), context(argument)
    {
    }

    const char *Name() const override
    {
        return "rowhouse.dead";
    }

    Decision FilterV2(int, const rocksdb::Slice &key, ValueType, const rocksdb::Slice &,
                      std::string *, std::string *) const override
    {
        return Decide(key);
    }

    Decision FilterBlobByKey(int, const rocksdb::Slice &key, std::string *,
                             std::string *) const override
    {
        return Decide(key);
    }

  private:
    Decision Decide(const rocksdb::Slice &key) const
    {
        const uint8_t *bytes = reinterpret_cast<const uint8_t *>(key.data());

        return function(context, bytes, key.size()) ? Decision::kRemove : Decision::kKeep;
    }

    rocks_filter_fn *const function;
    void *const context;
};

extern "C" struct rocks_filter *rocks_filter_new(rocks_filter_fn *function, void *context,
                                                 rocksdb_options_t *options)
{
    rocks_filter *filter = new rocks_filter(function, context);
    rocksdb::CompactionFilter *base = filter;

    rocksdb_options_set_compaction_filter(options,
                                          reinterpret_cast<rocksdb_compactionfilter_t *>(base));
    return filter;
}

extern "C" void rocks_filter_free(struct rocks_filter *filter)
{
    delete filter;
}

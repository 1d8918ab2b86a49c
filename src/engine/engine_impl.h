/* The engine's inside, for the engine room alone. */
#ifndef ROWHOUSE_ENGINE_ENGINE_IMPL_H
#define ROWHOUSE_ENGINE_ENGINE_IMPL_H

#include "engine/catalogue.h"
#include "engine/committer.h"
#include "engine/dead.h"
#include "engine/engine.h"
#include "engine/pool.h"

struct engine {
    struct kv *store;
    const struct clock *clock;
    struct registry *registry;
    struct catalogue *catalogue;
    struct dead_set *dead;
    struct pool *pool;
    struct committer committer;
};

#endif

#include "db/standings/contender.h"

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/memory.h"
#include "common/text.h"

#include <inttypes.h>

void contender_clear(struct contender *contender)
{
    freep(&contender->workload);
    freep(&contender->engine);
    freep(&contender->configuration);
    freep(&contender->provider);
    freep(&contender->instance);
    freep(&contender->stratum);
    freep(&contender->older);
    freep(&contender->sources);
}

/* A name for URLs that does not depend on the order of insertion. */
static void name_contender(struct contender *contender)
{
    const char *const parts[] = {contender->workload,
                                 contender->engine,
                                 contender->configuration,
                                 contender->provider,
                                 contender->instance,
                                 contender->stratum,
                                 contender->is_published ? "published" : "measured"};
    uint64_t hash = 0;

    for (size_t i = 0; i < COUNT(parts); i++)
        hash = hash_step(hash, 0) + hash_text(HASH_START, parts[i]);
    snprintf(contender->id, sizeof contender->id, "%016" PRIx64, hash);
}

void contender_read_key(struct stmt *row, struct contender *contender)
{
    char **const texts[] = {&contender->workload, &contender->engine,   &contender->configuration,
                            &contender->provider, &contender->instance, &contender->stratum};

    contender->number = stmt_column_integer(row, 0);
    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = xstrdup(stmt_column_text(row, (int)i + 1));
    contender->is_published = stmt_column_integer(row, 7) != 0;
    name_contender(contender);
    configuration_read(contender->configuration, &contender->setup);
}

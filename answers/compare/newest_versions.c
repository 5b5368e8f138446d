#include "answers/compare/newest_versions.h"

#include "common/cleanup.h"

static size_t place_of(const struct newest_versions *newest, const char *engine)
{
    size_t at = 0;

    while (at < newest->count && strcmp(newest->list[at].engine, engine) != 0)
        at++;
    return at;
}

static void look_at(struct newest_versions *newest, const char *engine, const char *version)
{
    size_t at = place_of(newest, engine);

    /* A shortcut: most runs are of the newest version, and parsing versions is slow. */
    if (at < newest->count && strcmp(version, newest->list[at].version) != 0 &&
        run_version_order(version, newest->list[at].version) > 0)
        newest->list[at].version = version;
    if (at == newest->count && newest->count < COUNT(newest->list)) {
        newest->list[newest->count].engine = engine;
        newest->list[newest->count++].version = version;
    }
}

struct newest_versions newest_versions_find(const struct standings *standings)
{
    struct newest_versions newest = {.count = 0};

    for (size_t i = 0; i < standings->count; i++) {
        const struct contender *contender = &standings->list[i];

        if (contender->is_published || contender->standing.level == STANDING_NONE)
            continue;
        look_at(&newest, contender->engine, contender->version);
        for (size_t k = 0; k < contender->older_count; k++)
            look_at(&newest, contender->engine, contender->older[k].version);
    }
    return newest;
}

const char *newest_version_of(const struct newest_versions *newest, const char *engine)
{
    size_t at = place_of(newest, engine);

    return at < newest->count ? newest->list[at].version : NULL;
}

bool newest_version_is_newer(const struct newest_versions *newest, const char *engine,
                             const char *version)
{
    const char *other = newest_version_of(newest, engine);

    return other && version[0] && run_version_order(version, other) < 0;
}

#include "pricing/feeds/coverage.h"

#include "common/hash.h"
#include "pricing/instance_family.h"

#include <assert.h>

struct group {
    uint64_t name; /* its hash */
    size_t before, common;
};

static uint64_t name_of(const char *what, const struct price *price, const char *name)
{
    return hash_part(hash_part(hash_part(HASH_START, what), price->provider), name);
}

void coverage_names_of(const struct price *price, struct coverage_names *ret_names)
{
    bool committed = price->kind >= PRICE_COMMITTED;
    char family[INSTANCE_SIZE];

    instance_family(price->instance_type, family);
    ret_names->names[0] =
        name_of(committed ? "committed region" : "region", price, price->region);
    ret_names->names[1] = name_of(committed ? "committed family" : "family", price, family);
    ret_names->names[2] = name_of("kind", price, price_kind_name(price->kind));
}

void coverage_count(struct coverage *coverage, const struct coverage_names *names, bool has)
{
    for (size_t i = 0; i < COVERAGE_GROUPS; i++) {
        struct group *group = table_add(&coverage->groups, names->names[i], sizeof *group);

        group->before++;
        group->common += has;
        assert(group->common <= group->before);
    }
}

bool coverage_is_lost(const struct coverage *coverage, const struct coverage_names *names)
{
    for (size_t i = 0; i < COVERAGE_GROUPS; i++) {
        const struct group *group = table_find(&coverage->groups, names->names[i]);

        if (group && group->before - group->common > COVERAGE_FEW &&
            group->common * 2 < group->before)
            return true;
    }
    return false;
}

void coverage_free(struct coverage *coverage)
{
    table_free(&coverage->groups);
}

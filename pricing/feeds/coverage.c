#include "pricing/feeds/coverage.h"

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/memory.h"
#include "pricing/instance_family.h"

#define SIZE_MIN 64

static uint64_t name_of(const char *what, const struct price *price, const char *name)
{
    uint64_t hash = hash_part(hash_part(hash_part(HASH_START, what), price->provider), name);

    return hash ? hash : 1;
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

/* The place of a group, or the free one where it belongs. */
static struct coverage_group *find(const struct coverage *coverage, uint64_t name)
{
    size_t mask = coverage->size - 1, place = (size_t)name & mask;

    while (coverage->groups[place].name && coverage->groups[place].name != name)
        place = (place + 1) & mask;
    return &coverage->groups[place];
}

static void grow(struct coverage *coverage)
{
    struct coverage larger = {.size = coverage->size ? coverage->size * 2 : SIZE_MIN,
                              .count = coverage->count};

    if (coverage->size > 0 && (coverage->count + COVERAGE_GROUPS) * 2 < coverage->size)
        return;
    larger.groups = xcalloc(larger.size, sizeof *larger.groups);
    for (size_t i = 0; i < coverage->size; i++)
        if (coverage->groups[i].name)
            *find(&larger, coverage->groups[i].name) = coverage->groups[i];
    coverage_free(coverage);
    *coverage = larger;
}

void coverage_count(struct coverage *coverage, const struct coverage_names *names, bool has)
{
    grow(coverage);
    for (size_t i = 0; i < COVERAGE_GROUPS; i++) {
        struct coverage_group *group = find(coverage, names->names[i]);

        coverage->count += group->name == 0;
        group->name = names->names[i];
        group->before++;
        group->common += has;
    }
}

bool coverage_is_lost(const struct coverage *coverage, const struct coverage_names *names)
{
    for (size_t i = 0; coverage->size > 0 && i < COVERAGE_GROUPS; i++) {
        const struct coverage_group *group = find(coverage, names->names[i]);

        if (group->before - group->common > COVERAGE_FEW && group->common * 2 < group->before)
            return true;
    }
    return false;
}

void coverage_free(struct coverage *coverage)
{
    freep(&coverage->groups);
    *coverage = (struct coverage){0};
}

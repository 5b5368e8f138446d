/* Tested by tests/api/test_priced_where_measured.py and
 * tests/faults/allocation_comparison_test.c. */
#include "server/compare/homes.h"

#include "common/cleanup.h"

struct home {
    char region[REGION_SIZE], instance[INSTANCE_SIZE];
    struct offers offers; /* of that type alone */
};

static void home_free(struct home *home)
{
    if (home)
        offers_free(&home->offers);
    free(home);
}

void homes_free(struct homes *homes)
{
    for (size_t i = 0; i < homes->count; i++)
        home_free(homes->list[i]);
    freep(&homes->list);
    homes->count = 0;
}

const char *home_region(const struct offers_question *question, const struct contender *contender)
{
    const char *region = contender->newest.region, *first = question->regions[0];

    if (!question->at_home || contender->is_published || !*region || !contender->instance[0] ||
        (first && strcmp(first, region) == 0))
        return NULL;
    return region;
}

struct home_name {
    const char *region, *instance;
};

static int compare_names(const struct home_name *left, const struct home_name *right)
{
    int order = strcmp(left->region, right->region);

    return order != 0 ? order : strcmp(left->instance, right->instance);
}

static int by_name(const void *key, const void *element)
{
    const struct home *home = *(struct home *const *)element;

    return compare_names(key, &(struct home_name){home->region, home->instance});
}

static int by_names(const void *left, const void *right)
{
    const struct home_name *l = left, *r = right;

    return compare_names(l, r);
}

static int by_homes(const void *left, const void *right)
{
    const struct home *home = *(struct home *const *)left;

    return by_name(&(struct home_name){home->region, home->instance}, right);
}

static struct home *find(const struct homes *homes, const struct home_name *name)
{
    struct home **found =
        homes->count > 0 ? bsearch(name, homes->list, homes->count, sizeof *homes->list, by_name)
                         : NULL;

    return found ? *found : NULL;
}

const struct offer *homes_find(const struct homes *homes, const char *region,
                               const struct contender *contender)
{
    const struct home *home = find(homes, &(struct home_name){region, contender->instance});

    return home ? offers_find(&home->offers, contender->provider, contender->instance) : NULL;
}

/* The names that are not known yet, each once; NULL when memory ends. */
static struct home_name *list_missing(const struct offers_question *question,
                                      const struct standings *standings,
                                      const struct homes *known, size_t *ret_count)
{
    struct home_name *names = calloc(standings->count + 1, sizeof *names);
    size_t count = 0, kept = 0;

    *ret_count = 0;
    for (size_t i = 0; names && i < standings->count; i++) {
        const struct contender *contender = &standings->list[i];
        const struct home_name name = {home_region(question, contender), contender->instance};

        if (name.region && !find(known, &name))
            names[count++] = name;
    }
    if (count > 0)
        qsort(names, count, sizeof *names, by_names);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || compare_names(&names[kept - 1], &names[i]) != 0)
            names[kept++] = names[i];
    *ret_count = kept;
    return names;
}

static struct home *load(struct db *db, const struct offers_question *question,
                         const struct home_name *name, struct error *err)
{
    const struct offers_question here = {.regions = {name->region},
                                         .instance = name->instance,
                                         .zone = question->zone,
                                         .at_us = question->at_us,
                                         .is_now = question->is_now};
    struct home *home = calloc(1, sizeof *home);

    if (!home) {
        error_no_memory(err);
        return NULL;
    }
    snprintf(home->region, sizeof home->region, "%s", name->region);
    snprintf(home->instance, sizeof home->instance, "%s", name->instance);
    if (!offers_load(db, &here, &home->offers, err)) {
        free(home);
        return NULL;
    }
    return home;
}

bool homes_complete(struct db *db, const struct offers_question *question,
                    const struct standings *standings, const struct homes *known,
                    struct homes *ret_homes, struct error *err)
{
    size_t missing;
    AUTO(freep) struct home_name *names = list_missing(question, standings, known, &missing);
    struct homes homes = {.list = calloc(known->count + missing + 1, sizeof *homes.list)};

    if (!names || !homes.list) {
        freep(&homes.list);
        return error_no_memory(err);
    }
    for (size_t i = 0; i < missing; i++) {
        struct home *home = load(db, question, &names[i], err);

        if (!home) {
            homes_free(&homes);
            return false;
        }
        homes.list[homes.count++] = home;
    }
    for (size_t i = 0; i < known->count; i++)
        homes.list[homes.count++] = known->list[i];
    if (homes.count > 0)
        qsort(homes.list, homes.count, sizeof *homes.list, by_homes);
    *ret_homes = homes;
    return true;
}

void homes_take(struct homes *homes, struct homes *completed)
{
    freep(&homes->list);
    *homes = *completed;
    *completed = (struct homes){0};
}

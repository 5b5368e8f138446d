/* Tested by tests/api/test_priced_where_measured.py. */
#include "answers/compare/homes.h"

#include "common/cleanup.h"
#include "common/memory.h"

#include <assert.h>

struct home {
    char region[REGION_SIZE], instance[INSTANCE_SIZE];
    struct offers offers; /* of that type */
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

static int compare_names(const struct offers_place *left, const struct offers_place *right)
{
    int order = strcmp(left->region, right->region);

    return order != 0 ? order : strcmp(left->instance, right->instance);
}

static int by_name(const void *key, const void *element)
{
    const struct home *home = *(struct home *const *)element;

    return compare_names(key, &(struct offers_place){home->region, home->instance});
}

static int by_names(const void *left, const void *right)
{
    const struct offers_place *l = left, *r = right;

    return compare_names(l, r);
}

static int by_homes(const void *left, const void *right)
{
    const struct home *home = *(struct home *const *)left;

    return by_name(&(struct offers_place){home->region, home->instance}, right);
}

static struct home *homes_search(const struct homes *homes, const struct offers_place *name)
{
    struct home **found =
        homes->count > 0 ? bsearch(name, homes->list, homes->count, sizeof *homes->list, by_name)
                         : NULL;

    return found ? *found : NULL;
}

const struct offer *homes_find(const struct homes *homes, const char *region,
                               const struct contender *contender)
{
    const struct home *home =
        homes_search(homes, &(struct offers_place){region, contender->instance});

    return home ? offers_find(&home->offers, contender->provider, contender->instance) : NULL;
}

/* The unknown names, each once. */
static struct offers_place *list_missing(const struct offers_question *question,
                                         const struct standings *standings,
                                         const struct homes *known, size_t *ret_count)
{
    struct offers_place *names = xcalloc(standings->count, sizeof *names);
    size_t count = 0, kept = 0;

    *ret_count = 0;
    for (size_t i = 0; i < standings->count; i++) {
        const struct contender *contender = &standings->list[i];
        const struct offers_place name = {home_region(question, contender), contender->instance};

        if (name.region && !homes_search(known, &name))
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

/* A home for each place, in the order of the list; NULL when that fails. */
static struct offers *homes_load(struct db *db, const struct offers_question *question,
                                 const struct offers_place *places, size_t count,
                                 struct error *err)
{
    struct offers *lists = xcalloc(count, sizeof *lists);

    if (offers_load_places(db, question, places, count, lists, err))
        return lists;
    for (size_t i = 0; i < count; i++)
        offers_free(&lists[i]);
    free(lists);
    return NULL;
}

/* Takes the offers over, one by one. */
static void add_homes(struct homes *homes, const struct offers_place *places, size_t count,
                      struct offers *lists)
{
    for (size_t i = 0; i < count; i++) {
        struct home *home = xcalloc(1, sizeof *home);

        snprintf(home->region, sizeof home->region, "%s", places[i].region);
        snprintf(home->instance, sizeof home->instance, "%s", places[i].instance);
        home->offers = lists[i];
        homes->list[homes->count++] = home;
    }
}

bool homes_complete(struct db *db, const struct offers_question *question,
                    const struct standings *standings, const struct homes *known,
                    struct homes *ret_homes, struct error *err)
{
    size_t missing;
    AUTO(freep)
    struct offers_place *places = list_missing(question, standings, known, &missing);
    AUTO(freep) struct offers *lists = homes_load(db, question, places, missing, err);
    struct homes homes = {0};

    if (!lists)
        return false;
    homes.list = xcalloc(known->count + missing, sizeof *homes.list);
    add_homes(&homes, places, missing, lists);
    for (size_t i = 0; i < known->count; i++)
        homes.list[homes.count++] = known->list[i];
    assert(homes.count == known->count + missing);
    if (homes.count > 0)
        qsort(homes.list, homes.count, sizeof *homes.list, by_homes);
    *ret_homes = homes;
    return true;
}

void homes_take(struct homes *homes, struct homes *completed)
{
    assert(completed->count >= homes->count); /* loans point to those that were known */
    freep(&homes->list);
    *homes = *completed;
    *completed = (struct homes){0};
}

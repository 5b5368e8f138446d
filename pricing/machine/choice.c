#include "pricing/machine/choice.h"

#include "pricing/feeds/source.h"

#include <stdio.h>
#include <string.h>

#define FEEDS 100 /* more than there are */
#define MACHINE "machine-"

void price_name_of_machine(const char *vm, const char *stratum, char ret_name[INSTANCE_SIZE])
{
    const char *which = *vm ? vm : stratum;

    snprintf(ret_name, INSTANCE_SIZE, "%s%s", *which ? MACHINE : "", which);
}

bool price_is_of_machine(const char *name)
{
    return strncmp(name, MACHINE, strlen(MACHINE)) == 0;
}

/* A typed price may leave its place open; a row of a file its region. */
static bool choice_agrees(const char *said, const char *is, bool may_be_open)
{
    return strcmp(said, is) == 0 || (may_be_open && !*said);
}

int feed_rank(const char *name)
{
    int rank = FEEDS;

    for (const struct source *const *source = sources; *source; source++, rank--)
        if (strcmp((*source)->name, name) == 0)
            return rank;
    return 0;
}

static bool is_typed(const struct price *price)
{
    return price->kind == PRICE_TYPED || price->kind == PRICE_OWN;
}

static bool is_of_zone(const struct price *price, const struct identity *identity)
{
    return price->zone[0] && (strcmp(price->zone, identity->zone) == 0 ||
                              strcmp(price->zone, identity->zone_id) == 0);
}

enum price_fit price_fit(const struct price *price, const struct identity *identity)
{
    bool typed = is_typed(price), of_file = strcmp(price->feed, PRICE_FILE_FEED) == 0;

    if (!identity->instance_type[0] || strcmp(price->feed, PUBLISHED_FEED) == 0 ||
        strcmp(price->instance_type, identity->instance_type) != 0)
        return PRICE_OF_OTHER_TYPE;
    if (!choice_agrees(price->provider, identity->provider, typed))
        return PRICE_OF_OTHER_PROVIDER;
    if (!choice_agrees(price->region, identity->region, typed || of_file))
        return PRICE_OF_OTHER_REGION;
    if (price->zone[0] && !is_of_zone(price, identity))
        return PRICE_OF_OTHER_ZONE;
    if (!typed && strcmp(price_kind_names[price->kind], identity->life_cycle) != 0)
        return identity->life_cycle[0] ? PRICE_OF_OTHER_KIND : PRICE_OF_UNKNOWN_KIND;
    if (!typed && identity->terms[0])
        return PRICE_OF_OTHER_TERMS;
    return strcmp(price->currency, "USD") == 0 ? PRICE_FITS : PRICE_IN_OTHER_CURRENCY;
}

int price_rank(const struct price *price, const struct identity *identity)
{
    if (price_fit(price, identity) != PRICE_FITS)
        return 0;
    return is_typed(price) * 8 * FEEDS + is_of_zone(price, identity) * 4 * FEEDS +
           (price->provider[0] && price->region[0]) * 2 * FEEDS + feed_rank(price->feed) + 1;
}

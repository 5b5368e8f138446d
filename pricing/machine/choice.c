#include "pricing/machine/choice.h"

#include "pricing/feeds/source.h"

#include <string.h>

#define FEEDS 100 /* more than there are */

/* What a person typed may leave out where it is about. */
static bool agrees(const char *said, const char *is, bool may_be_open)
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

int price_rank(const struct price *price, const struct identity *identity)
{
    bool typed = price->kind == PRICE_TYPED || price->kind == PRICE_OWN;
    bool of_zone = price->zone[0] && (strcmp(price->zone, identity->zone) == 0 ||
                                      strcmp(price->zone, identity->zone_id) == 0);

    if (!identity->instance_type[0] || strcmp(price->feed, PUBLISHED_FEED) == 0 ||
        strcmp(price->instance_type, identity->instance_type) != 0 ||
        !agrees(price->provider, identity->provider, typed) ||
        !agrees(price->region, identity->region, typed) || (price->zone[0] && !of_zone))
        return 0;
    if (!typed &&
        (identity->terms[0] || strcmp(price_kind_names[price->kind], identity->life_cycle) != 0))
        return 0;
    return typed * 4 * FEEDS + of_zone * 2 * FEEDS + feed_rank(price->feed) + 1;
}

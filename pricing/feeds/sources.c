#include "pricing/feeds/sources.h"

#include "common/clock.h"

#include <string.h>

const struct source *const sources[] = {
    &price_file,
    &aws_spot_history,
    &aws_spot_page,
    &aws_products,
    &aws_offer,
    &aws_offer_csv,
    &aws_on_demand_page,
    &aws_spot_advisor,
    &aws_savings_plan,
    &azure_retail,
    &gcp_catalog,
    &gcp_pricelist,
    NULL,
};

const struct source *source_find(const char *name)
{
    for (const struct source *const *source = sources; *source; source++)
        if (strcmp((*source)->name, name) == 0)
            return *source;
    return NULL;
}

const char *source_name(size_t place)
{
    return sources[place] ? sources[place]->name : NULL;
}

long long source_pace_us(const char *name)
{
    const struct source *source = source_find(name);

    return source ? source->pace_seconds * US_PER_SECOND : 0;
}

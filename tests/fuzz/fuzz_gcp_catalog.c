/* Property: walks.h holds. A price is of a type that we know, in a region, and within what its
 * cores and its memory may cost. */
#include "pricing/feeds/gcp/gcp_types.h"
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

static void check_price(const struct price *price)
{
    struct gcp_type type;
    bool known = false;

    for (size_t place = 0; !known && gcp_type_at(place, &type); place++)
        known = strcmp(type.name, price->instance_type) == 0;
    ALWAYS(known && gcp_is_region(price->region));
    /* Five dollars a core, one a GiB, fifty a GPU. */
    ALWAYS(price->nanos <=
           1000000000LL * (5 * type.vcpus + type.centi_gib / 100 + 1 + 16 * 50 + 36000));
    ALWAYS(price->reference[0]);
}

FUZZ_WALKS(gcp_catalog, "", "", .check = check_price)

/* Tested by tests/pricing/feeds/gcp/gcp_catalog_test.c. */
#include "pricing/feeds/gcp/gcp_rates.h"

#include "common/cleanup.h"
#include "common/memory.h"

enum usage { ON_DEMAND, SPOT, COMMITTED_1Y, COMMITTED_3Y, USAGES };
static const enum price_kind kinds[USAGES] = {[ON_DEMAND] = PRICE_ON_DEMAND,
                                              [SPOT] = PRICE_SPOT,
                                              [COMMITTED_1Y] = PRICE_COMMITTED_USE_1Y,
                                              [COMMITTED_3Y] = PRICE_COMMITTED_USE_3Y};

static enum usage usage_of(const struct gcp_component *component)
{
    if (component->years > 0)
        return component->years == 1 ? COMMITTED_1Y : COMMITTED_3Y;
    return component->spot ? SPOT : ON_DEMAND;
}

struct cell {
    struct gcp_rate rate; /* nanos 0: not known */
    bool spoiled;
};

struct region {
    char name[40];
    struct cell cells[GCP_FAMILIES][USAGES][GCP_PARTS]; /* by family, usage, part */
};

struct gcp_rates {
    struct region *regions;
    size_t count, room;
    long long ambiguous;
};

struct gcp_rates *gcp_rates_new(void)
{
    return xcalloc(1, sizeof(struct gcp_rates));
}

void gcp_rates_free(struct gcp_rates *rates)
{
    if (rates)
        free(rates->regions);
    free(rates);
}

static struct region *add_region(struct gcp_rates *rates, const char *name, struct error *err)
{
    struct region *region;

    if (rates->count == GCP_REGIONS_MAX) {
        error_set(err, ERROR_UPSTREAM, NULL, "there are more than %d regions", GCP_REGIONS_MAX);
        return NULL;
    }
    rates->regions = xgrow(rates->regions, rates->count, &rates->room, sizeof *rates->regions);
    region = &rates->regions[rates->count++];
    memset(region, 0, sizeof *region);
    snprintf(region->name, sizeof region->name, "%s", name);
    return region;
}

static struct region *find_region(struct gcp_rates *rates, const char *name, struct error *err)
{
    for (size_t i = 0; i < rates->count; i++)
        if (strcmp(rates->regions[i].name, name) == 0)
            return &rates->regions[i];
    return add_region(rates, name, err);
}

bool gcp_rates_add(struct gcp_rates *rates, const char *region,
                   const struct gcp_component *component, const struct gcp_rate *rate,
                   struct error *err)
{
    struct region *place = find_region(rates, region, err);
    struct cell *cell;

    if (!place)
        return false;
    cell = &place->cells[component->family][usage_of(component)][component->part];
    if (!cell->spoiled && cell->rate.nanos == 0 && rate->nanos > 0) {
        cell->rate = *rate;
    } else if (cell->spoiled || rate->nanos == 0 || cell->rate.nanos != rate->nanos ||
               cell->rate.monthly != rate->monthly) {
        /* The first rate is dropped too. */
        rates->ambiguous += (cell->rate.nanos > 0) + (rate->nanos > 0);
        cell->rate.nanos = 0;
        cell->spoiled = true;
    }
    return true;
}

/* The sum of all parts, in nanos for an hour; exact except that the last digit is rounded half
 * up. 0 if a part is unknown. */
static long long nanos_of(const struct region *region, const struct gcp_type *type,
                          enum usage usage)
{
    long long sum = 0; /* in hundredths of nanos for a month */

    for (size_t i = 0; i < type->count; i++) {
        const struct gcp_item *item = &type->items[i];
        const struct gcp_rate *rate = &region->cells[item->family][usage][item->part].rate;

        if (rate->nanos == 0)
            return 0;
        sum += item->centi * rate->nanos * (rate->monthly ? 1 : GCP_MONTH_HOURS);
    }
    return (sum + 50 * GCP_MONTH_HOURS) / (100 * GCP_MONTH_HOURS);
}

/* Adds up the entries of the price; it is valid since the youngest of them. */
static void rates_describe(const struct region *region, const struct gcp_type *type,
                           enum usage usage, struct price *price)
{
    size_t used = 0;

    for (size_t i = 0; i < type->count && used < sizeof price->reference; i++) {
        const struct gcp_item *item = &type->items[i];
        const struct gcp_rate *rate = &region->cells[item->family][usage][item->part].rate;

        used += (size_t)snprintf(price->reference + used, sizeof price->reference - used, "%s%s",
                                 i > 0 ? "+" : "", rate->sku);
        if (rate->since_us > price->source_us)
            price->source_us = rate->since_us;
    }
}

static void add_type(const struct gcp_type *type, struct price_batch *batch)
{
    struct instance_type described = {
        .provider = "gcp", .vcpus = type->vcpus, .memory_gib = (double)type->centi_gib / 100.0};

    snprintf(described.name, sizeof described.name, "%s", type->name);
    snprintf(described.architecture, sizeof described.architecture, "%s",
             gcp_architecture(type->family));
    snprintf(described.accelerator, sizeof described.accelerator, "%s", type->accelerator);
    price_batch_add_type(batch, &described);
}

static bool add_price(const struct region *region, const struct gcp_type *type, enum usage usage,
                      struct price_batch *batch, struct error *err)
{
    long long nanos = nanos_of(region, type, usage);
    struct price price = {.provider = "gcp", .currency = "USD", .kind = kinds[usage]};
    char text[PRICE_TEXT_SIZE];

    if (nanos == 0)
        return true;
    price_write_nanos(nanos, text);
    if (!PRICE_WORD(price.region, region->name) || !PRICE_WORD(price.instance_type, type->name) ||
        !price_set(&price, text)) {
        price_batch_facts(batch)->tally.malformed++;
        return true;
    }
    rates_describe(region, type, usage, &price);
    if (!price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, err))
        return false;
    add_type(type, batch);
    return true;
}

bool gcp_rates_price(const struct gcp_rates *rates, struct price_batch *batch, struct error *err)
{
    struct gcp_type type;

    price_batch_facts(batch)->tally.ambiguous += rates->ambiguous;
    for (size_t place = 0; gcp_type_at(place, &type); place++)
        for (size_t i = 0; i < rates->count; i++)
            for (int usage = 0; usage < USAGES; usage++)
                if (!add_price(&rates->regions[i], &type, (enum usage)usage, batch, err))
                    return false;
    return true;
}

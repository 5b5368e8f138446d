#include "pricing/feeds/list_prices.h"

#include "common/cleanup.h"

#include <string.h>

/* Public on-demand list prices, Linux, in regions among the cheapest of their provider. They are
 * facts of their day: a real price change only delays a first reading by an hour. */
static const struct list_price {
    const char *provider, *region, *instance_type;
    const char *text; /* dollars an hour */
    long long nanos;
    const char *day; /* when it was published so */
} listed_prices[] = {
    {"aws", "us-east-1", "c7i.2xlarge", "0.357", 357000000, "2026-08-06"},
    {"aws", "us-east-1", "g5.2xlarge", "1.212", 1212000000, "2026-08-06"},
    /* 64 and 96 times $0.031611 of a core, and 57.6 and 86.4 times $0.004237 of a GiB */
    {"gcp", "us-central1", "n1-highcpu-64", "2.267155", 2267155200, "2026-08-01"},
    {"gcp", "us-central1", "n1-highcpu-96", "3.400733", 3400732800, "2026-08-01"},
    {"azure", "eastus", "Standard_D2s_v5", "0.096", 96000000, "2024-01-01"},
    {"azure", "eastus", "Standard_D4s_v5", "0.192", 192000000, "2024-01-01"},
};

static const struct list_price *list_prices_find(const struct price *price)
{
    for (size_t i = 0; i < COUNT(listed_prices); i++)
        if (strcmp(listed_prices[i].instance_type, price->instance_type) == 0 &&
            strcmp(listed_prices[i].provider, price->provider) == 0)
            return strcmp(price->currency, "USD") == 0 ? &listed_prices[i] : NULL;
    return NULL;
}

static bool is_near(const struct list_price *listed, const struct price *price)
{
    bool at_home = strcmp(listed->region, price->region) == 0;
    long long percent = price->nanos * 100 / listed->nanos;

    if (price->kind == PRICE_SPOT)
        return percent >= 4 && percent <= 200;
    return at_home ? percent >= 75 && percent <= 125 : percent >= 80 && percent <= 200;
}

bool list_prices_fit(const struct price_batch *batch, struct error *err)
{
    const struct list_price *odd_list = NULL, *listed;
    const struct price *price, *odd = NULL;
    size_t position = 0, count = 0, far = 0;

    while ((price = price_batch_next(batch, &position)) != NULL) {
        if (price->kind > PRICE_SPOT || !(listed = list_prices_find(price)))
            continue;
        count++;
        if (is_near(listed, price))
            continue;
        far++;
        odd = price;
        odd_list = listed;
    }
    if (far * 2 <= count)
        return true;
    return error_set(err, ERROR_UPSTREAM, NULL,
                     "not accepted: %s costs %.20s in %.30s, where its list price was %s in %s"
                     " on %s",
                     odd->instance_type, odd->text, odd->region, odd_list->text, odd_list->region,
                     odd_list->day);
}

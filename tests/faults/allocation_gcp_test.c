/* Every allocation of the readers of Google's prices fails, each in its turn: nothing crashes,
 * nothing leaks, and no price comes out that is not one. */
#include "tests/faults/shortages.h"

#include "pricing/feeds/sources.h"
#include "tests/pricing/feeds/walk.h"

#define SKU(name, group, unit, nanos)                                                            \
    "{\"skuId\":\"" group "\",\"description\":\"T2A Arm Instance " name " running in X\","       \
    "\"category\":{\"resourceFamily\":\"Compute\",\"resourceGroup\":\"" group "\","              \
    "\"usageType\":\"OnDemand\"},\"serviceRegions\":[\"us-east1\",\"us-west1\"],"                \
    "\"pricingInfo\":[{\"pricingExpression\":{\"usageUnit\":\"" unit "\",\"tieredRates\":["      \
    "{\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":\"0\",\"nanos\":" nanos "}}]}}]}"
#define CORE SKU("Core", "CPU", "h", "38500000")
#define RAM SKU("Ram", "RAM", "GiBy.h", "5000000")

static const char *const catalog[] = {
    "{\"skus\":[" CORE "],\"nextPageToken\":\"a token of more than fifteen bytes\"}",
    "{\"skus\":[" RAM "],\"nextPageToken\":\"\"}", NULL};

static const char *const pricelist[] = {
    "about:\n  timestamp: 1741233236\ncompute:\n  instance:\n    t2a-standard-1:\n      cost:\n"
    "        us-east1:\n          hour: 0.0585\n        us-west1:\n          hour: 0.0585\n"
    "      cpu: 1\n      ram: 4\n",
    NULL};

/* *ret_count: what has a price; each must be that of a vCPU with 4 GiB, times the vCPUs. */
static void check_prices(const struct walk *walk, size_t *ret_count)
{
    const struct price *price;
    size_t position = 0;

    for (*ret_count = 0; (price = price_batch_next(walk->reading.batch, &position)) != NULL;
         ++*ret_count) {
        EXPECT_INT(price->nanos,
                   58500000 * strtoll(strrchr(price->instance_type, '-') + 1, NULL, 10));
        EXPECT(price->kind == PRICE_ON_DEMAND);
    }
}

static bool walk_in_need(const struct source *source, const char *const *texts, size_t wanted,
                         struct error *err)
{
    AUTO(walk_end) struct walk walk;
    enum reading_state state;
    size_t count;

    walk_start(&walk, source, "");
    walk.chunk = 50;
    ration_start();
    state = walk_texts(&walk, texts);
    ration_stop();
    check_prices(&walk, &count);
    EXPECT(count == wanted || ration.refused > 0);
    if (state == READING_DONE)
        return count > 0;
    /* A text for which jansson had no memory is another text, so that nothing was recognised. */
    if (walk.err.kind == ERROR_UPSTREAM && ration.refused > 0)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    *err = walk.err;
    return false;
}

static bool read_catalog(struct error *err)
{
    return walk_in_need(&gcp_catalog, catalog, 14, err);
}

static bool read_pricelist(struct error *err)
{
    return walk_in_need(&gcp_pricelist, pricelist, 2, err);
}

int main(void)
{
    survive_every_shortage("catalog", read_catalog);
    survive_every_shortage("price list", read_pricelist);
    return test_result();
}

/* Every allocation of a walk over a feed fails, each in its turn: nothing crashes, nothing leaks
 * (the address sanitizer looks), and what the walk brings then is the right price or none. */
#include "tests/faults/shortages.h"

#include "pricing/feeds/sources.h"
#include "tests/pricing/feeds/walk.h"

#define AZURE(meter, type, next)                                                                 \
    "{\"BillingCurrency\":\"USD\",\"Items\":[{\"currencyCode\":\"USD\",\"retailPrice\":0.6057,"  \
    "\"armRegionName\":\"eastus\",\"meterId\":\"" meter "\",\"skuId\":\"s\","                    \
    "\"productName\":\"VM Dsv5\",\"skuName\":\"D2s v5\",\"serviceName\":\"Virtual Machines\","   \
    "\"unitOfMeasure\":\"1 Hour\",\"type\":\"Consumption\",\"armSkuName\":\"" type "\","         \
    "\"savingsPlan\":[{\"term\":\"1 Year\",\"retailPrice\":0.6057}]}],"                          \
    "\"NextPageLink\":" next ",\"Count\":1}"

#define PRODUCT                                                                                  \
    "\"{\\\"product\\\":{\\\"productFamily\\\":\\\"Compute Instance\\\",\\\"sku\\\":\\\"S\\\","  \
    "\\\"attributes\\\":{\\\"operatingSystem\\\":\\\"Linux\\\",\\\"tenancy\\\":\\\"Shared\\\","  \
    "\\\"preInstalledSw\\\":\\\"NA\\\",\\\"capacitystatus\\\":\\\"Used\\\","                     \
    "\\\"licenseModel\\\":\\\"No License required\\\",\\\"operation\\\":\\\"RunInstances\\\","   \
    "\\\"usagetype\\\":\\\"BoxUsage:m5\\\",\\\"locationType\\\":\\\"AWS Region\\\","             \
    "\\\"instanceType\\\":\\\"m5.large\\\"}},\\\"terms\\\":{\\\"OnDemand\\\":{\\\"S.T\\\":{"     \
    "\\\"priceDimensions\\\":{\\\"S.T.R\\\":{\\\"unit\\\":\\\"Hrs\\\",\\\"beginRange\\\":"       \
    "\\\"0\\\",\\\"pricePerUnit\\\":{\\\"USD\\\":\\\"0.6057\\\"}}}}}}}\""

#define SPOT(items, token)                                                                       \
    "<DescribeSpotPriceHistoryResponse><spotPriceHistorySet>" items                              \
    "</spotPriceHistorySet><nextToken>" token "</nextToken></DescribeSpotPriceHistoryResponse>"
#define ITEM(time)                                                                               \
    "<item><instanceType>m5.large</instanceType><productDescription>Linux/UNIX"                  \
    "</productDescription><spotPrice>0.6057</spotPrice><timestamp>" time                         \
    "</timestamp><availabilityZone>us-east-1a</availabilityZone></item>"

/* Walks with what memory there is; every price of these pages is the same. */
static bool walk_short(const struct source *source, const char *scope, const char *const *pages,
                       long long expected, struct error *err)
{
    AUTO(walk_end) struct walk walk;
    const struct price *price;
    size_t position = 0;

    walk_start(&walk, source, scope);
    walk.reading.types = "m5.large";
    walk.chunk = 100; /* so that elements are held and put together */
    ration_start();
    enum reading_state state = walk_texts(&walk, pages);
    ration_stop();
    while ((price = price_batch_next(walk.reading.batch, &position)) != NULL)
        EXPECT_INT(price->nanos, 605700000);
    EXPECT(state != READING_DONE || ration.refused > 0 || walk_count(&walk) == expected);
    *err = walk.err;
    /* How jansson puts it when there was no memory for "No License required". */
    if (ration.refused > 0 && strcmp(err->message, "an element is not JSON: invalid token") == 0)
        err->kind = ERROR_INTERNAL;
    return state == READING_DONE;
}

static bool read_azure(struct error *err)
{
    return walk_short(&azure_retail, "eastus",
                      (const char *const[]){AZURE("a", "D2", "\"https://prices.azure.com/b\""),
                                            AZURE("b", "D4", "null"), NULL},
                      4, err);
}

static bool read_products(struct error *err)
{
    return walk_short(&aws_products, "us-east-1",
                      (const char *const[]){
                          "{\"FormatVersion\":\"aws_v1\",\"NextToken\":\"a-rather-long-token\","
                          "\"PriceList\":[" PRODUCT "]}",
                          "{\"FormatVersion\":\"aws_v1\",\"PriceList\":[]}", NULL},
                      1, err);
}

static bool read_spot_history(struct error *err)
{
    return walk_short(&aws_spot_history, "us-east-1",
                      (const char *const[]){SPOT(ITEM("2026-01-01T00:00:00Z"), "token"),
                                            SPOT(ITEM("2026-01-02T00:00:00Z"), ""), NULL},
                      1, err);
}

int main(void)
{
    survive_every_shortage("azure-retail", read_azure);
    survive_every_shortage("aws-get-products", read_products);
    survive_every_shortage("aws-spot-history", read_spot_history);
    return test_result();
}

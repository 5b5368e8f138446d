/* Every allocation of a walk over the feeds that need no key fails, each in its turn: what the
 * walk brings then is the right price or none. allocation_feeds_test.c and allocation_gcp_test.c
 * have the other feeds. */
#include "tests/faults/shortages.h"

#include "pricing/feeds/price_check.h"
#include "pricing/feeds/sources.h"
#include "tests/pricing/feeds/walk.h"

#define SPOT_PAGE                                                                                \
    "{\"config\":{\"rate\":\"perhr\",\"currencies\":[\"USD\"],\"regions\":[{\"region\":\"r-1\"," \
    "\"instanceTypes\":[{\"type\":\"a\",\"sizes\":[{\"size\":\"m5.large\",\"valueColumns\":[{"   \
    "\"name\":\"linux\",\"prices\":{\"USD\":\"0.6057\"}}]}]}]}]}}"

#define MAP                                                                                      \
    "{\"manifest\":{\"currencyCode\":\"USD\"},\"sets\":{\"x\":[1]},\"regions\":{\"Place\":{"     \
    "\"m5\":{\"Instance Type\":\"m5.large\",\"price\":\"0.6057\",\"Operating System\":"          \
    "\"Linux\",\"Pre Installed S/W\":\"NA\",\"License Model\":\"No License required\","          \
    "\"vCPU\":\"2\",\"Memory\":\"8 GiB\"}}}}"

#define ADVISOR                                                                                  \
    "{\"instance_types\":{\"m5.large\":{\"cores\":2,\"ram_gb\":8.0}},\"ranges\":[{\"index\":0,"  \
    "\"label\":\"<5%\"}],\"spot_advisor\":{\"r-1\":{\"Linux\":{\"m5.large\":{\"s\":70,"          \
    "\"r\":0}}}}}"

#define INDEX "{\"regions\":{\"us-east-1\":{\"currentVersionUrl\":\"/v/us-east-1/index.json\"}}}"

#define OFFER                                                                                    \
    "{\"formatVersion\":\"v1.0\",\"offerCode\":\"AmazonEC2\",\"publicationDate\":"               \
    "\"2026-08-06T17:17:52Z\",\"products\":{\"S\":{\"sku\":\"S\",\"productFamily\":"             \
    "\"Compute Instance\",\"attributes\":{\"locationType\":\"AWS Region\",\"instanceType\":"     \
    "\"m5.large\",\"vcpu\":\"2\",\"memory\":\"8 GiB\",\"operatingSystem\":\"Linux\","            \
    "\"tenancy\":\"Shared\",\"preInstalledSw\":\"NA\",\"capacitystatus\":\"Used\","              \
    "\"licenseModel\":\"No License required\",\"operation\":\"RunInstances\",\"usagetype\":"     \
    "\"BoxUsage:m5.large\",\"regionCode\":\"us-east-1\",\"marketoption\":\"OnDemand\"}}},"       \
    "\"terms\":{\"OnDemand\":{\"S\":{\"S.T\":{\"effectiveDate\":\"2026-08-01T00:00:00Z\","       \
    "\"priceDimensions\":{\"S.T.R\":{\"rateCode\":\"S.T.R\",\"unit\":\"Hrs\",\"beginRange\":"    \
    "\"0\",\"pricePerUnit\":{\"USD\":\"0.6057\"}}}}}}}}"

#define OFFER_CSV                                                                                \
    "\"FormatVersion\",\"v1.0\"\n\"Disclaimer\",\"None\"\n\"Publication Date\","                 \
    "\"2026-08-06T17:17:52Z\"\n\"Version\",\"2026\"\n\"OfferCode\",\"AmazonEC2\"\n"              \
    "SKU,TermType,Unit,StartingRange,EndingRange,PricePerUnit,Currency,Product Family,Location " \
    "Type,"                                                                                      \
    "Instance Type,Tenancy,Operating System,License Model,usageType,operation,CapacityStatus,"   \
    "MarketOption,Pre Installed S/W,Region Code,vCPU,Memory,RateCode\n"                          \
    "S,OnDemand,Hrs,0,Inf,0.6057,USD,Compute Instance,AWS Region,m5.large,Shared,Linux,"         \
    "No License required,BoxUsage:m5.large,RunInstances,Used,OnDemand,NA,us-east-1,2,8 GiB,"     \
    "S.T.R\n"

#define PLANS_INDEX                                                                              \
    "{\"regions\":[{\"regionCode\":\"us-east-1\",\"versionUrl\":\"/s/us-east-1/index.json\"}]}"

#define PLANS                                                                                    \
    "{\"publicationDate\":\"2026-08-06T17:17:52Z\",\"products\":[{\"sku\":\"P\","                \
    "\"productFamily\":\"ComputeSavingsPlans\",\"attributes\":{\"purchaseOption\":"              \
    "\"All Upfront\",\"purchaseTerm\":\"1yr\"}}],\"terms\":{\"savingsPlan\":[{\"sku\":\"P\","    \
    "\"rates\":[{\"discountedSku\":\"S\",\"discountedUsageType\":\"BoxUsage:m5.large\","         \
    "\"discountedOperation\":\"RunInstances\",\"discountedServiceCode\":\"AmazonEC2\","          \
    "\"rateCode\":\"P.S\",\"unit\":\"Hrs\",\"discountedRate\":{\"price\":\"0.6057\","            \
    "\"currency\":\"USD\"},\"discountedRegionCode\":\"us-east-1\"}]}]}}"

#define SHEET                                                                                    \
    "provider,region,instance_type,kind,price_per_hour\naws,us-east-1,m5.large,spot,0.6057\n"
static char sheet_path[] = "/tmp/prices-XXXXXX";

struct what {
    const struct source *source;
    const char *scope, *address;
    long long prices, types, interruptions;
};

/* jansson's reader of tokens passes over the bytes for which it finds no memory: then it takes
 * what is left for lawless, or for another word. Words of more than 15 bytes only, which no price
 * has and some of what stands beside it. */
static bool is_jansson(const char *message)
{
    return strstr(message, "not JSON: invalid token") != NULL ||
           strstr(message, "not JSON: string or '}' expected") != NULL ||
           strstr(message, "the index tells no path for us-east-1") != NULL ||
           strstr(message, "the file has no price that passes for on-demand Linux") != NULL;
}

/* Walks with what memory there is; the price of all these pages is the same. */
static bool walk_short(const struct what *what, const char *const *pages, struct error *err)
{
    AUTO(walk_end) struct walk walk;
    const struct price_batch *batch;
    const struct price *price;
    size_t position = 0;

    walk_start(&walk, what->source, what->scope);
    snprintf(walk.reading.scope.address, sizeof walk.reading.scope.address, "%s", what->address);
    walk.chunk = 100; /* so that elements are held and put together */
    ration_start();
    enum reading_state state = walk_texts(&walk, pages);
    ration_stop();
    batch = walk.reading.batch;
    while ((price = price_batch_next(batch, &position)) != NULL)
        EXPECT_INT(price->nanos, 605700000);
    if (state == READING_DONE && ration.refused == 0) {
        EXPECT_INT(walk_count(&walk), what->prices);
        EXPECT_INT((long long)price_batch_type_count(batch), what->types);
        EXPECT_INT((long long)price_batch_interruption_count(batch), what->interruptions);
    }
    if (ration.refused > 0 && walk.err.kind == ERROR_UPSTREAM && !is_jansson(walk.err.message))
        printf("    it said %s\n", walk.err.message);
    *err = walk.err;
    if (ration.refused > 0 && is_jansson(err->message)) /* how it puts a want of memory */
        err->kind = ERROR_INTERNAL;
    return state == READING_DONE;
}

static bool read_spot_page(struct error *err)
{
    return walk_short(&(struct what){&aws_spot_page, "", "", 1, 0, 0},
                      (const char *const[]){SPOT_PAGE, NULL}, err);
}

static bool read_on_demand_page(struct error *err)
{
    return walk_short(&(struct what){&aws_on_demand_page, "r-1", "Place", 1, 1, 0},
                      (const char *const[]){MAP, NULL}, err);
}

static bool read_spot_advisor(struct error *err)
{
    return walk_short(&(struct what){&aws_spot_advisor, "", "", 0, 1, 1},
                      (const char *const[]){ADVISOR, NULL}, err);
}

static bool read_offer(struct error *err)
{
    return walk_short(&(struct what){&aws_offer, "us-east-1", "", 1, 1, 0},
                      (const char *const[]){INDEX, OFFER, NULL}, err);
}

static bool read_offer_csv(struct error *err)
{
    return walk_short(&(struct what){&aws_offer_csv, "us-east-1", "", 1, 1, 0},
                      (const char *const[]){INDEX, OFFER_CSV, NULL}, err);
}

static bool read_savings_plans(struct error *err)
{
    return walk_short(&(struct what){&aws_savings_plan, "us-east-1", "", 1, 0, 0},
                      (const char *const[]){PLANS_INDEX, PLANS, NULL}, err);
}

/* In CSV alone: jansson 2.14 reads beyond its buffer when it has no memory for a name as long as
 * price_per_hour. */
static bool read_sheet(struct error *err)
{
    return walk_short(&(struct what){&price_file, "", "", 1, 0, 0},
                      (const char *const[]){SHEET, NULL}, err);
}

static void ignore_fault(void *user, long long line, const struct error *fault)
{
    (void)user, (void)line, (void)fault;
}

static bool check_file(struct error *err)
{
    struct price_check check = {.rows = 0};
    bool ok = price_check(sheet_path, ignore_fault, NULL, &check, err);

    EXPECT(!ok || (check.rows == 1 && check.faults == 0));
    return ok;
}

static void checking_a_price_file_survives_every_shortage(void)
{
    int descriptor = mkstemp(sheet_path);

    EXPECT(descriptor >= 0 && write(descriptor, SHEET, strlen(SHEET)) == (ssize_t)strlen(SHEET));
    close(descriptor);
    survive_every_shortage("prices check", check_file);
    unlink(sheet_path);
}

static void reading_prices_survives_every_shortage(void)
{
    survive_every_shortage("aws-spot-page", read_spot_page);
    survive_every_shortage("aws-on-demand", read_on_demand_page);
    survive_every_shortage("aws-spot-advisor", read_spot_advisor);
    survive_every_shortage("aws-offer", read_offer);
    survive_every_shortage("aws-offer-csv", read_offer_csv);
    survive_every_shortage("aws-savings-plans", read_savings_plans);
    survive_every_shortage("price-file csv", read_sheet);
}

int main(void)
{
    RUN(reading_prices_survives_every_shortage);
    RUN(checking_a_price_file_survives_every_shortage);
    return test_result();
}

/* A few published prices as the measure of a first reading. */
#include "pricing/feeds/list_prices.h"

#include "tests/test.h"

struct said {
    const char *provider, *type, *region, *text;
    enum price_kind kind;
};

static bool fit(const struct said *said, size_t count, struct error *err)
{
    AUTO(price_batch_freep) struct price_batch *batch = price_batch_new("made-up", 1);

    for (size_t i = 0; i < count; i++) {
        struct price price = {.kind = said[i].kind, .currency = "USD"};

        EXPECT(PRICE_WORD(price.provider, said[i].provider));
        EXPECT(PRICE_WORD(price.instance_type, said[i].type));
        EXPECT(PRICE_WORD(price.region, said[i].region));
        EXPECT(price_set(&price, said[i].text));
        EXPECT(price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, NULL));
    }
    return list_prices_fit(batch, err);
}

TEST(a_price_is_near_its_list_price)
{
    static const struct {
        struct said said;
        bool fits;
    } cases[] = {
        {{"aws", "c7i.2xlarge", "us-east-1", "0.357", PRICE_ON_DEMAND}, true},
        {{"aws", "c7i.2xlarge", "us-east-1", "0.446", PRICE_ON_DEMAND}, true},
        {{"aws", "c7i.2xlarge", "us-east-1", "0.45", PRICE_ON_DEMAND}, false},
        {{"aws", "c7i.2xlarge", "us-east-1", "0.178", PRICE_ON_DEMAND}, false},
        {{"aws", "c7i.2xlarge", "sa-east-1", "0.6", PRICE_ON_DEMAND}, true},
        {{"aws", "c7i.2xlarge", "sa-east-1", "0.73", PRICE_ON_DEMAND}, false},
        {{"aws", "c7i.2xlarge", "sa-east-1", "0.25", PRICE_ON_DEMAND}, false},
        {{"aws", "c7i.2xlarge", "us-east-1", "0.1291", PRICE_SPOT}, true},
        {{"aws", "c7i.2xlarge", "us-east-1", "0.0129", PRICE_SPOT}, false},
        {{"aws", "c7i.2xlarge", "us-east-1", "1.291", PRICE_SPOT}, false},
        {{"aws", "c7i.2xlarge", "us-east-1", "99", PRICE_TYPED}, true},
        {{"gcp", "n1-highcpu-64", "us-central1", "2.267155", PRICE_ON_DEMAND}, true},
        {{"gcp", "n1-highcpu-64", "us-central1", "22.67", PRICE_ON_DEMAND}, false},
        {{"azure", "Standard_D2s_v5", "eastus", "0.096", PRICE_ON_DEMAND}, true},
        {{"azure", "Standard_D2s_v5", "eastus", "0.48", PRICE_ON_DEMAND}, false},
        {{"azure", "Standard_D4s_v5", "westeurope", "0.23", PRICE_ON_DEMAND}, true},
        {{"azure", "Standard_D4s_v5", "eastus", "0.096", PRICE_ON_DEMAND}, false},
        {{"azure", "Standard_D4s_v5", "eastus", "0.038", PRICE_SPOT}, true},
        {{"azure", "Standard_D4s_v5", "eastus", "1682", PRICE_ON_DEMAND}, false},
        {{"gcp", "c7i.2xlarge", "us-east-1", "99", PRICE_ON_DEMAND}, true}, /* another's */
        {{"aws", "m5.large", "us-east-1", "99", PRICE_ON_DEMAND}, true},    /* not listed */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = {0};

        EXPECT_INT(fit(&cases[i].said, 1, &err), cases[i].fits);
        EXPECT_INT(err.kind, cases[i].fits ? ERROR_NONE : ERROR_UPSTREAM);
    }
}

TEST(most_of_them_decide)
{
    static const struct said said[] = {
        {"aws", "c7i.2xlarge", "us-east-1", "0.357", PRICE_ON_DEMAND},
        {"aws", "c7i.2xlarge", "us-east-2", "3.57", PRICE_ON_DEMAND},
        {"aws", "g5.2xlarge", "us-east-1", "12.12", PRICE_ON_DEMAND},
    };

    EXPECT(fit(said, 2, NULL));
    EXPECT_MESSAGE(fit(said, 3, &err),
                   "not accepted: g5.2xlarge costs 12.12 in us-east-1, where its list"
                   " price was 1.212 in us-east-1 on 2026-08-06");
}

TEST(another_currency_is_no_measure)
{
    AUTO(price_batch_freep) struct price_batch *batch = price_batch_new("made-up", 1);
    struct price price = {.provider = "aws",
                          .instance_type = "c7i.2xlarge",
                          .region = "us-east-1",
                          .currency = "CNY"};

    EXPECT(price_set(&price, "99"));
    EXPECT(price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, NULL));
    EXPECT(list_prices_fit(batch, NULL));
    EXPECT(fit(NULL, 0, NULL));
}

/* ResNet-50 on a c7i.2xlarge and a g5.2xlarge, 2024: every speed and price of the article is
 * shipped, and its samples per dollar follow from them. Rows (R8, P2, E4) are from our list
 * of published results. */
#include "tests/server/prices/published_data.h"

#define DAY "2024-09-15"

static double cpu_price(void)
{
    return price_of("c7i.2xlarge", "on_demand", DAY);
}

static double cpu_spot(void)
{
    return price_of("c7i.2xlarge", "spot", DAY);
}

static double gpu_price(void)
{
    return price_of("g5.2xlarge", "on_demand", DAY);
}

static double per_dollar(const char *id, double price)
{
    return cost_at(id, price).samples_per_dollar.value;
}

TEST(prices_are_from_the_article)
{
    EXPECT_NEAR(cpu_price(), 0.357, 1e-12);             /* M1 */
    EXPECT_NEAR(cpu_spot(), 0.1291, 1e-12);             /* M1 */
    EXPECT_NEAR(gpu_price(), 1.212, 1e-12);             /* M2 */
    EXPECT(isnan(price_of("g5.2xlarge", "spot", DAY))); /* R12, R13: n/a */
    EXPECT(isnan(price_of("c7i.2xlarge", "on_demand", "2024-08-31")));
}

static const struct {
    const char *id, *instance;
    double rate, vs_base, on_demand, spot, tolerance; /* 0: the list does not say */
    bool derived;
} rows[] = {
    {"rand-2024-r1", "c7i.2xlarge", 9.12, 1, 91966, 254314, 1, false},
    {"rand-2024-r4", "c7i.2xlarge", 24.34, 2.67, 245445, 678730, 1, false},
    {"rand-2024-r5", "c7i.2xlarge", 37.93, 4.16, 382487, 1057692, 1, false},
    {"rand-2024-r6", "c7i.2xlarge", 30.91, 0, 311700, 862000, 100, true}, /* "about" */
    {"rand-2024-r7", "c7i.2xlarge", 39.05, 4.28, 393782, 1088923, 1, false},
    {"rand-2024-r8", "c7i.2xlarge", 40.73, 4.47, 410723, 1135771, 1, false},
    {"rand-2024-r11", "c7i.2xlarge", 1.303, 0.14, 13138, 0, 1, true},
    {"rand-2024-r12", "g5.2xlarge", 340, 37.3, 1009901, 0, 1, false},
    {"rand-2024-r13", "g5.2xlarge", 929, 0, 2760000, 0, 5000, true}, /* "about" */
};

/* P2, E4, R1 to R13: what the table says of each row, in its own precision. */
TEST(every_row_of_section_3_is_reproduced)
{
    size_t found = 0;

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct figure *figure = figure_called(rows[i].id);
        bool is_cpu = strcmp(rows[i].instance, "c7i.2xlarge") == 0;

        EXPECT_HAS(*figure, (instance, rows[i].instance), (workload, "resnet50"),
                   (unit, "sample"), (derived, rows[i].derived));
        EXPECT_NEAR(figure->samples_per_second, rows[i].rate, 0.0005);
        if (rows[i].vs_base > 0)
            EXPECT_NEAR(rate_of(rows[i].id) / rate_of("rand-2024-r1"), rows[i].vs_base,
                        rows[i].vs_base > 10 ? 0.05 : 0.005);
        EXPECT_NEAR(per_dollar(rows[i].id, is_cpu ? cpu_price() : gpu_price()), rows[i].on_demand,
                    rows[i].tolerance);
        if (rows[i].spot > 0)
            EXPECT_NEAR(per_dollar(rows[i].id, cpu_spot()), rows[i].spot, rows[i].tolerance);
    }
    for (size_t i = 0; i < shelf.count; i++)
        found += strncmp(shelf.list[i].id, "rand-", 5) == 0;
    EXPECT_INT((long long)found, (long long)COUNT(rows));
}

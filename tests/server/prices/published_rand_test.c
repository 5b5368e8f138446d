/* ResNet-50 on a c7i.2xlarge and a g5.2xlarge, 2024: every number that is said of the article
 * follows from the figures and prices that are shipped. Rows (R8, P12, E4) are those of our list
 * of published results. */
#include "tests/server/prices/published_data.h"

#define DAY "2024-09-15"
#define IMAGENET 1281167.0

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

static void prices_are_those_of_the_article(void)
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
static void every_row_of_section_3_is_reproduced(void)
{
    size_t found = 0;

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct figure *figure = figure_called(rows[i].id);
        bool is_cpu = strcmp(rows[i].instance, "c7i.2xlarge") == 0;

        EXPECT_STR(figure->instance, rows[i].instance);
        EXPECT_STR(figure->workload, "resnet50");
        EXPECT_STR(figure->unit, "sample");
        EXPECT_INT(figure->derived, rows[i].derived);
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

static void each_step_gains_what_the_article_says(void)
{
    EXPECT_NEAR(rate_of("rand-2024-r5") / rate_of("rand-2024-r4"), 1.558, 0.0005); /* R5 */
    EXPECT_NEAR(rate_of("rand-2024-r6") / rate_of("rand-2024-r4"), 1.27, 0.0005);  /* R6 */
    EXPECT(rate_of("rand-2024-r6") < rate_of("rand-2024-r5")); /* R6: dropped */
    EXPECT_NEAR(rate_of("rand-2024-r7") / rate_of("rand-2024-r5"), 1.030, 0.0005); /* R7 */
    EXPECT_NEAR(rate_of("rand-2024-r8") / rate_of("rand-2024-r7"), 1.043, 0.0005); /* R8 */
    EXPECT_NEAR(rate_of("rand-2024-r1") / rate_of("rand-2024-r11"), 7, 0.0005);    /* R11 */
    EXPECT_NEAR(rate_of("rand-2024-r13") / rate_of("rand-2024-r12"), 2.7, 0.05);   /* R13 */
}

/* E1, E2, E3: percentages over the base, as they are and not as they were printed. */
static void percentages_are_the_corrected_ones(void)
{
    double base = rate_of("rand-2024-r1");

    EXPECT_NEAR((rate_of("rand-2024-r4") / base - 1) * 100, 166.9, 0.05); /* E1 */
    EXPECT_NEAR((rate_of("rand-2024-r5") / base - 1) * 100, 315.9, 0.05); /* E2 */
    EXPECT_NEAR((rate_of("rand-2024-r8") / base - 1) * 100, 346.6, 0.05); /* E3 */
    EXPECT_NEAR((rate_of("rand-2024-r5") / rate_of("rand-2024-r4") - 1) * 100, 55.8, 0.05);
    EXPECT_NEAR((1 - cpu_spot() / cpu_price()) * 100, 63.8, 0.05); /* E7, R16 */
}

/* R18. The third compares spot with on demand, which E6 says. */
static void the_three_gaps_are_reproduced(void)
{
    double base = per_dollar("rand-2024-r1", cpu_price());
    double best = per_dollar("rand-2024-r8", cpu_price());
    double best_spot = per_dollar("rand-2024-r8", cpu_spot());
    double gpu = per_dollar("rand-2024-r12", gpu_price());
    double gpu_best = per_dollar("rand-2024-r13", gpu_price());

    EXPECT_NEAR(gpu / base, 10.98, 0.005); /* R12 */
    EXPECT_NEAR(gpu_best / best, 6.7, 0.067);
    EXPECT_NEAR(gpu_best / best_spot, 2.43, 0.0243);
}

/* R13: the article's table is lost, and its two ratios leave this much room. */
static void the_derived_gpu_figure_lies_where_the_ratios_leave_room(void)
{
    double per_spot = per_dollar("rand-2024-r8", cpu_spot()) * gpu_price() / 3600;
    double per_list = per_dollar("rand-2024-r8", cpu_price()) * gpu_price() / 3600;
    double rate = rate_of("rand-2024-r13");

    EXPECT_NEAR(per_spot * 2.425, 927, 0.5);
    EXPECT_NEAR(per_spot * 2.435, 931, 0.5);
    EXPECT_NEAR(per_list * 6.65, 920, 0.5);
    EXPECT_NEAR(per_list * 6.75, 933, 0.5);
    EXPECT(rate > per_spot * 2.425 && rate < per_spot * 2.435);
    EXPECT(rate > per_list * 6.65 && rate < per_list * 6.75);
}

static double epoch_hours(const char *id)
{
    return IMAGENET / rate_of(id) / 3600;
}

/* P12 and section 6. */
static void an_epoch_of_imagenet_takes_and_costs_this(void)
{
    double cpu = epoch_hours("rand-2024-r8"), gpu = epoch_hours("rand-2024-r13");

    EXPECT_NEAR(cpu, 8.74, 0.005);
    EXPECT_NEAR(cpu * cpu_price(), 3.12, 0.005);
    EXPECT_NEAR(cpu * cpu_spot(), 1.13, 0.005);
    EXPECT_NEAR(gpu, 0.38, 0.005);
    EXPECT_NEAR(gpu * gpu_price(), 0.46, 0.005);
    EXPECT_NEAR(90 * cpu / 24, 32.8, 0.05);
    EXPECT_NEAR(90 * cpu * cpu_price(), 281, 0.5);
    EXPECT_NEAR(90 * cpu * cpu_spot(), 102, 0.5);
    EXPECT_NEAR(90 * gpu / 24, 1.4, 0.05);
    EXPECT_NEAR(90 * gpu * gpu_price(), 42, 0.5);
    EXPECT_NEAR(cost_at("rand-2024-r8", cpu_price()).hours_per_million.value * IMAGENET / 1e6,
                cpu, 1e-9);
}

static double per_million(const char *id, double price)
{
    return cost_at(id, price).dollars_per_million.value;
}

static void a_million_samples_cost_this(void)
{
    EXPECT_NEAR(per_million("rand-2024-r1", cpu_price()), 10.87, 0.005);
    EXPECT_NEAR(per_million("rand-2024-r8", cpu_price()), 2.43, 0.005);
    EXPECT_NEAR(per_million("rand-2024-r8", cpu_spot()), 0.88, 0.005);
    EXPECT_NEAR(per_million("rand-2024-r12", gpu_price()), 0.99, 0.005);
    EXPECT_NEAR(per_million("rand-2024-r13", gpu_price()), 0.36, 0.005);
}

/* Section 6: what the CPU would need to draw level with the optimised GPU. */
static void the_break_evens_are_these(void)
{
    double gpu = per_dollar("rand-2024-r13", gpu_price());

    EXPECT_NEAR(cost_break_even_speed(cpu_price(), gpu), 273.6, 0.05);
    EXPECT_NEAR(cost_break_even_speed(cpu_spot(), gpu), 99.0, 0.05);
    EXPECT_NEAR(cost_break_even_price(rate_of("rand-2024-r8"), gpu), 0.0531, 0.00005);
}

/* Section 6: at equal discounts the gap is that of the lists; and what the article leaves out. */
static void other_prices_give_other_gaps(void)
{
    double discount = 1 - cpu_spot() / cpu_price();
    double gpu = per_dollar("rand-2024-r13", gpu_price() * (1 - discount));
    double cpu = per_dollar("rand-2024-r8", cpu_spot());

    EXPECT_NEAR(gpu / cpu, 6.7, 0.05);
    EXPECT_NEAR((cpu / per_dollar("rand-2024-r12", gpu_price()) - 1) * 100, 12.5, 0.05);
}

/* Section 6, an estimate: 24.6 GFLOP a trained sample, 4 cores at 2.4 to 3.2 GHz, 64 FLOP a cycle
 * and core in f32 with AVX-512. The list's share of the AMX peak takes 2048 a cycle in bf16,
 * which is what int8 has: TDPBF16PS makes 16 x 16 x 32 multiplications and additions in 16
 * cycles, 1024, so the share is twice that. */
static void the_headroom_is_this(void)
{
    const double f32 = rate_of("rand-2024-r1") * 24.6 / 1000; /* TFLOP/s */
    const double bf16 = rate_of("rand-2024-r8") * 24.6 / 1000;

    EXPECT_NEAR(f32, 0.22, 0.005);
    EXPECT_NEAR(100 * f32 / (4 * 3.2 * 64 / 1000), 27, 0.5);
    EXPECT_NEAR(100 * f32 / (4 * 2.4 * 64 / 1000), 37, 0.6);
    EXPECT_NEAR(bf16, 1.0, 0.05);
    EXPECT_NEAR(100 * bf16 / (4 * 3.2 * 2048 / 1000), 4, 0.5);
    EXPECT_NEAR(100 * bf16 / (4 * 2.4 * 2048 / 1000), 5, 0.5);
    EXPECT_NEAR(100 * bf16 / (4 * 3.2 * 1024 / 1000), 8, 0.5);
    EXPECT_NEAR(100 * bf16 / (4 * 2.4 * 1024 / 1000), 10, 0.5);
    EXPECT_NEAR(rate_of("rand-2024-r1") / 4, 2.28, 0.005); /* a core */
    EXPECT_NEAR(rate_of("rand-2024-r8") / 4, 10.2, 0.05);
}

int main(void)
{
    shelf_fill();
    RUN(prices_are_those_of_the_article);
    RUN(every_row_of_section_3_is_reproduced);
    RUN(each_step_gains_what_the_article_says);
    RUN(percentages_are_the_corrected_ones);
    RUN(the_three_gaps_are_reproduced);
    RUN(the_derived_gpu_figure_lies_where_the_ratios_leave_room);
    RUN(an_epoch_of_imagenet_takes_and_costs_this);
    RUN(a_million_samples_cost_this);
    RUN(the_break_evens_are_these);
    RUN(other_prices_give_other_gaps);
    RUN(the_headroom_is_this);
    shelf_empty();
    return test_result();
}

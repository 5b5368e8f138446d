/* Seven jobs on CPUs of four sizes and a K80, 2017: every time and price of the article is
 * shipped, and its relative costs follow from them. Rows (T7, P11, E17) are from our list of
 * published results. */
#include "tests/server/prices/published_data.h"

#define BEFORE "2017-07-15" /* the K80 became cheaper in November */
#define AFTER "2017-11-15"

#define CPUS 8 /* pip and compiled, each on four sizes */
#define ALL (CPUS + 1)
enum { PIP_64 = 3, CMP_8, CMP_64 = 7, GPU };

static const char *const names[ALL] = {"pip-8",       "pip-16",      "pip-32",
                                       "pip-64",      "compiled-8",  "compiled-16",
                                       "compiled-32", "compiled-64", "k80"};
static const char *const instances[ALL] = {"n1-highcpu-8",  "n1-highcpu-16", "n1-highcpu-32",
                                           "n1-highcpu-64", "n1-highcpu-8",  "n1-highcpu-16",
                                           "n1-highcpu-32", "n1-highcpu-64", "n1-standard-k80"};

enum { CNN = 1, JOBS = 7 };

/* Section 5: seconds; costs relative to the GPU of compiled on 8, 16, 32, 64, and of pip on 64.
 */
static const struct {
    const char *workload;
    double seconds[ALL], costs[4], cost_pip_64;
} jobs[JOBS] = {
    {"mlp-mnist-2017",
     {138.5, 95.2, 91.4, 91.8, 87.8, 70.0, 97.3, 85.3, 65.1},
     {.12, .18, .51, .90},
     .96},
    {"cnn-mnist-2017",
     {1116.2, 616.0, 408.2, 497.4, 634.1, 426.5, 397.6, 504.9, 172.7},
     {.32, .42, .78, 2.00},
     1.97},
    {"cnn-cifar10-2017",
     {3151.5, 1971.3, 1373.5, 1449.1, 2088.4, 1357.6, 1163.6, 1279.4, 763.2},
     {.24, .30, .52, 1.15},
     1.30},
    {"fasttext-imdb-2017",
     {1756.3, 1043.3, 1021.3, 1269.1, 1325.2, 1035.6, 1130.5, 1219.2, 331.5},
     {.34, .53, 1.16, 2.51},
     2.62},
    {"bilstm-imdb-2017",
     {627.1, 560.5, 509.7, 545.1, 577.3, 516.3, 549.2, 565.8, 1229.4},
     {.04, .07, .15, .31},
     .30},
    {"lstm-nietzsche-2017",
     {1877.9, 1776.2, 1273.0, 1421.1, 1325.5, 1245.2, 1414.4, 1346.5, 957.4},
     {.12, .22, .50, .96},
     1.01},
    {"lstm-text2-2017",
     {3289.0, 2373.5, 1716.8, 1877.2, 2098.4, 1607.8, 1823.6, 1789.9, 1275.3},
     {.14, .21, .49, .96},
     1.01},
};

static const char *id_of(int job, int which)
{
    static char id[64];

    snprintf(id, sizeof id, "woolf-2017-t%d-%s", job + 1, names[which]);
    return id;
}

static double hourly(int which, const char *day)
{
    return price_of(instances[which], which == GPU ? "on_demand" : "spot", day);
}

static double dollars_of(int job, int which, const char *day)
{
    return cost_at(id_of(job, which), hourly(which, day)).dollars_per_million.value / 1e6;
}

/* P11: seconds by price, the GPU is 1. */
static double relative_cost(int job, int which, const char *day)
{
    return dollars_of(job, which, day) / dollars_of(job, GPU, day);
}

TEST(prices_are_from_their_day)
{
    static const double cpus[] = {.0636, .127, .254, .509}; /* M6 */

    EXPECT_NEAR(hourly(GPU, BEFORE), 0.745, 1e-12); /* M5 */
    EXPECT_NEAR(hourly(GPU, AFTER), 0.4975, 1e-12);
    EXPECT_NEAR((hourly(GPU, AFTER) / hourly(GPU, BEFORE) - 1) * 100, -33, 0.5);
    for (int i = 0; i < CPUS; i++) {
        EXPECT_NEAR(hourly(i, BEFORE), cpus[i % 4], 1e-12);
        EXPECT_NEAR(hourly(i, AFTER), cpus[i % 4], 1e-12);
        EXPECT(isnan(price_of(instances[i], "on_demand", BEFORE))); /* it is unknown */
    }
    EXPECT(isnan(price_of("n1-standard-k80", "spot", BEFORE)));
}

/* T1 to T7. */
TEST(every_time_of_section_5_is_shipped)
{
    size_t found = 0;

    for (int job = 0; job < JOBS; job++)
        for (int which = 0; which < ALL; which++) {
            const struct figure *figure = figure_called(id_of(job, which));

            EXPECT_STR(figure->workload, jobs[job].workload);
            EXPECT_STR(figure->instance, instances[which]);
            EXPECT_STR(figure->engine, which == GPU     ? "tensorflow-1.2.1-gpu"
                                       : which >= CMP_8 ? "tensorflow-1.2.1-compiled"
                                                        : "tensorflow-1.2.1-pip");
            EXPECT_HAS(*figure, (unit, "job"), (derived, false));
            EXPECT_NEAR(1 / figure->samples_per_second, jobs[job].seconds[which], 1e-9);
        }
    for (size_t i = 0; i < shelf.count; i++)
        found += strncmp(shelf.list[i].id, "woolf-", 6) == 0;
    EXPECT_INT((long long)found, 2 * JOBS * ALL); /* each also in samples a second */
}

/* The networks that we train, and the samples of all epochs of the article. */
static const struct {
    const char *workload;
    double samples;
} networks[JOBS] = {{"mlp2017", 60000 * 20},     {"cnn2017", 60000 * 12},
                    {"cifar2017", 50000 * 20},   {"fasttext2017", 25000 * 5},
                    {"bilstm2017", 25000 * 4},   {"lstm2017", 200285 * 10},
                    {"textgen2017", 200285 * 10}};

TEST(every_time_is_also_shipped_as_samples_a_second_of_our_network)
{
    for (int job = 0; job < JOBS; job++)
        for (int which = 0; which < ALL; which++) {
            char id[80];

            snprintf(id, sizeof id, "%s-samples", id_of(job, which));
            const struct figure *figure = figure_called(id);
            EXPECT_HAS(*figure, (workload, networks[job].workload), (instance, instances[which]),
                       (unit, "sample"), (derived, true));
            EXPECT_NEAR(networks[job].samples / figure->samples_per_second,
                        jobs[job].seconds[which], jobs[job].seconds[which] * 1e-5);
            EXPECT_PART(figure->note, "Derived: ");
        }
}

/* T1 to T7, P11. */
TEST(every_relative_cost_of_section_5_is_reproduced)
{
    for (int job = 0; job < JOBS; job++) {
        EXPECT(relative_cost(job, GPU, BEFORE) == 1);
        for (int size = 0; size < 4; size++)
            EXPECT_NEAR(relative_cost(job, CMP_8 + size, BEFORE), jobs[job].costs[size], 0.01);
        EXPECT_NEAR(relative_cost(job, PIP_64, BEFORE), jobs[job].cost_pip_64, 0.01);
    }
    EXPECT(relative_cost(CNN, PIP_64, BEFORE) > 1.965); /* E17: costlier, not cheaper */
    EXPECT(relative_cost(CNN, CMP_64, BEFORE) > 1.965);
}

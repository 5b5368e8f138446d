/* Seven jobs on CPUs of four sizes and a K80, 2017: every number that is said of the article
 * follows from the figures and prices that are shipped. Rows (T10, P11, E19) are those of our
 * list of published results. */
#include "pricing/pareto.h"
#include "tests/server/prices/published_data.h"

#define BEFORE "2017-07-15" /* the K80 became cheaper in November */
#define AFTER "2017-11-15"

#define CPUS 8 /* pip and compiled, each on four sizes */
#define ALL (CPUS + 1)
enum { PIP_8, PIP_16, PIP_32, PIP_64, CMP_8, CMP_16, CMP_32, CMP_64, GPU };

static const char *const names[ALL] = {"pip-8",       "pip-16",      "pip-32",
                                       "pip-64",      "compiled-8",  "compiled-16",
                                       "compiled-32", "compiled-64", "k80"};
static const char *const instances[ALL] = {"n1-highcpu-8",  "n1-highcpu-16", "n1-highcpu-32",
                                           "n1-highcpu-64", "n1-highcpu-8",  "n1-highcpu-16",
                                           "n1-highcpu-32", "n1-highcpu-64", "n1-standard-k80"};

enum { MLP, CNN, CIFAR, FASTTEXT, BILSTM, LSTM, SECOND, JOBS };

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

static double seconds_of(int job, int which)
{
    return 1 / rate_of(id_of(job, which));
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

static void prices_are_those_of_their_day(void)
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
static void every_time_of_section_5_is_shipped(void)
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
            EXPECT_STR(figure->unit, "job");
            EXPECT(!figure->derived);
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

static void every_time_is_also_shipped_as_samples_a_second_of_our_network(void)
{
    for (int job = 0; job < JOBS; job++)
        for (int which = 0; which < ALL; which++) {
            const struct figure *figure;
            char id[80];

            snprintf(id, sizeof id, "%s-samples", id_of(job, which));
            figure = figure_called(id);
            EXPECT_STR(figure->workload, networks[job].workload);
            EXPECT_STR(figure->instance, instances[which]);
            EXPECT_STR(figure->unit, "sample");
            EXPECT(figure->derived);
            EXPECT_NEAR(networks[job].samples / figure->samples_per_second,
                        jobs[job].seconds[which], jobs[job].seconds[which] * 1e-5);
            EXPECT(strstr(figure->note, "Derived: ") != NULL);
        }
}

/* T1 to T7, P11. */
static void every_relative_cost_of_section_5_is_reproduced(void)
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

/* T8. */
static void sixty_four_processors_are_hardly_faster_than_thirty_two(void)
{
    double low[2] = {9, 9}, high[2] = {0, 0};

    for (int job = 0; job < JOBS; job++)
        for (int build = 0; build < 2; build++) {
            double ratio =
                seconds_of(job, PIP_64 + 4 * build) / seconds_of(job, PIP_32 + 4 * build);

            low[build] = fmin(low[build], ratio);
            high[build] = fmax(high[build], ratio);
        }
    EXPECT_NEAR(low[0], 1.00, 0.005);
    EXPECT_NEAR(high[0], 1.24, 0.005);
    EXPECT_NEAR(low[1], 0.88, 0.005);
    EXPECT_NEAR(high[1], 1.27, 0.005);
}

/* By how many percent compiling changes the time. */
static double gain(int job, int size)
{
    return (seconds_of(job, CMP_8 + size) / seconds_of(job, PIP_8 + size) - 1) * 100;
}

/* T9, E20. */
static void compiling_helps_on_few_processors_only(void)
{
    static const double wanted[][2] = {{-37, -26}, {-43, -31}, {-34, -31},
                                       {-25, -1},  {-8, -8},   {-29, -30}};
    int slower = 0;

    for (int job = 0; job < (int)COUNT(wanted); job++)
        for (int size = 0; size < 2; size++)
            EXPECT_NEAR(gain(job, size), wanted[job][size], 0.55);
    for (int job = 0; job < JOBS; job++) {
        double change = gain(job, 2);

        slower += change > 0;
        EXPECT(change < 0 || (change > 5.5 && change < 11.5));
    }
    EXPECT_INT(slower, 5);
}

/* T10, E24. */
static void eight_processors_compiled_are_the_cheapest_everywhere(void)
{
    double low = 9, high = 0;

    for (int job = 0; job < JOBS; job++) {
        double ratio = dollars_of(job, CMP_16, BEFORE) / dollars_of(job, CMP_8, BEFORE);

        for (int which = 0; which < ALL; which++)
            if (which != CMP_8)
                EXPECT(dollars_of(job, which, BEFORE) > dollars_of(job, CMP_8, BEFORE));
        low = fmin(low, ratio);
        high = fmax(high, ratio);
    }
    EXPECT_NEAR(low, 1.30, 0.005);
    EXPECT_NEAR(high, 1.88, 0.005);
}

/* T10. */
static void the_pareto_fronts_are_these(void)
{
#define ON(which) (1 << (which))
    static const int fronts[JOBS] = {
        [MLP] = ON(GPU) | ON(CMP_16) | ON(CMP_8),
        [CNN] = ON(GPU) | ON(CMP_32) | ON(CMP_16) | ON(CMP_8),
        [CIFAR] = ON(GPU) | ON(CMP_32) | ON(CMP_16) | ON(CMP_8),
        [FASTTEXT] = ON(GPU) | ON(CMP_16) | ON(CMP_8),
        [BILSTM] = ON(PIP_32) | ON(CMP_16) | ON(CMP_8),
        [LSTM] = ON(GPU) | ON(CMP_16) | ON(CMP_8),
        [SECOND] = ON(GPU) | ON(CMP_16) | ON(CMP_8),
    };

    for (int job = 0; job < JOBS; job++) {
        struct pareto_point points[ALL] = {{0}};
        int front = 0;

        for (int which = 0; which < ALL; which++) {
            points[which].hours = seconds_of(job, which) / 3600;
            points[which].dollars = dollars_of(job, which, BEFORE);
        }
        pareto_mark(points, ALL);
        for (int which = 0; which < ALL; which++)
            front |= points[which].on_front ? ON(which) : 0;
        EXPECT_INT(front, fronts[job]);
    }
}

static double fastest_cpu(int job)
{
    double seconds = INFINITY;

    for (int which = 0; which < CPUS; which++)
        seconds = fmin(seconds, seconds_of(job, which));
    return seconds;
}

/* T11. */
static void the_gpu_is_this_much_faster_on_convolutions(void)
{
    EXPECT_NEAR(fastest_cpu(CNN) / seconds_of(CNN, GPU), 2.30, 0.005);
    EXPECT_NEAR(fastest_cpu(CIFAR) / seconds_of(CIFAR, GPU), 1.52, 0.006);
}

/* T12, E22. */
static void the_gpu_is_half_as_fast_on_the_bidirectional_lstm(void)
{
    double low = 9, high = 0;

    for (int which = 0; which < CPUS; which++) {
        double ratio = seconds_of(BILSTM, GPU) / seconds_of(BILSTM, which);

        low = fmin(low, ratio);
        high = fmax(high, ratio);
    }
    EXPECT_NEAR(low, 1.96, 0.005);
    EXPECT_NEAR(high, 2.41, 0.005);
}

/* Section 6. */
static void the_new_price_of_the_k80_flips_six_and_no_other(void)
{
    static const struct {
        int job, which;
    } wanted[] = {{MLP, PIP_64}, {MLP, CMP_64},  {CNN, PIP_32},
                  {CNN, CMP_32}, {LSTM, CMP_64}, {SECOND, CMP_64}};
    size_t flipped = 0;

    for (int job = 0; job < JOBS; job++)
        for (int which = 0; which < CPUS; which++) {
            bool was = relative_cost(job, which, BEFORE) < 1;
            bool is = relative_cost(job, which, AFTER) < 1;

            EXPECT(was || !is); /* none becomes cheaper than the GPU */
            if (was == is)
                continue;
            EXPECT(flipped < COUNT(wanted));
            if (flipped < COUNT(wanted)) {
                EXPECT_INT(job, wanted[flipped].job);
                EXPECT_INT(which, wanted[flipped].which);
            }
            flipped++;
        }
    EXPECT_INT((long long)flipped, (long long)COUNT(wanted));
}

/* E19: at five times the preemptible price, about the regular one. */
static void the_regular_price_does_not_eat_the_advantage_everywhere(void)
{
    static const double wanted[JOBS] = {
        [MLP] = 0.58,    [CNN] = 1.57,  [CIFAR] = 1.17, [FASTTEXT] = 1.71,
        [BILSTM] = 0.20, [LSTM] = 0.59, [SECOND] = 0.70};

    for (int job = 0; job < JOBS; job++)
        EXPECT_NEAR(5 * relative_cost(job, CMP_8, BEFORE), wanted[job], 0.006);
}

int main(void)
{
    shelf_fill();
    RUN(prices_are_those_of_their_day);
    RUN(every_time_of_section_5_is_shipped);
    RUN(every_time_is_also_shipped_as_samples_a_second_of_our_network);
    RUN(every_relative_cost_of_section_5_is_reproduced);
    RUN(sixty_four_processors_are_hardly_faster_than_thirty_two);
    RUN(compiling_helps_on_few_processors_only);
    RUN(eight_processors_compiled_are_the_cheapest_everywhere);
    RUN(the_pareto_fronts_are_these);
    RUN(the_gpu_is_this_much_faster_on_convolutions);
    RUN(the_gpu_is_half_as_fast_on_the_bidirectional_lstm);
    RUN(the_new_price_of_the_k80_flips_six_and_no_other);
    RUN(the_regular_price_does_not_eat_the_advantage_everywhere);
    shelf_empty();
    return test_result();
}

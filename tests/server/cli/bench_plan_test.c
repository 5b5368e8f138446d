#include "server/cli/bench_plan.h"

#include "engine/sweep/sweep.h"
#include "tests/test.h"

static struct bench_wish wish_of(const char *set)
{
    return (struct bench_wish){.set = set,
                               .label = "",
                               .max_seconds = 450,
                               .batch_size = FIELD_IS_AUTO,
                               .has_bf16 = true};
}

/* Reads what was planned as a sweep is read; the caller clears it. */
static struct sweep planned(const struct bench_wish *wish, struct bench_plan *plan)
{
    static struct topology topology = {
        .cpu_count = 2, .core_count = 2, .package_count = 1, .node_count = 1};
    const struct place place = {
        .topology = &topology, .isa = CPU_AVX512_BF16, .dollars_per_hour = 1, .root = "/nowhere"};
    struct sweep sweep = {0};

    EXPECT_OK(bench_plan_make(wish, plan, &err));
    if (plan->request)
        EXPECT_OK(sweep_from_text(plan->request, strlen(plan->request), &place, &sweep, &err));
    return sweep;
}

TEST(the_standard_set_is_both_precisions_twice)
{
    AUTO(bench_plan_clear) struct bench_plan plan = {0};
    struct bench_wish wish = wish_of("standard");
    AUTO(sweep_clear) struct sweep sweep = planned(&wish, &plan);

    EXPECT_HAS(sweep, (count, 2), (blocks, 2));
    EXPECT_HAS(plan, (runs, 4), (cells, 2));
    REQUIRE(sweep.count == 2);
    EXPECT_HAS(sweep, (cells[0].name, "precision=f32"), (cells[1].name, "precision=bf16"),
               (cells[0].spec.workload, "resnet50"), (cells[0].spec.batch_size, FIELD_IS_AUTO),
               (cells[0].spec.min_seconds, 60));
    EXPECT_INT(plan.run_seconds, sweep.cells[0].spec.max_seconds);
    EXPECT_INT(plan.repeat_seconds, 450);
    EXPECT_HAS(sweep.cells[1].spec, (label_count, 1), (labels[0].key, "bench"),
               (labels[0].value, "standard"));
}

/* As measured on two cores: 2.2 s a step in f32, 1.1 s in bf16, ten seconds until the first. */
TEST(eight_minutes_on_two_cores_are_sixty_steps_of_each_run)
{
    AUTO(bench_plan_clear) struct bench_plan plan = {0};
    struct bench_wish wish = wish_of("standard");
    AUTO(sweep_clear) struct sweep sweep = planned(&wish, &plan);

    REQUIRE(sweep.count == 2);
    EXPECT((double)(sweep.cells[0].spec.max_seconds - 10) / 2.2 >= 55);
    EXPECT((double)(sweep.cells[1].spec.max_seconds - 10) / 1.1 >= 60);
    EXPECT(sweep.cells[1].spec.min_seconds >= 45);
}

TEST(a_quick_bench_repeats_only_what_fits_into_about_a_minute)
{
    AUTO(bench_plan_clear) struct bench_plan plan = {0}, short_plan = {0};
    struct bench_wish wish = wish_of("quick");
    AUTO(sweep_clear) struct sweep sweep = planned(&wish, &plan);

    EXPECT(sweep.count > 0);
    EXPECT_INT(plan.repeat_seconds, 75);
    wish.max_seconds = 30;
    AUTO(sweep_clear) struct sweep shorter = planned(&wish, &short_plan);
    EXPECT_INT((long long)shorter.count, (long long)sweep.count);
    EXPECT_INT(short_plan.repeat_seconds, 30);
}

TEST(bf16_that_would_be_emulated_is_left_out)
{
    AUTO(bench_plan_clear) struct bench_plan plan = {0}, quick_plan = {0};
    struct bench_wish wish = wish_of("standard"), quick = wish_of("quick");

    wish.has_bf16 = quick.has_bf16 = false;
    AUTO(sweep_clear) struct sweep sweep = planned(&wish, &plan);
    AUTO(sweep_clear) struct sweep of_quick = planned(&quick, &quick_plan);
    EXPECT_INT((long long)sweep.count, 1);
    EXPECT_INT((long long)plan.runs, 2);
    EXPECT(sweep.count == 1 && strcmp(sweep.cells[0].spec.precision, "f32") == 0);
    EXPECT(of_quick.count == 1 && strcmp(of_quick.cells[0].spec.precision, "f32") == 0);
}

TEST(the_quick_set_is_one_short_run)
{
    AUTO(bench_plan_clear) struct bench_plan plan = {0};
    struct bench_wish wish = wish_of("quick");
    AUTO(sweep_clear) struct sweep sweep = planned(&wish, &plan);

    EXPECT_HAS(plan, (runs, 1), (run_seconds, 45));
    EXPECT(sweep.count == 1 && strcmp(sweep.cells[0].spec.precision, "bf16") == 0);
    EXPECT(sweep.count == 1 && sweep.cells[0].spec.min_seconds == 12);
    EXPECT(sweep.count == 1 && sweep.cells[0].spec.max_seconds == 45);
}

TEST(all_runs_fit_into_the_time_and_the_money)
{
    static const long long seconds[] = {10, 60, 100, 450, 1800, 604800};

    for (size_t i = 0; i < COUNT(seconds); i++) {
        AUTO(bench_plan_clear) struct bench_plan plan = {0};
        struct bench_wish wish = wish_of("standard");
        double dollars = 0;
        long long sum = 0;

        wish.max_seconds = seconds[i];
        wish.max_dollars = 2;
        AUTO(sweep_clear) struct sweep sweep = planned(&wish, &plan);
        for (size_t j = 0; j < sweep.count; j++) {
            const struct run_spec *spec = &sweep.cells[j].spec;

            EXPECT(spec->max_seconds >= 1 && spec->max_seconds <= 86400);
            EXPECT(spec->min_seconds <= spec->max_seconds);
            sum += 2 * spec->max_seconds;
            dollars += 2 * spec->max_dollars;
        }
        EXPECT(sum <= seconds[i]);
        EXPECT(seconds[i] < 60 || seconds[i] > 100000 || sum >= seconds[i] - 4 * 2 - 4);
        EXPECT_NEAR(dollars, 2, 1e-12);
    }
}

TEST(labels_go_with_each_run)
{
    AUTO(bench_plan_clear) struct bench_plan plan = {0};
    struct bench_wish wish = wish_of("quick");

    wish.label = "team=blue;note=a=b;empty=;";
    AUTO(sweep_clear) struct sweep sweep = planned(&wish, &plan);
    REQUIRE(sweep.count == 1);
    const struct run_spec *spec = &sweep.cells[0].spec;
    EXPECT_HAS(*spec, (label_count, 4), (labels[0].key, "bench"), (labels[1].key, "empty"),
               (labels[1].value, ""), (labels[2].value, "a=b"), (labels[3].value, "blue"));
}

static void expect_refused(const char *label, const char *why)
{
    struct bench_wish wish = wish_of("quick");
    struct bench_plan plan = {.runs = 77};

    wish.label = label;
    EXPECT_WRONG(bench_plan_make(&wish, &plan, &err), "--label", why);
    EXPECT_INT((long long)plan.runs, 77);
}

TEST(a_wrong_label_is_refused_with_the_reason)
{
    char many[400] = "", value[400];

    expect_refused("team", "must be KEY=VALUE, got 'team'");
    expect_refused("=x", "a key must have 1 to 64 characters, got 0");
    expect_refused("a b=x", "the key 'a b' must hold only letters, digits and . _ - /");
    expect_refused("a=1;a=2", "the key 'a' is given twice");
    expect_refused("bench=mine", "the key 'bench' is the bench's own: take another");
    snprintf(value, sizeof value, "a=%0300d", 0);
    expect_refused(value, "the value of 'a' must have at most 256 bytes, got 300");
    for (int i = 0; i < 16; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "k%d=v;", i);
    expect_refused(many, "more than 16, including 'bench'");
}

static enum bench_kin compare(const struct bench_wish *wish, const struct bench_wish *earlier)
{
    AUTO(bench_plan_clear) struct bench_plan now = {0}, then = {0};

    EXPECT(bench_plan_make(wish, &now, NULL) && bench_plan_make(earlier, &then, NULL));
    return bench_plan_compare(&now, then.request);
}

TEST(an_earlier_bench_is_the_same_if_it_takes_no_more)
{
    struct bench_wish wish = wish_of("standard"), earlier = wish_of("standard");

    EXPECT_INT(compare(&wish, &earlier), BENCH_SAME);
    earlier.max_seconds = 60;
    earlier.max_dollars = 3;
    EXPECT_INT(compare(&wish, &earlier), BENCH_SAME);
    earlier.label = "team=blue";
    EXPECT_INT(compare(&wish, &earlier), BENCH_OTHER);
    wish.label = "team=blue";
    EXPECT_INT(compare(&wish, &earlier), BENCH_SAME);
    earlier.has_bf16 = false;
    EXPECT_INT(compare(&wish, &earlier), BENCH_OTHER);
    earlier = wish_of("quick");
    EXPECT_INT(compare(&wish, &earlier), BENCH_OTHER);
}

TEST(an_earlier_bench_that_may_take_more_is_another)
{
    struct bench_wish wish = wish_of("standard"), earlier = wish_of("standard");

    earlier.max_seconds = wish.max_seconds * 2;
    EXPECT_INT(compare(&wish, &earlier), BENCH_OTHER);
    earlier.max_seconds = wish.max_seconds;
    wish.max_dollars = 2;
    EXPECT_INT(compare(&wish, &earlier), BENCH_OTHER); /* it had no such limit */
    earlier.max_dollars = 2.5;
    EXPECT_INT(compare(&wish, &earlier), BENCH_OTHER);
    earlier.max_dollars = 2;
    EXPECT_INT(compare(&wish, &earlier), BENCH_SAME);
}

/* The whole spec is the base; time and money are the bench's. */
TEST(what_a_hub_wants_is_one_configuration_twice)
{
    struct run_spec spec = run_spec_default();
    AUTO(bench_plan_clear) struct bench_plan plan = {0};
    struct bench_wish wish = wish_of(BENCH_WANTED);

    spec.batch_size = 48;
    spec.precision = "bf16";
    spec.max_seconds = 7;
    spec.max_dollars = 3;
    wish.wanted = &spec;
    wish.label = "team=blue";
    AUTO(sweep_clear) struct sweep sweep = planned(&wish, &plan);
    EXPECT_INT((long long)sweep.count, 1);
    EXPECT_INT((long long)plan.runs, 2);
    REQUIRE(sweep.count == 1);
    EXPECT_HAS(sweep.cells[0], (name, "precision=bf16"), (spec.workload, "resnet50"),
               (spec.batch_size, 48));
    EXPECT_INT(sweep.cells[0].spec.max_seconds, 223); /* half of 450, less what lies between */
    EXPECT_HAS(sweep.cells[0].spec, (max_dollars, 0), (label_count, 2),
               (labels[0].value, "wanted"));
}

/* It is continued where the hub still wants the same, and no bench of a set is taken for it. */
TEST(another_wish_of_the_hub_is_another_bench)
{
    struct run_spec spec = run_spec_default(), other = run_spec_default();
    struct bench_wish now = wish_of(BENCH_WANTED), then = wish_of(BENCH_WANTED);
    struct bench_wish standard = wish_of("standard");

    now.wanted = &spec;
    then.wanted = &other;
    EXPECT_INT(compare(&now, &then), BENCH_SAME);
    other.batch_size = 48;
    EXPECT_INT(compare(&now, &then), BENCH_OTHER);
    EXPECT_INT(compare(&now, &standard), BENCH_OTHER);
    EXPECT_INT(compare(&standard, &now), BENCH_OTHER);
}

TEST(a_sweep_of_another_client_is_not_continued)
{
    AUTO(bench_plan_clear) struct bench_plan plan = {0};
    struct bench_wish wish = wish_of("quick");

    EXPECT(bench_plan_make(&wish, &plan, NULL));
    EXPECT_INT(bench_plan_compare(&plan, "{\"preset\":\"tune\"}"), BENCH_STRANGER);
    EXPECT_INT(bench_plan_compare(&plan, "{\"blocks\":1,\"base\":{\"labels\":{\"bench\":"
                                         "\"quick\"}},\"cells\":[{\"precision\":\"f32\"}]}"),
               BENCH_STRANGER);
    EXPECT_INT(bench_plan_compare(&plan,
                                  "{\"blocks\":1,\"base\":{\"workload\":\"resnet50\","
                                  "\"min_seconds\":12,\"max_seconds\":45,\"seed\":1,\"labels\":"
                                  "{\"bench\":\"quick\"}},\"cells\":[{\"precision\":\"bf16\"}]}"),
               BENCH_STRANGER);
    EXPECT_INT(bench_plan_compare(&plan, "not JSON"), BENCH_STRANGER);
}

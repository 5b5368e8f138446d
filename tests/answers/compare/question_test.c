#include "tests/answers/compare/comparison.h"

TEST_WITH_STAGE(a_bare_question_has_defaults)
{
    const struct comparison_question *question = &stage->question;

    EXPECT(stage_ask(stage, "", NULL));
    EXPECT_HAS(*question, (workload, "resnet50"), (configuration, "best"));
    EXPECT(!question->engine && !question->provider && !question->precision);
    EXPECT_STR(question->provenance, "all");
    EXPECT(!question->stratum && !question->reference);
    EXPECT_HAS(*question, (kind_count, 1), (kinds[0], CHOOSE_ON_DEMAND),
               (order, ORDER_SAMPLES_PER_DOLLAR));
    EXPECT(question->where.is_now && !question->where.zone);
    EXPECT_HAS(*question, (where.at_us, STAGE_NOW_US), (margin_percent, 3),
               (vm_spread_percent, 3), (checkpoint_seconds, 10), (restart_seconds, 300));
    EXPECT_NEAR(question->samples + question->epochs + question->job_seconds, 0, 0);
    EXPECT_NEAR(question->deadline_h + question->budget + question->hourly_value, 0, 0);
    EXPECT_HAS(*question, (limit, 50), (offset, 0), (batch_size, 0));
}

TEST_WITH_STAGE(words_are_kept)
{
    const struct comparison_question *question = &stage->question;

    EXPECT(stage_ask(
        stage,
        "workload=mlp&engine=native&provider=aws&precision=bf16&stratum=abc"
        "&provenance=published&configuration=all&reference=m5.large&zone=eu-1a"
        "&instance_type=a&instance_type=b&label=branch%3Dmain&label=a=b&sender=c1&batch_size=16&"
        "price_at=2024-09-15T00:00:00Z",
        NULL));
    EXPECT_HAS(*question, (workload, "mlp"), (engine, "native"), (provider, "aws"),
               (precision, "bf16"), (stratum, "abc"), (provenance, "published"),
               (configuration, "all"), (reference, "m5.large"), (where.zone, "eu-1a"),
               (instance_count, 2), (instances[1], "b"), (label_count, 2), (sender, "c1"),
               (labels[0].key, "branch"), (labels[0].value, "main"), (labels[1].key, "a"));
    EXPECT_HAS(*question, (batch_size, 16), (where.is_now, false),
               (where.at_us, 1726358400000000LL));
    EXPECT(stage_ask(stage, "configuration=0123456789abcdef", NULL));
}

static const struct {
    const char *text, *field;
} wrong[] = {
    {"wrong=1", "wrong"},
    {"workload=a&workload=b", "workload"},
    {"workload=%FC", "workload"}, /* no UTF-8: the answer repeats it */
    {"zone=a%C3", "zone"},
    {"provenance=imagined", "provenance"},
    {"provenance=", "provenance"},
    {"configuration=worst", "configuration"},
    {"configuration=", "configuration"},
    {"configuration=0123456789abcde", "configuration"},
    {"configuration=0123456789abcdefg", "configuration"},
    {"configuration=0123456789ABCDEF", "configuration"},
    {"price=", "price"},
    {"price=free", "price"},
    {"price=spot,", "price"},
    {"price=spot,spot", "price"},
    {"price=on_demand,spot,typed,paid,on_demand", "price"},
    {"price=on_demand,spot,typed,paid,on_demand,spot,typed,paid", "price"},
    {"region=", "region"},
    {"region=a,,b", "region"},
    {"region=1,2,3,4,5,6,7,8,9", "region"},
    {"zone=0123456789012345678901234567890123456789", "zone"},
    {"price_at=yesterday", "price_at"},
    {"price_at=", "price_at"},
    {"deadline=", "deadline"},
    {"deadline=soon", "deadline"},
    {"deadline=48", "deadline"},
    {"deadline=2023-11-14", "deadline"}, /* today began in the past */
    {"deadline=2023-11-14T22:13:20Z", "deadline"},
    {"deadline=2300-01-01", "deadline"},
    {"deadline=2023-12-01&deadline_h=5", "deadline"},
    {"discount=:0.5", "discount"},
    {"discount=a:b", "discount"},
    {"price_of=0.5", "price_of"},
    {"price_of=:0.5", "price_of"},
    {"price_of=a:", "price_of"},
    {"price_of=0123456789012345678901234567890123456789012345678901234567890123:1", "price_of"},
    {"samples=1&epochs=1", "samples"},
    {"samples=1&job_seconds=1", "samples"},
    {"epochs=1&job_seconds=1", "samples"},
    {"sort=price", "sort"},
    {"sort=", "sort"},
    {"sort=utility", "utility"},
    {"utility=", "utility"},
    {"utility=hours%2B", "utility"},
    {"utility=beauty", "utility"},
    {"reference=", "reference"},
    {"instance_type=1&instance_type=2&instance_type=3&instance_type=4&instance_type=5&instance_"
     "type=6&instance_type=7"
     "&instance_type=8&instance_type=9",
     "instance_type"},
    {"discount=1&discount=a:1&discount=b:1&discount=c:1&discount=d:1&discount=e:1&discount=f:1"
     "&discount=g:1&discount=h:1",
     "discount"},
    {"price_of=a:1&price_of=b:1&price_of=c:1&price_of=d:1&price_of=e:1&price_of=f:1"
     "&price_of=g:1&price_of=h:1&price_of=i:1",
     "price_of"},
    {"discount=0.9&discount=0.8", "discount"}, /* one of them would be ignored */
    {"discount=aws:0.9&discount=azure:0.9&discount=aws:0.9", "discount"},
    {"price_of=a:1&price_of=a:2", "price_of"},
};

TEST(an_error_names_its_parameter)
{
    for (size_t i = 0; i < COUNT(wrong); i++) {
        AUTO(stage_clear) struct stage stage = {0};
        struct error err = {0};

        if (stage_ask(&stage, wrong[i].text, &err))
            test_fail(__FILE__, __LINE__, wrong[i].text);
        EXPECT_HAS(err, (kind, ERROR_INVALID), (field, wrong[i].field));
        EXPECT(err.message[0]);
    }
}

TEST_WITH_STAGE(a_deadline_is_a_number_of_hours_or_a_moment)
{
    EXPECT(stage_ask(stage, "deadline=2023-11-15T01:13:20%2B01:00", NULL));
    EXPECT_NEAR(stage->question.deadline_h, 2, 1e-9);
    EXPECT_INT(stage->question.deadline_us, STAGE_NOW_US + 2 * 3600000000LL);
    EXPECT(stage_ask(stage, "deadline=2023-11-15", NULL)); /* when that day begins */
    EXPECT_NEAR(stage->question.deadline_h, 1.0 + 2800.0 / 3600, 1e-9);
    EXPECT_MESSAGE(stage_ask(stage, "deadline=2020-01-01", &err),
                   "is in the past: 2020-01-01T00:00:00.000Z; it must be later than now");
}

TEST_WITH_STAGE(kinds_of_price_keep_their_order)
{
    EXPECT(stage_ask(stage, "price=paid,typed,spot,on_demand", NULL));
    EXPECT_HAS(stage->question, (kind_count, 4), (kinds[0], CHOOSE_PAID),
               (kinds[1], CHOOSE_TYPED), (kinds[2], CHOOSE_SPOT), (kinds[3], CHOOSE_ON_DEMAND));
}

TEST_WITH_STAGE(regions_are_the_machines_own_and_where_clouds_began)
{
    const char *const *regions = stage->question.where.regions;
    const struct identity nowhere = {0}, usual = {.region = "us-east-1"};

    EXPECT(stage_ask(stage, "", NULL));
    EXPECT_STR(regions[0], "eu-north-1");
    EXPECT_STR(regions[1], "us-east-1");
    EXPECT_STR(regions[2], "us-central1");
    EXPECT_STR(regions[3], "eastus");
    EXPECT(regions[4] == NULL);
    EXPECT(comparison_question_read(&stage->query, &nowhere, 1, &stage->question, NULL));
    EXPECT_STR(regions[0], "us-east-1");
    EXPECT(regions[3] == NULL);
    EXPECT(comparison_question_read(&stage->query, &usual, 1, &stage->question, NULL));
    EXPECT_STR(regions[0], "us-east-1");
    EXPECT_STR(regions[1], "us-central1"); /* not twice */
    EXPECT(stage_ask(stage, "region=eu-west-1,westeurope", NULL));
    EXPECT_STR(regions[0], "eu-west-1");
    EXPECT_STR(regions[1], "westeurope");
    EXPECT(regions[2] == NULL);
    EXPECT(stage_ask(stage, "region=1,2,3,4,5,6,7,8", NULL));
    EXPECT_STR(regions[7], "8");
    EXPECT(regions[8] == NULL);
}

TEST_WITH_STAGE(something_may_be_about_all_or_about_one)
{
    const struct comparison_question *question = &stage->question;

    EXPECT(stage_ask(stage, "discount=0.5&discount=c7i.:0.25&price_of=a:b:3", NULL));
    EXPECT_HAS(*question, (discount_count, 2), (discounts[0].name, ""),
               (discounts[0].number, 0.5), (discounts[1].name, "c7i."),
               (discounts[1].number, 0.25), (price_count, 1), (prices[0].name, "a:b"),
               (prices[0].number, 3));
}

TEST_WITH_STAGE(the_order_follows_what_is_asked)
{
    const struct comparison_question *question = &stage->question;

    EXPECT(stage_ask(stage, "hourly_value=10", NULL));
    EXPECT_INT(question->order, ORDER_TOTAL_DOLLARS);
    EXPECT(stage_ask(stage, "hourly_value=0", NULL));
    EXPECT_INT(question->order, ORDER_SAMPLES_PER_DOLLAR);
    EXPECT(stage_ask(stage, "hourly_value=10&utility=hours", NULL));
    EXPECT_HAS(*question, (order, ORDER_UTILITY), (utility_text, "hours"));
    EXPECT(stage_ask(stage, "sort=throughput&utility=hours", NULL));
    EXPECT_HAS(*question, (order, ORDER_THROUGHPUT), (has_utility, true));
    for (int order = 0; order_names[order]; order++) {
        char text[60];

        snprintf(text, sizeof text, "utility=hours&sort=%s", order_names[order]);
        EXPECT(stage_ask(stage, text, NULL));
        EXPECT_INT(question->order, order);
    }
}

TEST(a_utility_knows_every_field)
{
    for (const char *const *field = utility_fields; *field; field++) {
        AUTO(stage_clear) struct stage stage = {0};
        char text[60];

        snprintf(text, sizeof text, "utility=%s", *field);
        EXPECT_OK(stage_ask(&stage, text, &err));
    }
}

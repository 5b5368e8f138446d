#include "answers/compare/unmatched.h"

#include "tests/answers/compare/comparison.h"

static void stage_some(struct stage *stage)
{
    OFFERED(stage, "c7i.large", .on_demand = 1);
    OFFERED(stage, "p4d.24xlarge", .on_demand = 30);
    MEASURED(stage, "c7i.large", 10, .low = 9, .high = 11);
    MEASURED(stage, "desk", 20, .low = 19, .high = 21, .engine = "pytorch", .provider = "");
    MEASURED(stage, "c7i.large", 40, .low = 39, .high = 41, .workload = "mlp", .engine = "jax");
}

TEST(a_parameter_that_matches_nothing_is_named_with_what_is_known)
{
    static const struct {
        const char *question, *parameter, *words;
    } cases[] = {
        {"workload=renset50", "workload",
         "no run trained 'renset50'; known are resnet50, bilstm2017, cifar2017, cnn2017, "
         "fasttext2017, fasttext2017_unigrams and 6 more"},
        {"instance_type=p4d.24xlrage", "instance_type",
         "no run of resnet50 and no price has it; known are p4d.24xlarge, c7i.large, desk"},
        {"workload=resnet5", "workload",
         "no run trained 'resnet5'; known are resnet50, bilstm2017, cifar2017, cnn2017, "
         "fasttext2017, fasttext2017_unigrams and 6 more"},
        {"engine=nativ", "engine", "no run of resnet50 has it; known are native, pytorch"},
        {"engine=jax", "engine", "no run of resnet50 has it; known are native, pytorch"},
        {"provider=awz", "provider", "no run of resnet50 and no price has it; known are aws"},
        {"stratum=s9", "stratum", "no run of resnet50 has it; known are s1"},
        {"precision=f16", "precision", "no run of resnet50 has it; known are bf16"},
        {"batch_size=17", "batch_size", "no run of resnet50 has it; known are 16"},
        {"instance_type=c7i.lage", "instance_type",
         "no run of resnet50 and no price has it; known are c7i.large, p4d.24xlarge, desk"},
        {"price_of=c7i:1", "price_of",
         "no run of resnet50 and no price has it; known are c7i.large, desk, p4d.24xlarge; a "
         "family ends with a dot: 'c7i.'"},
        {"discount=p4d:0.5", "discount",
         "no run of resnet50 and no price has it; known are p4d.24xlarge, c7i.large, desk; a "
         "family ends with a dot: 'p4d.'"},
        {"configuration=0123456789abcdef", "configuration",
         "no row of resnet50 has it; GET /v1/comparison?configuration=all lists all"},
    };
    AUTO(stage_clear) struct stage stage = {0};

    stage_some(&stage);
    for (size_t i = 0; i < COUNT(cases); i++) {
        compare(&stage, cases[i].question);
        EXPECT_HAS(stage.ranking, (unmatched_count, 1),
                   (unmatched[0].parameter, cases[i].parameter),
                   (unmatched[0].words, cases[i].words));
    }
}

TEST_WITH_STAGE(a_character_that_a_size_cuts_is_mended)
{
    stage_some(stage);
    for (int length = 60; length <= 75; length++) {
        char question[128];
        const struct unmatched *unmatched = stage->ranking.unmatched;

        snprintf(
            question, sizeof question, "workload=%.*s\xce\xa0", length,
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
        compare(stage, question);
        EXPECT_INT((long long)stage->ranking.unmatched_count, 1);
        EXPECT(text_is_utf8(unmatched->value, strlen(unmatched->value)));
        EXPECT(text_is_utf8(unmatched->words, strlen(unmatched->words)));
    }
}

TEST(a_parameter_that_matches_something_is_not_named)
{
    static const char *const questions[] = {
        "",
        "engine=native&provider=aws&stratum=s1&precision=bf16&batch_size=16",
        "instance_type=c7i.large&instance_type=desk&instance_type=p4d.24xlarge",
        "discount=0.5&discount=c7i.:0.6&discount=aws:0.7&discount=p4d.24xlarge:0.8",
        "price_of=p4d.:1&price_of=desk:0.1",
        "configuration=0000000000000001",
        "workload=mlp&engine=jax",
    };
    AUTO(stage_clear) struct stage stage = {0};

    stage_some(&stage);
    for (size_t i = 0; i < COUNT(questions); i++) {
        compare(&stage, questions[i]);
        if (stage.ranking.unmatched_count > 0)
            test_fail(__FILE__, __LINE__, stage.ranking.unmatched[0].words);
    }
}

/* A fresh server has neither runs nor prices: the default question is no mistake there. */
TEST_WITH_STAGE(on_a_fresh_server_the_default_question_matches)
{
    compare(stage, "");
    EXPECT_INT((long long)stage->ranking.unmatched_count, 0);
    compare(stage, "workload=mlp2017");
    EXPECT_INT((long long)stage->ranking.unmatched_count, 0);
    compare(stage, "workload=mpl");
    EXPECT_INT((long long)stage->ranking.unmatched_count, 1);
    EXPECT_STR(
        stage->ranking.unmatched[0].words,
        "no run trained 'mpl'; known are mlp2017, bilstm2017, cifar2017, cnn2017, fasttext2017, "
        "fasttext2017_unigrams and 5 more");
    compare(stage, "engine=x&instance_type=y");
    EXPECT_INT((long long)stage->ranking.unmatched_count, 2);
    EXPECT_STR(stage->ranking.unmatched[0].words, "no run of resnet50 has it; none is known");
}

TEST_WITH_STAGE(many_known_values_are_cut_to_those_that_look_alike)
{
    static const char *const names[] = {"a1.large", "b1.large", "c5.large", "c6.large",
                                        "c7.large", "d1.large", "e1.large", "f1.large"};

    for (size_t i = 0; i < COUNT(names); i++)
        OFFERED(stage, names[i], .on_demand = 1);
    compare(stage, "instance_type=c7.lage");
    EXPECT_STR(stage->ranking.unmatched[0].words,
               "no run of resnet50 and no price has it; known are c7.large, c5.large, c6.large, "
               "a1.large, b1.large, d1.large and 2 more");
}

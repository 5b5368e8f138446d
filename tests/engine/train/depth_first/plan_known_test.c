/* Which machines and networks have a plan before anything is measured. */
#include "engine/train/depth_first/plan_known.h"

#include "engine/train/networks/resnet50.h"
#include "tests/engine/train/small_network.h"
#include "tests/test.h"

static struct network resnet50;
static struct stages stages;

static const struct plan_machine fourth_xeon = {CPU_AMX, DNN_BF16, 2 << 20};

bool test_begin(void)
{
    struct error err = {0};

    resnet50_describe(&resnet50);
    return stages_of(&resnet50, &stages, &err);
}

TEST(resnet50_in_bf16_on_tiles_is_known)
{
    struct plan plan = {0};

    EXPECT(plan_known(&fourth_xeon, &resnet50, &stages, &plan));
    EXPECT_STR(plan.origin, "known");
    EXPECT_INT(plan.count, stages.count);
    for (int i = 0; i < plan.count; i++) {
        EXPECT(plan.stages[i].by_hand);
        EXPECT(plan.stages[i].kilobytes > 0);
    }
}

TEST(resnet50_in_bf16_by_avx512_is_known)
{
    const struct plan_machine fourth_epyc = {CPU_AVX512_BF16, DNN_BF16, 1 << 20};
    struct plan plan = {0};

    EXPECT(plan_known(&fourth_epyc, &resnet50, &stages, &plan));
    EXPECT_INT(plan.stages[0].kilobytes, plan.stages[plan.count - 1].kilobytes);
}

TEST(smaller_images_are_worked_in_larger_chunks)
{
    struct plan plan = {0};

    EXPECT(plan_known(&fourth_xeon, &resnet50, &stages, &plan));
    EXPECT(plan.stages[stages.count - 1].kilobytes > plan.stages[1].kilobytes);
}

TEST(another_machine_is_not_known)
{
    const struct plan_machine others[] = {
        {CPU_AMX, DNN_F32, 2 << 20}, {CPU_AVX512, DNN_BF16, 2 << 20}, {CPU_AMX, DNN_BF16, 0}};

    for (size_t i = 0; i < COUNT(others); i++) {
        struct plan plan = {.count = -1};

        EXPECT(!plan_known(&others[i], &resnet50, &stages, &plan));
        EXPECT_INT(plan.count, -1);
    }
}

TEST(images_of_another_size_are_not_known)
{
    struct network network;
    struct stages cut;
    struct plan plan = {.count = -1};

    small_network(&network);
    EXPECT_OK(stages_of(&network, &cut, &err));
    EXPECT(!plan_known(&fourth_xeon, &network, &cut, &plan));
    EXPECT_INT(plan.count, -1);
}

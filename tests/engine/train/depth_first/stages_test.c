#include "engine/train/depth_first/stages.h"

#include "engine/train/networks/resnet50.h"
#include "tests/engine/train/small_network.h"
#include "tests/test.h"

TEST(resnet50_falls_into_49_stages)
{
    struct network network;
    struct stages stages;
    int convs = 0, kept = 0, pooled = 0;

    resnet50_describe(&network);
    EXPECT(stages_of(&network, &stages, NULL));
    /* 53 convolutions; the four projections share a stage with another one. */
    EXPECT_INT(stages.count, 49);
    EXPECT_INT(stages.activation_count, 49);
    for (int i = 0; i < stages.count; i++)
        convs += stages.list[i].count;
    EXPECT_INT(convs, 53);
    for (int i = 0; i < stages.activation_count; i++) {
        kept += stages.activations[i].kept;
        pooled += stages.activations[i].pool >= 0;
    }
    EXPECT_INT(kept, 17); /* the outputs of the pool and of 16 blocks */
    EXPECT_INT(pooled, 1);
    EXPECT_INT(network.layers[stages.linear].kind, LAYER_LINEAR);
    EXPECT_INT(stages.last, stages.activation_count - 1);
}

TEST(a_stage_reads_what_an_earlier_one_made)
{
    struct network network;
    struct stages stages;

    small_network(&network);
    EXPECT(stages_of(&network, &stages, NULL));
    EXPECT_INT(stages.list[0].reads, -1);
    for (int i = 1; i < stages.count; i++) {
        const struct activation *read = &stages.activations[stages.list[i].reads];
        const struct layer *layer = &network.layers[stages.list[i].convs[0]];

        EXPECT(read->conv < stages.list[i].convs[0]);
        EXPECT_INT(network.layers[read->conv].out_channels, layer->in_channels);
    }
}

TEST(a_shortcut_is_an_activation_or_a_projection)
{
    struct network network;
    struct stages stages;
    int plain = 0, projected = 0;

    small_network(&network);
    EXPECT(stages_of(&network, &stages, NULL));
    for (int i = 0; i < stages.activation_count; i++) {
        const struct activation *a = &stages.activations[i];

        EXPECT(a->adds < 0 || a->adds_conv < 0);
        plain += a->adds >= 0;
        projected += a->adds_conv >= 0;
        if (a->adds >= 0)
            EXPECT_INT(stages.activations[a->adds].added_to, i);
        if (a->adds_conv >= 0)
            EXPECT_INT(stages_behind(&stages, a->adds_conv), i);
        EXPECT_INT(stages_behind(&stages, a->conv), i);
    }
    EXPECT_INT(plain, 2);
    EXPECT_INT(projected, 2);
}

/* How many, and how many of them stand directly behind another. */
static void check_again(int longest, int wanted, int wanted_behind)
{
    struct network network;
    struct stages stages;
    int again = 0, behind = 0;

    resnet50_describe(&network);
    EXPECT(stages_of(&network, &stages, NULL));
    stages_make_again(&stages, longest);
    for (int i = 0; i < stages.activation_count; i++) {
        const struct activation *a = &stages.activations[i];

        again += a->again;
        behind += a->again && a->adds >= 0 && stages.activations[a->adds].again;
        EXPECT(a->kept || !a->again);
        EXPECT(!a->again || a->adds < 0 || stages.activations[a->adds].kept);
    }
    EXPECT_INT(again, wanted);
    EXPECT_INT(behind, wanted_behind);
    EXPECT(!stages.activations[stages.last].again);
}

TEST(what_is_kept_can_be_made_again_on_the_way_back)
{
    check_again(0, 0, 0);
    check_again(1, 8, 0);  /* of 3, 4, 6 and 3 blocks the first, the third, the fifth */
    check_again(3, 13, 8); /* all but the fourth of 4 and of 6, and the last of all */
}

TEST(a_network_of_another_kind_is_refused)
{
    struct network network;
    struct stages stages;

    small_network(&network);
    network.layers[4].input = 3; /* reads a projection before its batch-norm is added */
    network.layers[3].relu = false;
    EXPECT_SAYS(stages_of(&network, &stages, &err), "does not fit into stages");
    network = (struct network){0};
    EXPECT(!stages_of(&network, &stages, NULL));
}

#include "engine/train/plain/reorder.h"

#include "tests/test.h"

#define NUMBERS (2 * 3 * 4 * 4)

static struct dnn_images images_in(enum dnn_order order)
{
    return (struct dnn_images){
        .batch = 2, .channels = 3, .height = 4, .width = 4, .type = DNN_F32, .order = order};
}

TEST(where_both_want_the_same_nothing_is_copied)
{
    const struct dnn_images same = images_in(DNN_NCHW);
    struct reorder_rooms rooms = {.dnn = dnn_open(1, NULL)};
    struct reorder in = {0}, out = {0};
    float values[1];
    struct error err = {0};

    EXPECT(dnn_images_lie_alike(&same, &same));
    EXPECT(reorder_make_in(&in, &same, &same, &rooms, 0, &err));
    EXPECT(reorder_make_out(&out, &same, &same, &rooms, 1, &err));
    EXPECT(rooms.bytes[0] == 0 && rooms.bytes[1] == 0);
    EXPECT(reorder_in(&in, values, &err) == values);
    EXPECT(reorder_place(&out, values) == values);
    EXPECT(reorder_out(&out, values, &err));
    reorder_free(&in);
    reorder_free(&out);
    dnn_close(rooms.dnn);
}

TEST(what_goes_over_and_back_is_what_it_was)
{
    const struct dnn_images ours = images_in(DNN_NCHW), theirs = images_in(DNN_NHWC);
    struct reorder_rooms rooms = {.dnn = dnn_open(1, NULL)};
    struct reorder in = {0}, out = {0};
    float values[NUMBERS], room[2][NUMBERS], back[NUMBERS], *moved;
    struct error err = {0};

    EXPECT(!dnn_images_lie_alike(&ours, &theirs));
    EXPECT(reorder_make_in(&in, &ours, &theirs, &rooms, 0, &err));
    EXPECT(reorder_make_out(&out, &theirs, &ours, &rooms, 1, &err));
    EXPECT_INT((long long)rooms.bytes[0], sizeof room[0]);
    EXPECT_INT((long long)rooms.bytes[1], sizeof room[1]);
    rooms.memory[0] = room[0];
    rooms.memory[1] = room[1];
    for (int i = 0; i < NUMBERS; i++)
        values[i] = (float)i;
    moved = reorder_in(&in, values, &err);
    EXPECT(moved == room[0]);
    EXPECT_NEAR((double)moved[0], 0, 0);
    EXPECT_NEAR((double)moved[1], 16, 0); /* the second channel of the first pixel */
    EXPECT_NEAR((double)moved[3], 1, 0);  /* the first channel of the second */
    EXPECT(reorder_place(&out, back) == room[1]);
    memcpy(room[1], moved, sizeof room[1]);
    EXPECT(reorder_out(&out, back, &err));
    EXPECT_INT(memcmp(values, back, sizeof values), 0);
    reorder_free(&in);
    reorder_free(&out);
    reorder_free(&out); /* nothing is left to free */
    dnn_close(rooms.dnn);
}

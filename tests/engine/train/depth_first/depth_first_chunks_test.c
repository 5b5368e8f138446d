#include "engine/train/depth_first/depth_first_chunks.h"

#include "tests/test.h"

#define IMAGES 5

/* A net of two stages: one whose images are cut into three units each, one that takes two images
 * at once; a thread that owns the images 2, 3 and 4 of the batch. */
static struct depth_first depth_first = {
    .options = {.batch = IMAGES, .type = DNN_F32},
    .stages = {.count = 2},
    .cuts = {{.parts = 3, .chunk = 2}, {.parts = 1, .chunk = 2}}};
static struct lane lane = {.depth_first = &depth_first, .first_image = 2, .end_image = IMAGES};

static struct {
    int calls, fail_at;
    long first[16], count[16];
} seen;

static bool note(const struct chunk *chunk, struct error *err)
{
    seen.first[seen.calls] = chunk->first;
    seen.count[seen.calls] = chunk->count;
    if (++seen.calls == seen.fail_at)
        return error_set(err, ERROR_INTERNAL, NULL, "on purpose");
    return true;
}

TEST(chunks_cover_the_threads_units_once_and_in_order)
{
    seen.calls = seen.fail_at = 0;
    EXPECT(depth_first_chunks(&lane, 0, note));
    EXPECT_INT(seen.calls, depth_first_chunk_count(&lane, &depth_first.cuts[0]));
    EXPECT_INT(seen.calls, 5); /* 9 units, two at once */
    for (int i = 0; i < seen.calls; i++) {
        EXPECT_INT(seen.first[i], 6 + 2 * i);
        EXPECT_INT(seen.count[i], i < 4 ? 2 : 1);
    }
    seen.calls = 0;
    EXPECT(depth_first_chunks(&lane, 1, note));
    EXPECT_INT(seen.calls, 2);
    EXPECT_INT(seen.first[1], 4);
    EXPECT_INT(seen.count[1], 1);
}

TEST(a_thread_without_images_has_no_chunk)
{
    struct lane idle = {.depth_first = &depth_first, .first_image = 3, .end_image = 3};

    seen.calls = seen.fail_at = 0;
    EXPECT_INT(depth_first_chunk_count(&idle, &depth_first.cuts[0]), 0);
    EXPECT(depth_first_chunks(&idle, 0, note));
    EXPECT_INT(seen.calls, 0);
}

TEST(the_first_chunk_that_fails_is_the_last)
{
    seen.calls = 0;
    seen.fail_at = 2;
    lane.err = (struct error){0};
    EXPECT(!depth_first_chunks(&lane, 0, note));
    EXPECT_INT(seen.calls, 2);
    EXPECT_STR(lane.err.message, "on purpose");
}

TEST(the_rows_of_a_chunk_are_its_part_of_the_images)
{
    const struct layer layer = {
        .in_size = 6, .in_channels = 4, .out_size = 3, .out_channels = 8, .stride = 2};
    static float batch[IMAGES * 6 * 6 * 4]; /* (N, H, H, C) */
    const struct chunk parts = depth_first_chunk_at(&lane, 0, 1);
    const struct chunk whole = depth_first_chunk_at(&lane, 1, 0);

    EXPECT_INT(rows_in(&parts, &layer).count, 2 * 6 * 6 / 3);
    EXPECT_INT(rows_in(&parts, &layer).channels, 4);
    EXPECT_INT(rows_out(&whole, &layer).count, 2 * 3 * 3);
    EXPECT_INT(rows_out(&whole, &layer).channels, 8);
    /* Units 8 and 9 begin at two thirds of image 2; the thread's own images begin at image 2. */
    EXPECT((float *)chunk_of(&parts, batch, rows_in(&parts, &layer)) ==
           batch + 2 * 6 * 6 * 4 + 2 * 6 * 6 * 4 / 3);
    EXPECT((float *)chunk_of(&whole, batch, rows_in(&whole, &layer)) == batch + 2 * 6 * 6 * 4);
}

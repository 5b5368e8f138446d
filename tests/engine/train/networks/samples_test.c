/* Data and masks, against numbers that another program made. */
#include "engine/train/networks/samples.h"

#include "engine/train/networks/tensor_init.h"
#include "tests/test.h"

#include <math.h>

static void expect_all(const int32_t *values, const int *known, size_t count)
{
    for (size_t i = 0; i < count; i++)
        EXPECT_INT(values[i], known[i]);
}

TEST(tokens_and_labels_follow_the_definition)
{
    static const int wide[] = {1250, 1885, 446, 40052, 15052, 33068, 13615, 7288};
    static const int narrow[] = {1, 2, 0, 45, 17, 37, 15, 8};
    static const int ten[] = {4, 0, 6, 7, 7, 1, 0, 7}, two[] = {0, 0, 1, 1, 1, 0, 0, 1};
    struct data_shape data = {
        .kind = DATA_STREAM, .length = 8, .vocabulary = 50257, .classes = 50257};
    int32_t values[8];

    samples_tokens(&data, 1, 0, 1, values);
    expect_all(values, wide, 8);
    data.kind = DATA_REVIEWS;
    data.vocabulary = 57;
    samples_tokens(&data, 1, 0, 1, values);
    expect_all(values, narrow, 8);
    data.classes = 2;
    samples_labels(&data, 1, 0, 8, values);
    expect_all(values, two, 8);
    data.kind = DATA_IMAGES;
    data.classes = 10;
    samples_labels(&data, 1, 0, 8, values);
    expect_all(values, ten, 8);
}

TEST(a_window_of_characters_begins_three_behind_the_last_and_ends_before_its_label)
{
    static const int known[] = {1, 2, 0, 45, 17, 45, 17, 37, 15, 8};
    const struct data_shape data = {
        .kind = DATA_CHARACTERS, .length = 5, .vocabulary = 57, .classes = 57};
    int32_t values[10], label;

    samples_tokens(&data, 1, 0, 2, values);
    expect_all(values, known, 10);
    samples_labels(&data, 1, 0, 1, &label);
    EXPECT_INT(label, 37);
    samples_tokens(&data, 1, 1, 1, values); /* a later batch goes on */
    expect_all(values, known + 5, 5);
}

TEST(the_label_of_each_token_of_a_stream_is_the_next_one)
{
    static const int known[] = {2, 0, 45, 17, 37, 15};
    const struct data_shape data = {
        .kind = DATA_STREAM, .length = 3, .vocabulary = 57, .classes = 57};
    int32_t values[6];

    EXPECT_INT(samples_labels_each(&data), 3);
    samples_labels(&data, 1, 0, 2, values);
    expect_all(values, known, 6);
}

TEST(images_go_on_where_the_last_batch_ended)
{
    const struct data_shape data = {.kind = DATA_IMAGES, .image = {1, 2, 3, 3}, .classes = 10};
    float two[36], second[18];

    samples_images(&data, 7, 0, 2, two);
    samples_images(&data, 7, 1, 1, second);
    EXPECT(memcmp(two + 18, second, sizeof second) == 0);
    EXPECT(two[5] == (float)sqrt(3) * tensor_init_noise("images", 7, 5));
}

TEST(a_dropout_keeps_other_elements_in_each_step)
{
    static const int first[] = {1, 1, 1, 0, 0, 1, 1, 1}, second[] = {0, 0, 1, 1, 1, 1, 0, 1};

    EXPECT_INT(samples_keep_from(0.2), 3355443);
    EXPECT_INT(samples_keep_from(0.25), 4194304);
    EXPECT_INT(samples_keep_from(0.5), 8388608);
    for (size_t i = 0; i < 8; i++) {
        uint64_t before = tensor_init_start("dropout1", 1, 0);
        uint64_t after = tensor_init_start("dropout1", 1, 1);

        EXPECT_INT(tensor_init_bits(before, i) >= samples_keep_from(0.2), first[i]);
        EXPECT_INT(tensor_init_bits(after, i) >= samples_keep_from(0.2), second[i]);
    }
}

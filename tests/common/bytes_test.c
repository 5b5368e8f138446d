#include "common/bytes.h"

#include "common/error.h"
#include "tests/test.h"

TEST(added_bytes_stand_in_order_and_are_terminated)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 100};

    EXPECT(bytes_add(&bytes, "abc", 3));
    EXPECT(bytes_add(&bytes, "defgh", 2));
    EXPECT(bytes_printf(&bytes, "-%d-%s", 42, "end"));
    EXPECT_HAS(bytes, (used, 12), (data, "abcde-42-end"), (limit, 100));
}

TEST(room_is_filled_by_the_caller)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 6};

    EXPECT(bytes_add(&bytes, "abc", 3));
    char *room = bytes_extend(&bytes, 3);
    EXPECT(room != NULL);
    if (room)
        memcpy(room, "def", 3);
    EXPECT_STR(bytes.data, "abcdef");
    EXPECT(bytes_extend(&bytes, 1) == NULL);
    EXPECT_INT((long long)bytes.used, 6);
}

TEST(adding_nothing_makes_empty_text)
{
    AUTO(bytes_free) struct bytes added = {.limit = 10}, printed = {.limit = 10};

    EXPECT(added.data == NULL);
    EXPECT(bytes_add(&added, NULL, 0));
    EXPECT_HAS(added, (data, ""), (used, 0));

    EXPECT(bytes_printf(&printed, "%s", ""));
    EXPECT_HAS(printed, (data, ""), (used, 0));
}

TEST(bytes_with_zeros_are_kept_as_they_are)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 10};

    EXPECT(bytes_add(&bytes, "a\0b", 3));
    EXPECT(bytes_add(&bytes, "c", 1));
    EXPECT_INT((long long)bytes.used, 4);
    EXPECT(memcmp(bytes.data, "a\0bc", 5) == 0);
}

/* The limit counts bytes, not the NUL behind them. */
TEST(the_limit_can_be_reached_but_not_passed)
{
    static const size_t limits[] = {1, 2, 255, 256, 257, 1023, 1024, 1025, 5000};
    char text[5001];

    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < COUNT(limits); i++) {
        AUTO(bytes_free) struct bytes at_once = {.limit = limits[i]}, one_by_one = at_once;

        EXPECT(!bytes_add(&at_once, text, limits[i] + 1));
        EXPECT(at_once.data == NULL);
        EXPECT(bytes_add(&at_once, text, limits[i]));
        EXPECT_INT((long long)at_once.used, (long long)limits[i]);
        EXPECT(!bytes_add(&at_once, "y", 1));

        for (size_t n = 0; n < limits[i]; n++)
            EXPECT(bytes_add(&one_by_one, text, 1));
        EXPECT(!bytes_add(&one_by_one, text, 1));
        EXPECT(one_by_one.used == limits[i] && one_by_one.size <= limits[i] + 1);
        EXPECT(at_once.size <= limits[i] + 1);
        EXPECT_STR(one_by_one.data, at_once.data);
    }
}

TEST(an_addition_that_does_not_fit_leaves_the_bytes_unchanged)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 5};
    volatile size_t huge = (size_t)-1; /* the compiler warns of a constant */

    EXPECT(bytes_add(&bytes, "abcd", 4));

    const struct bytes before = bytes;
    EXPECT(!bytes_add(&bytes, "ef", 2));
    EXPECT(!bytes_printf(&bytes, "%d", 12));
    EXPECT(!bytes_add(&bytes, "ef", huge)); /* no sum may wrap around */
    EXPECT(memcmp(&bytes, &before, sizeof bytes) == 0);
    EXPECT_STR(bytes.data, "abcd");
    EXPECT(bytes_printf(&bytes, "%d", 1));
    EXPECT_STR(bytes.data, "abcd1");
}

TEST(what_is_too_long_is_named_with_its_limit)
{
    const struct bytes bytes = {.limit = 4096};

    EXPECT_ERROR_MESSAGE(bytes_too_long(&bytes, "the answer", &err), ERROR_INTERNAL,
                         "the answer is longer than 4096 bytes");
}

TEST(a_limit_of_nothing_takes_nothing)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 0};

    EXPECT(!bytes_add(&bytes, "a", 1));
    EXPECT(!bytes_printf(&bytes, "a"));
    EXPECT(bytes_add(&bytes, "", 0));
    EXPECT_STR(bytes.data, "");
}

TEST(dropping_moves_the_rest_forward)
{
    static const struct {
        size_t length;
        const char *rest;
    } drops[] = {{0, "abcdef"}, {1, "bcdef"}, {5, "f"}, {6, ""}};

    for (size_t i = 0; i < COUNT(drops); i++) {
        AUTO(bytes_free) struct bytes bytes = {.limit = 6};

        EXPECT(bytes_add(&bytes, "abcdef", 6));
        bytes_drop(&bytes, drops[i].length);
        EXPECT_STR(bytes.data, drops[i].rest);
        EXPECT_INT((long long)bytes.used, (long long)(6 - drops[i].length));
        EXPECT(drops[i].length == 0 || bytes_add(&bytes, "g", 1));
    }
}

TEST(dropping_nothing_from_nothing_is_fine)
{
    struct bytes bytes = {.limit = 6};

    bytes_drop(&bytes, 0);
    EXPECT(bytes.data == NULL && bytes.used == 0);
}

TEST(freed_bytes_can_be_used_again_up_to_the_same_limit)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 3};

    EXPECT(bytes_add(&bytes, "abc", 3));
    bytes_free(&bytes);
    EXPECT(bytes.data == NULL && bytes.used == 0 && bytes.size == 0);
    EXPECT_INT((long long)bytes.limit, 3);
    EXPECT(bytes_add(&bytes, "xyz", 3));
    EXPECT_STR(bytes.data, "xyz");
    EXPECT(!bytes_add(&bytes, "!", 1));
    bytes_free(&bytes);
    bytes_free(&bytes);
}

TEST(what_fits_keeps_its_data_and_may_grow_again)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 10000};

    bytes_fit(&bytes);
    EXPECT(bytes.data == NULL);
    EXPECT(bytes_add(&bytes, "penny", 5));
    EXPECT(bytes.size > 6);
    bytes_fit(&bytes);
    EXPECT(bytes.size == 6);
    EXPECT_STR(bytes.data, "penny");
    EXPECT(bytes_add(&bytes, "worth", 5));
    EXPECT_STR(bytes.data, "pennyworth");
}

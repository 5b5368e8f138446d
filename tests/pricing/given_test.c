/* Names that a person gives, and that would never match anything. */
#include "pricing/given.h"

#include "common/cleanup.h"
#include "tests/test.h"

TEST(a_provider_is_written_as_feeds_write_it)
{
    static const char *const wrong[][2] = {{"AWS", "'AWS' is written 'aws' here: nothing has the "
                                                   "other name"},
                                           {"Azure", "'Azure' is written 'azure' here: nothing "
                                                     "has the other name"},
                                           {"google", "'google' is written 'gcp' here: nothing "
                                                      "has the other name"}};
    static const char *const right[] = {"aws", "azure", "gcp", "hetzner", "OVH", ""};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        EXPECT_MESSAGE(given_provider_check("provider", wrong[i][0], &err), wrong[i][1]);
    }
    for (size_t i = 0; i < COUNT(right); i++)
        EXPECT(given_provider_check("provider", right[i], NULL));
    EXPECT(!given_provider_check("provider", "aws ", &(struct error){0}));
}

TEST(a_time_is_read_or_refused_with_the_way_to_write_one)
{
    long long at_us = 7;
    struct error err = {0};

    EXPECT(!given_time_read("since", "yesterday", &at_us, &err));
    EXPECT_INT(at_us, 7);
    EXPECT_STR(err.field, "since");
    EXPECT_STR(err.message, "must be a time like 2026-01-02T03:04:05Z, or a day like 2026-01-02, "
                            "got 'yesterday'");
    EXPECT(given_time_read("since", "1970-01-02", &at_us, NULL));
    EXPECT_INT(at_us, 86400000000);
}

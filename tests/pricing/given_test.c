/* Names that a person gives, and that would never match anything. */
#include "pricing/given.h"

#include "tests/test.h"

TEST(a_provider_is_written_as_feeds_write_it)
{
    EACH(struct pair, wrong,
         {"AWS", "'AWS' is written 'aws' here: nothing has the "
                 "other name"},
         {"Azure", "'Azure' is written 'azure' here: nothing "
                   "has the other name"},
         {"google", "'google' is written 'gcp' here: nothing "
                    "has the other name"}) {
        EXPECT_MESSAGE(given_provider_check("provider", wrong.given, &err), wrong.wanted);
    }
    EACH_TEXT(right, "aws", "azure", "gcp", "hetzner", "OVH", "")
        EXPECT(given_provider_check("provider", right, NULL));
    EXPECT(!given_provider_check("provider", "aws ", &(struct error){0}));
}

TEST(a_time_is_read_or_refused_with_the_way_to_write_one)
{
    long long at_us = 7;

    EXPECT_WRONG(given_time_read("since", "yesterday", &at_us, &err), "since",
                 "must be a time like 2026-01-02T03:04:05Z, or a day like 2026-01-02, got "
                 "'yesterday'");
    EXPECT_INT(at_us, 7);
    EXPECT(given_time_read("since", "1970-01-02", &at_us, NULL));
    EXPECT_INT(at_us, 86400000000);
}

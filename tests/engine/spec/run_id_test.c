#include "engine/spec/run_id.h"

#include "tests/test.h"

#include <limits.h>

static const struct {
    long long calendar_us;
    const char *time_part;
} times[] = {
    {0, "0000000000"},
    {999, "0000000000"},
    {1000, "0000000001"},
    {31000, "000000000Z"},
    {32000, "0000000010"},
    {1469918176385000, "01ARYZ6S41"},   /* the example of the ULID specification */
    {281474976710655000, "7ZZZZZZZZZ"}, /* all 48 bits */
    {281474976710656000, "7ZZZZZZZZZ"}, /* later than they can say */
    {LLONG_MAX, "7ZZZZZZZZZ"},
    {-1, "0000000000"}, /* before 1970 */
    {LLONG_MIN, "0000000000"},
};

TEST(an_id_begins_with_its_milliseconds)
{
    for (size_t i = 0; i < COUNT(times); i++) {
        struct run_id id;

        EXPECT(run_id_new(times[i].calendar_us, &id, NULL));
        EXPECT_INT((long long)strlen(id.text), RUN_ID_LENGTH);
        EXPECT(run_id_is_valid(id.text));
        id.text[10] = '\0';
        EXPECT_STR(id.text, times[i].time_part);
    }
}

TEST(ids_sort_by_time)
{
    struct run_id earlier, later;

    EXPECT(run_id_new(1767323045678000, &earlier, NULL));
    EXPECT(run_id_new(1767323045679000, &later, NULL));
    EXPECT(strcmp(earlier.text, later.text) < 0);
}

/* 80 random bits: in a thousand ids no two are alike, and every random digit takes all 32 values
 * while the digits of the time stand still. */
TEST(ids_of_one_moment_differ)
{
    static struct run_id ids[1000];
    static bool seen[RUN_ID_LENGTH][128];

    for (size_t i = 0; i < COUNT(ids); i++) {
        EXPECT(run_id_new(1767323045678000, &ids[i], NULL));
        for (size_t n = 0; n < i; n++)
            if (strcmp(ids[n].text, ids[i].text) == 0)
                EXPECT_STR(ids[i].text, "another id");
        for (int digit = 0; digit < RUN_ID_LENGTH; digit++)
            seen[digit][ids[i].text[digit] & 127] = true;
    }
    for (int digit = 0; digit < RUN_ID_LENGTH; digit++) {
        int values = 0;

        for (int c = 0; c < 128; c++)
            values += seen[digit][c];
        EXPECT_INT(values, digit < 10 ? 1 : 32);
    }
}

static const struct {
    const char *text;
    bool valid;
} names[] = {
    {"01ARYZ6S41TSV4RRFFQ69G5FAV", true},
    {"00000000000000000000000000", true},
    {"7ZZZZZZZZZZZZZZZZZZZZZZZZZ", true},
    {"8ZZZZZZZZZZZZZZZZZZZZZZZZZ", false}, /* 49 bits of time */
    {"01ARYZ6S41TSV4RRFFQ69G5FA", false},
    {"01ARYZ6S41TSV4RRFFQ69G5FAVV", false},
    {"01aryz6s41tsv4rrffq69g5fav", false}, /* one run has one name */
    {"01ARYZ6S41TSV4RRFFQ69G5FAI", false}, /* I, L, O, U are no digits */
    {"01ARYZ6S41TSV4RRFFQ69G5FAL", false},
    {"01ARYZ6S41TSV4RRFFQ69G5FAO", false},
    {"01ARYZ6S41TSV4RRFFQ69G5FAU", false},
    {"01ARYZ6S41TSV4RRFFQ69G5FA ", false},
    {"01ARYZ6S41TSV4RRFFQ69G5F/.", false},
    {"01ARYZ6S41TSV4RRFFQ69G5F\xc3\xa9", false},
    {"", false},
};

TEST(only_what_we_would_write_is_a_name)
{
    for (size_t i = 0; i < COUNT(names); i++)
        EXPECT_INT(run_id_is_valid(names[i].text), names[i].valid);
}

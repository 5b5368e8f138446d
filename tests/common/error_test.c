#include "common/error.h"

#include "tests/test.h"

TEST(an_error_says_what_kind_where_and_why)
{
    struct error err = {0};

    EXPECT(!error_set(&err, ERROR_INVALID, "steps", "must be at most %d, got %s", 5, "six"));
    EXPECT_HAS(err, (kind, ERROR_INVALID), (field, "steps"),
               (message, "must be at most 5, got six"));
    EXPECT(!err.allowed.ranged && !err.allowed.choices);
}

TEST(an_error_may_blame_no_field)
{
    struct error err = {0};

    EXPECT(!error_set(&err, ERROR_BUSY, NULL, "later"));
    EXPECT_HAS(err, (field, ""), (message, "later"));
}

TEST(an_error_may_be_ignored)
{
    EXPECT(!error_set(NULL, ERROR_INTERNAL, "a", "b %d", 1));
    EXPECT(!error_not_allowed(NULL, "a", (struct allowed){0}, "b %d", 1));
}

TEST(the_first_failure_is_the_cause_and_stays)
{
    const struct allowed range = {.ranged = true, .min = 1, .max = 2};
    struct error err = {0};

    EXPECT(!error_set(&err, ERROR_UPSTREAM, "first", "the cause"));

    const struct error before = err;
    EXPECT(!error_set(&err, ERROR_INTERNAL, "second", "a consequence"));
    EXPECT(!error_not_allowed(&err, "third", range, "another"));
    EXPECT(memcmp(&err, &before, sizeof err) == 0);
}

TEST(an_error_says_what_is_allowed)
{
    static const char *const words[] = {"red", "green", NULL};
    struct error range = {0}, choice = {0};

    EXPECT(!error_not_allowed(&range, "n", (struct allowed){.ranged = true, .min = -1, .max = 9},
                              "got %d", 10));
    EXPECT_HAS(range, (kind, ERROR_INVALID), (field, "n"), (message, "got 10"));
    EXPECT(range.allowed.ranged && !range.allowed.choices);
    EXPECT_HAS(range.allowed, (min, -1), (max, 9));

    EXPECT(!error_not_allowed(&choice, "c", (struct allowed){.choices = words}, "got blue"));
    EXPECT(!choice.allowed.ranged && choice.allowed.choices == words);
}

TEST(whatever_is_quoted_becomes_printable_ascii)
{
    static const struct {
        const char *sent, *stored;
    } quotes[] = {
        {"plain ~ text", "plain ~ text"}, {"tab\tnewline\n", "tab?newline?"},
        {"\x01\x1f \x7f", "?? ?"},        {"caf\xc3\xa9", "caf??"},
        {"\xff\xfe\x80", "???"},          {"\"quoted\" \\", "\"quoted\" \\"},
    };

    for (size_t i = 0; i < COUNT(quotes); i++) {
        struct error err = {0};

        EXPECT(!error_set(&err, ERROR_INVALID, quotes[i].sent, "%s", quotes[i].sent));
        EXPECT_HAS(err, (field, quotes[i].stored), (message, quotes[i].stored));
    }
}

/* Two bytes a letter, so that an odd cut would halve one. */
TEST(text_that_is_too_long_is_cut_without_halving_a_letter)
{
    char letters[601];
    struct error err = {0};

    for (size_t i = 0; i + 1 < sizeof letters; i += 2)
        memcpy(letters + i, "\xc3\xa9", 2);
    letters[sizeof letters - 1] = '\0';
    EXPECT(!error_set(&err, ERROR_INVALID, letters, "%s", letters));
    EXPECT_INT((long long)strlen(err.field), sizeof err.field - 1);
    EXPECT_INT((long long)strlen(err.message), sizeof err.message - 1);
    EXPECT_INT((long long)strspn(err.field, "?"), sizeof err.field - 1);
    EXPECT_INT((long long)strspn(err.message, "?"), sizeof err.message - 1);
}

TEST(a_cleared_error_takes_the_next_failure)
{
    const struct error none = {0};
    struct error err = {0};

    EXPECT(!error_not_allowed(&err, "a", (struct allowed){.ranged = true}, "old"));
    error_clear(&err);
    EXPECT(memcmp(&err, &none, sizeof err) == 0);
    EXPECT(!error_set(&err, ERROR_NOT_FOUND, NULL, "new"));
    EXPECT_HAS(err, (kind, ERROR_NOT_FOUND), (message, "new"));
}

TEST(an_error_of_a_part_names_the_whole)
{
    const struct error none = {.kind = ERROR_INVALID, .message = "is odd"};
    const struct error years = {.kind = ERROR_INVALID,
                                .field = "years",
                                .message = "is odd",
                                .allowed = {.ranged = true, .max = 9}};
    struct error whole = {0}, part = {0}, same = {0};

    EXPECT(!error_within(&whole, &none, "own"));
    EXPECT_STR(whole.field, "own");
    EXPECT(!error_within(&part, &years, "own"));
    EXPECT_HAS(part, (field, "own.years"), (message, "is odd"), (allowed.max, 9));
    EXPECT(!error_within(&same, &years, ""));
    EXPECT_STR(same.field, "years");
}

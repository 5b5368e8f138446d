#include "common/known_names.h"

#include "tests/test.h"

static void refuse(struct error *err, const char *name, const struct known_names *known)
{
    const struct unknown_name unknown = {name, "is not a known field", name, strlen(name)};

    EXPECT(!error_unknown_name(err, &unknown, known));
}

TEST(few_names_are_all_listed)
{
    static const char *const names[] = {"state", "label", "limit", NULL};
    struct known_names known = {.all = "docs/api.md"};
    struct error err = {0};

    known_names_add_all(&known, names);
    refuse(&err, "lable", &known);
    EXPECT_HAS(err, (kind, ERROR_INVALID), (field, "lable"),
               (message, "is not a known field; known are state, label, limit"));
}

TEST(of_many_names_the_nearest_are_listed)
{
    static const char *const names[] = {
        "workload",     "engine",         "precision",   "batch_size",
        "layout",       "threads",        "steps",       "seed",
        "warmup_steps", "plan",           "isa",         "input_workers",
        "pinning",      "numa",           "huge_pages",  "openmp",
        "allocator",    "protocol",       "labels",      "max_seconds",
        "min_seconds",  "target_percent", "max_dollars", NULL};
    struct known_names known = {.all = "docs/api.md"}, nowhere = {0};
    struct error err = {0}, other = {0}, last = {0};

    known_names_add_all(&known, names);
    refuse(&err, "batchsize", &known);
    EXPECT(strncmp(err.message, "is not a known field; the nearest of 23 are batch_size, ", 56) ==
           0);
    EXPECT_PART(err.message, "; docs/api.md lists all");
    refuse(&other, "max_second", &known);
    EXPECT_PART(other.message, "are max_seconds, ");
    known_names_add_all(&nowhere, names);
    refuse(&last, "wramup_steps", &nowhere);
    EXPECT_PART(last.message, "are warmup_steps, ");
    EXPECT(strstr(last.message, "lists all") == NULL);
}

TEST(a_name_is_never_cut)
{
    char name[130];
    struct known_names known = {.all = "docs/api.md"};
    struct error err = {0};

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    known_names_add(&known, name);
    known_names_add(&known, name);
    known_names_add(&known, "short");
    refuse(&err, "xx", &known);
    EXPECT_INT((long long)strspn(strchr(err.message, 'x'), "x"), (long long)sizeof name - 1);
    EXPECT_PART(err.message, ", short");
    EXPECT_PART(err.message, "; docs/api.md lists all");
}

TEST(a_list_has_an_end)
{
    struct known_names known = {0};
    struct error err = {0}, none = {0};

    refuse(&none, "x", &known);
    EXPECT_STR(none.message, "is not a known field; none is known here");
    for (int i = 0; i < 2 * KNOWN_NAMES_MAX; i++)
        known_names_add(&known, "a-name");
    EXPECT_INT((long long)known.count, KNOWN_NAMES_MAX);
    refuse(&err, "x", &known);
    EXPECT_PART(err.message, "the nearest of 64 are a-name, a-name");
}

/* A span of a document has no NUL behind it. */
TEST(a_name_may_be_a_part_of_a_longer_text)
{
    struct known_names known = {0};
    const struct unknown_name unknown = {"steps.los", "is not a known field", "los\":[1]", 3};
    struct error err = {0};

    known_names_add(&known, "loss");
    EXPECT(!error_unknown_name(&err, &unknown, &known));
    EXPECT_STR(err.field, "steps.los");
    EXPECT_STR(err.message, "is not a known field; known are loss");
}

TEST(a_member_is_one_of_those_that_are_known)
{
    static const char *const names[] = {"factor", "note", NULL};
    struct error err = {0};

    EXPECT(known_names_check(names, "factor", &err) && known_names_check(names, "note", &err));
    EXPECT(!known_names_check(names, "notes", &err));
    EXPECT_STR(err.field, "notes");
    EXPECT_STR(err.message, "is not a known field; known are factor, note");
}

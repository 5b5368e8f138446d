/* What a verdict finds, as text; what it finds is in validity_test.c. */
#include "engine/stats/validity.h"

#include "tests/test.h"

#include <math.h>

TEST(findings_are_a_line_of_json)
{
    struct verdict verdict = {
        .count = 2,
        .findings = {
            {.code = "steal", .level = VALIDITY_WARN, .value = 2.5, .words = "it \"took\""},
            {.code = "swap", .level = VALIDITY_OK, .value = NAN, .words = "no"}}};
    AUTO(freep) char *text = verdict_to_text(&verdict);

    EXPECT_STR(text, "[{\"code\":\"steal\",\"level\":\"warn\",\"value\":2.5,"
                     "\"words\":\"it \\\"took\\\"\"},{\"code\":\"swap\",\"level\":\"ok\","
                     "\"value\":null,\"words\":\"no\"}]");
}

TEST(the_words_of_a_level_are_joined)
{
    static const char text[] =
        "[{\"level\":\"warn\",\"words\":\"a\"},{\"level\":\"ok\",\"words\":"
        "\"b\"},{\"level\":\"warn\",\"words\":\"c\"},{\"words\":\"d\"}]";
    static const struct {
        const char *findings;
        enum validity level;
        size_t most;
        const char *words;
    } rows[] = {{text, VALIDITY_WARN, 9, "a; c"}, {text, VALIDITY_WARN, 1, "a"},
                {text, VALIDITY_OK, 9, "b"},      {text, VALIDITY_INVALID, 9, ""},
                {"[", VALIDITY_WARN, 9, ""},      {NULL, VALIDITY_WARN, 9, ""}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(freep)
        char *words = findings_words(rows[i].findings, rows[i].level, rows[i].most);

        EXPECT_STR(words, rows[i].words);
    }
}

/* Words have room for a part of such a name, which ends within a letter. */
TEST(a_long_name_of_a_type_stays_text)
{
    const struct run_spec spec = run_spec_default();
    const struct summary summary = {.measured_steps = 90};
    const struct evidence evidence = {0};
    struct verdict verdict;

    validity_judge(
        &(struct validity_inputs){
            .spec = &spec,
            .summary = &summary,
            .evidence = &evidence,
            .machine_isa = "",
            .instance =
                "Standard_B1\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"},
        &verdict);
    AUTO(freep) char *text = verdict_to_text(&verdict);
    EXPECT_PART(text, "\u00e9\u00e9? is a burstable type");
}

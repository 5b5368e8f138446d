/* What a summary's text says is in tests/engine/stats/summary_test.c; here, what is read from it.
 */
#include "engine/stats/summary_text.h"

#include "tests/test.h"

#include <math.h>

TEST(a_split_reads_back_as_it_was_written)
{
    const struct summary summary = {.split_known = true, .split = {0.5, 0.25, 0.125, 3, 1e-9}};
    AUTO(freep) char *text = summary_to_text(&summary);
    struct split_seconds split = {0};
    bool known = false;

    EXPECT(summary_split_from_text(text, &known, &split, NULL));
    EXPECT(known);
    EXPECT_HAS(split, (input, 0.5), (forward, 0.25), (backward, 0.125), (update, 3),
               (communication, 1e-9));
}

TEST(a_loss_that_is_not_finite_has_no_text)
{
    const struct summary summary = {.last_loss = INFINITY};

    EXPECT(summary_to_text(&summary) == NULL);
}

TEST(without_a_split_none_is_known)
{
    const struct summary summary = {0};
    AUTO(freep) char *text = summary_to_text(&summary);
    const char *const texts[] = {text, "{}", "[]", "{\"split\":3}"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct split_seconds split = {1, 1, 1, 1, 1};
        bool known = true;

        EXPECT(summary_split_from_text(texts[i], &known, &split, NULL));
        EXPECT(!known);
        EXPECT_NEAR(split.forward, 0, 0);
    }
}

TEST(a_text_that_is_not_json_is_refused_and_fills_nothing)
{
    struct split_seconds split = {.forward = 7};
    bool known = true;

    EXPECT_INVALID(summary_split_from_text("{\"split\":", &known, &split, &err), "summary");
    EXPECT(known);
    EXPECT_NEAR(split.forward, 7, 0);
}

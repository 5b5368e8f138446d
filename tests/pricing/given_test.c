/* Names that a person gives, and that would never match anything. */
#include "pricing/given.h"

#include "common/cleanup.h"
#include "tests/test.h"

static void a_blank_at_an_end_is_refused(void)
{
    static const char *const wrong[] = {" a", "a ", "a\t", "\na", " "};
    struct error err = {0};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        error_clear(&err);
        EXPECT(!given_word_check("zone", wrong[i], &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT_STR(err.field, "zone");
    }
    EXPECT_STR(err.message, "begins or ends with a blank: ' '");
    EXPECT(given_word_check("zone", "", NULL));
    EXPECT(given_word_check("zone", "my rack 3", NULL));
}

static void a_provider_is_written_as_feeds_write_it(void)
{
    static const char *const wrong[][2] = {{"AWS", "'AWS' is written 'aws' here: nothing has the "
                                                   "other name"},
                                           {"Azure", "'Azure' is written 'azure' here: nothing "
                                                     "has the other name"},
                                           {"google", "'google' is written 'gcp' here: nothing "
                                                      "has the other name"}};
    static const char *const right[] = {"aws", "azure", "gcp", "hetzner", "OVH", ""};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct error err = {0};

        EXPECT(!given_provider_check("provider", wrong[i][0], &err));
        EXPECT_STR(err.message, wrong[i][1]);
    }
    for (size_t i = 0; i < COUNT(right); i++)
        EXPECT(given_provider_check("provider", right[i], NULL));
    EXPECT(!given_provider_check("provider", "aws ", &(struct error){0}));
}

int main(void)
{
    RUN(a_blank_at_an_end_is_refused);
    RUN(a_provider_is_written_as_feeds_write_it);
    return test_result();
}

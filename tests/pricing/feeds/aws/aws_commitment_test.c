/* The words with which AWS sells commitments. */
#include "pricing/feeds/aws/aws_commitment.h"

#include "tests/test.h"

#include <string.h>

static const struct {
    const char *class;
    bool plan;
    const char *kind; /* how our names of its kinds begin */
} classes[] = {
    {"standard", false, "reserved"},
    {"convertible", false, "convertible"},
    {"ComputeSavingsPlans", true, "savings_plan"},
    {"EC2InstanceSavingsPlans", true, "instance_savings_plan"},
};
static const char *const lengths[] = {"1yr", "3yr"};
static const char *const options[] = {"No Upfront", "Partial Upfront", "All Upfront"};

static bool read_kind(bool plan, const struct aws_term_words *words, enum price_kind *ret_kind)
{
    return plan ? aws_plan_kind(words, ret_kind) : aws_commitment_kind(words, ret_kind);
}

TEST(convertible_ones_are_kinds_of_their_own)
{
    bool seen[PRICE_KINDS] = {false};

    for (size_t i = 0; i < COUNT(classes); i++)
        for (size_t k = 0; k < COUNT(lengths) * COUNT(options); k++) {
            const struct aws_term_words words = {
                .class = classes[i].class, .length = lengths[k % 2], .option = options[k / 2]};
            enum price_kind kind = PRICE_ON_DEMAND;
            char start[40];

            snprintf(start, sizeof start, "%s_%.2s", classes[i].kind, words.length);
            EXPECT(read_kind(classes[i].plan, &words, &kind));
            EXPECT_INT(strncmp(price_kind_name(kind), start, strlen(start)), 0);
            EXPECT(!seen[kind]);
            seen[kind] = true;
        }
}

TEST(other_words_are_no_kind)
{
    enum price_kind kind = PRICE_OWN;

    EACH(struct aws_term_words, other, {"1yr", "", "No Upfront"},
         {"1yr", "Standard", "No Upfront"}, {"5yr", "standard", "No Upfront"},
         {"", "ComputeSavingsPlans", "No Upfront"},
         {"1yr", "SageMakerSavingsPlans", "No Upfront"},
         {"3yr", "EC2InstanceSavingsPlans", "Heavy Utilization"}) {
        EXPECT(!aws_commitment_kind(&other, &kind));
        EXPECT(!aws_plan_kind(&other, &kind));
    }
    EXPECT_INT(kind, PRICE_OWN);
}

TEST(a_plan_is_no_reserved_instance_nor_one_a_plan)
{
    enum price_kind kind;

    for (size_t i = 0; i < COUNT(classes); i++) {
        const struct aws_term_words words = {"1yr", classes[i].class, "No Upfront"};

        EXPECT(!read_kind(!classes[i].plan, &words, &kind));
    }
}

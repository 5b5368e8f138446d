/* Property: walks.h holds for AWS's savings plans. The result is prices of savings plans of the
 * region that was asked for, after the index and the file. */
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

static void check_price(const struct price *price)
{
    const struct price_terms *terms = price_terms_of(price->kind);

    ALWAYS(terms && (terms->commitment == COMMITMENT_SAVINGS_PLAN ||
                     terms->commitment == COMMITMENT_INSTANCE_SAVINGS_PLAN));
    ALWAYS(!price->zone[0] && price->reference[0]);
}

static void look(const struct walk *walk, enum reading_state state)
{
    ALWAYS(walk->asked <= 2);
    ALWAYS(state != READING_DONE || price_batch_count(walk->reading.batch) > 0);
}

FUZZ_WALKS(aws_savings_plan, "us-east-1", "", .check = check_price, .look = look)

/* Property: walks.h holds for AWS's price list. The result is prices on demand of the region that
 * was asked for, after the index and the list; prices of reserved instances only where they are
 * wanted. The first byte says which shape the list has, J(SON) or C(SV); j or c where they are
 * wanted. */
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

static bool wants_committed;

static void check_price(const struct price *price)
{
    const struct price_terms *terms = price_terms_of(price->kind);

    ALWAYS(price->kind == PRICE_ON_DEMAND || (wants_committed && terms &&
                                              (terms->commitment == COMMITMENT_RESERVED ||
                                               terms->commitment == COMMITMENT_CONVERTIBLE)));
    ALWAYS(!price->zone[0] && price->reference[0]);
}

static void look(const struct walk *walk, enum reading_state state)
{
    ALWAYS(walk->asked <= 2);
    ALWAYS(state == READING_FAILED || price_batch_count(walk->reading.batch) > 0 ||
           price_batch_facts(walk->reading.batch)->tally.seen > 0);
}

FUZZ(data, size)
{
    if (size < 1 || !memchr("JCjc", *data, 4))
        return;
    wants_committed = *data == 'j' || *data == 'c';
    walks_try(*data == 'J' || *data == 'j' ? &aws_offer : &aws_offer_csv, "us-east-1", "",
              (struct walks_input){.data = data + 1,
                                   .size = size - 1,
                                   .committed = wants_committed,
                                   .check = check_price,
                                   .look = look});
}

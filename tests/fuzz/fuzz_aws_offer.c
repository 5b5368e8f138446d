/* Property: that of walks.h for AWS's price list, and what comes of it are on-demand prices of
 * the region that was asked for, after the index and the list. The first byte says which shape
 * the list has, J(SON) or C(SV). */
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

static void check_price(const struct price *price)
{
    ALWAYS(price->kind == PRICE_ON_DEMAND && !price->zone[0] && price->reference[0]);
}

static void look(const struct walk *walk, enum reading_state state)
{
    ALWAYS(walk->asked <= 2);
    ALWAYS(state == READING_FAILED || price_batch_count(walk->reading.batch) > 0 ||
           price_batch_facts(walk->reading.batch)->tally.seen > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || (*data != 'J' && *data != 'C'))
        return 0;
    return walks_try(*data == 'J' ? &aws_offer : &aws_offer_csv, "us-east-1", "",
                     (struct walks_input){
                         .data = data + 1, .size = size - 1, .check = check_price, .look = look});
}

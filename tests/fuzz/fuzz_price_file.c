/* Property: that of walks.h for a person's file of prices; and when it is taken, then with every
 * row of it, each a price. */
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

static void check_price(const struct price *price)
{
    ALWAYS(price->kind >= PRICE_ON_DEMAND && price->kind <= PRICE_OWN);
}

static void look(const struct walk *walk, enum reading_state state)
{
    const struct price_batch_tally *tally = &price_batch_facts(walk->reading.batch)->tally;

    ALWAYS(state == READING_FAILED || (tally->ambiguous == 0 && tally->malformed == 0));
    ALWAYS(state == READING_FAILED ||
           (long long)price_batch_count(walk->reading.batch) <= tally->seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return walks_try(
        &price_file, "", "",
        (struct walks_input){.data = data, .size = size, .check = check_price, .look = look});
}

/* Property: how a person's file of prices is cut into pieces changes nothing; and when it is
 * taken, then with every row of it, each a price. */
#include "pricing/sources.h"
#include "tests/fuzz/fuzz_walk.h"

static void check_price(const struct price *price)
{
    long long nanos;

    ALWAYS(price_read_nanos(price->text, &nanos) && nanos == price->nanos);
    ALWAYS(price->instance_type[0] && strlen(price->currency) == 3);
    ALWAYS(price->kind >= PRICE_ON_DEMAND && price->kind <= PRICE_OWN);
    ALWAYS(price->source_us >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct scope everywhere = {.name = ""};
    AUTO(walk_end) struct walk walk;
    const struct basket_tally *tally;
    const struct price *price;
    size_t position = 0;
    enum reading_state state =
        fuzz_cut(&walk, &price_file, &everywhere, (struct fuzz_pages){(const char *)data, size});

    tally = &basket_facts(walk.reading.basket)->tally;
    ALWAYS(state == READING_FAILED || (tally->ambiguous == 0 && tally->malformed == 0));
    ALWAYS(state == READING_FAILED ||
           (long long)basket_count(walk.reading.basket) <= tally->seen);
    while ((price = basket_next(walk.reading.basket, &position)) != NULL)
        check_price(price);
    return 0;
}

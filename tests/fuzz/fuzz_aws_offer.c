/* Property: how AWS's price list is cut into pieces changes nothing, and what comes of it are
 * on-demand prices of the region that was asked for. The first byte says which shape the list
 * has, J(SON) or C(SV); a form feed stands between the index and the list. */
#include "pricing/sources.h"
#include "tests/fuzz/fuzz_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct scope place = {.name = "us-east-1"};
    AUTO(walk_end) struct walk walk = {.asked = 0};
    const struct price *price;
    size_t position = 0;

    if (size < 1 || (*data != 'J' && *data != 'C'))
        return 0;
    fuzz_cut(&walk, *data == 'J' ? &aws_offer : &aws_offer_csv, &place,
             (struct fuzz_pages){(const char *)data + 1, size - 1});
    ALWAYS(walk.asked <= 2);
    while ((price = basket_next(walk.reading.basket, &position)) != NULL) {
        fuzz_check_price(price);
        ALWAYS(price->kind == PRICE_ON_DEMAND && !price->zone[0] && price->reference[0]);
        ALWAYS(strcmp(price->region, "us-east-1") == 0);
        ALWAYS(strcmp(price->currency, "USD") == 0);
    }
    return 0;
}

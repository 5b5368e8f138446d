/* Property: how the pages of AWS that anybody may read are cut into pieces changes nothing, what
 * comes of them are prices of the kind and the region that the page is about, and the advisor
 * tells none. The first byte says which page it is: S(pot), D(emand), A(dvisor). */
#include "pricing/sources.h"
#include "tests/fuzz/fuzz_walk.h"

static void check_prices(const struct walk *walk, enum price_kind kind)
{
    const char *region = walk->reading.scope.name;
    const struct price *price;
    size_t position = 0;

    while ((price = basket_next(walk->reading.basket, &position)) != NULL) {
        fuzz_check_price(price);
        ALWAYS(price->kind == kind && strcmp(price->currency, "USD") == 0);
        ALWAYS(!*region || strcmp(price->region, region) == 0);
    }
}

/* No band without a name. */
static void check_bands(const struct walk *walk)
{
    for (size_t i = 0; i < basket_interruption_count(walk->reading.basket); i++) {
        const struct interruption *row = basket_interruption(walk->reading.basket, i);

        ALWAYS(row->region[0] && row->instance_type[0] && row->band[0] >= 0x20);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct scope everywhere = {.name = ""};
    static const struct scope place = {.name = "r-1", .address = "Place"};
    AUTO(walk_end) struct walk walk = {.asked = 0};
    struct fuzz_pages pages = {(const char *)data + 1, size - 1};
    enum reading_state state;

    if (size < 1)
        return 0;
    switch (*data) {
    case 'S':
        fuzz_cut(&walk, &aws_spot_page, &everywhere, pages);
        check_prices(&walk, PRICE_SPOT);
        break;
    case 'D':
        fuzz_cut(&walk, &aws_on_demand_page, &place, pages);
        check_prices(&walk, PRICE_ON_DEMAND);
        break;
    case 'A':
        state = fuzz_cut(&walk, &aws_spot_advisor, &everywhere, pages);
        ALWAYS(basket_count(walk.reading.basket) == 0);
        if (state == READING_DONE)
            check_bands(&walk);
        break;
    default:
        break;
    }
    return 0;
}

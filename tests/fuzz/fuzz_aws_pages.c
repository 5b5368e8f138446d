/* Property: walks.h holds for the public pages of AWS. Prices are of the page's kind; the advisor
 * gives no price, and no band without a name. The first byte says which page it is: S(pot),
 * D(emand), A(dvisor). */
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

static void check_spot(const struct price *price)
{
    ALWAYS(price->kind == PRICE_SPOT);
}

static void check_on_demand(const struct price *price)
{
    ALWAYS(price->kind == PRICE_ON_DEMAND);
}

static void look_at_bands(const struct walk *walk, enum reading_state state)
{
    ALWAYS(price_batch_count(walk->reading.batch) == 0);
    for (size_t i = 0;
         state == READING_DONE && i < price_batch_interruption_count(walk->reading.batch); i++) {
        const struct interruption *row = price_batch_interruption(walk->reading.batch, i);

        ALWAYS(row->region[0] && row->instance_type[0] && row->band[0] >= 0x20);
    }
}

FUZZ(data, size)
{
    struct walks_input input = {.data = data + 1, .size = size - 1};

    switch (size > 0 ? *data : 0) {
    case 'S':
        input.check = check_spot;
        walks_try(&aws_spot_page, "", "", input);
        break;
    case 'D':
        input.check = check_on_demand;
        input.address = "Place";
        walks_try(&aws_on_demand_page, "r-1", "", input);
        break;
    case 'A':
        input.look = look_at_bands;
        walks_try(&aws_spot_advisor, "", "", input);
    }
}

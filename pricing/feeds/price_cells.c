/* Tested by tests/pricing/feeds/price_file_test.c. */
#include "pricing/feeds/price_cells.h"

#include "common/known_names.h"
#include "pricing/feeds/manual_price.h"

#include <string.h>

static const char *const names[PRICE_CELLS + 1] = {
    "provider", "region",         "zone",       "instance_type", "kind",
    "currency", "price_per_hour", "valid_from", "reference",     NULL};

const char *price_cell_name(enum price_cell cell)
{
    return names[cell];
}

bool price_cell_find(const char *name, enum price_cell *ret_cell, struct error *err)
{
    for (int cell = 0; cell < PRICE_CELLS; cell++)
        if (strcmp(name, names[cell]) == 0) {
            *ret_cell = (enum price_cell)cell;
            return true;
        }
    return known_names_check(names, name, err);
}

/* "0,357" and "12,5" have one meaning; "1,234" is 1234 to others. */
static bool is_decimal_comma(const char *text, const char *comma)
{
    static const char digits[] = "0123456789";
    size_t whole = strspn(text, digits), part = strspn(comma + 1, digits);

    return text + whole == comma && comma[1 + part] == '\0' && whole > 0 && part > 0 &&
           (part != 3 || strspn(text, "0") == whole);
}

static bool read_comma(char *text, bool may_be_comma, struct error *err)
{
    char *comma = strchr(text, ',');

    if (!comma)
        return true;
    if (!may_be_comma || !is_decimal_comma(text, comma))
        return error_set(err, ERROR_INVALID, "price_per_hour",
                         "'%.40s' has a comma, which may part decimals or thousands: write it "
                         "like 1234.56",
                         text);
    *comma = '.';
    return true;
}

/* Copies the amount with a point for its decimals. */
static bool read_decimals(const char *text, struct price_decimals *decimals, char ret_text[40],
                          struct error *err)
{
    const char *found = strpbrk(text, ".,");

    if (strlen(text) >= 40)
        return error_set(err, ERROR_INVALID, "price_per_hour", "has more than 39 characters");
    memcpy(ret_text, text, strlen(text) + 1);
    if (!read_comma(ret_text, decimals->may_be_comma, err))
        return false;
    if (found && decimals->mark && *found != decimals->mark)
        return error_set(err, ERROR_INVALID, "price_per_hour",
                         "'%.40s' has a %s where a price before has a %s: one of them may part "
                         "thousands; write all prices like 1234.56",
                         text, *found == ',' ? "comma" : "point",
                         *found == ',' ? "point" : "comma");
    if (found)
        decimals->mark = *found;
    return true;
}

bool price_cells_read(const char *const cells[PRICE_CELLS], struct price_decimals *decimals,
                      struct price *ret_price, struct error *err)
{
    char amount[40];
    const struct price_row row = {.provider = cells[CELL_PROVIDER],
                                  .region = cells[CELL_REGION],
                                  .zone = cells[CELL_ZONE],
                                  .instance_type = cells[CELL_TYPE],
                                  .kind = cells[CELL_KIND],
                                  .currency = cells[CELL_CURRENCY],
                                  .price_per_hour = amount,
                                  .valid_from = cells[CELL_VALID_FROM],
                                  .reference = cells[CELL_REFERENCE]};

    return read_decimals(cells[CELL_PRICE], decimals, amount, err) &&
           price_from_row(&row, ret_price, err);
}

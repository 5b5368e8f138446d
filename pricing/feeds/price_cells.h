/* The cells of a row of a price sheet by name, and the price they make. */
#pragma once

#include "pricing/price.h"

enum price_cell {
    CELL_PROVIDER,
    CELL_REGION,
    CELL_ZONE,
    CELL_TYPE,
    CELL_KIND,
    CELL_CURRENCY,
    CELL_PRICE,
    CELL_VALID_FROM,
    CELL_REFERENCE,
    PRICE_CELLS
};

/* The cell of this name; ERROR_INVALID of the field, with the known names. */
MUST_USE bool price_cell_find(const char *name, enum price_cell *ret_cell, struct error *err);
const char *price_cell_name(enum price_cell cell);

/* The decimal mark of a sheet, the same in all rows. */
struct price_decimals {
    bool may_be_comma; /* the comma is not the separator */
    char mark;         /* '.' or ',' from an earlier row; '\0' if none yet */
};

/* Missing texts are "". ERROR_INVALID names the field and the allowed values. */
MUST_USE bool price_cells_read(const char *const cells[PRICE_CELLS],
                               struct price_decimals *decimals, struct price *ret_price,
                               struct error *err);

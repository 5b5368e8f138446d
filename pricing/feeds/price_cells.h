/* The fields of a row of a price sheet by their names, and the price that they make. */
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

/* The cell of this name; ERROR_INVALID of the field, with the names that are known. */
MUST_USE bool price_cell_find(const char *name, enum price_cell *ret_cell, struct error *err);
const char *price_cell_name(enum price_cell cell);

/* How a sheet writes decimals, which its rows must agree on. */
struct price_decimals {
    bool may_be_comma; /* a comma parts no fields in it */
    char mark;         /* '.' or ',' of an earlier row; '\0' as long as there was none */
};

/* Texts are "" where nothing is said. ERROR_INVALID names the field, and says what is allowed. */
MUST_USE bool price_cells_read(const char *const cells[PRICE_CELLS],
                               struct price_decimals *decimals, struct price *ret_price,
                               struct error *err);

/* What the server would make of a price file, without a server. */
#pragma once

#include "pricing/feeds/price_sheet.h"

struct price_check {
    size_t rows, faults, prices;      /* the same price in two rows is one */
    struct price cheapest, costliest; /* by the number alone; with nanos 0 where there is none */
};

/* Reads the file as the feed "price-file" does; `fault` gets each fault in the header and in the
 * rows. False with err: the file cannot be read, or no further than the line that err names. */
MUST_USE bool price_check(const char *path, price_sheet_fault_fn *fault, void *user,
                          struct price_check *ret_check, struct error *err);

/* Checks a price file as the server would, without a server. */
#pragma once

#include "pricing/feeds/price_sheet.h"

struct price_check {
    size_t rows, faults, prices;      /* the same price in two rows counts once */
    struct price cheapest, costliest; /* by number alone; nanos 0 if there is none */
};

/* Reads the file as the feed "price-file" does; `fault` gets each fault in the header and the
 * rows. False with err if the file is unreadable, or unreadable from a line on. */
MUST_USE bool price_check(const char *path, price_sheet_fault_fn *fault, void *user,
                          struct price_check *ret_check, struct error *err);

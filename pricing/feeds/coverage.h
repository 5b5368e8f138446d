/* How many known prices of each region, type family and kind a new reading still has. Commitments
 * are counted apart by region and family, or they would hide losses among the others. Prices that
 * vanish all at once were more likely renamed or forgotten than withdrawn. */
#pragma once

#include "common/table.h"
#include "pricing/price.h"

struct coverage {
    struct table groups;
};

#define COVERAGE_GROUPS 3
#define COVERAGE_FEW 2 /* so few lost or odd prices prove nothing */
struct coverage_names {
    uint64_t names[COVERAGE_GROUPS];
};

/* The groups that a price belongs to. */
void coverage_names_of(const struct price *price, struct coverage_names *ret_names);

/* Counts a known price; `has`: the new reading has it too. */
void coverage_count(struct coverage *coverage, const struct coverage_names *names, bool has);

/* Whether one of these groups lost more than half of its prices, and more than two. */
bool coverage_is_lost(const struct coverage *coverage, const struct coverage_names *names);

void coverage_free(struct coverage *coverage);

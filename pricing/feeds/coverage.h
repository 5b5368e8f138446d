/* How much of each region, of each family of types and of each kind of price a new reading still
 * has; regions and families apart for commitments, which would hide what is lost of the others.
 * What vanishes all at once was renamed or forgotten more likely than withdrawn. */
#pragma once

#include "common/table.h"
#include "pricing/price.h"

struct coverage {
    struct table groups;
};

#define COVERAGE_GROUPS 3
#define COVERAGE_FEW 2 /* so many that are gone, or odd, say nothing */
struct coverage_names {
    uint64_t names[COVERAGE_GROUPS];
};

/* The groups that a price belongs to. */
void coverage_names_of(const struct price *price, struct coverage_names *ret_names);

/* Counts a known price; `has`: the new reading has it too. */
void coverage_count(struct coverage *coverage, const struct coverage_names *names, bool has);

/* Whether a group of these lost more than half of its prices, and more than two. */
bool coverage_is_lost(const struct coverage *coverage, const struct coverage_names *names);

void coverage_free(struct coverage *coverage);

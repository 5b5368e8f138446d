/* Which of several prices is the one that an hour of a machine costs. */
#pragma once

#include "pricing/machine/identity.h"
#include "pricing/price.h"

/* Under which name a price of a machine is stored that has no instance type: by which machine it
 * is (engine/machine/vm.h), or else by its hardware (its stratum). "" where neither is known. */
void price_name_of_machine(const char *vm, const char *stratum, char ret_name[INSTANCE_SIZE]);
bool price_is_of_machine(const char *name);

/* How much a feed is accepted: the higher wins; 0 for one that sources.c does not know. */
int feed_rank(const char *name);

/* Whether a price is that of a machine, or what it is the price of instead: the nearer, the
 * greater. */
enum price_fit {
    PRICE_OF_OTHER_TYPE,
    PRICE_OF_OTHER_PROVIDER,
    PRICE_OF_OTHER_REGION,
    PRICE_OF_OTHER_ZONE,
    PRICE_OF_OTHER_KIND,
    PRICE_OF_UNKNOWN_KIND, /* it is not known how the machine is paid for */
    PRICE_OF_OTHER_TERMS,  /* of plain Linux, while the machine is billed for more */
    PRICE_IN_OTHER_CURRENCY,
    PRICE_FITS,
};
enum price_fit price_fit(const struct price *price, const struct identity *identity);

/* 0: this price is not about that machine, or not of its life cycle or terms, or not in dollars.
 * Of the others the higher wins: what a person typed, then the zone's, then the region's, then
 * what leaves its provider or region open, as a person's price may, and a file's its region;
 * among those the feed that sources.c names first. A price of one kind never stands in for
 * another, and one that was published with a figure is never what a machine costs. */
int price_rank(const struct price *price, const struct identity *identity);

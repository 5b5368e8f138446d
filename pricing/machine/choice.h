/* Chooses the price of a machine among several. */
#pragma once

#include "pricing/machine/identity.h"
#include "pricing/price.h"

/* The name under which the price of a machine without an instance type is stored: the machine
 * itself (engine/machine/vm.h), or else its hardware (its stratum). "" if neither is known. */
void price_name_of_machine(const char *vm, const char *stratum, char ret_name[INSTANCE_SIZE]);
bool price_is_of_machine(const char *name);

/* The preference for a feed: the higher wins; 0 for a feed not in sources.c. */
int feed_rank(const char *name);

/* How well a price fits a machine: the better, the greater. */
enum price_fit {
    PRICE_OF_OTHER_TYPE,
    PRICE_OF_OTHER_PROVIDER,
    PRICE_OF_OTHER_REGION,
    PRICE_OF_OTHER_ZONE,
    PRICE_OF_OTHER_KIND,
    PRICE_OF_UNKNOWN_KIND, /* the machine's payment is unknown */
    PRICE_OF_OTHER_TERMS,  /* for plain Linux, but the machine is billed for more */
    PRICE_IN_OTHER_CURRENCY,
    PRICE_FITS,
};
enum price_fit price_fit(const struct price *price, const struct identity *identity);

/* 0: the price is for another machine, life cycle or terms, or not in dollars. Of the others the
 * higher wins: typed prices, then the zone's, then the region's, then prices with an open
 * provider or region (typed) or region (file); ties go to the first feed in sources.c. One kind
 * of price never stands in for another, and a price published with a figure never for a
 * machine's. */
int price_rank(const struct price *price, const struct identity *identity);

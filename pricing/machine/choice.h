/* Which of several prices is the one that an hour of a machine costs. */
#pragma once

#include "pricing/machine/identity.h"
#include "pricing/price.h"

/* How much a feed is believed: the higher wins; 0 for one that sources.c does not know. */
int feed_rank(const char *name);

/* 0: this price is not about that machine, or not of its life cycle, or that of plain Linux where
 * the machine is billed for more. Of the others the higher
 * wins: what a person typed, then the zone's, then the region's; among those the feed that
 * sources.c names first. A price of one kind never stands in for another, and one that was
 * published with a figure is never what a machine costs. */
int price_rank(const struct price *price, const struct identity *identity);

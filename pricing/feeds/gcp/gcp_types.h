/* Machine types of Google, which its price list does not have: there each part of a machine has
 * its price. Here are the types whose parts are certain: what the parts cost in Iowa makes the
 * price that Google's own page of list prices gives for the type. docs/prices.md says which stay
 * out, and why. */
#pragma once

#include "pricing/feeds/gcp/gcp_components.h"

#define GCP_ITEMS_MAX 4

/* So much of a part is in a machine. */
struct gcp_item {
    size_t family;
    enum gcp_part part;
    long long centi; /* hundredths of a core, a GiB or a GPU: 3.75 and 57.6 are not binary */
};

struct gcp_type {
    char name[40];
    size_t family;
    int vcpus;            /* that are seen; a shared core is bought by its share */
    long long centi_gib;  /* hundredths of a GiB */
    char accelerator[40]; /* "8 x l4"; "" for none */
    struct gcp_item items[GCP_ITEMS_MAX];
    size_t count;
};

/* The type at this place, from 0; false behind the last. */
MUST_USE bool gcp_type_at(size_t place, struct gcp_type *ret_type);

/* "europe-west12"; neither "global", nor what other lists have in the place of a region. */
bool gcp_is_region(const char *name);

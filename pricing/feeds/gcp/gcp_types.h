/* Google's machine types. Google's price list has none, only parts. These are the types whose
 * parts are certain: the sum of the parts in Iowa equals the price on Google's own list page.
 * docs/prices.md says which types are left out, and why. */
#pragma once

#include "pricing/feeds/gcp/gcp_components.h"

#define GCP_ITEMS_MAX 4
#define GCP_NANOS 1000000000LL /* of a dollar */

extern const char
    *const gcp_sentinels[]; /* types that every complete list has; the last is NULL */

/* The amount of one part in a machine. */
struct gcp_item {
    size_t family;
    enum gcp_part part;
    long long centi; /* hundredths of a core, a GiB or a GPU: 3.75 and 57.6 are not binary */
};

struct gcp_type {
    char name[40];
    size_t family;
    int vcpus;            /* visible vCPUs; a shared core is charged by its share */
    long long centi_gib;  /* hundredths of a GiB */
    char accelerator[40]; /* "8 x l4"; "" for none */
    struct gcp_item items[GCP_ITEMS_MAX];
    size_t count;
};

/* The type at this place, from 0; false past the end. */
MUST_USE bool gcp_type_at(size_t place, struct gcp_type *ret_type);

/* True for "europe-west12"; false for "global" and other words in place of a region. */
bool gcp_is_region(const char *name);

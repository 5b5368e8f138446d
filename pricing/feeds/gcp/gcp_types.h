/* Predefined machine types of Google, which its price list does not have: there a core and a GiB
 * have their prices, family by family. Only what is nothing but cores and memory is here: no
 * shared cores, no local SSD, no GPU, no metal; and of a family only shapes that are certain. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum gcp_part { GCP_CORE, GCP_RAM, GCP_PARTS };

struct gcp_family {
    const char *name; /* "n2d": types begin with it */
    const char *architecture;
    const char *called[3]; /* what the price list says before " Core" and " Ram"; NULL-ended */
    const char *group;     /* of the price list; NULL: "CPU" and "RAM" */
};

#define GCP_FAMILIES 12
extern const struct gcp_family gcp_families[GCP_FAMILIES];

struct gcp_type {
    char name[40];
    size_t family; /* its place in gcp_families */
    int vcpus;
    int centi_gib; /* hundredths of a GiB, for 3.75 and 57.6 are not binary */
};

/* The type at this place, from 0; false behind the last. */
bool gcp_type_at(size_t place, struct gcp_type *ret_type) __attribute__((warn_unused_result));

/* What an entry of the price list is the price of. */
struct gcp_component {
    size_t family;
    enum gcp_part part;
    bool spot;
};

/* Reads "Spot Preemptible N2D AMD Instance Core running in Paris". False for all that is not a
 * core or a GiB of a predefined type of a family above: custom, sole tenant, committed, ... */
bool gcp_component_read(const char *description, struct gcp_component *ret_component)
    __attribute__((warn_unused_result));

/* The group into which the price list sorts it. */
const char *gcp_group(const struct gcp_component *component);

/* "europe-west12"; neither "global", nor what other lists have in the place of a region. */
bool gcp_is_region(const char *name);

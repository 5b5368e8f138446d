/* Entries of Google's price list for parts of a machine type, recognised by their exact
 * descriptions. A family has one entry for a core and one for a GiB in each region; a GPU, a GiB
 * of local SSD, and a first-generation machine with a shared core have one each. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>
#include <stddef.h>

/* The parts of each family that are sold together; the last ones are used by machines of other
 * families. */
enum gcp_family_id {
    GCP_N1,
    GCP_N2,
    GCP_N2D,
    GCP_N4,
    GCP_N4A,
    GCP_N4D,
    GCP_E2,
    GCP_C2,
    GCP_C2D,
    GCP_C3,
    GCP_C3D,
    GCP_C4,
    GCP_C4A,
    GCP_C4D,
    GCP_T2D,
    GCP_T2A,
    GCP_H3,
    GCP_Z3,
    GCP_M1,
    GCP_M2, /* surcharge over M1 */
    GCP_M3,
    GCP_M4,
    GCP_M4_ULTRAMEM_224,
    GCP_A2,
    GCP_G2,
    GCP_G4,
    GCP_F1_MICRO,
    GCP_G1_SMALL,
    GCP_A100,
    GCP_A100_80GB,
    GCP_L4,
    GCP_RTX_6000,
    GCP_SSD,
    GCP_SSD_C4,
    GCP_SSD_C4A,
    GCP_SSD_C4D,
    GCP_FAMILIES,
};

enum gcp_part {
    GCP_CORE,
    GCP_RAM,
    GCP_PARTS,
    GCP_EACH = GCP_CORE, /* of what has no cores: a GPU, a GiB of SSD, a whole machine */
};

/* The part that an entry of the price list prices. */
struct gcp_component {
    size_t family;
    enum gcp_part part;
    bool spot;
    int years; /* 1 or 3: years of commitment; 0 for others */
};

/* The architecture of a family's machines. */
const char *gcp_architecture(size_t family);

/* Reads "Spot Preemptible N2D AMD Instance Core running in Paris", or "Commitment v1: N2D AMD Cpu
 * in Paris for 1 Year". False for everything else: custom, sole tenant, reserved, other
 * products. */
MUST_USE bool gcp_component_read(const char *description, struct gcp_component *ret_component);

/* A cheap filter on the bytes: false for most entries that are no component. */
bool gcp_component_may_be(const char *json, size_t length);

/* The family and group in the price list. */
const char *gcp_resource_family(const struct gcp_component *component);
const char *gcp_group(const struct gcp_component *component);

/* The unit of its price: an hour, or a month of GCP_MONTH_HOURS, as in Google's own list
 * prices. */
#define GCP_MONTH_HOURS 730
MUST_USE bool gcp_unit(const struct gcp_component *component, const char *unit,
                       bool *ret_monthly);

/* Dollars an hour; a higher price is a placeholder. */
int gcp_dollars_max(const struct gcp_component *component);

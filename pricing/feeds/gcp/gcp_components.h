/* Entries of Google's price list that are the price of a part of a machine type, recognised by
 * their descriptions, to the letter. A family of machines has one entry for a core and one for a
 * GiB in each region; a GPU, a GiB of local SSD and a machine with a shared core of the first
 * generation have one each. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>
#include <stddef.h>

/* Of each family, what is bought together; the last ones belong to machines of other families. */
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
    GCP_M2, /* what it costs above M1 */
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

/* What an entry of the price list is the price of. */
struct gcp_component {
    size_t family;
    enum gcp_part part;
    bool spot;
    int years; /* 1 or 3: for who commits to use it for so long; 0 for others */
};

/* The architecture of a family's machines. */
const char *gcp_architecture(size_t family);

/* Reads "Spot Preemptible N2D AMD Instance Core running in Paris", or "Commitment v1: N2D AMD Cpu
 * in Paris for 1 Year". False for all that is not a part of a type above: custom, sole tenant,
 * reserved, of another product. */
MUST_USE bool gcp_component_read(const char *description, struct gcp_component *ret_component);

/* False for most entries that are none, by their bytes alone. */
bool gcp_component_may_be(const char *json, size_t length);

/* The family and the group into which the price list sorts it. */
const char *gcp_resource_family(const struct gcp_component *component);
const char *gcp_group(const struct gcp_component *component);

/* The unit of its price: by the hour, or by a month of GCP_MONTH_HOURS, which is how Google's own
 * list prices turn months into hours. */
#define GCP_MONTH_HOURS 730
MUST_USE bool gcp_unit(const struct gcp_component *component, const char *unit,
                       bool *ret_monthly);

/* What a price list says beyond is a placeholder: dollars an hour. */
int gcp_dollars_max(const struct gcp_component *component);

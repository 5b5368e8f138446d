#include "pricing/feeds/gcp/gcp_components.h"

#include "common/cleanup.h"

#include <string.h>

#define SSD_WORDS "SSD backed Local Storage"
#define RUNNING " running in "
#define ATTACHED " attached to Spot Preemptible VMs"

/* How the description goes on behind what a family is called, and where it says that it is spot.
 */
enum form {
    PAIR,  /* " Core running in " and " Ram running in ", behind "Spot Preemptible " */
    WHOLE, /* " running in ", behind "Spot Preemptible " */
    GPU,   /* " running in ", or ATTACHED before it */
    DISK,  /* nothing or " in ", or ATTACHED before it */
};

/* The first names are those in use; the others would mean the same. */
static const struct family {
    const char *called[2]; /* NULL-ended where there is one */
    enum form form;
    const char *group; /* NULL: that of the form */
} families[GCP_FAMILIES] = {
    [GCP_N1] = {{"N1 Predefined Instance", "N1 Instance"}, PAIR, "N1Standard"},
    [GCP_N2] = {{"N2 Instance", "N2 Predefined Instance"}, PAIR, NULL},
    [GCP_N2D] = {{"N2D AMD Instance", "N2D Instance"}, PAIR, NULL},
    [GCP_N4] = {{"N4 Instance", "N4 Predefined Instance"}, PAIR, NULL},
    [GCP_N4A] = {{"N4A Instance", "N4A Arm Instance"}, PAIR, NULL},
    [GCP_N4D] = {{"N4D Instance", "N4D AMD Instance"}, PAIR, NULL},
    [GCP_E2] = {{"E2 Instance", "E2 Predefined Instance"}, PAIR, NULL},
    [GCP_C2] = {{"Compute optimized", "Compute optimized Instance"}, PAIR, NULL},
    [GCP_C2D] = {{"C2D AMD Instance", "C2D Instance"}, PAIR, NULL},
    [GCP_C3] = {{"C3 Instance"}, PAIR, NULL},
    [GCP_C3D] = {{"C3D Instance", "C3D AMD Instance"}, PAIR, NULL},
    [GCP_C4] = {{"C4 Instance"}, PAIR, NULL},
    [GCP_C4A] = {{"C4A Arm Instance", "C4A Instance"}, PAIR, NULL},
    [GCP_C4D] = {{"C4D Instance", "C4D AMD Instance"}, PAIR, NULL},
    [GCP_T2D] = {{"T2D AMD Instance", "T2D Instance"}, PAIR, NULL},
    [GCP_T2A] = {{"T2A Arm Instance", "T2A Instance"}, PAIR, NULL},
    [GCP_H3] = {{"H3 Instance"}, PAIR, NULL},
    [GCP_Z3] = {{"Z3 Instance"}, PAIR, NULL},
    [GCP_M1] = {{"Memory-optimized Instance"}, PAIR, NULL},
    [GCP_M2] = {{"Memory Optimized Upgrade Premium for Memory-optimized Instance"}, PAIR, NULL},
    [GCP_M3] = {{"M3 Memory-optimized Instance"}, PAIR, NULL},
    [GCP_M4] = {{"M4 Instance"}, PAIR, NULL},
    [GCP_M4_ULTRAMEM_224] = {{"M4Ultramem224 Instance"}, PAIR, NULL},
    [GCP_A2] = {{"A2 Instance"}, PAIR, NULL},
    [GCP_G2] = {{"G2 Instance"}, PAIR, NULL},
    [GCP_G4] = {{"G4 Instance"}, PAIR, NULL},
    [GCP_F1_MICRO] = {{"Micro Instance with burstable CPU"}, WHOLE, "F1Micro"},
    [GCP_G1_SMALL] = {{"Small Instance with 1 VCPU"}, WHOLE, "G1Small"},
    [GCP_A100] = {{"Nvidia Tesla A100 GPU"}, GPU, NULL},
    [GCP_A100_80GB] = {{"Nvidia Tesla A100 80GB GPU"}, GPU, NULL},
    [GCP_L4] = {{"Nvidia L4 GPU"}, GPU, NULL},
    [GCP_RTX_6000] = {{"RTX 6000 96GB"}, GPU, NULL},
    [GCP_SSD] = {{SSD_WORDS}, DISK, "LocalSSD"},
    [GCP_SSD_C4] = {{"C4 Instance Local SSD"}, WHOLE, "LocalSSD"},
    [GCP_SSD_C4A] = {{"C4A Instance Local SSD"}, WHOLE, "LocalSSD"},
    [GCP_SSD_C4D] = {{"C4D Instance Local SSD"}, WHOLE, "LocalSSD"},
};

const char *gcp_architecture(size_t family)
{
    return family == GCP_T2A || family == GCP_C4A || family == GCP_N4A ? "arm64" : "x86_64";
}

static bool skip(const char **text, const char *prefix)
{
    size_t length = strlen(prefix);

    if (strncmp(*text, prefix, length) != 0)
        return false;
    *text += length;
    return true;
}

/* "<called> Core running in <somewhere>", to the letter: what stands between is another product.
 */
static bool is_pair(const char *text, enum gcp_part *ret_part)
{
    if (skip(&text, " Core" RUNNING))
        *ret_part = GCP_CORE;
    else if (skip(&text, " Ram" RUNNING) || skip(&text, " RAM" RUNNING))
        *ret_part = GCP_RAM;
    else
        return false;
    return *text != '\0';
}

static bool is_somewhere(const char *text, const char *before)
{
    return skip(&text, before) && *text != '\0';
}

/* `spot` is set where the description began so; ATTACHED sets it, and must not do so twice. */
static bool is_called(const char *text, const char *called, enum form form,
                      struct gcp_component *component)
{
    if (!skip(&text, called))
        return false;
    if (form == PAIR)
        return is_pair(text, &component->part);
    component->part = GCP_EACH;
    if (form == WHOLE)
        return is_somewhere(text, RUNNING);
    if (component->spot)
        return false;
    component->spot = skip(&text, ATTACHED);
    if (form == GPU)
        return is_somewhere(text, RUNNING);
    return !*text || is_somewhere(text, " in ");
}

bool gcp_component_read(const char *description, struct gcp_component *ret_component)
{
    bool spot = skip(&description, "Spot Preemptible ") || skip(&description, "Preemptible ");

    for (size_t family = 0; family < GCP_FAMILIES; family++)
        for (size_t i = 0; i < COUNT(families[family].called); i++) {
            struct gcp_component component = {.family = family, .spot = spot};
            const char *called = families[family].called[i];

            if (called && is_called(description, called, families[family].form, &component)) {
                *ret_component = component;
                return true;
            }
        }
    return false;
}

bool gcp_component_may_be(const char *json, size_t length)
{
    return memmem(json, length, RUNNING, strlen(RUNNING)) ||
           memmem(json, length, SSD_WORDS, strlen(SSD_WORDS));
}

const char *gcp_resource_family(const struct gcp_component *component)
{
    return families[component->family].form == DISK ? "Storage" : "Compute";
}

const char *gcp_group(const struct gcp_component *component)
{
    const struct family *family = &families[component->family];

    if (family->group)
        return family->group;
    if (family->form == GPU)
        return "GPU";
    return component->part == GCP_CORE ? "CPU" : "RAM";
}

static bool is_disk(size_t family)
{
    return family >= GCP_SSD && family <= GCP_SSD_C4D;
}

bool gcp_unit(const struct gcp_component *component, const char *unit, bool *ret_monthly)
{
    bool by_gib = is_disk(component->family) ||
                  (families[component->family].form == PAIR && component->part == GCP_RAM);

    *ret_monthly = is_disk(component->family) && strcmp(unit, "GiBy.mo") == 0;
    return *ret_monthly || strcmp(unit, by_gib ? "GiBy.h" : "h") == 0;
}

int gcp_dollars_max(const struct gcp_component *component)
{
    if (families[component->family].form == GPU)
        return 50;
    return component->part == GCP_CORE && !is_disk(component->family) ? 5 : 1;
}

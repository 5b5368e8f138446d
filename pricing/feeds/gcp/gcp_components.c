#include "pricing/feeds/gcp/gcp_components.h"

#include "common/cleanup.h"
#include "common/text.h"

#include <string.h>

#define SSD_WORDS "SSD backed Local Storage"
#define RUNNING " running in "
#define ATTACHED " attached to Spot Preemptible VMs"
#define COMMITMENT "Commitment v1: "
#define OLDER_COMMITMENT "Commitment: "

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
    const char *group; /* NULL: the default of the form */
    /* How a commitment calls it. NULL: none is known beyond doubt, which docs/prices.md explains.
     */
    const char *committed;
} families[GCP_FAMILIES] = {
    [GCP_N1] = {.called = {"N1 Predefined Instance", "N1 Instance"},
                PAIR,
                .group = "N1Standard",
                .committed = ""},
    [GCP_N2] = {.called = {"N2 Instance", "N2 Predefined Instance"}, PAIR, .committed = "N2 "},
    [GCP_N2D] = {.called = {"N2D AMD Instance", "N2D Instance"}, PAIR, .committed = "N2D AMD "},
    [GCP_N4] = {.called = {"N4 Instance", "N4 Predefined Instance"}, PAIR, .committed = "N4 "},
    [GCP_N4A] = {.called = {"N4A Instance", "N4A Arm Instance"}, PAIR, .committed = "N4A "},
    [GCP_N4D] = {.called = {"N4D Instance", "N4D AMD Instance"}, PAIR, .committed = "N4D "},
    [GCP_E2] = {.called = {"E2 Instance", "E2 Predefined Instance"}, PAIR, .committed = "E2 "},
    [GCP_C2] = {.called = {"Compute optimized", "Compute optimized Instance"},
                PAIR,
                .committed = "Compute optimized "},
    [GCP_C2D] = {.called = {"C2D AMD Instance", "C2D Instance"}, PAIR, .committed = "C2D AMD "},
    [GCP_C3] = {.called = {"C3 Instance"}, PAIR, .committed = "C3 "},
    [GCP_C3D] = {.called = {"C3D Instance", "C3D AMD Instance"}, PAIR, .committed = "C3D "},
    [GCP_C4] = {.called = {"C4 Instance"}, PAIR, .committed = "C4 "},
    [GCP_C4A] = {.called = {"C4A Arm Instance", "C4A Instance"}, PAIR, .committed = "C4A Arm "},
    [GCP_C4D] = {.called = {"C4D Instance", "C4D AMD Instance"}, PAIR, .committed = "C4D "},
    [GCP_T2D] = {.called = {"T2D AMD Instance", "T2D Instance"}, PAIR, .committed = "T2D AMD "},
    [GCP_T2A] = {.called = {"T2A Arm Instance", "T2A Instance"}, PAIR},
    [GCP_H3] = {.called = {"H3 Instance"}, PAIR, .committed = "H3 "},
    [GCP_Z3] = {.called = {"Z3 Instance"}, PAIR},
    [GCP_M1] = {.called = {"Memory-optimized Instance"}, PAIR, .committed = "Memory-optimized "},
    [GCP_M2] = {.called = {"Memory Optimized Upgrade Premium for Memory-optimized Instance"},
                PAIR},
    [GCP_M3] = {.called = {"M3 Memory-optimized Instance"},
                PAIR,
                .committed = "M3 Memory-optimized "},
    [GCP_M4] = {.called = {"M4 Instance"}, PAIR, .committed = "M4 "},
    [GCP_M4_ULTRAMEM_224] = {.called = {"M4Ultramem224 Instance"},
                             PAIR,
                             .committed = "M4Ultramem224 "},
    [GCP_A2] = {.called = {"A2 Instance"}, PAIR, .committed = "A2 "},
    [GCP_G2] = {.called = {"G2 Instance"}, PAIR, .committed = "G2 "},
    [GCP_G4] = {.called = {"G4 Instance"}, PAIR, .committed = "G4 "},
    [GCP_F1_MICRO] = {.called = {"Micro Instance with burstable CPU"}, WHOLE, .group = "F1Micro"},
    [GCP_G1_SMALL] = {.called = {"Small Instance with 1 VCPU"}, WHOLE, .group = "G1Small"},
    [GCP_A100] = {.called = {"Nvidia Tesla A100 GPU"},
                  GPU,
                  .committed = "Nvidia Tesla A100 GPU "},
    [GCP_A100_80GB] = {.called = {"Nvidia Tesla A100 80GB GPU"}, GPU},
    [GCP_L4] = {.called = {"Nvidia L4 GPU"}, GPU, .committed = "Nvidia L4 GPU "},
    [GCP_RTX_6000] = {.called = {"RTX 6000 96GB"}, GPU, .committed = "RTX 6000 96GB "},
    [GCP_SSD] = {.called = {SSD_WORDS}, DISK, .group = "LocalSSD", .committed = "Local SSD "},
    [GCP_SSD_C4] = {.called = {"C4 Instance Local SSD"},
                    WHOLE,
                    .group = "LocalSSD",
                    .committed = "C4 Local SSD "},
    [GCP_SSD_C4A] = {.called = {"C4A Instance Local SSD"},
                     WHOLE,
                     .group = "LocalSSD",
                     .committed = "C4A Local SSD "},
    [GCP_SSD_C4D] = {.called = {"C4D Instance Local SSD"},
                     WHOLE,
                     .group = "LocalSSD",
                     .committed = "C4D Local SSD "},
};

const char *gcp_architecture(size_t family)
{
    return family == GCP_T2A || family == GCP_C4A || family == GCP_N4A ? "arm64" : "x86_64";
}

/* "<called> Core running in <somewhere>", to the letter: what stands between is another product.
 */
static bool is_pair(const char *text, enum gcp_part *ret_part)
{
    if (text_take(&text, " Core" RUNNING))
        *ret_part = GCP_CORE;
    else if (text_take(&text, " Ram" RUNNING) || text_take(&text, " RAM" RUNNING))
        *ret_part = GCP_RAM;
    else
        return false;
    return *text != '\0';
}

static bool is_somewhere(const char *text, const char *before)
{
    return text_take(&text, before) && *text != '\0';
}

/* `spot` is set where the description began so; ATTACHED sets it, and must not do so twice. */
static bool is_called(const char *text, const char *called, enum form form,
                      struct gcp_component *component)
{
    if (!text_take(&text, called))
        return false;
    if (form == PAIR)
        return is_pair(text, &component->part);
    component->part = GCP_EACH;
    if (form == WHOLE)
        return is_somewhere(text, RUNNING);
    if (component->spot)
        return false;
    component->spot = text_take(&text, ATTACHED);
    if (form == GPU)
        return is_somewhere(text, RUNNING);
    return !*text || is_somewhere(text, " in ");
}

/* " for 1 Year" or " for 3 Year" or " for 3 Years" at the end, behind some place. */
static int years_of(const char *place)
{
    static const struct {
        const char *words;
        int years;
    } ends[] = {{" for 1 Year", 1}, {" for 3 Year", 3}, {" for 3 Years", 3}};
    size_t length = strlen(place);

    for (size_t i = 0; i < COUNT(ends); i++) {
        size_t end = strlen(ends[i].words);

        if (length > end && strcmp(place + length - end, ends[i].words) == 0)
            return ends[i].years;
    }
    return 0;
}

/* "Cpu in ", for a part without cores "in " or "running in "; one family also has the older
 * spelling "Core running in ". */
static bool skip_part(const char **text, enum form form, bool older, enum gcp_part *ret_part)
{
    *ret_part = form == PAIR ? GCP_CORE : GCP_EACH;
    if (form != PAIR)
        return !older && (text_take(text, "running in ") || text_take(text, "in ") ||
                          text_take(text, "In "));
    if (text_take(text, older ? "Core running in " : "Cpu in "))
        return true;
    *ret_part = GCP_RAM;
    return text_take(text, older ? "Ram running in " : "Ram in ");
}

/* "N2D AMD Cpu in Paris for 1 Year", of the first generation "Cpu in Paris for 1 Year". */
static bool read_committed(const char *description, bool older,
                           struct gcp_component *ret_component)
{
    for (size_t family = 0; family < GCP_FAMILIES; family++) {
        struct gcp_component component = {.family = family};
        const char *text = description;

        if (!families[family].committed || (older && family != GCP_C2) ||
            !text_take(&text, families[family].committed) ||
            !skip_part(&text, families[family].form, older, &component.part))
            continue;
        component.years = years_of(text);
        if (component.years == 0)
            return false;
        *ret_component = component;
        return true;
    }
    return false;
}

bool gcp_component_read(const char *description, struct gcp_component *ret_component)
{
    if (text_take(&description, COMMITMENT))
        return read_committed(description, false, ret_component);
    if (text_take(&description, OLDER_COMMITMENT))
        return read_committed(description, true, ret_component);

    bool spot =
        text_take(&description, "Spot Preemptible ") || text_take(&description, "Preemptible ");

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
           memmem(json, length, SSD_WORDS, strlen(SSD_WORDS)) ||
           memmem(json, length, COMMITMENT, strlen(COMMITMENT));
}

const char *gcp_resource_family(const struct gcp_component *component)
{
    return families[component->family].form == DISK ? "Storage" : "Compute";
}

static bool is_disk(size_t family)
{
    return family >= GCP_SSD && family <= GCP_SSD_C4D;
}

const char *gcp_group(const struct gcp_component *component)
{
    const struct family *family = &families[component->family];

    if (family->group && (component->years == 0 || is_disk(component->family)))
        return family->group;
    if (family->form == GPU)
        return "GPU";
    return component->part == GCP_CORE ? "CPU" : "RAM";
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

#include "pricing/feeds/gcp/gcp_types.h"

#include <stdio.h>
#include <string.h>

#define SIZES_MAX 14

enum { N1, N2, N2D, N4, E2, C2, C2D, C3, C3D, C4, T2D, T2A };

/* The first names are those in use; the others would mean the same. */
const struct gcp_family gcp_families[GCP_FAMILIES] = {
    [N1] = {"n1", "x86_64", {"N1 Predefined Instance", "N1 Instance"}, "N1Standard"},
    [N2] = {"n2", "x86_64", {"N2 Instance", "N2 Predefined Instance"}, NULL},
    [N2D] = {"n2d", "x86_64", {"N2D AMD Instance", "N2D Instance"}, NULL},
    [N4] = {"n4", "x86_64", {"N4 Instance", "N4 Predefined Instance"}, NULL},
    [E2] = {"e2", "x86_64", {"E2 Instance", "E2 Predefined Instance"}, NULL},
    [C2] = {"c2", "x86_64", {"Compute optimized", "Compute optimized Instance"}, NULL},
    [C2D] = {"c2d", "x86_64", {"C2D AMD Instance", "C2D Instance"}, NULL},
    [C3] = {"c3", "x86_64", {"C3 Instance"}, NULL},
    [C3D] = {"c3d", "x86_64", {"C3D Instance", "C3D AMD Instance"}, NULL},
    [C4] = {"c4", "x86_64", {"C4 Instance"}, NULL},
    [T2D] = {"t2d", "x86_64", {"T2D AMD Instance", "T2D Instance"}, NULL},
    [T2A] = {"t2a", "arm64", {"T2A Arm Instance", "T2A Instance"}, NULL},
};

const char *gcp_group(const struct gcp_component *component)
{
    const char *group = gcp_families[component->family].group;

    if (group)
        return group;
    return component->part == GCP_CORE ? "CPU" : "RAM";
}

/* Types of one shape: so many hundredths of a GiB for each `per` vCPUs. */
static const struct series {
    size_t family;
    const char *shape;
    int centi_gib, per;
    int sizes[SIZES_MAX]; /* vCPUs; 0 ends it */
} all_series[] = {
    {N1, "standard", 375, 1, {1, 2, 4, 8, 16, 32, 64, 96}},
    {N1, "highmem", 650, 1, {2, 4, 8, 16, 32, 64, 96}},
    {N1, "highcpu", 90, 1, {2, 4, 8, 16, 32, 64, 96}},
    {N2, "standard", 400, 1, {2, 4, 8, 16, 32, 48, 64, 80, 96, 128}},
    {N2, "highmem", 800, 1, {2, 4, 8, 16, 32, 48, 64, 80, 96}},
    {N2, "highmem", 675, 1, {128}},
    {N2, "highcpu", 100, 1, {2, 4, 8, 16, 32, 48, 64, 80, 96}},
    {N2D, "standard", 400, 1, {2, 4, 8, 16, 32, 48, 64, 80, 96, 128, 224}},
    {N2D, "highmem", 800, 1, {2, 4, 8, 16, 32, 48, 64, 80, 96}},
    {N2D, "highcpu", 100, 1, {2, 4, 8, 16, 32, 48, 64, 80, 96, 128, 224}},
    {N4, "standard", 400, 1, {2, 4, 8, 16, 32, 48, 64, 80}},
    {N4, "highmem", 800, 1, {2, 4, 8, 16, 32, 48, 64, 80}},
    {N4, "highcpu", 200, 1, {2, 4, 8, 16, 32, 48, 64, 80}},
    {E2, "standard", 400, 1, {2, 4, 8, 16, 32}},
    {E2, "highmem", 800, 1, {2, 4, 8, 16}},
    {E2, "highcpu", 100, 1, {2, 4, 8, 16, 32}},
    {C2, "standard", 400, 1, {4, 8, 16, 30, 60}},
    {C2D, "standard", 400, 1, {2, 4, 8, 16, 32, 56, 112}},
    {C2D, "highmem", 800, 1, {2, 4, 8, 16, 32, 56, 112}},
    {C2D, "highcpu", 200, 1, {2, 4, 8, 16, 32, 56, 112}},
    {C3, "standard", 400, 1, {4, 8, 22, 44, 88, 176}},
    {C3, "highmem", 800, 1, {4, 8, 22, 44, 88, 176}},
    {C3, "highcpu", 200, 1, {4, 8, 22, 44, 88, 176}},
    {C3D, "standard", 400, 1, {4, 8, 16, 30, 60, 90, 180, 360}},
    {C3D, "highmem", 800, 1, {4, 8, 16, 30, 60, 90, 180, 360}},
    {C3D, "highcpu", 200, 1, {4, 8, 16}},
    {C3D, "highcpu", 5900, 30, {30, 60, 90, 180, 360}},
    {C4, "standard", 350, 1, {2}},
    {C4, "standard", 375, 1, {4, 8, 16, 32, 48, 96, 192}},
    {C4, "highmem", 750, 1, {2}},
    {C4, "highmem", 775, 1, {4, 8, 16, 32, 48, 96, 192}},
    {C4, "highcpu", 200, 1, {2, 4, 8, 16, 32, 48, 96, 192}},
    {T2D, "standard", 400, 1, {1, 2, 4, 8, 16, 32, 48, 60}},
    {T2A, "standard", 400, 1, {1, 2, 4, 8, 16, 32, 48}},
};

bool gcp_type_at(size_t place, struct gcp_type *ret_type)
{
    for (size_t i = 0; i < sizeof all_series / sizeof *all_series; i++) {
        const struct series *series = &all_series[i];

        for (const int *vcpus = series->sizes; *vcpus; vcpus++)
            if (place-- == 0) {
                ret_type->family = series->family;
                ret_type->vcpus = *vcpus;
                ret_type->centi_gib = *vcpus * series->centi_gib / series->per;
                snprintf(ret_type->name, sizeof ret_type->name, "%s-%s-%d",
                         gcp_families[series->family].name, series->shape, *vcpus);
                return true;
            }
    }
    return false;
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
static bool is_called(const char *text, const char *called, enum gcp_part *ret_part)
{
    if (!skip(&text, called))
        return false;
    if (skip(&text, " Core running in "))
        *ret_part = GCP_CORE;
    else if (skip(&text, " Ram running in ") || skip(&text, " RAM running in "))
        *ret_part = GCP_RAM;
    else
        return false;
    return *text != '\0';
}

bool gcp_component_read(const char *description, struct gcp_component *ret_component)
{
    struct gcp_component component = {.spot = skip(&description, "Spot Preemptible ") ||
                                              skip(&description, "Preemptible ")};

    for (; component.family < GCP_FAMILIES; component.family++)
        for (const char *const *called = gcp_families[component.family].called; *called; called++)
            if (is_called(description, *called, &component.part)) {
                *ret_component = component;
                return true;
            }
    return false;
}

bool gcp_is_region(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz", digits[] = "0123456789";
    size_t continent = strspn(name, letters), place, number;

    if (continent == 0 || name[continent] != '-')
        return false;
    name += continent + 1;
    place = strspn(name, letters);
    number = strspn(name + place, digits);
    return place > 0 && number > 0 && name[place + number] == '\0';
}

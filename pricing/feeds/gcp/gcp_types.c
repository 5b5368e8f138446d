#include "pricing/feeds/gcp/gcp_types.h"

#include "common/cleanup.h"

#include <stdio.h>
#include <string.h>

const char *const gcp_sentinels[] = {"n1-standard-4", "n2-standard-4", "e2-standard-4", NULL};

#define SIZES_MAX 15
#define DISK_CENTI 37500 /* GiB of a local SSD */

/* What the machines of a series have for each of its sizes: the end of the name, how many, of
 * what. */
#define C3_DISKS "-lssd", {1, 2, 4, 8, 16, 32}, GCP_SSD
#define C3D_DISKS "-lssd", {1, 1, 2, 4, 8, 16, 32}, GCP_SSD
#define C4_DISKS "-lssd", {1, 1, 2, 4, 5, 8, 16, 24, 32, 48}, GCP_SSD_C4
#define C4A_DISKS "-lssd", {1, 2, 4, 6, 10, 14, 16}, GCP_SSD_C4A
#define C4D_DISKS "-lssd", {1, 1, 2, 4, 6, 8, 16, 32}, GCP_SSD_C4D
#define Z3_STANDARD_DISKS "-standardlssd", {8, 16, 24, 48, 96}, GCP_SSD
#define Z3_HIGH_DISKS "-highlssd", {8, 16, 24, 32, 48, 96}, GCP_SSD
#define G2_GPUS NULL, {1, 1, 1, 1, 2, 1, 4, 8}, GCP_L4
#define G4_GPUS NULL, {1, 2, 4, 8}, GCP_RTX_6000

/* Types of one shape: so many hundredths of a GiB for each `per` vCPUs. */
static const struct series {
    size_t family;
    const char *called; /* before the number of vCPUs */
    int centi_gib, per;
    int sizes[SIZES_MAX]; /* vCPUs; 0 ends it */
    const char *suffix;   /* behind the number; NULL for none */
    /* What else is in the machine: so many GPUs or disks for each size. */
    int extras[SIZES_MAX];
    size_t extra;
} all_series[] = {
    {GCP_N1, "n1-standard", 375, 1, .sizes = {1, 2, 4, 8, 16, 32, 64, 96}},
    {GCP_N1, "n1-highmem", 650, 1, .sizes = {2, 4, 8, 16, 32, 64, 96}},
    {GCP_N1, "n1-highcpu", 90, 1, .sizes = {2, 4, 8, 16, 32, 64, 96}},
    {GCP_N2, "n2-standard", 400, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80, 96, 128}},
    {GCP_N2, "n2-highmem", 800, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80, 96}},
    {GCP_N2, "n2-highmem", 675, 1, .sizes = {128}},
    {GCP_N2, "n2-highcpu", 100, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80, 96}},
    {GCP_N2D, "n2d-standard", 400, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80, 96, 128, 224}},
    {GCP_N2D, "n2d-highmem", 800, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80, 96}},
    {GCP_N2D, "n2d-highcpu", 100, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80, 96, 128, 224}},
    {GCP_N4, "n4-standard", 400, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80}},
    {GCP_N4, "n4-highmem", 800, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80}},
    {GCP_N4, "n4-highcpu", 200, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80}},
    {GCP_N4A, "n4a-standard", 400, 1, .sizes = {1, 2, 4, 8, 16, 32, 48, 64}},
    {GCP_N4A, "n4a-highmem", 800, 1, .sizes = {1, 2, 4, 8, 16, 32, 48, 64}},
    {GCP_N4A, "n4a-highcpu", 200, 1, .sizes = {1, 2, 4, 8, 16, 32, 48, 64}},
    {GCP_N4D, "n4d-standard", 400, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80, 96}},
    {GCP_N4D, "n4d-highmem", 800, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80, 96}},
    {GCP_N4D, "n4d-highcpu", 200, 1, .sizes = {2, 4, 8, 16, 32, 48, 64, 80, 96}},
    {GCP_E2, "e2-standard", 400, 1, .sizes = {2, 4, 8, 16, 32}},
    {GCP_E2, "e2-highmem", 800, 1, .sizes = {2, 4, 8, 16}},
    {GCP_E2, "e2-highcpu", 100, 1, .sizes = {2, 4, 8, 16, 32}},
    {GCP_C2, "c2-standard", 400, 1, .sizes = {4, 8, 16, 30, 60}},
    {GCP_C2D, "c2d-standard", 400, 1, .sizes = {2, 4, 8, 16, 32, 56, 112}},
    {GCP_C2D, "c2d-highmem", 800, 1, .sizes = {2, 4, 8, 16, 32, 56, 112}},
    {GCP_C2D, "c2d-highcpu", 200, 1, .sizes = {2, 4, 8, 16, 32, 56, 112}},
    {GCP_C3, "c3-standard", 400, 1, .sizes = {4, 8, 22, 44, 88, 176}},
    {GCP_C3, "c3-highmem", 800, 1, .sizes = {4, 8, 22, 44, 88, 176}},
    {GCP_C3, "c3-highcpu", 200, 1, .sizes = {4, 8, 22, 44, 88, 176}},
    {GCP_C3, "c3-standard", 400, 1, .sizes = {4, 8, 22, 44, 88, 176}, C3_DISKS},
    {GCP_C3D, "c3d-standard", 400, 1, .sizes = {4, 8, 16, 30, 60, 90, 180, 360}},
    {GCP_C3D, "c3d-highmem", 800, 1, .sizes = {4, 8, 16, 30, 60, 90, 180, 360}},
    {GCP_C3D, "c3d-highcpu", 200, 1, .sizes = {4, 8, 16}},
    {GCP_C3D, "c3d-highcpu", 5900, 30, .sizes = {30, 60, 90, 180, 360}},
    {GCP_C3D, "c3d-standard", 400, 1, .sizes = {8, 16, 30, 60, 90, 180, 360}, C3D_DISKS},
    {GCP_C3D, "c3d-highmem", 800, 1, .sizes = {8, 16, 30, 60, 90, 180, 360}, C3D_DISKS},
    {GCP_C4, "c4-standard", 350, 1, .sizes = {2}},
    {GCP_C4, "c4-standard", 375, 1, .sizes = {4, 8, 16, 24, 32, 48, 96, 144, 192, 288}},
    {GCP_C4, "c4-highmem", 750, 1, .sizes = {2}},
    {GCP_C4, "c4-highmem", 775, 1, .sizes = {4, 8, 16, 24, 32, 48, 96, 144, 192, 288}},
    {GCP_C4, "c4-highcpu", 200, 1, .sizes = {2, 4, 8, 16, 24, 32, 48, 96, 144, 192, 288}},
    {GCP_C4, "c4-standard", 375, 1, .sizes = {4, 8, 16, 24, 32, 48, 96, 144, 192, 288}, C4_DISKS},
    {GCP_C4, "c4-highmem", 775, 1, .sizes = {4, 8, 16, 24, 32, 48, 96, 144, 192, 288}, C4_DISKS},
    {GCP_C4A, "c4a-standard", 400, 1, .sizes = {1, 2, 4, 8, 16, 32, 48, 64, 72}},
    {GCP_C4A, "c4a-highmem", 800, 1, .sizes = {1, 2, 4, 8, 16, 32, 48, 64, 72}},
    {GCP_C4A, "c4a-highcpu", 200, 1, .sizes = {1, 2, 4, 8, 16, 32, 48, 64, 72}},
    {GCP_C4A, "c4a-standard", 400, 1, .sizes = {4, 8, 16, 32, 48, 64, 72}, C4A_DISKS},
    {GCP_C4A, "c4a-highmem", 800, 1, .sizes = {4, 8, 16, 32, 48, 64, 72}, C4A_DISKS},
    {GCP_C4D, "c4d-standard", 350, 1, .sizes = {2}},
    {GCP_C4D, "c4d-standard", 375, 1, .sizes = {4}},
    {GCP_C4D, "c4d-standard", 3100, 8, .sizes = {8, 16, 32, 48, 64, 96, 192, 384}},
    {GCP_C4D, "c4d-standard", 400, 1, .sizes = {384}, "-metal"},
    {GCP_C4D, "c4d-highmem", 750, 1, .sizes = {2}},
    {GCP_C4D, "c4d-highmem", 775, 1, .sizes = {4}},
    {GCP_C4D, "c4d-highmem", 6300, 8, .sizes = {8, 16, 32, 48, 64, 96, 192, 384}},
    {GCP_C4D, "c4d-highmem", 800, 1, .sizes = {384}, "-metal"},
    {GCP_C4D, "c4d-highcpu", 150, 1, .sizes = {2}},
    {GCP_C4D, "c4d-highcpu", 175, 1, .sizes = {4}},
    {GCP_C4D, "c4d-highcpu", 1500, 8, .sizes = {8, 16, 32, 48, 64, 96, 192, 384}},
    {GCP_C4D, "c4d-highcpu", 200, 1, .sizes = {384}, "-metal"},
    {GCP_C4D, "c4d-standard", 3100, 8, .sizes = {8, 16, 32, 48, 64, 96, 192, 384}, C4D_DISKS},
    {GCP_C4D, "c4d-highmem", 6300, 8, .sizes = {8, 16, 32, 48, 64, 96, 192, 384}, C4D_DISKS},
    {GCP_T2D, "t2d-standard", 400, 1, .sizes = {1, 2, 4, 8, 16, 32, 48, 60}},
    {GCP_T2A, "t2a-standard", 400, 1, .sizes = {1, 2, 4, 8, 16, 32, 48}},
    {GCP_H3, "h3-standard", 400, 1, .sizes = {88}},
    {GCP_Z3, "z3-highmem", 800, 1, .sizes = {14, 22, 44, 88, 176}, Z3_STANDARD_DISKS},
    {GCP_Z3, "z3-highmem", 800, 1, .sizes = {8, 16, 22, 32, 44, 88}, Z3_HIGH_DISKS},
    {GCP_M1, "m1-ultramem", 96100, 40, .sizes = {40, 80, 160}},
    {GCP_M1, "m1-megamem", 143360, 96, .sizes = {96}},
    {GCP_M2, "m2-ultramem", 588800, 208, .sizes = {208, 416}},
    {GCP_M2, "m2-megamem", 588800, 416, .sizes = {416}},
    {GCP_M2, "m2-hypermem", 883200, 416, .sizes = {416}},
    {GCP_M3, "m3-ultramem", 3050, 1, .sizes = {32, 64, 128}},
    {GCP_M3, "m3-megamem", 1525, 1, .sizes = {64, 128}},
    {GCP_M4, "m4-ultramem", 148800, 56, .sizes = {56, 112}},
    {GCP_M4_ULTRAMEM_224, "m4-ultramem", 148800, 56, .sizes = {224}},
    {GCP_M4, "m4-megamem", 37200, 28, .sizes = {28, 56, 112, 224}},
    {GCP_M4, "m4-hypermem", 1550, 1, .sizes = {16, 32, 64}},
    {GCP_G2, "g2-standard", 400, 1, .sizes = {4, 8, 12, 16, 24, 32, 48, 96}, G2_GPUS},
    {GCP_G4, "g4-standard", 375, 1, .sizes = {48, 96, 192, 384}, G4_GPUS},
};

/* Types whose names do not end in their vCPUs. */
static const struct single {
    size_t family;
    const char *name;
    int vcpus, centi_cores, centi_gib;
    int extras; /* GPUs, and in an a2-ultragpu as many disks */
    size_t extra;
} singles[] = {
    {GCP_E2, "e2-micro", 2, 25, 100, 0, 0},
    {GCP_E2, "e2-small", 2, 50, 200, 0, 0},
    {GCP_E2, "e2-medium", 2, 100, 400, 0, 0},
    {GCP_F1_MICRO, "f1-micro", 1, 100, 60, 0, 0},
    {GCP_G1_SMALL, "g1-small", 1, 100, 170, 0, 0},
    {GCP_A2, "a2-highgpu-1g", 12, 1200, 8500, 1, GCP_A100},
    {GCP_A2, "a2-highgpu-2g", 24, 2400, 17000, 2, GCP_A100},
    {GCP_A2, "a2-highgpu-4g", 48, 4800, 34000, 4, GCP_A100},
    {GCP_A2, "a2-highgpu-8g", 96, 9600, 68000, 8, GCP_A100},
    {GCP_A2, "a2-megagpu-16g", 96, 9600, 136000, 16, GCP_A100},
    {GCP_A2, "a2-ultragpu-1g", 12, 1200, 17000, 1, GCP_A100_80GB},
    {GCP_A2, "a2-ultragpu-2g", 24, 2400, 34000, 2, GCP_A100_80GB},
    {GCP_A2, "a2-ultragpu-4g", 48, 4800, 68000, 4, GCP_A100_80GB},
    {GCP_A2, "a2-ultragpu-8g", 96, 9600, 136000, 8, GCP_A100_80GB},
};

static void add_item(struct gcp_type *type, size_t family, enum gcp_part part, long long centi)
{
    type->items[type->count++] = (struct gcp_item){family, part, centi};
}

static void add_cores(struct gcp_type *type, size_t family, long long centi_cores)
{
    add_item(type, family, GCP_CORE, centi_cores);
    if (family != GCP_F1_MICRO && family != GCP_G1_SMALL)
        add_item(type, family, GCP_RAM, type->centi_gib);
}

static void add_extras(struct gcp_type *type, size_t extra, int count)
{
    static const char *const names[GCP_FAMILIES] = {[GCP_A100] = "a100",
                                                    [GCP_A100_80GB] = "a100-80gb",
                                                    [GCP_L4] = "l4",
                                                    [GCP_RTX_6000] = "rtx6000"};

    if (count == 0)
        return;
    add_item(type, extra, GCP_EACH, count * (names[extra] ? 100 : DISK_CENTI));
    if (names[extra])
        snprintf(type->accelerator, sizeof type->accelerator, "%d x %s", count, names[extra]);
}

static void make_of_series(const struct series *series, size_t size, struct gcp_type *ret_type)
{
    struct gcp_type type = {.family = series->family, .vcpus = series->sizes[size]};

    type.centi_gib = (long long)type.vcpus * series->centi_gib / series->per;
    snprintf(type.name, sizeof type.name, "%s-%d%s", series->called, type.vcpus,
             series->suffix ? series->suffix : "");
    if (series->family == GCP_M2)
        add_cores(&type, GCP_M1, 100LL * type.vcpus);
    add_cores(&type, series->family, 100LL * type.vcpus);
    add_extras(&type, series->extra, series->extras[size]);
    *ret_type = type;
}

static void make_single(const struct single *single, struct gcp_type *ret_type)
{
    struct gcp_type type = {
        .family = single->family, .vcpus = single->vcpus, .centi_gib = single->centi_gib};

    snprintf(type.name, sizeof type.name, "%s", single->name);
    add_cores(&type, single->family, single->centi_cores);
    add_extras(&type, single->extra, single->extras);
    if (single->extra == GCP_A100_80GB)
        add_extras(&type, GCP_SSD, single->extras);
    *ret_type = type;
}

bool gcp_type_at(size_t place, struct gcp_type *ret_type)
{
    for (size_t i = 0; i < COUNT(all_series); i++)
        for (size_t size = 0; all_series[i].sizes[size]; size++)
            if (place-- == 0) {
                make_of_series(&all_series[i], size, ret_type);
                return true;
            }
    if (place >= COUNT(singles))
        return false;
    make_single(&singles[place], ret_type);
    return true;
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

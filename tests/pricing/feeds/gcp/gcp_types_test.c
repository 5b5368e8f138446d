/* Machine types of Google, and what is in them. */
#include "pricing/feeds/gcp/gcp_types.h"

#include "tests/test.h"

static bool find(const char *name, struct gcp_type *ret_type)
{
    for (size_t place = 0; gcp_type_at(place, ret_type); place++)
        if (strcmp(ret_type->name, name) == 0)
            return true;
    return false;
}

TEST(shapes_are_as_they_are_rented)
{
    static const struct {
        const char *name;
        int vcpus, centi_gib;
    } known[] = {
        {"n1-highcpu-64", 64, 5760},     {"n1-standard-1", 1, 375},
        {"n1-highmem-96", 96, 62400},    {"n2-highmem-128", 128, 86400},
        {"n2-highmem-96", 96, 76800},    {"n2d-standard-224", 224, 89600},
        {"e2-standard-2", 2, 800},       {"c2-standard-60", 60, 24000},
        {"c2d-highcpu-112", 112, 22400}, {"c3-standard-176", 176, 70400},
        {"c3d-highcpu-16", 16, 3200},    {"c3d-highcpu-30", 30, 5900},
        {"c3d-highcpu-360", 360, 70800}, {"c4-standard-2", 2, 700},
        {"c4-standard-192", 192, 72000}, {"c4-highmem-2", 2, 1500},
        {"c4-highmem-192", 192, 148800}, {"n4-highcpu-80", 80, 16000},
        {"t2d-standard-60", 60, 24000},  {"t2a-standard-48", 48, 19200},
        {"c4a-highmem-72", 72, 57600},   {"c4d-standard-4", 4, 1500},
        {"c4d-standard-8", 8, 3100},     {"c4d-highmem-384", 384, 302400},
        {"c4d-highcpu-2", 2, 300},       {"c4d-highcpu-16", 16, 3000},
        {"n4a-highcpu-1", 1, 200},       {"n4d-standard-96", 96, 38400},
        {"e2-medium", 2, 400},           {"m1-megamem-96", 96, 143360},
        {"m3-megamem-64", 64, 97600},    {"m4-hypermem-16", 16, 24800},
        {"h3-standard-88", 88, 35200},   {"g4-standard-48", 48, 18000},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        struct gcp_type type = {.vcpus = 0};

        EXPECT(find(known[i].name, &type));
        EXPECT_SAME(type, known[i], name, vcpus, centi_gib);
    }
}

/* Why each stays out stands in docs/prices.md. */
TEST(types_whose_price_is_not_certain_are_absent)
{
    struct gcp_type type;

    EACH_TEXT(absent, "a3-highgpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g", "a4-highgpu-8g",
              "g4-standard-24", "c3-standard-192-metal", "c4n-standard-2", "h4d-standard-192",
              "m4n-ultramem-224", "x4-480-6t-metal", "z3-highmem-88", "n2-highcpu-128",
              "n2d-highmem-128", "c2-highmem-4", "custom-1-7680", "c4a-highmem-96-metal", "")
        EXPECT(!find(absent, &type));
}

static void check_items(const struct gcp_type *type)
{
    EXPECT(type->count >= 1 && type->count <= GCP_ITEMS_MAX);
    for (size_t i = 0; i < type->count; i++) {
        EXPECT(type->items[i].family < GCP_FAMILIES && type->items[i].centi > 0);
        for (size_t j = 0; j < i; j++)
            EXPECT(type->items[i].family != type->items[j].family ||
                   type->items[i].part != type->items[j].part);
    }
}

TEST(every_type_is_there_once_with_parts_that_have_prices)
{
    struct gcp_type type, other;
    size_t count = 0;

    for (; gcp_type_at(count, &type); count++) {
        EXPECT(type.vcpus > 0 && type.centi_gib > 0);
        EXPECT(type.centi_gib <= type.vcpus * 3100);
        check_items(&type);
        for (size_t place = 0; place < count && gcp_type_at(place, &other); place++)
            EXPECT(strcmp(type.name, other.name) != 0);
    }
    EXPECT_INT((long long)count, 478);
}

static long long amount_of(const char *name, size_t family, enum gcp_part part)
{
    struct gcp_type type = {.count = 0};

    EXPECT(find(name, &type));
    for (size_t i = 0; i < type.count; i++)
        if (type.items[i].family == family && type.items[i].part == part)
            return type.items[i].centi;
    return 0;
}

TEST(what_is_in_a_machine_is_counted)
{
    struct gcp_type type = {.vcpus = 0};

    EXPECT_INT(amount_of("c3d-highcpu-30", GCP_C3D, GCP_RAM), 5900);
    EXPECT_INT(amount_of("e2-micro", GCP_E2, GCP_CORE), 25);
    EXPECT_INT(amount_of("e2-micro", GCP_E2, GCP_RAM), 100);
    EXPECT_INT(amount_of("f1-micro", GCP_F1_MICRO, GCP_EACH), 100);
    EXPECT_INT(amount_of("g1-small", GCP_G1_SMALL, GCP_RAM), 0);
    EXPECT_INT(amount_of("m2-megamem-416", GCP_M1, GCP_RAM), 588800);
    EXPECT_INT(amount_of("m2-megamem-416", GCP_M2, GCP_CORE), 41600);
    EXPECT_INT(amount_of("m4-ultramem-224", GCP_M4, GCP_CORE), 0);
    EXPECT_INT(amount_of("m4-ultramem-224", GCP_M4_ULTRAMEM_224, GCP_RAM), 595200);
    EXPECT_INT(amount_of("c4-standard-32-lssd", GCP_SSD_C4, GCP_EACH), 5 * 37500);
    EXPECT_INT(amount_of("c4a-highmem-72-lssd", GCP_SSD_C4A, GCP_EACH), 16 * 37500);
    EXPECT_INT(amount_of("c3-standard-176-lssd", GCP_SSD, GCP_EACH), 32 * 37500);
    EXPECT_INT(amount_of("z3-highmem-88-highlssd", GCP_SSD, GCP_EACH), 96 * 37500);
    EXPECT_INT(amount_of("a2-ultragpu-2g", GCP_SSD, GCP_EACH), 2 * 37500);
    EXPECT_INT(amount_of("a2-ultragpu-2g", GCP_A100_80GB, GCP_EACH), 200);
    EXPECT_INT(amount_of("a2-megagpu-16g", GCP_A100, GCP_EACH), 1600);
    EXPECT_INT(amount_of("g2-standard-32", GCP_L4, GCP_EACH), 100);
    EXPECT_INT(amount_of("g4-standard-384", GCP_RTX_6000, GCP_EACH), 800);
    EXPECT(find("a2-megagpu-16g", &type));
    EXPECT_STR(type.accelerator, "16 x a100");
    EXPECT(find("c4-standard-32-lssd", &type));
    EXPECT_STR(type.accelerator, "");
}

TEST(regions_are_distinguished_from_other_words)
{
    EXPECT(gcp_is_region("us-central1") && gcp_is_region("europe-west12"));
    EXPECT(!gcp_is_region("") && !gcp_is_region("global") && !gcp_is_region("windows"));
    EXPECT(!gcp_is_region("sles-sap") && !gcp_is_region("us-central1-a"));
    EXPECT(!gcp_is_region("us-1") && !gcp_is_region("-east1") && !gcp_is_region("US-east1"));
}

/* Machine types of Google, and the entries of its price list that are about them. */
#include "pricing/feeds/gcp/gcp_types.h"

#include "common/cleanup.h"
#include "tests/test.h"

static const char *name_of(size_t family)
{
    return gcp_families[family].name;
}

static bool find(const char *name, struct gcp_type *ret_type)
{
    for (size_t place = 0; gcp_type_at(place, ret_type); place++)
        if (strcmp(ret_type->name, name) == 0)
            return true;
    return false;
}

static void shapes_are_as_they_are_rented(void)
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
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        struct gcp_type type = {.vcpus = 0};

        EXPECT(find(known[i].name, &type));
        EXPECT_STR(type.name, known[i].name);
        EXPECT_INT(type.vcpus, known[i].vcpus);
        EXPECT_INT(type.centi_gib, known[i].centi_gib);
    }
}

static void types_with_more_than_cores_and_memory_are_absent(void)
{
    static const char *const absent[] = {
        "e2-micro",           "e2-medium",       "f1-micro",      "g1-small",
        "c3-standard-4-lssd", "a2-highgpu-1g",   "g2-standard-4", "c3-standard-192-metal",
        "n2-highcpu-128",     "n2d-highmem-128", "c2-highmem-4",  ""};
    struct gcp_type type;

    for (size_t i = 0; i < COUNT(absent); i++)
        EXPECT(!find(absent[i], &type));
}

static void every_type_is_there_once_and_begins_with_its_family(void)
{
    struct gcp_type type, other;
    size_t count = 0;

    for (; gcp_type_at(count, &type); count++) {
        size_t length = strlen(name_of(type.family));

        EXPECT(strncmp(type.name, name_of(type.family), length) == 0 && type.name[length] == '-');
        EXPECT(type.vcpus > 0 && type.centi_gib >= type.vcpus * 90);
        EXPECT(type.centi_gib <= type.vcpus * 800);
        for (size_t place = 0; place < count && gcp_type_at(place, &other); place++)
            EXPECT(strcmp(type.name, other.name) != 0);
    }
    EXPECT_INT((long long)count, 227);
}

static void a_description_says_of_what_it_is_the_price(void)
{
    static const struct {
        const char *text, *family;
        enum gcp_part part;
        bool spot;
    } known[] = {
        {"N1 Predefined Instance Core running in Americas", "n1", GCP_CORE, false},
        {"Spot Preemptible N1 Predefined Instance Ram running in Americas", "n1", GCP_RAM, true},
        {"Preemptible N1 Predefined Instance Core running in Finland", "n1", GCP_CORE, true},
        {"N2 Instance Ram running in Paris", "n2", GCP_RAM, false},
        {"N2D AMD Instance Core running in Virginia", "n2d", GCP_CORE, false},
        {"E2 Instance RAM running in Tokyo", "e2", GCP_RAM, false},
        {"Compute optimized Core running in Americas", "c2", GCP_CORE, false},
        {"Spot Preemptible Compute optimized Instance Ram running in Madrid", "c2", GCP_RAM,
         true},
        {"C2D AMD Instance Core running in Iowa", "c2d", GCP_CORE, false},
        {"C3 Instance Core running in Iowa", "c3", GCP_CORE, false},
        {"C3D Instance Core running in Iowa", "c3d", GCP_CORE, false},
        {"Spot Preemptible C4 Instance Ram running in Iowa", "c4", GCP_RAM, true},
        {"N4 Instance Core running in Iowa", "n4", GCP_CORE, false},
        {"T2D AMD Instance Core running in Iowa", "t2d", GCP_CORE, false},
        {"T2A Arm Instance Ram running in Iowa", "t2a", GCP_RAM, false},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        struct gcp_component component = {.family = GCP_FAMILIES};

        EXPECT(gcp_component_read(known[i].text, &component));
        if (component.family < GCP_FAMILIES)
            EXPECT_STR(name_of(component.family), known[i].family);
        EXPECT_INT((int)component.part, known[i].part);
        EXPECT_INT(component.spot, known[i].spot);
    }
}

static void every_other_description_is_about_something_else(void)
{
    static const char *const others[] = {
        "",
        "Core running in Americas",
        "Custom Instance Core running in Americas",
        "N2 Custom Instance Core running in Americas",
        "N2 Custom Extended Instance Ram running in Americas",
        "N2D AMD Custom Instance Core running in Americas",
        "Commitment v1: Cpu in Americas for 1 Year",
        "Commitment: Compute optimized Core running in Americas for 1 Year",
        "N1 Sole Tenancy Premium for N1 Instance Core running in Americas",
        "N2 Sole Tenancy Instance Ram running in Americas",
        "Compute-optimized Sole Tenancy Instance Core running in Americas",
        "Sole Tenancy Instance Ram running in Americas",
        "Reserved N2 Instance Core in Americas",
        "DWS Calendar Mode N2 Instance Core running in Americas",
        "Memory-optimized Instance Core running in Americas",
        "Nvidia Tesla V100 GPU running in Americas",
        "C4A Arm Instance Core running in Americas",
        "C4D Instance Core running in Americas",
        "A2 Instance Core running in Americas",
        "N2 Instance Core running in ",
        "N2 Instance Core",
        "N2 Instance Cores running in Americas",
        "n2 instance core running in Americas",
        "Spot Preemptible Preemptible N2 Instance Core running in Americas",
        " N2 Instance Core running in Americas",
        "Spot N2 Instance Core running in Americas",
        "Micro Instance with burstable CPU running in Americas",
    };
    struct gcp_component component;

    for (size_t i = 0; i < COUNT(others); i++) {
        bool read = gcp_component_read(others[i], &component);

        EXPECT(!read);
        if (read)
            printf("    it was %s\n", others[i]);
    }
}

static void groups_are_by_part_but_for_the_oldest_family(void)
{
    struct gcp_component component = {.part = GCP_CORE};

    for (; component.family < GCP_FAMILIES; component.family++) {
        bool old = strcmp(name_of(component.family), "n1") == 0;

        component.part = GCP_CORE;
        EXPECT_STR(gcp_group(&component), old ? "N1Standard" : "CPU");
        component.part = GCP_RAM;
        EXPECT_STR(gcp_group(&component), old ? "N1Standard" : "RAM");
    }
}

static void regions_are_distinguished_from_other_words(void)
{
    EXPECT(gcp_is_region("us-central1") && gcp_is_region("europe-west12"));
    EXPECT(!gcp_is_region("") && !gcp_is_region("global") && !gcp_is_region("windows"));
    EXPECT(!gcp_is_region("sles-sap") && !gcp_is_region("us-central1-a"));
    EXPECT(!gcp_is_region("us-1") && !gcp_is_region("-east1") && !gcp_is_region("US-east1"));
}

int main(void)
{
    RUN(shapes_are_as_they_are_rented);
    RUN(types_with_more_than_cores_and_memory_are_absent);
    RUN(every_type_is_there_once_and_begins_with_its_family);
    RUN(a_description_says_of_what_it_is_the_price);
    RUN(every_other_description_is_about_something_else);
    RUN(groups_are_by_part_but_for_the_oldest_family);
    RUN(regions_are_distinguished_from_other_words);
    return test_result();
}

/* Entries of Google's price list, by their descriptions. */
#include "pricing/feeds/gcp/gcp_components.h"

#include "tests/test.h"

static const struct {
    const char *text;
    size_t family;
    enum gcp_part part;
    bool spot;
} descriptions[] = {
    {"N1 Predefined Instance Core running in Americas", GCP_N1, GCP_CORE, false},
    {"Spot Preemptible N1 Predefined Instance Ram running in Americas", GCP_N1, GCP_RAM, true},
    {"Preemptible N1 Predefined Instance Core running in Finland", GCP_N1, GCP_CORE, true},
    {"N2 Instance Ram running in Paris", GCP_N2, GCP_RAM, false},
    {"N2D AMD Instance Core running in Virginia", GCP_N2D, GCP_CORE, false},
    {"E2 Instance RAM running in Tokyo", GCP_E2, GCP_RAM, false},
    {"Compute optimized Core running in Americas", GCP_C2, GCP_CORE, false},
    {"Spot Preemptible Compute optimized Instance Ram running in Madrid", GCP_C2, GCP_RAM, true},
    {"C2D AMD Instance Core running in Iowa", GCP_C2D, GCP_CORE, false},
    {"C3 Instance Core running in Iowa", GCP_C3, GCP_CORE, false},
    {"C3D Instance Core running in Iowa", GCP_C3D, GCP_CORE, false},
    {"Spot Preemptible C4 Instance Ram running in Iowa", GCP_C4, GCP_RAM, true},
    {"N4 Instance Core running in Iowa", GCP_N4, GCP_CORE, false},
    {"T2D AMD Instance Core running in Iowa", GCP_T2D, GCP_CORE, false},
    {"T2A Arm Instance Ram running in Iowa", GCP_T2A, GCP_RAM, false},
    {"C4A Arm Instance Core running in Iowa", GCP_C4A, GCP_CORE, false},
    {"Spot Preemptible C4D Instance Ram running in Tokyo", GCP_C4D, GCP_RAM, true},
    {"N4A Instance Ram running in Iowa", GCP_N4A, GCP_RAM, false},
    {"N4D Instance Core running in Iowa", GCP_N4D, GCP_CORE, false},
    {"H3 Instance Core running in Iowa", GCP_H3, GCP_CORE, false},
    {"Z3 Instance Ram running in Iowa", GCP_Z3, GCP_RAM, false},
    {"Memory-optimized Instance Core running in Americas", GCP_M1, GCP_CORE, false},
    {"Memory Optimized Upgrade Premium for Memory-optimized Instance Ram running in Tokyo",
     GCP_M2, GCP_RAM, false},
    {"M3 Memory-optimized Instance Core running in Iowa", GCP_M3, GCP_CORE, false},
    {"M4 Instance Core running in Americas", GCP_M4, GCP_CORE, false},
    {"Spot Preemptible M4Ultramem224 Instance Core running in Frankfurt", GCP_M4_ULTRAMEM_224,
     GCP_CORE, true},
    {"A2 Instance Core running in Americas", GCP_A2, GCP_CORE, false},
    {"G2 Instance Ram running in Americas", GCP_G2, GCP_RAM, false},
    {"G4 Instance Ram running in Iowa", GCP_G4, GCP_RAM, false},
    {"Micro Instance with burstable CPU running in Americas", GCP_F1_MICRO, GCP_EACH, false},
    {"Spot Preemptible Small Instance with 1 VCPU running in Paris", GCP_G1_SMALL, GCP_EACH,
     true},
    {"Nvidia Tesla A100 GPU running in Americas", GCP_A100, GCP_EACH, false},
    {"Nvidia Tesla A100 80GB GPU attached to Spot Preemptible VMs running in Americas",
     GCP_A100_80GB, GCP_EACH, true},
    {"Nvidia L4 GPU running in Mumbai", GCP_L4, GCP_EACH, false},
    {"RTX 6000 96GB running in Delhi", GCP_RTX_6000, GCP_EACH, false},
    {"SSD backed Local Storage", GCP_SSD, GCP_EACH, false},
    {"SSD backed Local Storage in Frankfurt", GCP_SSD, GCP_EACH, false},
    {"SSD backed Local Storage attached to Spot Preemptible VMs", GCP_SSD, GCP_EACH, true},
    {"SSD backed Local Storage attached to Spot Preemptible VMs in Paris", GCP_SSD, GCP_EACH,
     true},
    {"C4A Instance Local SSD running in Iowa", GCP_SSD_C4A, GCP_EACH, false},
    {"Spot Preemptible C4D Instance Local SSD running in Iowa", GCP_SSD_C4D, GCP_EACH, true},
};

TEST(a_description_says_of_what_it_is_the_price)
{
    for (size_t i = 0; i < COUNT(descriptions); i++) {
        struct gcp_component component = {.family = GCP_FAMILIES};

        EXPECT(gcp_component_read(descriptions[i].text, &component));
        EXPECT(gcp_component_may_be(descriptions[i].text, strlen(descriptions[i].text)));
        EXPECT_INT((long long)component.family, (long long)descriptions[i].family);
        EXPECT_INT((int)component.part, descriptions[i].part);
        EXPECT_INT(component.spot, descriptions[i].spot);
    }
}

TEST(a_commitment_is_for_so_many_years)
{
    static const struct {
        const char *text;
        size_t family;
        int part, years;
    } cases[] = {
        {"Commitment v1: Cpu in Americas for 1 Year", GCP_N1, GCP_CORE, 1},
        {"Commitment v1: Ram in Americas for 3 Year", GCP_N1, GCP_RAM, 3},
        {"Commitment v1: N2 Cpu in Paris for 3 Years", GCP_N2, GCP_CORE, 3},
        {"Commitment v1: N2D AMD Ram in Americas for 1 Year", GCP_N2D, GCP_RAM, 1},
        {"Commitment v1: C2D AMD Cpu in EMEA for 1 Year", GCP_C2D, GCP_CORE, 1},
        {"Commitment v1: E2 Ram in Jakarta for 3 Year", GCP_E2, GCP_RAM, 3},
        {"Commitment v1: C3 Cpu in Iowa for 1 Year", GCP_C3, GCP_CORE, 1},
        {"Commitment v1: C3D Ram in Iowa for 3 Years", GCP_C3D, GCP_RAM, 3},
        {"Commitment v1: C4A Arm Cpu in Iowa for 1 Year", GCP_C4A, GCP_CORE, 1},
        {"Commitment v1: C4D Cpu in Iowa for 1 Year", GCP_C4D, GCP_CORE, 1},
        {"Commitment v1: N4 Cpu in Iowa for 3 Years", GCP_N4, GCP_CORE, 3},
        {"Commitment v1: N4A Ram in Johannesburg for 1 Year", GCP_N4A, GCP_RAM, 1},
        {"Commitment v1: T2D AMD Cpu in Americas for 1 Year", GCP_T2D, GCP_CORE, 1},
        {"Commitment v1: H3 Ram in Iowa for 1 Year", GCP_H3, GCP_RAM, 1},
        {"Commitment v1: Compute optimized Cpu in Johannesburg for 1 Year", GCP_C2, GCP_CORE, 1},
        {"Commitment: Compute optimized Core running in Americas for 1 Year", GCP_C2, GCP_CORE,
         1},
        {"Commitment: Compute optimized Ram running in Americas for 3 Year", GCP_C2, GCP_RAM, 3},
        {"Commitment v1: Memory-optimized Cpu in Americas for 1 Year", GCP_M1, GCP_CORE, 1},
        {"Commitment v1: M3 Memory-optimized Ram in Iowa for 3 Years", GCP_M3, GCP_RAM, 3},
        {"Commitment v1: M4 Cpu in Iowa for 1 Year", GCP_M4, GCP_CORE, 1},
        {"Commitment v1: M4Ultramem224 Cpu in Iowa for 1 Year", GCP_M4_ULTRAMEM_224, GCP_CORE, 1},
        {"Commitment v1: A2 Cpu in APAC for 1 Year", GCP_A2, GCP_CORE, 1},
        {"Commitment v1: G4 Ram in Iowa for 3 Years", GCP_G4, GCP_RAM, 3},
        {"Commitment v1: Nvidia Tesla A100 GPU running in Iowa for 1 Year", GCP_A100, 0, 1},
        {"Commitment v1: Nvidia L4 GPU in Frankfurt for 1 Year", GCP_L4, 0, 1},
        {"Commitment v1: RTX 6000 96GB running in Iowa for 3 Years", GCP_RTX_6000, 0, 3},
        {"Commitment v1: Local SSD in Americas for 1 Year", GCP_SSD, 0, 1},
        {"Commitment v1: Local SSD In Sydney for 3 Year", GCP_SSD, 0, 3},
        {"Commitment v1: C4A Local SSD in Frankfurt for 1 Year", GCP_SSD_C4A, 0, 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gcp_component component = {.family = GCP_FAMILIES};

        EXPECT(gcp_component_read(cases[i].text, &component));
        EXPECT(gcp_component_may_be(cases[i].text, strlen(cases[i].text)));
        EXPECT_INT((long long)component.family, (long long)cases[i].family);
        EXPECT_INT((int)component.part, cases[i].part);
        EXPECT_INT(component.years, cases[i].years);
        EXPECT(!component.spot);
        EXPECT_STR(gcp_group(&component),
                   cases[i].family >= GCP_SSD                                       ? "LocalSSD"
                   : cases[i].family >= GCP_A100 && cases[i].family <= GCP_RTX_6000 ? "GPU"
                   : cases[i].part == GCP_CORE                                      ? "CPU"
                                                                                    : "RAM");
    }
}

static const char *const others[] = {
    "",
    "Core running in Americas",
    "Custom Instance Core running in Americas",
    "N2 Custom Instance Core running in Americas",
    "N2 Custom Extended Instance Ram running in Americas",
    "N2D AMD Custom Instance Core running in Americas",
    "Commitment v1: Cpu in Americas for 5 Years",
    "Commitment v1: Cpu in  for 1 Year",
    "Commitment v1: N2 Custom Cpu in Americas for 1 Year",
    "Commitment v1: N2 Core in Americas for 1 Year",
    "Spot Preemptible Commitment v1: Cpu in Americas for 1 Year",
    "Commitment: N2 Core running in Americas for 1 Year",
    "Commitment: Compute optimized Cpu in Americas for 1 Year",
    "Commitment v1: Compute optimized Core running in Americas for 1 Year",
    "Commitment v1: N4A Core in Johannesburg for 5 Years",
    "Commitment v1: C4A Cpu in Iowa for 1 Year",
    "Commitment v1: Z3 Cpu in Iowa for 1 Year",
    "Commitment v1: Z3 Local SSD in Alabama for 3 Years",
    "Commitment v1: vGPU G4 Local SSD in Iowa for 1 Year",
    "Commitment v1: A3 Cpu in Iowa for 1 Year",
    "Commitment v1: Nvidia Tesla A100 80GB GPU running in Iowa for 1 Year",
    "Commitment v1: Nvidia Tesla V100 GPU in Iowa for 1 Year",
    "Commitment v1: SLES for SAP for VM with 4 VCPU for 1 Year",
    "N1 Sole Tenancy Premium for N1 Instance Core running in Americas",
    "N2 Sole Tenancy Instance Ram running in Americas",
    "Compute-optimized Sole Tenancy Instance Core running in Americas",
    "Sole Tenancy Instance Ram running in Americas",
    "Reserved N2 Instance Core in Americas",
    "DWS Calendar Mode N2 Instance Core running in Americas",
    "Memory-optimized Sole Tenancy Instance Core running in Americas",
    "Memory Optimized Upgrade Premium for Memory-optimized Sole Tenancy Instance Core "
    "running in Americas",
    "Nvidia Tesla V100 GPU running in Americas",
    "A3 Instance Core running in Americas",
    "C4N Instance Core running in Americas",
    "M4N Instance Core running in Americas",
    "Reserved A2 Instance Core in Americas",
    "Nvidia H100 80GB GPU running in Americas",
    "Nvidia L4 GPU Virtual Workstation running in Americas",
    "Nvidia L4 GPU attached to Spot Preemptible VMs",
    "Spot Preemptible Nvidia L4 GPU attached to Spot Preemptible VMs running in Americas",
    "Nvidia L4 GPU reserved in Calendar Mode running in Americas",
    "RTX 6000 96GB 1/2 running in Iowa",
    "SSD backed Local Storage for DWS Calendar Mode in Iowa",
    "SSD backed Local Storage in ",
    "Commitment v1: Local SSD in Americas",
    "C4 Instance Local SSD",
    "N2 Instance Core running in ",
    "N2 Instance Core",
    "N2 Instance Cores running in Americas",
    "n2 instance core running in Americas",
    "Spot Preemptible Preemptible N2 Instance Core running in Americas",
    " N2 Instance Core running in Americas",
    "Spot N2 Instance Core running in Americas",
    "Micro Instance with burstable CPU",
};

TEST(every_other_description_is_about_something_else)
{
    struct gcp_component component;

    for (size_t i = 0; i < COUNT(others); i++)
        EXPECT_STR(gcp_component_read(others[i], &component) ? others[i] : NULL, NULL);
}

/* What the list's category and unit must say of an entry with this description. */
TEST(categories_and_units_belong_to_a_part)
{
    static const struct {
        const char *text, *family, *group, *unit;
        bool monthly;
        int dollars_max;
    } known[] = {
        {"N1 Instance Core running in X", "Compute", "N1Standard", "h", false, 5},
        {"N1 Instance Ram running in X", "Compute", "N1Standard", "GiBy.h", false, 1},
        {"N2 Instance Core running in X", "Compute", "CPU", "h", false, 5},
        {"N2 Instance Ram running in X", "Compute", "RAM", "GiBy.h", false, 1},
        {"Small Instance with 1 VCPU running in X", "Compute", "G1Small", "h", false, 5},
        {"Nvidia L4 GPU running in X", "Compute", "GPU", "h", false, 50},
        {"SSD backed Local Storage", "Storage", "LocalSSD", "GiBy.mo", true, 1},
        {"C4 Instance Local SSD running in X", "Compute", "LocalSSD", "GiBy.mo", true, 1},
        {"C4 Instance Local SSD running in X", "Compute", "LocalSSD", "GiBy.h", false, 1},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        struct gcp_component component = {.family = GCP_FAMILIES};
        bool monthly = !known[i].monthly;

        EXPECT(gcp_component_read(known[i].text, &component));
        EXPECT_STR(gcp_resource_family(&component), known[i].family);
        EXPECT_STR(gcp_group(&component), known[i].group);
        EXPECT(gcp_unit(&component, known[i].unit, &monthly));
        EXPECT_INT(monthly, known[i].monthly);
        EXPECT(!gcp_unit(&component, "By.mo", &monthly) && !gcp_unit(&component, "", &monthly));
        EXPECT(strcmp(known[i].unit, "h") != 0 || !gcp_unit(&component, "GiBy.mo", &monthly));
        EXPECT_INT(gcp_dollars_max(&component), known[i].dollars_max);
    }
}

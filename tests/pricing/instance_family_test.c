#include "pricing/instance_family.h"

#include "tests/test.h"

static const struct {
    const char *name, *family;
} names[] = {
    {"c7i.large", "c7i"},
    {"c7i.metal-24xl", "c7i"},
    {"c7i-flex.large", "c7i-flex"},
    {"u-6tb1.112xlarge", "u-6tb1"},
    {"n2-standard-4", "n2-standard"},
    {"n2-highmem-96", "n2-highmem"},
    {"c3-standard-8-lssd", "c3-standard-lssd"},
    {"c3-standard-192-metal", "c3-standard"},
    {"a2-highgpu-1g", "a2-highgpu"},
    {"e2-micro", "e2"},
    {"e2-medium", "e2"},
    {"n2-", "n2"},
    {"Standard_D4s_v5", "Standard_Ds_v5"},
    {"Standard_D64s_v5", "Standard_Ds_v5"},
    {"Standard_M8-2ms", "Standard_Mms"},
    {"Standard_HB120-16rs_v3", "Standard_HBrs_v3"},
    {"Standard_NC24ads_A100_v4", "Standard_NCads_A100_v4"},
    {"Standard_", "Standard_"},
    {"Basic_A1", "Basic_A"},
    {"desk", "desk"},
    {".large", ".large"},
    {"-4", "-4"},
    {"", ""},
};

TEST(a_family_is_the_name_without_its_size)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        char family[INSTANCE_SIZE];

        instance_family(names[i].name, family);
        EXPECT_STR(family, names[i].family);
    }
}

TEST(a_long_name_is_cut)
{
    char name[200], family[INSTANCE_SIZE];

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    instance_family(name, family);
    EXPECT_INT((long long)strlen(family), INSTANCE_SIZE - 1);
    memcpy(name, "Standard_", 9);
    instance_family(name, family);
    EXPECT_INT((long long)strlen(family), INSTANCE_SIZE - 1);
}

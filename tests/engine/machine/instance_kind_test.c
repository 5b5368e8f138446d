#include "engine/machine/instance_kind.h"

#include "tests/test.h"

TEST(types_that_live_on_credits_are_known_by_their_names)
{
    static const char *const burstable[] = {"t2.micro",  "t3.large",      "t3a.nano",
                                            "t4g.small", "e2-micro",      "E2-MEDIUM",
                                            "f1-micro",  "Standard_B2ms", "standard_b1s"};
    static const char *const others[] = {
        "",       "c7i.2xlarge",  "trn1.32xlarge",  "t",          "t3",        "e2-standard-8",
        "m7i.t3", "Standard_D2s", "Standard_Bravo", "n1-highcpu", "test.large"};

    for (size_t i = 0; i < COUNT(burstable); i++)
        EXPECT_STR(instance_is_burstable(burstable[i]) ? burstable[i] : "no", burstable[i]);
    for (size_t i = 0; i < COUNT(others); i++)
        EXPECT_STR(instance_is_burstable(others[i]) ? "yes" : others[i], others[i]);
}

/* Whose region a name is. */
#include "pricing/region_form.h"

#include "tests/test.h"

TEST(a_region_is_known_by_the_form_of_its_name)
{
    EACH(struct pair, one, {"us-east-1", "aws"}, {"ap-southeast-2", "aws"},
         {"us-gov-west-1", "aws"}, {"us-west-2-lax-1", "aws"}, {"cn-north-1", "aws"},
         {"europe-west4", "gcp"}, {"us-central1", "gcp"}, {"northamerica-northeast2", "gcp"},
         {"me-central2", "gcp"}, {"eastus", "azure"}, {"eastus2", "azure"},
         {"germanywestcentral", "azure"})
        EXPECT_STR(provider_of_region(one.given), one.wanted);
    EACH_TEXT(none, "", "US-EAST-1", "us-east-", "us--east-1", "1", "-east-1", "us-east-a",
              "us_east", "us east", "a-1b2")
        EXPECT(provider_of_region(none) == NULL);
}

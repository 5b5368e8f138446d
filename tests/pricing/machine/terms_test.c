/* What a machine is billed for beyond plain Linux on shared hardware. */
#include "pricing/machine/terms.h"

#include "pricing/machine/choice.h"
#include "tests/pricing/feeds/asking.h"

#define DOCUMENT "/latest/dynamic/instance-identity/document"

static struct identity ask_aws(const char *document, int status, const char *host)
{
    const struct reply list[] = {
        {PUT_TOKEN},
        {AWS("instance-type", "m4.xlarge")},
        {AWS("placement/region", "us-east-1")},
        {AWS("instance-life-cycle", "on-demand")},
        {NULL, DOCUMENT, WITH_TOKEN, status, document, NULL},
        {NULL, "/placement/host-id", WITH_TOKEN, host ? 200 : 404, host, NULL},
        {.ending = NULL}};

    return ask_table("Amazon EC2", list);
}

static void expect_terms(const struct identity *identity, const char *terms)
{
    char note[200] = "";

    if (*terms)
        snprintf(note, sizeof note,
                 "it is billed for %s, and feeds have prices of plain Linux on shared hardware "
                 "only: set --price-per-hour, or type its price",
                 terms);
    EXPECT_HAS(*identity, (source, "metadata"), (terms, terms), (note, note));
}

TEST(billing_products_of_aws_are_licences)
{
    static const struct {
        const char *document;
        int status;
        const char *terms;
    } rows[] = {
        {"{\"billingProducts\":null}", 200, ""},
        {"{\"billingProducts\":[]}", 200, ""},
        {"{\"billingProducts\":[\"bp-6fa54006\"]}", 200, "a licence (bp-6fa54006)"},
        {"{\"billingProducts\":[\"bp-1\",\"bp-2\"]}", 200, "a licence (bp-1)"},
        {"{\"billingProducts\":[\"<b>\"]}", 200, "a licence"},
        {"{\"billingProducts\":7}", 200, ""},
        {"{\"marketplaceProductCodes\":[\"abc\"]}", 200, ""}, /* free ones have codes, too */
        {"[]", 200, ""},
        {"no JSON", 200, ""},
        {"", 404, ""},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct identity identity = ask_aws(rows[i].document, rows[i].status, NULL);

        EXPECT_STR(identity.instance_type, "m4.xlarge");
        expect_terms(&identity, rows[i].terms);
    }
}

TEST(without_an_answer_about_licences_nothing_is_known)
{
    expect_unknown(ask_aws("", 500, NULL), "500");
}

TEST(a_dedicated_host_of_aws_is_billed_as_a_whole)
{
    struct identity identity = ask_aws("{}", 200, "h-0123456789abcdef0");

    expect_terms(&identity, "a dedicated host");
    identity = ask_aws("{\"billingProducts\":[\"bp-1\"]}", 200, "h-0123456789abcdef0");
    expect_terms(&identity, "a dedicated host");
}

TEST(the_image_of_google_tells_the_system)
{
    EACH(struct pair, image,
         {"projects/debian-cloud/global/images/debian-11-bullseye-v20230814", ""},
         {"projects/rhel-cloud/global/images/rhel-9-v20260801", "Red Hat Enterprise Linux"},
         {"projects/rhel-sap-cloud/global/images/rhel-9-sap", "Red Hat Enterprise Linux"},
         {"projects/rhel-byos-cloud/global/images/rhel-9-byos", ""},
         {"projects/suse-cloud/global/images/sles-15", "SUSE Linux Enterprise Server"},
         {"projects/ubuntu-os-cloud/global/images/ubuntu-2204", ""},
         {"projects/ubuntu-os-pro-cloud/global/images/ubuntu-pro-2204", "Ubuntu Pro"},
         {"projects/windows-cloud/global/images/windows-2022", "Windows"},
         {"projects/my-rhel-cloud/global/images/x", ""},
         {"projects/rhel-cloud", "Red Hat Enterprise Linux"}, {"rhel-cloud/x", ""}, {"", ""}) {
        const struct reply list[] = {
            {GCP("machine-type", "projects/1/machineTypes/n1-highcpu-64")},
            {GCP("zone", "projects/1/zones/us-central1-a")},
            {GCP("scheduling/preemptible", "FALSE")},
            {GCP("image", image.given)},
            {.ending = NULL}};
        struct identity identity = ask_table("Google", list);

        expect_terms(&identity, image.wanted);
    }
}

#define VM "{\"vmSize\":\"Standard_D2s_v5\",\"location\":\"westus\",\"priority\":\"\",\"osType\":"

TEST(azure_tells_system_publisher_and_licence)
{
    EACH(
        struct pair, document,
        {VM "\"Linux\",\"publisher\":\"canonical\",\"licenseType\":\"\"}", ""},
        {VM "\"Windows\",\"publisher\":\"MicrosoftWindowsServer\"}", "Windows"},
        {VM "\"Linux\",\"publisher\":\"RedHat\",\"offer\":\"RHEL\"}", "Red Hat Enterprise Linux"},
        {VM "\"Linux\",\"publisher\":\"redhat\",\"offer\":\"rhel-byos\"}", ""},
        {VM "\"Linux\",\"publisher\":\"RedHat\",\"licenseType\":\"RHEL_BYOS\"}", ""},
        {VM "\"Linux\",\"publisher\":\"\",\"licenseType\":\"RHEL_BASE\"}",
         "Red Hat Enterprise Linux"},
        {VM "\"Linux\",\"publisher\":\"SUSE\",\"offer\":\"sles-15-sp5\"}",
         "SUSE Linux Enterprise Server"},
        {VM "\"Linux\",\"publisher\":\"suse\",\"offer\":\"sles-15-sp5-byos\"}", ""},
        {VM "\"Linux\",\"licenseType\":\"SLES_BYOS\"}", ""},
        {VM "7,\"publisher\":[],\"licenseType\":null}", ""}) {
        const struct reply list[] = {{AZURE(document.given)}, {.ending = NULL}};
        struct identity identity = ask_table("Microsoft Corporation", list);

        expect_terms(&identity, document.wanted);
    }
}

TEST(a_price_of_plain_linux_is_not_another_machines)
{
    struct identity identity = {.provider = "aws",
                                .instance_type = "m5.large",
                                .region = "us-east-1",
                                .life_cycle = "on_demand"};
    struct price price = {.provider = "aws",
                          .region = "us-east-1",
                          .instance_type = "m5.large",
                          .feed = "aws-on-demand-page",
                          .currency = "USD",
                          .kind = PRICE_ON_DEMAND};
    struct price typed = {
        .instance_type = "m5.large", .feed = "typed", .currency = "USD", .kind = PRICE_TYPED};

    EXPECT(price_rank(&price, &identity) > 0);
    snprintf(identity.terms, sizeof identity.terms, "Windows");
    EXPECT_INT(price_rank(&price, &identity), 0);
    EXPECT(price_rank(&typed, &identity) > 0);
}

TEST(another_provider_in_the_settings_has_other_terms)
{
    struct identity identity = {.provider = "aws", .terms = "Windows"};
    const struct identity configured = {.provider = "hetzner"};

    identity_override(&identity, &configured);
    EXPECT_STR(identity.terms, "");
}

/* What is made of the document that Azure gives a machine. */
#include "pricing/machine/azure_identity.h"

#include "tests/pricing/feeds/asking.h"

static struct identity ask_azure(const char *document)
{
    const struct reply list[] = {{AZURE(document)}, {.ending = NULL}};

    return ask_table("Microsoft Corporation", list);
}

TEST(the_metadata_service_of_azure_identifies_a_machine)
{
    EACH(struct pair, sample,
         {"imds-azure-compute.json", "azure Standard_A3 westus 1  on_demand , metadata"},
         {"imds-azure-compute-spot.reconstructed.json",
          "azure Standard_ND96isr_H100_v5 eastus2 1  spot , metadata"}) {
        if (!walk_has_samples(sample.given))
            continue;
        AUTO(freep) char *document = walk_sample(sample.given, NULL);
        struct identity identity = ask_azure(document);

        EXPECT_STR(known(&identity), sample.wanted);
        EXPECT_STR(identity.note, "");
    }
}

#define VM "{\"vmSize\":\"Standard_D2s_v5\",\"location\":\"westus\","

TEST(no_priority_is_regular_only_where_azure_says_so)
{
    EACH(struct pair, document, {VM "\"priority\":\"\",\"zone\":\"\"}", "on_demand"},
         {VM "\"priority\":\"Regular\"}", "on_demand"}, {VM "\"priority\":\"Spot\"}", "spot"},
         {VM "\"priority\":\"Low\"}", "low"}, {VM "\"priority\":null}", ""},
         {VM "\"priority\":7}", ""}, {VM "\"priority\":\"of some other kind\"}", ""},
         {VM "\"zone\":\"\"}", ""}) {
        struct identity identity = ask_azure(document.given);

        EXPECT_HAS(identity, (life_cycle, document.wanted), (instance_type, "Standard_D2s_v5"),
                   (zone, ""));
        EXPECT_INT(identity.note[0] == '\0', document.wanted[0] != '\0');
    }
}

TEST(the_vm_has_an_id)
{
    struct identity identity = ask_azure(VM "\"vmId\":\"02aab8a4-74ef-476e-8182-f6d2ba4166a6\"}");

    EXPECT_HAS(identity, (cloud, "azure"), (instance_id, "02aab8a4-74ef-476e-8182-f6d2ba4166a6"));
    EXPECT_STR(ask_azure(VM "\"vmId\":7}").instance_id, "");
    EXPECT_STR(ask_azure(VM "\"vmId\":\"a b\"}").instance_id, "");
}

TEST(a_document_that_is_none_says_nothing_and_is_not_quoted)
{
    static const char *const documents[] = {
        "",
        "[]",
        "null",
        "\"Standard_A3\"",
        "{\"customData\":\"hunter2\"",
        "{} {}",
        "hunter2",
        VM "}",
        "{\"vmSize\":\"A\",\"vmSize\":\"B\",\"location\":\"westus\"}",
        "{\"vmSize\":\"Standard_A3\"}",
        "{\"vmSize\":\"Standard_A3\",\"location\":\"\"}"};

    for (size_t i = 0; i < COUNT(documents); i++) {
        struct identity identity = ask_azure(documents[i]);

        expect_unknown(identity, i < COUNT(documents) - 2 ? "not a JSON object" : "the region");
        EXPECT(!strstr(identity.note, "hunter2"));
    }
}

TEST(a_document_without_end_is_refused)
{
    AUTO(freep) char *document = malloc(70001);

    memset(document, ' ', 70000);
    memcpy(document, VM "\"priority\":\"\"}", strlen(VM "\"priority\":\"\"}"));
    document[70000] = '\0';
    struct identity identity = ask_azure(document);
    expect_unknown(identity, "not what was asked for");
    document[65536] = '\0'; /* this is as much as fits */
    identity = ask_azure(document);
    EXPECT_STR(identity.instance_type, "Standard_D2s_v5");
}

TEST(a_word_may_be_escaped_or_empty)
{
    struct identity identity =
        ask_azure("{\"vmSize\":\"Standard_\\u0041\",\"location\":\"westus\"}");

    EXPECT_HAS(identity, (region, "westus"), (instance_type, "Standard_A"));
    identity = ask_azure("{\"priority\":\"\",\"location\":\"westus\",\"vmSize\":\"A\"}");
    EXPECT_STR(identity.life_cycle, "on_demand");
}

#include "pricing/identity.h"

#include "common/cleanup.h"
#include "pricing/metadata.h"
#include "pricing/price.h"
#include "pricing/source.h"

#include <ctype.h>
#include <stdarg.h>

#define AWS_URL "http://169.254.169.254"
#define GCP_URL "http://169.254.169.254"
#define AZURE_URL "http://169.254.169.254"

/* A question under way: who is asked, the latest answer, and what is known by now. */
struct inquiry {
    struct metadata metadata;
    struct metadata_answer *answer;
    struct identity *identity;
};

static bool give_up(struct identity *identity, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Half an identity could be taken for a whole one: nothing is kept. Always false. */
static bool give_up(struct identity *identity, const char *format, ...)
{
    va_list arguments;

    *identity = (struct identity){.source = "unknown"};
    va_start(arguments, format);
    vsnprintf(identity->note, sizeof identity->note, format, arguments);
    va_end(arguments);
    return false;
}

/* Asks for one word; where there is none, or no clean one, the member is "". */
static void ask_word(struct inquiry *inquiry, const char *path, char *member, size_t size)
{
    metadata_ask(&inquiry->metadata, NULL, path, inquiry->answer);
    if (inquiry->answer->status != 200 || !price_word(member, size, inquiry->answer->text))
        member[0] = '\0';
}
#define ASK_WORD(inquiry, path, member) ask_word(inquiry, path, member, sizeof(member))

/* What AWS calls it, in our words. */
static void translate_life_cycle(char life_cycle[24])
{
    if (strcmp(life_cycle, "on-demand") == 0)
        snprintf(life_cycle, 24, "on_demand");
}

static bool finish(struct identity *identity, const char *provider)
{
    if (!identity->instance_type[0] || !identity->region[0])
        return give_up(identity,
                       "the metadata service of %s did not tell instance type and region",
                       provider);
    snprintf(identity->provider, sizeof identity->provider, "%s", provider);
    snprintf(identity->source, sizeof identity->source, "metadata");
    return true;
}

static bool ask_aws(struct inquiry *inquiry)
{
    struct identity *identity = inquiry->identity;

    if (!metadata_take_token(&inquiry->metadata, inquiry->answer)) {
        if (inquiry->answer->status != 0)
            return give_up(identity, "the metadata service of aws gave no token: %s",
                           inquiry->answer->why);
        return give_up(
            identity,
            "aws's metadata did not answer; in a container its hop limit must be 2: aws "
            "ec2 modify-instance-metadata-options --http-put-response-hop-limit 2");
    }
    ASK_WORD(inquiry, "/latest/meta-data/instance-type", identity->instance_type);
    if (inquiry->answer->status == 401)
        return give_up(identity, "the metadata service of aws refused its own token");
    ASK_WORD(inquiry, "/latest/meta-data/placement/region", identity->region);
    ASK_WORD(inquiry, "/latest/meta-data/placement/availability-zone", identity->zone);
    ASK_WORD(inquiry, "/latest/meta-data/placement/availability-zone-id", identity->zone_id);
    ASK_WORD(inquiry, "/latest/meta-data/instance-life-cycle", identity->life_cycle);
    ASK_WORD(inquiry, "/latest/meta-data/services/partition", identity->partition);
    translate_life_cycle(identity->life_cycle);
    return finish(identity, "aws");
}

/* The last component of "projects/1/zones/us-central1-a". */
static void keep_last_part(char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash)
        memmove(path, slash + 1, strlen(slash + 1) + 1);
}

static void ask_last_part(struct inquiry *inquiry, const char *path, char *member, size_t size)
{
    char whole[200];

    member[0] = '\0';
    ASK_WORD(inquiry, path, whole);
    keep_last_part(whole);
    if (!price_word(member, size, whole))
        member[0] = '\0';
}
#define ASK_LAST_PART(inquiry, path, member) ask_last_part(inquiry, path, member, sizeof(member))

static bool ask_gcp(struct inquiry *inquiry)
{
    struct identity *identity = inquiry->identity;
    char preemptible[16], *dash;

    snprintf(inquiry->metadata.header, sizeof inquiry->metadata.header,
             "Metadata-Flavor: Google");
    ASK_LAST_PART(inquiry, "/computeMetadata/v1/instance/machine-type", identity->instance_type);
    if (inquiry->answer->status == 0)
        return give_up(identity, "gcp's metadata did not answer: %s", inquiry->answer->why);
    if (strcmp(inquiry->answer->flavor, "Google") != 0)
        return give_up(identity, "what answered is not gcp's metadata: it is not of Google's "
                                 "flavor");
    ASK_LAST_PART(inquiry, "/computeMetadata/v1/instance/zone", identity->zone);
    ASK_WORD(inquiry, "/computeMetadata/v1/instance/scheduling/preemptible", preemptible);
    snprintf(identity->region, sizeof identity->region, "%s", identity->zone);
    dash = strrchr(identity->region, '-');
    if (dash)
        *dash = '\0';
    if (strcmp(preemptible, "TRUE") == 0 || strcmp(preemptible, "FALSE") == 0)
        snprintf(identity->life_cycle, sizeof identity->life_cycle, "%s",
                 preemptible[0] == 'T' ? "spot" : "on_demand");
    return finish(identity, "gcp");
}

/* A member of Azure's document. */
static void word_of(const json_t *json, const char *name, char *member, size_t size)
{
    if (!price_word(member, size, source_text(json, name)))
        member[0] = '\0';
}

bool identity_from_azure(const char *text, size_t length, struct identity *ret_identity)
{
    AUTO(json_decrefp) json_t *json = source_json(text, length, NULL);
    struct identity identity = {.source = "unknown"};
    char priority[24] = "";

    if (!json_is_object(json))
        return give_up(ret_identity, "the metadata service of azure sent no JSON");
    word_of(json, "vmSize", identity.instance_type, sizeof identity.instance_type);
    word_of(json, "location", identity.region, sizeof identity.region);
    word_of(json, "zone", identity.zone, sizeof identity.zone);
    word_of(json, "priority", priority, sizeof priority);
    for (char *c = priority; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    /* Nothing said is the usual way of saying "Regular". */
    if (json_is_string(json_object_get(json, "priority")))
        snprintf(identity.life_cycle, sizeof identity.life_cycle, "%s",
                 !priority[0] || strcmp(priority, "regular") == 0 ? "on_demand" : priority);
    *ret_identity = identity;
    return finish(ret_identity, "azure");
}

static bool ask_azure(struct inquiry *inquiry)
{
    snprintf(inquiry->metadata.header, sizeof inquiry->metadata.header, "Metadata: true");
    metadata_ask(&inquiry->metadata, NULL,
                 "/metadata/instance/compute?api-version=2021-02-01&format=json",
                 inquiry->answer);
    if (inquiry->answer->status != 200)
        return give_up(inquiry->identity, "azure's metadata did not answer: %s",
                       inquiry->answer->why);
    return identity_from_azure(inquiry->answer->text, inquiry->answer->length, inquiry->identity);
}

static const struct {
    const char *vendor; /* what the firmware says */
    const char *url;
    bool (*ask)(struct inquiry *inquiry);
} clouds[] = {
    {"Amazon EC2", AWS_URL, ask_aws},
    {"Google", GCP_URL, ask_gcp},
    {"Microsoft Corporation", AZURE_URL, ask_azure},
};

static bool ask_cloud(const struct identity_question *question, size_t cloud, const char *url,
                      struct identity *ret_identity)
{
    struct inquiry inquiry = {.metadata = {.fetch = question->fetch,
                                           .fetcher = question->fetcher,
                                           .url = url ? url : clouds[cloud].url},
                              .identity = ret_identity};
    bool known;

    *ret_identity = (struct identity){.source = "unknown"};
    inquiry.answer = malloc(sizeof *inquiry.answer);
    if (!inquiry.answer)
        return give_up(ret_identity, "there was no memory to ask");
    known = clouds[cloud].ask(&inquiry);
    free(inquiry.answer);
    return known;
}

static void read_vendor(const char *root, char ret_vendor[64])
{
    char path[400];
    AUTO(fclosep) FILE *file = NULL;

    ret_vendor[0] = '\0';
    snprintf(path, sizeof path, "%s/sys/class/dmi/id/sys_vendor", root);
    file = fopen(path, "re");
    if (file && fgets(ret_vendor, 64, file))
        ret_vendor[strcspn(ret_vendor, "\n")] = '\0';
}

void identity_ask(const struct identity_question *question, struct identity *ret_identity)
{
    const char *const urls[COUNT(clouds)] = {question->aws_url, question->gcp_url,
                                             question->azure_url};
    char vendor[64];

    read_vendor(question->root, vendor);
    for (size_t i = 0; i < COUNT(clouds); i++)
        if ((urls[i] || question->ask_anyway || strcmp(vendor, clouds[i].vendor) == 0) &&
            ask_cloud(question, i, urls[i], ret_identity))
            return;
    for (size_t i = 0; i < COUNT(clouds); i++)
        if (urls[i] || question->ask_anyway || strcmp(vendor, clouds[i].vendor) == 0)
            return; /* somebody was asked, and the note says why in vain */
    (void)!give_up(ret_identity, "the firmware names no cloud that we know");
}

static void override(char *member, size_t size, const char *configured, bool *any)
{
    if (!configured[0])
        return;
    snprintf(member, size, "%s", configured);
    *any = true;
}
#define OVERRIDE(member, any)                                                                    \
    override(identity->member, sizeof identity->member, configured->member, any)

void identity_override(struct identity *identity, const struct identity *configured)
{
    bool any = false;

    OVERRIDE(provider, &any);
    OVERRIDE(instance_type, &any);
    OVERRIDE(region, &any);
    OVERRIDE(zone, &any);
    OVERRIDE(zone_id, &any);
    OVERRIDE(life_cycle, &any);
    if (any)
        snprintf(identity->source, sizeof identity->source, "settings");
}

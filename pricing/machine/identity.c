#include "pricing/machine/identity.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "pricing/machine/azure_identity.h"
#include "pricing/machine/metadata.h"

#include <fcntl.h>

#define CLOUDS 3
#define IDENTITY_DOCUMENT_MAX 8192 /* AWS's has some 600 bytes */

/* How to ask a cloud. True if it identified itself; otherwise err says why not. */
typedef bool identify_fn(struct metadata *service, struct identity *identity, struct error *err);

struct cloud {
    const char *name, *vendor; /* vendor: as the firmware writes it */
    identify_fn *ask;
};

/* One thing that a service tells in an answer of its own. */
struct detail {
    const char *path;
    char *member;
    size_t size;
};

static bool ask_details(struct metadata *service, const struct detail *details, size_t count,
                        struct error *err)
{
    char text[METADATA_WORD_MAX];

    for (size_t i = 0; i < count; i++)
        switch (metadata_get(service, details[i].path, text, sizeof text, err)) {
        case METADATA_TOLD:
            metadata_trim(text);
            metadata_word(details[i].member, details[i].size, text);
            break;
        case METADATA_ABSENT:
            break;
        default:
            return false;
        }
    return true;
}

/* Versions of clang-format differ about braces in a macro. */
/* clang-format off */
#define DETAIL(path, member) {(path), (member), sizeof(member)}
/* clang-format on */

/* A dedicated host is paid for as a whole, whatever runs on it. */
static bool ask_terms_of_aws(struct metadata *service, struct identity *identity,
                             struct error *err)
{
    char text[IDENTITY_DOCUMENT_MAX];
    enum metadata_result result = metadata_get(
        service, "/latest/dynamic/instance-identity/document", text, sizeof text, err);

    if (result == METADATA_FAILED)
        return false;
    if (result == METADATA_TOLD)
        terms_of_aws(text, strlen(text), identity->terms);
    result = metadata_get(service, "/latest/meta-data/placement/host-id", text, sizeof text, err);
    metadata_trim(text);
    if (result == METADATA_TOLD && *text)
        snprintf(identity->terms, sizeof identity->terms, "a dedicated host");
    return result != METADATA_FAILED;
}

static bool identify_aws(struct metadata *service, struct identity *identity, struct error *err)
{
#define HERE "/latest/meta-data/"
    const struct detail details[] = {
        DETAIL(HERE "instance-type", identity->instance_type),
        DETAIL(HERE "placement/region", identity->region),
        DETAIL(HERE "placement/availability-zone", identity->zone),
        DETAIL(HERE "placement/availability-zone-id", identity->zone_id),
        DETAIL(HERE "instance-life-cycle", identity->life_cycle),
        DETAIL(HERE "services/partition", identity->partition),
        DETAIL(HERE "instance-id", identity->instance_id),
    };
#undef HERE

    if (!metadata_token(service, err) || !ask_details(service, details, COUNT(details), err) ||
        !ask_terms_of_aws(service, identity, err))
        return false;
    if (strcmp(identity->life_cycle, "on-demand") == 0)
        METADATA_WORD(identity->life_cycle, "on_demand");
    return true;
}

/* "projects/1/zones/us-central1-a" is called by its last part. */
static void last_part(char *member, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');

    metadata_word(member, size, slash ? slash + 1 : path);
}

/* "us-central1-a" lies in "us-central1". */
static void region_of_zone(struct identity *identity)
{
    char region[sizeof identity->region];
    char *dash;

    memcpy(region, identity->zone, sizeof region);
    dash = strrchr(region, '-');
    if (!dash || !dash[1])
        return;
    *dash = '\0';
    if (dash > region && dash[-1] >= '0' && dash[-1] <= '9' && strchr(region, '-'))
        METADATA_WORD(identity->region, region);
}

static bool ask_gcp_for(struct metadata *service, const char *path, char *text, struct error *err)
{
    enum metadata_result result = metadata_get(service, path, text, METADATA_WORD_MAX, err);

    metadata_trim(text);
    if (result == METADATA_TOLD && strcmp(service->flavor, "Google") != 0)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "its answer has no \"Metadata-Flavor: Google\", so it is not Google's");
    return result != METADATA_FAILED;
}

static bool identify_gcp(struct metadata *service, struct identity *identity, struct error *err)
{
    char type[METADATA_WORD_MAX], zone[METADATA_WORD_MAX], preemptible[METADATA_WORD_MAX];
    char id[METADATA_WORD_MAX], image[METADATA_WORD_MAX];

    snprintf(service->header, sizeof service->header, "Metadata-Flavor: Google");
    if (!ask_gcp_for(service, METADATA_GCP "machine-type", type, err) ||
        !ask_gcp_for(service, METADATA_GCP "zone", zone, err) ||
        !ask_gcp_for(service, METADATA_GCP "scheduling/preemptible", preemptible, err) ||
        !ask_gcp_for(service, METADATA_GCP "id", id, err) ||
        !ask_gcp_for(service, METADATA_GCP "image", image, err))
        return false;
    terms_of_gcp(image, identity->terms);
    METADATA_WORD(identity->instance_id, id);
    last_part(identity->instance_type, sizeof identity->instance_type, type);
    last_part(identity->zone, sizeof identity->zone, zone);
    region_of_zone(identity);
    if (strcmp(preemptible, "TRUE") == 0)
        METADATA_WORD(identity->life_cycle, "spot");
    else if (strcmp(preemptible, "FALSE") == 0)
        METADATA_WORD(identity->life_cycle, "on_demand");
    return true;
}

static bool identify_azure(struct metadata *service, struct identity *identity, struct error *err)
{
    AUTO(freep) char *text = xmalloc(METADATA_DOCUMENT_MAX + 1);

    snprintf(service->header, sizeof service->header, "Metadata: true");
    switch (metadata_get(service, "/metadata/instance/compute?api-version=2021-02-01&format=json",
                         text, METADATA_DOCUMENT_MAX + 1, err)) {
    case METADATA_TOLD:
        return azure_identity_read(text, strlen(text), identity, err);
    case METADATA_ABSENT:
        return error_set(err, ERROR_UPSTREAM, NULL, "it answers 404");
    default:
        return false;
    }
}

static const struct cloud clouds[CLOUDS] = {
    {"aws", "Amazon EC2", identify_aws},
    {"gcp", "Google", identify_gcp},
    {"azure", "Microsoft Corporation", identify_azure},
};

/* The cloud that the firmware names; CLOUDS for none. */
static size_t cloud_of_firmware(const char *root)
{
    AUTO(closep) int file = -1;
    char path[512], vendor[64];
    size_t hinted = 0;
    ssize_t length = -1;

    if ((size_t)snprintf(path, sizeof path, "%s/sys/class/dmi/id/sys_vendor", root) < sizeof path)
        file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0)
        length = read(file, vendor, sizeof vendor - 1);
    vendor[length > 0 ? length : 0] = '\0';
    metadata_trim(vendor);
    while (hinted < CLOUDS && strcmp(vendor, clouds[hinted].vendor) != 0)
        hinted++;
    return hinted;
}

/* Explains what a price needs but the service did not give, or why no feed has its price. */
static void note_gaps(struct identity *identity)
{
    const char *type = identity->instance_type[0] ? "" : "the instance type";
    const char *life_cycle = identity->life_cycle[0] ? "" : "the life cycle";

    if (*type || *life_cycle)
        snprintf(identity->note, sizeof identity->note,
                 "the metadata service does not say %s%s%s", type,
                 *type && *life_cycle ? " and " : "", life_cycle);
    else if (identity->terms[0])
        snprintf(identity->note, sizeof identity->note,
                 "it is billed for %s, and feeds have prices of plain Linux on shared hardware "
                 "only: set --price-per-hour, or type its price",
                 identity->terms);
}

/* Why this cloud gave no identity. */
static void identity_explain(const struct cloud *cloud, bool unheard, const struct error *err,
                             char *ret_note, size_t size)
{
    if (unheard)
        snprintf(
            ret_note, size,
            "no answer from the metadata service; in a container, a hop limit of 1 stops it: "
            "aws ec2 modify-instance-metadata-options --http-put-response-hop-limit 2 "
            "--instance-id ID");
    else
        snprintf(ret_note, size,
                 "the metadata service of %s did not identify this machine: %.140s", cloud->name,
                 err->message);
}

/* True if it gave at least the region: without one the rest is useless. */
static bool ask_cloud(const struct identity_question *question, const struct cloud *cloud,
                      const char *url, bool hinted, struct identity *identity)
{
    struct metadata service = {.fetch = question->fetch,
                               .fetcher = question->fetcher,
                               .url = url ? url : METADATA_LINK_LOCAL};
    struct identity answer = {.source = "metadata"};
    struct error err = {0};
    bool ok = cloud->ask(&service, &answer, &err);
    bool unheard = hinted && cloud->ask == identify_aws && !service.header[0] &&
                   service.status == 0 && err.kind == ERROR_UPSTREAM;

    explicit_bzero(&service, sizeof service);
    if (ok && !answer.region[0])
        ok = error_set(&err, ERROR_UPSTREAM, NULL, "it does not say the region");
    if (ok) {
        METADATA_WORD(answer.provider, cloud->name);
        METADATA_WORD(answer.cloud, cloud->name);
        note_gaps(&answer);
        *identity = answer;
    } else if (!identity->note[0]) { /* the first cloud asked is the likeliest */
        identity_explain(cloud, unheard, &err, identity->note, sizeof identity->note);
    }
    return ok;
}

/* The user's address of this cloud's service; NULL if not set. */
static const char *url_of(const struct identity_question *question, size_t which)
{
    const char *const urls[CLOUDS] = {question->aws_url, question->gcp_url, question->azure_url};

    return urls[which];
}

/* The order in which clouds are asked: first a cloud with a configured address, then the
 * firmware's, then, only if wanted, the rest. Returns how many. */
static size_t identity_choose(const struct identity_question *question, size_t hinted,
                              size_t ret_order[CLOUDS])
{
    size_t count = 0;

    for (int turn = 0; turn < (question->ask_anyway ? 3 : 2); turn++)
        for (size_t i = 0; i < CLOUDS; i++)
            if (turn == (url_of(question, i) ? 0 : i == hinted ? 1 : 2))
                ret_order[count++] = i;
    return count;
}

void identity_ask(const struct identity_question *question, struct identity *ret_identity)
{
    size_t hinted = cloud_of_firmware(question->root);
    size_t order[CLOUDS];
    size_t count = identity_choose(question, hinted, order);

    *ret_identity = (struct identity){.source = "unknown"};
    for (size_t i = 0; i < count; i++)
        if (ask_cloud(question, &clouds[order[i]], url_of(question, order[i]), order[i] == hinted,
                      ret_identity))
            return;
    ret_identity->unheard = count > 0 && (url_of(question, order[0]) || order[0] == hinted);
    if (count == 0)
        snprintf(ret_identity->note, sizeof ret_identity->note,
                 "the firmware names no cloud, so none was asked");
    else if (!url_of(question, order[0]) && order[0] != hinted)
        snprintf(ret_identity->note, sizeof ret_identity->note,
                 "the firmware names no cloud, and no cloud's metadata service answers");
}

/* Overrides one member; true if that changed it. */
static bool identity_override_member(char *member, size_t size, const char *configured, bool *any)
{
    bool differs = *configured && strcmp(member, configured) != 0;

    if (*configured)
        *any = true;
    if (differs)
        snprintf(member, size, "%s", configured);
    return differs;
}

#define OVERRIDE(name)                                                                           \
    identity_override_member(identity->name, sizeof identity->name, configured->name, &any)

void identity_override(struct identity *identity, const struct identity *configured)
{
    bool any = false;

    /* Facts from one cloud or place do not hold for another. */
    if (OVERRIDE(provider))
        identity->instance_type[0] = identity->region[0] = identity->zone[0] =
            identity->zone_id[0] = identity->life_cycle[0] = identity->partition[0] =
                identity->terms[0] = '\0';
    if (OVERRIDE(region))
        identity->zone[0] = identity->zone_id[0] = identity->partition[0] = '\0';
    if (OVERRIDE(zone))
        identity->zone_id[0] = '\0';
    OVERRIDE(instance_type);
    OVERRIDE(zone_id);
    OVERRIDE(life_cycle);
    OVERRIDE(partition);
    if (!any)
        return;
    snprintf(identity->source, sizeof identity->source, "settings");
    if (identity->provider[0] && identity->instance_type[0] && identity->region[0] &&
        identity->life_cycle[0] && !identity->terms[0])
        identity->note[0] = '\0';
}

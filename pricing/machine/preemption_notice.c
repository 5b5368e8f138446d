#include "pricing/machine/preemption_notice.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/json_read.h"
#include "common/memory.h"
#include "pricing/parse_time.h"

#include <strings.h>

typedef enum preemption_notice_result ask_notice_fn(struct preemption_notice_asker *asker,
                                                    struct notice *ret_notice, struct error *err);

struct preemption_notice_cloud {
    const char *provider;
    ask_notice_fn *ask;
};

/* `how` is a word that the caller has checked. */
static void write_notice(const char *cloud, long long at_us, const char *how,
                         struct notice *ret_notice)
{
    char when[RFC3339_SIZE];

    clock_rfc3339(at_us, when);
    snprintf(when + strlen("2026-01-02T03:04:05"), 2, "Z"); /* no cloud gives milliseconds */
    ret_notice->at_us = at_us;
    snprintf(ret_notice->why, sizeof ret_notice->why, "%s takes this machine back%s%s (%.90s)",
             cloud, at_us > 0 ? " at " : "", at_us > 0 ? when : "", how);
}

static json_t *read_object(const char *text, size_t length, struct error *err)
{
    json_error_t why;
    json_t *json = json_read(text, length, 0, &why);

    if (json_is_object(json))
        return json;
    error_set(err, ERROR_UPSTREAM, NULL, "the answer is not a JSON object");
    json_decref(json);
    return NULL;
}

bool preemption_notice_read_aws(const char *text, size_t length, struct notice *ret_notice,
                                struct error *err)
{
    static const char *const actions[] = {"terminate", "stop", "hibernate"};
    AUTO(json_decrefp) json_t *json = read_object(text, length, err);
    const char *action, *when;
    long long at_us = 0;

    if (!json)
        return false;
    action = json_string_value(json_object_get(json, "action"));
    when = json_string_value(json_object_get(json, "time"));
    /* A notice without a valid time is still a notice. */
    if (!when || !parse_time(when, &at_us))
        at_us = 0;
    for (size_t i = 0; action && i < COUNT(actions); i++)
        if (strcmp(action, actions[i]) == 0) {
            write_notice("AWS", at_us, action, ret_notice);
            return true;
        }
    return error_set(err, ERROR_UPSTREAM, NULL,
                     "its notice has no action that is known: terminate, stop or hibernate");
}

/* Whether an event of Azure concerns the machine of this name ("" unknown): Azure sends its
 * neighbours' too. False, with err, if that is unreadable. */
static bool is_ours(const json_t *event, const char *name, bool *ret_ours, struct error *err)
{
    const json_t *resources = json_object_get(event, "Resources"), *resource;
    size_t index;

    *ret_ours = !name[0];
    if (!json_is_array(resources))
        return *ret_ours ||
               error_set(err, ERROR_UPSTREAM, NULL, "one of its events names no machines");
    json_array_foreach(resources, index, resource)
    {
        const char *theirs = json_string_value(resource);

        if (!theirs)
            return error_set(err, ERROR_UPSTREAM, NULL,
                             "one of its events has a machine without a name");
        if (strcasecmp(theirs, name) == 0)
            *ret_ours = true;
    }
    return true;
}

static bool takes_back(const char *type)
{
    return type && (strcmp(type, "Preempt") == 0 || strcmp(type, "Terminate") == 0);
}

bool preemption_notice_read_azure(const char *text, size_t length, const char *name,
                                  struct notice *ret_notice, bool *ret_leaving, struct error *err)
{
    AUTO(json_decrefp) json_t *json = read_object(text, length, err);
    const json_t *events, *event;
    struct notice notice = {.at_us = 0};
    bool leaving = false;
    size_t index;

    if (!json)
        return false;
    events = json_object_get(json, "Events");
    if (!json_is_array(events))
        return error_set(err, ERROR_UPSTREAM, NULL, "its answer has no list of events");
    json_array_foreach(events, index, event)
    {
        const char *type = json_string_value(json_object_get(event, "EventType"));
        const char *before = json_string_value(json_object_get(event, "NotBefore"));
        long long at_us = 0;
        bool ours;

        if (!type)
            return error_set(err, ERROR_UPSTREAM, NULL, "one of its events has no type");
        if (leaving || !takes_back(type))
            continue;
        if (!is_ours(event, name, &ours, err))
            return false;
        if (!ours)
            continue;
        if (!before || !parse_time_http(before, &at_us))
            at_us = 0; /* "" once it has begun */
        write_notice("Azure", at_us, type, &notice);
        leaving = true;
    }
    if (leaving)
        *ret_notice = notice;
    *ret_leaving = leaving;
    return true;
}

/* A token is valid for hours; it is renewed when the service refuses it. */
static enum metadata_result get_aws(struct metadata *service, const char *path,
                                    char text[METADATA_WORD_MAX], struct error *err)
{
    bool fresh = service->header[0] == '\0';
    enum metadata_result result;

    if (fresh && !metadata_token(service, err))
        return METADATA_FAILED;
    result = metadata_get(service, path, text, METADATA_WORD_MAX, err);
    if (result != METADATA_FAILED || service->status != 401 || fresh)
        return result;
    error_clear(err);
    if (!metadata_token(service, err))
        return METADATA_FAILED;
    return metadata_get(service, path, text, METADATA_WORD_MAX, err);
}

static enum preemption_notice_result ask_aws_notice(struct preemption_notice_asker *asker,
                                                    struct notice *ret_notice, struct error *err)
{
    struct error unheard = {0};
    char text[METADATA_WORD_MAX];

    switch (get_aws(&asker->service, "/latest/meta-data/spot/instance-action", text, err)) {
    case METADATA_TOLD:
        return preemption_notice_read_aws(text, strlen(text), ret_notice, err) ? NOTICE_LEAVING
                                                                               : NOTICE_UNKNOWN;
    case METADATA_ABSENT:
        if (!asker->at_risk)
            asker->at_risk =
                get_aws(&asker->service, "/latest/meta-data/events/recommendations/rebalance",
                        text, &unheard) == METADATA_TOLD;
        return NOTICE_NONE;
    default:
        return NOTICE_UNKNOWN;
    }
}

/* A word of Google's answer; "" if there is none. */
static bool get_gcp(struct metadata *service, const char *path, char word[METADATA_WORD_MAX],
                    struct error *err)
{
    enum metadata_result result = metadata_get(service, path, word, METADATA_WORD_MAX, err);

    metadata_trim(word);
    if (result == METADATA_TOLD && strcmp(service->flavor, "Google") != 0)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "its answer has no \"Metadata-Flavor: Google\", so it is not Google's");
    return result != METADATA_FAILED;
}

static enum preemption_notice_result ask_gcp_notice(struct preemption_notice_asker *asker,
                                                    struct notice *ret_notice, struct error *err)
{
    char preempted[METADATA_WORD_MAX], event[METADATA_WORD_MAX];

    snprintf(asker->service.header, sizeof asker->service.header, "Metadata-Flavor: Google");
    if (!get_gcp(&asker->service, METADATA_GCP "preempted", preempted, err))
        return NOTICE_UNKNOWN;
    if (strcmp(preempted, "TRUE") == 0) {
        write_notice("Google", 0, "preempted", ret_notice);
        return NOTICE_LEAVING;
    }
    if (!get_gcp(&asker->service, METADATA_GCP "maintenance-event", event, err))
        return NOTICE_UNKNOWN;
    if (strcmp(event, "TERMINATE_ON_HOST_MAINTENANCE") == 0) {
        write_notice("Google", 0, event, ret_notice);
        return NOTICE_LEAVING;
    }
    if (strcmp(preempted, "FALSE") == 0)
        return NOTICE_NONE;
    error_set(err, ERROR_UPSTREAM, NULL, "whether it is preempted is neither TRUE nor FALSE");
    return NOTICE_UNKNOWN;
}

/* The name of this machine in Azure's events. A service without a name is not asked again; one
 * that does not answer is asked next time: a neighbour's event must not end our run. */
static bool learn_name(struct preemption_notice_asker *asker, struct error *err)
{
    char name[METADATA_WORD_MAX];
    struct error unheard = {0};

    if (asker->named)
        return true;
    if (metadata_get(&asker->service,
                     "/metadata/instance/compute/name?api-version=2021-02-01&format=text", name,
                     sizeof name, &unheard) == METADATA_TOLD) {
        metadata_trim(name);
        METADATA_WORD(asker->name, name);
    } else if (asker->service.status == 0 || asker->service.status >= 500 ||
               asker->service.status == 429) {
        return error_set(err, unheard.kind, NULL, "%s", unheard.message);
    }
    asker->named = true;
    return true;
}

static enum preemption_notice_result ask_azure_notice(struct preemption_notice_asker *asker,
                                                      struct notice *ret_notice,
                                                      struct error *err)
{
    AUTO(freep) char *text = xmalloc(METADATA_DOCUMENT_MAX + 1);
    bool leaving = false;

    snprintf(asker->service.header, sizeof asker->service.header, "Metadata: true");
    if (!learn_name(asker, err))
        return NOTICE_UNKNOWN;
    switch (metadata_get(&asker->service, "/metadata/scheduledevents?api-version=2020-07-01",
                         text, METADATA_DOCUMENT_MAX + 1, err)) {
    case METADATA_TOLD:
        if (!preemption_notice_read_azure(text, strlen(text), asker->name, ret_notice, &leaving,
                                          err))
            return NOTICE_UNKNOWN;
        return leaving ? NOTICE_LEAVING : NOTICE_NONE;
    case METADATA_ABSENT:
        error_set(err, ERROR_UPSTREAM, NULL, "it answers 404");
        return NOTICE_UNKNOWN;
    default:
        return NOTICE_UNKNOWN;
    }
}

static const struct preemption_notice_cloud noticing_clouds[] = {
    {"aws", ask_aws_notice},
    {"gcp", ask_gcp_notice},
    {"azure", ask_azure_notice},
};

bool preemption_notice_begin(struct preemption_notice_asker *asker, const char *provider,
                             const char *url, fetch_fn *fetch, void *fetcher)
{
    for (size_t i = 0; i < COUNT(noticing_clouds); i++)
        if (strcmp(noticing_clouds[i].provider, provider) == 0) {
            *asker = (struct preemption_notice_asker){
                .cloud = &noticing_clouds[i],
                .service = {
                    .fetch = fetch, .fetcher = fetcher, .url = url ? url : METADATA_LINK_LOCAL}};
            return true;
        }
    return false;
}

enum preemption_notice_result preemption_notice_ask(struct preemption_notice_asker *asker,
                                                    struct notice *ret_notice, struct error *err)
{
    return asker->cloud->ask(asker, ret_notice, err);
}

void preemption_notice_end(struct preemption_notice_asker *asker)
{
    explicit_bzero(asker, sizeof *asker);
}

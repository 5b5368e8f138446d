#include "answers/types/wanted.h"

#include "answers/compare/newest_versions.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"

#include <assert.h>
#include <jansson.h>

#define MACHINES_NEEDED 3 /* for STANDING_VMS; engine/stats/standing.h */

const char *const wanted_reason_names[] = {"never_measured", "few_machines", "other_version",
                                           "old", NULL};

void wanted_list_free(struct wanted_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->list[i].configuration);
    freep(&list->list);
    *list = (struct wanted_list){0};
}

/* The spec of a configuration. False if this version has no such spec. */
static bool read_spec(const struct contender *contender, struct run_spec *ret_spec)
{
    AUTO(json_decrefp) json_t *json = json_loads(contender->configuration, 0, NULL);

    return json_object_set_new(json, "workload", json_string(contender->workload)) == 0 &&
           json_object_set_new(json, "engine", json_string(contender->engine)) == 0 &&
           run_spec_from_json(json, ret_spec, NULL);
}

static struct wanted *wanted_search(struct wanted_list *list, const char *workload,
                                    const char *engine, const char *configuration)
{
    for (size_t i = 0; i < list->count; i++) {
        struct wanted *wanted = &list->list[i];

        if (strcmp(wanted->spec.workload, workload) == 0 &&
            strcmp(wanted->spec.engine, engine) == 0 &&
            strcmp(wanted->configuration, configuration) == 0)
            return wanted;
    }
    return NULL;
}

/* Adds a spec unless it is there. */
static struct wanted *wanted_add(struct wanted_list *list, const struct run_spec *spec,
                                 const char *configuration)
{
    struct wanted *wanted;

    list->list = xgrow(list->list, list->count, &list->room, sizeof *list->list);
    wanted = &list->list[list->count++];
    *wanted = (struct wanted){
        .spec = *spec, .configuration = xstrdup(configuration), .reason = WANTED_NEVER};
    return wanted;
}

static bool is_asked(const struct wanted_question *question, const char *workload,
                     const char *engine)
{
    return (!question->workload || strcmp(question->workload, workload) == 0) &&
           (!question->engine || strcmp(question->engine, engine) == 0);
}

/* Adds the specs of a bench. */
static void add_usual(const struct wanted_question *question, struct wanted_list *list)
{
    static const char *const precisions[] = {"f32", "bf16"};

    for (size_t i = 0; i < COUNT(precisions); i++) {
        struct run_spec spec = run_spec_default();
        AUTO(freep) char *configuration = NULL;

        spec.precision = precisions[i];
        if (!is_asked(question, spec.workload, spec.engine))
            continue;
        configuration = configuration_of_spec(&spec);
        (void)wanted_add(list, &spec, configuration);
    }
}

static bool is_of_type(const struct wanted_question *question, const struct contender *contender)
{
    const struct instance_type *type = &question->type->listed;

    return strcmp(contender->instance, type->name) == 0 &&
           strcmp(contender->provider, type->provider) == 0;
}

static enum wanted_reason reason_for(const struct wanted_question *question,
                                     const struct newest_versions *newest,
                                     const struct contender *contender)
{
    const struct standing *standing = &contender->standing;

    if (standing->level == STANDING_NONE)
        return WANTED_NEVER;
    if (standing->vms < MACHINES_NEEDED)
        return WANTED_FEW_MACHINES;
    if (newest_version_is_newer(newest, contender->engine, contender->version))
        return WANTED_OTHER_VERSION;
    if (question->now_us - standing->newest_us > question->days * US_PER_DAY)
        return WANTED_OLD;
    return WANTED_NOT;
}

/* A type may have several kinds of machine: the one with the most evidence counts. */
static void take_evidence(const struct wanted_question *question,
                          const struct newest_versions *newest, const struct contender *contender,
                          struct wanted *wanted)
{
    enum wanted_reason reason = reason_for(question, newest, contender);

    if (!is_of_type(question, contender)) {
        wanted->types += contender->standing.level != STANDING_NONE;
        return;
    }
    if (wanted->contender && reason <= wanted->reason)
        return;
    wanted->reason = reason;
    wanted->contender = contender;
}

static void add_one(const struct wanted_question *question, const struct newest_versions *newest,
                    const struct contender *contender, struct wanted_list *list)
{
    struct wanted *wanted =
        wanted_search(list, contender->workload, contender->engine, contender->configuration);
    struct run_spec spec;

    if (!wanted && read_spec(contender, &spec))
        wanted = wanted_add(list, &spec, contender->configuration);
    if (wanted)
        take_evidence(question, newest, contender, wanted);
}

static void add_measured(const struct wanted_question *question,
                         const struct newest_versions *newest, struct wanted_list *list)
{
    for (size_t i = 0; i < question->standings->count; i++) {
        const struct contender *contender = &question->standings->list[i];

        if (!contender->is_published &&
            is_asked(question, contender->workload, contender->engine))
            add_one(question, newest, contender, list);
    }
}

static void wanted_say(const struct wanted_question *question,
                       const struct newest_versions *newest, struct wanted *wanted)
{
    const struct contender *contender = wanted->contender;
    const char *version = newest_version_of(newest, wanted->spec.engine);

    switch (wanted->reason) {
    case WANTED_FEW_MACHINES:
        snprintf(wanted->words, sizeof wanted->words,
                 "measured on %lld of the %d machines that an interval over machines needs",
                 contender->standing.vms, MACHINES_NEEDED);
        break;
    case WANTED_OTHER_VERSION:
        assert(version);
        snprintf(wanted->words, sizeof wanted->words, "measured with an older version than %.*s",
                 run_version_length(version), version);
        break;
    case WANTED_OLD:
        snprintf(wanted->words, sizeof wanted->words, "measured more than %lld days ago",
                 question->days);
        break;
    default:
        snprintf(wanted->words, sizeof wanted->words, "no valid run of it on this type");
    }
}

static int by_worth(const void *left, const void *right)
{
    const struct wanted *l = left, *r = right;
    int order = (l->reason > r->reason) - (l->reason < r->reason);

    if (order == 0)
        order = (l->types < r->types) - (l->types > r->types);
    if (order == 0)
        order = strcmp(l->spec.workload, r->spec.workload);
    if (order == 0)
        order = strcmp(l->spec.engine, r->spec.engine);
    return order != 0 ? order : strcmp(l->configuration, r->configuration);
}

/* Removes specs that are not wanted or that such a machine cannot run. */
static void wanted_keep(const struct wanted_question *question, struct wanted_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        struct wanted *wanted = &list->list[i];
        struct support support;
        bool able;

        support_of(question->type, &wanted->spec, &support);
        able = support_may_run(&support, &wanted->spec) &&
               !(support.bf16 == SUPPORT_NO && strcmp(wanted->spec.precision, "bf16") == 0);
        list->unable += wanted->reason != WANTED_NOT && !able;
        if (wanted->reason != WANTED_NOT && able)
            list->list[kept++] = *wanted;
        else
            free(wanted->configuration);
    }
    list->count = kept;
}

struct wanted_list wanted_find(const struct wanted_question *question)
{
    const struct newest_versions newest = newest_versions_find(question->standings);
    struct wanted_list list = {0};

    add_usual(question, &list);
    add_measured(question, &newest, &list);
    wanted_keep(question, &list);
    for (size_t i = 0; i < list.count; i++)
        wanted_say(question, &newest, &list.list[i]);
    if (list.count > 0)
        qsort(list.list, list.count, sizeof *list.list, by_worth);
    return list;
}

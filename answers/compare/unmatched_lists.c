/* Tested by tests/api/test_asking.py. */
#include "answers/compare/unmatched_lists.h"

#include "common/cleanup.h"
#include "common/known_names.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/standings/standing_subset.h"
#include "db/stored_values.h"
#include "engine/trace/evidence.h"

#define OF_RUNS "no run has it"
#define OF_PRICES "no price has it"
#define OF_FEEDS "no feed lists it"
#define OF_TYPES "no feed lists it and no run has it"
#define OF_EVENTS "no event has it"

/* One value, and its description in messages. */
struct look {
    struct stored_value_question question;
    const char *parameter;
    const char *shown; /* the client's value */
    const char *what;
};

/* The database searched, and the unmatched values so far. */
struct hunt {
    struct db *db;
    struct stored_values *values; /* buffer of one query */
    struct unmatched_list *list;
};

void unmatched_add(struct unmatched_list *list, const char *parameter, const char *value,
                   const char *words)
{
    struct unmatched *unmatched = &list->list[list->count];

    if (list->count == UNMATCHED_MAX)
        return;
    *unmatched = (struct unmatched){.parameter = parameter};
    snprintf(unmatched->value, sizeof unmatched->value, "%s", value);
    snprintf(unmatched->words, sizeof unmatched->words, "%s", words);
    unmatched_mend(unmatched);
    list->count++;
}

static void unmatched_add_look(const struct look *look, const struct hunt *hunt)
{
    const char *value = look->question.value;
    const struct unknown_name unknown = {look->parameter, look->what, value, strlen(value)};
    struct known_names known = {0};
    struct error said = {0};

    for (size_t i = 0; i < hunt->values->count; i++)
        known_names_add(&known, hunt->values->list[i]);
    error_unknown_name(&said, &unknown, &known);
    unmatched_add(hunt->list, look->parameter, look->shown, said.message);
}

/* *ret_found is true for an empty filter. */
static bool look_in_list(const struct look *look, const struct hunt *hunt, bool *ret_found,
                         struct error *err)
{
    *ret_found = true;
    if (!look->question.value)
        return true;
    if (!stored_values_look(hunt->db, &look->question, ret_found, hunt->values, err))
        return false;
    if (!*ret_found)
        unmatched_add_look(look, hunt);
    return true;
}

/* Checks a label's key first, then its value. */
static bool look_for_label(const struct wanted_label *label, const struct hunt *hunt,
                           struct error *err)
{
    char shown[LABEL_KEY_MAX + 1 + LABEL_VALUE_MAX + 1], what[LABEL_KEY_MAX + 48];
    const struct look key = {.question = {RUN_LABEL_KEY, NULL, label->key},
                             .parameter = "label",
                             .shown = shown,
                             .what = "no run has a label of this key"};
    const struct look value = {.question = {RUN_LABEL_VALUE, label->key, label->value},
                               .parameter = "label",
                               .shown = shown,
                               .what = what};
    bool found;

    snprintf(shown, sizeof shown, "%s=%s", label->key, label->value);
    snprintf(what, sizeof what, "no run has '%s' with this value", label->key);
    return look_in_list(&key, hunt, &found, err) &&
           (!found || look_in_list(&value, hunt, &found, err));
}

/* clang-format off */
#define LOOK(kind, parameter, value, what)                                                       \
    {                                                                                            \
        {(kind), NULL, (value)}, (parameter), (value), (what)                                    \
    }
/* clang-format on */

static bool look_for_all(struct db *db, const struct look *looks, size_t count,
                         struct unmatched_list *list, struct error *err)
{
    AUTO(freep) struct stored_values *values = xcalloc(1, sizeof *values);
    const struct hunt hunt = {db, values, list};
    bool found;

    for (size_t i = 0; i < count; i++)
        if (!look_in_list(&looks[i], &hunt, &found, err))
            return false;
    return true;
}

bool unmatched_runs(struct db *db, const struct run_filter *filter, struct unmatched_list *list,
                    struct error *err)
{
    const struct look looks[] = {
        LOOK(RUN_WORKLOAD, "workload", filter->workload, OF_RUNS),
        LOOK(RUN_ENGINE, "engine", filter->engine, OF_RUNS),
        LOOK(RUN_INSTANCE, "instance_type", filter->instance, OF_RUNS),
        LOOK(RUN_SENDER, "sender", filter->sender, OF_RUNS),
    };
    AUTO(freep) struct stored_values *values = xcalloc(1, sizeof *values);
    const struct hunt hunt = {db, values, list};

    if (!look_for_all(db, looks, COUNT(looks), list, err))
        return false;
    for (int i = 0; i < filter->label_count; i++)
        if (!look_for_label(&filter->labels[i], &hunt, err))
            return false;
    return true;
}

bool unmatched_sender(struct db *db, const char *sender, struct unmatched_list *list,
                      struct error *err)
{
    const struct stored_value_question here = {RUN_PROVENANCE, NULL,
                                               provenance_names[PROVENANCE_MEASURED]};
    const struct look look = LOOK(RUN_SENDER, "sender", sender, OF_RUNS);
    AUTO(freep) struct stored_values *values = xcalloc(1, sizeof *values);
    bool found = false;

    if (sender && strcmp(sender, STANDING_SENDER_LOCAL) == 0 &&
        !stored_values_look(db, &here, &found, values, err))
        return false;
    return found || look_for_all(db, &look, 1, list, err);
}

bool unmatched_prices(struct db *db, const struct price_filter *filter,
                      struct unmatched_list *list, struct error *err)
{
    const struct look looks[] = {
        LOOK(PRICE_PROVIDER, "provider", filter->provider, OF_PRICES),
        LOOK(PRICE_REGION, "region", filter->region, OF_PRICES),
        LOOK(PRICE_ZONE, "zone", filter->zone, OF_PRICES),
        LOOK(PRICE_TYPE, "instance_type", filter->instance_type, OF_PRICES),
        LOOK(PRICE_FEED, "feed", filter->feed, OF_PRICES),
        LOOK(PRICE_KIND, "kind", filter->kind, OF_PRICES),
    };

    return look_for_all(db, looks, COUNT(looks), list, err);
}

bool unmatched_types(struct db *db, const struct type_filter *filter, const char *region,
                     struct unmatched_list *list, struct error *err)
{
    const struct look looks[] = {
        LOOK(LISTED_PROVIDER, "provider", filter->provider, OF_FEEDS),
        LOOK(LISTED_NAME, "instance_type", filter->name, OF_FEEDS),
        LOOK(LISTED_PREFIX, "prefix", filter->prefix, "no type begins with it"),
        LOOK(PRICE_REGION, "region", region, OF_PRICES),
    };

    return look_for_all(db, looks, COUNT(looks), list, err);
}

bool unmatched_known_types(struct db *db, const struct known_type_filter *filter,
                           struct unmatched_list *list, struct error *err)
{
    const struct look looks[] = {
        LOOK(KNOWN_PROVIDER, "provider", filter->provider, OF_TYPES),
        LOOK(KNOWN_NAME, "instance_type", filter->name, OF_TYPES),
    };

    return look_for_all(db, looks, COUNT(looks), list, err);
}

bool unmatched_events(struct db *db, const struct capacity_filter *filter,
                      struct unmatched_list *list, struct error *err)
{
    const struct look looks[] = {
        LOOK(EVENT_PROVIDER, "provider", filter->provider, OF_EVENTS),
        LOOK(EVENT_TYPE, "instance_type", filter->instance_type, OF_EVENTS),
        LOOK(EVENT_ZONE, "zone", filter->zone, OF_EVENTS),
        LOOK(EVENT_PRICE_KIND, "price_kind", filter->price_kind, OF_EVENTS),
        LOOK(EVENT_SENDER, "sender", filter->sender, OF_EVENTS),
    };

    return look_for_all(db, looks, COUNT(looks), list, err);
}

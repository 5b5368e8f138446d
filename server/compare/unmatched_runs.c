/* Tested by tests/api/test_asking.py. */
#include "server/compare/unmatched_runs.h"

#include "common/cleanup.h"
#include "common/known_names.h"
#include "common/text.h"
#include "db/runs/run_values.h"

/* One value, and how it is spoken of. */
struct look {
    struct run_value_question question;
    const char *parameter;
    const char *shown; /* the value as the client gave it */
    const char *what;
};

/* Where it is looked for, and what was found missing so far. */
struct hunt {
    struct db *db;
    struct run_values *values; /* room for those of one look */
    struct unmatched *list;
    size_t *count;
};

static void add(const struct look *look, const struct hunt *hunt)
{
    const char *value = look->question.value;
    const struct unknown_name unknown = {look->parameter, look->what, value, strlen(value)};
    struct unmatched *unmatched = &hunt->list[*hunt->count];
    struct known_names known = {0};
    struct error said = {0};

    for (size_t i = 0; i < hunt->values->count; i++)
        known_names_add(&known, hunt->values->list[i]);
    error_unknown_name(&said, &unknown, &known);
    *unmatched = (struct unmatched){.parameter = look->parameter};
    snprintf(unmatched->value, sizeof unmatched->value, "%s", look->shown);
    text_drop_cut_end(unmatched->value);
    snprintf(unmatched->words, sizeof unmatched->words, "%s", said.message);
    (*hunt->count)++;
}

/* *ret_found is true where nothing was asked. */
static bool look_for(const struct look *look, const struct hunt *hunt, bool *ret_found,
                     struct error *err)
{
    *ret_found = true;
    if (!look->question.value || *hunt->count == UNMATCHED_MAX)
        return true;
    if (!run_values_look(hunt->db, &look->question, ret_found, hunt->values, err))
        return false;
    if (!*ret_found)
        add(look, hunt);
    return true;
}

/* Of a label first the key: no run can have the value of a key that none has. */
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
    return look_for(&key, hunt, &found, err) && (!found || look_for(&value, hunt, &found, err));
}

bool unmatched_runs(struct db *db, const struct run_filter *filter, struct unmatched *list,
                    size_t *count, struct error *err)
{
    const struct look looks[] = {
        {{RUN_WORKLOAD, NULL, filter->workload}, "workload", filter->workload, "no run has it"},
        {{RUN_ENGINE, NULL, filter->engine}, "engine", filter->engine, "no run has it"},
        {{RUN_INSTANCE, NULL, filter->instance},
         "instance_type",
         filter->instance,
         "no run has it"},
    };
    AUTO(freep) struct run_values *values = calloc(1, sizeof *values);
    const struct hunt hunt = {db, values, list, count};
    bool found;

    if (!values)
        return error_no_memory(err);
    for (size_t i = 0; i < COUNT(looks); i++)
        if (!look_for(&looks[i], &hunt, &found, err))
            return false;
    for (int i = 0; i < filter->label_count; i++)
        if (!look_for_label(&filter->labels[i], &hunt, err))
            return false;
    return true;
}

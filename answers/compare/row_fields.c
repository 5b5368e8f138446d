#include "answers/compare/row_fields.h"

#include "common/cleanup.h"
#include "common/known_names.h"

const struct row_field row_fields[] = {
    {"id", true},
    {"instance_type", true},
    {"provider", true},
    {"stratum", false},
    {"cpu_model", true},
    {"engine", true},
    {"configuration", true},
    {"isa", false},
    {"software", false},
    {"version", true},
    {"other_versions", false},
    {"provenance", true},
    {"senders", true},
    {"published", true},
    {"rank", true},
    {"may_be_best", true},
    {"cannot_be_told_apart_from", true},
    {"why_no_rank", true},
    {"throughput", true},
    {"tokens_per_second", true},
    {"invalid_runs", false},
    {"measured_at", true},
    {"newest_run", true},
    {"stale", true},
    {"price", true},
    {"why_no_price", true},
    {"prices_per_hour", false},
    {"interruption_band", false},
    {"capacity", false},
    {"unit", true},
    {"samples_per_dollar", true},
    {"dollars_per_million_samples", true},
    {"hours_per_million_samples", true},
    {"interval_from", false},
    {"kinds", false},
    {"spot_history", false},
    {"job", true},
    {"pareto", true},
    {"to_reference", true},
    {"utility", true},
    {"utilisation", false},
    {NULL, false},
};
_Static_assert(COUNT(row_fields) <= ROW_FIELDS_MAX, "all may be asked for");

/* Whether a list like "id,rank" has the name. */
static bool has(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && strncmp(list, name, length) == 0)
            return true;
    return false;
}

const char *row_field_name(size_t place)
{
    const size_t count = COUNT(row_fields) - 1;

    return place < count ? row_fields[place].name : place == count ? "all" : NULL;
}

static bool check_name(const char *parameter, const char *name, size_t length, struct error *err)
{
    const struct unknown_name unknown = {
        parameter, "names something that is not a member of a row", name, length};
    struct known_names known = {.all = "docs/api.md"};
    const char *each;

    for (size_t i = 0; (each = row_field_name(i)) != NULL; i++) {
        if (strlen(each) == length && strncmp(each, name, length) == 0)
            return true;
        known_names_add(&known, each);
    }
    return error_unknown_name(err, &unknown, &known);
}

bool row_fields_read(const char *parameter, const char *text, struct row_fields_asked *ret_asked,
                     struct error *err)
{
    bool all = text && has(text, "all");
    size_t count = 0;

    for (const char *at = text; at;) {
        size_t length = strcspn(at, ",");

        if (!check_name(parameter, at, length, err))
            return false;
        at = at[length] ? at + length + 1 : NULL;
    }
    for (const struct row_field *field = row_fields; field->name; field++)
        if (all || field == row_fields || (text ? has(text, field->name) : field->is_usual))
            ret_asked->names[count++] = field->name;
    ret_asked->names[count] = NULL;
    return true;
}

#include "engine/sweep/sweep.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/limits.h"
#include "common/text.h"
#include "engine/run/run_request.h"
#include "engine/sweep/sweep_presets.h"

#include <limits.h>

const char *const sweep_preset_names[] = {"matrix",  "ladder",     "batch", "input_workers",
                                          "threads", "isa",        "tune",  "aa",
                                          "engines", "clouds2017", NULL};

/* The request; its objects are borrowed. */
struct request {
    const char *preset;
    long long blocks, pairs, budget_seconds;
    json_t *base, *knobs, *cells;
};

static bool read_part(const struct field *field, const json_t *value, void *object,
                      struct error *err)
{
    (void)err;
    memcpy((char *)object + field->offset, &value, sizeof value);
    return true;
}

static bool read_base(const struct field *field, const json_t *value, void *object,
                      struct error *err)
{
    if (!json_is_object(value))
        return error_set(err, ERROR_INVALID, field->name, "must be a spec: a JSON object");
    return read_part(field, value, object, err);
}

#define AT(member) BODY_AT(struct request, member)
#define SPEC_SCHEMA "{\"$ref\": \"#/components/schemas/RunSpec\"}"
#define PAIRS AT(pairs), .type = FIELD_INTEGER, .min = 2, .max = SWEEP_PAIRS_MAX, .usual = "20"

static const struct field rows[] = {
    {AT(preset), .type = FIELD_CHOICE, .choices = sweep_preset_names, .usual = "\"matrix\"",
     .meaning =
         "`ladder`: from plain f32 to a tuned configuration; `batch`, `input_workers`, "
         "`threads`, `isa`: one knob over all its values here; `tune`: a search within "
         "`budget_seconds`; `aa`: a configuration against itself; `engines`: ours and every "
         "registered engine, and 422 where none is registered; `clouds2017`: the seven networks "
         "of a comparison of 2017, each compared with its own kind alone. Presets train any "
         "workload: the one that `base` names, else `resnet50`."},
    {AT(base), .type = FIELD_OWN, .read = read_base, .schema = SPEC_SCHEMA,
     .meaning = "Fields of the spec that all cells share."},
    {AT(knobs), .type = FIELD_OWN, .read = read_part,
     .schema = "{\"$ref\": \"#/components/schemas/Knobs\"}",
     .meaning = "Lists of values for fields of the spec; every combination is a cell, 64 at "
                "most."},
    {AT(cells), .type = FIELD_OWN, .read = read_part,
     .schema =
         "{\"type\": \"array\", \"minItems\": 1, \"maxItems\": 64, \"items\": " SPEC_SCHEMA "}",
     .meaning = "Instead of `knobs`: for each cell the fields that differ from the base."},
    {AT(blocks), .type = FIELD_INTEGER, .min = 1, .max = SWEEP_BLOCKS_MAX, .usual = "3",
     .meaning = "Runs of each cell."},
    {PAIRS, .meaning = "Number of pairs, for `aa`."},
    {AT(budget_seconds), .type = FIELD_INTEGER, .min = 30, .max = RUN_SECONDS_MAX, .usual = "600",
     .meaning = "Time for the search, for `tune`."},
};
const struct body sweep_body = {
    .name = "SweepRequest",
    BODY_ROWS(rows),
    .schema =
        "{\"allOf\": [{\"not\": {\"required\": [\"knobs\", \"cells\"]}}, "
        "{\"if\": {\"properties\": {\"preset\": {\"const\": \"matrix\"}}}, "
        "\"then\": {\"anyOf\": [{\"required\": [\"knobs\"]}, {\"required\": [\"cells\"]}]}, "
        "\"else\": {\"not\": {\"anyOf\": [{\"required\": [\"knobs\"]}, "
        "{\"required\": [\"cells\"]}]}}}]}"};

static const struct field aa_rows[] = {
    {AT(base), .type = FIELD_OWN, .read = read_base, .schema = SPEC_SCHEMA,
     .meaning = "As in a sweep."},
    {PAIRS},
};
const struct body aa_body = {.name = "AaRequest", BODY_ROWS(aa_rows)};
#undef AT

/* Appends "batch_size=8" to a name. */
static void add_to_name(char *name, const char *knob, const json_t *value)
{
    AUTO(freep) char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *word = json_is_string(value) ? json_string_value(value) : text;
    size_t used = strlen(name);

    snprintf(name + used, SWEEP_NAME_MAX - used, "%s%s=%.32s", used ? " " : "", knob, word);
    text_drop_cut_end(name);
}

/* The `index`-th cell of the product of all lists; the last knob changes fastest. */
static bool add_combination(struct sweep *sweep, json_t *knobs, size_t index,
                            const struct place *place, struct error *err)
{
    AUTO(json_decrefp) json_t *change = json_object();
    char name[SWEEP_NAME_MAX] = "";
    size_t below = 1, size;
    const char *knob;
    json_t *list;

    json_object_foreach(knobs, knob, list) below *= json_array_size(list);
    json_object_foreach(knobs, knob, list)
    {
        size = json_array_size(list);
        below /= size;
        json_t *value = json_array_get(list, index / below % size);
        json_object_set(change, knob, value);
        add_to_name(name, knob, value);
    }
    return sweep_add(sweep, name, change, place, err);
}

static bool refuse_knob(const char *knob, struct error *err)
{
    static const char *const none[] = {NULL};
    struct error cause = {0};

    fields_refuse_name(run_spec_fields, run_spec_field_count, none, knob, &cause);
    return error_within(err, &cause, "knobs");
}

static bool add_knobs(struct sweep *sweep, json_t *knobs, const struct place *place,
                      struct error *err)
{
    size_t cells = 1;
    const char *knob;
    json_t *list;

    if (!json_is_object(knobs) || json_object_size(knobs) == 0)
        return error_set(err, ERROR_INVALID, "knobs", "must be an object of lists, one at least");
    json_object_foreach(knobs, knob, list)
    {
        if (!fields_find(run_spec_fields, run_spec_field_count, knob))
            return refuse_knob(knob, err);
        if (!json_is_array(list) || json_array_size(list) == 0)
            return error_set(err, ERROR_INVALID, "knobs",
                             "'%.40s' must be a list, with one value at least", knob);
        cells *= json_array_size(list);
        if (cells > SWEEP_CELLS_MAX)
            return error_set(err, ERROR_INVALID, "knobs", "make more than %d cells",
                             SWEEP_CELLS_MAX);
    }
    for (size_t i = 0; i < cells; i++)
        if (!add_combination(sweep, knobs, i, place, err))
            return false;
    return true;
}

/* What is wrong with a cell's value is said of `cells`, not of knobs. */
static bool blame_cells(struct error *err, struct error *cause)
{
    char field[sizeof cause->field];

    if (strncmp(cause->field, "knobs", 5) == 0) {
        snprintf(field, sizeof field, "cells%s", cause->field + 5);
        snprintf(cause->field, sizeof cause->field, "%s", field);
    }
    return error_within(err, cause, "");
}

/* What a run may take, which names a cell only where nothing else does. */
static bool is_limit(const char *knob)
{
    return strcmp(knob, "min_seconds") == 0 || strcmp(knob, "max_seconds") == 0 ||
           strcmp(knob, "max_dollars") == 0;
}

static void name_change(json_t *change, bool limits, char *name)
{
    const char *knob;
    json_t *value;

    json_object_foreach(change, knob, value)
    {
        if (is_limit(knob) == limits)
            add_to_name(name, knob, value);
    }
}

/* A cell that is named after what it changes. */
static bool add_change(struct sweep *sweep, json_t *change, const struct place *place,
                       struct error *err)
{
    char name[SWEEP_NAME_MAX] = "";
    struct error cause = {0};

    if (!json_is_object(change))
        return error_set(err, ERROR_INVALID, "cells", "must hold objects: changes of base");
    name_change(change, false, name);
    if (!name[0])
        name_change(change, true, name);
    return sweep_add(sweep, name[0] ? name : "base", change, place, &cause) ||
           blame_cells(err, &cause);
}

static bool add_listed(struct sweep *sweep, json_t *list, const struct place *place,
                       struct error *err)
{
    size_t index;
    json_t *change;

    if (!json_is_array(list) || json_array_size(list) == 0)
        return error_set(err, ERROR_INVALID, "cells", "must be a list of objects, one at least");
    json_array_foreach(list, index, change)
    {
        if (!add_change(sweep, change, place, err))
            return false;
    }
    return true;
}

/* SWEEP_MATRIX for a name that is none. */
static enum sweep_preset preset_from_name(const char *name)
{
    for (int preset = 0; sweep_preset_names[preset]; preset++)
        if (strcmp(sweep_preset_names[preset], name) == 0)
            return (enum sweep_preset)preset;
    return SWEEP_MATRIX;
}

enum sweep_preset sweep_preset_of(const char *request)
{
    AUTO(json_decrefp) json_t *json = json_loads(request, 0, NULL);
    const char *name = json_string_value(json_object_get(json, "preset"));

    return name ? preset_from_name(name) : SWEEP_MATRIX;
}

static bool any_is_possible(const struct sweep *sweep, struct error *err)
{
    size_t runs = 0;

    for (size_t i = 0; i < sweep->count; i++)
        runs += sweep->cells[i].refused[0] == '\0';
    if (runs == 0)
        return error_set(err, ERROR_UNABLE, "base", "this machine cannot run any cell: %s",
                         sweep->count > 0 ? sweep->cells[0].refused : "no cells");
    if (runs * (size_t)sweep->blocks > SWEEP_RUNS_MAX)
        return error_set(err, ERROR_INVALID, "blocks", "make %zu runs, more than %d",
                         runs * (size_t)sweep->blocks, SWEEP_RUNS_MAX);
    return true;
}

/* Cells that name no precision get the base's. Otherwise the cells of the preset isa, each with
 * another instruction set, would also differ in precision. */
static void take_base(struct sweep *sweep, json_t *base, const struct place *place)
{
    sweep->base = base ? json_copy(base) : json_object();
    if (!json_object_get(base, "precision"))
        json_object_set_new(sweep->base, "precision",
                            json_string(run_request_precision(base, place)));
}

static bool read_sweep(struct sweep *sweep, json_t *json, const struct place *place,
                       struct error *err)
{
    struct request request = {.preset = sweep_preset_names[SWEEP_MATRIX],
                              .blocks = 3,
                              .pairs = 20,
                              .budget_seconds = 600};
    json_t *knobs, *cells;

    if (!body_read(&sweep_body, json, &request, err))
        return false;
    knobs = request.knobs;
    cells = request.cells;
    sweep->preset = preset_from_name(request.preset);
    sweep->blocks = sweep->preset == SWEEP_AA ? request.pairs : request.blocks;
    sweep->budget_seconds = request.budget_seconds;
    take_base(sweep, request.base, place);
    if ((knobs || cells) && sweep->preset != SWEEP_MATRIX)
        return error_set(err, ERROR_INVALID, knobs ? "knobs" : "cells",
                         "belong to no preset: leave one of them out");
    if (knobs && cells)
        return error_set(err, ERROR_INVALID, "cells", "stand instead of knobs: leave one out");
    if (!knobs && !cells && sweep->preset == SWEEP_MATRIX)
        return error_set(err, ERROR_INVALID, "knobs", "are missing, or cells, or a preset");
    return (knobs   ? add_knobs(sweep, knobs, place, err)
            : cells ? add_listed(sweep, cells, place, err)
                    : sweep_add_preset(sweep, place, err)) &&
           any_is_possible(sweep, err);
}

bool sweep_from_text(const char *text, size_t length, const struct place *place,
                     struct sweep *ret_sweep, struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_read(text, length, 0, &why);
    AUTO(sweep_clear) struct sweep sweep = {0};

    if (!json)
        return error_set(err, ERROR_INVALID, NULL,
                         "the body is not JSON: %s at line %d column %d", why.text, why.line,
                         why.column);
    if (!read_sweep(&sweep, json, place, err))
        return false;
    *ret_sweep = sweep;
    sweep = (struct sweep){0};
    return true;
}

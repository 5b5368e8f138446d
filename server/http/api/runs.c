#include "server/http/api/runs.h"

#include "common/cleanup.h"
#include "server/http/api/shared.h"

static bool read_label(const struct parameter_row *row, const char *value, void *into,
                       struct error *err)
{
    struct run_conditions *conditions = into;
    struct run_filter *filter = &conditions->filter;
    int at = filter->label_count++;

    filter->labels[at].key = conditions->label_keys[at];
    return label_read(row->name, value, conditions->label_keys[at], &filter->labels[at].value,
                      err);
}

static bool check_period(const struct query *query, void *into, struct error *err)
{
    const struct run_filter *filter = &((const struct run_conditions *)into)->filter;

    (void)query;
    return !filter->until_us || filter->until_us > filter->since_us ||
           error_set(err, ERROR_INVALID, "until", "must be later than since");
}

static const char *const levels[] = {"ok", "warn", "invalid", NULL};

#define AT(member) .offset = offsetof(struct run_conditions, filter.member)
static const struct parameter_row conditions[] = {
    {"engine", PARAMETER_WORD, AT(engine), .meaning = "Only this engine."},
    {"workload", PARAMETER_WORD, AT(workload), .meaning = "Only this workload."},
    {"instance_type", PARAMETER_WORD, AT(instance), .meaning = "Instance type of the machine."},
    {"label", PARAMETER_OWN, .read = read_label, .schema = LABEL_SCHEMA,
     .repeats = RUN_FILTER_LABELS,
     .meaning = "KEY=VALUE of a label; may be given four times, and all must match."},
    {"sender", PARAMETER_WORD, AT(sender), .meaning = "Name of the token that imported the run."},
    {"provenance", PARAMETER_CHOICE, AT(provenance), .choices = provenance_names,
     .meaning = "`measured` here, or `imported`."},
    {"precision", PARAMETER_CHOICE, AT(precision), .choices = run_spec_precisions,
     .meaning = "`precision` of the spec."},
    {"validity", PARAMETER_CHOICE, AT(validity), .choices = levels,
     .meaning = "Only runs that were judged so."},
    {"since", PARAMETER_TIME, AT(since_us),
     .meaning =
         "Only runs that were created from then on: a time as in RFC 3339, or a day, which "
         "begins at 0:00 UTC."},
    {"until", PARAMETER_TIME, AT(until_us),
     .meaning = "Only runs that were created before then; later than `since`."},
    {0},
};

static const struct parameter_row runs_page[] = {
    {"state", PARAMETER_CHOICE, AT(state), .choices = run_state_names,
     .meaning = "Only runs in this state."},
    {"cursor", API_CURSOR, AT(before)},
    {"limit", PARAMETER_INTEGER, AT(limit), .min = 1, .max = RUN_LIST_MAX, .usual = "50",
     .meaning = "Maximum number of runs on the page."},
    {0},
};

static const struct parameter_row history_workload[] = {
    {"workload", PARAMETER_WORD, AT(workload), .usual = "resnet50", .meaning = "The workload."},
    {0},
};
#undef AT

static const struct parameter_row after[] = {
    {"after", PARAMETER_WORD, offsetof(struct export_question, after),
     .meaning = "The id of a run: only runs that were stored later."},
    {0},
};

static const struct parameter_row wait[] = {
    {"wait", PARAMETER_INTEGER, offsetof(struct wait_question, wait), .max = WAIT_SECONDS_MAX,
     .usual = "0",
     .meaning = "Hold the answer until the run, or the sweep, has ended, at most this many "
                "seconds. Overrides `Prefer`."},
    {0},
};

static const struct parameter_row range[] = {
    {"from", PARAMETER_INTEGER, offsetof(struct steps_question, from), .max = STEP_LIST_MAX,
     .usual = "0", .meaning = "Index of the first step."},
    {"limit", PARAMETER_INTEGER, offsetof(struct steps_question, limit), .min = 1,
     .max = STEP_LIST_MAX, .meaning = "Maximum number of steps; the default is all."},
    {0},
};

static const struct parameter_row reason[] = {
    {"reason", API_REASON, .meaning = "Why; for the record, at most 500 bytes."},
    {0},
};

const struct parameters runs_list_parameters = {
    .size = sizeof(struct run_conditions),
    .parts = {{conditions}, {runs_page}},
    .check = check_period,
};

const struct parameters export_parameters = {
    .size = sizeof(struct export_question),
    .parts = {{conditions}, {after}},
    .check = check_period,
};

const struct parameters wait_parameters = {
    .size = sizeof(struct wait_question),
    .parts = {{wait}},
};

const struct parameters steps_parameters = {
    .size = sizeof(struct steps_question),
    .parts = {{range}},
};

const struct parameters reason_parameters = {
    .size = sizeof(struct reason_question),
    .parts = {{reason}},
};

static const char *const of_history[] = {"engine", "instance_type", "label", NULL};
const struct parameters history_parameters = {
    .size = sizeof(struct run_conditions),
    .parts = {{history_workload}, {conditions, .only = of_history}},
};

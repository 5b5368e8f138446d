/* Tested by tests/server/http/json/present_run_test.c. */
#include "server/http/json/present_run.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "engine/process/loaded_libraries.h"
#include "engine/run/pace.h"
#include "engine/spec/run_spec_text.h"
#include "engine/stats/load_advice.h"
#include "server/base/cursor.h"
#include "server/base/taken_back_json.h"
#include "server/http/json/present_roofline.h"
#include "server/prices/cost_json.h"
#include "server/prices/price_json.h"

#include <math.h>

#define COUNT_MAX "9007199254740991" /* the largest that every reader of JSON has exactly */

const struct members run_state_members = {
    .name = "State",
    .meaning = "queued and running are temporary; the others are final. interrupted: the server "
               "stopped, or was killed, during the run. preempted: the cloud took the machine "
               "back.",
    .words = run_state_names};

static const char *const phases[] = {"sizing", "warm_up", "measuring", NULL};

static void write_run_dollars(struct json_writer *out, const struct member *row,
                              const void *object)
{
    double dollars = MEMBER_VALUE(double, row, object);

    jsonw_number(out, row->name, dollars > 0 ? price_exact(dollars) : NAN);
}

static const struct member run_progress_rows[] = {
    {MEMBER(struct progress, steps_done), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Steps done, warm-up included."},
    {MEMBER(struct progress, steps_planned), .range = MEMBER_POSITIVE,
     .meaning = "Planned steps; an estimate while `steps` is `auto`."},
    {MEMBER(struct progress, phase), .words = phases,
     .meaning = "`sizing` while a few steps are timed to choose the batch."},
    {MEMBER(struct progress, samples_per_second), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "So far; 0 before the first step."},
    {MEMBER(struct progress, half_width_percent), .nullable = true, .range = MEMBER_POSITIVE,
     .meaning = "Half of the 95 % interval so far; null while there is none."},
    {MEMBER(struct progress, dollars), .nullable = true, .range = MEMBER_POSITIVE,
     .write = write_run_dollars,
     .meaning = "Dollars spent so far; null where the machine's price is not known."},
    {MEMBER(struct progress, elapsed_seconds), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct progress, seconds_left), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "An estimate."},
    {0},
};
const struct members progress_members = {.name = "Progress", .rows = run_progress_rows};

MEMBER_KNOWN(range_is_known, struct range, range, range->known)

static const struct member range_rows[] = {
    {MEMBER(struct range, low)},
    {MEMBER(struct range, high)},
    {MEMBER_CONSTANT("level", "0.95")},
    {0},
};
static const struct members range_members = {
    .name = "HeadInterval", .rows = range_rows, .is_known = range_is_known};

/* The names are the same as in summary_to_text(). */
static const struct member run_head_rows[] = {
    {MEMBER(struct summary, samples_per_second), .range = MEMBER_POSITIVE},
    {MEMBER_OBJECT_AT(struct summary, "interval", throughput), .members = &range_members,
     .nullable = true},
    {MEMBER(struct summary, median_step_seconds), .range = MEMBER_POSITIVE},
    {MEMBER(struct summary, measured_steps), .range = MEMBER_POSITIVE},
    {MEMBER(struct summary, measured_seconds), .range = MEMBER_POSITIVE},
    {MEMBER(struct summary, first_measured), .range = MEMBER_NOT_NEGATIVE},
    {0},
};
const struct members summary_head_members = {
    .name = "SummaryHead",
    .meaning = "A short summary: in lists, and for old runs without a full one.",
    .rows = run_head_rows};

static void write_summary(struct json_writer *out, const struct member *row, const void *object)
{
    const struct run *run = object;

    if (run->state != RUN_FINISHED)
        jsonw_null(out, row->name);
    else if (run->summary_text)
        jsonw_raw(out, row->name, run->summary_text);
    else
        members_write(out, row->name, &summary_head_members, &run->summary);
}

/* Tokens a second, of workloads on text. */
static void write_run_tokens(struct json_writer *out, const struct member *row,
                             const void *object)
{
    const struct run *run = object;
    double tokens = (double)run_spec_tokens(run->spec.workload);
    const struct summary *summary = &run->summary;
    const struct amount speed = {.value = tokens * summary->samples_per_second,
                                 .low = tokens * summary->throughput.low,
                                 .high = tokens * summary->throughput.high,
                                 .has_interval = summary->throughput.known};

    present_interval(out, row->name, run->state == RUN_FINISHED && tokens > 0 ? &speed : NULL);
}

struct judged {
    enum validity level;
    const char *findings; /* JSON */
};

MEMBER_KNOWN(is_judged, struct judged, judged, judged->level != VALIDITY_UNKNOWN)
MEMBER_WRITES(write_findings, raw, struct judged, judged, judged->findings)

static const struct member validity_rows[] = {
    {MEMBER(struct judged, level), .words = validity_names + VALIDITY_OK, .first = VALIDITY_OK,
     .meaning = "The level of the worst finding."},
    {MEMBER_LIST_OF("findings", &finding_members), .write = write_findings, .nullable = true,
     .meaning = "Null in lists."},
    {0},
};
const struct members validity_members = {
    .name = "Validity",
    .meaning =
        "Whether the run may be ranked: an invalid run is kept with its reasons, and never "
        "ranked.",
    .rows = validity_rows,
    .is_known = is_judged};

void present_judgement(struct json_writer *out, enum validity level, const char *findings,
                       const struct load *load)
{
    AUTO(freep) char *named = load_name_in_findings(findings, load);

    members_write(out, "validity", &validity_members, &(struct judged){level, named});
}

static void write_validity(struct json_writer *out, const struct member *row, const void *object)
{
    const struct run *run = object;

    (void)row;
    present_judgement(out, run->validity, run->findings, &run->load);
}

MEMBER_KNOWN(run_has_sweep, struct run, run, run->sweep.text[0] != '\0')

static const struct member place_rows[] = {
    {MEMBER_AS(struct run, "id", sweep.text), .reference = "RunId"},
    {MEMBER(struct run, cell), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct run, block), .range = MEMBER_NOT_NEGATIVE},
    {0},
};
static const struct members place_members = {
    .name = "SweepPlace", .rows = place_rows, .is_known = run_has_sweep};

static void write_cosine(struct json_writer *out, const struct member *row, const void *object)
{
    const struct certified *certified = &((const struct run *)object)->certified;
    double cosine = MEMBER_VALUE(double, row, object);
    bool is_whole = row->offset == offsetof(struct run, certified.whole);

    jsonw_number(out, row->name,
                 (is_whole ? certified->whole_known : certified->worst_known) ? cosine : NAN);
}

static void write_cost(struct json_writer *out, const struct member *row, const void *object)
{
    const struct run *run = object;

    if (run->price)
        present_run_cost(out, row->name, run);
    else
        present_run_cost_head(out, row->name, run);
}

MEMBER_FINDS(find_progress, struct run, run, run->state == RUN_RUNNING ? run->progress : NULL)

static const struct member where_rows[] = {
    {MEMBER_AS(struct run, "instance_type", instance), .nullable = true, .filled = true,
     .pattern = MEMBER_PRINTABLE, .schema = "{\"maxLength\": 63}",
     .meaning = "Instance type of the machine, where it is known."},
    {MEMBER_AS(struct run, "provider", where.provider), .nullable = true, .filled = true,
     .pattern = MEMBER_PRINTABLE,
     .meaning = "The provider of the machine, where known; likewise region and zone."},
    {MEMBER_AS(struct run, "region", where.region), .nullable = true, .filled = true,
     .pattern = MEMBER_PRINTABLE},
    {MEMBER_AS(struct run, "zone", where.zone), .nullable = true, .filled = true,
     .pattern = MEMBER_PRINTABLE},
    {MEMBER_AS(struct run, "vm", where.vm), .nullable = true, .pattern = "^[is][0-9a-f]{15}$",
     .meaning = "Which machine of its type: a letter (`i`: by the cloud's instance id, `s`: by "
                "the serial number of a disk) and fifteen digits of a hash. null identifies "
                "nothing: such runs never count as another machine."},
    {MEMBER(struct run, provenance), .words = provenance_names,
     .meaning = "Measured here, or imported."},
    {MEMBER(struct run, sender), .nullable = true, .pattern = "^[a-z0-9][a-z0-9._-]{0,62}$",
     .meaning = "Name of the token that first imported the run; null for a run measured here, or "
                "imported without a token of the sender's own."},
    {MEMBER(struct run, signed_by), .nullable = true, .pattern = "^[0-9a-f]{64}$",
     .meaning = "The public key (Ed25519) that signed the document of an imported run; null for "
                "one that came unsigned, and for a run measured here: an export signs it with "
                "the key of this database."},
    {MEMBER(struct run, machine), .nullable = true, .pattern = "^[0-9a-f]{16}$",
     .meaning = "Fingerprint of the machine that ran it; see /v1/machines."},
    {0},
};
static const struct members where_members = {.rows = where_rows};

static const struct member told_rows[] = {
    {MEMBER(struct run, software), .nullable = true, .filled = true, .pattern = MEMBER_PRINTABLE,
     .schema = "{\"maxLength\": 159}", .meaning = "The engine's own name and versions."},
    {MEMBER_JSON_AT(struct run, "engine_details", engine_details), .reference = "EngineDetails",
     .nullable = true,
     .meaning = "How the engine did the work, as far as it reported that: for a run that has "
                "ended, in the answer for one run."},
    {MEMBER_JSON_AT(struct run, "loaded", loaded), .members = &loaded_members, .nullable = true},
    {MEMBER(struct run, samples), .nullable = true, .range = MEMBER_POSITIVE,
     .schema = "{\"maximum\": " COUNT_MAX "}",
     .meaning = "Samples that the engine trained on, by its own count, warm-up included."},
    {MEMBER(struct run, peak_memory_bytes), .nullable = true, .range = MEMBER_POSITIVE,
     .schema = "{\"maximum\": " COUNT_MAX "}",
     .meaning = "Peak memory of the engine, by its own account."},
    {MEMBER_AS(struct run, "gradient_cosine", certified.whole), .nullable = true,
     .write = write_cosine, .schema = "{\"minimum\": -1.001, \"maximum\": 1.001}",
     .meaning = "Cosine between the gradients in this precision and in f32, where the engine "
                "compared them."},
    {MEMBER_AS(struct run, "worst_layer_cosine", certified.worst), .nullable = true,
     .write = write_cosine, .schema = "{\"minimum\": -1.001, \"maximum\": 1.001}",
     .meaning = "The same cosine for the worst layer."},
    {MEMBER_AS(struct run, "steps_stored", steps), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Steps that can be read, warm-up included; for a thinned run, the number before "
                "thinning."},
    {MEMBER_TIME_AT(struct run, "thinned_at", thinned_us), .nullable = true,
     .meaning = "When most steps were dropped (--keep-steps-days); the summary of all steps "
                "stays. null where all steps are there."},
    {0},
};
static const struct members told_members = {.rows = told_rows};

static const struct member end_rows[] = {
    {MEMBER(struct run, ended_by), .nullable = true, .words = pace_verdict_names + PACE_ALL_STEPS,
     .meaning = "Why the measurement ended: the number of steps, an interval as narrow as "
                "`target_percent`, `max_seconds` or `max_dollars`; `little_more` for a bench "
                "whose target was out of reach and whose remaining time would hardly have "
                "narrowed the interval."},
    {MEMBER(struct run, reason), .nullable = true, .filled = true,
     .meaning = "Why it failed, was interrupted or preempted, in one sentence."},
    {MEMBER(struct run, stderr_tail), .nullable = true, .filled = true,
     .meaning = "The end of the engine's standard error, at most 4 KiB."},
    {MEMBER_FOUND("progress", &progress_members, find_progress), .nullable = true,
     .meaning = "Only for a running run, in the answer for one run."},
    {0},
};
static const struct members end_members = {.rows = end_rows};

static const struct member run_rows[] = {
    {MEMBER_AS(struct run, "id", id.text), .reference = "RunId"},
    {MEMBER(struct run, state), .members = &run_state_members},
    {MEMBER_SPEC_AT(struct run, spec), .reference = "StoredSpec"},
    {MEMBER_ROWS(&where_members)},
    {MEMBER_TIME_AT(struct run, "created_at", created_us), .nullable = true,
     .meaning = "null where the document of an imported run does not have it; likewise "
                "`started_at` and `ended_by`."},
    {MEMBER_TIME_AT(struct run, "started_at", started_us), .nullable = true},
    {MEMBER_TIME_AT(struct run, "ended_at", ended_us), .nullable = true},
    {MEMBER_ROWS(&told_members)},
    {MEMBER_WRITTEN("summary", MEMBER_JSON, write_summary),
     .schema = "{\"oneOf\": [{\"$ref\": \"#/components/schemas/Summary\"}, {\"$ref\": "
               "\"#/components/schemas/SummaryHead\"}, {\"type\": \"null\"}]}",
     .meaning = "Only for finished runs; lists have only its head."},
    {TOKENS_PER_SECOND(write_run_tokens)},
    {MEMBER_WRITTEN("roofline", MEMBER_OBJECT, roofline_write), .members = &roofline_members,
     .nullable = true, .meaning = "Only for finished runs, in the answer for one run."},
    {MEMBER_WRITTEN("validity", MEMBER_OBJECT, write_validity), .members = &validity_members,
     .nullable = true},
    {MEMBER_OBJECT_AT(struct run, "void", voided), .members = &taken_back_members,
     .nullable = true, .meaning = "The void of the run: it is kept, but counts nowhere."},
    {MEMBER_WRITTEN("cost", MEMBER_JSON, write_cost),
     .schema = "{\"oneOf\": [{\"$ref\": \"#/components/schemas/RunCost\"}, {\"$ref\": "
               "\"#/components/schemas/RunCostHead\"}, {\"type\": \"null\"}]}",
     .meaning =
         "null before the run has ended, where the document of an imported run does not have it, "
         "and in a list where no price in dollars is known; lists have only its head."},
    {MEMBER_GROUP("sweep", &place_members), .nullable = true, .meaning = "Its place in a sweep."},
    {MEMBER_ROWS(&end_members)},
    {0},
};

/* Rules over several members. */
static const char rules[] =
    "{\"allOf\": ["
    "{\"if\": {\"properties\": {\"state\": {\"const\": \"queued\"}}}, \"then\": {\"properties\": "
    "{\"started_at\": {\"type\": \"null\"}, \"steps_stored\": {\"const\": 0}}}}, "
    "{\"if\": {\"properties\": {\"state\": {\"enum\": [\"queued\", \"running\"]}}}, \"then\": "
    "{\"properties\": {\"ended_at\": {\"type\": \"null\"}, \"ended_by\": {\"type\": \"null\"}, "
    "\"reason\": {\"type\": \"null\"}, \"stderr_tail\": {\"type\": \"null\"}}}, \"else\": "
    "{\"properties\": {\"ended_at\": {\"type\": \"string\"}}}}, "
    "{\"if\": {\"properties\": {\"state\": {\"enum\": [\"running\", \"finished\", \"failed\", "
    "\"interrupted\", \"preempted\"]}, \"provenance\": {\"const\": \"measured\"}}}, \"then\": "
    "{\"properties\": {\"started_at\": {\"type\": \"string\"}}}}, "
    "{\"if\": {\"properties\": {\"provenance\": {\"const\": \"measured\"}}}, \"then\": "
    "{\"properties\": {\"created_at\": {\"type\": \"string\"}}}, \"else\": {\"properties\": "
    "{\"state\": {\"const\": \"finished\"}, \"sweep\": {\"type\": \"null\"}}}}, "
    "{\"if\": {\"properties\": {\"state\": {\"const\": \"finished\"}, \"provenance\": "
    "{\"const\": \"measured\"}}}, \"then\": {\"properties\": {\"ended_by\": {\"type\": "
    "\"string\"}}}}, "
    "{\"if\": {\"properties\": {\"state\": {\"const\": \"finished\"}}}, \"then\": "
    "{\"properties\": {\"summary\": {\"type\": \"object\"}}}, \"else\": {\"properties\": "
    "{\"summary\": {\"type\": \"null\"}}}}, "
    "{\"if\": {\"properties\": {\"state\": {\"enum\": [\"failed\", \"interrupted\", "
    "\"preempted\"]}}}, \"then\": {\"properties\": {\"reason\": {\"type\": \"string\"}}}, "
    "\"else\": {\"properties\": {\"reason\": {\"type\": \"null\"}}}}, "
    "{\"if\": {\"properties\": {\"state\": {\"const\": \"running\"}}}, \"else\": "
    "{\"properties\": {\"progress\": {\"type\": \"null\"}}}}]}";
const struct members run_members = {.name = "Run", .rows = run_rows, .schema = rules};

MEMBER_LISTS(write_runs, struct run_page, it, it->list->runs, it->list->count)

static const struct member run_list_rows[] = {
    {MEMBER_LIST_OF("runs", &run_members), .write = write_runs, .most = RUN_LIST_MAX},
    {MEMBER_ROWS(&page_end_members)},
    {0},
};
const struct members run_list_members = {.name = "RunList", .rows = run_list_rows};

void run_page_end(const struct run_list *list, struct page *page)
{
    page->limit = (long long)list->count;
    page->count = page->limit + list->more;
    if (list->more)
        cursor_write(list->runs[list->count - 1].number, page->last);
}

static const struct member implementation_rows[] = {
    {MEMBER_JSON_AT(struct run, "implementations", implementations),
     .schema = "{\"type\": [\"object\", \"null\"], \"propertyNames\": {\"pattern\": \"^[ "
               "-~]{1,63}$\"}, \"additionalProperties\": {\"type\": \"object\", "
               "\"propertyNames\": {\"pattern\": \"^[ -~]{1,63}$\"}, \"additionalProperties\": "
               "{\"type\": \"string\", \"pattern\": \"^[ -~]{1,63}$\"}}}",
     .meaning = "By layer and by pass (`forward` and so on); null where the engine did not "
                "report it, or the run has not ended."},
    {0},
};
const struct members implementation_list_members = {.name = "ImplementationList",
                                                    .rows = implementation_rows};

static bool split_is_known(const void *object)
{
    return step_split_is_known(object);
}

static const struct member split_rows[] = {
    {MEMBER_SECONDS_AT(struct step_split, "input_seconds", input), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Waiting for, or making, the batch."},
    {MEMBER_SECONDS_AT(struct step_split, "forward_seconds", forward),
     .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_SECONDS_AT(struct step_split, "backward_seconds", backward),
     .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_SECONDS_AT(struct step_split, "update_seconds", update), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Update of the weights, but for those that learn during the backward pass."},
    {MEMBER_SECONDS_AT(struct step_split, "communication_seconds", communication),
     .range = MEMBER_NOT_NEGATIVE, .meaning = "Communication with other ranks."},
    {0},
};
static const struct members split_members = {.name = "Split",
                                             .meaning = "At most the step's seconds in sum.",
                                             .rows = split_rows,
                                             .is_known = split_is_known};

static const struct member step_rows[] = {
    {MEMBER(struct placed_step, index), .range = MEMBER_NOT_NEGATIVE, .meaning = "From 0."},
    {MEMBER_SECONDS_AT(struct placed_step, "seconds", step.nanoseconds), .range = MEMBER_POSITIVE,
     .meaning = "As the engine timed it."},
    {MEMBER_AS(struct placed_step, "loss", step.loss)},
    {MEMBER_AS(struct placed_step, "measured", is_measured), .meaning = "False in the warm-up."},
    {MEMBER_OBJECT_AT(struct placed_step, "split", step.split), .members = &split_members,
     .nullable = true, .meaning = "How the seconds were spent, where the engine reported it."},
    {0},
};
const struct members step_members = {.name = "Step", .rows = step_rows};

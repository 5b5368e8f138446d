/* Tested by tests/server/http/json/comparison/present_comparison_test.c. */
#include "server/http/json/comparison/present_row.h"
#include "server/http/json/present_rank.h"

#include "common/cleanup.h"
#include "server/http/json/comparison/present_comparison_job.h"
#include "server/http/json/comparison/present_comparison_price.h"
#include "server/http/json/present_capacity.h"
#include "server/http/json/present_senders.h"
#include "server/prices/price_json.h"

#include <math.h>

#define ROWS_NAMED 20 /* that a row cannot be told apart from; the rest is counted */

/* Who it is. */
static const struct member published_rows[] = {
    {MEMBER(struct published, source), .filled = true},
    {MEMBER(struct published, note), .nullable = true, .filled = true},
    {MEMBER(struct published, derived)},
    {MEMBER_TIME_AT(struct published, "measured_at", measured_us)},
    {0},
};
static const struct members published_members = {.name = "ComparisonPublished",
                                                 .rows = published_rows};

static void write_end_of_range(struct json_writer *out, const struct member *row,
                               const void *object)
{
    const struct range *range = object;

    jsonw_number(out, row->name, range->known ? MEMBER_VALUE(double, row, range) : NAN);
}

static const struct member range_rows[] = {
    {MEMBER(struct range, low), .nullable = true, .write = write_end_of_range},
    {MEMBER(struct range, high), .nullable = true, .write = write_end_of_range},
    {0},
};
static const struct members range_members = {.rows = range_rows};

static const struct member older_rows[] = {
    {MEMBER(struct older_version, version), .nullable = true, .filled = true},
    {MEMBER_AS(struct older_version, "samples_per_second", standing.value),
     .range = MEMBER_POSITIVE},
    {MEMBER_ROWS_AT(struct older_version, standing.interval, &range_members)},
    {MEMBER_AS(struct older_version, "level", standing.level), .words = standing_level_names + 1,
     .first = STANDING_POINT},
    {MEMBER_AS(struct older_version, "runs", standing.runs), .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct older_version, "vms", standing.vms), .range = MEMBER_POSITIVE},
    {MEMBER_TIME_AT(struct older_version, "measured_at", standing.newest_us)},
    {0},
};
static const struct members older_members = {.rows = older_rows};

MEMBER_LISTS(write_older, struct contender, contender, contender->older, contender->older_count)

MEMBER_LISTS(write_row_senders, struct contender, contender, contender->sources,
             contender->source_count)

/* An imported one has no run that was measured here. */
static const char *provenance_of(const struct contender *contender)
{
    const struct standing *standing = &contender->standing;

    if (contender->is_published)
        return "published";
    return standing->runs > 0 && standing->imported == standing->runs ? "imported" : "measured";
}

MEMBER_WRITES(write_provenance, text, struct contender, contender, provenance_of(contender))
MEMBER_FINDS(find_row_published, struct contender, contender,
             contender->is_published ? &contender->published : NULL)

static const char *const provenances[] = {"measured", "imported", "published", NULL};

static const struct member who_rows[] = {
    {MEMBER(struct contender, id), .pattern = ROW_ID_PATTERN},
    {MEMBER_AS(struct contender, "instance_type", instance), .nullable = true, .filled = true},
    {MEMBER(struct contender, provider), .nullable = true, .filled = true},
    {MEMBER(struct contender, stratum), .nullable = true, .filled = true, .on_request = true},
    {MEMBER_AS(struct contender, "cpu_model", newest.cpu_model), .nullable = true,
     .filled = true},
    {MEMBER(struct contender, engine), .filled = true},
    {MEMBER_JSON_AT(struct contender, "configuration", configuration),
     .schema = "{\"type\": \"object\"}"},
    {MEMBER_AS(struct contender, "isa", newest.isa), .nullable = true, .filled = true,
     .on_request = true},
    {MEMBER_AS(struct contender, "software", newest.software), .nullable = true, .filled = true,
     .on_request = true},
    {MEMBER(struct contender, version), .nullable = true, .filled = true,
     .meaning =
         "The program, library and kind of plan that trained the runs of this row. Runs of other "
         "versions are not part of it."},
    {MEMBER_LIST_OF("other_versions", &older_members), .write = write_older, .most = 8,
     .on_request = true,
     .meaning =
         "Results of the same configuration with other versions, the newest version first."},
    {MEMBER_WRITTEN("provenance", MEMBER_TEXT, write_provenance), .words = provenances},
    {MEMBER_LIST_OF("senders", &sender_members), .write = write_row_senders, .most = 202},
    {MEMBER_FOUND("published", &published_members, find_row_published), .nullable = true},
    {0},
};
static const struct members who_members = {.rows = who_rows};

/* Its rank. */

static size_t tied_with(const struct comparison_row *row)
{
    return row->rank.high - row->rank.low;
}

static void write_tied(struct json_writer *out, const struct member *row, const void *object)
{
    const struct comparison_view *view = object;
    const struct ranking *ranking = view->ranking;
    size_t at = (size_t)(view->row - ranking->rows), tied = tied_with(view->row), named = 0;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < ranking->ranked && named < tied && named < ROWS_NAMED; i++) {
        if (i == at || rank_verdict(&ranking->intervals, at, i) != COMPARE_TIED)
            continue;
        jsonw_text(out, NULL, ranking->rows[i].contender->id);
        named++;
    }
    jsonw_close(out, ']');
}

MEMBER_WRITES(write_tied_count, integer, struct comparison_view, view,
              (long long)tied_with(view->row))
MEMBER_FINDS(find_tied, struct comparison_view, view, view->row->rank.low > 0 ? view : NULL)

static const struct member tied_rows[] = {
    {MEMBER_WRITTEN("rows", MEMBER_LIST, write_tied), .most = ROWS_NAMED,
     .schema = "{\"type\": \"string\", \"pattern\": \"" ROW_ID_PATTERN "\"}"},
    {MEMBER_WRITTEN("count", MEMBER_INTEGER, write_tied_count), .range = MEMBER_NOT_NEGATIVE},
    {0},
};
static const struct members tied_members = {.rows = tied_rows};

static const struct member ranked_rows[] = {
    {MEMBER_OBJECT_AT(struct comparison_row, "rank", rank), .members = &rank_interval_members,
     .nullable = true,
     .meaning = "With 95 % the true ranks of all rows together lie between low and high."},
    {MEMBER_AS(struct comparison_row, "may_be_best", rank.may_be_best),
     .meaning = "No other row is surely better: with 95 % the best row is one of these."},
    {0},
};
static const struct members ranked_members = {.rows = ranked_rows};

/* Its speed. */

/* The scope of the number, in words. */
static const char *row_caveat(const struct contender *contender)
{
    if (contender->is_published)
        return "published by others, no interval";
    switch (contender->standing.level) {
    case STANDING_VMS:
        return "over machines of the type";
    case STANDING_NONE:
        return "no valid run";
    default:
        return contender->standing.vms == 2 ? "two VMs: not generalisable"
                                            : "one VM: not generalisable";
    }
}

static void write_spread(struct json_writer *out, const struct member *row, const void *object)
{
    double spread = MEMBER_VALUE(double, row, object);

    jsonw_number(out, row->name, spread > 0 ? spread * 100 : NAN);
}

MEMBER_WRITES(write_generalisable, bool, struct contender, contender,
              contender->standing.level == STANDING_VMS)
MEMBER_WRITES(write_caveat, text, struct contender, contender, row_caveat(contender))
MEMBER_FINDS(find_row_contender, struct comparison_row, it, it->contender)

#define STANDING(called, member) MEMBER_AS(struct contender, called, standing.member)
static const struct member standing_rows[] = {
    {STANDING("level", level), .words = standing_level_names + 1, .first = STANDING_POINT,
     .meaning = "What the interval covers: the steps of one or two runs, runs on one or two "
                "machines, or machines of the type."},
    {STANDING("spread_percent", spread), .nullable = true, .write = write_spread},
    {STANDING("run_spread_percent", run_spread), .nullable = true, .write = write_spread,
     .meaning =
         "About how far runs of one machine lie from each other (standard deviation): what "
         "is usual, replaced by the runs of the row as there are more."},
    {STANDING("machine_spread_percent", machine_spread), .nullable = true, .write = write_spread,
     .meaning = "The same for machines of the type; null if only one was seen."},
    {STANDING("runs", runs), .range = MEMBER_NOT_NEGATIVE},
    {STANDING("vms", vms), .range = MEMBER_NOT_NEGATIVE},
    {STANDING("imported", imported), .range = MEMBER_NOT_NEGATIVE},
    {STANDING("warned", warned), .range = MEMBER_NOT_NEGATIVE},
    {STANDING("too_short", too_short), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Valid runs without an interval, left out in favour of runs that have one."},
    {MEMBER_WRITTEN("generalisable", MEMBER_BOOL, write_generalisable)},
    {MEMBER_WRITTEN("words", MEMBER_TEXT, write_caveat), .filled = true},
    {0},
};
static const struct members standing_members = {.rows = standing_rows};

static const struct member throughput_rows[] = {
    {MEMBER_AS(struct comparison_row, "value", speed.value), .range = MEMBER_POSITIVE},
    {MEMBER_ROWS_AT(struct comparison_row, speed, &amount_ends_members)},
    {MEMBER_ROWS(&standing_members), .find = find_row_contender},
    {0},
};
const struct members throughput_members = {.name = "ComparisonThroughput",
                                           .rows = throughput_rows};

const void *comparison_find_throughput(const void *object)
{
    const struct comparison_row *row = object;

    return row->contender->standing.level == STANDING_NONE ? NULL : row;
}

/* False if the workload does not train on text, or the row has no speed in samples. */
static bool tokens_per_second(const struct comparison_question *question,
                              const struct comparison_row *row, struct amount *ret_speed)
{
    const double tokens = (double)run_spec_tokens(question->workload);
    const struct contender *contender = row->contender;

    if (contender->standing.level == STANDING_NONE || !(tokens > 0) ||
        (contender->is_published && strcmp(contender->published.unit, "sample") != 0))
        return false;
    *ret_speed = row->speed;
    ret_speed->value *= tokens;
    ret_speed->low *= tokens;
    ret_speed->high *= tokens;
    return true;
}

static void write_tokens(struct json_writer *out, const struct member *row, const void *object)
{
    const struct comparison_view *view = object;
    struct amount speed;

    members_write(out, row->name, row->members,
                  tokens_per_second(view->question, view->row, &speed) ? &speed : NULL);
}

static const struct member speed_rows[] = {
    {MEMBER(struct comparison_row, why_no_rank), .nullable = true, .filled = true},
    {MEMBER_FOUND("throughput", &throughput_members, comparison_find_throughput),
     .nullable = true},
    {0},
};
static const struct members speed_members = {.rows = speed_rows};

/* Its newest run, and what it costs. */

MEMBER_FINDS(find_contender_of_view, struct comparison_view, view, view->row->contender)
MEMBER_FINDS(find_job_row, struct comparison_view, view, view->row)
MEMBER_FINDS(find_capacity, struct comparison_row, it, it->capacity)
MEMBER_WRITES(write_stale, text, struct comparison_row, it, it->is_stale ? it->why_stale : NULL)

static const struct member newest_rows[] = {
    {STANDING("invalid_runs", invalid), .range = MEMBER_NOT_NEGATIVE, .on_request = true},
    {MEMBER_TIME_AT(struct contender, "measured_at", standing.newest_us), .nullable = true},
    {MEMBER_AS(struct contender, "newest_run", newest.run), .nullable = true, .filled = true},
    {0},
};
static const struct members newest_members = {.rows = newest_rows};

static const struct member money_rows[] = {
    {MEMBER_WRITTEN("stale", MEMBER_TEXT, write_stale), .nullable = true, .filled = true},
    {MEMBER_ROWS_AT(struct comparison_row, price, &row_price_members)},
    {MEMBER_ROWS(&row_offer_members), .find = comparison_find_offer},
    {MEMBER_FOUND("capacity", &row_capacity_members, find_capacity), .nullable = true,
     .on_request = true,
     .meaning =
         "Events of spot machines of this type in the last thirty days (of `price_at`), in "
         "`zone` where one is asked for; null: none was reported. They change no rank."},
    {MEMBER_ROWS(&row_cost_members)},
    {0},
};
static const struct members money_members = {.rows = money_rows};

static const struct member row_job_rows[] = {
    {MEMBER_FOUND("job", &comparison_job_members, comparison_find_job), .nullable = true},
    {MEMBER_AS(struct comparison_row, "pareto", is_on_front),
     .meaning = "No other row of its provenance (measured, published) is better in both hours "
                "and dollars."},
    {0},
};
static const struct members job_members = {.rows = row_job_rows};

static const struct member end_rows[] = {
    {MEMBER(struct comparison_row, utility), .nullable = true},
    {MEMBER_FOUND("utilisation", &comparison_peak_members, comparison_find_peak),
     .nullable = true, .on_request = true},
    {0},
};
static const struct members end_members = {.rows = end_rows};

static const struct member row_rows[] = {
    {MEMBER_ROWS(&who_members), .find = find_contender_of_view},
    {MEMBER_ROWS(&ranked_members), .find = find_job_row},
    {MEMBER_FOUND("cannot_be_told_apart_from", &tied_members, find_tied), .nullable = true,
     .meaning = "The other ranked rows that are neither surely better nor surely worse; ids of "
                "the first 20."},
    {MEMBER_ROWS(&speed_members), .find = find_job_row},
    {TOKENS_PER_SECOND(write_tokens)},
    {MEMBER_ROWS(&newest_members), .find = find_contender_of_view},
    {MEMBER_ROWS(&money_members), .find = find_job_row},
    {MEMBER_ROWS(&row_sides_members)},
    {MEMBER_ROWS(&job_members), .find = find_job_row},
    {MEMBER_FOUND("to_reference", &to_reference_members, comparison_find_reference),
     .nullable = true},
    {MEMBER_ROWS(&end_members), .find = find_job_row},
    {0},
};
const struct members comparison_row_members = {
    .name = "ComparisonRow",
    .meaning = "A row; it has the members that `fields` asks for.",
    .rows = row_rows,
    .schema = "{\"required\": [\"id\"]}"};

#include "server/http/json/comparison/present_comparison.h"

#include "common/cleanup.h"
#include "server/http/json/comparison/present_comparison_job.h"
#include "server/http/json/comparison/present_comparison_price.h"
#include "server/http/json/page.h"

#include <math.h>
#include <stdio.h>

MEMBER_FINDS(find_question, struct comparison_view, view, view->question)
MEMBER_FINDS(find_ranking, struct comparison_view, view, view->ranking)

static void write_labels(struct json_writer *out, const struct member *row, const void *object)
{
    const struct comparison_question *question = object;

    jsonw_open(out, row->name, '[');
    for (int i = 0; i < question->label_count; i++) {
        char text[LABEL_KEY_MAX + LABEL_VALUE_MAX + 2];

        snprintf(text, sizeof text, "%s=%s", question->labels[i].key, question->labels[i].value);
        jsonw_text(out, NULL, text);
    }
    jsonw_close(out, ']');
}

static void write_kinds(struct json_writer *out, const struct member *row, const void *object)
{
    const struct comparison_question *question = object;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < question->kind_count; i++)
        jsonw_text(out, NULL, row->words[question->kinds[i]]);
    jsonw_close(out, ']');
}

static void write_regions(struct json_writer *out, const struct member *row, const void *object)
{
    const struct comparison_question *question = object;

    jsonw_open(out, row->name, '[');
    for (const char *const *region = question->where.regions; *region; region++)
        jsonw_text(out, NULL, *region);
    jsonw_close(out, ']');
}

MEMBER_WRITES(write_newest_runs, number, struct ranking, ranking,
              ranking->subset_cut ? STANDING_SUBSET_RUNS_MAX : NAN)
MEMBER_WRITES(write_price_at, time, struct comparison_question, question,
              question->where.is_now ? 0 : question->where.at_us)

static const struct member subject_rows[] = {
    {MEMBER(struct comparison_question, workload), .filled = true},
    {MEMBER(struct comparison_question, configuration), .filled = true},
    {MEMBER_WRITTEN("labels", MEMBER_LIST, write_labels), .most = RUN_FILTER_LABELS,
     .schema = "{\"type\": \"string\", \"minLength\": 2}"},
    {MEMBER(struct comparison_question, sender), .nullable = true, .filled = true},
    {0},
};
static const struct members subject_members = {.rows = subject_rows};

static const struct member subset_rows[] = {
    {MEMBER_WRITTEN("newest_runs", MEMBER_INTEGER, write_newest_runs), .nullable = true,
     .range = MEMBER_POSITIVE,
     .meaning = "Only the newest so many runs with these labels, or of this sender, were looked "
                "at; null: all were."},
    {0},
};
static const struct members subset_members = {.rows = subset_rows};

static const struct member wish_rows[] = {
    {MEMBER_WRITTEN("price", MEMBER_LIST, write_kinds), .words = price_choice_names},
    {MEMBER_WRITTEN("regions", MEMBER_LIST, write_regions),
     .schema = "{\"type\": \"string\", \"minLength\": 1}"},
    {MEMBER_AS(struct comparison_question, "priced_where_measured", where.at_home),
     .meaning = "No region was asked for: each row is priced in the region of its newest run, "
                "and types without one in the first of the regions that has a price."},
    {MEMBER_AS(struct comparison_question, "zone", where.zone), .nullable = true, .filled = true},
    {MEMBER_WRITTEN("price_at", MEMBER_TIME, write_price_at), .nullable = true},
    {MEMBER_TIME_AT(struct comparison_question, "deadline", deadline_us), .nullable = true},
    {MEMBER(struct comparison_question, deadline_h), .nullable = true, .range = MEMBER_POSITIVE,
     .meaning = "Hours from now to the deadline, where one was asked for."},
    {MEMBER_AS(struct comparison_question, "sort", order), .words = order_names},
    {MEMBER_AS(struct comparison_question, "utility", utility_text), .nullable = true,
     .filled = true},
    {MEMBER(struct comparison_question, reference), .nullable = true, .filled = true},
    {MEMBER(struct comparison_question, margin_percent)},
    {MEMBER_AS(struct comparison_question, "assumed_vm_spread_percent", vm_spread_percent)},
    {0},
};
static const struct members wish_members = {.rows = wish_rows};

static const struct member question_rows[] = {
    {MEMBER_ROWS(&subject_members), .find = find_question},
    {MEMBER_ROWS(&subset_members), .find = find_ranking},
    {MEMBER_ROWS(&wish_members), .find = find_question},
    {0},
};
static const struct members question_members = {.name = "ComparisonQuestion",
                                                .meaning =
                                                    "The request, with its defaults filled in.",
                                                .rows = question_rows};

/* The row of the decision; an unnamed one if there is none. */
static const void *find_answer(const void *object)
{
    static const struct contender none;
    const struct ranking *ranking = object;

    return ranking->answer ? ranking->answer->contender : &none;
}

MEMBER_FINDS(find_nearest, struct ranking, ranking, ranking->nearest)
MEMBER_FINDS(find_published, struct ranking, ranking, ranking->published)
MEMBER_FINDS(find_contender, struct comparison_row, it, it->contender)
MEMBER_WRITES(write_probability, number, struct comparison_row, it,
              it->job.has_forecast ? it->job.probability : NAN)

static const struct member name_rows[] = {
    {MEMBER_AS(struct contender, "row", id), .filled = true},
    {MEMBER_AS(struct contender, "instance_type", instance), .nullable = true, .filled = true},
    {0},
};
static const struct members name_members = {.rows = name_rows};

static const struct member named_rows[] = {
    {MEMBER_ROWS(&name_members), .find = find_contender},
    {MEMBER_AS(struct comparison_row, "hours", job.hours), .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct comparison_row, "total_dollars", job.total_dollars),
     .range = MEMBER_NOT_NEGATIVE, .write = comparison_write_exact},
    {MEMBER_WRITTEN("probability", MEMBER_NUMBER, write_probability), .nullable = true,
     .range = MEMBER_SHARE},
    {0},
};
static const struct members named_members = {
    .name = "ComparisonNamed",
    .meaning = "A row that a decision names without choosing it.",
    .rows = named_rows};

static const struct member answer_rows[] = {
    {MEMBER_AS(struct contender, "row", id), .nullable = true, .filled = true},
    {MEMBER_AS(struct contender, "instance_type", instance), .nullable = true, .filled = true},
    {0},
};
static const struct members answer_members = {.rows = answer_rows};

static const struct member decision_rows[] = {
    {MEMBER_ROWS(&answer_members), .find = find_answer},
    {MEMBER_FOUND("nearest", &named_members, find_nearest), .nullable = true,
     .meaning = "If no row does: the one with the highest probability."},
    {MEMBER_FOUND("published", &named_members, find_published), .nullable = true,
     .meaning = "The best published figure that meets the question. It was not measured here, "
                "so it has no probability and is never the decision's row."},
    {MEMBER_AS(struct ranking, "words", decision), .filled = true},
    {0},
};
static const struct members decision_members = {
    .name = "ComparisonDecision",
    .meaning = "The cheapest row that meets the deadline, or the fastest within the budget, with "
               "a probability of at least 0.95; row is null where none does.",
    .rows = decision_rows};

/* The number of rows on the requested page. */
static size_t shown_in(const struct comparison_view *view)
{
    size_t first = (size_t)view->question->offset, limit = (size_t)view->question->limit;
    size_t rest = first < view->ranking->count ? view->ranking->count - first : 0;

    return rest < limit ? rest : limit;
}

static void write_rows(struct json_writer *out, const struct member *row, const void *object)
{
    struct comparison_view view = *(const struct comparison_view *)object;
    size_t first = (size_t)view.question->offset, count = shown_in(&view);

    jsonw_open(out, row->name, '[');
    out->only = view.fields;
    out->only_depth = out->depth + 1;
    for (size_t i = 0; i < count; i++) {
        view.row = &view.ranking->rows[first + i];
        members_write(out, NULL, row->members, &view);
    }
    out->only = NULL;
    jsonw_close(out, ']');
}

MEMBER_WRITES(write_by_filters, integer, struct comparison_view, view,
              (long long)view->ranking->filtered)
MEMBER_WRITES(write_by_page, integer, struct comparison_view, view,
              (long long)(view->ranking->count - shown_in(view)))

static const struct member hidden_rows[] = {
    {MEMBER_WRITTEN("by_filters", MEMBER_INTEGER, write_by_filters),
     .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_WRITTEN("by_page", MEMBER_INTEGER, write_by_page), .range = MEMBER_NOT_NEGATIVE},
    {0},
};
static const struct members hidden_members = {.rows = hidden_rows};

static const char *why_unmeasured(const struct comparison_question *question)
{
    return question->label_count > 0 ? "no measurement of this workload with these labels"
           : question->sender        ? "no measurement of this workload by this sender"
                                     : "no measurement of this workload";
}

static void write_instances(struct json_writer *out, const struct member *row, const void *object)
{
    const struct comparison_view *view = object;
    size_t count = view->ranking->unmeasured_count, limit = (size_t)view->question->limit;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < count && i < limit; i++)
        members_write(out, NULL, row->members, view->ranking->unmeasured[i]);
    jsonw_close(out, ']');
}

MEMBER_WRITES(write_unmeasured_count, integer, struct comparison_view, view,
              (long long)view->ranking->unmeasured_count)
MEMBER_WRITES(write_reason, text, struct comparison_view, view, why_unmeasured(view->question))

static const struct member instance_rows[] = {
    {MEMBER_AS(struct offer, "instance_type", instance), .nullable = true, .filled = true},
    {MEMBER(struct offer, provider), .nullable = true, .filled = true},
    {MEMBER_ROWS(&row_offer_members)},
    {0},
};
static const struct members instance_members = {.rows = instance_rows};

static const struct member unmeasured_rows[] = {
    {MEMBER_WRITTEN("count", MEMBER_INTEGER, write_unmeasured_count),
     .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_WRITTEN("reason", MEMBER_TEXT, write_reason), .filled = true},
    {MEMBER_LIST_OF("instances", &instance_members), .write = write_instances},
    {0},
};
static const struct members unmeasured_members = {.rows = unmeasured_rows};

MEMBER_LISTS(write_unmatched, struct ranking, ranking, ranking->unmatched,
             ranking->unmatched_count)

MEMBER_FINDS(find_decision, struct ranking, ranking, ranking->decision[0] ? ranking : NULL)

static const struct member found_rows[] = {
    {MEMBER_LIST_OF("unmatched", &unmatched_members), .write = write_unmatched,
     .most = UNMATCHED_MAX,
     .meaning = "Parameters of the question that match no run, and where they may name a type, "
                "no price."},
    {MEMBER_FOUND("decision", &decision_members, find_decision), .nullable = true},
    {0},
};
static const struct members found_members = {.rows = found_rows};

static const struct member comparison_ranked_rows[] = {
    {MEMBER(struct ranking, ranked), .range = MEMBER_NOT_NEGATIVE},
    {0},
};
static const struct members comparison_ranked_members = {.rows = comparison_ranked_rows};

static const struct member comparison_rows_of_json[] = {
    {MEMBER_GROUP("question", &question_members)},
    {MEMBER_ROWS(&found_members), .find = find_ranking},
    {MEMBER_LIST_OF("rows", &comparison_row_members), .write = write_rows},
    {MEMBER_GROUP("hidden", &hidden_members)},
    {MEMBER_ROWS(&comparison_ranked_members), .find = find_ranking},
    {MEMBER_GROUP("unmeasured", &unmeasured_members)},
    {.name = "words",
     .type = MEMBER_TEXT,
     .filled = true,
     .always =
         "throughput of training, not convergence; ranks hold for this workload alone; with "
         "95 % the ranks of all rows lie between their lows and highs; the verdict against "
         "the reference is about that pair alone"},
    {0},
};
const struct members comparison_members = {.name = "Comparison", .rows = comparison_rows_of_json};

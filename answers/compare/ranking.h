/* A comparison as data: rows with price, job and rank, and their inputs. Rows point into the
 * standings and offers of the parts. */
#pragma once

#include "answers/compare/homes.h"
#include "answers/compare/question.h"
#include "answers/compare/spot_history.h"
#include "answers/compare/unmatched.h"
#include "db/capacity/capacity.h"
#include "db/prices/discounts.h"
#include "db/standings/standing_subset.h"
#include "engine/machine/peak_flops.h"
#include "engine/stats/compare.h"
#include "engine/stats/job_forecast.h"
#include "engine/stats/rank_interval.h"
#include "pricing/billing.h"
#include "pricing/cost.h"

#include <string.h>

#define WHY_NO_PRICE_SIZE 320
#define DECISION_SURE 0.95 /* a row meets the question from this probability on */

/* The price of an hour in a row, and its derivation. */
struct row_price {
    bool known;
    /* Set if known. For the feeds "run" (paid by the newest run) and "question" (given in the
     * question) only the feed's name is set. */
    const struct price_at *at;
    enum freshness freshness;
    enum price_choice choice; /* its kind, among those asked for */
    const char *kind;         /* "on_demand", "spot", "typed", "own" */
    double list;              /* dollars an hour before any discount */
    double factor;            /* 1: none */
    const char *factor_note;  /* its source, or NULL */
    struct amount dollars;    /* an hour; with an interval where spot moves */
    char why_not[WHY_NO_PRICE_SIZE];
};

/* The question's job on this machine. */
struct row_job {
    double samples, hours;                          /* hours include time lost to interruptions */
    double charged_hours;                           /* after boot, minimum and unit */
    double dollars, waiting_dollars, total_dollars; /* NaN without a price */
    double dollars_low,
        dollars_high;                /* from the intervals of speed and price; NaN: no interval */
    const struct billing_rule *rule; /* NULL: none is known, or no job was named */
    double interruption_share;       /* a month; NaN: not spot, or not known */
    struct checkpointing checkpointing;
    bool has_forecast;            /* a deadline or a budget was given */
    double probability;           /* of meeting all that is given */
    double hours_low, hours_high; /* nine in ten are between */
    /* Sample size of the forecast: machines of the type, and their processor models. 0 if the job
     * would run on the measured machine itself, which is not rented. */
    long long machines, models;
    long long instances; /* needed for the deadline with ideal scaling; 0: not asked, or absurd */
};

struct comparison_row {
    const struct contender *contender;
    const struct offer *offer; /* NULL: no feed knows the type */
    const char *home;          /* the region where it is priced; NULL: the question's */
    const struct capacity_count *capacity; /* of spot machines of the type; NULL: no event */
    struct row_price price;
    struct amount speed;   /* as measured */
    struct amount between; /* the same, with the spread between machines of a type */
    bool has_cost;
    struct cost cost; /* of `speed` */
    enum cost_part dominates;
    struct row_job job;
    bool has_peak;
    struct peak_flops peak;
    double score, score_low, score_high; /* what rows are ordered by: more is better; NaN none */
    struct rank_interval rank;           /* low 0: not ranked, and why_no_rank says why */
    char why_no_rank[WHY_NO_PRICE_SIZE];
    bool is_on_front, is_stale;
    char why_stale[RUN_VERSION_SIZE + 48];
    struct ratio ratio, speed_ratio; /* to the reference; value NaN without one */
    bool mixed_kinds;
    double break_even_speed, break_even_price; /* NaN */
    double utility;                            /* NaN */
};

/* A row recomputed with one price kind, as if only that kind were asked for. */
struct row_side {
    struct row_price price;
    bool has_cost;
    struct cost cost;
    enum cost_part dominates;
    bool of_jobs;                /* row_is_of_jobs() */
    struct row_job job;          /* without a forecast */
    struct spot_history history; /* of a spot price */
};
#define ROW_SIDES 2 /* CHOOSE_ON_DEMAND and CHOOSE_SPOT */

/* A figure that gives only the time of a whole job, and so no cost of a million samples. */
static inline bool row_is_of_jobs(const struct comparison_row *row)
{
    return row->contender->is_published && strcmp(row->contender->published.unit, "job") == 0;
}

struct ranking {
    struct comparison_row *rows; /* owned: in order, the ranked first */
    size_t count, ranked;
    struct row_side *sides; /* owned: of the rows that are shown; see comparison_side() */
    size_t sides_first;     /* the first row that is shown */
    struct rank_intervals
        intervals;           /* owned: of the ranked rows; rank_verdict() knows each pair */
    size_t filtered;         /* contenders that the filters, or "best", left out */
    size_t unmeasured_count; /* types with a price and without a measurement */
    const struct offer **unmeasured;                 /* owned */
    const struct comparison_row *reference, *answer; /* NULL */
    const struct comparison_row *nearest;      /* the most probable row if there is no answer */
    const struct comparison_row *published;    /* meets the question, by a published figure */
    char decision[800];                        /* in words; "" where nothing was asked */
    struct unmatched unmatched[UNMATCHED_MAX]; /* parameters that match nothing */
    size_t unmatched_count;
    bool subset_cut; /* as in struct comparison_parts */
};

struct comparison_parts {
    const struct comparison_question *question;
    const struct standings *standings;
    const struct offers *offers;
    const struct homes *homes; /* NULL: all rows are priced in the question's regions */
    const struct discount_list *discounts;
    const struct capacity_counts *capacity; /* NULL: not shown */
    /* Labels and sender of the question that no run has. The standings hold only runs that match
     * all of them. */
    struct unmatched unmatched_subset[RUN_FILTER_LABELS + 1];
    size_t unmatched_subset_count;
    bool subset_cut; /* not all of these runs were read */
};

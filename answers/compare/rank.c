#include "answers/compare/rank.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "pricing/interruption.h"

#include <assert.h>
#include <math.h>

/* A row's interruption rate: 0 if it is not spot; NaN if no source gives one. */
static double interruptions_of(const struct comparison_row *row)
{
    if (!isnan(row->job.interruption_share))
        return row->job.interruption_share;
    return row->price.known && strcmp(row->price.kind, "spot") != 0 ? 0 : NAN;
}

/* Inputs of a utility at one speed and price of a row, in the order of utility_fields. The number
 * of runs behind a published figure is unknown. */
static double utility_at(const struct comparison_question *question,
                         const struct comparison_row *row, double speed, double price)
{
    const struct standing *standing = &row->contender->standing;
    bool is_counted = !row->contender->is_published;
    double slower = row->speed.value / speed; /* hours and dollars grow as speed falls */
    double costlier = price / row->price.dollars.value;
    double dollars = row->job.dollars * slower * costlier;
    double age_days = (double)(question->where.at_us - standing->newest_us) / US_PER_DAY;
    const double values[] = {speed * 3600 / price,
                             speed,
                             price,
                             row->job.hours * slower,
                             dollars,
                             dollars + row->job.waiting_dollars * slower,
                             is_counted ? (double)standing->vms : NAN,
                             is_counted ? (double)standing->runs : NAN,
                             age_days,
                             interruptions_of(row)};

    return utility_value(&question->utility, values);
}

static double score_at(const struct comparison_question *question,
                       const struct comparison_row *row, double speed, double price)
{
    double faster = speed / row->speed.value, costlier = price / row->price.dollars.value;

    switch (question->order) {
    case ORDER_THROUGHPUT:
        return speed;
    case ORDER_TOTAL_DOLLARS:
        return faster / (row->job.dollars * costlier + row->job.waiting_dollars);
    case ORDER_UTILITY:
        return utility_at(question, row, speed, price);
    default:
        return speed * 3600 / price;
    }
}

/* Combines two independent effects on a score: adds the squares of their logarithms, or, if
 * scores may be below 0, of their distances. */
static double rank_score_together(double score, double by_speed, double by_price)
{
    double sign = by_speed + by_price < 2 * score ? -1 : 1;

    if (score > 0 && by_speed > 0 && by_price > 0)
        return score * exp(sign * hypot(log(by_speed / score), log(by_price / score)));
    return score + sign * hypot(by_speed - score, by_price - score);
}

static void spread_score(const struct comparison_question *question, struct comparison_row *row)
{
    const struct amount *price = &row->price.dollars;
    bool moves = price->has_interval && question->order != ORDER_THROUGHPUT;
    double expensive = moves ? price->high : price->value,
           cheap = moves ? price->low : price->value;
    double ends[] = {score_at(question, row, row->between.low, price->value),
                     score_at(question, row, row->between.high, price->value),
                     score_at(question, row, row->speed.value, expensive),
                     score_at(question, row, row->speed.value, cheap)};

    for (size_t i = 0; i < COUNT(ends); i++)
        if (isnan(ends[i])) /* without it the interval would be too narrow */
            return;
    row->score_low = rank_score_together(row->score, fmin(row->score, fmin(ends[0], ends[1])),
                                         fmin(row->score, fmin(ends[2], ends[3])));
    row->score_high = rank_score_together(row->score, fmax(row->score, fmax(ends[0], ends[1])),
                                          fmax(row->score, fmax(ends[2], ends[3])));
}

static void rank_score(const struct comparison_question *question, struct comparison_row *row)
{
    double price = row->price.known ? row->price.dollars.value : NAN;

    if (question->has_utility)
        row->utility = utility_at(question, row, row->speed.value, price);
    row->score = score_at(question, row, row->speed.value, price);
    row->score_low = row->score_high = NAN;
    if (!row->between.has_interval || isnan(row->score))
        return;
    spread_score(question, row);
    /* A score that does not depend on the speed differs in its last digit at most. */
    if (row->score_low > row->score)
        row->score_low = row->score;
    if (row->score_high < row->score)
        row->score_high = row->score;
    assert(!(row->score_low > row->score_high));
}

static bool may_be_ranked(const struct comparison_question *question, struct comparison_row *row)
{
    const struct contender *contender = row->contender;
    const char *why = NULL;

    if (contender->standing.level == STANDING_NONE)
        snprintf(row->why_no_rank, sizeof row->why_no_rank,
                 "no valid run: %lld were invalid or never judged", contender->standing.invalid);
    else if (contender->is_published)
        why = row_is_of_jobs(row) ? "published, no interval, of a whole job"
                                  : "published, no interval";
    else if (!row->speed.has_interval)
        why = "no interval: too few steps, or steps that differ too much";
    else if (!row->price.known && question->order != ORDER_THROUGHPUT)
        why = row->price.why_not;
    else if (isnan(row->score))
        why = "the utility is no number here";
    else if (isnan(row->score_low))
        why = "the utility is no number all over the interval";
    if (why)
        snprintf(row->why_no_rank, sizeof row->why_no_rank, "%s", why);
    return !row->why_no_rank[0];
}

/* Ranked rows first, each group by score; rows without a score last. */
static int by_score(const void *left, const void *right)
{
    const struct comparison_row *l = left, *r = right;
    bool l_ranked = !l->why_no_rank[0], r_ranked = !r->why_no_rank[0];

    if (l_ranked != r_ranked)
        return r_ranked - l_ranked;
    if (isnan(l->score) || isnan(r->score)) {
        if (isnan(l->score) != isnan(r->score))
            return isnan(l->score) ? 1 : -1;
    } else if (l->score < r->score || l->score > r->score) {
        return l->score < r->score ? 1 : -1;
    }
    return strcmp(l->contender->id, r->contender->id);
}

/* The elasticity of a score: 1 for samples per dollar by speed. */
static double rank_slope(double low, double high, double score_low, double score_high)
{
    return high > low ? fabs(score_high - score_low) / (log(high) - log(low)) : 0;
}

/* The score used by the statistics: its logarithm, or the score itself if any score is 0 or below
 * (a utility may be). All rows of a type share one price. */
static struct rank_row rank_row_of(const struct comparison_parts *parts,
                                   const struct comparison_row *row, bool by_logarithm)
{
    const struct comparison_question *question = parts->question;
    const struct amount *speed = &row->between, *price = &row->price.dollars;
    const struct rank_row measured =
        standing_rank_row(&row->contender->standing, question->vm_spread_percent / 100);
    struct rank_row rank_row = {.estimate = by_logarithm ? log(row->score) : row->score,
                                .degrees = measured.degrees};
    double at_low = score_at(question, row, speed->low, price->value), error;
    double at_high = score_at(question, row, speed->high, price->value);

    if (by_logarithm) {
        at_low = log(at_low);
        at_high = log(at_high);
    }
    error = measured.error * rank_slope(speed->low, speed->high, at_low, at_high);
    if (price->has_interval && question->order != ORDER_THROUGHPUT) {
        at_low = score_at(question, row, speed->value, price->high);
        at_high = score_at(question, row, speed->value, price->low);
        if (by_logarithm) {
            at_low = log(at_low);
            at_high = log(at_high);
        }
        assert(row->offer); /* no other price moves */
        rank_row.shares = (size_t)(row->offer - parts->offers->list) + 1;
        rank_row.shared_error = fabs(at_high - at_low) / (2 * Z_95);
    }
    rank_row.error = hypot(error, rank_row.shared_error);
    return rank_row;
}

void comparison_rank(const struct comparison_parts *parts, struct ranking *ranking)
{
    const struct comparison_question *question = parts->question;
    AUTO(freep) struct rank_row *measured = NULL;
    struct comparison_row *rows = ranking->rows;
    bool by_logarithm = true;

    for (size_t i = 0; i < ranking->count; i++) {
        if (rows[i].contender->standing.level != STANDING_NONE)
            rank_score(question, &rows[i]);
        if (!may_be_ranked(question, &rows[i]))
            continue;
        ranking->ranked++;
        by_logarithm &= rows[i].score_low > 0;
    }
    qsort(rows, ranking->count, sizeof *rows, by_score);
    measured = xcalloc(ranking->ranked, sizeof *measured);
    for (size_t i = 0; i < ranking->ranked; i++) {
        assert(!rows[i].why_no_rank[0]);
        measured[i] = rank_row_of(parts, &rows[i], by_logarithm);
    }
    rank_intervals_compute(measured, ranking->ranked,
                           by_logarithm ? question->margin_percent / 100 : 0,
                           &ranking->intervals);
    for (size_t i = 0; i < ranking->ranked; i++)
        rows[i].rank = ranking->intervals.rows[i];
}

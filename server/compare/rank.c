/* The order of rows, and which of them cannot be told apart. */
#include "common/cleanup.h"
#include "pricing/interruption.h"
#include "pricing/pareto.h"
#include "server/compare/comparison.h"

#include <math.h>

/* How often a row is interrupted: surely never where it is not spot; NaN where no source says. */
static double interruptions_of(const struct comparison_row *row)
{
    if (!isnan(row->job.interruption_share))
        return row->job.interruption_share;
    return row->price.known && strcmp(row->price.kind, "spot") != 0 ? 0 : NAN;
}

/* What a utility is computed from, at one speed and price of a row; in the order of
 * utility_fields. How many runs a published figure comes from is not known. */
static double utility_at(const struct comparison_question *question,
                         const struct comparison_row *row, double speed, double price)
{
    const struct standing *standing = &row->contender->standing;
    bool is_counted = !row->contender->is_published;
    double slower = row->speed.value / speed; /* hours and dollars grow as speed falls */
    double dearer = price / row->price.dollars.value;
    double dollars = row->job.dollars * slower * dearer;
    double age_days = (double)(question->where.at_us - standing->newest_us) / 86400e6;
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
    double faster = speed / row->speed.value, dearer = price / row->price.dollars.value;

    switch (question->order) {
    case ORDER_THROUGHPUT:
        return speed;
    case ORDER_TOTAL_DOLLARS:
        return faster / (row->job.dollars * dearer + row->job.waiting_dollars);
    case ORDER_UTILITY:
        return utility_at(question, row, speed, price);
    default:
        return speed * 3600 / price;
    }
}

/* Where two things move a score, each by itself as far as here, how far both do: squares of
 * logarithms add up, or, of what may be below 0 and has none, of the distances. */
static double together(double score, double by_speed, double by_price)
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
    double dear = moves ? price->high : price->value, cheap = moves ? price->low : price->value;
    double ends[] = {score_at(question, row, row->between.low, price->value),
                     score_at(question, row, row->between.high, price->value),
                     score_at(question, row, row->speed.value, dear),
                     score_at(question, row, row->speed.value, cheap)};

    for (size_t i = 0; i < COUNT(ends); i++)
        if (isnan(ends[i])) /* the rest would be too narrow an interval */
            return;
    row->score_low = together(row->score, fmin(row->score, fmin(ends[0], ends[1])),
                              fmin(row->score, fmin(ends[2], ends[3])));
    row->score_high = together(row->score, fmax(row->score, fmax(ends[0], ends[1])),
                               fmax(row->score, fmax(ends[2], ends[3])));
}

static void score(const struct comparison_question *question, struct comparison_row *row)
{
    double price = row->price.known ? row->price.dollars.value : NAN;

    if (question->has_utility)
        row->utility = utility_at(question, row, row->speed.value, price);
    row->score = score_at(question, row, row->speed.value, price);
    row->score_low = row->score_high = NAN;
    if (!row->between.has_interval || isnan(row->score))
        return;
    spread_score(question, row);
    /* What does not depend on the speed comes out the same but for its last digit. */
    if (row->score_low > row->score)
        row->score_low = row->score;
    if (row->score_high < row->score)
        row->score_high = row->score;
}

static bool is_of_jobs(const struct comparison_row *row)
{
    return row->contender->is_published && strcmp(row->contender->published.unit, "job") == 0;
}

static bool may_be_ranked(const struct comparison_question *question, struct comparison_row *row)
{
    const struct contender *contender = row->contender;
    const char *why = NULL;

    if (contender->standing.level == STANDING_NONE && contender->standing.invalid > 0)
        snprintf(row->why_no_rank, sizeof row->why_no_rank,
                 "no valid run: %lld were invalid or never judged", contender->standing.invalid);
    else if (contender->standing.level == STANDING_NONE)
        why = "no measurement";
    else if (contender->is_published)
        why =
            is_of_jobs(row) ? "published, no interval, of a whole job" : "published, no interval";
    else if (!row->speed.has_interval)
        why = "too few steps for an interval";
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

/* The ranked before the others, each by score; those without a score last. */
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

/* Whether a row is surely behind the first of a group. Scores below 0 (a utility may be) have no
 * logarithm: there the intervals must not meet. */
static bool is_behind(const struct comparison_row *first, const struct comparison_row *row,
                      double margin)
{
    const struct measure a = {row->score, row->score_low, row->score_high};
    const struct measure b = {first->score, first->score_low, first->score_high};
    struct ratio ratio;

    if (!(a.low > 0) || !(b.low > 0))
        return a.high < b.low;
    ratio = compare_measures(&a, &b);
    return compare_judge(&ratio, margin) == COMPARE_WORSE;
}

void comparison_rank(const struct comparison_question *question, struct ranking *ranking)
{
    struct comparison_row *rows = ranking->rows;
    double margin = question->margin_percent / 100;
    size_t first = 0;

    for (size_t i = 0; i < ranking->count; i++) {
        if (rows[i].contender->standing.level != STANDING_NONE)
            score(question, &rows[i]);
        ranking->ranked += may_be_ranked(question, &rows[i]);
    }
    qsort(rows, ranking->count, sizeof *rows, by_score);
    for (size_t i = 0; i < ranking->ranked; i++) {
        if (is_behind(&rows[first], &rows[i], margin))
            first = i;
        rows[i].rank = (long long)first + 1;
        rows[i].is_tied = i > first;
        rows[first].is_tied |= i > first;
    }
}

static bool is_named(const struct comparison_row *row, const char *name)
{
    return strcmp(row->contender->id, name) == 0 || strcmp(row->contender->instance, name) == 0;
}

/* By instance: the ranked one, else the first that has a number. */
static const struct comparison_row *find_reference(const struct ranking *ranking,
                                                   const char *name)
{
    for (size_t i = 0; i < ranking->count; i++)
        if (is_named(&ranking->rows[i], name) &&
            ranking->rows[i].contender->standing.level != STANDING_NONE)
            return &ranking->rows[i];
    return NULL;
}

static struct ratio ratio_of(const struct amount *a, const struct amount *b)
{
    const struct measure left = {a->value, a->has_interval ? a->low : 0, a->high};
    const struct measure right = {b->value, b->has_interval ? b->low : 0, b->high};

    return compare_measures(&left, &right);
}

static void refer(const struct comparison_row *reference, struct comparison_row *row)
{
    enum cost_part part;
    struct cost cost, other;

    if (row->contender->standing.level == STANDING_NONE ||
        is_of_jobs(row) != is_of_jobs(reference))
        return;
    if (row == reference) { /* surely as good as itself, whatever its interval */
        row->speed_ratio = (struct ratio){.known = true, .value = 1, .low = 1, .high = 1};
        if (row->has_cost)
            row->ratio = row->speed_ratio;
    } else {
        row->speed_ratio = ratio_of(&row->between, &reference->between);
    }
    if (!row->has_cost || !reference->has_cost ||
        !cost_of_spread(&row->between, &row->price.dollars, &cost, &part) ||
        !cost_of_spread(&reference->between, &reference->price.dollars, &other, &part))
        return;
    if (row != reference)
        row->ratio = ratio_of(&cost.samples_per_dollar, &other.samples_per_dollar);
    row->mixed_kinds = strcmp(row->price.kind, reference->price.kind) != 0;
    row->break_even_speed =
        cost_break_even_speed(row->price.dollars.value, reference->cost.samples_per_dollar.value);
    row->break_even_price =
        cost_break_even_price(row->speed.value, reference->cost.samples_per_dollar.value);
}

bool comparison_refer(const struct comparison_question *question, struct ranking *ranking,
                      struct error *err)
{
    if (!question->reference)
        return true;
    ranking->reference = find_reference(ranking, question->reference);
    if (!ranking->reference)
        return error_set(err, ERROR_INVALID, "reference",
                         "'%.64s' has no measured row here: name an instance type, or the id of "
                         "a row, that this comparison has",
                         question->reference);
    for (size_t i = 0; i < ranking->count; i++)
        refer(ranking->reference, &ranking->rows[i]);
    return true;
}

/* Among rows of one unit, for a whole job is not a million samples, and of one provenance: a
 * published figure, which is not ranked, takes no measured row off the front. */
static bool mark_front(struct ranking *ranking, bool of_jobs, bool published,
                       struct pareto_point *points, struct error *err)
{
    for (size_t i = 0; i < ranking->count; i++) {
        const struct comparison_row *row = &ranking->rows[i];
        bool takes_part = row->has_cost && is_of_jobs(row) == of_jobs &&
                          row->contender->is_published == published;

        points[i].hours = takes_part ? row->job.hours : NAN;
        points[i].dollars = takes_part ? row->job.dollars : NAN;
    }
    if (!pareto_mark(points, ranking->count, err))
        return false;
    for (size_t i = 0; i < ranking->count; i++)
        ranking->rows[i].is_on_front |= points[i].on_front;
    return true;
}

bool comparison_mark_front(struct ranking *ranking, struct error *err)
{
    AUTO(freep) struct pareto_point *points = calloc(ranking->count + 1, sizeof *points);

    if (!points)
        return error_no_memory(err);
    return mark_front(ranking, false, false, points, err) &&
           mark_front(ranking, false, true, points, err) &&
           mark_front(ranking, true, true, points, err);
}

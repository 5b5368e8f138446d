/* The order of rows, and which of them cannot be told apart. */
#include "common/cleanup.h"
#include "pricing/interruption.h"
#include "pricing/pareto.h"
#include "server/comparison.h"

#include <math.h>

/* What a utility is computed from, at one speed of a row; in the order of utility_fields. */
static double utility_at(const struct comparison_question *question,
                         const struct comparison_row *row, double speed)
{
    const struct standing *standing = &row->contender->standing;
    double slower = row->speed.value / speed; /* hours and dollars grow as speed falls */
    double dollars = row->price.known ? row->price.dollars.value : NAN;
    double age_days = (double)(question->where.at_us - standing->newest_us) / 86400e6;
    const double values[] = {speed * 3600 / dollars,
                             speed,
                             dollars,
                             row->job.hours * slower,
                             row->job.dollars * slower,
                             row->job.total_dollars * slower,
                             (double)standing->vms,
                             (double)standing->runs,
                             age_days,
                             isnan(row->job.interruption_share) ? 0
                                                                : row->job.interruption_share};

    return utility_value(&question->utility, values);
}

/* A price that moves widens what depends on it, as squares of logarithms. */
static double widen(double value, double end, double price, double price_end)
{
    double of_speed = log(end / value), of_price = log(price_end / price);

    return value * exp((of_speed < 0 ? -1 : 1) * hypot(of_speed, of_price));
}

static double score_at(const struct comparison_question *question,
                       const struct comparison_row *row, double speed)
{
    switch (question->order) {
    case ORDER_THROUGHPUT:
        return speed;
    case ORDER_TOTAL_DOLLARS:
        return speed / row->speed.value / row->job.total_dollars;
    case ORDER_UTILITY:
        return utility_at(question, row, speed);
    default:
        return row->price.known ? speed * 3600 / row->price.dollars.value : NAN;
    }
}

static void score(const struct comparison_question *question, struct comparison_row *row)
{
    const struct amount *price = &row->price.dollars;
    double low, high;

    if (question->has_utility)
        row->utility = utility_at(question, row, row->speed.value);
    row->score = score_at(question, row, row->speed.value);
    row->score_low = row->score_high = NAN;
    if (!row->between.has_interval)
        return;
    low = score_at(question, row, row->between.low);
    high = score_at(question, row, row->between.high);
    if (price->has_interval && question->order != ORDER_THROUGHPUT && low > 0) {
        low = widen(row->score, low, price->value, price->high);
        high = widen(row->score, high, price->value, price->low);
    }
    row->score_low = fmin(low, high);
    row->score_high = fmax(low, high);
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
        why = "published, no interval";
    else if (!row->speed.has_interval)
        why = "too few steps for an interval";
    else if (!row->price.known && question->order != ORDER_THROUGHPUT)
        why = row->price.why_not;
    else if (isnan(row->score))
        why = "the utility is no number here";
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

    if (row->contender->standing.level == STANDING_NONE)
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

bool comparison_mark_front(struct ranking *ranking, struct error *err)
{
    AUTO(freep) struct pareto_point *points = calloc(ranking->count + 1, sizeof *points);

    if (!points)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    for (size_t i = 0; i < ranking->count; i++) {
        const struct comparison_row *row = &ranking->rows[i];

        points[i].hours = row->has_cost ? row->job.hours : NAN;
        points[i].dollars = row->has_cost ? row->job.dollars : NAN;
    }
    if (!pareto_mark(points, ranking->count, err))
        return false;
    for (size_t i = 0; i < ranking->count; i++)
        ranking->rows[i].is_on_front = points[i].on_front;
    return true;
}

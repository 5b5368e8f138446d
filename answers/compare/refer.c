#include "answers/compare/refer.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "pricing/pareto.h"

#include <math.h>

static bool is_named(const struct comparison_row *row, const char *name)
{
    return strcmp(row->contender->id, name) == 0 || strcmp(row->contender->instance, name) == 0;
}

/* By instance: the ranked row, else the first with a number. */
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

/* Ratio of samples per dollar. Two processors of one type share a stored price, so the price's
 * variation does not affect their ratio, which is the ratio of their speeds. Discounts are
 * exact. */
static struct ratio ratio_of_costs(const struct comparison_row *row,
                                   const struct comparison_row *reference,
                                   const struct amount *mine, const struct amount *theirs)
{
    double cheaper = reference->price.dollars.value / row->price.dollars.value;
    struct ratio ratio = row->speed_ratio;

    if (!row->price.at->price.nanos || row->price.at != reference->price.at)
        return ratio_of(mine, theirs);
    ratio.value *= cheaper;
    ratio.low *= cheaper;
    ratio.high *= cheaper;
    return ratio;
}

static void reference_relate(const struct comparison_row *reference, struct comparison_row *row)
{
    enum cost_part part;
    struct cost cost, other;

    if (row->contender->standing.level == STANDING_NONE ||
        row_is_of_jobs(row) != row_is_of_jobs(reference))
        return;
    if (row == reference) { /* equal to itself, exactly */
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
        row->ratio =
            ratio_of_costs(row, reference, &cost.samples_per_dollar, &other.samples_per_dollar);
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
        reference_relate(ranking->reference, &ranking->rows[i]);
    return true;
}

/* Only among rows of one unit (jobs or samples) and one provenance: a published figure is not
 * ranked, so it removes no measured row from the front. */
static void mark_front(struct ranking *ranking, bool of_jobs, bool published,
                       struct pareto_point *points)
{
    for (size_t i = 0; i < ranking->count; i++) {
        const struct comparison_row *row = &ranking->rows[i];
        bool takes_part = row->has_cost && row_is_of_jobs(row) == of_jobs &&
                          row->contender->is_published == published;

        points[i].hours = takes_part ? row->job.hours : NAN;
        points[i].dollars = takes_part ? row->job.dollars : NAN;
    }
    pareto_mark(points, ranking->count);
    for (size_t i = 0; i < ranking->count; i++)
        ranking->rows[i].is_on_front |= points[i].on_front;
}

void comparison_mark_front(struct ranking *ranking)
{
    AUTO(freep) struct pareto_point *points = xcalloc(ranking->count, sizeof *points);

    mark_front(ranking, false, false, points);
    mark_front(ranking, false, true, points);
    mark_front(ranking, true, true, points);
}

#include "answers/compare/sides.h"

#include "answers/compare/job.h"
#include "answers/compare/price.h"
#include "common/cleanup.h"
#include "common/memory.h"

#include <assert.h>

static void sides_look(const struct comparison_parts *parts, const struct comparison_row *row,
                       enum price_choice choice, struct row_side *side)
{
    struct comparison_row with = {
        .contender = row->contender, .offer = row->offer, .home = row->home, .speed = row->speed};

    comparison_price_of_kind(parts, choice, &with);
    if (row->contender->standing.level != STANDING_NONE)
        comparison_job(parts->question, &with);
    *side = (struct row_side){.price = with.price,
                              .has_cost = with.has_cost,
                              .cost = with.cost,
                              .dominates = with.dominates,
                              .of_jobs = row_is_of_jobs(row),
                              .job = with.job};
}

void comparison_look_at_sides(const struct comparison_parts *parts, struct ranking *ranking)
{
    size_t first = (size_t)parts->question->offset, limit = (size_t)parts->question->limit;
    size_t shown = first < ranking->count ? ranking->count - first : 0;

    if (shown > limit)
        shown = limit;
    ranking->sides_first = first;
    ranking->sides = xcalloc(shown, ROW_SIDES * sizeof *ranking->sides);
    for (size_t i = 0; i < shown * ROW_SIDES; i++)
        sides_look(parts, &ranking->rows[first + i / ROW_SIDES],
                   (enum price_choice)(i % ROW_SIDES), &ranking->sides[i]);
}

const struct row_side *comparison_side(const struct ranking *ranking, size_t row,
                                       enum price_choice choice)
{
    assert(row >= ranking->sides_first && row < ranking->count && (size_t)choice < ROW_SIDES);
    return &ranking->sides[(row - ranking->sides_first) * ROW_SIDES + (size_t)choice];
}

#include "answers/compare/follow_spot.h"

bool comparison_follow_spot(struct db *db, struct spot_histories *histories,
                            const struct comparison_question *question, struct ranking *ranking,
                            struct error *err)
{
    for (size_t i = ranking->sides_first;
         i < ranking->count && i - ranking->sides_first < (size_t)question->limit; i++) {
        const struct offer *offer = ranking->rows[i].offer;
        struct row_side *side =
            &ranking->sides[(i - ranking->sides_first) * ROW_SIDES + CHOOSE_SPOT];
        const struct price_at *at = side->price.at;

        if (!side->price.known || at->price.kind != PRICE_SPOT || price_at_is_published(at))
            continue;
        if (!spot_history_read(
                histories, db,
                &(struct price_course_question){.series = at->series,
                                                .at_us = question->where.at_us,
                                                .limit_nanos = offer->on_demand->price.nanos},
                at->since_us, &side->history, err))
            return false;
    }
    return true;
}

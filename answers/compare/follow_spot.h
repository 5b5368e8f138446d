/* Spot histories of the shown rows. Tested by tests/api/test_spot_over_time.py. */
#pragma once

#include "answers/compare/ranking.h"

/* Fills the history of each spot side. */
MUST_USE bool comparison_follow_spot(struct db *db, struct spot_histories *histories,
                                     const struct comparison_question *question,
                                     struct ranking *ranking, struct error *err);

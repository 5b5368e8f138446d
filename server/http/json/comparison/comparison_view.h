/* The data of a comparison's JSON. */
#pragma once

#include "answers/compare/ranking.h"

/* A comparison, or one of its rows. */
struct comparison_view {
    const struct comparison_question *question;
    const struct ranking *ranking;
    const struct comparison_row *row; /* NULL: the whole comparison */
    const char *const *fields;        /* the members of its rows; NULL: all */
};

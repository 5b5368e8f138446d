#include "server/http/api/sweeps.h"

#include "common/limits.h"
#include "server/http/api/shared.h"

#define AT(member) .offset = offsetof(struct sweeps_question, member)
static const struct parameter_row sweeps_page[] = {
    {"cursor", API_CURSOR, AT(before)},
    {"limit", PARAMETER_INTEGER, AT(limit), .min = 1, .max = SWEEP_LIST_MAX, .usual = "50",
     .meaning = "Maximum number of sweeps on the page."},
    {0},
};
#undef AT

const struct parameters sweeps_list_parameters = {
    .size = sizeof(struct sweeps_question),
    .parts = {{sweeps_page}},
};

/* Parameters of /v1/sweeps. */
#pragma once

#include "answers/parameters.h"

struct sweeps_question {
    long long before; /* the number of a sweep; 0: from the newest */
    long long limit;
};
extern const struct parameters sweeps_list_parameters;

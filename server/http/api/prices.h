/* Parameters of /v1/prices, /v1/discounts, /v1/instances and /v1/capacity. */
#pragma once

#include "answers/parameters.h"
#include "common/limits.h"
#include "db/capacity/capacity.h"
#include "db/prices/catalogue.h"
#include "db/prices/price_list.h"

struct prices_question {
    struct price_filter filter; /* at_us 0: now */
    bool history;
};
extern const struct parameters prices_list_parameters;

struct refresh_question {
    const char *feed; /* NULL: all */
    bool accept;
    char reason[REASON_MAX + 1];
};
extern const struct parameters refresh_parameters;

struct discounts_question {
    long long at_us; /* 0: now */
    bool history;
};
extern const struct parameters discounts_list_parameters;

struct instances_question {
    struct type_filter filter;
    const char *region, *architecture; /* NULL: none */
};
extern const struct parameters instances_parameters;

struct capacity_question {
    struct capacity_filter filter;
    long long days;
};
extern const struct parameters capacity_list_parameters;

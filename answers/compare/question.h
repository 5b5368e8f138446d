/* The parameters of GET /v1/comparison, parsed and checked. Texts are borrowed from the query,
 * and some point into the struct itself: do not copy it. */
#pragma once

#include "answers/parameters.h"
#include "common/error.h"
#include "common/limits.h"
#include "db/prices/offers.h"
#include "db/runs/run_filter.h"
#include "pricing/machine/identity.h"
#include "pricing/utility.h"

#include <stdbool.h>
#include <stddef.h>

#define IMAGENET_SAMPLES 1281167.0
#define LIST_TEXT_MAX 256

/* The price that a row is compared with. */
enum price_choice {
    CHOOSE_ON_DEMAND,
    CHOOSE_SPOT,
    CHOOSE_TYPED,
    CHOOSE_PAID,
    CHOOSE_COMMITTED, /* this one and those behind it: the kinds from PRICE_COMMITTED on */
};
extern const char *const price_choice_names[]; /* "on_demand", "spot", "typed", "paid", ... */

/* The sort key of rows. */
enum order {
    ORDER_SAMPLES_PER_DOLLAR,
    ORDER_THROUGHPUT,
    ORDER_TOTAL_DOLLARS, /* of the job, with the value of waiting */
    ORDER_UTILITY,
};
extern const char *const order_names[];

/* "c7i.2xlarge:0.30": a number for one type, or for all types if it has no name. */
struct about {
    char name[64];
    double number;
};

struct comparison_question {
    const char *workload, *engine, *provider, *precision, *provenance, *stratum; /* NULL: any */
    const char *configuration; /* "best", "all", or a row's id */
    const char *instances[QUESTION_LIST_MAX];
    size_t instance_count;
    long long batch_size;                                  /* 0: any */
    struct wanted_label labels[RUN_FILTER_LABELS];         /* only runs that have all of them */
    char label_keys[RUN_FILTER_LABELS][LABEL_KEY_MAX + 1]; /* what their keys point into */
    int label_count;
    const char
        *sender; /* only runs of this one; STANDING_SENDER_LOCAL: measured here; NULL any */
    enum price_choice kinds[OFFER_COMMITTED_MAX];
    size_t kind_count;
    struct offers_question where;
    char zone_text[REGION_SIZE];
    char regions_text[LIST_TEXT_MAX], kinds_text[LIST_TEXT_MAX]; /* what is pointed into */
    struct about discounts[QUESTION_LIST_MAX], prices[QUESTION_LIST_MAX];
    size_t discount_count, price_count;
    double samples, epochs, job_seconds; /* at most one is given; 0 is not */
    double boot_seconds, deadline_h, budget, hourly_value;
    long long
        deadline_us; /* of a deadline given as a moment; deadline_h follows from it. 0: none */
    double interruptions_percent; /* a month, in place of what the advisor says; 0: its */
    double checkpoint_seconds, restart_seconds;
    const char *reference; /* an instance type or a row's id; NULL */
    double margin_percent, vm_spread_percent;
    bool has_utility;
    struct utility utility;
    const char *utility_text;
    const char *sort; /* NULL: the order that the question suggests */
    enum order order;
    long long limit, offset;
};

/* Fields of a row that a utility may speak of, NULL-terminated, in the order of its values. */
extern const char *const utility_fields[];

/* One row a parameter, of struct comparison_question; the last has no name. Other questions take
 * some of them. */
extern const struct parameter_row comparison_rows[];
extern const struct parameters comparison_parameters;

/* Checks rules over several parameters, and sets the order. */
MUST_USE bool comparison_question_check(const struct query *query, void *question,
                                        struct error *err);

/* Fills in what depends on this machine and the time: default regions, a zone given by its id,
 * hours until a deadline. */
MUST_USE bool comparison_question_complete(struct comparison_question *question,
                                           const struct identity *here, long long now_us,
                                           struct error *err);

/* Reads and completes one. */
MUST_USE bool comparison_question_read(const struct query *query, const struct identity *here,
                                       long long now_us, struct comparison_question *ret_question,
                                       struct error *err);

/* The default region of each cloud, NULL-terminated. */
extern const char *const usual_regions[];

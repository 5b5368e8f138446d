/* The cost object of a run: the machine, its price when the run began, and the resulting dollars.
 * It is stored with the run, sent in answers, and read from imported runs. Only this file knows
 * its members. */
#pragma once

#include "db/prices/price_course.h"
#include "server/prices/price_json.h"

struct run_cost {
    struct identity identity;
    struct machine_price price; /* when the run began */
    struct price_window over;   /* while it ran, after the discount; known only if it moved */
    long long at_us;
};

/* The samples per second of a summary, with their interval if it is known. */
struct amount summary_speed(const struct summary *summary);

/* `samples_per_second` is NULL if not measured. The caller frees the text. */
char *run_cost_to_text(const struct run_cost *cost, const struct amount *samples_per_second);

/* Replaces the price in a `stored` cost object. */
char *run_cost_renew(const char *stored, const struct machine_price *price, long long at_us,
                     const struct amount *samples_per_second);

/* What present_run_cost() and present_run_cost_head() write. */
extern const struct members run_cost_members, run_cost_head_members, document_cost_members;

/* Writes the stored identity and price, the amounts that follow from them and the speed of the
 * run, and "why_not_ranked". Amounts of a run that may not be ranked have no interval, or are
 * null. */
void present_run_cost(struct json_writer *out, const char *key, const struct run *run);

/* The head of the cost object, for lists, from its own columns. null if no price in dollars is
 * known. Amounts of invalid runs have no interval. */
void present_run_cost_head(struct json_writer *out, const char *key, const struct run *run);

/* The members computed from price and speed, each a value with its interval, or null. */
#define COST_AMOUNTS 3
const char *cost_amount_name(size_t i);
const struct amount *cost_amount(const struct cost *cost, size_t i);
json_t *cost_amount_to_json(const struct amount *amount);

/* The price that the run paid per hour: the mean if it moved while it ran. */
struct paid_price run_cost_paid(const struct run_cost *cost);

/* Parses text of run_cost_to_text(), ours or a sender's: exactly its members, with a price above
 * 0 or none. The caller owns *ret_json; *ret_paid is all zero without a price. ERROR_INVALID
 * names the member. */
MUST_USE bool run_cost_read(const char *text, json_t **ret_json, struct paid_price *ret_paid,
                            struct error *err);

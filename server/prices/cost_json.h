/* The cost object of a run: the machine and its price when the run began, and what that makes of
 * the speed. This file alone knows its members. It is stored with the run, answered, and read
 * from runs that were measured elsewhere. */
#pragma once

#include "db/prices/price_course.h"
#include "server/prices/price_json.h"

struct run_cost {
    struct identity identity;
    struct machine_price price; /* when the run began */
    struct price_window over;   /* while it ran, discount taken off; known only where it moved */
    long long at_us;
};

/* `samples_per_second` is NULL where none was measured. The caller frees the text. */
char *run_cost_to_text(const struct run_cost *cost, const struct amount *samples_per_second);

/* The same of a run whose cost is `stored`: its machine, with another price. */
char *run_cost_renew(const char *stored, const struct machine_price *price, long long at_us,
                     const struct amount *samples_per_second);

/* What present_run_cost() and present_run_cost_head() write. */
extern const struct members run_cost_members, run_cost_head_members;

/* Writes the cost object of a run as it is answered: what is stored, and "why_not_ranked", which
 * is null where the run may be ranked. The members that follow from the speed of a run that may
 * not are points without an interval, or null, whatever is stored. */
void present_run_cost(struct json_writer *out, const char *key, const struct run *run);

/* The head of the cost object, for lists: from what is stored beside it. null where no price in
 * dollars is known. Of a run that is not valid the amounts are points. */
void present_run_cost_head(struct json_writer *out, const char *key, const struct run *run);

/* The members that follow from the price and the speed, each a value with its interval or null.
 */
#define COST_AMOUNTS 3
const char *cost_amount_name(size_t i);
const struct amount *cost_amount(const struct cost *cost, size_t i);
json_t *cost_amount_to_json(const struct amount *amount);

/* What the run paid an hour: the mean of a price that moved while it ran. */
struct paid_price run_cost_paid(const struct run_cost *cost);

/* Reads JSON text that run_cost_to_text() wrote, or the sender of a run in its place: exactly its
 * members, with a price above 0 or none. The caller owns *ret_json; *ret_paid is all zero where
 * there is no price. ERROR_INVALID names the member. */
MUST_USE bool run_cost_read(const char *text, json_t **ret_json, struct paid_price *ret_paid,
                            struct error *err);

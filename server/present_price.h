/* The shape of every JSON answer about prices. openapi.json describes what is written here, and a
 * test holds the two together. */
#pragma once

#include "db/discounts.h"
#include "db/feed_rows.h"
#include "pricing/cost.h"
#include "server/out.h"
#include "server/refresher.h"

#define DISCOUNTS_MAX 200

/* The discounts in force, the most special first. */
struct discount_list {
    size_t count;
    struct discount list[DISCOUNTS_MAX];
};

/* For discounts_each(), with a struct discount_list. */
void discount_list_add(void *list, const struct discount *discount);

/* A price as it was at `at_us`; `discounts` may be NULL. */
void present_price(struct out *out, const char *key, const struct price_view *view,
                   const struct discount_list *discounts, long long at_us);

/* A price of this machine, or null with the reason in "why_no_price". */
void present_machine_price(struct out *out, const struct machine_price *price, long long at_us);

/* A number with its interval, null where it has none; null for NULL. */
void present_interval(struct out *out, const char *key, const struct amount *amount);

/* What is kept with a run: the machine and its price when the run began, and what that makes of
 * the speed it was measured at (NULL: none was). Owned by the caller, NULL when memory ends. */
struct run_cost {
    struct identity identity;
    struct machine_price price;
    long long at_us;
};
char *run_cost_to_text(const struct run_cost *cost, const struct amount *samples_per_second);

void present_identity(struct out *out, const char *key, const struct identity *identity);

void present_refresh(struct out *out, const char *key, const struct refresh_progress *progress);

/* A feed: what it is, how it is, and how each of its scopes is. */
struct feed_view {
    const struct feed *feed;
    long long due_us;
    const char *idle;
    const struct feed_row *rows;
    size_t count;
    long long now_us;
};
void present_feed(struct out *out, const struct feed_view *view);

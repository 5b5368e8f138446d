/* The shape of a price in JSON, wherever one is written: in answers, and in what is kept with a
 * run. openapi.json describes what is written here, and a test holds the two together. */
#pragma once

#include "common/json_writer.h"
#include "db/prices/discounts.h"
#include "engine/run/run.h"
#include "pricing/cost.h"
#include "server/base/this_machine.h"

/* A price as it was at `at_us`; `discounts` may be NULL. */
/* The member `commitment`: the term, how it is paid and what of it at once; null for a kind that
 * is none. */
void present_commitment(struct json_writer *out, enum price_kind kind, long long upfront_nanos);

void present_price(struct json_writer *out, const char *key, const struct price_view *view,
                   const struct discount_list *discounts, long long at_us);

/* The id of a price in JSON: "SERIES-MICROSECONDS". */
#define PRICE_ID_SIZE 48
void price_id_write(const struct price_key *key, char ret_id[PRICE_ID_SIZE]);
bool price_id_read(const char *text, size_t length, struct price_key *ret_key)
    __attribute__((warn_unused_result));

/* A price of this machine, or null with the reason in "why_no_price". */
void present_machine_price(struct json_writer *out, const struct machine_price *price,
                           long long at_us);

/* What present_machine_price() writes of a price, as facts; all zero where it is not known. */
struct paid_price paid_price_of(const struct machine_price *price);

/* The same, read back from what it wrote, or from what the sender of a run wrote in its place: a
 * member that is absent or of another type stays unknown. */
struct paid_price paid_price_read(const json_t *price);

/* A number with its interval, null where it has none; null for NULL. */
void present_interval(struct json_writer *out, const char *key, const struct amount *amount);

void present_identity(struct json_writer *out, const char *key, const struct identity *identity);

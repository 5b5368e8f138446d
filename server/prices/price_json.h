/* JSON of a price, in answers and stored with runs. */
#pragma once

#include "common/rows/members.h"
#include "db/prices/discounts.h"
#include "engine/run/run.h"
#include "pricing/cost.h"
#include "pricing/freshness.h"
#include "server/base/this_machine.h"
#include "server/prices/identity_json.h"

/* Term, payment and upfront part; null if the kind is not a commitment. */
extern const struct members commitment_members;
void present_commitment(struct json_writer *out, const char *key, enum price_kind kind,
                        long long upfront_nanos);

/* A price as shown, with its discount. */
struct discount_shown {
    double factor;
    const char *note;
    double price_per_hour;
};
struct price_shown {
    const struct price_at *at;
    const struct listed_price *listed; /* NULL: not from a list */
    const char *label;
    bool third_party, has_discount;
    double age_seconds; /* NaN for a typed price */
    enum freshness freshness;
    struct discount_shown discount;
};
/* As it was at `at_us`; `discounts` may be NULL. */
struct price_shown price_show(const struct listed_price *listed,
                              const struct discount_list *discounts, long long at_us);
extern const struct members price_members, listed_price_members; /* of struct price_shown */
extern const struct members price_times_members;                 /* of struct price_at */
/* The source of the price, for people. */
const char *price_label(const struct price *price);

/* A member of nanodollars, written as dollars; null for 0. */
#define PRICE_DOLLARS(type_of_struct, called, member)                                            \
    .name = (called), .type = MEMBER_NUMBER, .offset = offsetof(type_of_struct, member),         \
    .range = MEMBER_POSITIVE, .write = price_write_dollars
void price_write_dollars(struct json_writer *out, const struct member *row, const void *object);
/* The rows of a price that waits for confirmation. */
/* clang-format off */
#define PRICES_HELD(type_of_struct, accepted, waiting)                                           \
    {PRICE_DOLLARS(type_of_struct, "price_per_hour", accepted),                                  \
     .meaning = "The price that is accepted."},                                                  \
    {                                                                                            \
        PRICE_DOLLARS(type_of_struct, "held_price_per_hour", waiting),                           \
            .nullable = true, .meaning = "The waiting price; null: the feed no longer has one."  \
    }
/* clang-format on */

/* The id of a price in JSON: "SERIES-MICROSECONDS". */
#define PRICE_ID_SIZE 48
void price_id_write(const struct price_key *key, char ret_id[PRICE_ID_SIZE]);
MUST_USE bool price_id_read(const char *text, size_t length, struct price_key *ret_key);

/* The price of this machine at a moment. */
struct priced_machine {
    const struct machine_price *price;
    long long at_us;
};
/* Members "price" and "why_no_price", one of them null: of struct priced_machine. */
extern const struct members machine_price_members;

/* The facts that these rows write; all zero if unknown. */
struct paid_price paid_price_of(const struct machine_price *price);

/* The same, parsed from JSON, ours or a sender's: a member that is absent or of another type
 * stays unknown. */
struct paid_price paid_price_read(const json_t *price);

/* A number with its interval, whose ends may be null: of struct amount. */
extern const struct members amount_members, amount_ends_members;
/* The same; null for NULL. */
void present_interval(struct json_writer *out, const char *key, const struct amount *amount);

/* A row that by() writes. */
/* clang-format off */
#define TOKENS_PER_SECOND(by)                                                                    \
    MEMBER_WRITTEN("tokens_per_second", MEMBER_OBJECT, by),                                      \
        .members = &amount_members, .nullable = true,                                            \
        .meaning = "Tokens a second; null of a workload that does not train on text."
/* clang-format on */

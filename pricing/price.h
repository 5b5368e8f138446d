/* An hourly price of a machine, from a source, valid from some moment on. A missing price is
 * normal and is the absence of this value: there is no price of 0, and one kind is never filled
 * from another. */
#pragma once

#include "common/error.h"
#include "common/json_number.h"
#include "common/limits.h"

#include <stdbool.h>
#include <stddef.h>

enum price_kind {
    PRICE_ON_DEMAND,
    PRICE_SPOT,
    PRICE_TYPED, /* by a person who knows what they pay */
    PRICE_OWN,   /* cost of an hour on own hardware */
    /* Commitments for years: see pricing/commitment.h. */
    PRICE_RESERVED_1Y_NO_UPFRONT,
    PRICE_RESERVED_1Y_PARTIAL_UPFRONT,
    PRICE_RESERVED_1Y_ALL_UPFRONT,
    PRICE_RESERVED_3Y_NO_UPFRONT,
    PRICE_RESERVED_3Y_PARTIAL_UPFRONT,
    PRICE_RESERVED_3Y_ALL_UPFRONT,
    PRICE_SAVINGS_PLAN_1Y, /* no upfront */
    PRICE_SAVINGS_PLAN_3Y,
    PRICE_COMMITTED_USE_1Y,
    PRICE_COMMITTED_USE_3Y,
    PRICE_SAVINGS_PLAN_1Y_PARTIAL_UPFRONT,
    PRICE_SAVINGS_PLAN_1Y_ALL_UPFRONT,
    PRICE_SAVINGS_PLAN_3Y_PARTIAL_UPFRONT,
    PRICE_SAVINGS_PLAN_3Y_ALL_UPFRONT,
    PRICE_INSTANCE_SAVINGS_PLAN_1Y_NO_UPFRONT,
    PRICE_INSTANCE_SAVINGS_PLAN_1Y_PARTIAL_UPFRONT,
    PRICE_INSTANCE_SAVINGS_PLAN_1Y_ALL_UPFRONT,
    PRICE_INSTANCE_SAVINGS_PLAN_3Y_NO_UPFRONT,
    PRICE_INSTANCE_SAVINGS_PLAN_3Y_PARTIAL_UPFRONT,
    PRICE_INSTANCE_SAVINGS_PLAN_3Y_ALL_UPFRONT,
    PRICE_CONVERTIBLE_1Y_NO_UPFRONT,
    PRICE_CONVERTIBLE_1Y_PARTIAL_UPFRONT,
    PRICE_CONVERTIBLE_1Y_ALL_UPFRONT,
    PRICE_CONVERTIBLE_3Y_NO_UPFRONT,
    PRICE_CONVERTIBLE_3Y_PARTIAL_UPFRONT,
    PRICE_CONVERTIBLE_3Y_ALL_UPFRONT,
    PRICE_KINDS,
};
#define PRICE_COMMITTED PRICE_RESERVED_1Y_NO_UPFRONT /* the first kind of a commitment */
#define PRICE_COMMITTED_NAMES                                                                    \
    "reserved_1y_no_upfront", "reserved_1y_partial_upfront", "reserved_1y_all_upfront",          \
        "reserved_3y_no_upfront", "reserved_3y_partial_upfront", "reserved_3y_all_upfront",      \
        "savings_plan_1y", "savings_plan_3y", "committed_use_1y", "committed_use_3y",            \
        "savings_plan_1y_partial_upfront", "savings_plan_1y_all_upfront",                        \
        "savings_plan_3y_partial_upfront", "savings_plan_3y_all_upfront",                        \
        "instance_savings_plan_1y_no_upfront", "instance_savings_plan_1y_partial_upfront",       \
        "instance_savings_plan_1y_all_upfront", "instance_savings_plan_3y_no_upfront",           \
        "instance_savings_plan_3y_partial_upfront", "instance_savings_plan_3y_all_upfront",      \
        "convertible_1y_no_upfront", "convertible_1y_partial_upfront",                           \
        "convertible_1y_all_upfront", "convertible_3y_no_upfront",                               \
        "convertible_3y_partial_upfront", "convertible_3y_all_upfront"

/* The feed of prices published with a figure. Such a price belongs to that figure, whatever its
 * age, and is no price of today. */
#define PUBLISHED_FEED "published"
#define PRICE_FILE_FEED "price-file"

/* Texts are "" where unknown; the operating system is always Linux. */
struct price {
    char provider[PROVIDER_SIZE]; /* "aws", "azure", "gcp", or what a person typed */
    char region[REGION_SIZE];
    char zone[REGION_SIZE]; /* "" is the whole region */
    char instance_type[INSTANCE_SIZE];
    enum price_kind kind;
    char currency[4]; /* ISO 4217; nothing is ever converted, and only USD is compared */
    long long nanos;  /* billionths of the currency for an hour; > 0 */
    /* Part of nanos that is paid upfront, for a commitment; 0 for other kinds. */
    long long upfront_nanos;
    char text[40];      /* the number as received; computed for a commitment */
    char reference[96]; /* the source's name for it: SKU, rate code, meter */
    char feed[32];
    long long source_us;  /* valid since, from the source; 0 if not stated */
    long long fetched_us; /* when it was fetched */
};

/* No machine costs more an hour: a higher number is a mistake or a placeholder. */
#define PRICE_NANOS_MAX (PRICE_DOLLARS_MAX * 1000000000LL)

/* Reads a decimal ("0.3570000000", "9.0E-4") exactly, rounded half up to nanos. False for
 * anything else, for what rounds to 0, and for what is more than PRICE_NANOS_MAX. */
MUST_USE bool price_read_nanos(const char *text, long long *ret_nanos);

/* The same for other amounts: may be 0, and up to a thousand million. */
MUST_USE bool price_read_amount(const char *text, long long *ret_nanos);

/* The shortest decimal with these nanos: "0.357". */
#define PRICE_TEXT_SIZE JSON_NUMBER_SIZE
void price_write_nanos(long long nanos, char ret_text[PRICE_TEXT_SIZE]);

/* Fills nanos and text. */
MUST_USE bool price_set(struct price *price, const char *text);

/* Rounds a product in dollars to nanos, or to fifteen digits if it is large, so that no
 * meaningless digits are printed. */
double price_exact(double dollars);

/* price_set() from a JSON number, as json_number_write() writes it. */
MUST_USE bool price_set_number(struct price *price, double number);

/* Copies a text into a member of a price; false, with nothing copied, if it does not fit, is
 * empty, or has anything but printable ASCII. */
MUST_USE bool price_word(char *member, size_t size, const char *text);
#define PRICE_WORD(member, text) price_word((member), sizeof(member), (text))

/* "on_demand", "spot", "typed", "own", "reserved_1y_no_upfront", ... */
extern const char *const price_kind_names[]; /* NULL-terminated */
/* The first four of them, which a person may type. */
extern const char *const price_given_kind_names[];
const char *price_kind_name(enum price_kind kind);
MUST_USE bool price_kind_from_name(const char *name, enum price_kind *ret_kind);

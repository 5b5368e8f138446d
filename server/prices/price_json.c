#include "server/prices/price_json.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/rfc3339.h"
#include "common/text.h"
#include "db/runs/run_prices.h"
#include "pricing/commitment.h"
#include "pricing/feeds/source.h"
#include "pricing/freshness.h"
#include "server/base/taken_back_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct discount *find_discount(const struct discount_list *discounts,
                                            const struct price *price)
{
    for (size_t i = 0; discounts && i < discounts->count; i++)
        if (discount_applies(&discounts->list[i], price))
            return &discounts->list[i];
    return NULL;
}

void price_write_dollars(struct json_writer *out, const struct member *row, const void *object)
{
    long long nanos = MEMBER_VALUE(long long, row, object);

    jsonw_number(out, row->name, nanos > 0 ? (double)nanos / 1e9 : NAN);
}

const char *price_label(const struct price *price)
{
    static const struct {
        const char *feed, *label;
    } others[] = {{PUBLISHED_FEED, "published with a figure"},
                  {TYPED_LATER_FEED, "given by a person after the run"},
                  {"run", "as its newest run knew it"},
                  {"question", "given in the question"}};
    const struct source *source = source_find(price->feed);

    for (size_t i = 0; i < COUNT(others); i++)
        if (strcmp(price->feed, others[i].feed) == 0)
            return others[i].label;
    return source ? source->title : "given by a person";
}

/* The price's source and age. */
static struct price_shown price_show_at(const struct price_at *at, long long at_us)
{
    const struct price *price = &at->price;
    const struct source *source = source_find(price->feed);
    bool given = price->kind == PRICE_TYPED || price->kind == PRICE_OWN;
    long long age_us = at_us - (at->said_us ? at->said_us : price->fetched_us);

    return (struct price_shown){.at = at,
                                .label = price_label(price),
                                .third_party =
                                    price_at_is_published(at) || (source && source->third_party),
                                .age_seconds = given ? NAN : (double)age_us / US_PER_SECOND,
                                .freshness = (at->doubted ? freshness_of_doubted : freshness_of)(
                                    price->kind, age_us, source_pace_us(price->feed))};
}

static void add_discount(struct price_shown *shown, double factor, const char *note)
{
    const struct price *price = &shown->at->price;

    shown->has_discount = true;
    shown->discount =
        (struct discount_shown){factor, note, price_exact((double)price->nanos / 1e9 * factor)};
}

struct price_shown price_show(const struct listed_price *listed,
                              const struct discount_list *discounts, long long at_us)
{
    const struct discount *discount = find_discount(discounts, &listed->at.price);
    struct price_shown shown = price_show_at(&listed->at, at_us);

    shown.listed = listed;
    if (discount && listed->at.price.nanos > 0)
        add_discount(&shown, discount->factor, discount->note);
    return shown;
}

MEMBER_FINDS(find_price, struct price_shown, shown, &shown->at->price)
MEMBER_FINDS(find_at, struct price_shown, shown, shown->at)
MEMBER_FINDS(find_discount_shown, struct price_shown, shown,
             shown->has_discount ? &shown->discount : NULL)
MEMBER_WRITES(write_text, text, struct price, price, price->nanos > 0 ? price->text : NULL)

static const struct member what_rows[] = {
    {MEMBER(struct price, provider), .nullable = true},
    {MEMBER(struct price, region), .nullable = true},
    {MEMBER(struct price, zone), .nullable = true,
     .meaning = "null stands for the whole region."},
    {MEMBER(struct price, instance_type), .nullable = true},
    {MEMBER_CONSTANT("operating_system", "\"linux\"")},
    {MEMBER(struct price, kind), .words = price_kind_names},
    {MEMBER(struct price, currency), .pattern = "^[A-Z]{3}$"},
    {PRICE_DOLLARS(struct price, "price_per_hour", nanos), .nullable = true,
     .meaning = "null, in a history: there was no price from then on."},
    {MEMBER_AS(struct price, "nanos_per_hour", nanos), .nullable = true,
     .range = MEMBER_POSITIVE},
    {MEMBER(struct price, text), .nullable = true, .write = write_text},
    {MEMBER(struct price, feed)},
    {0},
};
static const struct members what_members = {.rows = what_rows};

static const struct member reference_rows[] = {
    {MEMBER(struct price, reference), .nullable = true},
    {0},
};
static const struct members reference_members = {.rows = reference_rows};

static const struct member times_rows[] = {
    {MEMBER_TIME_AT(struct price_at, "valid_from", since_us), .nullable = true},
    {MEMBER_TIME_AT(struct price_at, "source_time", price.source_us), .nullable = true},
    {MEMBER_TIME_AT(struct price_at, "fetched_at", price.fetched_us), .nullable = true},
    {0},
};
const struct members price_times_members = {.rows = times_rows};

static const struct member body_rows[] = {
    {MEMBER_ROWS(&what_members), .find = find_price},
    {MEMBER(struct price_shown, label),
     .meaning =
         "The kind of price, for people. A price `published with a figure` belongs to that "
         "figure, and is never used as a current price."},
    {MEMBER(struct price_shown, third_party)},
    {MEMBER_ROWS(&reference_members), .find = find_price},
    {MEMBER_ROWS(&price_times_members), .find = find_at},
    {MEMBER(struct price_shown, age_seconds), .nullable = true},
    {MEMBER(struct price_shown, freshness), .words = freshness_names},
    {0},
};
static const struct members body_members = {.rows = body_rows};

static const struct member discount_rows[] = {
    {MEMBER(struct discount_shown, factor)},
    {MEMBER(struct discount_shown, note), .nullable = true},
    {MEMBER(struct discount_shown, price_per_hour)},
    {0},
};
static const struct members discount_members = {.rows = discount_rows};

static const struct member discounted_rows[] = {
    {MEMBER_FOUND("discount", &discount_members, find_discount_shown), .nullable = true},
    {0},
};
static const struct members discounted_members = {.rows = discounted_rows};

static const struct member price_rows[] = {
    {MEMBER_ROWS(&body_members)},
    {MEMBER_ROWS(&discounted_members)},
    {0},
};
const struct members price_members = {
    .name = "Price",
    .meaning = "The price of an hour of a machine according to one source. `text` is the number "
               "as received, `age_seconds` counts from when the source last confirmed it.",
    .rows = price_rows};

struct commitment_said {
    int years;
    enum payment payment;
    double upfront;
};

static const struct member commitment_rows[] = {
    {MEMBER(struct commitment_said, years), .schema = "{\"enum\": [1, 3]}"},
    {MEMBER(struct commitment_said, payment), .words = payment_names},
    {MEMBER(struct commitment_said, upfront), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Paid at once, before any discount, in the currency of the price."},
    {0},
};
const struct members commitment_members = {
    .name = "Commitment",
    .meaning = "A price for a term of years, paid whether used or not. `price_per_hour` is "
               "what an hour of the term costs in all, with what is paid at once.",
    .rows = commitment_rows};

void present_commitment(struct json_writer *out, const char *key, enum price_kind kind,
                        long long upfront_nanos)
{
    const struct price_terms *terms = price_terms_of(kind);
    struct commitment_said said = {.upfront = (double)upfront_nanos / 1e9};

    if (terms) {
        said.years = terms->years;
        said.payment = terms->payment;
    }
    members_write(out, key, &commitment_members, terms ? &said : NULL);
}

static const struct member held_rows[] = {
    {MEMBER_AS(struct listed_price, "count", waiting.count), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Prices that wait with it, of the same scope of the feed."},
    PRICES_HELD(struct listed_price, at.price.nanos, waiting.nanos),
    {MEMBER_TIME_AT(struct listed_price, "since", waiting.since_us),
     .meaning = "When a reading said so first."},
    {0},
};
static const struct members held_members = {
    .name = "HeldPrice",
    .meaning = "A price that waits for another reading to confirm it.",
    .rows = held_rows};

static void write_id(struct json_writer *out, const struct member *row, const void *object)
{
    const struct price_at *at = ((const struct price_shown *)object)->at;
    char id[PRICE_ID_SIZE];

    price_id_write(&(struct price_key){at->series, at->since_us}, id);
    jsonw_text(out, row->name, id);
}

static void write_commitment(struct json_writer *out, const struct member *row,
                             const void *object)
{
    const struct price *price = &((const struct price_shown *)object)->at->price;

    present_commitment(out, row->name, price->kind, price->upfront_nanos);
}

MEMBER_FINDS(find_withdrawn, struct price_shown, it, &it->listed->withdrawn)

MEMBER_FINDS(find_held, struct price_shown, shown,
             shown->listed->waiting.since_us != 0 ? shown->listed : NULL)

static const struct member listed_rows[] = {
    {MEMBER_WRITTEN("id", MEMBER_TEXT, write_id), .pattern = "^[0-9]+-[0-9]+$",
     .meaning = "Id for withdrawing the price."},
    {MEMBER_ROWS(&body_members)},
    {MEMBER_WRITTEN("commitment", MEMBER_OBJECT, write_commitment), .nullable = true,
     .members = &commitment_members},
    {MEMBER_ROWS(&discounted_members)},
    {MEMBER_FOUND("held", &held_members, find_held), .nullable = true,
     .meaning = "A later price that is held back for confirmation: the price is "
                "`stale` at most."},
    {MEMBER_FOUND("withdrawn", &taken_back_members, find_withdrawn), .nullable = true,
     .meaning = "The withdrawal of the price: who and from when on."},
    {0},
};
const struct members listed_price_members = {.name = "ListedPrice",
                                             .meaning = "A Price that is stored, with its id.",
                                             .rows = listed_rows};

void price_id_write(const struct price_key *key, char ret_id[PRICE_ID_SIZE])
{
    snprintf(ret_id, PRICE_ID_SIZE, "%lld-%lld", key->series, key->since_us);
}

bool price_id_read(const char *text, size_t length, struct price_key *ret_key)
{
    char id[PRICE_ID_SIZE], again[PRICE_ID_SIZE];
    struct price_key key;
    char *end;

    if (length >= sizeof id)
        return false;
    memcpy(id, text, length);
    id[length] = '\0';
    key.series = strtoll(id, &end, 10);
    if (*end != '-')
        return false;
    key.since_us = strtoll(end + 1, &end, 10);
    price_id_write(&key, again);
    if (strcmp(id, again) != 0) /* only as it is written */
        return false;
    *ret_key = key;
    return true;
}

static void write_machine_price(struct json_writer *out, const struct member *row,
                                const void *object)
{
    const struct priced_machine *priced = object;
    const struct machine_price *price = priced->price;
    struct price_shown shown = price_show_at(&price->at, priced->at_us);

    if (price->factor < 1)
        add_discount(&shown, price->factor, price->discount);
    members_write(out, row->name, row->members, price->known ? &shown : NULL);
}

MEMBER_WRITES(write_why_not, text, struct priced_machine, priced,
              priced->price->known ? NULL : priced->price->why_not)

static const struct member machine_rows[] = {
    {MEMBER_WRITTEN("price", MEMBER_OBJECT, write_machine_price), .nullable = true,
     .members = &price_members},
    {MEMBER_WRITTEN("why_no_price", MEMBER_TEXT, write_why_not), .nullable = true},
    {0},
};
const struct members machine_price_members = {.rows = machine_rows};

struct paid_price paid_price_of(const struct machine_price *price)
{
    const struct price *list = &price->at.price;
    struct paid_price paid = {0};

    if (!price->known)
        return paid;
    if (list->nanos > 0) {
        paid.nanos = list->nanos;
        paid.per_hour = (double)list->nanos / 1e9;
        if (price->factor < 1)
            paid.per_hour = price_exact(paid.per_hour * price->factor);
    }
    snprintf(paid.currency, sizeof paid.currency, "%s", list->currency);
    snprintf(paid.kind, sizeof paid.kind, "%s", price_kind_name(list->kind));
    snprintf(paid.feed, sizeof paid.feed, "%s", list->feed);
    paid.fetched_us = list->fetched_us;
    return paid;
}

static void read_text(const json_t *object, const char *name, size_t size, char ret_text[])
{
    const char *text = json_string_value(json_object_get(object, name));

    snprintf(ret_text, size, "%s", text ? text : "");
}

struct paid_price paid_price_read(const json_t *price)
{
    const json_t *discount = json_object_get(price, "discount");
    const json_t *nanos = json_object_get(price, "nanos_per_hour");
    const json_t *fetched = json_object_get(price, "fetched_at");
    double list = json_number_value(json_object_get(price, "price_per_hour"));
    struct paid_price paid = {.per_hour = list, .nanos = json_integer_value(nanos)};

    if (json_is_object(discount))
        paid.per_hour = json_number_value(json_object_get(discount, "price_per_hour"));
    if (paid.nanos <= 0)
        paid.nanos = list > 0 && list < 9e9 ? llround(list * 1e9) : 0;
    read_text(price, "currency", sizeof paid.currency, paid.currency);
    read_text(price, "kind", sizeof paid.kind, paid.kind);
    read_text(price, "feed", sizeof paid.feed, paid.feed);
    if (!json_is_string(fetched) ||
        !rfc3339_read((struct span){json_string_value(fetched), json_string_length(fetched)},
                      &paid.fetched_us))
        paid.fetched_us = 0;
    return paid;
}

static void write_end(struct json_writer *out, const struct member *row, const void *object)
{
    const struct amount *amount = object;

    jsonw_number(out, row->name, amount->has_interval ? MEMBER_VALUE(double, row, amount) : NAN);
}

static const struct member amount_ends_rows[] = {
    {MEMBER(struct amount, low), .nullable = true, .write = write_end},
    {MEMBER(struct amount, high), .nullable = true, .write = write_end},
    {0},
};
const struct members amount_ends_members = {.rows = amount_ends_rows};

static const struct member amount_rows[] = {
    {MEMBER(struct amount, value)},
    {MEMBER_ROWS(&amount_ends_members)},
    {0},
};
const struct members amount_members = {
    .name = "Amount",
    .meaning = "A number with its 95 % interval; low and high are null where it has none.",
    .rows = amount_rows};

void present_interval(struct json_writer *out, const char *key, const struct amount *amount)
{
    members_write(out, key, &amount_members, amount);
}

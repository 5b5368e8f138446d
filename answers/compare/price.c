#include "answers/compare/price.h"

#include "common/cleanup.h"

#include <assert.h>
#include <math.h>

static struct amount price_exactly(double value)
{
    return (struct amount){.value = value};
}

/* How specifically a name matches a row: its type, then its family ("c7i."), longer first, then
 * its provider, then all (""); 0 if it does not match. */
static size_t price_speciality(const struct about *about, const struct contender *contender)
{
    size_t length = strlen(about->name);

    if (length == 0)
        return 1;
    if (strcmp(about->name, contender->instance) == 0)
        return 3 + sizeof about->name;
    if (about->name[length - 1] == '.' && strncmp(about->name, contender->instance, length) == 0)
        return 2 + length;
    return strcmp(about->name, contender->provider) == 0 ? 2 : 0;
}

/* The most specific match of a list, in any position; names are unique. NULL: none. */
static const struct about *most_special(const struct about *list, size_t count,
                                        const struct contender *contender)
{
    const struct about *best = NULL;
    size_t most = 0;

    for (size_t i = 0; i < count; i++) {
        size_t special = price_speciality(&list[i], contender);

        if (special > most) {
            most = special;
            best = &list[i];
        }
    }
    return best;
}

/* Discounts apply to list prices only: a typed price is what its owner pays, and a published
 * figure comes with its own price. */
static void take_off(const struct comparison_parts *parts, const struct comparison_row *row,
                     struct row_price *price)
{
    const struct comparison_question *question = parts->question;
    const struct about *asked =
        most_special(question->discounts, question->discount_count, row->contender);
    const struct price *list = &price->at->price;

    price->factor = 1;
    if (row->contender->is_published || list->kind == PRICE_TYPED || list->kind == PRICE_OWN)
        return;
    if (asked) {
        price->factor = asked->number;
        price->factor_note = "asked for";
        return;
    }
    if (parts->discounts->count == 0)
        return; /* the common case, for thousands of rows */
    for (size_t i = 0; i < parts->discounts->count; i++)
        if (discount_applies(&parts->discounts->list[i], list)) {
            price->factor = parts->discounts->list[i].factor;
            price->factor_note = parts->discounts->list[i].note;
            return;
        }
}

static void use_price(const struct comparison_parts *parts, const struct comparison_row *row,
                      const struct price_at *at, struct row_price *price)
{
    assert(at->price.nanos > 0);
    price->known = true;
    price->at = at;
    price->freshness = at->freshness;
    price->kind = price_kind_name(at->price.kind);
    price->list = (double)at->price.nanos / 1e9;
    take_off(parts, row, price);
    price->dollars = price_exactly(price_exact(price->list * price->factor));
    if (at->price.kind == PRICE_SPOT && at->low > 0 && at->high > at->low)
        price->dollars = (struct amount){.value = price->dollars.value,
                                         .low = price_exact(at->low * price->factor),
                                         .high = price_exact(at->high * price->factor),
                                         .has_interval = true};
}

/* If no feed has a price: the published figure's own, or a typed one. */
static const struct price_at *price_of_figure(const struct offer *offer)
{
    if (offer->on_demand->price.nanos)
        return offer->on_demand;
    return offer->published_on_demand->price.nanos || !offer->typed->price.nanos
               ? offer->published_on_demand
               : offer->typed;
}

/* Of a requested kind: offers have no others. NULL if they have none. */
static const struct price_at *price_of_commitment(const struct offers_question *where,
                                                  const struct offer *offer,
                                                  enum price_choice choice)
{
    for (size_t i = 0; i < where->committed_count; i++)
        if ((int)where->committed[i] - (int)PRICE_COMMITTED ==
            (int)choice - (int)CHOOSE_COMMITTED)
            return offer->committed[i];
    return NULL;
}

static const struct price_at *price_of(const struct offers_question *where,
                                       const struct offer *offer, enum price_choice choice,
                                       bool is_published)
{
    if (choice >= CHOOSE_COMMITTED)
        return price_of_commitment(where, offer, choice);
    switch (choice) {
    case CHOOSE_ON_DEMAND:
        if (is_published)
            return price_of_figure(offer);
        /* A typed price takes precedence. */
        return offer->typed->price.nanos ? offer->typed : offer->on_demand;
    case CHOOSE_SPOT:
        return is_published && !offer->spot->price.nanos ? offer->published_spot : offer->spot;
    default:
        return offer->typed;
    }
}

/* Sources of prices other than feeds. */
static const struct price_at of_run = {.price.feed = "run"},
                             of_question = {.price.feed = "question"};

/* As old as the run: the price may have changed since. */
static enum freshness freshness_of_paid(const struct contender *contender, long long at_us)
{
    enum price_kind kind;

    return price_kind_from_name(contender->newest.paid_kind, &kind)
               ? freshness_of(kind, at_us - contender->standing.newest_us, 0)
               : PRICE_EXPIRED;
}

static bool use_paid(const struct contender *contender, long long at_us, struct row_price *price)
{
    if (!(contender->newest.paid_per_hour > 0)) {
        snprintf(price->why_not, sizeof price->why_not,
                 contender->is_published ? "a published figure was not paid for here"
                                         : "its newest run knew no price");
        return false;
    }
    price->known = true;
    price->at = &of_run;
    price->kind = contender->newest.paid_kind;
    price->freshness = freshness_of_paid(contender, at_us);
    price->list = contender->newest.paid_per_hour;
    price->factor = 1;
    price->dollars = price_exactly(price->list);
    return true;
}

/* Whether the newest run's price is still the price of an hour: if its owner gave it by
 * --price-per-hour, which wins over all feeds until a price is typed here, or as a typed price of
 * hardware that no feed knows. */
static bool owner_knows(const struct comparison_row *row, const struct price_at *at)
{
    const struct newest *newest = &row->contender->newest;
    bool entered_here = at && at->price.nanos && at->price.kind != PRICE_ON_DEMAND;

    if (strcmp(newest->paid_kind, "typed") != 0 && strcmp(newest->paid_kind, "own") != 0)
        return false;
    return strcmp(newest->paid_feed, "option") == 0 ? !entered_here : !row->offer;
}

static bool use_choice(const struct comparison_parts *parts, const struct comparison_row *row,
                       enum price_choice choice, struct row_price *price)
{
    const struct contender *contender = row->contender;
    const struct price_at *at = NULL;
    const long long at_us = parts->question->where.at_us;

    price->choice = choice;
    if (row->offer)
        at = price_of(&parts->question->where, row->offer, choice, contender->is_published);
    if (choice == CHOOSE_PAID ||
        ((choice == CHOOSE_ON_DEMAND || choice == CHOOSE_TYPED) && owner_knows(row, at)))
        return use_paid(contender, at_us, price);
    if (at && at->price.nanos) {
        use_price(parts, row, at, price);
        return true;
    }
    if (at && at->why_not[0])
        snprintf(price->why_not, sizeof price->why_not, "%s", at->why_not);
    else if (!contender->instance[0])
        snprintf(price->why_not, sizeof price->why_not, "the instance type is not known");
    else
        snprintf(price->why_not, sizeof price->why_not, "no feed has a price (%s) for %.60s%s%s",
                 price_choice_names[choice], contender->instance, row->home ? " in " : "",
                 row->home ? row->home : "");
    return false;
}

/* False if the question gives none. */
static bool use_given(const struct comparison_question *question, struct comparison_row *row)
{
    const struct about *given =
        most_special(question->prices, question->price_count, row->contender);

    if (given)
        row->price = (struct row_price){.known = true,
                                        .at = &of_question,
                                        .choice = CHOOSE_TYPED,
                                        .kind = "typed",
                                        .list = given->number,
                                        .factor = 1,
                                        .dollars = price_exactly(given->number)};
    return given != NULL;
}

void comparison_price_of_kind(const struct comparison_parts *parts, enum price_choice choice,
                              struct comparison_row *row)
{
    struct row_price price = {0};

    if (use_given(parts->question, row))
        return;
    use_choice(parts, row, choice, &price);
    row->price = price;
}

void comparison_price(const struct comparison_parts *parts, struct comparison_row *row)
{
    const struct comparison_question *question = parts->question;
    struct row_price first = {0};

    assert(question->kind_count > 0);
    if (use_given(question, row))
        return;
    for (size_t i = 0; i < question->kind_count; i++) {
        struct row_price price = {0};

        if (use_choice(parts, row, question->kinds[i], &price)) {
            row->price = price;
            return;
        }
        if (i == 0)
            first = price;
    }
    row->price = first; /* keep the reason for the first requested kind */
}

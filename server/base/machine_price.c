#include "server/base/machine_price.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/prices/discounts.h"
#include "pricing/feeds/source.h"
#include "pricing/freshness.h"
#include "pricing/machine/choice.h"

#include <stdarg.h>

#define PRICES_MAX 100000 /* of one instance type, in all regions */

/* Prices of the machine's type, one after another. */
struct search {
    const struct machine_price_question *question;
    struct identity identity; /* with the type under which its prices are stored */
    int rank;                 /* of the best; 0 while there is none */
    struct price_at best;
    long long expired_us;   /* last confirmation of the youngest expired price */
    char expired_feed[32];  /* "" if none */
    enum price_fit nearest; /* of prices that do not fit */
    struct price_at near;   /* the first of the nearest */
    long long near_count;
    struct price_at committed; /* a commitment for it, in its region if possible */
};

/* A commitment is never the price of a machine, so it is no near miss either. */
static void consider_commitment(struct search *search, const struct price_at *at)
{
    const struct identity *identity = search->question->identity;

    if (strcmp(at->price.provider, identity->provider) == 0 &&
        (!search->committed.price.nanos ||
         (strcmp(at->price.region, identity->region) == 0 &&
          strcmp(search->committed.price.region, identity->region) != 0)))
        search->committed = *at;
}

static void consider_near(struct search *search, enum price_fit fit, const struct price_at *at)
{
    if (fit == PRICE_OF_OTHER_TYPE || fit < search->nearest)
        return;
    if (fit > search->nearest) {
        search->near = *at;
        search->near_count = 0;
    }
    search->nearest = fit;
    search->near_count++;
}

static void machine_price_consider(void *user, const struct listed_price *listed)
{
    struct search *search = user;
    const struct price_at *at = &listed->at;
    enum price_fit fit = price_fit(&at->price, &search->identity);
    int rank = price_rank(&at->price, &search->identity);

    if (at->price.kind >= PRICE_COMMITTED) {
        consider_commitment(search, at);
        return;
    }
    if (fit != PRICE_FITS) {
        consider_near(search, fit, at);
        return;
    }
    if (freshness_of(at->price.kind, search->question->at_us - at->said_us,
                     source_pace_us(at->price.feed)) == PRICE_EXPIRED) {
        if (at->said_us >= search->expired_us)
            snprintf(search->expired_feed, sizeof search->expired_feed, "%s", at->price.feed);
        search->expired_us = at->said_us > search->expired_us ? at->said_us : search->expired_us;
        return;
    }
    if (rank <= search->rank)
        return;
    search->rank = rank;
    search->best = *at;
}

/* The most specific price comes first. */
static void take_off(void *user, const struct discount *discount)
{
    struct machine_price *price = user;

    if (price->discount[0] || price->factor < 1 || !discount_applies(discount, &price->at.price))
        return;
    price->factor = discount->factor;
    snprintf(price->discount, sizeof price->discount, "%s", discount->note);
}

static void take_option(const struct machine_price_question *question,
                        struct machine_price *price)
{
    struct price *typed = &price->at.price;

    price->known = price_set_number(typed, question->given);
    typed->kind = PRICE_TYPED;
    typed->fetched_us = price->at.since_us = question->at_us;
    snprintf(typed->currency, sizeof typed->currency, "USD");
    snprintf(typed->feed, sizeof typed->feed, "option");
}

__attribute__((format(printf, 2, 3))) static void say(struct machine_price *price,
                                                      const char *format, ...)
{
    size_t used = strlen(price->why_not);
    va_list values;

    va_start(values, format);
    vsnprintf(price->why_not + used, sizeof price->why_not - used, format, values);
    va_end(values);
}

/* "a price (spot) for c7i.2xlarge in us-east-1" */
static void say_what(const struct identity *identity, const char *begin,
                     struct machine_price *price)
{
    say(price, "%s a price (%s) for %.40s in %.40s", begin,
        identity->life_cycle[0] ? identity->life_cycle : "typed", identity->instance_type,
        identity->region[0] ? identity->region : "an unknown region");
}

static void explain_near(const struct search *search, struct machine_price *price)
{
    const struct identity *identity = search->question->identity;
    const struct price *near = &search->near.price;
    const char *kind = price_kind_name(near->kind);

    switch (search->nearest) {
    case PRICE_IN_OTHER_CURRENCY:
        say(price,
            "its price is known in %s alone (%.32s an hour, %.31s), and is not converted: enter "
            "it in USD, by POST /v1/prices or --price-per-hour",
            near->currency, near->text, near->feed);
        break;
    case PRICE_OF_UNKNOWN_KIND:
        say(price,
            "it is not known how this machine is paid for, while %.31s has a price (%s) for "
            "%.40s in %.39s: say --life-cycle on_demand or --life-cycle spot",
            near->feed, kind, near->instance_type,
            near->region[0] ? near->region : "all regions");
        break;
    case PRICE_OF_OTHER_KIND:
        say_what(identity, "no feed has", price);
        say(price,
            "; %.31s has its %s price, and one kind never stands in for another: --life-cycle %s "
            "if the machine is paid for that way, else --price-per-hour",
            near->feed, kind, kind);
        break;
    case PRICE_OF_OTHER_ZONE:
        say_what(identity, "no feed has", price);
        say(price, " for zone %.39s; one is known for zone %.39s: --zone names another",
            identity->zone[0] ? identity->zone : "(unknown)", near->zone);
        break;
    case PRICE_OF_OTHER_REGION:
        say_what(identity, "no feed has", price);
        say(price,
            "; a price of it is known in %.39s%s: --region names another, --price-per-hour "
            "gives a price",
            near->region, search->near_count > 1 ? " and elsewhere" : "");
        break;
    default:
        say_what(identity, "no feed has", price);
        say(price, "; %.15s has a type of that name: --provider names another", near->provider);
    }
}

static void explain_commitment(const struct search *search, struct machine_price *price)
{
    const struct price *committed = &search->committed.price;
    const char *kind = price_kind_name(committed->kind);

    say_what(search->question->identity, "no feed has", price);
    say(price,
        "; %.31s has its %s price%s%.39s, a commitment, which never stands in for another kind: "
        "price=%s compares with it, --price-per-hour gives a price",
        committed->feed, kind,
        strcmp(committed->region, search->question->identity->region) == 0 ? "" : " in ",
        strcmp(committed->region, search->question->identity->region) == 0 ? ""
                                                                           : committed->region,
        kind);
}

/* If no source has a price of the type: names other sources to turn on. */
static void explain_nothing(const struct machine_price_question *question,
                            struct machine_price *price)
{
    const struct identity *identity = question->identity;

    say_what(identity, "no feed has", price);
    if (strcmp(identity->provider, "gcp") == 0 && !question->has_gcp_key)
        say(price, ": PENNYWORTH_GCP_KEY reads Google's own list, and --feed gcp-third-party=on "
                   "the list of a third party");
    else
        say(price, ": GET /v1/prices?instance_type=%.40s tells what each feed says",
            identity->instance_type);
    say(price, "; --price-per-hour gives a price");
}

static void machine_price_explain(const struct search *search, struct machine_price *price)
{
    char time[RFC3339_SIZE];

    if (!search->question->identity->instance_type[0]) {
        say(price, "the instance type is not known: say --instance-type, --provider and --region,"
                   " or --price-per-hour, or type the price of this machine");
    } else if (search->question->identity->terms[0]) {
        say(price,
            "this machine is billed for %s, and feeds have prices of plain Linux only: set "
            "--price-per-hour, or type its price",
            search->question->identity->terms);
    } else if (search->expired_feed[0]) {
        clock_rfc3339(search->expired_us, time);
        say(price, "what the feeds say is too old: ");
        if (search->expired_us > 0)
            say(price, "%.31s said it last at %s; ", search->expired_feed, time);
        say(price, "GET /v1/feeds tells why, POST /v1/prices/refresh reads them again");
    } else if (search->nearest != PRICE_OF_OTHER_TYPE) {
        explain_near(search, price);
    } else if (search->committed.price.nanos) {
        explain_commitment(search, price);
    } else {
        explain_nothing(search->question, price);
    }
}

bool machine_price_find(struct db *db, const struct machine_price_question *question,
                        struct machine_price *ret_price, struct error *err)
{
    struct search search = {.question = question, .identity = *question->identity};
    struct machine_price price = {.factor = 1};
    char *type = search.identity.instance_type;

    if (!*type)
        snprintf(type, sizeof search.identity.instance_type, "%s",
                 question->name ? question->name : "");
    if (question->given > 0) {
        take_option(question, &price);
    } else if (*type) {
        const struct price_filter filter = {
            .instance_type = type, .at_us = question->at_us, .limit = PRICES_MAX};

        if (!price_list(db, &filter, machine_price_consider, &search, err))
            return false;
        price.known = search.rank > 0;
        price.at = search.best;
    }
    if (!price.known)
        machine_price_explain(&search, &price);
    else if (!discounts_each(db, question->at_us, take_off, &price, err))
        return false;
    if (price.known)
        price.dollars = price_exact((double)price.at.price.nanos / 1e9 * price.factor);
    *ret_price = price;
    return true;
}

/* Standings and offers made by hand, and what a comparison says of them:
 *     MEASURED(stage, "c7i.large", 40, .low = 39, .high = 41);
 *     OFFERED(stage, "c7i.large", .on_demand = 0.1);
 *     compare(stage, "price=on_demand"); */
#pragma once

#include "answers/compare/comparison.h"
#include "common/text.h"
#include "db/prices/offer_rows.h"
#include "tests/test.h"

#include <math.h>

#define STAGE_MAX 16
#define STAGE_NOW_US 1700000000000000LL

/* What a test says of a contender; NULL and 0 are the usual. */
struct seen {
    const char *instance;
    double value, low, high;
    const char *workload, *engine, *provider, *stratum, *configuration;
    const char *unit;     /* of a published figure, which this makes it */
    const char *software; /* NULL: "native 1" */
    const char *paid_kind, *paid_feed;
    double paid;
    enum standing_level level; /* 0: "steps" where there is an interval, else "point" */
    long long runs, vms, invalid, imported;
    long long age_days;
    bool nothing; /* no run of it counts */
};

struct priced {
    const char *instance, *provider;
    double on_demand, spot, low, high, typed, own, published, published_spot;
    const char *band, *why_not;
};

struct stage {
    struct query query;
    struct comparison_question question;
    struct standings standings;
    struct offers offers;
    struct discount_list discounts;
    struct ranking ranking;
};

static inline void stage_clear(struct stage *stage)
{
    comparison_clear(&stage->ranking);
    standings_free(&stage->standings);
    freep(&stage->offers.list);
    freep(&stage->offers.prices);
}

/* A test that has a new stage, `stage`. */
#define TEST_WITH_STAGE(name) TEST_GIVEN(name, struct stage *stage, with_stage)

static inline void with_stage(void (*test)(struct stage *stage))
{
    AUTO(stage_clear) struct stage stage = {0};

    test(&stage);
}

static inline char *stage_text(const char *text, const char *usual)
{
    char *copy = strdup(text ? text : usual);

    if (!copy)
        exit(1);
    return copy;
}

/* The spread of machines, or of runs, that gives the interval. */
static inline void stage_spread(struct standing *standing)
{
    long long values = standing->level == STANDING_VMS ? standing->vms : standing->runs;

    if (standing->level > STANDING_STEPS && values > 1)
        standing->spread = log(standing->interval.high / standing->interval.low) / 2 /
                           stats_t95((size_t)values - 1) * sqrt((double)values);
}

/* Machines that lie apart by that spread. */
static inline void stage_machines_of(struct standing *standing)
{
    double apart = standing->spread * sqrt((double)(standing->vms - 1) / 2);

    for (long long i = 0; i < standing->vms && i < STANDING_VALUES_MAX; i++)
        standing->machines[standing->machine_count++] = standing->value;
    if (standing->vms > 1) {
        standing->machines[0] *= exp(-apart);
        standing->machines[standing->machine_count - 1] *= exp(apart);
    }
}

static inline struct standing stage_standing(const struct seen *seen)
{
    struct standing standing = {.level = seen->level, .invalid = seen->invalid};

    if (seen->nothing)
        return standing;
    if (standing.level == STANDING_NONE)
        standing.level = seen->low > 0 ? STANDING_STEPS : STANDING_POINT;
    standing.value = seen->value;
    standing.interval =
        (struct range){.known = seen->low > 0, .low = seen->low, .high = seen->high};
    standing.newest_us = standing.first_us = STAGE_NOW_US - seen->age_days * 86400000000LL;
    standing.imported = seen->imported;
    if (!seen->unit) {
        standing.runs = seen->runs ? seen->runs : 1;
        standing.vms = seen->vms ? seen->vms : 1;
    }
    stage_spread(&standing);
    stage_machines_of(&standing);
    standing.noise = seen->low > 0 ? log(seen->high / seen->low) / (2 * Z_95) : 0;
    return standing;
}

static inline void stage_see(struct stage *stage, const struct seen *seen)
{
    struct standings *standings = &stage->standings;

    if (!standings->list)
        standings->list = calloc(STAGE_MAX, sizeof *standings->list);
    EXPECT(standings->list && standings->count < STAGE_MAX);
    if (!standings->list || standings->count == STAGE_MAX)
        exit(test_result());
    struct contender *contender = &standings->list[standings->count++];
    contender->number = (long long)standings->count;
    snprintf(contender->id, sizeof contender->id, "%016zx", standings->count);
    contender->workload = stage_text(seen->workload, "resnet50");
    contender->engine = stage_text(seen->engine, "native");
    contender->configuration =
        stage_text(seen->configuration, "{\"precision\":\"bf16\",\"batch_size\":16}");
    configuration_read(contender->configuration, &contender->setup);
    contender->provider = stage_text(seen->provider, "aws");
    contender->instance = stage_text(seen->instance, "");
    contender->stratum = stage_text(seen->stratum, "s1");
    contender->is_published = seen->unit != NULL;
    contender->standing = stage_standing(seen);
    if (seen->unit) {
        TEXT_COPY(contender->published.unit, seen->unit);
        snprintf(contender->published.source, sizeof contender->published.source, "an article");
    } else {
        TEXT_COPY(contender->newest.software, seen->software ? seen->software : "native 1");
        snprintf(contender->version, sizeof contender->version, "%.*s",
                 (int)strcspn(contender->newest.software, ","), contender->newest.software);
    }
    contender->newest.paid_per_hour = seen->paid;
    TEXT_COPY(contender->newest.paid_kind, seen->paid_kind ? seen->paid_kind : "");
    TEXT_COPY(contender->newest.paid_feed, seen->paid_feed ? seen->paid_feed : "");
}

/* MEASURED(stage, "c7i.large", 40, .low = 39, .high = 41) */
#define MEASURED(stage, instance_, ...)                                                          \
    stage_see((stage), &(struct seen){.instance = (instance_), .value = __VA_ARGS__})
#define PUBLISHED(stage, instance_, value_)                                                      \
    stage_see((stage),                                                                           \
              &(struct seen){.instance = (instance_), .value = (value_), .unit = "sample"})

static inline struct price_at *stage_price(struct offers *offers, const struct offer *offer,
                                           double dollars, enum price_kind kind, const char *feed,
                                           const char *why_not)
{
    struct price_at *at = &offers->prices[offers->price_count++];

    at->price = (struct price){.kind = kind, .region = "us-east-1", .fetched_us = STAGE_NOW_US};
    at->price.nanos = llround(dollars * 1e9);
    TEXT_COPY(at->price.provider, offer->provider);
    TEXT_COPY(at->price.instance_type, offer->instance);
    at->since_us = STAGE_NOW_US;
    if (dollars > 0)
        TEXT_COPY(at->price.feed, feed);
    else
        TEXT_COPY(at->why_not, why_not ? why_not : "");
    return at;
}

static inline void stage_offer(struct stage *stage, const struct priced *priced)
{
    struct offers *offers = &stage->offers;
    const char *provider = priced->provider ? priced->provider : "aws", *why = priced->why_not;
    double typed = priced->own > 0 ? priced->own : priced->typed;
    struct price_at *spot;
    struct offer offer = {0};
    size_t at = 0;

    if (!offers->list) {
        offers->list = calloc(STAGE_MAX, sizeof *offers->list);
        offers->prices = calloc(STAGE_MAX * 5, sizeof *offers->prices);
    }
    EXPECT(offers->list && offers->prices && offers->count < STAGE_MAX);
    if (!offers->list || !offers->prices || offers->count == STAGE_MAX)
        exit(test_result());
    TEXT_COPY(offer.provider, provider);
    TEXT_COPY(offer.instance, priced->instance);
    TEXT_COPY(offer.band, priced->band ? priced->band : "");
#define STAGED(dollars, kind, feed) stage_price(offers, &offer, dollars, kind, feed, why)
    offer.spot = spot = STAGED(priced->spot, PRICE_SPOT, "made-up");
    spot->low = priced->low;
    spot->high = priced->high;
    offer.on_demand = STAGED(priced->on_demand, PRICE_ON_DEMAND, "made-up");
    offer.typed = STAGED(typed, priced->own > 0 ? PRICE_OWN : PRICE_TYPED, "made-up");
    offer.published_on_demand = STAGED(priced->published, PRICE_ON_DEMAND, PUBLISHED_FEED);
    offer.published_spot = STAGED(priced->published_spot, PRICE_SPOT, PUBLISHED_FEED);
#undef STAGED
    while (at < offers->count &&
           offer_name_order(offers->list[at].instance, offers->list[at].provider, offer.instance,
                            offer.provider) < 0)
        at++;
    memmove(&offers->list[at + 1], &offers->list[at], (offers->count - at) * sizeof offer);
    offers->list[at] = offer;
    offers->count++;
}

#define OFFERED(stage, instance_, ...)                                                           \
    stage_offer((stage), &(struct priced){.instance = (instance_), __VA_ARGS__})

/* A hundred samples a second, within one of them. */
#define USUAL(stage, ...)                                                                        \
    stage_see((stage),                                                                           \
              &(struct seen){.value = 100, .low = 99, .high = 101, .instance = __VA_ARGS__})

/* A type that is offered so, and was measured as usual. */
#define SOLD(stage, instance_, ...)                                                              \
    stage_sell((stage), &(struct priced){.instance = (instance_), __VA_ARGS__})

static inline void stage_sell(struct stage *stage, const struct priced *priced)
{
    stage_offer(stage, priced);
    USUAL(stage, priced->instance, .provider = priced->provider);
}

/* Reads a question as it stands behind the '?' of a URL. */
static inline bool stage_ask(struct stage *stage, const char *text, struct error *err)
{
    static const struct identity here = {.provider = "aws", .region = "eu-north-1"};
    char target[QUERY_MAX];

    snprintf(target, sizeof target, "/v1/comparison?%s", text);
    return query_read(target, &stage->query, err) &&
           comparison_question_read(&stage->query, &here, STAGE_NOW_US, &stage->question, err);
}

static inline bool stage_compare(struct stage *stage, const char *text, struct error *err)
{
    struct comparison_parts parts = {.question = &stage->question,
                                     .standings = &stage->standings,
                                     .offers = &stage->offers,
                                     .discounts = &stage->discounts};

    comparison_clear(&stage->ranking);
    stage->ranking = (struct ranking){0};
    return stage_ask(stage, text, err) && comparison_make(&parts, &stage->ranking, err);
}

/* A question that must be answered. */
static inline void compare(struct stage *stage, const char *text)
{
    EXPECT_OK(stage_compare(stage, text, &err));
}

/* Between which ranks a row lies; 0 and 0: it is not ranked. */
#define EXPECT_RANKS(row, low_, high_)                                                           \
    do {                                                                                         \
        EXPECT_INT((long long)(row)->rank.low, low_);                                            \
        EXPECT_INT((long long)(row)->rank.high, high_);                                          \
    } while (0)

/* The first row of an instance; one of nothing where there is none. */
static inline const struct comparison_row *row_of(const struct stage *stage, const char *instance)
{
    static const struct contender no_contender;
    static const struct comparison_row none = {.contender = &no_contender};

    for (size_t i = 0; i < stage->ranking.count; i++)
        if (strcmp(stage->ranking.rows[i].contender->instance, instance) == 0)
            return &stage->ranking.rows[i];
    test_fail(__FILE__, __LINE__, instance);
    return &none;
}

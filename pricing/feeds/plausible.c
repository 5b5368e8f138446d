#include "pricing/feeds/plausible.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "pricing/feeds/coverage.h"
#include "pricing/feeds/list_prices.h"

#include <assert.h>

#define COVERAGE_PERCENT 80
#define MANY_PERCENT 10
#define LIKE_PERCENT 90
#define SWAPPED_PERCENT 25
#define MOST_PERCENT 50
#define EXPENSIVE 2

/* The limits of each kind, in hundredths: of a leap, of a drift, and of the difference between
 * two readings that nearly agree. */
static const struct kind_rule {
    const char *name, *leap_words, *drift_words;
    long long leap, drift, same;
} plausible_rules[] = {
    [MOVES_ON_DEMAND] = {"on-demand", "more than a quarter", "more than 5 %", 125, 105, 102},
    [MOVES_SPOT] = {"spot", "more than 2 times", "more than half", 200, 150, 125},
    [MOVES_COMMITTED] = {"committed", "more than a quarter", "more than 5 %", 125, 105, 102},
};

enum move_group move_group_of(enum price_kind kind)
{
    if (kind >= PRICE_COMMITTED)
        return MOVES_COMMITTED;
    return kind == PRICE_SPOT ? MOVES_SPOT : MOVES_ON_DEMAND;
}

static const struct kind_rule *rule_of(enum price_kind kind)
{
    return &plausible_rules[move_group_of(kind)];
}

static bool is_beyond(long long hundredths, long long left_nanos, long long right_nanos)
{
    return left_nanos * 100 > right_nanos * hundredths ||
           right_nanos * 100 > left_nanos * hundredths;
}

bool is_leap(enum price_kind kind, long long before_nanos, long long after_nanos)
{
    return is_beyond(rule_of(kind)->leap, before_nanos, after_nanos);
}

bool is_drift(enum price_kind kind, long long before_nanos, long long after_nanos)
{
    return is_beyond(rule_of(kind)->drift, before_nanos, after_nanos);
}

bool is_confirmed(enum price_kind kind, long long held_nanos, long long after_nanos)
{
    return held_nanos > 0 && !is_beyond(rule_of(kind)->same, held_nanos, after_nanos);
}

bool spot_is_expensive(long long spot_nanos, long long on_demand_nanos)
{
    return on_demand_nanos > 0 && spot_nanos > on_demand_nanos * EXPENSIVE;
}

bool is_level(long long left_nanos, long long right_nanos)
{
    return left_nanos > 0 &&
           !is_beyond(plausible_rules[MOVES_ON_DEMAND].same, left_nanos, right_nanos);
}

static bool is_share(size_t odd, size_t count, size_t percent)
{
    return odd > COVERAGE_FEW && odd * 100 > count * percent;
}

bool are_many(size_t odd, size_t count)
{
    return is_share(odd, count, MANY_PERCENT);
}

bool source_is_trusted(const struct source *source)
{
    return source->needs & NEEDS_FILE;
}

bool type_is_asked_for(const struct source *source, const char *types, const char *name)
{
    static const char blanks[] = ", ";
    size_t size = strlen(name);

    if (!(source->needs & NEEDS_TYPES) || !types || !*types)
        return true;
    for (types += strspn(types, blanks); *types; types += strspn(types, blanks)) {
        size_t length = strcspn(types, blanks);

        if (length == size && memcmp(types, name, size) == 0)
            return true;
        types += length;
    }
    return false;
}

static bool has_type(const struct price_batch *batch, const char *name)
{
    const struct price *price;
    size_t position = 0;

    while ((price = price_batch_next(batch, &position)) != NULL)
        if (price->kind < PRICE_COMMITTED && strcmp(price->instance_type, name) == 0)
            return true;
    return false;
}

static bool has_regions(const struct price_batch *batch, size_t wanted)
{
    AUTO(freep) char(*regions)[40] = xcalloc(wanted + 1, sizeof *regions);
    const struct price *price;
    size_t position = 0, count = 0;

    while (count < wanted && (price = price_batch_next(batch, &position)) != NULL) {
        size_t known = 0;

        while (known < count && strcmp(regions[known], price->region) != 0)
            known++;
        if (known == count)
            memcpy(regions[count++], price->region, sizeof regions[0]);
    }
    return count >= wanted;
}

/* Whether the reading has enough of the known prices. */
static bool reading_covers(const struct moves *known, const struct change *change,
                           const char *which, struct error *err)
{
    bool empty = known->before > 0 && change->after == 0;

    return (!empty && (known->before - known->common <= COVERAGE_FEW ||
                       known->common * 100 >= known->before * COVERAGE_PERCENT)) ||
           error_set(err, ERROR_UPSTREAM, NULL,
                     "not accepted: it has %zu of the %zu %sprices that it had before",
                     known->common, known->before, which);
}

static bool is_whole(const struct source *source, const struct price_batch *batch,
                     const struct change *change, struct error *err)
{
    const struct moves *committed = &change->moves[MOVES_COMMITTED];
    const struct moves by_hour = {.before = change->before - committed->before,
                                  .common = change->common - committed->common};

    for (const char *const *name = source->sentinels; name && *name; name++)
        if (!has_type(batch, *name))
            return error_set(err, ERROR_UPSTREAM, NULL,
                             "not accepted: it has no price for %s, which it always had", *name);
    if (source->min_regions > 0 && !has_regions(batch, source->min_regions))
        return error_set(err, ERROR_UPSTREAM, NULL, "not accepted: it has fewer than %zu regions",
                         source->min_regions);
    return reading_covers(&by_hour, change, "", err) &&
           reading_covers(committed, change, "committed ", err);
}

static bool moves_as_its_kind(const struct moves *moves, const struct kind_rule *rule,
                              struct error *err)
{
    assert(moves->leapt <= moves->common && moves->common <= moves->before);
    if (are_many(moves->leapt, moves->common))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "not accepted: %zu of %zu %s prices moved by %s", moves->leapt,
                         moves->common, rule->name, rule->leap_words);
    if (is_share(moves->drifted, moves->common, MOST_PERCENT))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "not accepted: %zu of %zu %s prices moved by %s", moves->drifted,
                         moves->common, rule->name, rule->drift_words);
    return true;
}

/* Whether it is the page that it should be. A page of spot prices stays one, and differs from the
 * list on demand by less than the limits now and then. */
static bool is_its_page(const struct price_batch *batch, const struct change *change,
                        struct error *err)
{
    const struct cross_check *cross = &change->cross;
    const struct moves *list = &change->moves[MOVES_ON_DEMAND];

    assert(cross->swapped <= cross->lists && cross->expensive <= cross->spots &&
           list->fell <= list->leapt);
    if (is_share(cross->swapped, cross->lists, SWAPPED_PERCENT))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "not accepted: %zu of %zu on-demand prices are known as spot prices",
                         cross->swapped, cross->lists);
    if (are_many(cross->expensive, cross->spots))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "not accepted: %zu of %zu spot prices are more than %d times the price"
                         " on demand",
                         cross->expensive, cross->spots, EXPENSIVE);
    if (is_share(list->fell, list->common, MOST_PERCENT))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "not accepted: %zu of %zu on-demand prices fell by more than a fifth, as"
                         " if they were spot prices",
                         list->fell, list->common);
    return change->before > 0 || list_prices_fit(batch, err);
}

static bool fits_others(const struct cross_check *cross, struct error *err)
{
    assert(cross->level <= cross->spots && cross->strange <= cross->firsts);
    if (is_share(cross->level, cross->spots, SWAPPED_PERCENT))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "not accepted: %zu of %zu spot prices are known as on-demand prices",
                         cross->level, cross->spots);
    if (are_many(cross->strange, cross->firsts))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "not accepted: other feeds say otherwise of %zu of %zu prices",
                         cross->strange, cross->firsts);
    return true;
}

enum plausibility change_plausibility(const struct source *source,
                                      const struct price_batch *batch,
                                      const struct change *change, struct error *err)
{
    assert(change->common <= change->before && change->agreed <= change->contested);
    if (!is_its_page(batch, change, err))
        return WANTS_PERSON;
    if (!is_whole(source, batch, change, err) || !fits_others(&change->cross, err))
        return WANTS_ANOTHER;
    for (int group = 0; group < MOVE_GROUPS; group++)
        if (!moves_as_its_kind(&change->moves[group], &plausible_rules[group], err))
            return WANTS_ANOTHER;
    return IS_PLAUSIBLE;
}

bool change_is_like(const struct change *change, const struct doubt *doubt)
{
    size_t prices = (size_t)doubt->prices;

    return doubt->until_us > 0 && change->after > 0 &&
           change->after * 100 >= prices * COVERAGE_PERCENT &&
           prices * 100 >= change->after * COVERAGE_PERCENT &&
           change->agreed * 100 >= change->contested * LIKE_PERCENT;
}

struct doubt change_doubt(const struct change *change, enum plausibility found,
                          const struct doubt *before, long long now_us)
{
    struct doubt doubt = {now_us + DOUBT_SECONDS * US_PER_SECOND, (long long)change->after};

    assert(found != IS_PLAUSIBLE);
    if (found == WANTS_PERSON)
        doubt.until_us = DOUBT_ENDLESS;
    else if (change_is_like(change, before) && before->until_us < doubt.until_us)
        doubt.until_us = before->until_us;
    return doubt;
}

bool change_is_confirmed(const struct change *change, enum plausibility found,
                         const struct doubt *doubt, long long now_us)
{
    return found == WANTS_ANOTHER && change_is_like(change, doubt) && now_us >= doubt->until_us;
}

#include "answers/compare/comparison.h"
#include "answers/compare/comparison_unmatched.h"
#include "answers/compare/decide.h"
#include "answers/compare/job.h"
#include "answers/compare/price.h"
#include "answers/compare/rank.h"
#include "answers/compare/refer.h"
#include "answers/compare/sides.h"

#include "answers/compare/newest_versions.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "pricing/machine/choice.h"

#include <math.h>

#define STALE_US (90 * US_PER_DAY)

static bool is_asked_instance(const struct comparison_question *question, const char *instance)
{
    for (size_t i = 0; i < question->instance_count; i++)
        if (strcmp(question->instances[i], instance) == 0)
            return true;
    return question->instance_count == 0;
}

static bool comparison_agrees(const char *asked, const char *is)
{
    return !asked || strcmp(asked, is) == 0;
}

static bool passes_filters(const struct comparison_question *question,
                           const struct contender *contender)
{
    if (!comparison_agrees(question->engine, contender->engine) ||
        !comparison_agrees(question->provider, contender->provider) ||
        !comparison_agrees(question->stratum, contender->stratum) ||
        !is_asked_instance(question, contender->instance))
        return false;
    if (question->provenance && strcmp(question->provenance, "all") != 0 &&
        (strcmp(question->provenance, "published") == 0) != contender->is_published)
        return false;
    return configuration_matches(&contender->setup, question->precision, question->batch_size);
}

static int unit_order(const struct contender *left, const struct contender *right)
{
    return strcmp(left->published.unit, right->published.unit);
}

/* A contender and the lower end of its speed's interval, widened if few machines were measured; 0
 * without an interval. */
struct candidate {
    const struct contender *contender;
    double surely;
};

/* Of the same machine, workload and provenance: only one of their configurations is the best. */
static bool are_rivals(const struct contender *left, const struct contender *right)
{
    return left->is_published == right->is_published && unit_order(left, right) == 0 &&
           strcmp(left->instance, right->instance) == 0 &&
           strcmp(left->provider, right->provider) == 0 &&
           strcmp(left->stratum, right->stratum) == 0;
}

/* Groups rivals, the best first: less evidence never replaces more. */
static int by_rivals(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    const struct contender *l = a->contender, *r = b->contender;
    int order = strcmp(l->instance, r->instance);

    if (order == 0)
        order = strcmp(l->provider, r->provider);
    if (order == 0)
        order = strcmp(l->stratum, r->stratum);
    if (order == 0)
        order = l->is_published - r->is_published;
    if (order == 0)
        order = unit_order(l, r);
    if (order == 0)
        order = (a->surely < b->surely) - (a->surely > b->surely);
    if (order == 0)
        order = (l->standing.value < r->standing.value) - (l->standing.value > r->standing.value);
    return order != 0 ? order : (l->number > r->number) - (l->number < r->number);
}

/* Keeps the best of each group of rivals; returns how many are left. */
static size_t keep_best(struct candidate *chosen, size_t count, double vm_spread)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct range between = standing_between(&chosen[i].contender->standing, vm_spread);

        chosen[i].surely = between.known ? between.low : 0;
    }
    qsort(chosen, count, sizeof *chosen, by_rivals);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || !are_rivals(chosen[kept - 1].contender, chosen[i].contender))
            chosen[kept++] = chosen[i];
    return kept;
}

/* Empty: its runs were voided, or its figure was removed. */
static bool is_empty(const struct contender *contender)
{
    return contender->standing.level == STANDING_NONE && contender->standing.invalid == 0;
}

/* Selects the contenders of the question; counts the others. */
static struct candidate *comparison_choose_contenders(const struct comparison_parts *parts,
                                                      struct ranking *ranking)
{
    const struct comparison_question *question = parts->question;
    const struct standings *standings = parts->standings;
    struct candidate *chosen = xcalloc(standings->count, sizeof *chosen);
    bool all = strcmp(question->configuration, "all") == 0;
    bool best = strcmp(question->configuration, "best") == 0;
    size_t count = 0;

    for (size_t i = 0; i < standings->count; i++) {
        const struct contender *contender = &standings->list[i];

        if (strcmp(contender->workload, question->workload) != 0 || is_empty(contender))
            continue;
        if (!passes_filters(question, contender) ||
            (!all && !best && strcmp(question->configuration, contender->id) != 0))
            ranking->filtered++;
        else
            chosen[count++].contender = contender;
    }
    ranking->count = count;
    if (best && count > 0)
        ranking->count = keep_best(chosen, count, question->vm_spread_percent / 100);
    ranking->filtered += count - ranking->count;
    return chosen;
}

static struct amount amount_of(double value, const struct range *range)
{
    return (struct amount){.value = value,
                           .low = range->known ? range->low : 0,
                           .high = range->known ? range->high : 0,
                           .has_interval = range->known && range->low > 0};
}

/* By version order and age, not by time of report. */
static void look_at_age(const struct comparison_parts *parts,
                        const struct newest_versions *newest, struct comparison_row *row)
{
    const struct contender *contender = row->contender;
    const char *version = newest_version_of(newest, contender->engine);
    long long age_us = parts->question->where.at_us - contender->standing.newest_us;

    if (contender->is_published)
        return;
    row->is_stale = true;
    if (age_us > STALE_US)
        snprintf(row->why_stale, sizeof row->why_stale, "measured more than %lld days before",
                 STALE_US / US_PER_DAY);
    else if (newest_version_is_newer(newest, contender->engine, contender->version))
        snprintf(row->why_stale, sizeof row->why_stale,
                 "measured with an older version than %.*s", run_version_length(version),
                 version);
    else
        row->is_stale = false;
}

static void look_at_peak(struct comparison_row *row)
{
    const struct contender *contender = row->contender;
    struct effort effort = {
        .isa = contender->newest.isa,
        .precision = configuration_matches(&contender->setup, "bf16", 0) ? "bf16" : "f32",
        .cores = contender->newest.threads,
        .hertz = contender->newest.hertz,
        .multiply_adds = contender->newest.multiply_adds,
        .samples_per_second = contender->standing.value};

    row->has_peak = peak_flops_estimate(&effort, &row->peak);
}

/* Prices of a machine without a type have a name of their own. */
static const struct offer *find_offer(const struct offers *offers,
                                      const struct contender *contender)
{
    return contender->newest.machine[0]
               ? offers_find(offers, "", contender->newest.machine)
               : offers_find(offers, contender->provider, contender->instance);
}

static void comparison_fill(const struct comparison_parts *parts,
                            const struct newest_versions *newest, struct comparison_row *row)
{
    const struct standing *standing = &row->contender->standing;
    struct range between = standing_between(standing, parts->question->vm_spread_percent / 100);

    row->home = parts->homes ? home_region(&parts->question->where, row->contender) : NULL;
    row->offer = row->home ? homes_find(parts->homes, row->home, row->contender)
                           : find_offer(parts->offers, row->contender);
    if (parts->capacity)
        row->capacity = capacity_counts_find(parts->capacity, row->contender->provider,
                                             row->contender->instance);
    row->ratio.value = row->speed_ratio.value = NAN;
    row->break_even_speed = row->break_even_price = row->utility = row->score = NAN;
    comparison_price(parts, row);
    if (standing->level == STANDING_NONE)
        return;
    row->speed = amount_of(standing->value, &standing->interval);
    row->between = amount_of(standing->value, &between);
    comparison_job(parts->question, row);
    look_at_age(parts, newest, row);
    look_at_peak(row);
}

/* Types with published figures only are no offers, nor is this machine. A price typed for any
 * provider counts for each. */
static bool can_be_had(const struct offers *offers, size_t at)
{
    const struct offer *offer = &offers->list[at];

    if (!offer->provider[0] && at + 1 < offers->count &&
        strcmp(offer->instance, offers->list[at + 1].instance) == 0)
        return false;
    return !price_is_of_machine(offer->instance) &&
           (offer->on_demand->price.nanos || offer->spot->price.nanos ||
            offer->typed->price.nanos);
}

/* Types for rent here without a measurement of this workload. Contenders that the filters exclude
 * count as measured. */
static void find_unmeasured(const struct comparison_parts *parts, struct ranking *ranking)
{
    const struct comparison_question *question = parts->question;
    const struct offers *offers = parts->offers;
    AUTO(freep) bool *measured = xcalloc(offers->count, sizeof *measured);

    ranking->unmeasured = xcalloc(offers->count, sizeof *ranking->unmeasured);
    for (size_t i = 0; i < parts->standings->count; i++) {
        const struct contender *contender = &parts->standings->list[i];
        const struct offer *offer = strcmp(contender->workload, question->workload) == 0
                                        ? find_offer(offers, contender)
                                        : NULL;

        if (offer)
            measured[offer - offers->list] = true;
    }
    for (size_t i = 0; i < offers->count; i++)
        if (!measured[i] && can_be_had(offers, i) &&
            comparison_agrees(question->provider, offers->list[i].provider) &&
            is_asked_instance(question, offers->list[i].instance))
            ranking->unmeasured[ranking->unmeasured_count++] = &offers->list[i];
}

bool comparison_make(const struct comparison_parts *parts, struct ranking *ret_ranking,
                     struct error *err)
{
    AUTO(comparison_clear) struct ranking ranking = {.subset_cut = parts->subset_cut};
    AUTO(freep) struct candidate *chosen = comparison_choose_contenders(parts, &ranking);
    struct newest_versions newest = newest_versions_find(parts->standings);

    ranking.rows = xcalloc(ranking.count, sizeof *ranking.rows);
    for (size_t i = 0; i < ranking.count; i++) {
        ranking.rows[i].contender = chosen[i].contender;
        comparison_fill(parts, &newest, &ranking.rows[i]);
    }
    comparison_rank(parts, &ranking);
    if (!comparison_refer(parts->question, &ranking, err))
        return false;
    find_unmeasured(parts, &ranking);
    comparison_unmatched(parts, ranking.unmatched, &ranking.unmatched_count);
    comparison_mark_front(&ranking);
    comparison_decide(parts, &ranking);
    comparison_look_at_sides(parts, &ranking);
    *ret_ranking = ranking;
    ranking = (struct ranking){0};
    return true;
}

void comparison_clear(struct ranking *ranking)
{
    freep(&ranking->rows);
    freep(&ranking->sides);
    freep(&ranking->unmeasured);
    rank_intervals_clear(&ranking->intervals);
}

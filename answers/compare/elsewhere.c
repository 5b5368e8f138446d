/* Tested by tests/api/test_priced_where_measured.py. */
#include "answers/compare/elsewhere.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/prices/price_places.h"
#include "pricing/commitment.h"

#include <assert.h>

/* The requested name, and the known alternatives. */
struct alternatives {
    const struct comparison_question *question;
    const struct comparison_row *row;
    enum price_choice choice;
    char region[REGION_SIZE]; /* another region with a price of this kind; "" none */
    char last[REGION_SIZE];   /* of those regions */
    size_t regions;
    char currency[4]; /* another currency, here; "" none */
    char zone[REGION_SIZE];
    bool kinds[PRICE_KINDS]; /* other kinds, here */
};

static bool is_here(const struct alternatives *alternatives, const char *region)
{
    const char *const *regions = alternatives->question->where.regions;

    if (alternatives->row->home)
        return !*region || strcmp(alternatives->row->home, region) == 0;
    return !*region || text_is_listed(regions, region);
}

static bool is_kind(enum price_choice choice, enum price_kind kind)
{
    if (choice >= CHOOSE_COMMITTED)
        return (int)kind - (int)PRICE_COMMITTED == (int)choice - (int)CHOOSE_COMMITTED;
    switch (choice) {
    case CHOOSE_ON_DEMAND:
        return kind == PRICE_ON_DEMAND;
    case CHOOSE_SPOT:
        return kind == PRICE_SPOT;
    default:
        return kind == PRICE_TYPED || kind == PRICE_OWN;
    }
}

static void elsewhere_look(void *user, const struct price_place *place)
{
    struct alternatives *alternatives = user;
    bool here = is_here(alternatives, place->region),
         dollars = strcmp(place->currency, "USD") == 0;

    if (!is_kind(alternatives->choice, place->kind)) {
        alternatives->kinds[place->kind] |= here && dollars;
        return;
    }
    if (!dollars) {
        if (here)
            snprintf(alternatives->currency, sizeof alternatives->currency, "%s",
                     place->currency);
        return;
    }
    if (here) {
        snprintf(alternatives->zone, sizeof alternatives->zone, "%s", place->zone);
        return;
    }
    if (!alternatives->region[0])
        snprintf(alternatives->region, sizeof alternatives->region, "%s", place->region);
    alternatives->regions += strcmp(alternatives->last, place->region) != 0;
    snprintf(alternatives->last, sizeof alternatives->last, "%s", place->region);
}

/* Names the feed with commitments of that kind, or says that the provider sells none. */
static void say_feed(const struct alternatives *alternatives, char *end, size_t room)
{
    const enum price_kind kind =
        (enum price_kind)(PRICE_COMMITTED + (alternatives->choice - CHOOSE_COMMITTED));
    const char *provider = alternatives->row->contender->provider;
    const char *const *regions = alternatives->question->where.regions;
    const char *region = alternatives->row->home ? alternatives->row->home : regions[0];
    const char *feed = commitment_feed(provider ? provider : "", kind);
    size_t length = feed ? strcspn(feed, "%") : 0;

    if (!provider || !*provider)
        return;
    if (!feed)
        snprintf(end, room, "; no feed knows such a kind of %.15s", provider);
    else
        snprintf(end, room, "; --feed '%.*s%s' reads it", (int)length, feed,
                 feed[length] && region ? region : "");
}

/* The nearest alternative: only that one is named. */
static void elsewhere_say(const struct alternatives *alternatives, char text[WHY_NO_PRICE_SIZE])
{
    size_t used = strlen(text), room = WHY_NO_PRICE_SIZE - used;
    char *end = text + used;

    if (alternatives->currency[0]) {
        snprintf(end, room, "; one is known in %s, which is not converted",
                 alternatives->currency);
        return;
    }
    if (alternatives->zone[0]) {
        snprintf(end, room, "; one is known for zone %s: zone=%s asks for it", alternatives->zone,
                 alternatives->zone);
        return;
    }
    if (alternatives->region[0]) {
        used = (size_t)snprintf(end, room, "; one is known in %s", alternatives->region);
        if (alternatives->regions > 1 && used < room)
            used += (size_t)snprintf(end + used, room - used, " and %zu more",
                                     alternatives->regions - 1);
        if (used < room)
            snprintf(end + used, room - used, ": region=%s asks there", alternatives->region);
        return;
    }
    if (alternatives->choice >= CHOOSE_COMMITTED) {
        say_feed(alternatives, end, room);
        used = strlen(text);
        end = text + used;
        room = WHY_NO_PRICE_SIZE - used;
    }
    for (size_t kind = 0; kind < PRICE_KINDS; kind++)
        if (alternatives->kinds[kind]) {
            snprintf(end, room, "; a price of another kind is known: price=%s",
                     kind == PRICE_OWN ? "typed" : price_kind_names[kind]);
            return;
        }
}

static bool elsewhere_complete(struct db *db, const struct comparison_question *question,
                               const struct comparison_row *row, struct row_price *price,
                               struct error *err)
{
    struct alternatives alternatives = {
        .question = question, .row = row, .choice = price->choice};
    const struct contender *contender = row->contender;

    if (price->known || price->choice == CHOOSE_PAID || !contender->instance[0] ||
        contender->is_published || strncmp(price->why_not, "expired", 7) == 0)
        return true;
    if (!price_places_each(db, text_or_null(contender->provider), contender->instance,
                           elsewhere_look, &alternatives, err))
        return false;
    elsewhere_say(&alternatives, price->why_not);
    return true;
}

bool comparison_look_elsewhere(struct db *db, const struct comparison_question *question,
                               struct ranking *ranking, struct error *err)
{
    for (size_t i = ranking->sides_first;
         i < ranking->count && i - ranking->sides_first < (size_t)question->limit; i++) {
        struct comparison_row *row = &ranking->rows[i];
        struct row_side *sides = &ranking->sides[(i - ranking->sides_first) * ROW_SIDES];
        bool same = strcmp(row->why_no_rank, row->price.why_not) == 0;

        if (!elsewhere_complete(db, question, row, &row->price, err))
            return false;
        if (same && !row->price.known)
            memcpy(row->why_no_rank, row->price.why_not, sizeof row->why_no_rank);
        for (size_t k = 0; k < ROW_SIDES; k++)
            if (!elsewhere_complete(db, question, row, &sides[k].price, err))
                return false;
    }
    return true;
}

/* The names most similar to the requested one. */
struct nearest {
    const char *value;
    size_t alike;
    char name[REGION_SIZE];
};

static void note_nearest(void *user, const char *name)
{
    struct nearest *nearest = user;
    size_t alike = text_likeness(nearest->value, strlen(nearest->value), name, strlen(name));

    if (nearest->name[0] && alike <= nearest->alike)
        return;
    nearest->alike = alike;
    snprintf(nearest->name, sizeof nearest->name, "%s", name);
}

static void elsewhere_add(struct unmatched list[UNMATCHED_MAX], size_t *count,
                          const char *parameter, const struct nearest *nearest)
{
    struct unmatched *unmatched = &list[*count];

    assert(*count < UNMATCHED_MAX);
    (*count)++;
    *unmatched = (struct unmatched){.parameter = parameter};
    snprintf(unmatched->value, sizeof unmatched->value, "%s", nearest->value);
    snprintf(unmatched->words, sizeof unmatched->words, "no price is of this %s%s%s%s", parameter,
             nearest->name[0] ? "; the nearest that one is of is " : "; none is of any",
             nearest->name,
             strcmp(parameter, "zone") == 0 && strchr(nearest->value, '-') &&
                     strstr(nearest->value, "-az")
                 ? "; ids of zones are mapped to names for this machine's zone alone"
                 : "");
    unmatched_mend(unmatched);
}

bool unmatched_places(struct db *db, const struct offers_question *where,
                      struct unmatched list[UNMATCHED_MAX], size_t *count, struct error *err)
{
    bool has = true;

    for (size_t i = 0; !where->at_home && where->regions[i] && *count < UNMATCHED_MAX; i++) {
        struct nearest nearest = {.value = where->regions[i]};

        if (!price_places_has_region(db, where->regions[i], &has, err))
            return false;
        if (has)
            continue;
        if (!price_places_regions(db, note_nearest, &nearest, err))
            return false;
        elsewhere_add(list, count, "region", &nearest);
    }
    if (!where->zone || !*where->zone || *count == UNMATCHED_MAX)
        return true;
    struct nearest nearest = {.value = where->zone};

    if (!price_places_has_zone(db, where->zone, &has, err) ||
        (!has && !price_places_zones(db, note_nearest, &nearest, err)))
        return false;
    if (!has)
        elsewhere_add(list, count, "zone", &nearest);
    return true;
}

#include "db/prices/offers.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/prices/offer_rows.h"
#include "db/prices/offer_store.h"
#include "db/prices/price_held.h"
#include "db/stmt.h"

#include <assert.h>

static const enum price_kind kind_of_slot[OFFER_SLOTS] = {
    [SLOT_ON_DEMAND] = PRICE_ON_DEMAND, [SLOT_SPOT] = PRICE_SPOT,
    [SLOT_TYPED] = PRICE_TYPED,         [SLOT_PUBLISHED_ON_DEMAND] = PRICE_ON_DEMAND,
    [SLOT_PUBLISHED_SPOT] = PRICE_SPOT,
};

static bool is_published(enum offer_slot slot)
{
    return slot == SLOT_PUBLISHED_ON_DEMAND || slot == SLOT_PUBLISHED_SPOT;
}

/* The best price of one kind, and why there is none. */
struct choice {
    enum offer_slot slot;
    enum price_kind kind; /* that is looked for, or in the slot of what is typed the usual one */
    const struct offer_row *best;
    const struct offer_row *expired; /* the one of them that was said last */
    bool torn;                       /* two that nothing tells apart say something different */
    const struct price_at *absence;  /* why there is none, where there is none at all */
};

static int compare_rows(const struct offer_row *a, const struct offer_row *b)
{
    for (size_t i = 0; i < ORDER_KEYS; i++)
        if (a->order[i] != b->order[i])
            return a->order[i] < b->order[i] ? -1 : 1;
    return 0;
}

static void choice_consider(struct choice *choice, const struct offer_row *row)
{
    bool published = is_published(choice->slot);

    if (row->series->slot != choice->slot || !row->applies ||
        (choice->slot == SLOT_COMMITTED && row->series->kind != choice->kind))
        return;
    if (row->freshness == PRICE_EXPIRED && !published) {
        if (!choice->expired || row->said_us > choice->expired->said_us)
            choice->expired = row;
        return;
    }
    if (published && choice->best && choice->best->since_us == row->since_us)
        choice->torn |= choice->best->nanos != row->nanos;
    else if (published && (!choice->best || row->since_us > choice->best->since_us))
        choice->torn = false;
    if (!choice->best || compare_rows(row, choice->best) < 0)
        choice->best = row;
}

/* "us-east-1", "us-east-1 or us-west-2", "us-east-1 or 2 others"; and the zone. */
static void name_regions(const struct offers_question *question, size_t size, char ret_text[])
{
    size_t count = 0;
    int length;

    while (question->regions[count])
        count++;
    if (count == 0) {
        snprintf(ret_text, size, "any region: none was named");
        return;
    }
    length = snprintf(ret_text, size, "%.24s", question->regions[0]);
    if (count == 2)
        length +=
            snprintf(ret_text + length, size - (size_t)length, " or %.24s", question->regions[1]);
    else if (count > 2)
        length += snprintf(ret_text + length, size - (size_t)length, " or %zu others", count - 1);
    if (question->zone && *question->zone)
        snprintf(ret_text + length, size - (size_t)length, " (zone %.24s)", question->zone);
}

static void explain_expired(const struct choice *choice, struct price_at *at)
{
    char time[RFC3339_SIZE];

    if (choice->expired->said_us <= 0) {
        TEXT_COPY(at->why_not, "expired: no reading confirmed it by then");
        return;
    }
    clock_rfc3339(choice->expired->said_us, time);
    snprintf(at->why_not, sizeof at->why_not, "expired: last said %s", time);
}

/* Why there is no price of a kind at all; the same for thousands of types, so computed once. */
static void explain_absence(const struct offers_question *question, const struct choice *choice,
                            struct price_at *at)
{
    const size_t size = sizeof at->why_not;
    char *text = at->why_not;
    const char *kind = choice->slot == SLOT_COMMITTED ? price_kind_name(choice->kind)
                       : choice->kind == PRICE_SPOT   ? "spot"
                                                      : "on-demand";
    const char *article = choice->kind == PRICE_ON_DEMAND ? "an" : "a";
    char where[80];

    name_regions(question, sizeof where, where);
    if (is_published(choice->slot))
        snprintf(text, size, "it was not published with %s %s price", article, kind);
    else if (choice->slot == SLOT_TYPED)
        snprintf(text, size, "no price of it was typed in %s", where);
    else
        snprintf(text, size, "no feed has %s %s price of it in %s", article, kind, where);
}

/* Details from the row's history. A course lacks rarely used ones. */
static bool offer_row_look_up(struct db *db, const struct offer_rows *rows,
                              const struct offer_row *row, struct price_at *ret_at,
                              struct error *err)
{
    const struct price_series *series = row->series;

    if (offer_row_statement(rows, row)->confirmed_us > 0 && series->slot != SLOT_COMMITTED)
        return price_book_held(db, row->book, row->series, rows->question, ret_at, err);
    return price_at(db,
                    &(struct price_moment){series->number, rows->question->at_us,
                                           series->slot == SLOT_SPOT ? SPREAD_US : 0},
                    ret_at, err);
}

/* Details from the row and its series. */
static bool price_row(struct db *db, const struct offer_rows *rows, const struct offer_row *row,
                      struct price_at *at, struct error *err)
{
    const struct feed_statement *statement = offer_row_statement(rows, row);
    const struct price_series *series = row->series;
    struct price *price = &at->price;

    if (!offer_row_look_up(db, rows, row, at, err))
        return false;
    if (price->nanos != row->nanos) {
        *at = (struct price_at){.price.kind = series->kind,
                                .why_not = "its stored prices contradict each other"};
        return true;
    }
    assert(is_published(series->slot) || row->freshness != PRICE_EXPIRED);
    at->third_party = statement->third_party;
    at->freshness = row->freshness;
    price->kind = series->kind;
    if (statement->confirmed_us > 0) { /* else the times that the price itself came with */
        price->fetched_us = statement->confirmed_us;
        price->source_us = statement->confirmed_source_us;
    }
    TEXT_COPY(price->provider, series->provider);
    TEXT_COPY(price->instance_type, series->instance);
    TEXT_COPY(price->region, series->region);
    TEXT_COPY(price->zone, series->zone);
    TEXT_COPY(price->feed, statement->feed);
    TEXT_COPY(price->currency, "USD");
    return true;
}

/* Rows of one instance: rows without a provider first, from `start` to `open`; rows of the
 * offer's provider from `from` to `to`. */
struct group {
    size_t start, open, from, to;
};

/* One of the offers' prices, except for the part that all types share. NULL on failure. */
static const struct price_at *find_price(struct db *db, const struct offer_rows *rows,
                                         const struct group *group, struct choice choice,
                                         struct offers *offers, struct error *err)
{
    struct price_at *at = &offers->prices[offers->price_count];

    for (size_t i = group->from; i < group->to; i++)
        choice_consider(&choice, &rows->list[i]);
    /* A typed price may leave its provider open; then it applies to every provider. */
    for (size_t i = group->start; i < group->open && choice.slot == SLOT_TYPED; i++)
        choice_consider(&choice, &rows->list[i]);
    if (!choice.best && !choice.expired)
        return choice.absence;
    offers->price_count++;
    if (choice.best && !choice.torn)
        return price_row(db, rows, choice.best, at, err) ? at : NULL;
    *at = (struct price_at){.price.kind = choice.kind};
    if (choice.torn)
        TEXT_COPY(at->why_not, "several prices were published for that moment");
    else
        explain_expired(&choice, at);
    return at;
}

/* The i-th kind of price: the slots first, then the requested commitments. */
static struct choice choice_of(const struct offers_question *question, size_t i)
{
    return i < OFFER_SLOTS ? (struct choice){.slot = (enum offer_slot)i, .kind = kind_of_slot[i]}
                           : (struct choice){.slot = SLOT_COMMITTED,
                                             .kind = question->committed[i - OFFER_SLOTS]};
}

static bool fill_prices(struct db *db, const struct offer_rows *rows, const struct group *group,
                        struct offers *offers, struct error *err)
{
    struct offer *offer = &offers->list[offers->count - 1];
    const struct price_at *found[OFFER_SLOTS + OFFER_COMMITTED_MAX] = {NULL};

    for (size_t i = 0; i < OFFER_SLOTS + rows->question->committed_count; i++) {
        struct choice choice = choice_of(rows->question, i);

        choice.absence = &offers->prices[i];
        found[i] = find_price(db, rows, group, choice, offers, err);
        if (!found[i])
            return false;
    }
    offer->on_demand = found[SLOT_ON_DEMAND];
    offer->spot = found[SLOT_SPOT];
    offer->typed = found[SLOT_TYPED];
    offer->published_on_demand = found[SLOT_PUBLISHED_ON_DEMAND];
    offer->published_spot = found[SLOT_PUBLISHED_SPOT];
    memcpy(offer->committed, &found[OFFER_SLOTS], sizeof offer->committed);
    return true;
}

/* The first prices are for types without one. */
static void explain_absences(const struct offers_question *question, struct offers *offers)
{
    offers->price_count = OFFER_SLOTS + question->committed_count;
    for (size_t i = 0; i < offers->price_count; i++) {
        const struct choice choice = choice_of(question, i);

        offers->prices[i] = (struct price_at){.price.kind = choice.kind};
        explain_absence(question, &choice, &offers->prices[i]);
    }
}

static bool ask_band(struct db *db, const struct offer *offer, const char *region,
                     char ret_band[], size_t size, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT band FROM interruptions WHERE provider = ? AND"
                                      " instance_type = ? AND region = ?",
                                      err);
    enum stmt_step step;

    ret_band[0] = '\0';
    stmt_text(query, offer->provider);
    stmt_text(query, offer->instance);
    stmt_text(query, region);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        text_copy(ret_band, size, stmt_column_text(query, 0));
    return step == STMT_DONE;
}

/* A series of the group in that region, whose book is kept: it keeps the band too. */
static struct price_series *series_in(const struct offer_rows *rows, const struct group *group,
                                      const char *region)
{
    for (size_t i = group->from; i < group->to; i++)
        if (rows->list[i].book->is_kept && strcmp(rows->list[i].series->region, region) == 0)
            return rows->list[i].series;
    return NULL;
}

/* From the region of the spot price; past bands are not stored, so it is today's. */
static bool fill_band(struct db *db, const struct offer_rows *rows, const struct group *group,
                      struct offer *offer, struct error *err)
{
    const char *region =
        offer->spot->price.nanos ? offer->spot->price.region : rows->question->regions[0];
    struct price_series *series = region ? series_in(rows, group, region) : NULL;

    if (!series || !series->has_band) {
        if (!ask_band(db, offer, region, offer->band, sizeof offer->band, err))
            return false;
        if (series) {
            TEXT_COPY(series->band, offer->band);
            series->has_band = true;
        }
        return true;
    }
    TEXT_COPY(offer->band, series->band);
    return true;
}

static bool same_instance(const struct offer_row *a, const struct offer_row *b)
{
    return strcmp(a->series->instance, b->series->instance) == 0;
}

static bool same_name(const struct offer_row *a, const struct offer_row *b)
{
    return same_instance(a, b) && strcmp(a->series->provider, b->series->provider) == 0;
}

/* The group of rows that begins at `from`; `last` is the group before it. */
static struct group next_group(const struct offer_rows *rows, const struct group *last,
                               size_t from)
{
    const struct offer_row *list = rows->list;
    struct group group = {.start = from, .open = from, .from = from, .to = from + 1};

    while (group.to < rows->count && same_name(&list[from], &list[group.to]))
        group.to++;
    if (from > 0 && same_instance(&list[from], &list[from - 1])) {
        group.start = last->start;
        group.open = last->open;
    } else if (!list[from].series->provider[0]) {
        group.open = group.to;
    }
    return group;
}

static size_t count_names(const struct offer_rows *rows)
{
    size_t count = rows->count > 0;

    for (size_t i = 1; i < rows->count; i++)
        count += !same_name(&rows->list[i], &rows->list[i - 1]);
    return count;
}

static bool fill_offers(struct db *db, const struct offer_rows *rows, struct offers *offers,
                        struct error *err)
{
    const size_t names = count_names(rows), absences = OFFER_SLOTS + OFFER_COMMITTED_MAX;
    /* A row prices its own type; without a provider, also the types of other providers. */
    const size_t most = absences + rows->count + names;
    struct group group = {0};

    offers->list = xcalloc(names, sizeof *offers->list);
    offers->prices = xreallocarray(NULL, most, sizeof *offers->prices);
    explain_absences(rows->question, offers);
    for (size_t from = 0; from < rows->count; from = group.to) {
        struct offer *offer = &offers->list[offers->count++];
        const struct offer_row *row = &rows->list[from];

        group = next_group(rows, &group, from);
        TEXT_COPY(offer->provider, row->series->provider);
        TEXT_COPY(offer->instance, row->series->instance);
        if (!fill_prices(db, rows, &group, offers, err) ||
            !fill_band(db, rows, &group, offer, err))
            return false;
    }
    assert(offers->count == names && offers->price_count <= most);
    return true;
}

bool offers_load(struct db *db, const struct offers_question *question, struct offer_store *store,
                 long long prices, struct offers *ret_offers, struct error *err)
{
    /* A statement that stands on a row keeps all the others on one state of the database. */
    AUTO(stmt_done) struct stmt *view = stmt_prepare(db, "SELECT 1 FROM sqlite_schema", err);
    AUTO(offer_rows_free) struct offer_rows rows = {.store = store};
    AUTO(offers_free) struct offers offers = {0};

    offer_store_begin(store, prices);
    if (!view || stmt_step(view, err) != STMT_ROW || !offer_rows_load(db, question, &rows, err) ||
        !fill_offers(db, &rows, &offers, err))
        return false;
    *ret_offers = offers;
    offers = (struct offers){0};
    return true;
}

bool offers_load_places(struct db *db, const struct offers_question *question,
                        const struct offers_place *places, size_t count, struct offers *lists,
                        struct error *err)
{
    AUTO(stmt_done) struct stmt *view = stmt_prepare(db, "SELECT 1 FROM sqlite_schema", err);
    AUTO(offer_rows_free) struct offer_rows rows = {0};

    for (size_t i = 0; i < count; i++)
        lists[i] = (struct offers){0};
    if (!view || stmt_step(view, err) != STMT_ROW)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct offers_question place = *question;

        memset(place.regions, 0, sizeof place.regions);
        place.regions[0] = places[i].region;
        place.instance = places[i].instance;
        if (!offer_rows_load(db, &place, &rows, err) || !fill_offers(db, &rows, &lists[i], err))
            return false;
    }
    return true;
}

struct offer_name {
    const char *provider, *instance;
};

static int type_by_name(const void *key, const void *element)
{
    const struct offer_name *name = key;
    const struct offer *offer = element;

    return offer_name_order(name->instance, name->provider, offer->instance, offer->provider);
}

static const struct offer *find_exactly(const struct offers *offers, const char *provider,
                                        const char *instance)
{
    const struct offer_name name = {provider, instance};

    return offers->count > 0
               ? bsearch(&name, offers->list, offers->count, sizeof *offers->list, type_by_name)
               : NULL;
}

/* What a person typed without a provider is of whatever provider; what a feed says is not. */
static bool is_for_all(const struct offer *offer)
{
    return !offer->provider[0] && !offer->on_demand->price.nanos && !offer->spot->price.nanos &&
           !offer->published_on_demand->price.nanos && !offer->published_spot->price.nanos;
}

/* The offer of an instance, where only one provider has it. */
static const struct offer *find_only(const struct offers *offers, const char *instance)
{
    size_t low = 0, high = offers->count;
    const struct offer *list = offers->list;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(list[middle].instance, instance) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == offers->count || strcmp(list[low].instance, instance) != 0)
        return NULL;
    if (is_for_all(&list[low]) && low + 1 < offers->count &&
        strcmp(list[low + 1].instance, instance) == 0)
        low++; /* what is typed for all stands in there too */
    if (low + 1 < offers->count && strcmp(list[low + 1].instance, instance) == 0)
        return NULL;
    return &list[low];
}

const struct offer *offers_find(const struct offers *offers, const char *provider,
                                const char *instance)
{
    const struct offer *found;

    if (!*provider)
        return find_only(offers, instance);
    found = find_exactly(offers, provider, instance);
    if (found)
        return found;
    found = find_exactly(offers, "", instance);
    return found && found->typed->price.nanos > 0 && is_for_all(found) ? found : NULL;
}

void offers_free(struct offers *offers)
{
    freep(&offers->list);
    freep(&offers->prices);
    offers->count = offers->price_count = 0;
}

/* Tested by tests/api/test_feeds.py, test_accepting.py and test_out_of_the_box.py. */
#include "server/prices/feed_regions.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "db/contenders/measured_regions.h"
#include "db/prices/feed_rows.h"
#include "pricing/freshness.h"
#include "pricing/region_form.h"
#include "server/base/log.h"

#include <stdlib.h>
#include <string.h>

static bool has_scope(const struct scopes *scopes, const char *name)
{
    for (size_t i = 0; i < scopes->count; i++)
        if (strcmp(scopes->list[i].name, name) == 0)
            return true;
    return false;
}

void feed_regions_add(struct scopes *scopes, const char *name)
{
    struct scope *scope = &scopes->list[scopes->count];

    if (scopes->count < SCOPES_MAX && !has_scope(scopes, name)) {
        *scope = (struct scope){.minor = false};
        snprintf(scope->name, sizeof scope->name, "%s", name);
        scopes->count++;
    }
}

static void add_measured(void *user, const char *region)
{
    feed_regions_add(user, region);
}

/* The regions of --price-regions of one provider. */
static void add_wanted(const char *provider, const char *regions, struct scopes *scopes)
{
    char word[sizeof scopes->list[0].name];

    while (feeds_next_word(&regions, word, sizeof word)) {
        const char *whose = provider_of_region(word);

        if (whose && strcmp(whose, provider) == 0)
            feed_regions_add(scopes, word);
    }
}

/* The configured regions; else this machine's and --price-regions, and, for a feed without other
 * requirements, the regions of runs or the cloud's default. */
void feed_regions_name(const struct feed_visit *visit, struct scopes *scopes)
{
    const struct source *source = visit->feed->source;
    const char *list = visit->feed->regions;
    char word[sizeof scopes->list[0].name];
    struct error err = {0};

    scopes->count = 0;
    while (feeds_next_word(&list, word, sizeof word))
        feed_regions_add(scopes, word);
    if (scopes->count > 0)
        return;
    if (strcmp(visit->identity->provider, source->provider) == 0 && visit->identity->region[0])
        feed_regions_add(scopes, visit->identity->region);
    add_wanted(source->provider, visit->price_regions, scopes);
    if (source->usual_region &&
        !measured_regions_each(visit->db, source->provider, add_measured, scopes, &err))
        log_line(LOG_ERROR, "feed %s: %s", source->name, err.message);
    if (source->usual_region && scopes->count == 0)
        feed_regions_add(scopes, source->usual_region);
}

bool feed_stands_in(struct db *db, const struct feed *feed, const struct identity *identity,
                    const char *price_regions)
{
    const char *provider = feed->source->provider;
    AUTO(freep) struct scopes *scopes = xcalloc(1, sizeof *scopes);
    struct error err = {0};

    if (strcmp(identity->provider, provider) == 0)
        return true;
    add_wanted(provider, price_regions, scopes);
    if (!measured_regions_each(db, provider, add_measured, scopes, &err))
        log_line(LOG_ERROR, "feed %s: %s", feed->source->name, err.message);
    return scopes->count > 0;
}

bool feed_has_new_regions(struct db *db, const struct feed *feed, const struct identity *identity,
                          const char *price_regions)
{
    const struct feed_visit visit = {
        .db = db, .feed = feed, .identity = identity, .price_regions = price_regions};
    AUTO(freep) struct scopes *scopes = xcalloc(1, sizeof *scopes);
    struct error err = {0};

    if (!feed->source->usual_region || feed->regions[0])
        return false;
    feed_regions_name(&visit, scopes);
    for (size_t i = 0; i < scopes->count; i++) {
        struct feed_row row;

        if (!feed_rows_find(db, feed->source->name, scopes->list[i].name, &row, &err))
            return false;
        if (row.checked_us == 0)
            return true;
    }
    return false;
}

/* A local zone is read only if it is named. */
bool feed_region_is_wanted(const struct feed_visit *visit, const struct scope *scope)
{
    const char *regions = visit->feed->regions[0] ? visit->feed->regions : visit->price_regions;
    char word[sizeof scope->name];

    if (!visit->feed->regions[0] && !scope->minor)
        return true;
    while (feeds_next_word(&regions, word, sizeof word))
        if (strcmp(word, scope->name) == 0)
            return true;
    return false;
}

/* The stored scopes of a feed, by name. */
struct stored_scopes {
    size_t count;
    char names[SCOPES_MAX][REGION_SIZE];
};

static void note_stored(void *user, const struct feed_row *row)
{
    struct stored_scopes *stored = user;

    if (stored->count < SCOPES_MAX && strcmp(row->scope, "*") != 0)
        snprintf(stored->names[stored->count++], REGION_SIZE, "%s", row->scope);
}

static const struct scope *find_scope(const struct scopes *scopes, const char *name)
{
    for (size_t i = 0; i < scopes->count; i++)
        if (strcmp(scopes->list[i].name, name) == 0)
            return &scopes->list[i];
    return NULL;
}

/* A region that the feed no longer lists. Its prices stay until they expire; after the last one
 * the scope is deleted. */
static bool note_lost(const struct feed_visit *visit, const char *name, struct error *err)
{
    const char *feed = visit->feed->source->name;
    struct feed_row row;

    if (!feed_rows_find(visit->db, feed, name, &row, err))
        return false;
    row.checked_us = clock_calendar_us();
    if (freshness_of(PRICE_ON_DEMAND, row.checked_us - row.confirmed_us, source_pace_us(feed)) ==
        PRICE_EXPIRED)
        return feed_rows_forget(visit->db, feed, name, err);
    row.state = "failed";
    snprintf(row.reason, sizeof row.reason, "the feed does not list this region any more");
    row.failures++;
    return feed_rows_store(visit->db, &row, err);
}

/* Deletes the state of scopes that are no longer requested, and marks requested ones that the
 * feed does not list as lost: their old "ok" is no longer true. */
void feed_regions_settle(const struct feed_visit *visit, const struct scopes *found)
{
    const struct feed *feed = visit->feed;
    struct stored_scopes stored = {0};
    struct error err = {0};
    bool ok = feed_rows_each(visit->db, feed->source->name, note_stored, &stored, &err);

    for (size_t i = 0; ok && i < stored.count; i++) {
        const struct scope named = {0}, *scope = find_scope(found, stored.names[i]);
        struct scope like = scope ? *scope : named;

        memcpy(like.name, stored.names[i], sizeof like.name);
        if (feed->source->list && !scope && feed_region_is_wanted(visit, &like))
            ok = note_lost(visit, stored.names[i], &err);
        else if (!scope || (feed->source->list && !feed_region_is_wanted(visit, &like)))
            ok = feed_rows_forget(visit->db, feed->source->name, stored.names[i], &err);
    }
    if (!ok)
        log_line(LOG_ERROR, "feed %s: %s", feed->source->name, err.message);
}

/* Lists the configured regions that the feed does not have; "" for none. */
void feed_regions_unknown(const struct feed_visit *visit, const struct scopes *scopes,
                          char ret_unknown[100])
{
    const char *regions = visit->feed->regions;
    char word[sizeof scopes->list[0].name];
    size_t used = 0;

    ret_unknown[0] = '\0';
    while (feeds_next_word(&regions, word, sizeof word))
        if (!has_scope(scopes, word) && used < 100)
            used += (size_t)snprintf(ret_unknown + used, 100 - used, "%s%s", used > 0 ? "," : "",
                                     word);
}

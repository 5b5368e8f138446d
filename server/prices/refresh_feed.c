#include "server/prices/refresh_feed.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "db/prices/price_store.h"
#include "pricing/feeds/fetch_file.h"
#include "pricing/feeds/refresh.h"
#include "pricing/freshness.h"
#include "pricing/machine/credentials.h"
#include "server/base/log.h"
#include "server/prices/feed_regions.h"

#define BUSY_ATTEMPTS 5

/* Shared by all scopes of a feed. */
struct tools {
    const struct feed_visit *visit;
    struct refresh_parts parts;
    struct credentials credentials;
    bool has_credentials;
    struct feed_result *result;
};

static void start_reading(const struct tools *tools, struct reading *ret_reading)
{
    const struct feed *feed = tools->visit->feed;
    const char *types = feed->types[0] ? feed->types : tools->visit->identity->instance_type;

    *ret_reading =
        (struct reading){.source = feed->source,
                         .url = feed->url,
                         .types = types,
                         .committed = feed->committed,
                         .credentials = tools->has_credentials ? &tools->credentials : NULL,
                         .key = tools->visit->key,
                         .etag = "",
                         .last_modified = "",
                         .mark = "",
                         .now_us = clock_calendar_us()};
}

/* Tries again while the database is busy. */
static bool store_row(struct db *db, const struct feed_row *row)
{
    struct error err = {0};

    for (int attempt = 0; attempt < BUSY_ATTEMPTS; attempt++) {
        error_clear(&err);
        if (feed_rows_store(db, row, &err))
            return true;
        if (err.kind != ERROR_BUSY)
            break;
    }
    log_line(LOG_ERROR, "feed %s %s: its state could not be stored: %s", row->feed, row->scope,
             err.message);
    return false;
}

static bool refresh_replace(struct db *db, const struct price_snapshot *snapshot,
                            struct change *ret_change, struct error *err)
{
    for (int attempt = 0;; attempt++) {
        struct change change = {0};
        struct error why = {0};
        bool ok = prices_replace(db, snapshot, &change, &why);

        *ret_change = change;
        if (ok) {
            log_line(LOG_INFO,
                     "feed %s %s state=ok prices=%zu added=%zu moved=%zu gone=%zu held=%zu",
                     snapshot->row->feed, snapshot->row->scope, change.after, change.added,
                     change.moved, change.gone, change.held);
            return true;
        }
        if (why.kind != ERROR_BUSY || attempt + 1 == BUSY_ATTEMPTS)
            return error_set(err, why.kind, NULL, "%s", why.message);
    }
}

/* If the reading is held back, *old has the waiting prices. */
static bool store_new(const struct tools *tools, const struct reading *reading,
                      const struct refresh_trace *trace, struct feed_row *old, struct error *err)
{
    const struct price_batch_facts *facts = price_batch_facts(reading->batch);
    struct feed_row row = *old;
    struct change change;

    row.state = "ok";
    row.reason[0] = '\0';
    row.confirmed_us = row.changed_us = reading->now_us;
    row.source_us = facts->source_us;
    row.failures = 0;
    row.tally = facts->tally;
    memcpy(row.etag, trace->etag, sizeof row.etag);
    memcpy(row.last_modified, trace->last_modified, sizeof row.last_modified);
    memcpy(row.mark, facts->mark, sizeof row.mark);
    if (refresh_replace(tools->visit->db,
                        &(struct price_snapshot){.source = reading->source,
                                                 .types = reading->types,
                                                 .accept = tools->visit->accept,
                                                 .batch = reading->batch,
                                                 .row = &row},
                        &change, err)) {
        tools->result->waiting += change.held > 0;
        return true;
    }
    if (change.doubt.until_us > 0) {
        old->held = (long long)change.held;
        old->doubt = change.doubt;
        tools->result->doubted++;
    }
    return false;
}

static void store_unchanged(const struct tools *tools, const struct reading *reading,
                            struct feed_row *row)
{
    row->state = "unchanged";
    row->reason[0] = '\0';
    row->held = 0;
    row->doubt = (struct doubt){0};
    row->confirmed_us = reading->now_us;
    row->failures = 0;
    if (store_row(tools->visit->db, row))
        log_line(LOG_DEBUG, "feed %s %s state=unchanged", row->feed, row->scope);
}

static void store_failure(const struct tools *tools, struct feed_row *row,
                          const struct error *why)
{
    row->state = "failed";
    row->failures++;
    snprintf(row->reason, sizeof row->reason, "%s%s%.180s", why->field, why->field[0] ? " " : "",
             why->message);
    tools->result->failed++;
    if (store_row(tools->visit->db, row))
        log_line(LOG_INFO, "feed %s %s state=failed reason=\"%s\"", row->feed, row->scope,
                 row->reason);
}

static void read_scope(struct tools *tools, const struct scope *scope)
{
    const struct feed *feed = tools->visit->feed;
    struct refresh_trace trace = {0};
    struct reading reading;
    struct feed_row row;
    struct error err = {0};
    enum refresh_end end = REFRESH_FAILED;
    AUTO(price_batch_freep) struct price_batch *batch = NULL;

    start_reading(tools, &reading);
    if (!feed_rows_find(tools->visit->db, feed->source->name, scope->name, &row, &err)) {
        log_line(LOG_ERROR, "feed %s %s: %s", feed->source->name, scope->name, err.message);
        return;
    }
    reading.scope = *scope;
    reading.etag = row.etag;
    reading.last_modified = row.last_modified;
    reading.mark = row.mark;
    reading.batch = batch = price_batch_new(feed->source->name, reading.now_us);
    end = refresh_scope(&tools->parts, &reading, &trace, &err);
    memcpy(row.address, scope->address, sizeof row.address);
    row.checked_us = reading.now_us;
    row.status = trace.status;
    row.bytes = trace.bytes;
    if (end == REFRESH_NEW && store_new(tools, &reading, &trace, &row, &err))
        tools->result->changed = true;
    else if (end == REFRESH_UNCHANGED)
        store_unchanged(tools, &reading, &row);
    else
        store_failure(tools, &row, &err);
}

/* Returns false if a setting is missing, and names it in the result. */
static bool refresh_lacks(struct feed_result *result, const char *what)
{
    snprintf(result->idle, sizeof result->idle, "%s", what);
    return false;
}

static bool find_credentials(struct tools *tools)
{
    const struct credentials_question question = {
        .environment = environ,
        .home = getenv("HOME"),
        .metadata_url = tools->visit->metadata_url,
        .fetch = fetch_with_curl,
        .fetcher = tools->visit->fetcher,
        .now_us = clock_calendar_us(),
    };
    const char *origin;
    long long until_us;
    struct error err = {0};

    switch (credentials_find(&question, &tools->credentials, &origin, &until_us, &err)) {
    case CREDENTIALS_FOUND:
        tools->has_credentials = true;
        return true;
    case CREDENTIALS_WRONG:
        snprintf(tools->result->idle, sizeof tools->result->idle, "%.150s", err.message);
        return false;
    default:
        return refresh_lacks(tools->result,
                             "no credentials of AWS were found: environment, shared file "
                             "or role of the instance");
    }
}

static bool has_what_it_needs(struct tools *tools, struct scopes *scopes)
{
    const struct feed *feed = tools->visit->feed;
    const struct identity *identity = tools->visit->identity;
    bool at_home = strcmp(identity->provider, feed->source->provider) == 0;
    unsigned needs = feed->source->needs;

    if ((needs & NEEDS_FILE) && !feed->url[0])
        return refresh_lacks(tools->result, "no file is given: say url=PATH");
    if ((needs & NEEDS_REGIONS) && !feed->source->list)
        feed_regions_name(tools->visit, scopes);
    if ((needs & NEEDS_REGIONS) && scopes->count == 0)
        return refresh_lacks(tools->result,
                             "no region is given: say regions=... or --price-regions");
    if ((needs & NEEDS_TYPES) && !feed->types[0] && !(at_home && identity->instance_type[0]))
        return refresh_lacks(tools->result, "no instance type is given: say types=...");
    if ((needs & NEEDS_KEY) && !tools->visit->key[0])
        return refresh_lacks(tools->result, "no API key is given: set PENNYWORTH_GCP_KEY");
    return !(needs & NEEDS_CREDENTIALS) || find_credentials(tools);
}

/* The feed's regions, limited to the configured ones. `ret_unknown` gets configured regions that
 * it does not list. */
static bool list_scopes(const struct tools *tools, struct scopes *scopes, char ret_unknown[100],
                        struct error *err)
{
    struct reading reading;
    size_t kept = 0;

    start_reading(tools, &reading);
    reading.scopes = scopes;
    if (!refresh_scopes(&tools->parts, &reading, err))
        return false;
    feed_regions_settle(tools->visit, scopes);
    feed_regions_unknown(tools->visit, scopes, ret_unknown);
    for (size_t i = 0; i < scopes->count; i++)
        if (feed_region_is_wanted(tools->visit, &scopes->list[i]))
            scopes->list[kept++] = scopes->list[i];
    scopes->count = kept;
    return kept > 0 ||
           error_set(err, ERROR_UPSTREAM, NULL, "it has none of the regions %.100s", ret_unknown);
}

/* If a feed cannot list its scopes, the failure is stored for a scope "*". */
static void fail_as_a_whole(struct tools *tools, const struct error *why)
{
    struct feed_row row;
    struct error err = {0};

    if (!feed_rows_find(tools->visit->db, tools->visit->feed->source->name, "*", &row, &err))
        return;
    row.checked_us = clock_calendar_us();
    store_failure(tools, &row, why);
}

/* The feed lists its scopes again: removes the failure of "*". */
static void refresh_forgive(const struct tools *tools)
{
    const char *name = tools->visit->feed->source->name;
    struct error err = {0};

    if (!feed_rows_forget(tools->visit->db, name, "*", &err))
        log_line(LOG_ERROR, "feed %s: %s", name, err.message);
}

static bool find_scopes(struct tools *tools, struct scopes *scopes)
{
    const struct source *source = tools->visit->feed->source;
    char unknown[100] = "";
    struct error err = {0};

    if (source->list && !list_scopes(tools, scopes, unknown, &err)) {
        fail_as_a_whole(tools, &err);
        return false;
    }
    if (*unknown &&
        !error_set(&err, ERROR_INVALID, "regions", "are not all known: it has no %s", unknown))
        fail_as_a_whole(tools, &err);
    else if (source->list)
        refresh_forgive(tools);
    else if (!(source->needs & NEEDS_REGIONS))
        feed_regions_add(scopes, "");
    if (!source->list)
        feed_regions_settle(tools->visit, scopes);
    return true;
}

void refresh_feed(const struct feed_visit *visit, struct feed_result *ret_result)
{
    bool is_file = visit->feed->source->needs & NEEDS_FILE;
    AUTO(freep) struct scopes *scopes = xcalloc(1, sizeof *scopes);
    struct tools tools = {.visit = visit,
                          .parts = {.fetch = is_file ? fetch_file : fetch_with_curl,
                                    .fetcher = visit->fetcher,
                                    .wait = visit->wait,
                                    .user = visit->user,
                                    .seed = visit->seed,
                                    .patience_seconds = visit->feed->patience_seconds},
                          .result = ret_result};

    *ret_result = (struct feed_result){.scopes = 0};
    if (!scopes || !has_what_it_needs(&tools, scopes) || !find_scopes(&tools, scopes))
        return;
    for (size_t i = 0; i < scopes->count && visit->wait(visit->user, 0); i++) {
        visit->progress(visit->user, scopes->list[i].name, i, scopes->count);
        read_scope(&tools, &scopes->list[i]);
        ret_result->scopes++;
    }
    explicit_bzero(&tools.credentials, sizeof tools.credentials);
}

long long refresh_feed_again(const struct feed_result *result, long long every_seconds)
{
    long long seconds = every_seconds;

    if (result->failed > result->doubted && seconds > RETRY_SECONDS)
        seconds = RETRY_SECONDS;
    if (result->doubted + result->waiting > 0 && seconds > CONFIRM_SECONDS)
        seconds = CONFIRM_SECONDS;
    return seconds;
}

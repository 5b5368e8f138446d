#include "pricing/feeds/refresh.h"
#include "pricing/feeds/json_page.h"

#include "common/chance.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/memory.h"

#include <assert.h>

#define ATTEMPTS 4 /* for a page */
#define WALKS 3    /* when one breaks in the middle */
#define PAUSE_NS (NS_PER_SECOND / 2)
#define OBEDIENCE_SECONDS 120 /* longer waits than this are for the next refresh */

struct visit {
    const struct refresh_parts *parts;
    const struct reading *reading;
    const struct reader_ops *ops;
    void *reader;
    struct refresh_trace *trace;
    struct chance chance;
    bool again; /* the walk broke in a way that another may not */
};

/* Between half and one and a half of a doubling pause, so that clients that failed together do
 * not retry together. */
static bool pause_before(struct visit *visit, int attempt, long long asked_seconds)
{
    long long ns = chance_jitter(&visit->chance, haste_pause(PAUSE_NS) << attempt, 0.5, 1.5);

    if (asked_seconds * NS_PER_SECOND > ns)
        ns = asked_seconds * NS_PER_SECOND;
    return visit->parts->wait(visit->parts->user, ns);
}

/* AWS throttles with 400 and a word, others with a status. */
static bool may_pass(const struct fetch_response *response)
{
    int status = response->status;

    if (status == 400)
        return strstr(response->excerpt, "Throttling") != NULL;
    return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 ||
           status == 504;
}

/* Explains an answer other than a page in one sentence. */
static bool tell_refusal(const struct fetch_response *response, struct error *err)
{
    char said[200];

    if (response->status == 304)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "it answered 304 to a request without a condition");
    source_refusal(response, said, sizeof said);
    return error_set(err, ERROR_UPSTREAM, NULL, "it answered %d%s%s", response->status,
                     said[0] ? ": " : "", said);
}

/* Accept 304 only for a conditional request; otherwise stale prices would be marked fresh. */
static bool is_good(const struct fetch_request *request, const struct fetch_response *response)
{
    return response->status == 200 ||
           (response->status == 304 && (request->etag[0] || request->last_modified[0]));
}

/* One request, with its retries. True: an answer with 200 or 304. */
static bool refresh_get(struct visit *visit, const struct fetch_request *request,
                        struct fetch_response *response, struct error *err)
{
    for (int attempt = 0;; attempt++) {
        struct error why = {0};
        bool answered = visit->parts->fetch(visit->parts->fetcher, request, visit->ops->take,
                                            visit->reader, response, &why);
        bool passing =
            answered ? may_pass(response) : why.kind == ERROR_UPSTREAM && !response->refused;

        visit->trace->asked++;
        visit->trace->status = response->status;
        visit->trace->bytes += response->bytes;
        if (answered && is_good(request, response))
            return true;
        /* Part of a page was taken: the reader must start over. */
        visit->again = passing && response->began;
        if (answered)
            tell_refusal(response, &why);
        if (!passing || visit->again || attempt + 1 == ATTEMPTS ||
            response->retry_after_seconds > OBEDIENCE_SECONDS ||
            !pause_before(visit, attempt, response->retry_after_seconds))
            return error_set(err, why.kind, NULL, "%s", why.message);
    }
}

static void keep_validators(struct visit *visit, const struct fetch_response *response)
{
    struct refresh_trace *trace = visit->trace;
    bool alone = trace->pages == 1;

    assert(response->status == 200);
    snprintf(trace->etag, sizeof trace->etag, "%s", alone ? response->etag : "");
    snprintf(trace->last_modified, sizeof trace->last_modified, "%s",
             alone ? response->last_modified : "");
    trace->last_modified_us = response->last_modified_us;
}

static enum reading_state turn_page(struct visit *visit, struct error *err)
{
    AUTO(freep) struct fetch_request *request = xcalloc(1, sizeof *request);
    struct fetch_response response = {0};
    enum reading_state state;

    assert(visit->reader);
    if (visit->trace->pages == REFRESH_PAGES_MAX) {
        error_set(err, ERROR_UPSTREAM, NULL, "it has more than %d pages", REFRESH_PAGES_MAX);
        return READING_FAILED;
    }
    request->max_bytes = visit->reading->source->max_bytes;
    request->patience_seconds = visit->parts->patience_seconds;
    if (!visit->ops->ask(visit->reader, request, err) ||
        !refresh_get(visit, request, &response, err))
        return READING_FAILED;
    visit->trace->pages++;
    if (response.status == 304)
        return READING_UNCHANGED;
    keep_validators(visit, &response);
    state = visit->ops->page(visit->reader, &response, err);
    visit->again = state == READING_FAILED && err->kind == ERROR_BUSY;
    return state;
}

static enum reading_state refresh_walk(struct visit *visit, struct error *err)
{
    enum reading_state state = READING_ASKS;

    assert(!visit->reader); /* each walk has a reader of its own */
    visit->again = false;
    visit->trace->pages = 0;
    visit->reader = reader_open(visit->ops, visit->reading, err);
    if (!visit->reader)
        return READING_FAILED;
    while (state == READING_ASKS)
        state = turn_page(visit, err);
    visit->ops->close(visit->reader);
    visit->reader = NULL;
    return state;
}

static enum reading_state visit_all(const struct refresh_parts *parts,
                                    const struct reading *reading, const struct reader_ops *ops,
                                    struct refresh_trace *trace, struct error *err)
{
    struct visit visit = {
        .parts = parts, .reading = reading, .ops = ops, .trace = trace, .chance = {parts->seed}};

    *trace = (struct refresh_trace){.status = 0};
    for (int walks = 0;; walks++) {
        struct error why = {0};
        enum reading_state state = refresh_walk(&visit, &why);

        if (state != READING_FAILED)
            return state;
        if (reading->batch)
            price_batch_empty(reading->batch);
        if (reading->scopes)
            reading->scopes->count = 0;
        if (!visit.again || walks + 1 == WALKS || !pause_before(&visit, walks, 0)) {
            error_set(err, why.kind == ERROR_BUSY ? ERROR_UPSTREAM : why.kind, why.field, "%s",
                      why.message);
            return READING_FAILED;
        }
    }
}

enum refresh_end refresh_scope(const struct refresh_parts *parts, const struct reading *reading,
                               struct refresh_trace *ret_trace, struct error *err)
{
    switch (visit_all(parts, reading, reading->source->read, ret_trace, err)) {
    case READING_DONE:
        return REFRESH_NEW;
    case READING_UNCHANGED:
        return REFRESH_UNCHANGED;
    default:
        return REFRESH_FAILED;
    }
}

bool refresh_scopes(const struct refresh_parts *parts, const struct reading *reading,
                    struct error *err)
{
    struct refresh_trace trace;

    return visit_all(parts, reading, reading->source->list, &trace, err) == READING_DONE ||
           error_set(err, ERROR_UPSTREAM, NULL, "it does not say which regions there are");
}

/* A hub that answers as a test has written, and remembers what it was sent. For one file of a
 * program to include. */
#pragma once

#include "server/hub/hub_upload.h"
#include "tests/test.h"

#include <pthread.h>

/* What a hub says to one request; the usual is a report that all is stored. */
struct hub_says {
    int status;            /* 0 is 200 */
    const char *type;      /* NULL is application/json */
    const char *body;      /* NULL is a report that fits, if `refused` lines are refused */
    int refused;           /* the first ones */
    bool known;            /* the others were here already */
    long long retry_after; /* 0: none */
    const char *no_answer; /* there is none, for this reason */
    int cut;               /* there is none after so many bytes of it */
};

#define HUB_REQUESTS_MAX 64
struct hub {
    struct hub_says script[HUB_REQUESTS_MAX]; /* the last one for all that follow */
    size_t script_length;
    pthread_mutex_t lock;
    size_t count;                     /* of requests */
    size_t lines[HUB_REQUESTS_MAX];   /* of each */
    char runs[HUB_REQUESTS_MAX][300]; /* last two letters of each id */
    char url[200], headers[2000];     /* of the last one */
};

static inline const struct hub_says *hub_next(struct hub *hub)
{
    static const struct hub_says usual = {0};

    if (hub->script_length == 0)
        return &usual;
    return &hub->script[hub->count < hub->script_length ? hub->count : hub->script_length - 1];
}

/* Looks at a request as a hub would; its lines must be documents. */
static inline size_t hub_look(struct hub *hub, const struct fetch_request *request)
{
    const char *at = request->body, *end = request->body + request->body_length;
    char *runs = hub->runs[hub->count];
    size_t lines = 0;

    runs[0] = '\0';
    for (; at < end; lines++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *id = strstr(at, "\"id\":\"");

        EXPECT(newline && id && id < newline);
        if (!newline || !id)
            break;
        if (strlen(runs) + 4 < sizeof hub->runs[0])
            snprintf(runs + strlen(runs), 4, "%s%.2s", lines > 0 ? " " : "", id + 6 + 24);
        at = newline + 1;
    }
    snprintf(hub->url, sizeof hub->url, "%.199s", request->url);
    hub->headers[0] = '\0';
    for (size_t i = 0; i < FETCH_HEADERS_MAX && request->headers[i][0]; i++)
        snprintf(hub->headers + strlen(hub->headers), sizeof hub->headers - strlen(hub->headers),
                 "%s\n", request->headers[i]);
    hub->lines[hub->count] = lines;
    return lines;
}

static inline void hub_report(const struct hub_says *says, size_t lines, char text[8000])
{
    long long others = (long long)lines - says->refused;

    snprintf(text, 8000, "{\"imported\":%lld,\"known\":%lld,\"refused\":%d,\"errors\":[",
             says->known ? 0 : others, says->known ? others : 0, says->refused);
    for (int i = 0; i < says->refused; i++)
        snprintf(text + strlen(text), 8000 - strlen(text),
                 "%s{\"line\":%d,\"id\":null,\"field\":\"steps\",\"reason\":\"are odd\"}",
                 i > 0 ? "," : "", i + 1);
    snprintf(text + strlen(text), 8000 - strlen(text), "]}");
}

static inline bool hub_answer(const struct hub_says *says, size_t lines, fetch_take_fn *take_body,
                              void *taker, struct fetch_response *response, struct error *err)
{
    char report[8000];

    *response = (struct fetch_response){.status = says->status ? says->status : 200,
                                        .retry_after_seconds =
                                            says->retry_after ? says->retry_after : -1};
    if (says->no_answer)
        return error_set(err, ERROR_UPSTREAM, NULL, "%s", says->no_answer);
    snprintf(response->content_type, sizeof response->content_type, "%s",
             says->type ? says->type : "application/json");
    if (response->status != 200)
        return true;
    hub_report(says, lines, report);
    const char *body = says->body ? says->body : report;
    size_t length = says->cut ? (size_t)says->cut : strlen(body);
    if (take_body(taker, body, length, err) != TAKE_MORE)
        return false;
    return !says->cut || error_set(err, ERROR_UPSTREAM, NULL, "the connection broke");
}

/* A fetch_fn; `user` is a struct hub. */
static inline bool hub_fetch(void *user, const struct fetch_request *request,
                             fetch_take_fn *take_body, void *taker,
                             struct fetch_response *ret_response, struct error *err)
{
    struct hub *hub = user;

    pthread_mutex_lock(&hub->lock);
    const struct hub_says *says = hub_next(hub);
    size_t lines = hub_look(hub, request);
    bool ok = hub_answer(says, lines, take_body, taker, ret_response, err);
    if (hub->count + 1 < HUB_REQUESTS_MAX)
        hub->count++;
    pthread_mutex_unlock(&hub->lock);
    return ok;
}

static inline size_t hub_count(struct hub *hub)
{
    size_t count;

    pthread_mutex_lock(&hub->lock);
    count = hub->count;
    pthread_mutex_unlock(&hub->lock);
    return count;
}

/* HUB(hub, {.status = 503}, {0}); */
#define HUB(name, ...)                                                                           \
    struct hub name = {.lock = PTHREAD_MUTEX_INITIALIZER,                                        \
                       .script = {__VA_ARGS__},                                                  \
                       .script_length = COUNT(((struct hub_says[]){__VA_ARGS__}))}

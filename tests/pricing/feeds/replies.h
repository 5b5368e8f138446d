/* A metadata service that is a table, and a fetch function that looks in it. */
#pragma once

#include "pricing/feeds/fetch.h"
#include "tests/test.h"

struct reply {
    const char *method; /* NULL is GET */
    const char *ending; /* of the url */
    const char *header; /* without which the answer is 401; NULL for none */
    int status;         /* 0: no answer */
    const char *body;
    const char *flavor; /* NULL for none */
};

struct replies {
    const struct reply *list; /* ends with an ending of NULL; what is not in it is 404 */
    const char *begins;       /* what every url has to begin with; NULL for anything */
    size_t piece;             /* how many bytes come at a time; 0 for all */
    int asked, puts;
    char urls[16][160];
};

static inline bool replies_has_header(const struct fetch_request *request, const char *header)
{
    for (size_t i = 0; i < FETCH_HEADERS_MAX; i++)
        if (strcmp(request->headers[i], header) == 0)
            return true;
    return false;
}

static inline bool replies_ends(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);

    return tail <= length && strcmp(text + length - tail, ending) == 0;
}

static inline const struct reply *replies_find(const struct replies *replies,
                                               const struct fetch_request *request)
{
    const char *method = request->method ? request->method : "GET";

    for (const struct reply *reply = replies->list; reply->ending; reply++)
        if (strcmp(method, reply->method ? reply->method : "GET") == 0 &&
            replies_ends(request->url, reply->ending))
            return reply;
    return NULL;
}

/* What each question to a metadata service has to be. */
static inline void replies_check(struct replies *replies, const struct fetch_request *request)
{
    EXPECT(request->direct);
    EXPECT_HAS(*request, (connect_ms, 300), (total_ms, 1000), (max_bytes, 65536));
    EXPECT(request->body == NULL && request->credentials == NULL);
    if (replies->begins)
        EXPECT(strncmp(request->url, replies->begins, strlen(replies->begins)) == 0);
    if (replies->asked < 16)
        snprintf(replies->urls[replies->asked], sizeof replies->urls[0], "%.150s", request->url);
    replies->asked++;
    replies->puts += request->method && strcmp(request->method, "PUT") == 0;
}

static inline bool replies_fetch(void *user, const struct fetch_request *request,
                                 fetch_take_fn *take_body, void *taker,
                                 struct fetch_response *ret_response, struct error *err)
{
    struct replies *replies = user;
    const struct reply *reply = replies_find(replies, request);
    size_t length = reply && reply->body ? strlen(reply->body) : 0;

    replies_check(replies, request);
    *ret_response = (struct fetch_response){.status = reply ? reply->status : 404};
    if (reply && reply->flavor)
        snprintf(ret_response->flavor, sizeof ret_response->flavor, "%s", reply->flavor);
    if (reply && reply->status == 0)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "Connection timed out after 300 milliseconds");
    if (reply && reply->header && !replies_has_header(request, reply->header))
        ret_response->status = 401;
    if (ret_response->status != 200) {
        snprintf(ret_response->excerpt, sizeof ret_response->excerpt, "%.1000s",
                 reply && reply->body ? reply->body : "<html>");
        return true;
    }
    for (size_t at = 0, piece; at < length; at += piece) {
        piece = replies->piece && replies->piece < length - at ? replies->piece : length - at;
        if (take_body(taker, reply->body + at, piece, err) != TAKE_MORE)
            return false;
    }
    return true;
}

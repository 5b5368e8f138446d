#include "server/http/cached_reply.h"

#include "server/http/reply.h"
#include "server/http/server.h"

static void send_with(struct exchange *exchange, const char *etag, const char *content_type)
{
    bool known = etag_is_known(exchange->request.headers.if_none_match, etag);

    reply_field(exchange, "ETag", "%s", etag);
    reply_field(exchange, "Cache-Control", "no-cache");
    exchange->reply.status = known ? 304 : 200;
    exchange->reply.content_type = known ? NULL : content_type;
    if (known)
        bytes_free(&exchange->reply.body);
}

bool cached_reply_send(struct exchange *exchange, const struct answer_key *key,
                       const char *content_type)
{
    char etag[ETAG_SIZE];

    if (!response_cache_find(exchange->server->response_cache, key,
                             exchange->request.headers.if_none_match, &exchange->reply.body,
                             etag))
        return false;
    send_with(exchange, etag, content_type);
    return true;
}

void cached_reply_keep(struct exchange *exchange, const struct answer_key *key,
                       const char *content_type)
{
    char etag[ETAG_SIZE];

    response_cache_keep(exchange->server->response_cache, key, &exchange->reply.body, etag);
    send_with(exchange, etag, content_type);
}

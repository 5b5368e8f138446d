/* The page and its files. */
#include "server/base/assets.h"
#include "server/http/handlers/handlers.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/response_cache.h"

#include <string.h>

static const char start_page[] = "index.html";

/* Headers that isolate the page from other sites. */
static void add_limits(struct exchange *exchange)
{
    reply_field(exchange, "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                "connect-src 'self'; base-uri 'none'; form-action 'self'; "
                "frame-ancestors 'none'");
    reply_field(exchange, "Referrer-Policy", "no-referrer");
    reply_field(exchange, "Cross-Origin-Opener-Policy", "same-origin");
    reply_field(exchange, "Permissions-Policy",
                "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
}

/* Browsers may keep a name with a hash for ever, and must revalidate index.html each time. Its
 * ETag is weak, because plain and packed bytes share it. */
static void add_lifetime(struct exchange *exchange, const struct asset *asset)
{
    if (strcmp(asset->name, start_page) != 0) {
        reply_field(exchange, "Cache-Control", "public, max-age=31536000, immutable");
        return;
    }
    reply_field(exchange, "Cache-Control", "no-cache");
    reply_field(exchange, "ETag", "W/%s", page_etag);
    if (etag_is_known(exchange->request.headers.if_none_match, page_etag)) {
        exchange->reply.status = 304;
        exchange->reply.content_type = NULL;
        exchange->reply.fixed_body = NULL;
    }
}

static void send_asset(struct exchange *exchange, const struct asset *asset)
{
    bool packed = encoding_is_accepted(exchange->request.headers.accept_encoding, "gzip");

    reply_fixed(exchange, asset->content_type, packed ? asset->packed : asset->bytes,
                packed ? asset->packed_size : asset->size);
    add_limits(exchange);
    add_lifetime(exchange, asset);
    reply_field(exchange, "Vary", "Accept-Encoding");
    if (packed && exchange->reply.status == 200)
        reply_field(exchange, "Content-Encoding", "gzip");
}

void asset_handler(struct exchange *exchange)
{
    const char *name = exchange->request.match.id ? exchange->request.match.id : start_page;

    for (size_t i = 0; i < asset_count; i++) {
        if (strcmp(assets[i].name, name) == 0) {
            send_asset(exchange, &assets[i]);
            return;
        }
    }
    reply_problem(exchange, 404, NULL, "there is no such file");
}

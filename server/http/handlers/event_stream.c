#include "server/http/handlers/event_stream.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/memory.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

#include <stdlib.h>

#define HEARTBEAT_NS (15 * NS_PER_SECOND) /* detects readers that are gone */

static enum stream_result next_events(void *state, struct exchange *exchange, struct bytes *piece)
{
    struct notifications *notifications = exchange->server->notifications;
    struct event_stream *stream = state;

    for (;;) {
        long long now_ns = clock_monotonic_ns();
        bool closed = notifications_is_closed(
            notifications); /* read before the database, so that the last change is not missed */

        if (stream->ended)
            return STREAM_END;
        if (!stream->begun && !bytes_printf(piece, "retry: 2000\n\n"))
            return STREAM_BROKEN;
        stream->begun = true;
        stream->pause_ns = haste_pause(HEARTBEAT_NS);
        if (!stream->look(stream, exchange->server, piece, now_ns))
            return STREAM_BROKEN;
        if (piece->used == 0 && now_ns - stream->spoken_ns >= haste_pause(HEARTBEAT_NS) &&
            !bytes_printf(piece, ": still here\n\n"))
            return STREAM_BROKEN;
        if (piece->used > 0) {
            stream->spoken_ns = now_ns;
            return STREAM_MORE;
        }
        if (closed)
            return STREAM_END;
        if (notifications_sleep(notifications, &exchange->watcher, now_ns,
                                stream->spoken_ns + stream->pause_ns))
            return STREAM_WAIT;
    }
}

void *event_stream_open(const struct exchange *exchange, size_t size)
{
    struct event_stream *stream = xcalloc(1, size);

    stream->id = exchange->request.id;
    return stream;
}

void event_stream_follow(struct exchange *exchange, struct event_stream *stream,
                         enum topic_kind topic)
{
    struct error err = {0};

    if (!exchange->may_hold(exchange)) {
        error_set(&err, ERROR_BUSY, NULL, "too many clients follow something already");
        reply_error(exchange, &err);
        free(stream);
        return;
    }
    stream->spoken_ns = clock_monotonic_ns();
    exchange->watcher.may_cut = true;
    notifications_watch(exchange->server->notifications, &exchange->watcher,
                        &(struct topic){topic, stream->id}, stream->spoken_ns);
    reply_events(exchange, next_events, stream);
}

/* Server-Sent Events of a run or sweep: the common part. The server queues nothing for a reader:
 * each event is computed from the rows and from what this reader has been sent, so a slow reader
 * skips progress, and one that reconnects with Last-Event-ID misses no state. In haste
 * (common/haste.h) it speaks more often where there is no news. Tested by
 * tests/api/test_events.py and tests/api/test_sweep_events.py. */
#pragma once

#include "common/bytes.h"
#include "engine/spec/run_id.h"
#include "server/base/notifications.h"

#include <stdbool.h>
#include <stddef.h>

struct exchange;
struct server;

/* The first member of a handler's state. */
struct event_stream {
    struct run_id id;
    /* Adds the events that the reader has not seen; sets pause_ns and ended. On false the stream
     * ends, and the reader reconnects. */
    bool (*look)(struct event_stream *stream, const struct server *server, struct bytes *piece,
                 long long now_ns);
    long long pause_ns;  /* without news, until the next look */
    long long spoken_ns; /* time of the last event or heartbeat */
    bool begun, ended;
};

/* Allocates a zeroed struct of `size` bytes with the id of the path; the caller frees it. */
void *event_stream_open(const struct exchange *exchange, size_t size);

/* Replies with the events of look(); takes ownership of *stream. */
void event_stream_follow(struct exchange *exchange, struct event_stream *stream,
                         enum topic_kind topic);

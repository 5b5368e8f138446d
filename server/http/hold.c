#include "server/http/hold.h"

#include "common/clock.h"
#include "common/haste.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

void hold_begin(struct exchange *exchange, const struct topic *topic, long long seconds,
                void (*go_on)(struct exchange *exchange))
{
    long long now_ns = clock_monotonic_ns();

    exchange->hold.go_on = go_on;
    exchange->hold.id = topic->id;
    exchange->hold.until_ns = now_ns + seconds * NS_PER_SECOND;
    if (prefer_wait(exchange->request.headers.prefer) > 0)
        reply_field(exchange, "Preference-Applied", "wait=%lld", seconds);
    notifications_watch(exchange->server->notifications, &exchange->watcher, topic, now_ns);
    go_on(exchange);
}

bool hold_is_closed(const struct exchange *exchange)
{
    return notifications_is_closed(exchange->server->notifications) ||
           runner_is_drained(exchange->server->runner);
}

bool hold_is_over(struct exchange *exchange, bool closed)
{
    struct hold *hold = &exchange->hold;

    if (!closed && clock_monotonic_ns() < hold->until_ns && !exchange->is_gone(exchange)) {
        hold->granted = hold->granted || exchange->may_hold(exchange);
        if (hold->granted)
            return false;
    }
    notifications_leave(exchange->server->notifications, &exchange->watcher);
    return true;
}

bool hold_sleep(struct exchange *exchange)
{
    long long now_ns = clock_monotonic_ns(), look_ns = now_ns + haste_pause(REQUEST_LOOK_NS);
    long long until_ns = exchange->hold.until_ns < look_ns ? exchange->hold.until_ns : look_ns;

    exchange->hold.waits = notifications_sleep(exchange->server->notifications,
                                               &exchange->watcher, now_ns, until_ns);
    return exchange->hold.waits;
}

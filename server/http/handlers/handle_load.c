/* /v1/machine/load: who uses the processors now. Tested by tests/api/test_load.py. */
#include "common/clock.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_evidence.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

#define HELD_NS (5 * NS_PER_SECOND) /* at most: memory may run out */

static void reply_load(struct exchange *exchange, const struct load *load)
{
    struct json_writer out = {.bytes = &exchange->reply.body};

    present_load(&out, NULL, load,
                 topology_threads(&exchange->server->this_machine->topology, false));
    reply_json(exchange, 200, &out);
}

/* Holds the answer until there are two readings to compare; no thread waits meanwhile. */
static void go_on_load(struct exchange *exchange)
{
    struct notifications *notifications = exchange->server->notifications;
    struct load load;
    long long due_ns;

    for (;;) {
        bool closed = notifications_is_closed(notifications) || exchange->is_gone(exchange) ||
                      clock_monotonic_ns() > exchange->hold.until_ns;

        if (this_machine_load(exchange->server->this_machine, &load, &due_ns)) {
            notifications_leave(notifications, &exchange->watcher);
            reply_load(exchange, &load);
            return;
        }
        exchange->hold.granted = exchange->hold.granted || exchange->may_hold(exchange);
        if (closed || !exchange->hold.granted) {
            notifications_leave(notifications, &exchange->watcher);
            reply_problem(exchange, 503, NULL,
                          "the processors were not watched before: ask again in a second");
            return;
        }
        if (notifications_sleep(notifications, &exchange->watcher, clock_monotonic_ns(),
                                due_ns)) {
            exchange->hold.waits = true;
            return;
        }
    }
}

void load_handler(struct exchange *exchange)
{
    const struct topic topic = {.kind = TOPIC_RUN}; /* no run: only the time wakes it */

    exchange->hold =
        (struct hold){.go_on = go_on_load, .until_ns = clock_monotonic_ns() + HELD_NS};
    notifications_watch(exchange->server->notifications, &exchange->watcher, &topic,
                        clock_monotonic_ns());
    go_on_load(exchange);
}

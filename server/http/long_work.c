/* Tested by tests/attack/test_long_work.py. */
#include "server/http/long_work.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/memory.h"
#include "server/http/handlers/handlers.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

/* Handlers that may take more than 50 ms with the largest database that SECURITY.md permits. */
static const struct long_handler {
    handler_fn *handler;
    enum job_kind kind;
    bool (*from_cache)(struct exchange *exchange); /* NULL; or replies if that needs no work */
} long_handlers[] = {
    {export_handler, JOB_EXPORT, NULL},
    {recompute_handler, JOB_RECOMPUTE, NULL},
    {comparison_handler, JOB_LIST, comparison_from_cache},
    {comparison_svg_handler, JOB_LIST, comparison_from_cache},
    {badge_svg_handler, JOB_LIST, comparison_from_cache},
    {history_handler, JOB_LIST, history_from_cache},
    {machines_list_handler, JOB_LIST, NULL},
    {instances_handler, JOB_LIST, NULL},
    {families_handler, JOB_LIST, NULL},
    {support_handler, JOB_LIST, NULL},
    {wanted_handler, JOB_LIST, NULL},
};

/* One running handler; owned by the hold. */
struct long_work {
    struct long_job job;
    struct exchange *exchange;
};

/* A client that resets its connection ends the exchange at once. */
static void long_work_free(void *state)
{
    struct long_work *long_work = state;

    long_jobs_cancel(long_work->exchange->server->long_jobs, &long_work->job);
    free(long_work);
}

static void long_work_run(void *user, const atomic_bool *stop)
{
    struct exchange *exchange = ((struct long_work *)user)->exchange;

    if (*stop)
        reply_problem(exchange, 503, NULL, "the server is stopping");
    else if (exchange->is_gone(exchange))
        reply_problem(exchange, 503, NULL, "the client has left");
    else
        exchange->request.match.route->handler(exchange);
}

bool long_work_put(struct exchange *exchange, struct long_job *job, struct error *err)
{
    job->client = client_address_of(exchange->request.peer);
    if (!long_jobs_put(exchange->server->long_jobs, job, err))
        return false;
    notifications_watch(exchange->server->notifications, &exchange->watcher, &job->topic,
                        clock_monotonic_ns());
    return true;
}

bool long_work_has_ended(struct exchange *exchange, const struct long_job *job)
{
    struct notifications *notifications = exchange->server->notifications;
    struct long_jobs *jobs = exchange->server->long_jobs;

    while (!long_jobs_has_ended(jobs, job)) {
        long long now_ns = clock_monotonic_ns();

        if (notifications_sleep(notifications, &exchange->watcher, now_ns,
                                now_ns + haste_pause(REQUEST_LOOK_NS)))
            return false;
        if (notifications_is_closed(notifications))
            long_jobs_finish(jobs, job);
    }
    notifications_leave(notifications, &exchange->watcher);
    return true;
}

static void go_on_after(struct exchange *exchange)
{
    const struct long_work *long_work = exchange->hold.state;

    exchange->hold.waits = !long_work_has_ended(exchange, &long_work->job);
}

static const struct long_handler *long_work_find(handler_fn *handler)
{
    for (size_t i = 0; i < COUNT(long_handlers); i++)
        if (long_handlers[i].handler == handler)
            return &long_handlers[i];
    return NULL;
}

bool long_work_begin(struct exchange *exchange)
{
    const struct long_handler *found = long_work_find(exchange->request.match.route->handler);
    AUTO(freep) struct long_work *long_work = NULL;
    struct error err = {0};

    if (!found)
        return false;
    if (found->from_cache && found->from_cache(exchange))
        return true;
    long_work = xcalloc(1, sizeof *long_work);
    long_work->exchange = exchange;
    long_work->job =
        (struct long_job){.work = long_work_run, .user = long_work, .kind = found->kind};
    if (!long_work_put(exchange, &long_work->job, &err)) {
        reply_error(exchange, &err);
        return true;
    }
    exchange->hold =
        (struct hold){.go_on = go_on_after, .free = long_work_free, .state = take(&long_work)};
    go_on_after(exchange);
    return true;
}

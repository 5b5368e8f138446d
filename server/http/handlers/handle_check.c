/* /v1/runs/{id}/check: the CI gate. Tested by tests/api/test_check.py. */
#include "answers/gate/judge.h"
#include "answers/gate/load.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "server/http/access.h"
#include "server/http/handlers/handlers.h"
#include "server/http/hold.h"
#include "server/http/json/present_check.h"
#include "server/http/json/present_check_markdown.h"
#include "server/http/json/present_check_tools.h"
#include "server/http/negotiate.h"
#include "server/http/public_address.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/runs/confirm.h"

#define MARKDOWN_TYPE "text/markdown"

/* A format= of the query wins over the Accept header. */
static bool choose_check_format(struct exchange *exchange, struct gate_request *request)
{
    const char *accept = exchange->request.headers.accept;
    int json = accept_quality(accept, "application/json");
    int markdown = accept_quality(accept, MARKDOWN_TYPE);

    if (request->format_given)
        return true;
    if (json == 0 && markdown == 0) {
        reply_problem(exchange, 406, "Accept",
                      "this is application/json or " MARKDOWN_TYPE ", or what format= says");
        return false;
    }
    request->format = markdown > json ? CHECK_MARKDOWN : CHECK_JSON;
    return true;
}

static bool write_check_json(struct bytes *text, const struct gate_check *check)
{
    struct json_writer out = {.bytes = text};

    if (check->request.format == CHECK_GITHUB)
        present_check_github(&out, check);
    else if (check->request.format == CHECK_BENCHER)
        present_check_bencher(&out, check);
    else
        members_write(&out, NULL, &check_members, check);
    return !out.failed;
}

static void reply_check(struct exchange *exchange, const struct gate_check *check)
{
    bool markdown = check->request.format == CHECK_MARKDOWN;
    struct bytes *body = &exchange->reply.body;
    struct error err = {0};
    char address[PUBLIC_ADDRESS_SIZE];
    const struct gate_question *asked = exchange->request.parameters;

    public_address(&exchange->request.headers,
                   exchange->server->config->tls_certificate[0] != '\0', address);
    if (!(markdown ? present_check_markdown(body, check, address)
                   : write_check_json(body, check))) {
        bytes_too_long(body, "the answer", &err);
        reply_error(exchange, &err);
        return;
    }
    exchange->reply.status = 200;
    exchange->reply.content_type =
        markdown ? MARKDOWN_TYPE "; charset=utf-8" : "application/json";
    reply_field(exchange, "Pennyworth-Verdict", "%s", gate_verdict_names[check->verdict]);
    if (prefer_wait(exchange->request.headers.prefer) > 0)
        reply_field(exchange, "Preference-Applied", "wait=%lld",
                    request_wait(exchange, asked->wait));
}

/* Queues the confirming runs of a failure, if the query asks for them and they do not exist yet.
 * Only POST does: a GET must change nothing, since any page can make a browser send one. */
static bool check_confirm(struct exchange *exchange, struct db *db, struct gate_check *check)
{
    struct access_spending spending = {.exchange = exchange};
    struct gate_queueing queueing = {.queue_limit = exchange->server->config->queue_limit,
                                     .may = access_may_queue,
                                     .user = &spending};
    struct error err = {0};

    if (!check->request.confirm || !check->fails_first ||
        check->confirmation.state != CONFIRM_NONE)
        return true;
    if (strcmp(exchange->request.method, "POST") != 0) {
        reply_problem(exchange, 400, "confirm",
                      "a failure is measured again by POST; GET shows what was measured");
        return false;
    }
    if (!request_may_queue(exchange))
        return false;
    if (!gate_queue_confirmation(db, exchange->server->this_machine, check, &queueing, &err)) {
        if (exchange->reply.status == 0)
            reply_error(exchange, &err);
        return false;
    }
    if (!queueing.was_there)
        access_count_runs(exchange, spending.runs);
    exchange->audit.entry.id = check->confirmation.sweep;
    runner_wake(exchange->server->runner);
    return true;
}

/* Loads the check as it stands, and the id of the run or sweep it waits for ("" for none).
 * Returns false if it has replied. */
static bool check_look(struct exchange *exchange, const struct gate_request *request,
                       struct gate_check **ret_check, struct topic *ret_waits_for,
                       struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    AUTO(gate_check_freep)
    struct gate_check *check =
        gate_check_load(loan.db, &exchange->hold.id, request, &ret_waits_for->id, err);

    if (!check && !ret_waits_for->id.text[0]) {
        reply_error(exchange, err);
        return false;
    }
    if (check && !check_confirm(exchange, loan.db, check))
        return false;
    if (check && check->confirmation.state == CONFIRM_RUNNING)
        *ret_waits_for = (struct topic){TOPIC_SWEEP, check->confirmation.sweep};
    *ret_check = take(&check);
    return true;
}

/* Watches the run or sweep that the answer waits for. */
static void check_watch(struct exchange *exchange, const struct topic *topic)
{
    struct notifications *notifications = exchange->server->notifications;

    if (exchange->watcher.watching && exchange->watcher.topic.kind == topic->kind &&
        strcmp(exchange->watcher.topic.id.text, topic->id.text) == 0)
        return;
    notifications_leave(notifications, &exchange->watcher);
    notifications_watch(notifications, &exchange->watcher, topic, clock_monotonic_ns());
}

/* Replies, or suspends the exchange until there is news. */
static void go_on_check(struct exchange *exchange)
{
    struct gate_request request;
    struct error unread = {0};

    if (!gate_request_make(exchange->request.parameters, &request, &unread) ||
        !choose_check_format(exchange, &request))
        return; /* not reached: check_handler() read both without error */
    for (;;) {
        bool closed = hold_is_closed(exchange);
        AUTO(gate_check_freep) struct gate_check *check = NULL;
        struct topic waits_for = {.kind = TOPIC_RUN};
        struct error err = {0};

        if (!check_look(exchange, &request, &check, &waits_for, &err))
            break;
        if (!waits_for.id.text[0] || hold_is_over(exchange, closed)) {
            if (check)
                reply_check(exchange, check);
            else
                reply_error(exchange, &err);
            break;
        }
        check_watch(exchange, &waits_for);
        if (hold_sleep(exchange))
            return;
    }
    notifications_leave(exchange->server->notifications, &exchange->watcher);
}

void check_handler(struct exchange *exchange)
{
    const struct gate_question *asked = exchange->request.parameters;
    struct gate_request request;
    struct error err = {0};

    if (!gate_request_make(asked, &request, &err)) {
        reply_error(exchange, &err);
        return;
    }
    if (!choose_check_format(exchange, &request))
        return;
    exchange->hold.go_on = go_on_check;
    exchange->hold.id = exchange->request.id;
    exchange->hold.until_ns =
        clock_monotonic_ns() + request_wait(exchange, asked->wait) * NS_PER_SECOND;
    go_on_check(exchange);
}

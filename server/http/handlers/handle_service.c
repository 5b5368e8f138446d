/* Health, readiness, metrics and the API description. Tested by tests/api/test_http.py. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/rows/members.h"
#include "db/damage.h"
#include "db/prices/feed_rows.h"
#include "db/runs/runs.h"
#include "server/base/disk_reserve.h"
#include "server/base/log.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/comparison/comparison_metrics.h"
#include "server/http/openapi.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

static const struct member health_rows[] = {
    {MEMBER_CONSTANT("status", "\"ok\"")},
    {0},
};
const struct members health_members = {.name = "Health", .rows = health_rows};

void health_handler(struct exchange *exchange)
{
    reply_object(exchange, 200, &health_members, exchange);
}

struct readiness {
    enum { DISK_OK, DISK_FULL } disk;
};
static const char *const disk_states[] = {"ok", "full", NULL};

static const struct member readiness_rows[] = {
    {MEMBER_CONSTANT("status", "\"ready\"")},
    {MEMBER(struct readiness, disk), .words = disk_states,
     .meaning =
         "full: less than --reserve-mib is free on the disk of the database, so it is read and "
         "not written."},
    {0},
};
const struct members readiness_members = {.name = "Readiness", .rows = readiness_rows};

/* Ready: the database answers, and queued runs will run. A full disk is reported but stays ready,
 * because a load balancer would otherwise turn away clients that only read. */
void ready_handler(struct exchange *exchange)
{
    const struct config *config = exchange->server->config;
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};
    long long size;

    if (!request_may_queue(
            exchange)) /* false while the server stops or the machine is preempted */
        return;
    loan = db_borrow(exchange->server->pool);
    bool ok = db_size(loan.db, &size, &err);
    if (db_is_damaged()) { /* the query above may have found the damage */
        error_clear(&err);
        ok = error_set(&err, ERROR_DAMAGED, NULL, "the database is damaged");
    }
    if (!ok)
        reply_error(exchange, &err);
    else
        reply_object(exchange, 200, &readiness_members,
                     &(struct readiness){disk_reserve_check(config, NULL) ? DISK_OK : DISK_FULL});
}

/* Metrics of the storage. */
static bool write_disk(struct bytes *text, const struct config *config)
{
    return metric_value(text, "pennyworth_disk_free_bytes", "gauge",
                        "Free space on the database's disk; -1 unknown.",
                        disk_space_left(config)) &&
           metric_value(text, "pennyworth_database_damaged", "gauge",
                        "1 when damage was seen: nothing is written any more.", db_is_damaged());
}

static long long resident_bytes(void)
{
    AUTO(fclosep) FILE *file = fopen("/proc/self/statm", "re");
    long long pages = 0;

    if (!file || fscanf(file, "%*d %lld", &pages) != 1)
        return 0;
    return pages * sysconf(_SC_PAGESIZE);
}

static bool write_stored_metrics(struct bytes *text, const long long counts[RUN_STATES],
                                 long long size, int watchers)
{
    bool ok = metric_value(text, "pennyworth_queue_depth", "gauge", "Runs that wait.",
                           counts[RUN_QUEUED]) &&
              metric_head(text, "pennyworth_runs", "gauge", "Runs by state.");

    for (int state = 0; ok && state < RUN_STATES; state++)
        ok = bytes_printf(text, "pennyworth_runs{state=\"%s\"} %lld\n", run_state_names[state],
                          counts[state]);
    return ok &&
           metric_value(text, "pennyworth_watchers", "gauge", "Event streams and held answers.",
                        watchers) &&
           metric_value(text, "pennyworth_database_size_bytes", "gauge", "Size of the database.",
                        size) &&
           metric_value(text, "process_resident_memory_bytes", "gauge", "Resident memory.",
                        resident_bytes());
}

static bool write_long_jobs(struct bytes *text, struct long_jobs *jobs)
{
    bool ok =
        metric_head(text, "pennyworth_long_jobs", "gauge",
                    "Answers and imports that threads of their own make: at work, or waiting.");

    for (enum job_kind kind = 0; ok && kind < JOB_KINDS; kind++)
        ok = bytes_printf(text, "pennyworth_long_jobs{kind=\"%s\"} %d\n", job_kind_name(kind),
                          long_jobs_count(jobs, kind));
    return ok;
}

static bool write_budget(struct bytes *text, struct answer_budget *budget)
{
    const struct answer_budget_use use = answer_budget_look(budget);

    return metric_value(text, "pennyworth_answer_bytes", "gauge",
                        "Memory of large answers in flight.", (long long)use.held) &&
           metric_value(text, "pennyworth_answer_limit_bytes", "gauge",
                        "Its limit: --answer-mib.", (long long)use.limit);
}

/* All scopes of a feed as one: the oldest age and the number of failures. */
struct feed_sum {
    const char *name;
    long long age_us, failures, prices, now_us;
};

static void add_scope(void *user, const struct feed_row *row)
{
    struct feed_sum *sum = user;
    long long said_us = row->source_us > 0 ? row->source_us : row->confirmed_us;

    if (row->confirmed_us > 0 && sum->now_us - said_us > sum->age_us)
        sum->age_us = sum->now_us - said_us;
    sum->failures += row->failures;
    sum->prices += row->prices;
}

static bool write_feed_sums(struct bytes *text, const struct feed_sum *sums, size_t count)
{
    bool ok = metric_head(text, "pennyworth_feed_age_seconds", "gauge",
                          "Age of the oldest prices accepted.");

    for (size_t i = 0; ok && i < count; i++)
        if (sums[i].prices > 0)
            ok = bytes_printf(text, "pennyworth_feed_age_seconds{feed=\"%s\"} %.0f\n",
                              sums[i].name, (double)sums[i].age_us / US_PER_SECOND);
    ok = ok && metric_head(text, "pennyworth_feed_failures", "gauge",
                           "Readings that failed since one worked, of all scopes.");
    for (size_t i = 0; ok && i < count; i++)
        ok = bytes_printf(text, "pennyworth_feed_failures{feed=\"%s\"} %lld\n", sums[i].name,
                          sums[i].failures);
    ok = ok && metric_head(text, "pennyworth_feed_prices", "gauge", "Prices accepted.");
    for (size_t i = 0; ok && i < count; i++)
        ok = bytes_printf(text, "pennyworth_feed_prices{feed=\"%s\"} %lld\n", sums[i].name,
                          sums[i].prices);
    return ok;
}

static bool write_feed_metrics(struct bytes *text, const struct feeds *feeds, struct db *db,
                               struct error *err)
{
    struct feed_sum sums[FEEDS_MAX];
    long long now_us = clock_calendar_us();

    for (size_t i = 0; i < feeds->count; i++) {
        sums[i] = (struct feed_sum){.name = feeds->list[i].source->name, .now_us = now_us};
        if (!feed_rows_each(db, sums[i].name, add_scope, &sums[i], err))
            return false;
    }
    return write_feed_sums(text, sums, feeds->count) || bytes_too_long(text, "the answer", err);
}

void metrics_handler(struct exchange *exchange)
{
    struct bytes *body = &exchange->reply.body;
    AUTO(db_loan_end) struct db_loan loan = {0};
    long long counts[RUN_STATES], size;
    struct identity here;
    struct error err = {0};

    loan = db_borrow(exchange->server->pool);
    this_machine_identity(exchange->server->this_machine, &here);
    if (!runs_count(loan.db, counts, &err) || !db_size(loan.db, &size, &err) ||
        ((!write_stored_metrics(body, counts, size,
                                notifications_count(exchange->server->notifications)) ||
          !write_disk(body, exchange->server->config) ||
          !write_long_jobs(body, exchange->server->long_jobs) ||
          !write_budget(body, exchange->server->answer_budget) ||
          !metrics_write(exchange->server->metrics, body) ||
          !token_store_write(exchange->server->token_store, body) ||
          !audit_write_metrics(exchange->server->audit, body)) &&
         !bytes_too_long(body, "the answer", &err)) ||
        !write_feed_metrics(body, exchange->server->feeds, loan.db, &err) ||
        !comparison_metrics_write(loan.db, exchange->server->comparison_cache, &here, body,
                                  &err)) {
        reply_error(exchange, &err);
        return;
    }
    exchange->reply.status = 200;
    exchange->reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
}

void openapi_handler(struct exchange *exchange)
{
    struct error err = {0};
    const struct bytes *document = openapi_text(exchange->server->openapi, &err);

    if (document)
        reply_fixed(exchange, "application/json", document->data, document->used);
    else
        reply_error(exchange, &err);
}

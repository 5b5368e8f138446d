/* The evidence behind a run's number, and the number recomputed from its trace. Maintenance may
 * thin the run meanwhile, so each answer reads the run and its parts in one transaction. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "db/runs/evidence_rows.h"
#include "db/runs/runs.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_evidence.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/runs/conclusion.h"

void evidence_handler(struct exchange *exchange)
{
    AUTO(evidence_free) struct evidence evidence = {0};
    AUTO(run_clear) struct run run = {0};
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    AUTO(transaction_end) struct transaction moment = {0};
    struct error err = {0};

    if (!transaction_begin_reading(&moment, loan.db, &err) ||
        !runs_find(loan.db, exchange->request.id.text, &run, &err) ||
        !evidence_rows_load(loan.db, run.number, &evidence, &err))
        reply_error(exchange, &err);
    else
        reply_object(exchange, 200, &evidence_members,
                     &(struct evidence_view){&evidence, run.thinned_us > 0});
}

static bool is_whole(const struct run *run, struct error *err)
{
    char when[RFC3339_SIZE];

    if (run->thinned_us == 0)
        return true;
    clock_rfc3339(run->thinned_us, when);
    return error_set(err, ERROR_CONFLICT, NULL,
                     "its steps were thinned on %.10s, so the number cannot be made again", when);
}

/* One writer makes both texts, so equal texts mean equal numbers to the last digit. */
static bool is_same(const char *stored, const char *now)
{
    return stored && strcmp(stored, now) == 0;
}

static struct recomputed evidence_compare(const struct run *run,
                                          const struct conclusion *conclusion)
{
    return (struct recomputed){
        .is_identical = is_same(run->summary_text, conclusion->summary_text) &&
                        is_same(run->findings, conclusion->findings) &&
                        run->validity == conclusion->validity,
        .stored = {run->summary_text, run->validity, run->findings, &run->load},
        .recomputed = {conclusion->summary_text, conclusion->validity, conclusion->findings,
                       &run->load}};
}

static bool may_be_drawn(const struct run *run, struct error *err)
{
    return (run->state == RUN_FINISHED ||
            error_set(err, ERROR_CONFLICT, NULL,
                      "the run is %s: only a finished one has a summary",
                      run_state_name(run->state))) &&
           is_whole(run, err);
}

void recompute_handler(struct exchange *exchange)
{
    AUTO(conclusion_clear) struct conclusion conclusion = {0};
    AUTO(run_clear) struct run run = {0};
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    AUTO(transaction_end) struct transaction moment = {0};
    struct error err = {0};

    if (!transaction_begin_reading(&moment, loan.db, &err) ||
        !runs_find(loan.db, exchange->request.id.text, &run, &err) || !may_be_drawn(&run, &err) ||
        !conclusion_draw(loan.db, &run, &conclusion, &err)) {
        reply_error(exchange, &err);
        return;
    }
    const struct recomputed recomputed = evidence_compare(&run, &conclusion);

    reply_object(exchange, 200, &recomputed_members, &recomputed);
}

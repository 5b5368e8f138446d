/* GET /v1/wanted: what a machine of a type should measure next.
 * Tested by tests/api/test_wanted.py. */
#include "answers/compare/comparison_cache.h"
#include "answers/compare/unmatched_lists.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/limits.h"
#include "common/text.h"
#include "server/http/api/types.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_wanted.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

struct wanted_request {
    const struct wanted_asked *asked;
    struct wanted_question question;
    struct known_type type;
};

/* The type in the question. */
static void name_type(struct this_machine *this_machine, struct wanted_request *request)
{
    const struct wanted_asked *asked = request->asked;
    struct instance_type *listed = &request->type.listed;
    struct identity here;

    this_machine_identity(this_machine, &here);
    snprintf(listed->name, sizeof listed->name, "%s",
             asked->instance_type ? asked->instance_type : here.instance_type);
    snprintf(listed->provider, sizeof listed->provider, "%s",
             asked->provider        ? asked->provider
             : asked->instance_type ? ""
                                    : here.provider);
}

/* An unknown type keeps the question's values. */
static bool take_type(void *user, const struct known_type *type)
{
    *(struct known_type *)user = *type;
    return false;
}

/* A wanted spec may have no run yet, such as one of a bench. */
static bool find_unmatched_wanted(struct db *db, const struct wanted_request *request,
                                  const struct wanted_list *list,
                                  struct unmatched_list *unmatched, struct error *err)
{
    const struct known_type_filter types = {.provider = request->asked->provider,
                                            .name = request->asked->instance_type};
    const struct run_filter runs = {.workload = request->question.workload,
                                    .engine = request->question.engine};

    return unmatched_known_types(db, &types, unmatched, err) &&
           (list->count > 0 || unmatched_runs(db, &runs, unmatched, err));
}

/* Replies unless it fails. */
static bool wanted_answer(struct exchange *exchange, struct db *db,
                          struct wanted_request *request, struct error *err)
{
    const struct offers_question where = {
        .regions = {"none"}, .at_us = request->question.now_us, .is_now = true};
    const struct instance_type asked = request->type.listed;
    const struct known_type_filter filter = {.provider = text_or_null(asked.provider),
                                             .name = asked.name};
    AUTO(comparison_cache_return) struct comparison_loan loan = {0};
    AUTO(wanted_list_free) struct wanted_list list = {0};
    struct unmatched_list unmatched = {.count = 0};

    if (!known_types_each(db, &filter, take_type, &request->type, err) ||
        !comparison_cache_borrow(exchange->server->comparison_cache, db, &where, &loan, err))
        return false;
    request->question.standings = loan.standings;
    list = wanted_find(&request->question);
    if (!find_unmatched_wanted(db, request, &list, &unmatched, err))
        return false;
    reply_object(exchange, 200, &wanted_list_members,
                 &(struct wanted_view){&request->type.listed, &list,
                                       (size_t)request->asked->limit, &unmatched});
    return true;
}

void wanted_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    const struct wanted_asked *asked = exchange->request.parameters;
    struct wanted_request request = {.asked = asked,
                                     .question = {.type = &request.type,
                                                  .workload = asked->workload,
                                                  .engine = asked->engine,
                                                  .days = asked->days,
                                                  .now_us = clock_calendar_us()}};
    struct error err = {0};

    name_type(exchange->server->this_machine, &request);
    loan = db_borrow(exchange->server->pool);
    if (!wanted_answer(exchange, loan.db, &request, &err))
        reply_error(exchange, &err);
}

/* GET /v1/families: how training scales over the sizes of a family of instance types.
 * Tested by tests/api/test_families.py. */
#include "answers/compare/comparison.h"
#include "answers/compare/comparison_cache.h"
#include "answers/compare/elsewhere.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "pricing/instance_family.h"
#include "server/http/api/types.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/comparison/present_families.h"
#include "server/http/json/page.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

static bool families_complete(struct exchange *exchange, struct families_question *question,
                              char family[INSTANCE_SIZE], struct error *err)
{
    struct comparison_question *comparison = &question->comparison;
    struct identity here;

    this_machine_identity(exchange->server->this_machine, &here);
    family[0] = '\0';
    if (question->instance_type)
        instance_family(question->instance_type, family);
    else if (question->family)
        snprintf(family, INSTANCE_SIZE, "%s", question->family);
    comparison->provenance = "measured"; /* what others published has no interval */
    return comparison_question_complete(comparison, &here, clock_calendar_us(), err);
}

/* Replies unless it fails. */
static bool families_answer(struct exchange *exchange, struct db *db,
                            struct families_question *question, const char *family,
                            struct error *err)
{
    struct comparison_question *asked = &question->comparison;
    struct offers_question where = asked->where;
    const struct known_type_filter filter = {.provider = asked->provider};
    AUTO(comparison_cache_return) struct comparison_loan loan = {0};
    AUTO(comparison_clear) struct ranking ranking = {0};
    AUTO(type_list_free) struct type_list types = {0};
    AUTO(families_free) struct families families = {0};
    AUTO(freep) struct discount_list *discounts = xcalloc(1, sizeof *discounts);
    struct comparison_parts parts = {.question = asked, .discounts = discounts};
    const struct families_parts wanted = {
        .parts = &parts,
        .ranking = &ranking,
        .types = &types,
        .family = family[0] ? family : NULL,
    };
    struct page page = {.limit = asked->limit};
    const struct families_view view = {
        .page = &page, .question = asked, .families = &families, .after = question->after};

    asked->where.at_home = false; /* the sizes of a family are compared in one region */
    if (!discounts_each(db, asked->where.at_us, discount_list_add, discounts, err) ||
        !type_list_load(db, &filter, &types, err) ||
        !comparison_cache_borrow(exchange->server->comparison_cache, db, &asked->where, &loan,
                                 err))
        return false;
    parts.standings = loan.standings;
    parts.offers = loan.offers;
    parts.homes = loan.homes;
    if (!comparison_make(&parts, &ranking, err))
        return false;
    families = families_make(&wanted);
    if (families.count == 0 && family[0] && ranking.unmatched_count < UNMATCHED_MAX) {
        struct unmatched *unmatched = &ranking.unmatched[ranking.unmatched_count++];

        *unmatched = (struct unmatched){.parameter = "family"};
        snprintf(unmatched->value, sizeof unmatched->value, "%s", family);
        snprintf(unmatched->words, sizeof unmatched->words,
                 "no type of this family was measured in %.64s", asked->workload);
        unmatched_mend(unmatched);
    }
    if (!unmatched_places(db, &where, ranking.unmatched, &ranking.unmatched_count, err))
        return false;
    memcpy(page.unmatched.list, ranking.unmatched, sizeof page.unmatched.list);
    page.unmatched.count = ranking.unmatched_count;
    reply_object(exchange, 200, &family_list_members, &view);
    return true;
}

void families_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct families_question *question = exchange->request.parameters;
    char family[INSTANCE_SIZE];
    struct error err = {0};

    if (!families_complete(exchange, question, family, &err)) {
        reply_error(exchange, &err);
        return;
    }
    loan = db_borrow(exchange->server->pool);
    if (!families_answer(exchange, loan.db, question, family, &err))
        reply_error(exchange, &err);
}

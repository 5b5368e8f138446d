/* GET /v1/families: how training scales over the sizes of a family of instance types.
 * Tested by tests/api/test_families.py. */
#include "answers/compare/comparison.h"
#include "answers/compare/comparison_cache.h"
#include "answers/compare/elsewhere.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "pricing/instance_family.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_families.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

struct families_question {
    struct comparison_question comparison;
    char family[INSTANCE_SIZE]; /* "" for every one that was measured */
    const char *after;          /* NULL: from the first */
    bool names_regions;         /* else those of the default are asked for */
};

static bool read_question(struct exchange *exchange, struct families_question *question,
                          struct error *err)
{
    static const char *const words[] = {"family", "instance_type", "cursor", NULL};
    const struct query *query = &exchange->request.query;
    const char *family = query_find(query, "family"), *type = query_find(query, "instance_type");
    struct identity here;

    this_machine_identity(exchange->server->this_machine, &here);
    if (!query_check_words(query, words, QUERY_WORD_MAX, err) ||
        !comparison_question_read(query, &here, clock_calendar_us(), &question->comparison, err))
        return false;
    if (family && type)
        return error_set(err, ERROR_INVALID, "instance_type",
                         "names a family too: give it or family, not both");
    question->family[0] = '\0';
    if (type)
        instance_family(type, question->family);
    else if (family)
        snprintf(question->family, sizeof question->family, "%s", family);
    question->comparison.instance_count = 0; /* of the family that a type names, all sizes */
    question->after = query_find(query, "cursor");
    question->names_regions = !question->comparison.where.at_home;
    question->comparison.where.at_home = false; /* sizes of a family are compared in one region */
    question->comparison.provenance = "measured"; /* what others published has no interval */
    return true;
}

static bool answer(struct exchange *exchange, struct db *db,
                   const struct families_question *question, struct json_writer *out,
                   struct error *err)
{
    const struct comparison_question *asked = &question->comparison;
    struct offers_question where = asked->where;
    const struct known_type_filter filter = {.provider = asked->provider};
    AUTO(comparison_cache_return) struct comparison_loan loan = {0};
    AUTO(comparison_clear) struct ranking ranking = {0};
    AUTO(type_list_free) struct type_list types = {0};
    AUTO(families_free) struct families families = {0};
    AUTO(freep) struct discount_list *discounts = calloc(1, sizeof *discounts);
    struct comparison_parts parts = {.question = asked, .discounts = discounts};
    const struct families_parts wanted = {
        .parts = &parts,
        .ranking = &ranking,
        .types = &types,
        .family = question->family[0] ? question->family : NULL,
    };

    if (!discounts)
        return error_no_memory(err);
    if (!discounts_each(db, asked->where.at_us, discount_list_add, discounts, err) ||
        !type_list_load(db, &filter, &types, err) ||
        !comparison_cache_borrow(exchange->server->comparison_cache, db, &asked->where, &loan,
                                 err))
        return false;
    parts.standings = loan.standings;
    parts.offers = loan.offers;
    parts.homes = loan.homes;
    if (!comparison_make(&parts, &ranking, err) || !families_make(&wanted, &families, err))
        return false;
    if (families.count == 0 && question->family[0] && ranking.unmatched_count < UNMATCHED_MAX) {
        struct unmatched *unmatched = &ranking.unmatched[ranking.unmatched_count++];

        *unmatched = (struct unmatched){.parameter = "family"};
        snprintf(unmatched->value, sizeof unmatched->value, "%s", question->family);
        snprintf(unmatched->words, sizeof unmatched->words,
                 "no type of this family was measured in %.64s", asked->workload);
    }
    where.at_home = !question->names_regions;
    if (!unmatched_places(db, &where, ranking.unmatched, &ranking.unmatched_count, err))
        return false;
    present_families(out, asked, &families, question->after, &ranking);
    return true;
}

void families_handler(struct exchange *exchange)
{
    static const char *const allowed[] = {"family", "instance_type", "provider",  "workload",
                                          "engine", "precision",     "price",     "region",
                                          "zone",   "discount*",     "price_of*", "vm_spread",
                                          "limit",  "cursor",        NULL};
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct families_question question;
    struct error err = {0};

    if (!request_accepts(exchange, "application/json") || !request_allows(exchange, allowed))
        return;
    if (!read_question(exchange, &question, &err)) {
        reply_error(exchange, &err);
        return;
    }
    loan = db_borrow(exchange->server->pool);
    if (!answer(exchange, loan.db, &question, &out, &err))
        reply_error(exchange, &err);
    else
        reply_json(exchange, 200, &out);
}

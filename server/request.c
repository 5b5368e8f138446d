#include "server/request.h"

#include "common/cleanup.h"
#include "server/negotiate.h"
#include "server/reply.h"

bool request_accepts(struct exchange *exchange, const char *type)
{
    if (accept_quality(exchange->headers.accept, type) > 0)
        return true;
    reply_problem(exchange, 406, "Accept", "this is %s and nothing else", type);
    return false;
}

bool request_run_id(struct exchange *exchange, struct run_id *ret_id)
{
    const struct router_match *match = &exchange->match;

    snprintf(ret_id->text, sizeof ret_id->text, "%.*s", (int)match->id_length, match->id);
    if (match->id_length == RUN_ID_LENGTH && run_id_is_valid(ret_id->text))
        return true;
    reply_problem(exchange, 404, NULL, "there is no run %.*s",
                  match->id_length > 40 ? 40 : (int)match->id_length, match->id);
    return false;
}

bool request_allows(struct exchange *exchange, const char *const allowed[])
{
    struct error err = {0};

    if (query_allow(&exchange->query, allowed, &err))
        return true;
    reply_error(exchange, &err);
    return false;
}

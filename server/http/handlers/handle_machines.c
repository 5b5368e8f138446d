/* /v1/machines: the machines that runs were measured on. */
#include "common/cleanup.h"
#include "server/http/json/present_evidence.h"

#include "common/limits.h"
#include "db/runs/machines.h"
#include "server/http/handlers/handlers.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

static void tell(void *user, const struct machine_row *machine)
{
    present_machine(user, NULL, machine);
}

void machines_list_handler(struct exchange *exchange)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};

    loan = db_borrow(exchange->server->pool);
    jsonw_open(&out, NULL, '{');
    jsonw_text(&out, "here", exchange->server->this_machine->machine.fingerprint);
    jsonw_open(&out, "machines", '[');
    if (!machines_each(loan.db, MACHINE_LIST_MAX, tell, &out, &err)) {
        reply_error(exchange, &err);
        return;
    }
    jsonw_close(&out, ']');
    jsonw_close(&out, '}');
    reply_json(exchange, 200, &out);
}

void machines_show_handler(struct exchange *exchange)
{
    const struct router_match *match = &exchange->request.match;
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(machine_row_clear) struct machine_row machine = {0};
    AUTO(db_loan_end) struct db_loan loan = {0};
    char fingerprint[64];
    struct error err = {0};

    snprintf(fingerprint, sizeof fingerprint, "%.*s",
             match->id_length < 64 ? (int)match->id_length : 63, match->id);
    loan = db_borrow(exchange->server->pool);
    if (!machines_find(loan.db, fingerprint, &machine, &err)) {
        reply_error(exchange, &err);
        return;
    }
    present_machine(&out, NULL, &machine);
    reply_json(exchange, 200, &out);
}

/* /v1/machines: the machines that runs were measured on. */
#include "common/cleanup.h"
#include "server/http/json/present_evidence.h"

#include "common/limits.h"
#include "db/runs/machines.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/page.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

/* What the list answers with. */
struct machine_list {
    struct page *page; /* it has one page */
    struct db *db;
    const char *here;
};

static void write_machine(void *user, const struct machine_row *machine)
{
    members_write(user, NULL, &machine_members, machine);
}

static void write_machines(struct json_writer *out, const struct member *row, const void *object)
{
    const struct machine_list *list = object;

    jsonw_open(out, row->name, '[');
    list->page->failed =
        !machines_each(list->db, MACHINE_LIST_MAX, write_machine, out, &list->page->err);
    jsonw_close(out, ']');
}

static const struct member list_rows[] = {
    {MEMBER(struct machine_list, here),
     .meaning = "Fingerprint of the machine that the server runs on."},
    {MEMBER_LIST_OF("machines", &machine_members), .most = MACHINE_LIST_MAX,
     .write = write_machines},
    {0},
};
const struct members machine_list_members = {.name = "MachineList", .rows = list_rows};

void machines_list_handler(struct exchange *exchange)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct page page = {.limit = MACHINE_LIST_MAX};

    members_write(&out, NULL, &machine_list_members,
                  &(struct machine_list){&page, loan.db,
                                         exchange->server->this_machine->machine.fingerprint});
    if (page.failed)
        reply_error(exchange, &page.err);
    else
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
    members_write(&out, NULL, &machine_members, &machine);
    reply_json(exchange, 200, &out);
}

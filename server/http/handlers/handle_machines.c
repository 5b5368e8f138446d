/* /v1/machines: the machines that runs were measured on. */
#include "common/cleanup.h"
#include "server/http/json/present_evidence.h"

#include "common/limits.h"
#include "db/runs/machines.h"
#include "server/http/handlers/handlers.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

/* What the list answers with. */
struct machine_list {
    struct db *db;
    const char *here;
    struct error *err; /* set where reading them failed */
};

static void write_machine(void *user, const struct machine_row *machine)
{
    members_write(user, NULL, &machine_members, machine);
}

static void write_machines(struct json_writer *out, const struct member *row, const void *object)
{
    const struct machine_list *list = object;

    jsonw_open(out, row->name, '[');
    (void)!machines_each(list->db, MACHINE_LIST_MAX, write_machine, out, list->err);
    jsonw_close(out, ']');
}

static const struct member machine_list_rows[] = {
    {MEMBER(struct machine_list, here),
     .meaning = "Fingerprint of the machine that the server runs on."},
    {MEMBER_LIST_OF("machines", &machine_members), .most = MACHINE_LIST_MAX,
     .write = write_machines},
    {0},
};
const struct members machine_list_members = {.name = "MachineList", .rows = machine_list_rows};

void machines_list_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct error err = {0};

    reply_list(exchange, &machine_list_members,
               &(struct machine_list){loan.db,
                                      exchange->server->this_machine->machine.fingerprint, &err},
               &err);
}

void machines_show_handler(struct exchange *exchange)
{
    const struct router_match *match = &exchange->request.match;
    AUTO(machine_row_clear) struct machine_row machine = {0};
    AUTO(db_loan_end) struct db_loan loan = {0};
    char fingerprint[64];
    struct error err = {0};

    snprintf(fingerprint, sizeof fingerprint, "%.*s",
             match->id_length < 64 ? (int)match->id_length : 63, match->id);
    loan = db_borrow(exchange->server->pool);
    if (!machines_find(loan.db, fingerprint, &machine, &err))
        reply_error(exchange, &err);
    else
        reply_object(exchange, 200, &machine_members, &machine);
}

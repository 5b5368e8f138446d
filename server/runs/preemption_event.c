/* Tested by tests/api/test_preempted.py. */
#include "server/runs/preemption_event.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/capacity/capacity.h"
#include "db/db_open.h"
#include "engine/spec/run_id.h"
#include "server/base/config.h"
#include "server/base/log.h"
#include "server/base/this_machine.h"

void preemption_event_store(const struct config *config, struct this_machine *here,
                            const char *why)
{
    struct capacity_event event = {
        .kind = "preempted", .price_kind = "spot", .own = true, .at_us = clock_calendar_us()};
    AUTO(db_freep) struct db *db = NULL;
    struct identity identity;
    struct error err = {0};
    char vm[VM_SIZE];
    struct run_id name;
    bool is_new;

    this_machine_identity(here, &identity);
    this_machine_vm(here, vm);
    if (!identity.provider[0] || !identity.instance_type[0])
        return;
    snprintf(event.provider, sizeof event.provider, "%s", identity.provider);
    snprintf(event.instance_type, sizeof event.instance_type, "%s", identity.instance_type);
    snprintf(event.zone, sizeof event.zone, "%s",
             identity.zone[0] ? identity.zone : identity.region);
    /* A hub must count repeated reports once: a machine without a name gets one for this
     * event. */
    if (!vm[0] && !run_id_new(event.at_us, &name, &err))
        return;
    snprintf(event.machine, sizeof event.machine, "%s", vm[0] ? vm : name.text);
    snprintf(event.note, sizeof event.note, "%s", why);
    db = db_open(config->database, &err);
    if (!db || !capacity_add(db, &event, &is_new, &err))
        log_line(LOG_ERROR, "the preemption is not counted: %s", err.message);
}

#include "server/cli/push.h"

#include "common/cleanup.h"
#include "db/capacity/capacity_deliveries.h"
#include "db/db_open.h"
#include "db/restore.h"
#include "db/runs/deliveries.h"
#include "server/cli/process.h"
#include "server/hub/hub_wait.h"

#define PUSH_PATIENCE_SECONDS 60 /* of "pennyworth health" */

static void freep_uploader(struct hub_uploader **uploader)
{
    hub_uploader_free(*uploader);
}

static void tell_push_rest(const struct delivery_counts *counts)
{
    if (counts->refused > 0)
        fprintf(stderr, "%lld were refused by this hub: --refused on sends them again\n",
                counts->refused);
    if (counts->thinned > 0)
        fprintf(stderr, "%lld cannot be sent any more: their steps were dropped\n",
                counts->thinned);
}

static bool forget_refusals(struct db *db, const char *hub, struct error *err)
{
    return deliveries_forget_refusals(db, hub, err) &&
           capacity_deliveries_forget_refusals(db, hub, err);
}

int push_command(const struct config *config)
{
    AUTO(freep_uploader) struct hub_uploader *uploader = NULL;
    AUTO(db_freep) struct db *db = NULL;
    struct delivery_counts counts;
    long long events; /* preemptions that wait */
    struct hub_uploader_status status;
    char hub[HUB_UPLOAD_HUB_SIZE];
    AUTO(heartbeat_end) struct heartbeat heartbeat = {0};
    struct error err = {0};
    sigset_t signals;

    process_block_signals(&signals);
    hub_upload_hub(config->report_to, hub);
    if (restore_is_settled(config->database, &err))
        db = db_open_shared(config->database, &err);
    if (!db || (strcmp(config->refused, "on") == 0 && !forget_refusals(db, hub, &err)) ||
        !deliveries_count(db, hub, &counts, &err) ||
        !capacity_deliveries_waiting(db, hub, &events, &err))
        return command_failed(&err);
    fprintf(stderr, "%lld runs wait for the hub %s\n", counts.waiting, hub);
    if (events > 0)
        fprintf(stderr, "%lld preemptions wait for it too\n", events);
    uploader = counts.waiting + events > 0
                   ? hub_uploader_start(&(struct hub_uploader_parts){.config = config}, &err)
                   : NULL;
    if (counts.waiting + events > 0 && !uploader)
        return command_failed(&err);
    status = (struct hub_uploader_status){0};
    if (uploader) {
        heartbeat_start(&heartbeat, config->database, "push", PUSH_PATIENCE_SECONDS);
        (void)hub_wait(uploader, &signals, config->report_seconds, &heartbeat);
        hub_uploader_status(uploader, &status);
        if (!deliveries_count(db, hub, &counts, &err) ||
            !capacity_deliveries_waiting(db, hub, &events, &err))
            return command_failed(&err);
        fprintf(stderr, "%lld accepted, %lld refused, %lld still waiting%s%s\n", status.accepted,
                status.refused, counts.waiting, status.last_error[0] ? ": " : "",
                status.last_error);
    }
    tell_push_rest(&counts);
    return counts.waiting + events > 0 || status.refused > 0 ? EXIT_NOT_DELIVERED : 0;
}

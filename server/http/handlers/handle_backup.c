/* /v1/backup: a consistent copy of the database. A thread makes it while the answer is held; then
 * it is sent piece by piece. Tested by tests/api/test_backup.py. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/memory.h"
#include "server/base/disk_reserve.h"
#include "server/base/log.h"
#include "server/http/backup_job.h"
#include "server/http/handlers/handlers.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

#include <errno.h>
#include <time.h>

#define TYPE "application/vnd.sqlite3"
#define PIECE (64 * 1024)

/* State of one backup: owned by the held answer until the copy is made, then by the stream. */
struct backup {
    struct backup_job *job; /* begun, so backup_free() leaves it */
    int descriptor;         /* of the copy, owned by the job */
    long long offset, size;
};

static void backup_free(void *state)
{
    struct backup *backup = state;

    if (backup)
        backup_job_leave(backup->job);
    free(backup);
}

static enum stream_result next_backup_piece(void *state, struct exchange *exchange,
                                            struct bytes *piece)
{
    struct backup *backup = state;
    char buffer[PIECE];
    ssize_t length;

    (void)exchange;
    do
        length = pread(backup->descriptor, buffer, sizeof buffer, backup->offset);
    while (length < 0 && errno == EINTR);
    if (length == 0)
        return backup->offset == backup->size ? STREAM_END : STREAM_BROKEN;
    if (length < 0 || !bytes_add(piece, buffer, (size_t)length))
        return STREAM_BROKEN;
    backup->offset += length;
    return STREAM_MORE;
}

/* Takes ownership from the held answer. */
static struct backup *take_backup(struct exchange *exchange)
{
    struct backup *backup = exchange->hold.state;

    exchange->hold.state = NULL;
    return backup;
}

static void add_headers(struct exchange *exchange)
{
    time_t now = (time_t)(clock_calendar_us() / US_PER_SECOND);
    struct tm moment = {0};
    char stamp[40] = "";

    if (gmtime_r(&now, &moment))
        strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &moment);
    exchange->reply.status = 200;
    exchange->reply.content_type = TYPE;
    reply_field(exchange, "Content-Disposition", "attachment; filename=\"pennyworth-%s.db\"",
                stamp);
    reply_field(exchange, "Cache-Control", "no-store");
}

static void send_copy(struct exchange *exchange, int descriptor, const struct verify_facts *facts)
{
    struct backup *backup;

    log_line(LOG_INFO, "a copy of the database: bytes=%lld runs=%lld ms=%lld", facts->bytes,
             facts->runs, (clock_monotonic_ns() - exchange->request.started_ns) / NS_PER_MS);
    add_headers(exchange);
    backup = take_backup(exchange);
    backup->descriptor = descriptor;
    backup->size = facts->bytes;
    exchange->reply.stream =
        (struct stream){.next = next_backup_piece, .free = backup_free, .state = backup};
}

/* Sends the copy if it is made; else holds the answer further. */
static void go_on_backup(struct exchange *exchange)
{
    struct notifications *notifications = exchange->server->notifications;
    enum copy_state state;

    do {
        struct verify_facts facts = {0};
        struct error err = {0};
        int descriptor = -1;
        bool closed = notifications_is_closed(notifications);
        long long now_ns = clock_monotonic_ns();

        state = backup_job_look(exchange->server->backup_job, &descriptor, &facts, &err);
        if (state == COPY_MADE) {
            notifications_leave(notifications, &exchange->watcher);
            send_copy(exchange, descriptor, &facts);
        } else if (state == COPY_FAILED) {
            backup_free(take_backup(exchange));
            reply_error(exchange, &err);
        } else if (closed || exchange->is_gone(exchange)) {
            backup_free(take_backup(exchange));
            reply_problem(exchange, 503, NULL, "the server is stopping");
            return;
        } else if (notifications_sleep(notifications, &exchange->watcher, now_ns,
                                       now_ns + haste_pause(REQUEST_LOOK_NS))) {
            exchange->hold.waits = true;
            return;
        }
    } while (state == COPY_UNDER_WAY);
}

/* Logs that a copy disturbs the run under way: it uses the disk and a processor. */
static void log_disturbance(struct exchange *exchange)
{
    struct run_id id;

    if (runner_current(exchange->server->runner, &id))
        log_line(LOG_INFO, "the database is copied while run %s is measured: that disturbs it",
                 id.text);
}

void backup_handler(struct exchange *exchange)
{
    AUTO(freep) struct backup *backup = NULL;
    struct error err = {0};

    if (strcmp(exchange->request.method, "HEAD") == 0) { /* the headers do not need the copy */
        add_headers(exchange);
        return;
    }
    backup = xcalloc(1, sizeof *backup);
    backup->job = exchange->server->backup_job;
    if (!disk_reserve_check_copy(exchange->server->config, &err) ||
        !backup_job_begin(exchange->server->backup_job, &err)) {
        reply_error(exchange, &err);
        return;
    }
    exchange->hold =
        (struct hold){.go_on = go_on_backup, .free = backup_free, .state = take(&backup)};
    log_disturbance(exchange);
    notifications_watch(exchange->server->notifications, &exchange->watcher,
                        &(struct topic){.kind = TOPIC_BACKUP}, clock_monotonic_ns());
    go_on_backup(exchange);
}

#include "server/http/audit.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/json_writer.h"
#include "common/memory.h"
#include "common/text.h"
#include "server/base/log.h"
#include "server/base/metrics.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>

#define LINE_MAX 4096
#define PATH_SHOWN 200
#define QUIET_NS (60 * NS_PER_SECOND)

struct audit {
    char *path;
    atomic_llong failures;
    atomic_llong suppressed, unreported; /* in all, and since the last line that reported them */
    pthread_mutex_t lock;                /* guards the fields below */
    int descriptor;                      /* -1: the log */
    bool torn;                           /* the last line in the file has no end */
    long long logged_ns;                 /* when a failure was last logged; 0 never */
    long long strangers;                 /* number of lines of status 401 */
    long long strangers_ns[AUDIT_STRANGERS_MAX]; /* times of the last ones, as a ring */
};

/* Non-blocking: a pipe without a reader must not delay answers. */
static int open_file(const char *path, struct error *err)
{
    int descriptor =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);

    if (descriptor < 0)
        error_set(err, ERROR_INVALID, "--audit", "cannot write %s: %s", path, strerror(errno));
    return descriptor;
}

struct audit *audit_open(const char *path, struct error *err)
{
    struct audit *audit = xcalloc(1, sizeof *audit);

    audit->path = xstrdup(path);
    pthread_mutex_init(&audit->lock, NULL);
    audit->descriptor = *path ? open_file(path, err) : -1;
    if (*path && audit->descriptor < 0) {
        audit_free(audit);
        return NULL;
    }
    return audit;
}

void audit_free(struct audit *audit)
{
    if (!audit)
        return;
    closep(&audit->descriptor);
    pthread_mutex_destroy(&audit->lock);
    free(audit->path);
    free(audit);
}

bool audit_reopen(struct audit *audit, struct error *err)
{
    AUTO(closep) int descriptor = -1;
    int old;

    if (!*audit->path)
        return true;
    descriptor = open_file(audit->path, err);
    if (descriptor < 0)
        return false;
    pthread_mutex_lock(&audit->lock);
    old = audit->descriptor;
    audit->descriptor = descriptor;
    audit->torn = false;
    pthread_mutex_unlock(&audit->lock);
    descriptor = old; /* AUTO closes it */
    return true;
}

static void write_address(struct json_writer *out, const struct sockaddr *from)
{
    char text[INET6_ADDRSTRLEN] = "";
    struct sockaddr_in6 six;
    struct sockaddr_in four;

    if (from && from->sa_family == AF_INET) {
        memcpy(&four, from, sizeof four);
        inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
    } else if (from && from->sa_family == AF_INET6) {
        memcpy(&six, from, sizeof six);
        inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
    }
    jsonw_text(out, "from", *text ? text : NULL);
}

/* Cuts a long path at the start of a UTF-8 character. */
static void write_path(struct json_writer *out, const char *path)
{
    char shown[PATH_SHOWN + 1];
    size_t length = strlen(path);

    if (length > PATH_SHOWN)
        for (length = PATH_SHOWN; length > 0 && (path[length] & 0xc0) == 0x80;)
            length--;
    memcpy(shown, path, length);
    shown[length] = '\0';
    text_make_clean(shown, length); /* JSON is UTF-8, and the request's target any bytes */
    jsonw_text(out, "path", shown);
}

static void write_line(struct json_writer *out, const struct audit_entry *entry,
                       long long unreported)
{
    jsonw_open(out, NULL, '{');
    jsonw_time(out, "at", entry->at_us);
    jsonw_text(out, "who", entry->who);
    write_address(out, entry->from);
    jsonw_text(out, "method", entry->method);
    write_path(out, entry->path);
    if (entry->status != 0)
        jsonw_integer(out, "status", entry->status);
    else
        jsonw_null(out, "status");
    jsonw_integer(out, "bytes", (long long)entry->bytes);
    if (entry->counts) {
        jsonw_integer(out, "imported", entry->imported);
        jsonw_integer(out, "known", entry->known);
        jsonw_integer(out, "refused", entry->refused);
    }
    if (entry->did) {
        jsonw_text(out, "did", entry->did);
        jsonw_text(out, "id", entry->object);
        jsonw_text(out, "reason", text_or_null(entry->reason));
    } else if (entry->id.text[0]) {
        jsonw_text(out, "id", entry->id.text);
    }
    if (unreported > 0)
        jsonw_integer(out, "suppressed", unreported);
    jsonw_close(out, '}');
}

/* Writes the line by one write(); returns NULL, or why it failed. A newline first ends a torn
 * line. */
static const char *put_line(struct audit *audit, const char *line, size_t length)
{
    ssize_t written = -1;
    size_t skip = audit->torn ? 0 : 1;

    do
        written = write(audit->descriptor, line + skip, length - skip);
    while (written < 0 && errno == EINTR);
    if (written == (ssize_t)(length - skip)) {
        audit->torn = false;
        return NULL;
    }
    audit->torn = audit->torn || written > 0;
    return written < 0 ? strerror(errno) : "only a part of the line was written";
}

static void count_failure(struct audit *audit, const char *why)
{
    long long now_ns = clock_monotonic_ns();

    atomic_fetch_add_explicit(&audit->failures, 1, memory_order_relaxed);
    if (audit->logged_ns != 0 && now_ns - audit->logged_ns < QUIET_NS)
        return;
    audit->logged_ns = now_ns;
    log_line(LOG_ERROR, "audit: a line is missing in %.500s: %s", audit->path, why);
}

/* Returns whether a request without a known token gets a line: AUDIT_STRANGERS_MAX do per minute.
 * */
static bool allows_stranger(struct audit *audit, long long now_ns)
{
    long long *then_ns;
    bool room;

    pthread_mutex_lock(&audit->lock);
    then_ns = &audit->strangers_ns[audit->strangers % AUDIT_STRANGERS_MAX];
    room = audit->strangers < AUDIT_STRANGERS_MAX || now_ns - *then_ns >= 60 * NS_PER_SECOND;
    if (room) {
        *then_ns = now_ns;
        audit->strangers++;
    }
    pthread_mutex_unlock(&audit->lock);
    return room;
}

static void audit_suppress(struct audit *audit)
{
    atomic_fetch_add_explicit(&audit->suppressed, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&audit->unreported, 1, memory_order_relaxed);
}

void audit_write(struct audit *audit, const struct audit_entry *entry)
{
    AUTO(bytes_free) struct bytes line = {.limit = LINE_MAX};
    struct json_writer out = {.bytes = &line};
    const char *why = NULL;
    long long unreported;

    if (entry->status == 401 && !allows_stranger(audit, entry->at_ns)) {
        audit_suppress(audit);
        return;
    }
    unreported = atomic_exchange_explicit(&audit->unreported, 0, memory_order_relaxed);
    /* put_line() skips the first newline unless the last line was torn. */
    bool ok = bytes_add(&line, "\n", 1);
    if (ok)
        write_line(&out, entry, unreported);
    ok = ok && !out.failed && bytes_add(&line, "\n", 1);
    pthread_mutex_lock(&audit->lock);
    if (!ok)
        why = "the line is too long";
    else if (*audit->path)
        why = put_line(audit, line.data, line.used);
    if (why) {
        count_failure(audit, why);
        atomic_fetch_add_explicit(&audit->unreported, unreported, memory_order_relaxed);
    }
    pthread_mutex_unlock(&audit->lock);
    if (ok && !*audit->path)
        log_line(LOG_INFO, "audit %.*s", (int)(line.used - 2), line.data + 1);
}

bool audit_write_metrics(struct audit *audit, struct bytes *text)
{
    return metric_value(text, "pennyworth_audit_failures_total", "counter",
                        "Lines that the audit lacks.",
                        atomic_load_explicit(&audit->failures, memory_order_relaxed)) &&
           metric_value(text, "pennyworth_audit_suppressed_total", "counter",
                        "Requests without a known token that the audit has only counted.",
                        atomic_load_explicit(&audit->suppressed, memory_order_relaxed));
}

#include "server/base/heartbeat.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "server/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WRITE_NS (5 * NS_PER_SECOND)
#define READ_ATTEMPTS 20 /* of a file that the command is writing */
#define NAMESPACE_MAX 64
#define BOOT_MAX 64

/* Identifies the boot of the kernel and the container, in which process ids are comparable. "-"
 * for a part that is unknown. */
struct whereabouts {
    char boot[BOOT_MAX], container[NAMESPACE_MAX];
};

static void find_whereabouts(struct whereabouts *ret_where)
{
    AUTO(fclosep) FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    ssize_t length = readlink("/proc/self/ns/pid", ret_where->container, NAMESPACE_MAX - 1);

    snprintf(ret_where->boot, BOOT_MAX, "-");
    if (file && fscanf(file, "%63s", ret_where->boot) != 1)
        snprintf(ret_where->boot, BOOT_MAX, "-");
    ret_where->container[length > 0 ? length : 0] = '\0';
    if (length <= 0)
        snprintf(ret_where->container, NAMESPACE_MAX, "-");
}

static bool is_elsewhere(const struct whereabouts *there)
{
    struct whereabouts here;

    find_whereabouts(&here);
    return strcmp(here.boot, there->boot) != 0 || strcmp(here.container, there->container) != 0;
}

/* The lock belongs to the open file, not to the process: opening and closing the file elsewhere
 * in the process does not release it. */
static bool try_lock(int file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

static bool is_locked(int file)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

    return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void heartbeat_start(struct heartbeat *heartbeat, const char *database, const char *command,
                     long long patience_s)
{
    *heartbeat = (struct heartbeat){.command = command, .patience_s = patience_s};
    snprintf(heartbeat->name, sizeof heartbeat->name, "%s.heartbeat", database);
    heartbeat->file = open(heartbeat->name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (heartbeat->file < 0) {
        log_line(LOG_ERROR, "\"pennyworth health\" cannot see this %s: cannot open %s: %s",
                 command, heartbeat->name, strerror(errno));
        heartbeat->name[0] = '\0';
        return;
    }
    (void)heartbeat_beat(heartbeat, "starts", clock_monotonic_ns());
}

bool heartbeat_beat(struct heartbeat *heartbeat, const char *doing, long long now_ns)
{
    char text[HEARTBEAT_SIZE + 1];
    struct whereabouts where;

    if (!heartbeat->name[0])
        return true;
    if (heartbeat->written_ns > 0 && now_ns - heartbeat->written_ns < haste_pause(WRITE_NS))
        return false;
    if (!heartbeat->locked && !(heartbeat->locked = try_lock(heartbeat->file)))
        return false;
    find_whereabouts(&where);
    snprintf(text, sizeof text, "pennyworth-heartbeat 1 %s %s %s %lld %lld %lld %.*s\n",
             where.boot, where.container, heartbeat->command, (long long)getpid(), now_ns,
             heartbeat->patience_s, HEARTBEAT_DOING - 1, doing);
    for (size_t i = strlen(text); i < HEARTBEAT_SIZE; i++)
        text[i] = '\n'; /* over the end of a longer text */
    if (pwrite(heartbeat->file, text, HEARTBEAT_SIZE, 0) != HEARTBEAT_SIZE)
        return false;
    heartbeat->written_ns = now_ns;
    return true;
}

void heartbeat_end(struct heartbeat *heartbeat)
{
    if (heartbeat->name[0])
        close(heartbeat->file);
    *heartbeat = (struct heartbeat){0};
}

/* Returns false if the text is not a complete heartbeat. */
static bool heartbeat_parse(const char *text, struct whereabouts *there, long long *ret_beat_ns,
                            struct heartbeat_view *view)
{
    int doing = 0;
    size_t length;

    if (sscanf(text, "pennyworth-heartbeat 1 %63s %63s %15s %lld %lld %lld %n", there->boot,
               there->container, view->command, &view->process, ret_beat_ns, &view->patience_s,
               &doing) != 6 ||
        doing == 0)
        return false;
    length = strcspn(text + doing, "\n");
    snprintf(view->doing, sizeof view->doing, "%.*s", (int)length, text + doing);
    return text[doing + (int)length] == '\n';
}

/* A locked file without a heartbeat is being written. */
static bool read_beat(int file, const char *name, struct whereabouts *there,
                      long long *ret_beat_ns, struct heartbeat_view *view, struct error *err)
{
    const struct timespec moment = {.tv_nsec = 10 * NS_PER_MS};
    char text[HEARTBEAT_SIZE + 1];

    for (int attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
        ssize_t length = pread(file, text, HEARTBEAT_SIZE, 0);

        if (length < 0)
            return error_set(err, ERROR_INTERNAL, NULL, "cannot read %s: %s", name,
                             strerror(errno));
        text[length] = '\0';
        if (heartbeat_parse(text, there, ret_beat_ns, view))
            return true;
        nanosleep(&moment, NULL);
    }
    return error_set(err, ERROR_INTERNAL, NULL,
                     "%s is locked, but its heartbeat format is unknown: is another version "
                     "running?",
                     name);
}

bool heartbeat_look(const char *database, long long now_ns, struct heartbeat_view *ret_view,
                    struct error *err)
{
    struct heartbeat_view view = {.state = HEARTBEAT_NONE};
    struct whereabouts there;
    char name[sizeof((struct heartbeat *)0)->name];
    AUTO(closep) int file = -1;
    long long beat_ns = 0;

    snprintf(name, sizeof name, "%s.heartbeat", database);
    file = open(name, O_RDONLY | O_CLOEXEC);
    *ret_view = view;
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR))
        return true;
    if (file < 0)
        return error_set(err, ERROR_INTERNAL, NULL, "cannot open %s: %s", name, strerror(errno));
    if (!is_locked(file))
        return true;
    if (!read_beat(file, name, &there, &beat_ns, &view, err))
        return false;
    view.silent_s = now_ns > beat_ns ? (now_ns - beat_ns) / NS_PER_SECOND : 0;
    view.state = is_elsewhere(&there)               ? HEARTBEAT_ELSEWHERE
                 : view.silent_s <= view.patience_s ? HEARTBEAT_BEATS
                                                    : HEARTBEAT_STOPPED;
    *ret_view = view;
    return true;
}

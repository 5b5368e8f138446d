#include "engine/machine/load.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/json_text.h"
#include "common/memory.h"
#include "engine/machine/proc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ANCESTORS_MAX 64 /* ends the walk if the parents form a cycle */

/* What the processes of one name took. */
struct taken {
    const char *name;
    long long ticks;
};

static int entry_by_pid(const void *key, const void *element)
{
    long long pid = *(const long long *)key;
    long long other = ((const struct load_process *)element)->pid;

    return (pid > other) - (pid < other);
}

static const struct load_process *load_find(const struct load_reading *reading, long long pid)
{
    return reading->count == 0 ? NULL
                               : bsearch(&pid, reading->processes, reading->count,
                                         sizeof *reading->processes, entry_by_pid);
}

/* The same process in another reading, or NULL. */
static const struct load_process *load_find_same(const struct load_reading *reading,
                                                 const struct load_process *process)
{
    const struct load_process *found = load_find(reading, process->pid);

    return found && found->started == process->started ? found : NULL;
}

static bool is_own(const struct load_reading *reading, const struct load_process *process,
                   long long own)
{
    for (int i = 0; process && i < ANCESTORS_MAX; i++) {
        if (process->pid == own)
            return true;
        process = load_find(reading, process->parent);
    }
    return false;
}

/* The process that counts, or will count, an ended child's time. */
static const struct load_process *load_heir(const struct load_reading *before,
                                            const struct load_reading *after,
                                            const struct load_process *gone)
{
    const struct load_process *parent = load_find(before, gone->parent);

    for (int i = 0; parent && i < ANCESTORS_MAX; i++) {
        const struct load_process *living = load_find_same(after, parent);

        if (living)
            return living;
        parent = load_find(before, parent->parent);
    }
    return NULL;
}

/* Time of children that ended in between: the parent counts their whole life, so their time
 * before the interval is subtracted. */
static void count_children(const struct load_reading *before, const struct load_reading *after,
                           long long *ticks)
{
    for (size_t i = 0; i < after->count; i++) {
        const struct load_process *earlier = load_find_same(before, &after->processes[i]);

        ticks[i] = after->processes[i].child_ticks - (earlier ? earlier->child_ticks : 0);
    }
    for (size_t i = 0; i < before->count; i++) {
        const struct load_process *gone = &before->processes[i], *to;

        if (load_find_same(after, gone) || !(to = load_heir(before, after, gone)))
            continue;
        ticks[to - after->processes] -= gone->ticks + gone->child_ticks;
    }
}

/* The time of each process and of the children it waited for. */
static void count_all(const struct load_reading *before, const struct load_reading *after,
                      long long *ticks)
{
    count_children(before, after, ticks);
    for (size_t i = 0; i < after->count; i++) {
        const struct load_process *process = &after->processes[i];
        const struct load_process *earlier = load_find_same(before, process);
        long long took = process->ticks - (earlier ? earlier->ticks : 0);

        ticks[i] = (ticks[i] > 0 ? ticks[i] : 0) + (took > 0 ? took : 0);
    }
}

static void add_to(struct taken *list, size_t *count, const char *name, long long ticks)
{
    size_t i = 0;

    while (i < *count && strcmp(list[i].name, name) != 0)
        i++;
    if (i == *count)
        list[(*count)++] = (struct taken){.name = name};
    list[i].ticks += ticks;
}

static int by_size(const void *left, const void *right)
{
    const struct taken *a = left, *b = right;

    return a->ticks != b->ticks ? (a->ticks < b->ticks) - (a->ticks > b->ticks)
                                : strcmp(a->name, b->name);
}

static double load_tenths(double percent)
{
    return round(10 * fmin(percent, 100)) / 10;
}

static void name_users(struct taken *list, size_t count, double all, struct load *load)
{
    if (count > 0)
        qsort(list, count, sizeof *list, by_size);
    for (size_t i = 0; i < count && load->count < LOAD_USERS_MAX; i++) {
        struct load_user *user = &load->users[load->count];

        user->percent = load_tenths(100 * (double)list[i].ticks / all);
        if (user->percent < LOAD_USER_MIN)
            break;
        memcpy(user->name, list[i].name, strlen(list[i].name) + 1);
        load->count++;
    }
}

void load_between(const struct load_reading *before, const struct load_reading *after,
                  const struct topology *topology, long long own, struct load *ret_load)
{
    AUTO(freep) long long *ticks = xcalloc(after->count, sizeof *ticks);
    AUTO(freep) struct taken *list = xcalloc(after->count, sizeof *list);
    struct load load = {.processors = topology->cpu_count};
    double seconds = (double)(after->taken_ns - before->taken_ns) / (double)NS_PER_SECOND;
    double all = fmax(seconds * PROC_TICKS_A_SECOND, 1) * topology->cpu_count;
    long long seen = 0, ours = 0, busy = 0;
    size_t count = 0;

    count_all(before, after, ticks);
    for (size_t i = 0; i < after->count; i++) {
        const struct load_process *process = &after->processes[i];

        if (is_own(after, process, own)) {
            ours += ticks[i];
        } else if (ticks[i] > 0 && topology_has(topology, process->processor)) {
            seen += ticks[i];
            add_to(list, &count, process->name, ticks[i]);
        }
    }
    if (before->busy_ticks >= 0 && after->busy_ticks >= 0)
        busy = after->busy_ticks - before->busy_ticks - ours;
    busy = busy > seen ? busy : seen;
    load.busy_percent = load_tenths(100 * (double)busy / all);
    load.hidden_percent = load_tenths(100 * (double)(busy - seen) / all);
    name_users(list, count, all, &load);
    *ret_load = load;
}

char *load_to_text(const struct load *load)
{
    json_t *list = json_array();

    for (int i = 0; i < load->count; i++)
        json_array_append_new(list, json_pack("{s:s, s:f}", "name", load->users[i].name,
                                              "percent", load->users[i].percent));
    AUTO(json_decrefp)
    json_t *whole =
        json_pack("{s:f, s:f, s:o, s:i}", "busy_percent", load->busy_percent, "hidden_percent",
                  load->hidden_percent, "processes", list, "processors", load->processors);
    return json_text(whole);
}

static bool read_user(json_t *json, struct load_user *user)
{
    const char *name;

    if (json_unpack(json, "{s:s, s:F}", "name", &name, "percent", &user->percent) != 0 ||
        strlen(name) >= LOAD_NAME_SIZE)
        return false;
    memcpy(user->name, name, strlen(name) + 1);
    return true;
}

bool load_from_text(const char *text, struct load *ret_load)
{
    AUTO(json_decrefp) json_t *json = text ? json_loads(text, 0, NULL) : NULL;
    struct load load = {0};
    json_t *list, *user;
    size_t i;

    if (!json ||
        json_unpack(json, "{s:F, s:F, s:o, s:i}", "busy_percent", &load.busy_percent,
                    "hidden_percent", &load.hidden_percent, "processes", &list, "processors",
                    &load.processors) != 0 ||
        json_array_size(list) > LOAD_USERS_MAX)
        return false;
    json_array_foreach(list, i, user)
    {
        if (!read_user(user, &load.users[load.count++]))
            return false;
    }
    *ret_load = load;
    return true;
}

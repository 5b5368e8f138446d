#include "engine/machine/control_group.h"

#include "common/cleanup.h"
#include "engine/machine/proc.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER_MAX (2 * PROC_PATH_MAX)
#define FILE_MAX (FOLDER_MAX + 64)
/* Version 1 writes the largest number it knows, rounded to pages, where it means "no limit". */
#define NO_LIMIT (1LL << 60)

/* Where a group is: `below` the mount's point, "" at the point itself. */
struct place {
    char point[PROC_PATH_MAX], below[PROC_PATH_MAX];
};

/* The relevant parts of a line of mountinfo. See proc(5). */
struct mount {
    char *shown, *point; /* which group its root shows; where it is mounted */
    char *type, *options;
};

static bool read_mount(char *line, struct mount *ret_mount)
{
    char *words[6], *rest = line, *behind = strstr(line, " - ");

    if (!behind)
        return false;
    *behind = '\0';
    behind += strlen(" - ");
    for (size_t i = 0; i < COUNT(words); i++)
        if (!(words[i] = strsep(&rest, " ")))
            return false;
    *ret_mount = (struct mount){.shown = words[3], .point = words[4]};
    ret_mount->type = strsep(&behind, " ");
    if (!behind || !strsep(&behind, " ") || !behind)
        return false;
    ret_mount->options = behind;
    ret_mount->options[strcspn(ret_mount->options, "\n")] = '\0';
    return true;
}

/* Whether the mount is of a controller of version 1, or of version 2 (""). */
static bool has_controller(const struct mount *mount, const char *controller)
{
    size_t length = strlen(controller);

    if (length == 0)
        return strcmp(mount->type, "cgroup2") == 0;
    if (strcmp(mount->type, "cgroup") != 0)
        return false;
    for (const char *at = mount->options; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, controller, length) == 0 && (at[length] == '\0' || at[length] == ','))
            return true;
    }
    return false;
}

/* The rest of a group's path below the mount's root; NULL if it lies elsewhere. */
static const char *group_path_below(const char *group, const char *shown)
{
    size_t length = strcmp(shown, "/") == 0 ? 0 : strlen(shown);

    return strncmp(group, shown, length) == 0 && (group[length] == '/' || group[length] == '\0')
               ? group + length
               : NULL;
}

/* The group's own mount, else the first one of its controller, else the usual place. */
static void find_place(const char *root, const char *controller, struct place *ret_place)
{
    AUTO(fclosep) FILE *file = proc_open(root, "/proc/self/mountinfo");
    AUTO(freep) char *line = NULL;
    char group[PROC_PATH_MAX];
    size_t size = 0;
    bool found = false;

    proc_control_group(root, "self", controller, group);
    if (strstr(group, "/..")) /* outside of what our name space shows */
        group[0] = '\0';
    snprintf(ret_place->point, sizeof ret_place->point, "/sys/fs/cgroup%s%s",
             *controller ? "/" : "", controller);
    snprintf(ret_place->below, sizeof ret_place->below, "%s", group);
    while (file && getline(&line, &size, file) > 0) {
        struct mount mount;
        const char *below;

        if (!read_mount(line, &mount) || !has_controller(&mount, controller))
            continue;
        below = group_path_below(group, mount.shown);
        if (found && !below)
            continue;
        found = true;
        snprintf(ret_place->point, sizeof ret_place->point, "%s", mount.point);
        snprintf(ret_place->below, sizeof ret_place->below, "%s", below ? below : group);
        if (below)
            break;
    }
    if (strcmp(ret_place->below, "/") == 0)
        ret_place->below[0] = '\0';
}

/* Calls look() with the folder of the group, and of each parent up to the mount: each can limit
 * us. */
static void group_climb(const char *root, const char *controller,
                        void (*look)(const char *root, const char *folder, void *user),
                        void *user)
{
    struct place place;

    find_place(root, controller, &place);
    for (;;) {
        char folder[FOLDER_MAX], *slash;

        snprintf(folder, sizeof folder, "%s%s", place.point, place.below);
        look(root, folder, user);
        slash = strrchr(place.below, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

static long long group_read_number(const char *root, const char *folder, const char *file,
                                   const char *name, long long otherwise)
{
    char path[FILE_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, file);
    return proc_number(root, path, name, otherwise);
}

/* Processor limit of one group, in processors; 0 without a limit. */
static double quota_of(const char *root, const char *folder)
{
    char path[FILE_MAX], text[64], *end;
    double quota, period;

    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (proc_text(root, path, text, sizeof text)) {
        quota = strtod(text, &end);
        period = strtod(end, NULL);
        return end != text && period > 0 ? quota / period : 0; /* "max" is no number */
    }
    quota = (double)group_read_number(root, folder, "cpu.cfs_quota_us", NULL, -1);
    period = (double)group_read_number(root, folder, "cpu.cfs_period_us", NULL, -1);
    return quota > 0 && period > 0 ? quota / period : 0;
}

static void look_at_quota(const char *root, const char *folder, void *user)
{
    double quota = quota_of(root, folder), *least = user;

    if (quota > 0 && (!(*least > 0) || quota < *least))
        *least = quota;
}

double control_group_quota(const char *root)
{
    double least = 0;

    group_climb(root, "", look_at_quota, &least);
    if (!(least > 0))
        group_climb(root, "cpu", look_at_quota, &least);
    return least;
}

static void take_limit(long long limit, long long used, struct group_memory *memory)
{
    if (limit < 0 || limit >= NO_LIMIT)
        return;
    if (memory->limit == 0 || limit < memory->limit)
        memory->limit = limit;
    if (used < 0)
        used = 0;
    if (memory->room < 0 || limit - used < memory->room)
        memory->room = limit > used ? limit - used : 0;
}

/* The kernel gives up cached files before it kills. */
static long long group_memory_used(long long held, long long cached)
{
    return held > cached ? held - cached : 0;
}

/* In version 2 a group's events include its children's; the first group is our own. "max"
 * is not a number. */
static void look_at_memory(const char *root, const char *folder, void *user)
{
    struct group_memory *memory = user;

    take_limit(
        group_read_number(root, folder, "memory.max", NULL, -1),
        group_memory_used(group_read_number(root, folder, "memory.current", NULL, 0),
                          group_read_number(root, folder, "memory.stat", "inactive_file ", 0)),
        memory);
    if (memory->kills < 0)
        memory->kills = group_read_number(root, folder, "memory.events", "oom_kill ", -1);
}

/* The hierarchical limit knows groups above the mount, which a container does not see. */
static void look_at_old_memory(const char *root, const char *folder, void *user)
{
    struct group_memory *memory = user;
    long long now = group_memory_used(
        group_read_number(root, folder, "memory.usage_in_bytes", NULL, 0),
        group_read_number(root, folder, "memory.stat", "total_inactive_file ", 0));

    take_limit(group_read_number(root, folder, "memory.limit_in_bytes", NULL, -1), now, memory);
    take_limit(group_read_number(root, folder, "memory.stat", "hierarchical_memory_limit ", -1),
               now, memory);
    if (memory->kills < 0)
        memory->kills = group_read_number(root, folder, "memory.oom_control", "oom_kill ", -1);
}

void control_group_memory(const char *root, struct group_memory *ret_memory)
{
    *ret_memory = (struct group_memory){.room = -1, .kills = -1};
    group_climb(root, "", look_at_memory, ret_memory);
    if (ret_memory->limit == 0)
        group_climb(root, "memory", look_at_old_memory, ret_memory);
}

#include "engine/machine/proc.h"

#include "common/cleanup.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

FILE *proc_open(const char *root, const char *format, ...)
{
    char path[PROC_PATH_MAX];
    va_list arguments;
    int used = snprintf(path, sizeof path, "%s", root), more;

    va_start(arguments, format);
    more = vsnprintf(path + used, sizeof path - (size_t)used, format, arguments);
    va_end(arguments);
    return more < 0 || used + more >= (int)sizeof path ? NULL : fopen(path, "re");
}

bool proc_text(const char *root, const char *path, char *ret_text, size_t size)
{
    AUTO(fclosep) FILE *file = proc_open(root, "%s", path);
    size_t length = file ? fread(ret_text, 1, size - 1, file) : 0;

    ret_text[length] = '\0';
    while (length > 0 && (ret_text[length - 1] == '\n' || ret_text[length - 1] == ' '))
        ret_text[--length] = '\0';
    return length > 0;
}

long long proc_number_in(FILE *opened, const char *name, long long otherwise)
{
    AUTO(fclosep) FILE *file = opened;
    size_t skip = name ? strlen(name) : 0;
    char line[256];

    while (file && fgets(line, sizeof line, file)) {
        char *end;
        long long number;

        if (name && strncmp(line, name, skip) != 0)
            continue;
        number = strtoll(line + skip, &end, 10);
        return end == line + skip ? otherwise : number;
    }
    return otherwise;
}

long long proc_number(const char *root, const char *path, const char *name, long long otherwise)
{
    return proc_number_in(proc_open(root, "%s", path), name, otherwise);
}

/* The second is the name, which may hold anything but is closed by the last ")". */
bool proc_stat_numbers(const char *root, const char *process, const int *places, size_t count,
                       long long *ret_numbers)
{
    char path[PROC_PATH_MAX], text[1024], *at, *end;
    int passed = 2;

    snprintf(path, sizeof path, "/proc/%s/stat", process);
    if (!proc_text(root, path, text, sizeof text) || !(at = strrchr(text, ')')))
        return false;
    for (size_t i = 0; i < count; i++) {
        for (; at && passed < places[i]; passed++)
            at = strchr(at + 1, ' ');
        if (!at)
            return false;
        ret_numbers[i] = strtoll(at, &end, 10);
        if (end == at)
            return false;
    }
    return true;
}

long long proc_stat_number(const char *root, const char *process, int place)
{
    long long number;

    return proc_stat_numbers(root, process, &place, 1, &number) ? number : -1;
}

/* Whether a list "cpu,cpuacct" holds a controller; version 2 has the empty list. */
static bool proc_lists(const char *controllers, const char *controller)
{
    size_t length = strlen(controller);

    if (length == 0)
        return *controllers == '\0';
    for (const char *at = controllers; at && *at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, controller, length) == 0 && (at[length] == '\0' || at[length] == ','))
            return true;
    }
    return false;
}

void proc_control_group(const char *root, const char *process, const char *controller,
                        char ret_path[PROC_PATH_MAX])
{
    AUTO(fclosep) FILE *file = proc_open(root, "/proc/%s/cgroup", process);
    char line[PROC_PATH_MAX];

    ret_path[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':'), *path;

        if (!controllers || !(path = strchr(++controllers, ':')))
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (proc_lists(controllers, controller))
            snprintf(ret_path, PROC_PATH_MAX, "%s", path);
    }
}

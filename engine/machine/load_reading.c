#include "engine/machine/load_reading.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "engine/machine/proc.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_MAX 1000000000000000LL /* sums and differences of many fit 64 bits */
#define STAT_MAX 2048

/* Places of /proc/PID/stat, as proc(5) counts them; the numbers of one member add up. */
static const struct {
    int place;
    size_t offset;
} places[] = {
    {4, offsetof(struct load_process, parent)},
    {14, offsetof(struct load_process, ticks)},
    {15, offsetof(struct load_process, ticks)},
    {16, offsetof(struct load_process, child_ticks)},
    {17, offsetof(struct load_process, child_ticks)},
    {22, offsetof(struct load_process, started)},
    {39, offsetof(struct load_process, processor)},
};
#define FIRST_NUMBER 4

/* The numbers behind the name and the state. */
static bool read_numbers(const char *at, struct load_process *process)
{
    int place = FIRST_NUMBER;

    for (size_t i = 0; i < COUNT(places); place++) {
        char *end;
        long long number = strtoll(at, &end, 10);

        if (end == at)
            return false;
        at = end;
        for (; i < COUNT(places) && places[i].place == place; i++) {
            if (number < 0 || number > TICKS_MAX)
                return false;
            *(long long *)((char *)process + places[i].offset) += number;
        }
    }
    return true;
}

static void read_name(const char *start, const char *end, char ret_name[LOAD_NAME_SIZE])
{
    size_t length = (size_t)(end - start);

    if (length >= LOAD_NAME_SIZE)
        length = LOAD_NAME_SIZE - 1;
    memcpy(ret_name, start, length);
    ret_name[length] = '\0';
    if (end - start >= LOAD_NAME_SIZE - 1) /* the kernel cuts too */
        text_drop_cut_end(ret_name);
    text_make_line(ret_name, strlen(ret_name));
}

bool load_read_process(const char *text, struct load_process *ret_process)
{
    struct load_process process = {0};
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    char *end;

    process.pid = strtoll(text, &end, 10);
    if (end == text || process.pid <= 0 || process.pid > TICKS_MAX || !open || !close ||
        close < open || close[1] != ' ' || !close[2] || !read_numbers(close + 3, &process))
        return false;
    read_name(open + 1, close, process.name);
    *ret_process = process;
    return true;
}

/* Lines "cpu3 user nice system idle ...", which stand at the beginning of the file. */
static long long read_busy(const char *root, const struct topology *topology)
{
    AUTO(fclosep) FILE *file = proc_open(root, "/proc/stat");
    long long busy = -1, cpu, user, nice, system;
    char line[256];

    while (file && fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0)
        if (sscanf(line, "cpu%lld %lld %lld %lld", &cpu, &user, &nice, &system) == 4 &&
            topology_has(topology, cpu))
            busy = (busy < 0 ? 0 : busy) + user + nice + system;
    return busy;
}

/* A process that has ended meanwhile is left out. */
static void add_process(const char *root, const char *name, struct load_reading *reading)
{
    char path[PROC_PATH_MAX], text[STAT_MAX];
    struct load_process process;

    snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    if (!proc_text(root, path, text, sizeof text) || !load_read_process(text, &process))
        return;
    reading->processes =
        xgrow(reading->processes, reading->count, &reading->size, sizeof process);
    reading->processes[reading->count++] = process;
}

static int entries_by_pid(const void *left, const void *right)
{
    long long a = ((const struct load_process *)left)->pid;
    long long b = ((const struct load_process *)right)->pid;

    return (a > b) - (a < b);
}

void load_reading_take(const char *root, const struct topology *topology,
                       struct load_reading *ret_reading)
{
    AUTO(load_reading_free) struct load_reading reading = {0};
    char path[PROC_PATH_MAX];
    struct dirent *entry;
    DIR *folder;

    snprintf(path, sizeof path, "%s/proc", root);
    folder = opendir(path);
    reading.taken_ns = clock_monotonic_ns();
    reading.busy_ticks = read_busy(root, topology);
    while (folder && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            add_process(root, entry->d_name, &reading);
    if (folder)
        closedir(folder);
    if (reading.count > 0)
        qsort(reading.processes, reading.count, sizeof *reading.processes, entries_by_pid);
    *ret_reading = reading;
    reading = (struct load_reading){0};
}

void load_reading_free(struct load_reading *reading)
{
    freep(&reading->processes);
    *reading = (struct load_reading){0};
}

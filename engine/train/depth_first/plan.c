#include "engine/train/depth_first/plan.h"

#include "common/cleanup.h"
#include "common/hash.h"
#include "engine/machine/cache_folder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>

#define HEADER "pennyworth plan 3"
#define KILOBYTES_MAX 1000000
#define PART_ATTEMPTS 8

_Static_assert(sizeof HEADER + PLAN_KEY_MAX + LAYERS_MAX * sizeof "1000000 library" <
                   PLAN_TEXT_MAX,
               "plan_load() reads every plan that plan_store() may write");

struct plan plan_fixed(int count, struct choice choice)
{
    struct plan plan = {.origin = "fixed", .count = count};

    assert(count > 0 && count <= LAYERS_MAX);
    for (int i = 0; i < count; i++)
        plan.stages[i] = choice;
    return plan;
}

size_t plan_write(const struct plan *plan, const char *key, char *ret_text, size_t size)
{
    size_t length = (size_t)snprintf(ret_text, size, "%s\n%s\n", HEADER, key);

    for (int i = 0; i < plan->count && length < size; i++)
        length += (size_t)snprintf(ret_text + length, size - length, "%ld %s\n",
                                   plan->stages[i].kilobytes,
                                   plan->stages[i].by_hand ? "hand" : "library");
    return length;
}

/* Whether *text starts with this line; then it is behind it. */
static bool skip_line(const char **text, const char *line)
{
    size_t length = strlen(line);

    if (strncmp(*text, line, length) != 0 || (*text)[length] != '\n')
        return false;
    *text += length + 1;
    return true;
}

static bool read_choice(const char **text, struct choice *ret)
{
    char *end;

    if (**text < '1' || **text > '9')
        return false;
    errno = 0;
    ret->kilobytes = strtol(*text, &end, 10);
    if (errno != 0 || ret->kilobytes > KILOBYTES_MAX || *end != ' ')
        return false;
    *text = end + 1;
    ret->by_hand = skip_line(text, "hand");
    return ret->by_hand || skip_line(text, "library");
}

bool plan_read(const char *text, const char *key, int count, struct plan *ret_plan)
{
    struct plan plan = {.origin = "cached", .count = count};

    if (count > LAYERS_MAX || !skip_line(&text, HEADER) || !skip_line(&text, key))
        return false;
    for (int i = 0; i < count; i++)
        if (!read_choice(&text, &plan.stages[i]))
            return false;
    if (*text)
        return false;
    *ret_plan = plan;
    return true;
}

/* The file of a key, by its hash: one that another key shares only makes us measure again. False
 * where no directory is known. */
static bool path_of(const char *key, char *ret_folder, char *ret_path)
{
    unsigned long long hash = hash_text(HASH_START, key);

    return cache_folder_find(NULL, ret_folder) &&
           snprintf(ret_path, PATH_MAX, "%s/plan-%016llx", ret_folder, hash) < PATH_MAX;
}

bool plan_load(const char *key, int count, struct plan *ret_plan)
{
    char folder[PATH_MAX], path[PATH_MAX], text[PLAN_TEXT_MAX + 1];
    AUTO(fclosep) FILE *file = path_of(key, folder, path) ? fopen(path, "re") : NULL;
    size_t length;

    if (!file)
        return false;
    length = fread(text, 1, PLAN_TEXT_MAX, file);
    text[length] = '\0';
    return plan_read(text, key, count, ret_plan);
}

/* Opens the file that becomes the plan, and locks it. Its name is the same for every writer of
 * this plan: a writer that was killed leaves one file, which the next writer takes over. -1 on
 * failure, with errno; EWOULDBLOCK says that another process is writing the plan now. */
static int open_part(const char *part)
{
    for (int attempt = 0; attempt < PART_ATTEMPTS; attempt++) {
        AUTO(closep) int file = open(part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        struct stat opened, named;

        if (file < 0)
            return -1;
        if (flock(file, LOCK_EX | LOCK_NB) != 0) {
            int why = errno;

            if (why != EWOULDBLOCK)
                unlink(part); /* of a file system without locks */
            errno = why;
            return -1;
        }
        /* Another writer may have renamed this file between the two calls: then it is the plan.
         */
        if (fstat(file, &opened) == 0 && stat(part, &named) == 0 &&
            opened.st_dev == named.st_dev && opened.st_ino == named.st_ino) {
            int locked = file;

            file = -1;
            return locked;
        }
    }
    errno = EWOULDBLOCK; /* others write it again and again */
    return -1;
}

/* Writes the whole file, or says in errno why not. */
static bool plan_fill(int file, const char *text, size_t length)
{
    ssize_t written;

    if (ftruncate(file, 0) != 0)
        return false;
    written = write(file, text, length);
    if (written >= 0 && written != (ssize_t)length)
        errno = ENOSPC;
    return written == (ssize_t)length;
}

static bool not_stored(struct error *err, const char *path)
{
    return error_set(err, ERROR_STORAGE, NULL, "%.180s: %s", path, strerror(errno));
}

bool plan_store(const struct plan *plan, const char *key, struct error *err)
{
    char folder[PATH_MAX], path[PATH_MAX], part[PATH_MAX + 8], text[PLAN_TEXT_MAX];
    size_t length = plan_write(plan, key, text, sizeof text);
    AUTO(closep) int file = -1;

    if (length >= sizeof text)
        return error_set(err, ERROR_INTERNAL, NULL, "the plan is too long for its file");
    if (!path_of(key, folder, path))
        return error_set(
            err, ERROR_STORAGE, NULL,
            "no folder is known: neither XDG_CACHE_HOME nor HOME is an absolute path");
    cache_folder_make(folder);
    snprintf(part, sizeof part, "%s.part", path);
    file = open_part(part);
    if (file < 0)
        return errno == EWOULDBLOCK || not_stored(err, part);
    if (plan_fill(file, text, length) && rename(part, path) == 0)
        return true;
    not_stored(err, path);
    unlink(part);
    return false;
}

#include "engine/process/confine_files.h"

#include "common/cleanup.h"
#include "engine/machine/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset /* the same numbers everywhere */
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* Missing in older headers. */
#define MAY_TRUNCATE (1ULL << 14)
#define SCOPE_ABSTRACT_SOCKETS (1ULL << 0)
#define SCOPE_SIGNALS (1ULL << 1)
#define VERSION_REFER 2
#define VERSION_TRUNCATE 3
#define VERSION_SCOPES 6

/* What every version knows: all that can be done to a file but to truncate it. */
#define MAY_EVERYTHING ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
#define MAY_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define MAY_LOAD (MAY_READ | LANDLOCK_ACCESS_FS_EXECUTE)
#define MAY_USE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)
#define MAY_KEEP                                                                                 \
    (MAY_READ | MAY_USE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE |         \
     MAY_TRUNCATE)
/* What a rule about a file may name; the rest is about folders. */
#define OF_FILES                                                                                 \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | \
     MAY_TRUNCATE)

/* As the newest version has it; older ones take the beginning. */
struct ruleset {
    uint64_t files, network, scopes;
};

/* Missing paths are skipped. The dynamic linker is a program and lies with the libraries;
 * /usr/bin is left out, so that no shell can run. */
static const struct {
    const char *path;
    uint64_t may;
} of_the_system[] = {
    {"/lib", MAY_LOAD},
    {"/lib32", MAY_LOAD},
    {"/lib64", MAY_LOAD},
    {"/usr/lib", MAY_LOAD},
    {"/usr/lib32", MAY_LOAD},
    {"/usr/lib64", MAY_LOAD},
    {"/usr/local/lib", MAY_LOAD},
    {"/usr/share", MAY_READ},
    {"/opt", MAY_LOAD},
    {"/nix/store", MAY_LOAD},
    {"/gnu/store", MAY_LOAD},
    {"/etc/ld.so.cache", MAY_READ},
    {"/etc/ld.so.preload", MAY_READ},
    {"/etc/localtime", MAY_READ},
    {"/etc/os-release", MAY_READ},
    {"/proc", MAY_READ},
    {"/sys", MAY_READ},
    {"/dev/null", MAY_USE},
    {"/dev/zero", MAY_USE},
    {"/dev/full", MAY_USE},
    {"/dev/random", MAY_USE},
    {"/dev/urandom", MAY_USE},
};

/* 0 if the kernel lacks Landlock, or it is switched off or forbidden. */
static long landlock_version(void)
{
    long known = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

    return known > 0 ? known : 0;
}

bool confine_can_restrict_files(void)
{
    return landlock_version() > 0;
}

bool confine_can_keep_signals(void)
{
    return landlock_version() >= VERSION_SCOPES;
}

/* As execvpe() will find it. */
static void find_program(const char *command, char ret_path[PATH_MAX])
{
    const char *path = getenv("PATH");

    ret_path[0] = '\0';
    if (strchr(command, '/')) {
        snprintf(ret_path, PATH_MAX, "%s", command);
        return;
    }
    while (path && *path) {
        int length = (int)strcspn(path, ":");

        if (snprintf(ret_path, PATH_MAX, "%.*s%s%s", length, path, length > 0 ? "/" : "",
                     command) < PATH_MAX &&
            access(ret_path, X_OK) == 0)
            return;
        path += length + (path[length] == ':');
    }
    ret_path[0] = '\0';
}

void confine_files_prepare(const char *command, const char *preload, const char *home,
                           struct confine_files *ret_files)
{
    const char *folders = getenv("LD_LIBRARY_PATH"), *others = getenv("LD_PRELOAD");

    *ret_files = (struct confine_files){.wanted = confine_can_restrict_files()};
    if (!ret_files->wanted)
        return;
    find_program(command, ret_files->program);
    snprintf(ret_files->libraries, sizeof ret_files->libraries, "%s:%s:%s", preload,
             others ? others : "", folders ? folders : "");
    if (!cache_folder_find(home, ret_files->cache))
        ret_files->cache[0] = '\0';
}

/* Permits something beneath a path, or on the file that it names. What cannot be opened here
 * cannot be opened later either. */
static bool landlock_permit(int ruleset, const char *path, uint64_t may)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = may};
    AUTO(closep) int place = path[0] ? open(path, O_PATH | O_CLOEXEC) : -1;
    struct stat kind;

    if (place < 0)
        return true;
    if (fstat(place, &kind) != 0)
        return false;
    if (!S_ISDIR(kind.st_mode))
        rule.allowed_access &= OF_FILES;
    rule.parent_fd = place;
    return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

/* Each name of a list with colons. */
static bool permit_each(int ruleset, const char *list, uint64_t may)
{
    char path[PATH_MAX];

    while (*list) {
        size_t length = strcspn(list, ":");

        if (length > 0 && length < sizeof path) {
            memcpy(path, list, length);
            path[length] = '\0';
            if (!landlock_permit(ruleset, path, may))
                return false;
        }
        list += length + (list[length] == ':');
    }
    return true;
}

static bool permit_all(int ruleset, const struct confine_files *files, uint64_t known)
{
    for (size_t i = 0; i < COUNT(of_the_system); i++)
        if (!landlock_permit(ruleset, of_the_system[i].path, of_the_system[i].may))
            return false;
    /* LLVM's OpenMP needs a place there, and ends the process without one. */
    if (strstr(files->libraries, "omp") &&
        !landlock_permit(ruleset, "/dev/shm", MAY_KEEP & known))
        return false;
    return landlock_permit(ruleset, files->program, MAY_LOAD) &&
           permit_each(ruleset, files->libraries, MAY_LOAD) &&
           landlock_permit(ruleset, files->cache, MAY_KEEP & known);
}

static bool restrict_scopes(void)
{
    const struct ruleset rules = {.scopes = SCOPE_SIGNALS};

    if (!confine_can_keep_signals())
        return true;
    AUTO(closep)
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    return ruleset >= 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}

bool confine_files_apply(const struct confine_files *files)
{
    struct ruleset rules = {.files = MAY_EVERYTHING};
    size_t size = sizeof rules.files;
    long known = files->wanted ? landlock_version() : 0;

    if (!files->wanted)
        return !files->scopes || restrict_scopes();
    if (known >= VERSION_REFER)
        rules.files |= LANDLOCK_ACCESS_FS_REFER;
    if (known >= VERSION_TRUNCATE)
        rules.files |= MAY_TRUNCATE;
    if (known >= VERSION_SCOPES) {
        rules.scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
        size = sizeof rules;
    }
    if (files->cache[0])
        cache_folder_make(files->cache);
    AUTO(closep) int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    return ruleset >= 0 && permit_all(ruleset, files, rules.files) &&
           syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}

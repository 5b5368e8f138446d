#include "engine/process/engine_user.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENTRY_MAX 16384

bool engine_user_find(const char *name, struct engine_user *ret_user, struct error *err)
{
    char text[ENTRY_MAX];
    struct passwd entry, *found = NULL;
    int problem = getpwnam_r(name, &entry, text, sizeof text, &found);

    if (!found)
        return error_set(err, ERROR_INVALID, "--engine-user",
                         "'%.64s' is not a user of this machine%s%s", name, problem ? ": " : "",
                         problem ? strerror(problem) : "");
    if (found->pw_uid == 0)
        return error_set(err, ERROR_INVALID, "--engine-user", "'%.64s' is root", name);
    *ret_user =
        (struct engine_user){.is_another = true, .user = found->pw_uid, .group = found->pw_gid};
    if (snprintf(ret_user->home, sizeof ret_user->home, "%s", found->pw_dir) >=
        (int)sizeof ret_user->home)
        ret_user->home[0] = '\0';
    return true;
}

/* System calls, not the C library's functions: those act on all threads, and ask them to. */
bool engine_user_become(const struct engine_user *user)
{
    if (!user->is_another)
        return true;
    return syscall(SYS_setgroups, 0, NULL) == 0 &&
           syscall(SYS_setresgid, user->group, user->group, user->group) == 0 &&
           syscall(SYS_setresuid, user->user, user->user, user->user) == 0;
}

bool engine_user_can_run(const struct engine_user *user, const char *program)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(engine_user_become(user) && access(program, R_OK | X_OK) == 0 ? 0 : 1);
    return child > 0 && TEMP_FAILURE_RETRY(waitpid(child, &status, 0)) == child && status == 0;
}

/* How a confined child ends, and what a program prints that is started as an engine. */
#pragma once

#include "engine/process/confine.h"
#include "engine/process/spawn.h"
#include "tests/test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_CONFINED 250 /* exit statuses of a child */
#define NOT_TRUE 251

/* The wait status of a child that does this, confined for good where there is a confinement. */
static inline int status_of_child(const struct confinement *confinement,
                                  int (*act)(const void *user), const void *user)
{
    int status = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0)
        _exit(!confinement || confine_apply(confinement) ? act(user) : NOT_CONFINED);
    EXPECT(child > 0);
    EXPECT_INT(waitpid(child, &status, 0), child);
    return status;
}

static inline void print_as_engine(char *const *arguments, enum confine_how how,
                                   const struct engine_user *user, char *ret_text, size_t size)
{
    struct child child;
    size_t used = 0;
    ssize_t length;

    EXPECT(spawn_child(&child, &(struct launch){arguments, "RUN", "", how, user}, NULL));
    fcntl(child.output, F_SETFL, 0);
    while (used < size - 1 && (length = read(child.output, ret_text + used, size - 1 - used)) > 0)
        used += (size_t)length;
    ret_text[used] = '\0';
    EXPECT_INT(waitpid(child.pid, NULL, 0), child.pid);
    closep(&child.input);
    closep(&child.output);
    closep(&child.errors);
    closep(&child.pidfd);
}

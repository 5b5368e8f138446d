#include "engine/spawn.h"

#include "engine/run_id.h"
#include "tests/engine/processes.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#define SHELL(script)                                                                            \
    (char *const[])                                                                              \
    {                                                                                            \
        shell, dash_c, script, NULL                                                              \
    }
static char shell[] = "sh", dash_c[] = "-c";

static char tell_preload[] = "echo ${LD_PRELOAD-none}";
static char cat[] = "exec cat", at_once[] = "exit 5", deaf[] = "sleep 600";
/* Waits without becoming another program: in between, its environment cannot be read. */
static char stay[] = "echo ready; read -r line";
static char two[] = "sleep 600 & echo ready; wait";
static char no_reader[] = "exec <&-; echo ready; sleep 600";

static struct run_id new_run(void)
{
    struct run_id id;

    EXPECT(run_id_new(clock_calendar_us(), &id, NULL));
    return id;
}

static bool becomes_readable(int descriptor)
{
    struct pollfd watched = {.fd = descriptor, .events = POLLIN};

    return poll(&watched, 1, 20000) == 1;
}

static int bury(struct child *child)
{
    int status = -1;

    kill(-child->pid, SIGKILL);
    EXPECT_INT(waitpid(child->pid, &status, 0), child->pid);
    closep(&child->input);
    closep(&child->output);
    closep(&child->errors);
    closep(&child->pidfd);
    return status;
}

static void a_child_leads_its_own_group_and_its_end_is_seen(void)
{
    struct child child;
    struct run_id run = new_run();

    EXPECT(child_spawn(&child, SHELL(at_once), run.text, "", NULL));
    EXPECT_INT(getpgid(child.pid), child.pid);
    EXPECT(becomes_readable(child.pidfd));

    int status = bury(&child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

static void reading_from_a_child_never_blocks(void)
{
    struct child child;
    struct run_id run = new_run();
    char byte;

    EXPECT(child_spawn(&child, SHELL(cat), run.text, "", NULL));
    EXPECT_INT(read(child.output, &byte, 1), -1);
    EXPECT_INT(errno, EAGAIN);
    EXPECT_INT(read(child.errors, &byte, 1), -1);
    EXPECT_INT(errno, EAGAIN);
    bury(&child);
}

static void what_is_told_arrives_as_a_line(void)
{
    struct child child;
    struct run_id run = new_run();
    char line[20] = "";

    EXPECT(child_spawn(&child, SHELL(cat), run.text, "", NULL));
    EXPECT(child_tell(&child, "some words", NULL));
    EXPECT(becomes_readable(child.output));
    EXPECT_INT(read(child.output, line, sizeof line - 1), 11);
    EXPECT_STR(line, "some words\n");
    bury(&child);
}

/* Our ends close by themselves in whatever we start next, and no others reach the child. */
static void no_descriptor_goes_where_it_is_not_meant_to(void)
{
    struct child child;
    struct run_id run = new_run();
    int ours = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char path[64];
    DIR *descriptors;
    struct dirent *entry;

    EXPECT(child_spawn(&child, SHELL(stay), run.text, "", NULL));

    const int ends[] = {child.input, child.output, child.errors, child.pidfd, ours};
    for (size_t i = 0; i < COUNT(ends); i++)
        EXPECT(fcntl(ends[i], F_GETFD) & FD_CLOEXEC);

    EXPECT(becomes_readable(child.output));
    snprintf(path, sizeof path, "/proc/%d/fd", (int)child.pid);
    descriptors = opendir(path);
    EXPECT(descriptors != NULL);
    while (descriptors && (entry = readdir(descriptors)) != NULL) {
        int number = (int)strtol(entry->d_name, NULL, 10);

        /* What whoever started this test left open for all is not our business. */
        EXPECT(number <= 2 || !(fcntl(number, F_GETFD) & FD_CLOEXEC));
    }
    if (descriptors)
        closedir(descriptors);
    bury(&child);
    close(ours);
}

static void libraries_are_loaded_before_a_child_and_only_where_wanted(void)
{
    static const struct {
        const char *before, *wanted, *seen;
    } cases[] = {
        {NULL, "", "none\n"},
        {NULL, "/a.so:/b.so", "/a.so:/b.so\n"},
        {"/ours.so", "", "/ours.so\n"},
        {"/ours.so", "/a.so", "/a.so:/ours.so\n"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct child child;
        struct run_id run = new_run();
        char text[64] = "";

        if (cases[i].before)
            setenv("LD_PRELOAD", cases[i].before, 1);
        EXPECT(child_spawn(&child, SHELL(tell_preload), run.text, cases[i].wanted, NULL));
        unsetenv("LD_PRELOAD");
        EXPECT(becomes_readable(child.output));
        EXPECT(read(child.output, text, sizeof text - 1) > 0);
        EXPECT_STR(text, cases[i].seen);
        bury(&child);
    }
}

static void telling_more_than_the_pipe_holds_is_an_error_not_a_wait(void)
{
    struct child child;
    struct run_id run = new_run();
    AUTO(freep) char *line = calloc(1, 2000001);
    struct error err = {0};

    memset(line, 'x', 2000000);
    EXPECT(child_spawn(&child, SHELL(deaf), run.text, "", NULL));
    errno = EPIPE; /* left over from elsewhere: no excuse */
    EXPECT(!child_tell(&child, line, &err));
    EXPECT_INT(err.kind, ERROR_INTERNAL);
    EXPECT_STR(err.message, "the worker's pipe takes no spec of 2000000 bytes");
    bury(&child);
}

static void telling_a_child_that_does_not_listen_is_no_error(void)
{
    struct child child;
    struct run_id run = new_run();
    struct error err = {0};

    EXPECT(child_spawn(&child, SHELL(no_reader), run.text, "", NULL));
    EXPECT(becomes_readable(child.output));
    EXPECT(child_tell(&child, "anybody there?", &err));
    EXPECT_INT(err.kind, ERROR_NONE);
    bury(&child);
}

static const struct {
    const char *command, *message;
} failures[] = {
    {"no-such-worker", "cannot start the worker 'no-such-worker': No such file or directory"},
    {"/no/such/worker", "cannot start the worker '/no/such/worker': No such file or directory"},
    {"/dev/null", "cannot start the worker '/dev/null': Permission denied"},
    {"", "cannot start the worker '': No such file or directory"},
};

static void a_command_that_cannot_be_started_is_a_clear_error(void)
{
    int before = open_descriptors();

    for (size_t i = 0; i < COUNT(failures); i++) {
        char command[64];
        struct child child, untouched;
        struct error err = {0};

        memset(&child, 0x5a, sizeof child);
        memset(&untouched, 0x5a, sizeof untouched);
        snprintf(command, sizeof command, "%s", failures[i].command);
        EXPECT(!child_spawn(&child, (char *const[]){command, NULL}, "RUN", "", &err));
        EXPECT_INT(err.kind, ERROR_UPSTREAM);
        EXPECT_STR(err.message, failures[i].message);
        EXPECT(memcmp(&child, &untouched, sizeof child) == 0);
        EXPECT_INT(waitpid(-1, NULL, WNOHANG), -1); /* no zombie either */
    }
    EXPECT_INT(open_descriptors(), before);
}

static void a_sweep_finds_the_whole_family_of_a_run(void)
{
    struct run_id run = new_run(), other = new_run();
    struct child alone, family, stranger;

    EXPECT(child_spawn(&alone, SHELL(stay), run.text, "", NULL));
    EXPECT(child_spawn(&family, SHELL(two), run.text, "", NULL));
    EXPECT(child_spawn(&stranger, SHELL(stay), other.text, "", NULL));
    EXPECT(becomes_readable(alone.output) && becomes_readable(family.output) &&
           becomes_readable(stranger.output));
    EXPECT(run_has_processes_within(run.text, 3, 20));

    EXPECT_INT(child_sweep(run.text), 3);
    EXPECT(run_has_processes_within(run.text, 0, 20));
    EXPECT(becomes_readable(alone.pidfd) && becomes_readable(family.pidfd));
    EXPECT_INT(processes_of_run(other.text), 1);
    EXPECT_INT(child_sweep(run.text), 0);

    int status = bury(&alone);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    bury(&family);
    bury(&stranger);
}

/* A run is meant by its whole name. */
static void a_sweep_takes_no_part_of_a_name(void)
{
    struct run_id run = new_run();
    struct child child;
    char shorter[RUN_ID_LENGTH + 1], longer[RUN_ID_LENGTH + 2];

    EXPECT(child_spawn(&child, SHELL(stay), run.text, "", NULL));
    EXPECT(becomes_readable(child.output));
    snprintf(shorter, sizeof shorter, "%.*s", RUN_ID_LENGTH - 1, run.text);
    snprintf(longer, sizeof longer, "%sX", run.text);
    EXPECT_INT(child_sweep(shorter), 0);
    EXPECT_INT(child_sweep(longer), 0);
    EXPECT_INT(child_sweep(""), 0);
    EXPECT_INT(processes_of_run(run.text), 1);
    bury(&child);
    EXPECT_INT(child_sweep(run.text), 0);
}

static void nothing_stays_open_and_nobody_stays_behind(void)
{
    int before = open_descriptors();

    for (int i = 0; i < 5; i++) {
        struct child child;
        struct run_id run = new_run();

        EXPECT(child_spawn(&child, SHELL(stay), run.text, "", NULL));
        EXPECT(becomes_readable(child.output));
        EXPECT_INT(child_sweep(run.text), 1);
        bury(&child);
    }
    EXPECT_INT(open_descriptors(), before);
    EXPECT_INT(waitpid(-1, NULL, WNOHANG), -1);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN); /* as the server does */
    RUN(a_child_leads_its_own_group_and_its_end_is_seen);
    RUN(reading_from_a_child_never_blocks);
    RUN(what_is_told_arrives_as_a_line);
    RUN(no_descriptor_goes_where_it_is_not_meant_to);
    RUN(libraries_are_loaded_before_a_child_and_only_where_wanted);
    RUN(telling_more_than_the_pipe_holds_is_an_error_not_a_wait);
    RUN(telling_a_child_that_does_not_listen_is_no_error);
    RUN(a_command_that_cannot_be_started_is_a_clear_error);
    RUN(a_sweep_finds_the_whole_family_of_a_run);
    RUN(a_sweep_takes_no_part_of_a_name);
    RUN(nothing_stays_open_and_nobody_stays_behind);
    return test_result();
}

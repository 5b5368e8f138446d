#include "engine/process/spawn.h"

#include "engine/spec/run_id.h"
#include "tests/engine/process/children.h"
#include "tests/engine/process/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static char shell[] = "sh", dash_c[] = "-c";

static char tell_preload[] = "echo ${LD_PRELOAD-none}";
static char cat[] = "exec cat", at_once[] = "exit 5", deaf[] = "sleep 600";
/* Waits without becoming another program: in between, its environment cannot be read. */
static char stay[] = "echo ready; read -r line";
static char two[] = "sleep 600 & echo ready; wait";
static char first_variable[] = "tr '\\0' '\\n' </proc/$$/environ | head -n 1; exec cat";
static char restless[] =
    "again='exec sh -c \"$again\"'; export again; echo ready; eval \"$again\"";
static char no_reader[] = "exec <&-; echo ready; sleep 600";

bool test_begin(void)
{
    return signal(SIGPIPE, SIG_IGN) != SIG_ERR; /* as the server does */
}

static struct run_id new_run(void)
{
    struct run_id id;

    EXPECT(run_id_new(clock_calendar_us(), &id, NULL));
    return id;
}

/* A shell that follows a script, with these libraries loaded before its own. */
static struct child started_with(char *script, struct run_id run, const char *libraries)
{
    struct child child = {0};
    char *const command[] = {shell, dash_c, script, NULL};

    EXPECT(spawn_child(
        &child, &(struct launch){command, run.text, libraries, CONFINE_OTHERS, NULL}, NULL));
    return child;
}

static struct child started(char *script, struct run_id run)
{
    return started_with(script, run, "");
}

static bool becomes_readable(int descriptor)
{
    struct pollfd watched = {.fd = descriptor, .events = POLLIN};

    return poll(&watched, 1, PATIENCE_SECONDS * 1000) == 1;
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

TEST(a_child_leads_its_own_group_and_its_end_is_seen)
{
    struct child child = started(at_once, new_run());

    EXPECT_INT(getpgid(child.pid), child.pid);
    EXPECT(becomes_readable(child.pidfd));

    int status = bury(&child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

TEST(reading_from_a_child_never_blocks)
{
    struct child child = started(cat, new_run());
    char byte;

    EXPECT_INT(read(child.output, &byte, 1), -1);
    EXPECT_INT(errno, EAGAIN);
    EXPECT_INT(read(child.errors, &byte, 1), -1);
    EXPECT_INT(errno, EAGAIN);
    bury(&child);
}

TEST(a_message_arrives_as_a_line)
{
    struct child child = started(cat, new_run());
    char line[20] = "";

    EXPECT(child_tell(&child, "some words", NULL));
    EXPECT(becomes_readable(child.output));
    EXPECT_INT(read(child.output, line, sizeof line - 1), 11);
    EXPECT_STR(line, "some words\n");
    bury(&child);
}

/* Our ends close by themselves in whatever we start next, and no others reach the child: also not
 * those that a library has left open for all. */
TEST(no_descriptor_goes_where_it_is_not_meant_to)
{
    int ours = open("/dev/null", O_RDONLY | O_CLOEXEC),
        open_for_all = open("/dev/null", O_RDONLY);
    int far = fcntl(open_for_all, F_DUPFD, 200);
    char theirs[64];
    struct child child = started(stay, new_run());

    EXPECT(open_for_all > 2 && far >= 200);

    EACH(int, end, child.input, child.output, child.errors, child.pidfd, ours)
        EXPECT(fcntl(end, F_GETFD) & FD_CLOEXEC);
    EXPECT(!(fcntl(open_for_all, F_GETFD) & FD_CLOEXEC)); /* here nothing has changed */

    EXPECT(becomes_readable(child.output));
    snprintf(theirs, sizeof theirs, "/proc/%d/fd", (int)child.pid);
    EXPECT_INT(directory_size(theirs), 3); /* those that each process has */
    bury(&child);
    close(ours);
    close(open_for_all);
    close(far);
}

/* Makes the kernel one that does not know close_range(), for this process and for good. */
static bool forget_close_range(void)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 436, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = COUNT(program), .filter = program};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 &&
           syscall(436, 3u, ~0u, 4u) == -1 && errno == ENOSYS;
}

static int follow_on_an_old_kernel(const void *unused)
{
    int before = test_failures;

    (void)unused;
    EXPECT(forget_close_range());
    no_descriptor_goes_where_it_is_not_meant_to();
    fflush(NULL);
    return test_failures > before;
}

TEST_WHERE(confine_can_filter, an_old_kernel_does_the_same)
{
    EXPECT_INT(status_of_child(NULL, follow_on_an_old_kernel, NULL), 0);
}

TEST(libraries_are_loaded_before_a_child_and_only_where_wanted)
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
        char text[64] = "";

        if (cases[i].before)
            setenv("LD_PRELOAD", cases[i].before, 1);
        child = started_with(tell_preload, new_run(), cases[i].wanted);
        unsetenv("LD_PRELOAD");
        EXPECT(becomes_readable(child.output));
        EXPECT(read(child.output, text, sizeof text - 1) > 0);
        EXPECT_STR(text, cases[i].seen);
        bury(&child);
    }
}

TEST(telling_more_than_the_pipe_holds_is_an_error_not_a_wait)
{
    struct child child = started(deaf, new_run());
    AUTO(freep) char *line = calloc(1, 2000001);

    memset(line, 'x', 2000000);
    errno = EPIPE; /* left over from elsewhere: no excuse */
    EXPECT_ERROR_MESSAGE(child_tell(&child, line, &err), ERROR_INTERNAL,
                         "a spec of 2000000 bytes does not fit into the worker's pipe");
    bury(&child);
}

TEST(telling_a_child_that_does_not_listen_is_no_error)
{
    struct child child = started(no_reader, new_run());

    EXPECT(becomes_readable(child.output));
    EXPECT_OK(child_tell(&child, "anybody there?", &err));
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

TEST(a_command_that_cannot_be_started_is_a_clear_error)
{
    int before = open_descriptors();

    for (size_t i = 0; i < COUNT(failures); i++) {
        char command[64];
        struct child child, untouched;

        memset(&child, 0x5a, sizeof child);
        memset(&untouched, 0x5a, sizeof untouched);
        snprintf(command, sizeof command, "%s", failures[i].command);
        EXPECT_ERROR_MESSAGE(spawn_child(&child,
                                         &(struct launch){(char *const[]){command, NULL}, "RUN",
                                                          "", CONFINE_OTHERS, NULL},
                                         &err),
                             ERROR_UPSTREAM, failures[i].message);
        EXPECT(memcmp(&child, &untouched, sizeof child) == 0);
        EXPECT_INT(waitpid(-1, NULL, WNOHANG), -1); /* no zombie either */
    }
    EXPECT_INT(open_descriptors(), before);
}

TEST(a_sweep_finds_the_whole_family_of_a_run)
{
    struct run_id run = new_run(), other = new_run();
    struct child alone = started(stay, run), family = started(two, run),
                 stranger = started(stay, other);

    EXPECT(becomes_readable(alone.output) && becomes_readable(family.output) &&
           becomes_readable(stranger.output));
    EXPECT(run_reaches_count(run.text, 3));

    EXPECT_INT(spawn_sweep(run.text), 3);
    EXPECT(run_reaches_count(run.text, 0));
    EXPECT(becomes_readable(alone.pidfd) && becomes_readable(family.pidfd));
    EXPECT_INT(processes_of_run(other.text), 1);
    EXPECT_INT(spawn_sweep(run.text), 0);

    int status = bury(&alone);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    bury(&family);
    bury(&stranger);
}

/* So many variables that the kernel needs a while to lay them out for a new program. */
static void fill_environment(bool fill)
{
    for (int i = 0; i < 3000; i++) {
        char name[16];

        snprintf(name, sizeof name, "v%d", i);
        if (fill)
            setenv(name, "", 1);
        else
            unsetenv(name);
    }
}

/* One that becomes another program has no environment to be known by until it is that program. */
TEST(a_sweep_finds_a_process_in_the_middle_of_exec)
{
    for (int i = 0; i < 400; i++) {
        struct run_id run = new_run();
        struct child child;

        if (i == 200)
            fill_environment(true);
        child = started(restless, run);
        EXPECT(becomes_readable(child.output));
        EXPECT_INT(spawn_sweep(run.text), 1);
        bury(&child);
    }
    fill_environment(false);
}

/* Whatever else is in it: a sweep reads its beginning at one go. */
TEST(the_mark_of_a_run_is_first_in_the_environment)
{
    struct run_id run = new_run();
    struct child child = started(first_variable, run);
    char line[64] = "", wanted[64];

    EXPECT(becomes_readable(child.output));
    EXPECT(read(child.output, line, sizeof line - 1) > 0);
    snprintf(wanted, sizeof wanted, "PENNYWORTH_RUN=%s\n", run.text);
    EXPECT_STR(line, wanted);
    bury(&child);
}

/* A run is meant by its whole name. */
TEST(a_sweep_takes_no_part_of_a_name)
{
    struct run_id run = new_run();
    struct child child = started(stay, run);
    char shorter[RUN_ID_LENGTH + 1], longer[RUN_ID_LENGTH + 2];

    EXPECT(becomes_readable(child.output));
    snprintf(shorter, sizeof shorter, "%.*s", RUN_ID_LENGTH - 1, run.text);
    snprintf(longer, sizeof longer, "%sX", run.text);
    EXPECT_INT(spawn_sweep(shorter), 0);
    EXPECT_INT(spawn_sweep(longer), 0);
    EXPECT_INT(spawn_sweep(""), 0);
    EXPECT_INT(processes_of_run(run.text), 1);
    bury(&child);
    EXPECT_INT(spawn_sweep(run.text), 0);
}

TEST(no_descriptor_and_no_process_is_left_behind)
{
    int before = open_descriptors();

    for (int i = 0; i < 5; i++) {
        struct run_id run = new_run();
        struct child child = started(stay, run);

        EXPECT(becomes_readable(child.output));
        EXPECT_INT(spawn_sweep(run.text), 1);
        bury(&child);
    }
    EXPECT_INT(open_descriptors(), before);
    EXPECT_INT(waitpid(-1, NULL, WNOHANG), -1);
}

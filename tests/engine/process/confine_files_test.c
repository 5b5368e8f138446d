/* Which files our own worker reaches. Each test confines a child, for it is for good. */
#include "engine/process/confine_files.h"

#include "common/cleanup.h"
#include "engine/process/confine.h"
#include "engine/process/spawn.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_CONFINED 250 /* exit statuses of a child */

/* A folder with a database, as the server has one, and a cache beside it. */
struct scene {
    char folder[40], secret[60], cache[60], plan[80];
};

static void write_file(const char *path)
{
    AUTO(closep) int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    EXPECT(file >= 0 && write(file, "x", 1) == 1);
}

static void begin(struct scene *scene)
{
    snprintf(scene->folder, sizeof scene->folder, "/tmp/pennyworth-XXXXXX");
    EXPECT(mkdtemp(scene->folder) != NULL);
    snprintf(scene->secret, sizeof scene->secret, "%s/secret", scene->folder);
    snprintf(scene->cache, sizeof scene->cache, "%s/pennyworth", scene->folder);
    snprintf(scene->plan, sizeof scene->plan, "%s/plan", scene->cache);
    write_file(scene->secret);
    EXPECT_INT(setenv("XDG_CACHE_HOME", scene->folder, 1), 0);
    EXPECT_INT(unsetenv("LD_LIBRARY_PATH"), 0);
}

static int remove_one(const char *path, const struct stat *seen, int kind, struct FTW *walk)
{
    (void)seen, (void)kind, (void)walk;
    return remove(path);
}

static void end(struct scene *scene)
{
    EXPECT_INT(nftw(scene->folder, remove_one, 4, FTW_DEPTH | FTW_PHYS), 0);
}

/* What a child comes to that is confined, and then does this: its exit status. It has no
 * capability either: one of them permits to read the memory of others. */
static int confined(const struct confine_files *files, int (*act)(const void *user),
                    const void *user)
{
    const struct confinement confinement = {.drop = true, .files = *files};
    int status = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0)
        _exit(confine_apply(&confinement) ? act(user) : NOT_CONFINED);
    EXPECT_INT(waitpid(child, &status, 0), child);
    EXPECT(WIFEXITED(status));
    return WEXITSTATUS(status);
}

struct wish {
    const char *path;
    int flags;
};

static int try_open(const void *user)
{
    const struct wish *wish = user;

    return open(wish->path, wish->flags, 0600) >= 0 ? 0 : errno;
}

static void expect_open(const struct confine_files *files, const char *path, int flags,
                        int wanted)
{
    char text[200];
    int got = confined(files, try_open, &(struct wish){path, flags});

    snprintf(text, sizeof text, "%s (%#x): %d, expected %d", path, flags, got, wanted);
    test_expect(got == wanted, __FILE__, __LINE__, text);
}

static void files_of_the_server_are_refused(void)
{
    struct confine_files files;
    struct scene scene;

    begin(&scene);
    confine_files_prepare("cat", "", NULL, &files);
    expect_open(&files, scene.secret, O_RDONLY, EACCES);
    expect_open(&files, scene.secret, O_WRONLY, EACCES);
    expect_open(&files, scene.folder, O_RDONLY | O_DIRECTORY, EACCES);
    expect_open(&files, "/etc/passwd", O_RDONLY, EACCES);
    expect_open(&files, "/tmp/pennyworth-of-this-test", O_WRONLY | O_CREAT, EACCES);
    expect_open(&files, "/usr/lib/pennyworth-of-this-test", O_WRONLY | O_CREAT, EACCES);
    expect_open(&files, "/dev/shm/pennyworth-of-this-test", O_RDWR | O_CREAT, EACCES);
    end(&scene);
}

static void what_a_worker_needs_is_permitted(void)
{
    struct confine_files files;
    struct scene scene;

    begin(&scene);
    confine_files_prepare("cat", "", NULL, &files);
    expect_open(&files, "/proc/self/maps", O_RDONLY, 0);
    expect_open(&files, "/proc/cpuinfo", O_RDONLY, 0);
    expect_open(&files, "/sys/devices/system/cpu/online", O_RDONLY, 0);
    expect_open(&files, "/usr/lib", O_RDONLY | O_DIRECTORY, 0);
    expect_open(&files, "/dev/null", O_RDWR, 0);
    expect_open(&files, scene.plan, O_RDWR | O_CREAT, 0);
    expect_open(&files, scene.plan, O_RDWR | O_TRUNC, 0);
    expect_open(&files, scene.cache, O_RDONLY | O_DIRECTORY, 0);
    end(&scene);
}

static int keep(const void *user)
{
    const struct scene *scene = user;
    char part[100], outside[100];

    snprintf(part, sizeof part, "%s.part", scene->plan);
    snprintf(outside, sizeof outside, "%s/taken", scene->folder);
    write_file(part);
    if (rename(part, scene->plan) != 0)
        return 1;
    if (rename(scene->plan, outside) == 0 || rename(scene->secret, scene->plan) == 0)
        return 2;
    if (symlink(scene->secret, part) == 0 || link(scene->secret, part) == 0)
        return 3;
    if (unlink(scene->secret) == 0 || mkdir(part, 0700) == 0)
        return 4;
    return unlink(scene->plan) == 0 ? 0 : 5;
}

static void plans_are_kept_in_the_cache_and_nothing_leaves_it(void)
{
    struct confine_files files;
    struct scene scene;

    begin(&scene);
    confine_files_prepare("cat", "", NULL, &files);
    EXPECT_INT(confined(&files, keep, &scene), 0);
    end(&scene);
}

static void libraries_may_lie_where_the_linker_is_sent(void)
{
    struct confine_files files;
    struct scene scene;

    begin(&scene);
    confine_files_prepare("cat", scene.secret, NULL, &files);
    expect_open(&files, scene.secret, O_RDONLY, 0); /* as a library before all others */
    EXPECT_INT(setenv("LD_LIBRARY_PATH", scene.folder, 1), 0);
    confine_files_prepare("cat", "", NULL, &files);
    expect_open(&files, scene.secret, O_RDONLY, 0);
    expect_open(&files, scene.secret, O_WRONLY, EACCES);
    EXPECT_INT(unsetenv("LD_LIBRARY_PATH"), 0);
    confine_files_prepare("cat", "/usr/lib/llvm/libomp.so.5", NULL, &files);
    expect_open(&files, "/dev/shm/pennyworth-of-this-test", O_RDWR | O_CREAT, 0);
    EXPECT_INT(unlink("/dev/shm/pennyworth-of-this-test"), 0);
    end(&scene);
}

static int run_it(const void *user)
{
    const char *program = user;

    execlp(program, program, "-c", "exit 7", (char *)NULL);
    return errno;
}

static void no_program_runs_but_its_own(void)
{
    struct confine_files files;
    struct scene scene;

    begin(&scene);
    confine_files_prepare("cat", "", NULL, &files);
    EXPECT_INT(confined(&files, run_it, "sh"), EACCES);
    confine_files_prepare("sh", "", NULL, &files);
    EXPECT_INT(confined(&files, run_it, "sh"), 7);
    confine_files_prepare("/bin/sh", "", NULL, &files);
    EXPECT_INT(confined(&files, run_it, "/bin/sh"), 7);
    confine_files_prepare("there-is-no-such-program", "", NULL, &files);
    EXPECT_INT(confined(&files, run_it, "there-is-no-such-program"), ENOENT);
    end(&scene);
}

static int look_at_parent(const void *user)
{
    static const char *const names[] = {"mem", "environ", "maps"};
    const bool *signals = user;

    for (size_t i = 0; i < COUNT(names); i++) {
        char path[64];

        snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), names[i]);
        if (open(path, O_RDONLY) >= 0)
            return 1;
    }
    return !*signals || (kill(getppid(), 0) != 0 && errno == EPERM) ? 0 : 2;
}

static void processes_outside_are_out_of_reach(void)
{
    const bool signals = syscall(444, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 6;
    struct confine_files files;
    struct scene scene;

    begin(&scene);
    confine_files_prepare("cat", "", NULL, &files);
    EXPECT_INT(confined(&files, look_at_parent, &signals), 0);
    end(&scene);
}

static void where_it_is_not_wanted_nothing_is_refused(void)
{
    static const struct confine_files none = {.wanted = false};
    struct scene scene;

    begin(&scene);
    expect_open(&none, scene.secret, O_RDWR, 0);
    end(&scene);
}

/* What `cat FILE` prints that is started as an engine. */
static void print_as_engine(enum confine_how how, char *path, char *ret_text, size_t size)
{
    static char cat[] = "cat";
    struct child child;
    ssize_t length;

    EXPECT(spawn_child(
        &child, &(struct launch){(char *const[]){cat, path, NULL}, "RUN", "", how, NULL}, NULL));
    fcntl(child.output, F_SETFL, 0);
    length = read(child.output, ret_text, size - 1);
    ret_text[length > 0 ? length : 0] = '\0';
    EXPECT_INT(waitpid(child.pid, NULL, 0), child.pid);
    closep(&child.input);
    closep(&child.output);
    closep(&child.errors);
    closep(&child.pidfd);
}

static void an_engine_of_ours_prints_no_file_of_the_server_and_one_of_others_does(void)
{
    struct scene scene;
    char text[16];

    begin(&scene);
    print_as_engine(CONFINE_OTHERS, scene.secret, text, sizeof text);
    EXPECT_STR(text, "x");
    print_as_engine(CONFINE_OURS, scene.secret, text, sizeof text);
    EXPECT_STR(text, "");
    end(&scene);
}

int main(void)
{
    RUN(where_it_is_not_wanted_nothing_is_refused);
    if (confine_can_restrict_files()) {
        RUN(files_of_the_server_are_refused);
        RUN(what_a_worker_needs_is_permitted);
        RUN(plans_are_kept_in_the_cache_and_nothing_leaves_it);
        RUN(libraries_may_lie_where_the_linker_is_sent);
        RUN(no_program_runs_but_its_own);
        RUN(processes_outside_are_out_of_reach);
        RUN(an_engine_of_ours_prints_no_file_of_the_server_and_one_of_others_does);
    } else {
        puts("skipped: this kernel does not restrict files");
    }
    return test_result();
}

/* Which files our own worker reaches. Each test confines a child, for it is for good. */
#include "engine/process/confine_files.h"

#include "tests/engine/process/children.h"
#include "tests/engine/tree.h"

#include <errno.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

/* A folder with a database, as the server has one, and a cache next to it; and the files that a
 * worker reaches there whose program is cat. */
struct scene {
    struct tree tree;
    char secret[80], cache[80], plan[100];
    struct confine_files files;
};

static void write_file(const char *path)
{
    AUTO(closep) int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    EXPECT(file >= 0 && write(file, "x", 1) == 1);
}

static struct scene scene_make(void)
{
    struct scene scene = {.tree = tree_make()};

    snprintf(scene.secret, sizeof scene.secret, "%s/secret", scene.tree.root);
    snprintf(scene.cache, sizeof scene.cache, "%s/pennyworth", scene.tree.root);
    snprintf(scene.plan, sizeof scene.plan, "%s/plan", scene.cache);
    write_file(scene.secret);
    EXPECT_INT(setenv("XDG_CACHE_HOME", scene.tree.root, 1), 0);
    EXPECT_INT(unsetenv("LD_LIBRARY_PATH"), 0);
    confine_files_prepare("cat", "", NULL, &scene.files);
    return scene;
}

static void scene_remove(struct scene *scene)
{
    tree_remove(&scene->tree);
}

/* The exit status of a child that is confined and then does this. It has no capability either:
 * one of them permits reading other processes' memory. */
static int confined(const struct confine_files *files, int (*act)(const void *user),
                    const void *user)
{
    const struct confinement confinement = {.drop = true, .files = *files};
    int status = status_of_child(&confinement, act, user);

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

TEST_WHERE(confine_can_restrict_files, files_of_the_server_are_refused)
{
    AUTO(scene_remove) struct scene scene = scene_make();

    expect_open(&scene.files, scene.secret, O_RDONLY, EACCES);
    expect_open(&scene.files, scene.secret, O_WRONLY, EACCES);
    expect_open(&scene.files, scene.tree.root, O_RDONLY | O_DIRECTORY, EACCES);
    expect_open(&scene.files, "/etc/passwd", O_RDONLY, EACCES);
    expect_open(&scene.files, "/tmp/pennyworth-of-this-test", O_WRONLY | O_CREAT, EACCES);
    expect_open(&scene.files, "/usr/lib/pennyworth-of-this-test", O_WRONLY | O_CREAT, EACCES);
    expect_open(&scene.files, "/dev/shm/pennyworth-of-this-test", O_RDWR | O_CREAT, EACCES);
}

TEST_WHERE(confine_can_restrict_files, what_a_worker_needs_is_permitted)
{
    AUTO(scene_remove) struct scene scene = scene_make();

    expect_open(&scene.files, "/proc/self/maps", O_RDONLY, 0);
    expect_open(&scene.files, "/proc/cpuinfo", O_RDONLY, 0);
    expect_open(&scene.files, "/sys/devices/system/cpu/online", O_RDONLY, 0);
    expect_open(&scene.files, "/usr/lib", O_RDONLY | O_DIRECTORY, 0);
    expect_open(&scene.files, "/dev/null", O_RDWR, 0);
    expect_open(&scene.files, scene.plan, O_RDWR | O_CREAT, 0);
    expect_open(&scene.files, scene.plan, O_RDWR | O_TRUNC, 0);
    expect_open(&scene.files, scene.cache, O_RDONLY | O_DIRECTORY, 0);
}

static int keep(const void *user)
{
    const struct scene *scene = user;
    char part[120], outside[100];

    snprintf(part, sizeof part, "%s.part", scene->plan);
    snprintf(outside, sizeof outside, "%s/taken", scene->tree.root);
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

TEST_WHERE(confine_can_restrict_files, plans_are_kept_in_the_cache_and_nothing_leaves_it)
{
    AUTO(scene_remove) struct scene scene = scene_make();

    EXPECT_INT(confined(&scene.files, keep, &scene), 0);
}

TEST_WHERE(confine_can_restrict_files, libraries_may_lie_where_the_linker_is_sent)
{
    AUTO(scene_remove) struct scene scene = scene_make();

    confine_files_prepare("cat", scene.secret, NULL, &scene.files);
    expect_open(&scene.files, scene.secret, O_RDONLY, 0); /* as a library before all others */
    EXPECT_INT(setenv("LD_LIBRARY_PATH", scene.tree.root, 1), 0);
    confine_files_prepare("cat", "", NULL, &scene.files);
    expect_open(&scene.files, scene.secret, O_RDONLY, 0);
    expect_open(&scene.files, scene.secret, O_WRONLY, EACCES);
    EXPECT_INT(unsetenv("LD_LIBRARY_PATH"), 0);
    confine_files_prepare("cat", "/usr/lib/llvm/libomp.so.5", NULL, &scene.files);
    expect_open(&scene.files, "/dev/shm/pennyworth-of-this-test", O_RDWR | O_CREAT, 0);
    EXPECT_INT(unlink("/dev/shm/pennyworth-of-this-test"), 0);
}

static int run_it(const void *user)
{
    const char *program = user;

    execlp(program, program, "-c", "exit 7", (char *)NULL);
    return errno;
}

TEST_WHERE(confine_can_restrict_files, no_program_runs_but_its_own)
{
    AUTO(scene_remove) struct scene scene = scene_make();

    EXPECT_INT(confined(&scene.files, run_it, "sh"), EACCES);
    confine_files_prepare("sh", "", NULL, &scene.files);
    EXPECT_INT(confined(&scene.files, run_it, "sh"), 7);
    confine_files_prepare("/bin/sh", "", NULL, &scene.files);
    EXPECT_INT(confined(&scene.files, run_it, "/bin/sh"), 7);
    confine_files_prepare("there-is-no-such-program", "", NULL, &scene.files);
    EXPECT_INT(confined(&scene.files, run_it, "there-is-no-such-program"), ENOENT);
}

static int look_at_parent(const void *user)
{
    const bool *signals = user;

    EACH_TEXT(name, "mem", "environ", "maps") {
        char path[64];

        snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), name);
        if (open(path, O_RDONLY) >= 0)
            return 1;
    }
    return !*signals || (kill(getppid(), 0) != 0 && errno == EPERM) ? 0 : 2;
}

TEST_WHERE(confine_can_restrict_files, processes_outside_are_out_of_reach)
{
    const bool signals = syscall(444, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 6;
    AUTO(scene_remove) struct scene scene = scene_make();

    EXPECT_INT(confined(&scene.files, look_at_parent, &signals), 0);
}

TEST(where_it_is_not_wanted_nothing_is_refused)
{
    static const struct confine_files none = {.wanted = false};
    AUTO(scene_remove) struct scene scene = scene_make();

    expect_open(&none, scene.secret, O_RDWR, 0);
}

TEST_WHERE(confine_can_restrict_files,
           an_engine_of_ours_prints_no_file_of_the_server_and_one_of_others_does)
{
    static char cat[] = "cat";
    AUTO(scene_remove) struct scene scene = scene_make();
    char *const arguments[] = {cat, scene.secret, NULL};
    char text[16];

    print_as_engine(arguments, CONFINE_OTHERS, NULL, text, sizeof text);
    EXPECT_STR(text, "x");
    print_as_engine(arguments, CONFINE_OURS, NULL, text, sizeof text);
    EXPECT_STR(text, "");
}

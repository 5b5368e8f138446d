#include "engine/train/depth_first/plan.h"

#include "tests/engine/process/processes.h"
#include "tests/engine/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define KEY "processor, library, shape"

/* The file system as a test wants it: these stand before the C library's own. */
static struct {
    int no_unnamed;     /* errno of open() with O_TMPFILE; 0: as the file system does it */
    long long allowed;  /* calls that change files and still succeed; -1: all of them */
    int errno_of_fault; /* of the next one */
    long long faults;
} disk = {.allowed = -1};

static bool disk_refuses(void)
{
    if (disk.allowed < 0 || disk.allowed-- > 0)
        return false;
    disk.allowed = -1;
    disk.faults++;
    errno = disk.errno_of_fault;
    return true;
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list rest;

    if (flags & (O_CREAT | O_TMPFILE)) {
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if ((flags & O_TMPFILE) == O_TMPFILE && disk.no_unnamed) {
        errno = disk.no_unnamed;
        return -1;
    }
    if ((flags & O_ACCMODE) != O_RDONLY && disk_refuses())
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t count)
{
    return disk_refuses() ? -1 : syscall(SYS_write, file, bytes, count);
}

int ftruncate(int file, off_t length)
{
    return disk_refuses() ? -1 : (int)syscall(SYS_ftruncate, file, length);
}

int flock(int file, int how)
{
    return disk_refuses() ? -1 : (int)syscall(SYS_flock, file, how);
}

int rename(const char *from, const char *to)
{
    return disk_refuses() ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static struct plan some_plan(void)
{
    struct plan plan = plan_fixed(3, (struct choice){1200, false});

    plan.stages[1] = (struct choice){400, true};
    return plan;
}

TEST(a_plan_is_read_as_it_was_written)
{
    const struct plan plan = some_plan();
    char text[PLAN_TEXT_MAX];
    struct plan back;

    EXPECT(plan_write(&plan, KEY, text, sizeof text) < sizeof text);
    EXPECT_STR(text, "pennyworth plan 3\n" KEY "\n1200 library\n400 hand\n1200 library\n");
    EXPECT(plan_read(text, KEY, 3, &back));
    EXPECT_STR(back.origin, "cached");
    EXPECT_INT(back.count, 3);
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(back.stages[i].kilobytes, plan.stages[i].kilobytes);
        EXPECT_INT(back.stages[i].by_hand, plan.stages[i].by_hand);
    }
}

TEST(what_was_not_written_for_this_is_refused)
{
    static const char *const wrong[] = {
        "",
        "pennyworth plan 3\n",
        "pennyworth plan 4\n" KEY "\n1 hand\n1 hand\n",
        "pennyworth plan 3\nanother key\n1 hand\n1 hand\n",
        "pennyworth plan 3\n" KEY "\n1 hand\n",
        "pennyworth plan 3\n" KEY "\n1 hand\n1 hand\n1 hand\n",
        "pennyworth plan 3\n" KEY "\n1 hand\n1 hand",
        "pennyworth plan 3\n" KEY "\n1 hand\n1 foot\n",
        "pennyworth plan 3\n" KEY "\n1 hand\n0 hand\n",
        "pennyworth plan 3\n" KEY "\n1 hand\n-1 hand\n",
        "pennyworth plan 3\n" KEY "\n1 hand\n1000001 hand\n",
        "pennyworth plan 3\n" KEY "\n1 hand\n99999999999999999999 hand\n",
    };
    struct plan plan = {.count = -1};

    for (size_t i = 0; i < COUNT(wrong); i++)
        EXPECT(!plan_read(wrong[i], KEY, 2, &plan));
    EXPECT(!plan_read("pennyworth plan 3\n" KEY "\n", KEY, LAYERS_MAX + 1, &plan));
    EXPECT_INT(plan.count, -1);
}

static void with_cache(void (*test)(const char *folder))
{
    AUTO(tree_remove) struct tree tree = tree_make();
    char cache[80], folder[100];

    snprintf(cache, sizeof cache, "%s/cache", tree.root);
    snprintf(folder, sizeof folder, "%s/pennyworth", cache);
    setenv("XDG_CACHE_HOME", cache, 1);
    test(folder);
    EXPECT_INT(directory_size(cache), 1); /* and the cache has nothing else */
}

/* A test that is given the folder which plan_store() makes in a cache of its own. */
#define TEST_WITH_CACHE(name) TEST_GIVEN(name, const char *folder, with_cache)

/* The name under which every writer of KEY begins. */
static void part_of(const char *folder, char ret_path[300])
{
    DIR *directory = opendir(folder);

    ret_path[0] = '\0';
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            snprintf(ret_path, 300, "%s/%.100s.part", folder, entry->d_name);
    if (directory)
        closedir(directory);
    EXPECT(ret_path[0] != '\0');
}

static void expect_stored(const char *when)
{
    const struct plan plan = some_plan();
    struct plan back;

    EXPECT_OK(plan_store(&plan, KEY, &err));
    EXPECT_STR(plan_load(KEY, 3, &back) ? "found" : when, "found");
    EXPECT(back.stages[1].by_hand);
}

static void store_twice(const char *folder)
{
    expect_stored("the first time");
    expect_stored("the second time");
    EXPECT_INT(directory_size(folder), 1); /* nothing half-written was left in it */
}

TEST_WITH_CACHE(a_stored_plan_is_found_by_its_key)
{
    struct plan back;

    EXPECT(!plan_load(KEY, 3, &back));
    store_twice(folder);
    EXPECT(!plan_load("another", 3, &back));
}

/* Overlay file systems before Linux 6.3 and fuse-overlayfs say EOPNOTSUPP, kernels before 3.11
 * EISDIR, and some file systems of users ENOENT. */
TEST(a_file_system_without_unnamed_files_will_do)
{
    static const int refusals[] = {EOPNOTSUPP, EISDIR, ENOENT, EINVAL};

    for (size_t i = 0; i < COUNT(refusals); i++) {
        disk.no_unnamed = refusals[i];
        with_cache(store_twice);
        disk.no_unnamed = 0;
    }
}

/* Wherever the disk fails: a reason, no file other than the former plan, and the former plan as
 * it was. */
TEST_WITH_CACHE(each_failure_of_the_disk_is_reported_and_leaves_nothing)
{
    const struct plan other = plan_fixed(3, (struct choice){77, false});
    long long calls = 0;
    bool failed = true, stored;

    expect_stored("without faults");
    for (; failed && calls < 100; calls++) {
        struct error err = {0};
        struct plan back;

        disk.faults = 0;
        disk.errno_of_fault = ENOSPC;
        disk.allowed = calls;
        stored = plan_store(&other, KEY, &err);
        disk.allowed = -1;
        failed = disk.faults > 0;
        EXPECT_INT(stored, !failed);
        EXPECT_INT(directory_size(folder), 1);
        EXPECT_INT(strstr(err.message, strerror(ENOSPC)) != NULL, failed);
        EXPECT(plan_load(KEY, 3, &back));
        EXPECT_INT(back.stages[0].kilobytes, failed ? 1200 : 77);
    }
    EXPECT(calls > 4 && !failed);
    EXPECT_INT(directory_size(folder), 1);
}

/* However many writers were killed, with whatever they had written, there is one leftover; and
 * the next writer takes it over. */
TEST_WITH_CACHE(leftovers_of_killed_writers_are_taken_over)
{
    char part[300];
    FILE *file;

    expect_stored("before");
    part_of(folder, part);
    for (int i = 0; i < 3; i++) {
        file = fopen(part, "we");
        EXPECT(file && fputs("pennyworth plan 3\nhalf of something that is longer than a plan of "
                             "three stages is, so that its end would show\n",
                             file) >= 0);
        if (file)
            fclose(file);
    }
    expect_stored("after");
    EXPECT_INT(directory_size(folder), 1);
}

TEST_WITH_CACHE(who_finds_another_writer_leaves_it_alone)
{
    const struct plan other = plan_fixed(3, (struct choice){77, false});
    struct plan back;
    char part[300];
    struct stat now;
    int writer;

    expect_stored("before");
    part_of(folder, part);
    writer = open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    EXPECT(writer >= 0 && flock(writer, LOCK_EX) == 0 && write(writer, "half", 4) == 4);
    EXPECT_OK(plan_store(&other, KEY, &err));
    EXPECT(plan_load(KEY, 3, &back) && back.stages[0].kilobytes == 1200);
    EXPECT(fstat(writer, &now) == 0 && now.st_size == 4 && now.st_nlink == 1);
    close(writer);
    EXPECT_INT(directory_size(folder), 2);
}

/* With many writers at once, a reader sees a whole plan each time. */
TEST_WITH_CACHE(concurrent_writers_do_not_disturb_each_other)
{
    enum { WRITERS = 4, ROUNDS = 200 };
    int status, good = 0;

    expect_stored("before");
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0) {
            const struct plan plan = plan_fixed(3, (struct choice){1000 + i, i % 2 == 0});
            bool ok = true;

            for (int round = 0; round < ROUNDS; round++) {
                struct plan back;

                ok = plan_store(&plan, KEY, NULL) && plan_load(KEY, 3, &back) && ok;
            }
            _exit(ok ? 0 : 1);
        }
    for (int i = 0; i < WRITERS; i++)
        good += wait(&status) > 0 && status == 0;
    EXPECT_INT(good, WRITERS);
    EXPECT_INT(directory_size(folder), 1);
}

TEST(a_place_that_cannot_be_written_is_reported)
{
    const struct plan plan = some_plan();
    struct error nowhere = {0}, unknown = {0};
    struct plan back;

    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    EXPECT(!plan_store(&plan, KEY, &nowhere));
    EXPECT_PART(nowhere.message, "/proc/nowhere");
    EXPECT(!plan_load(KEY, 3, &back));
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    EXPECT(!plan_store(&plan, KEY, &unknown));
    EXPECT_PART(unknown.message, "XDG_CACHE_HOME");
    EXPECT(!plan_load(KEY, 3, &back));
}

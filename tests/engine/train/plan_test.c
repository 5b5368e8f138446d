#include "engine/train/plan.h"

#include "common/cleanup.h"
#include "tests/test.h"

#include <dirent.h>

#define KEY "processor, library, shape"

static struct plan some_plan(void)
{
    struct plan plan = plan_fixed(3, (struct choice){1200, false});

    plan.stages[1] = (struct choice){400, true};
    return plan;
}

static void a_plan_is_read_as_it_was_written(void)
{
    const struct plan plan = some_plan();
    char text[PLAN_TEXT_MAX];
    struct plan back;

    EXPECT(plan_write(&plan, KEY, text, sizeof text) < sizeof text);
    EXPECT_STR(text, "pennyworth plan 1\n" KEY "\n1200 library\n400 hand\n1200 library\n");
    EXPECT(plan_read(text, KEY, 3, &back));
    EXPECT_STR(back.origin, "cached");
    EXPECT_INT(back.count, 3);
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(back.stages[i].kilobytes, plan.stages[i].kilobytes);
        EXPECT_INT(back.stages[i].by_hand, plan.stages[i].by_hand);
    }
}

static void what_was_not_written_for_this_is_refused(void)
{
    static const char *const wrong[] = {
        "",
        "pennyworth plan 1\n",
        "pennyworth plan 2\n" KEY "\n1 hand\n1 hand\n",
        "pennyworth plan 1\nanother key\n1 hand\n1 hand\n",
        "pennyworth plan 1\n" KEY "\n1 hand\n",
        "pennyworth plan 1\n" KEY "\n1 hand\n1 hand\n1 hand\n",
        "pennyworth plan 1\n" KEY "\n1 hand\n1 hand",
        "pennyworth plan 1\n" KEY "\n1 hand\n1 foot\n",
        "pennyworth plan 1\n" KEY "\n1 hand\n0 hand\n",
        "pennyworth plan 1\n" KEY "\n1 hand\n-1 hand\n",
        "pennyworth plan 1\n" KEY "\n1 hand\n1000001 hand\n",
        "pennyworth plan 1\n" KEY "\n1 hand\n99999999999999999999 hand\n",
    };
    struct plan plan = {.count = -1};

    for (size_t i = 0; i < COUNT(wrong); i++)
        EXPECT(!plan_read(wrong[i], KEY, 2, &plan));
    EXPECT(!plan_read("pennyworth plan 1\n" KEY "\n", KEY, LAYERS_MAX + 1, &plan));
    EXPECT_INT(plan.count, -1);
}

/* Counts the files of a folder and removes them. */
static int clear(const char *folder)
{
    DIR *directory = opendir(folder);
    int count = 0;

    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        EXPECT_INT(unlinkat(dirfd(directory), entry->d_name, 0), 0);
        count++;
    }
    if (directory)
        closedir(directory);
    return count;
}

static void a_stored_plan_is_found_by_its_key(void)
{
    char folder[] = "/tmp/plan-test-XXXXXX", below[64], path[128];
    const struct plan plan = some_plan();
    struct plan back;

    EXPECT(mkdtemp(folder) != NULL);
    snprintf(below, sizeof below, "%s/cache", folder);
    snprintf(path, sizeof path, "%s/pennyworth", below);
    setenv("XDG_CACHE_HOME", below, 1);
    EXPECT(!plan_load(KEY, 3, &back));
    plan_store(&plan, KEY);
    plan_store(&plan, KEY);
    EXPECT(plan_load(KEY, 3, &back));
    EXPECT(back.stages[1].by_hand);
    EXPECT(!plan_load("another", 3, &back));
    EXPECT_INT(clear(path), 1); /* nothing half-written was left beside it */
    EXPECT_INT(rmdir(path) + rmdir(below) + rmdir(folder), 0);
}

static void a_place_that_cannot_be_written_is_no_error(void)
{
    const struct plan plan = some_plan();
    struct plan back;

    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    plan_store(&plan, KEY);
    EXPECT(!plan_load(KEY, 3, &back));
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    plan_store(&plan, KEY);
    EXPECT(!plan_load(KEY, 3, &back));
}

int main(void)
{
    RUN(a_plan_is_read_as_it_was_written);
    RUN(what_was_not_written_for_this_is_refused);
    RUN(a_stored_plan_is_found_by_its_key);
    RUN(a_place_that_cannot_be_written_is_no_error);
    return test_result();
}

#include "engine/machine/load.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "tests/test.h"

#include <stdlib.h>

#define OWN 50

static const struct topology four = {.cpu_count = 4,
                                     .cpus = {{.cpu = 0}, {.cpu = 1}, {.cpu = 2}, {.cpu = 3}}};

/* One second on four processors: four ticks are one percent. */
#define READING(at_s, busy, list)                                                                \
    &(struct load_reading)                                                                       \
    {                                                                                            \
        .taken_ns = NS_PER_SECOND * (at_s), .busy_ticks = busy, .processes = list,               \
        .count = COUNT(list),                                                                    \
    }

static struct load between(const struct load_reading *before, const struct load_reading *after)
{
    struct load load;

    load_between(before, after, &four, OWN, &load);
    return load;
}

TEST(the_largest_users_are_named_with_their_shares)
{
    struct load_process before[] = {{.pid = 1, .name = "init"},
                                    {.pid = 10, .ticks = 1000, .name = "chromium"},
                                    {.pid = 11, .ticks = 500, .name = "chromium"},
                                    {.pid = 12, .ticks = 7, .name = "little"},
                                    {.pid = 13, .ticks = 7, .name = "make"}};
    struct load_process after[] = {{.pid = 1, .name = "init"},
                                   {.pid = 10, .ticks = 1020, .name = "chromium"},
                                   {.pid = 11, .ticks = 520, .name = "chromium"},
                                   {.pid = 12, .ticks = 10, .name = "little"},
                                   {.pid = 13, .ticks = 67, .name = "make"}};
    struct load load = between(READING(5, 3000, before), READING(6, 3103, after));

    EXPECT_INT(load.processors, 4);
    EXPECT_NEAR(load.busy_percent, 25.8, 1e-9);
    EXPECT_NEAR(load.hidden_percent, 0, 1e-9);
    EXPECT_INT(load.count, 2);
    EXPECT_STR(load.users[0].name, "make");
    EXPECT_NEAR(load.users[0].percent, 15, 1e-9);
    EXPECT_STR(load.users[1].name, "chromium");
    EXPECT_NEAR(load.users[1].percent, 10, 1e-9);
}

TEST(at_most_five_are_named)
{
    struct load_process before[] = {{.pid = 1}};
    struct load_process after[] = {{.pid = 1},
                                   {.pid = 2, .ticks = 10, .name = "a"},
                                   {.pid = 3, .ticks = 11, .name = "b"},
                                   {.pid = 4, .ticks = 12, .name = "c"},
                                   {.pid = 5, .ticks = 13, .name = "d"},
                                   {.pid = 6, .ticks = 14, .name = "e"},
                                   {.pid = 7, .ticks = 15, .name = "f"}};
    struct load load = between(READING(0, 0, before), READING(1, 75, after));

    EXPECT_INT(load.count, LOAD_USERS_MAX);
    EXPECT_STR(load.users[0].name, "f");
    EXPECT_STR(load.users[4].name, "b");
    EXPECT_NEAR(load.hidden_percent, 0, 1e-9);
}

TEST(we_and_our_workers_do_not_count)
{
    struct load_process before[] = {{.pid = 1}, {.pid = OWN, .parent = 1, .child_ticks = 30}};
    struct load_process after[] = {
        {.pid = 1},
        {.pid = OWN, .parent = 1, .ticks = 20, .child_ticks = 80, .name = "pennyworth"},
        {.pid = 60, .parent = OWN, .ticks = 100, .name = "worker"},
        {.pid = 61, .parent = 60, .ticks = 50, .name = "its child"}};
    struct load load = between(READING(0, 0, before), READING(1, 224, after));

    EXPECT_INT(load.count, 0);
    EXPECT_NEAR(load.busy_percent, 1, 1e-9);
    EXPECT_NEAR(load.hidden_percent, 1, 1e-9);
}

TEST(what_nobody_visible_took_is_hidden)
{
    struct load_process before[] = {{.pid = 9, .ticks = 5, .name = "cc"}};
    struct load_process after[] = {{.pid = 9, .ticks = 25, .name = "cc"}};
    struct load load = between(READING(0, 100, before), READING(1, 200, after));

    EXPECT_NEAR(load.busy_percent, 25, 1e-9);
    EXPECT_NEAR(load.hidden_percent, 20, 1e-9);
}

TEST(without_a_count_of_the_processors_the_visible_are_all)
{
    struct load_process before[] = {{.pid = 9, .ticks = 5}};
    struct load_process after[] = {{.pid = 9, .ticks = 25, .name = "cc"}};
    struct load load = between(READING(0, -1, before), READING(1, -1, after));

    EXPECT_NEAR(load.busy_percent, 5, 1e-9);
    EXPECT_NEAR(load.hidden_percent, 0, 1e-9);
}

TEST(children_that_ended_count_for_who_waited_for_them)
{
    /* cc 20 had 500 ticks before and took 10 more; cc 22 began and ended in between, with 30. */
    struct load_process before[] = {
        {.pid = 10, .child_ticks = 900, .name = "make"},
        {.pid = 20, .parent = 10, .ticks = 400, .child_ticks = 100, .name = "cc"}};
    struct load_process after[] = {{.pid = 10, .child_ticks = 1440, .name = "make"}};
    struct load load = between(READING(0, 0, before), READING(1, 40, after));

    EXPECT_INT(load.count, 1);
    EXPECT_STR(load.users[0].name, "make");
    EXPECT_NEAR(load.users[0].percent, 10, 1e-9);
    EXPECT_NEAR(load.hidden_percent, 0, 1e-9);
}

TEST(the_heir_of_a_whole_family_is_the_ancestor_that_lives)
{
    struct load_process before[] = {{.pid = 10, .name = "make"},
                                    {.pid = 20, .parent = 10, .ticks = 3, .name = "sh"},
                                    {.pid = 30, .parent = 20, .ticks = 500, .name = "cc"}};
    struct load_process after[] = {{.pid = 10, .child_ticks = 523, .name = "make"}};
    struct load load = between(READING(0, 0, before), READING(1, 20, after));

    EXPECT_NEAR(load.users[0].percent, 5, 1e-9);
}

TEST(a_pid_that_is_used_again_is_another_process)
{
    struct load_process before[] = {{.pid = 9, .started = 4, .ticks = 5000, .name = "old"}};
    struct load_process after[] = {{.pid = 9, .started = 8, .ticks = 40, .name = "new"}};
    struct load load = between(READING(0, 0, before), READING(1, 40, after));

    EXPECT_STR(load.users[0].name, "new");
    EXPECT_NEAR(load.users[0].percent, 10, 1e-9);
}

TEST(who_runs_on_other_processors_takes_none_of_ours)
{
    struct load_process before[] = {{.pid = 9, .processor = 7}};
    struct load_process after[] = {{.pid = 9, .processor = 7, .ticks = 100, .name = "cc"}};
    struct load load = between(READING(0, 0, before), READING(1, 4, after));

    EXPECT_INT(load.count, 0);
    EXPECT_NEAR(load.busy_percent, 1, 1e-9);
}

TEST(readings_that_are_no_tree_end_too)
{
    struct load_process before[] = {{.pid = 1, .parent = 2, .ticks = 7},
                                    {.pid = 2, .parent = 1, .ticks = 7},
                                    {.pid = 3, .parent = 1, .ticks = 7}};
    struct load_process after[] = {{.pid = 8, .parent = 9, .ticks = 40, .name = "a"},
                                   {.pid = 9, .parent = 8, .name = "b"}};
    struct load load = between(READING(0, 0, before), READING(1, 40, after));

    EXPECT_NEAR(load.busy_percent, 10, 1e-9);
}

TEST(a_load_survives_as_text)
{
    const struct load load = {
        .processors = 4,
        .busy_percent = 9.5,
        .hidden_percent = 1.2,
        .count = 2,
        .users = {{.name = "a \"b\" \xc3\xa9", .percent = 7.3}, {.name = "", .percent = 1}}};
    AUTO(freep) char *text = load_to_text(&load);
    struct load again = {0};

    EXPECT(load_from_text(text, &again));
    EXPECT_INT(again.processors, 4);
    EXPECT_NEAR(again.busy_percent, 9.5, 1e-12);
    EXPECT_NEAR(again.hidden_percent, 1.2, 1e-12);
    EXPECT_INT(again.count, 2);
    EXPECT_STR(again.users[0].name, load.users[0].name);
    EXPECT_NEAR(again.users[0].percent, 7.3, 1e-12);
    EXPECT_STR(again.users[1].name, "");
}

TEST(other_texts_are_no_load)
{
#define TEXT(list)                                                                               \
    "{\"busy_percent\":1,\"hidden_percent\":0,\"processors\":4,\"processes\":" list "}"
#define ONE(name) "{\"name\":\"" name "\",\"percent\":1}"
    static const char *const texts[] = {
        NULL,
        "",
        "[]",
        "{}",
        TEXT("[5]"),
        TEXT("[" ONE("a name of 16 bytes") "]"),
        TEXT("[" ONE("1") "," ONE("2") "," ONE("3") "," ONE("4") "," ONE("5") "," ONE("6") "]")};
    struct load load;

    EXPECT(load_from_text(TEXT("[" ONE("a") "]"), &load));
    for (size_t i = 0; i < COUNT(texts); i++)
        EXPECT(!load_from_text(texts[i], &load));
}

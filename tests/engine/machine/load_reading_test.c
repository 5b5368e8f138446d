#include "engine/machine/load_reading.h"

#include "tests/engine/tree.h"

#include <stdlib.h>

/* PID (NAME) S PARENT, then utime 5, stime 6, cutime 7, cstime 8, started 77, processor 3. */
#define LINE(pid, name, parent)                                                                  \
    pid " (" name ") S " parent " 7 7 0 -1 4194560 1 0 0 0 5 6 7 8 20 0 1 0 77 1 1 "             \
        "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0\n"

TEST(a_line_says_which_process_it_is_and_what_it_took)
{
    struct load_process process;

    EXPECT(load_read_process(LINE("12", "cc", "7"), &process));
    EXPECT_INT(process.pid, 12);
    EXPECT_INT(process.parent, 7);
    EXPECT_INT(process.ticks, 11);
    EXPECT_INT(process.child_ticks, 15);
    EXPECT_INT(process.started, 77);
    EXPECT_INT(process.processor, 3);
    EXPECT_STR(process.name, "cc");
}

TEST(a_name_may_hold_what_looks_like_the_rest_of_the_line)
{
    struct load_process process;

    EXPECT(load_read_process(LINE("12", "a) R 1 2", "7"), &process));
    EXPECT_STR(process.name, "a) R 1 2");
    EXPECT_INT(process.parent, 7);
}

TEST(a_name_is_printable_and_of_15_bytes_at_most)
{
    static const struct {
        const char *line, *name;
    } rows[] = {
        {LINE("1", "", "0"), ""},
        {LINE("1", "tab\tline\nbell\a", "0"), "tab line bell?"},
        {LINE("1", "\xff\xfe", "0"), "??"},
        {LINE("1", "kworker/u8:2-events", "0"), "kworker/u8:2-ev"},
        {LINE("1", "14 letters and\xc3", "0"), "14 letters and"},
        {LINE("1", "14 letters and\xc3\xa9", "0"), "14 letters and"},
        {LINE("1", "13 letters an\xc3\xa9", "0"), "13 letters an\xc3\xa9"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct load_process process;

        EXPECT(load_read_process(rows[i].line, &process));
        EXPECT_STR(process.name, rows[i].name);
    }
}

TEST(other_text_is_no_line)
{
    static const char *const texts[] = {"",
                                        "12",
                                        "12 (cc",
                                        "12 )cc(",
                                        "12 (cc)",
                                        "12 (cc) S",
                                        "12 (cc) S 7 7 7 0 -1 4194560 1 0 0 0 5 6 7 8 20",
                                        "12 (cc) S 7 7 7 0 -1 4194560 1 0 0 0 -5 6 7 8 20",
                                        "x (cc) S 1 1 1",
                                        "-3 (cc) S 1 1 1"};
    struct load_process process;

    for (size_t i = 0; i < COUNT(texts); i++)
        EXPECT(!load_read_process(texts[i], &process));
}

TEST_WITH_TREE(a_reading_has_all_processes_and_counts_our_processors)
{
    AUTO(load_reading_free) struct load_reading reading = {0};
    const struct topology topology = {.cpu_count = 2, .cpus = {{.cpu = 0}, {.cpu = 2}}};

    tree_put(tree, "/proc/stat",
             "cpu  9 9 9 9\ncpu0 1 2 3 800 50 9 9 9 0 0\ncpu1 500 0 0 1\ncpu2 10 20 30 1\n"
             "intr 5\ncpu0 900 0 0 0\n");
    tree_put(tree, "/proc/12/stat", LINE("12", "late", "9"));
    tree_put(tree, "/proc/9/stat", LINE("9", "early", "1"));
    tree_put(tree, "/proc/13/stat", "it has ended\n");
    tree_put(tree, "/proc/uptime", "5\n");
    load_reading_take(tree->root, &topology, &reading);
    EXPECT_INT(reading.busy_ticks, 66);
    EXPECT_INT((long long)reading.count, 2);
    EXPECT_STR(reading.count == 2 ? reading.processes[0].name : "", "early");
    EXPECT_STR(reading.count == 2 ? reading.processes[1].name : "", "late");
}

TEST_WITH_TREE(where_nothing_is_visible_a_reading_is_empty)
{
    AUTO(load_reading_free) struct load_reading reading = {0};

    load_reading_take(tree->root, &(struct topology){.cpu_count = 1}, &reading);
    EXPECT_INT(reading.busy_ticks, -1);
    EXPECT_INT((long long)reading.count, 0);
}

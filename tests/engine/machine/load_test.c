#include "engine/machine/load.h"

#include "common/clock.h"
#include "tests/test.h"

#define OWN 50

static const struct topology four = {.cpu_count = 4,
                                     .cpus = {{.cpu = 0}, {.cpu = 1}, {.cpu = 2}, {.cpu = 3}}};

#define PROCESSES 7 /* of a reading, at most; those that are not there have the PID 0 */

/* Two readings, a second apart: four ticks are one percent of four processors. */
static const struct {
    struct load_process before[PROCESSES], after[PROCESSES];
    long long busy; /* ticks between them; -1: not known */
    double busy_percent, hidden_percent;
    struct load_user users[LOAD_USERS_MAX];
} rows[] = {
    /* The largest users are named with their shares. */
    {{{.pid = 1, .name = "init"},
      {.pid = 10, .ticks = 1000, .name = "chromium"},
      {.pid = 11, .ticks = 500, .name = "chromium"},
      {.pid = 12, .ticks = 7, .name = "little"},
      {.pid = 13, .ticks = 7, .name = "make"}},
     {{.pid = 1, .name = "init"},
      {.pid = 10, .ticks = 1020, .name = "chromium"},
      {.pid = 11, .ticks = 520, .name = "chromium"},
      {.pid = 12, .ticks = 10, .name = "little"},
      {.pid = 13, .ticks = 67, .name = "make"}},
     103,
     25.8,
     0,
     {{"make", 15}, {"chromium", 10}}},
    /* At most five are. */
    {{{.pid = 1}},
     {{.pid = 1},
      {.pid = 2, .ticks = 10, .name = "a"},
      {.pid = 3, .ticks = 11, .name = "b"},
      {.pid = 4, .ticks = 12, .name = "c"},
      {.pid = 5, .ticks = 13, .name = "d"},
      {.pid = 6, .ticks = 14, .name = "e"},
      {.pid = 7, .ticks = 15, .name = "f"}},
     75,
     18.8,
     0,
     {{"f", 3.8}, {"e", 3.5}, {"d", 3.3}, {"c", 3}, {"b", 2.8}}},
    /* We and our workers do not count. */
    {{{.pid = 1}, {.pid = OWN, .parent = 1, .child_ticks = 30}},
     {{.pid = 1},
      {.pid = OWN, .parent = 1, .ticks = 20, .child_ticks = 80, .name = "pennyworth"},
      {.pid = 60, .parent = OWN, .ticks = 100, .name = "worker"},
      {.pid = 61, .parent = 60, .ticks = 50, .name = "its child"}},
     224,
     1,
     1,
     {{"", 0}}},
    /* What no visible one took is hidden; without a count, the visible are all. */
    {{{.pid = 9, .ticks = 5}}, {{.pid = 9, .ticks = 25, .name = "cc"}}, 100, 25, 20, {{"cc", 5}}},
    {{{.pid = 9, .ticks = 5}}, {{.pid = 9, .ticks = 25, .name = "cc"}}, -1, 5, 0, {{"cc", 5}}},
    /* Who waited for children that ended has their ticks: cc 20 had 500 before and took 10 more;
     * cc 22 began and ended in between, with 30. */
    {{{.pid = 10, .child_ticks = 900, .name = "make"},
      {.pid = 20, .parent = 10, .ticks = 400, .child_ticks = 100, .name = "cc"}},
     {{.pid = 10, .child_ticks = 1440, .name = "make"}},
     40,
     10,
     0,
     {{"make", 10}}},
    /* The heir of a whole family is the ancestor that lives. */
    {{{.pid = 10, .name = "make"},
      {.pid = 20, .parent = 10, .ticks = 3, .name = "sh"},
      {.pid = 30, .parent = 20, .ticks = 500, .name = "cc"}},
     {{.pid = 10, .child_ticks = 523, .name = "make"}},
     20,
     5,
     0,
     {{"make", 5}}},
    /* A PID that is used again is another process. */
    {{{.pid = 9, .started = 4, .ticks = 5000, .name = "old"}},
     {{.pid = 9, .started = 8, .ticks = 40, .name = "new"}},
     40,
     10,
     0,
     {{"new", 10}}},
    /* Who runs on other processors takes none of ours. */
    {{{.pid = 9, .processor = 7}},
     {{.pid = 9, .processor = 7, .ticks = 100, .name = "cc"}},
     4,
     1,
     1,
     {{"", 0}}},
    /* What is no tree ends too. */
    {{{.pid = 1, .parent = 2, .ticks = 7},
      {.pid = 2, .parent = 1, .ticks = 7},
      {.pid = 3, .parent = 1, .ticks = 7}},
     {{.pid = 8, .parent = 9, .ticks = 40, .name = "a"}, {.pid = 9, .parent = 8, .name = "b"}},
     40,
     10,
     0,
     {{"a", 10}}},
};

static struct load_reading reading_of(const struct load_process *processes, long long taken_ns,
                                      long long busy)
{
    static struct load_process room[2][PROCESSES];
    struct load_process *own = room[taken_ns > 0];
    size_t count = 0;

    for (memcpy(own, processes, sizeof room[0]); count < PROCESSES && own[count].pid;)
        count++;
    return (struct load_reading){taken_ns, busy, own, count, count};
}

TEST(a_load_is_what_others_took_between_two_readings)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool known = rows[i].busy >= 0;
        struct load_reading before = reading_of(rows[i].before, 0, known ? 3000 : -1);
        struct load_reading after =
            reading_of(rows[i].after, NS_PER_SECOND, known ? 3000 + rows[i].busy : -1);
        struct load load;
        int count = 0;

        load_between(&before, &after, &four, OWN, &load);
        EXPECT_INT(load.processors, 4);
        EXPECT_NEAR(load.busy_percent, rows[i].busy_percent, 1e-9);
        EXPECT_NEAR(load.hidden_percent, rows[i].hidden_percent, 1e-9);
        for (; count < LOAD_USERS_MAX && rows[i].users[count].name[0]; count++) {
            EXPECT_STR(load.users[count].name, rows[i].users[count].name);
            EXPECT_NEAR(load.users[count].percent, rows[i].users[count].percent, 1e-9);
        }
        EXPECT_INT(load.count, count);
    }
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

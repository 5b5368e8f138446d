#include "server/base/heartbeat.h"

#include "common/clock.h"
#include "server/cli/health.h"
#include "tests/db/database.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define START (1000 * NS_PER_SECOND)

static struct heartbeat begin(const struct folder *folder, const char *command)
{
    struct heartbeat heartbeat;

    heartbeat_start(&heartbeat, folder->file, command, 120);
    heartbeat.written_ns = 0; /* that was now; from here on it is our time */
    return heartbeat;
}

static struct heartbeat_view look(const struct folder *folder, long long now_ns)
{
    struct heartbeat_view view = {0};

    EXPECT_OK(heartbeat_look(folder->file, now_ns, &view, &err));
    return view;
}

static char *file_of(const struct folder *folder, char name[400])
{
    snprintf(name, 400, "%s.heartbeat", folder->file);
    return name;
}

TEST_IN_FOLDER(without_a_file_nothing_beats)
{
    EXPECT_INT(look(folder, START).state, HEARTBEAT_NONE);
}

TEST_IN_FOLDER(a_process_is_healthy_while_it_beats)
{
    AUTO(heartbeat_end) struct heartbeat heartbeat = begin(folder, "bench");

    (void)heartbeat_beat(&heartbeat, "run 2 of 4, step 31", START);
    struct heartbeat_view view = look(folder, START + 120 * NS_PER_SECOND);
    EXPECT_HAS(view, (state, HEARTBEAT_BEATS), (command, "bench"), (doing, "run 2 of 4, step 31"),
               (process, getpid()), (silent_s, 120));
    EXPECT_INT(look(folder, START + 121 * NS_PER_SECOND).state, HEARTBEAT_STOPPED);
    (void)heartbeat_beat(&heartbeat, "ends", START + 130 * NS_PER_SECOND);
    EXPECT_INT(look(folder, START + 131 * NS_PER_SECOND).state, HEARTBEAT_BEATS);
    EXPECT_STR(look(folder, START + 131 * NS_PER_SECOND).doing, "ends");
}

TEST_IN_FOLDER(it_writes_every_five_seconds_at_most)
{
    AUTO(heartbeat_end) struct heartbeat heartbeat = begin(folder, "bench");

    EXPECT(heartbeat_beat(&heartbeat, "one", START));
    EXPECT(!heartbeat_beat(&heartbeat, "two", START + 4999 * NS_PER_MS));
    EXPECT_STR(look(folder, START).doing, "one");
    (void)heartbeat_beat(&heartbeat, "three", START + 5 * NS_PER_SECOND);
    EXPECT_STR(look(folder, START).doing, "three");
}

TEST_IN_FOLDER(an_ended_bench_leaves_no_valid_heartbeat)
{
    struct heartbeat heartbeat = begin(folder, "bench");
    int ready[2], status;
    char byte;

    (void)heartbeat_beat(&heartbeat, "runs", START);
    heartbeat_end(&heartbeat);
    EXPECT_INT(look(folder, START).state, HEARTBEAT_NONE);
    EXPECT(pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0) {
        struct heartbeat own = begin(folder, "bench");

        (void)heartbeat_beat(&own, "runs", START);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    EXPECT(read(ready[0], &byte, 1) == 1);
    EXPECT_HAS(look(folder, START), (state, HEARTBEAT_BEATS), (process, child));
    EXPECT(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
    EXPECT_INT(look(folder, START).state, HEARTBEAT_NONE);
    close(ready[0]);
    close(ready[1]);
}

TEST_IN_FOLDER(of_two_the_first_has_the_file_and_the_second_takes_it_over)
{
    struct heartbeat push = begin(folder, "push");
    AUTO(heartbeat_end) struct heartbeat bench = begin(folder, "bench");

    (void)heartbeat_beat(&push, "reports", START);
    (void)heartbeat_beat(&bench, "runs", START);
    EXPECT_STR(look(folder, START).command, "push");
    heartbeat_end(&push);
    (void)heartbeat_beat(&bench, "runs", START + 1);
    EXPECT_STR(look(folder, START).command, "bench");
}

TEST(of_another_container_or_machine_it_is_not_ours)
{
    for (int i = 0; i < 2; i++) {
        AUTO(folder_remove) struct folder folder = folder_make();
        AUTO(heartbeat_end) struct heartbeat heartbeat = begin(&folder, "bench");
        char own[HEARTBEAT_SIZE + 1] = "", other[HEARTBEAT_SIZE + 1], boot[64], container[64];
        char name[400];
        int file = open(file_of(&folder, name), O_RDWR | O_CLOEXEC);

        EXPECT(pread(file, own, HEARTBEAT_SIZE, 0) == HEARTBEAT_SIZE);
        EXPECT_INT(sscanf(own, "pennyworth-heartbeat 1 %63s %63s", boot, container), 2);
        snprintf(other, sizeof other, "pennyworth-heartbeat 1 %s %s bench 1 5 60 runs\n",
                 i == 0 ? boot : "another-boot", i == 0 ? "pid:[1]" : container);
        EXPECT(pwrite(file, other, strlen(other), 0) == (ssize_t)strlen(other));
        EXPECT_INT(look(&folder, START).state, HEARTBEAT_ELSEWHERE);
        close(file);
    }
}

TEST(a_file_that_is_not_a_heartbeat_is_an_error)
{
    static const char *const texts[] = {"", "pennyworth-heartbeat 2 a b bench 1 5 60 runs\n",
                                        "pennyworth-heartbeat 1 a b bench one 5 60 runs\n",
                                        "pennyworth-heartbeat 1 a b bench 1 5 60 runs"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        AUTO(folder_remove) struct folder folder = folder_make();
        AUTO(heartbeat_end) struct heartbeat heartbeat = begin(&folder, "bench");
        struct heartbeat_view view;
        char name[400];
        int file = open(file_of(&folder, name), O_RDWR | O_CLOEXEC);

        EXPECT(ftruncate(file, 0) == 0);
        EXPECT(pwrite(file, texts[i], strlen(texts[i]), 0) == (ssize_t)strlen(texts[i]));
        EXPECT_SAYS(heartbeat_look(folder.file, START, &view, &err),
                    "its heartbeat format is unknown");
        close(file);
    }
}

TEST(a_heart_without_a_file_is_no_failure)
{
    struct heartbeat heartbeat, none = {0};

    heartbeat_start(&heartbeat, "/nowhere/at/all.db", "bench", 60);
    EXPECT(heartbeat_beat(&heartbeat, "runs", START)); /* there is nothing to try again */
    EXPECT_STR(heartbeat.name, "");
    heartbeat_end(&heartbeat);
    (void)heartbeat_beat(&none, "runs", START);
    heartbeat_end(&none);
}

static enum health_verdict health(const struct folder *folder, bool served, long long now_ns,
                                  char words[HEALTH_WORDS])
{
    struct config config = {.port = 8080};

    snprintf(config.database, sizeof config.database, "%s", folder->file);
    return health_of_command(&config, served, now_ns, words);
}

TEST_IN_FOLDER(a_bench_is_well_as_long_as_it_gets_on)
{
    char words[HEALTH_WORDS];

    EXPECT_INT(health(folder, false, START, words), HEALTH_ASK_SERVER);
    EXPECT(strstr(words, "no bench and no push runs on ") == words);
    AUTO(heartbeat_end) struct heartbeat heartbeat = begin(folder, "bench");
    (void)heartbeat_beat(&heartbeat, "run 1 of 4, step 3", START);
    EXPECT_INT(health(folder, true, START + 9 * NS_PER_SECOND, words), HEALTH_WELL);
    EXPECT_STR(words, "bench: run 1 of 4, step 3; last progress 9 s ago");
    EXPECT_INT(health(folder, true, START + 200 * NS_PER_SECOND, words), HEALTH_ILL);
    EXPECT_PART(words, "has made no progress for 200 s, where 120 s are allowed; it was at: run "
                       "1 of 4, step 3");
}

TEST_IN_FOLDER(a_push_does_not_speak_for_a_server)
{
    AUTO(heartbeat_end) struct heartbeat heartbeat = begin(folder, "push");
    char words[HEALTH_WORDS];

    (void)heartbeat_beat(&heartbeat, "reports", START);
    EXPECT_INT(health(folder, true, START, words), HEALTH_ASK_SERVER);
    EXPECT_STR(words, "");
    EXPECT_INT(health(folder, false, START, words), HEALTH_WELL);
}

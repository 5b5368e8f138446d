#include "engine/train/threads/team.h"

#include "tests/test.h"

#include <stdatomic.h>

#define ROUNDS 200
#define MOST 8

struct work {
    struct team *team;
    int values[MOST]; /* each thread writes its own, and reads the others' behind a meeting */
    int wrong[MOST];
};

static void add_and_look(void *user, int index)
{
    struct work *work = user;

    for (int round = 1; round <= ROUNDS; round++) {
        work->values[index]++;
        team_meet(work->team);
        for (int i = 0; i < team_size(work->team); i++)
            work->wrong[index] += work->values[i] != round;
        team_meet(work->team);
    }
}

TEST(no_thread_goes_on_before_all_have_met)
{
    for (int count = 1; count <= MOST; count++) {
        struct work work = {.team = team_new(count, NULL)};

        EXPECT_INT(team_size(work.team), count);
        team_run(work.team, add_and_look, &work);
        for (int i = 0; i < count; i++) {
            EXPECT_INT(work.values[i], ROUNDS);
            EXPECT_INT(work.wrong[i], 0);
        }
        team_free(work.team);
    }
}

static void count_up(void *user, int index)
{
    atomic_fetch_add((atomic_int *)user, 1 + index);
}

TEST(a_team_can_be_given_work_again)
{
    struct team *team = team_new(3, NULL);
    atomic_int sum = 0;

    for (int i = 0; i < ROUNDS; i++)
        team_run(team, count_up, &sum);
    EXPECT_INT(sum, ROUNDS * (1 + 2 + 3));
    team_free(team);
}

TEST(a_team_without_work_goes_home)
{
    team_free(team_new(4, NULL));
    team_free(NULL);
}

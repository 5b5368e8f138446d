#include "engine/train/threads/team.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/train/threads/barrier.h"
#include "engine/train/threads/host.h"

#include <assert.h>
#include <pthread.h>

struct member {
    struct team *team;
    pthread_t thread;
    int index;
};

struct team {
    int count;
    struct member *members;
    void (*work)(void *user, int index); /* NULL: the members end */
    void *user;
    struct barrier barrier;
};

void team_meet(struct team *team)
{
    barrier_wait(&team->barrier);
}

static void *member_main(void *argument)
{
    struct member *member = argument;
    struct team *team = member->team;

    host_stay_on(member->index);
    host_set_threads(1); /* of oneDNN, for this thread */
    for (;;) {
        team_meet(team);
        if (!team->work)
            return NULL;
        team->work(team->user, member->index);
        team_meet(team);
    }
}

/* Starts the members behind the caller; team->count is how many there are then. */
static bool team_start(struct team *team, int count, struct error *err)
{
    for (; team->count < count; team->count++) {
        struct member *member = &team->members[team->count];

        *member = (struct member){.team = team, .index = team->count};
        if (pthread_create(&member->thread, NULL, member_main, member) != 0)
            return error_set(err, ERROR_INTERNAL, NULL, "cannot start thread %d",
                             team->count + 1);
    }
    return true;
}

struct team *team_new(int count, struct error *err)
{
    struct team *team = xcalloc(1, sizeof *team);

    assert(count > 0);
    team->members = xcalloc((size_t)count, sizeof *team->members);
    team->count = 1; /* the caller */
    team->barrier.count = count;
    host_stay_on(0);
    if (!team_start(team, count, err)) {
        team->barrier.count = team->count; /* the members that have started can end */
        team_free(team);
        return NULL;
    }
    return team;
}

void team_free(struct team *team)
{
    if (!team)
        return;
    team->work = NULL;
    team_meet(team);
    for (int i = 1; i < team->count; i++)
        pthread_join(team->members[i].thread, NULL);
    free(team->members);
    free(team);
    host_stay_anywhere();
}

int team_size(const struct team *team)
{
    return team->count;
}

void team_run(struct team *team, void (*work)(void *user, int index), void *user)
{
    assert(work); /* NULL would end the threads */
    team->work = work;
    team->user = user;
    team_meet(team);
    work(user, 0);
    team_meet(team);
}

#include "engine/train/team.h"

#include "common/cleanup.h"
#include "engine/train/host.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

/* About 20 microseconds: longer than threads with equal work are apart, shorter than a time
 * slice. */
#define SPINS 2000

struct member {
    struct team *team;
    pthread_t thread;
    int index;
};

struct team {
    atomic_int count;
    int started;
    struct member *members;
    void (*work)(void *user, int index); /* NULL: the team is to go home */
    void *user;
    /* A meeting point: the last to arrive starts the next round. */
    atomic_int arrived;
    atomic_uint round;
};

static void sleep_while(atomic_uint *round, unsigned seen)
{
    syscall(SYS_futex, round, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void wake_all(atomic_uint *round)
{
    syscall(SYS_futex, round, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void team_meet(struct team *team)
{
    unsigned seen = atomic_load(&team->round);

    if (atomic_fetch_add(&team->arrived, 1) == team->count - 1) {
        atomic_store(&team->arrived, 0);
        atomic_store(&team->round, seen + 1);
        wake_all(&team->round);
        return;
    }
    for (int i = 0; i < SPINS && atomic_load(&team->round) == seen; i++)
        __builtin_ia32_pause();
    while (atomic_load(&team->round) == seen)
        sleep_while(&team->round, seen);
}

static void *live(void *argument)
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

static bool start(struct team *team, struct error *err)
{
    for (; team->started < team->count; team->started++) {
        struct member *member = &team->members[team->started];

        *member = (struct member){.team = team, .index = team->started};
        if (pthread_create(&member->thread, NULL, live, member) != 0)
            return error_set(err, ERROR_INTERNAL, NULL, "cannot start thread %d",
                             team->started + 1);
    }
    return true;
}

struct team *team_new(int count, struct error *err)
{
    struct team *team = calloc(1, sizeof *team);

    if (team)
        team->members = calloc((size_t)count, sizeof *team->members);
    if (!team || !team->members) {
        free(team);
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    team->count = count;
    team->started = 1; /* the caller */
    host_stay_on(0);
    if (!start(team, err)) {
        team->count = team->started; /* those who are there can be sent home */
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
    for (int i = 1; i < team->started; i++)
        pthread_join(team->members[i].thread, NULL);
    free(team->members);
    free(team);
}

int team_size(const struct team *team)
{
    return team->count;
}

void team_run(struct team *team, void (*work)(void *user, int index), void *user)
{
    team->work = work;
    team->user = user;
    team_meet(team);
    work(user, 0);
    team_meet(team);
}

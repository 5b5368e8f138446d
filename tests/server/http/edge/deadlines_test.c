#include "server/http/edge/deadlines.h"

#include "common/clock.h"
#include "tests/test.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>

/* Nothing here is expected to happen fast, only in the end, and not too early. */

#define CALLS_MAX 8

struct scene {
    struct deadlines *deadlines;
    pthread_mutex_t lock;
    pthread_cond_t called;
    int count;                    /* of ticks */
    long long at_ns[CALLS_MAX];   /* when each came */
    long long next_ns[CALLS_MAX]; /* what each is to answer, from the call's time on; or 0 */
    bool asks; /* for a look, during the first tick, which knows nothing of it */
};

static int count_of(struct scene *scene)
{
    pthread_mutex_lock(&scene->lock);
    int count = scene->count;
    pthread_mutex_unlock(&scene->lock);
    return count;
}

static long long tick(void *user, long long now_ns)
{
    struct scene *scene = user;
    long long answer = LLONG_MAX;

    if (scene->asks && count_of(scene) == 0)
        deadlines_wake_by(scene->deadlines, now_ns + 5 * NS_PER_MS);
    pthread_mutex_lock(&scene->lock);
    if (scene->count < CALLS_MAX) {
        scene->at_ns[scene->count] = now_ns;
        if (scene->next_ns[scene->count])
            answer = now_ns + scene->next_ns[scene->count];
    }
    scene->count++;
    pthread_cond_signal(&scene->called);
    pthread_mutex_unlock(&scene->lock);
    return answer;
}

#define TEST_WITH_DEADLINES(name) TEST_GIVEN(name, struct scene *scene, with_deadlines)

static void with_deadlines(void (*test)(struct scene *scene))
{
    struct scene scene = {.count = 0};

    pthread_mutex_init(&scene.lock, NULL);
    pthread_cond_init(&scene.called, NULL);
    scene.deadlines = deadlines_start(tick, &scene, NULL);
    test(&scene);
    deadlines_stop(scene.deadlines);
    deadlines_free(scene.deadlines);
    pthread_cond_destroy(&scene.called);
    pthread_mutex_destroy(&scene.lock);
}

/* Waits until tick was called `count` times. */
static bool wait_for(struct scene *scene, int count)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_SECONDS;
    pthread_mutex_lock(&scene->lock);
    while (scene->count < count)
        if (pthread_cond_timedwait(&scene->called, &scene->lock, &until) != 0)
            break;
    bool enough = scene->count >= count;
    pthread_mutex_unlock(&scene->lock);
    return enough;
}

static void sleep_ms(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * NS_PER_MS}, NULL);
}

TEST_WITH_DEADLINES(with_nothing_due_it_never_wakes)
{
    sleep_ms(30);
    EXPECT_INT(count_of(scene), 0);
}

TEST_WITH_DEADLINES(it_wakes_when_something_is_due_and_not_before)
{
    long long due_ns = clock_monotonic_ns() + 40 * NS_PER_MS;

    deadlines_wake_by(scene->deadlines, due_ns);
    EXPECT(wait_for(scene, 1));
    EXPECT(scene->at_ns[0] >= due_ns);
    sleep_ms(20);
    EXPECT_INT(count_of(scene), 1); /* once, and then for ever quiet */
}

TEST_WITH_DEADLINES(overdue_work_is_done_at_once)
{
    deadlines_wake_by(scene->deadlines, 1);
    EXPECT(wait_for(scene, 1));
    EXPECT(scene->at_ns[0] > 1); /* it gets the actual time, not the planned one */
}

TEST_WITH_DEADLINES(an_earlier_wish_moves_the_plan_forward)
{
    long long now_ns = clock_monotonic_ns();

    deadlines_wake_by(scene->deadlines, now_ns + 3600 * NS_PER_SECOND);
    sleep_ms(5); /* so that it sleeps for the hour */
    deadlines_wake_by(scene->deadlines, now_ns + 20 * NS_PER_MS);
    EXPECT(wait_for(scene, 1));
    EXPECT(scene->at_ns[0] >= now_ns + 20 * NS_PER_MS);
}

TEST_WITH_DEADLINES(a_later_wish_does_not_move_the_plan_back)
{
    long long now_ns = clock_monotonic_ns();

    deadlines_wake_by(scene->deadlines, now_ns + 20 * NS_PER_MS);
    deadlines_wake_by(scene->deadlines, now_ns + 3600 * NS_PER_SECOND);
    deadlines_wake_by(scene->deadlines, LLONG_MAX);
    EXPECT(wait_for(scene, 1));
}

TEST_WITH_DEADLINES(each_tick_says_when_the_next_is_due)
{
    scene->next_ns[0] = 15 * NS_PER_MS;
    scene->next_ns[1] = 10 * NS_PER_MS;
    deadlines_wake_by(scene->deadlines, 1);
    EXPECT(wait_for(scene, 3));
    EXPECT(scene->at_ns[1] >= scene->at_ns[0] + 15 * NS_PER_MS);
    EXPECT(scene->at_ns[2] >= scene->at_ns[1] + 10 * NS_PER_MS);
    sleep_ms(20);
    EXPECT_INT(count_of(scene), 3);
}

TEST_WITH_DEADLINES(a_wish_during_a_tick_is_not_forgotten)
{
    scene->asks = true;
    deadlines_wake_by(scene->deadlines, 1);
    EXPECT(wait_for(scene, 2));
}

TEST_WITH_DEADLINES(stopping_does_not_wait_for_what_is_due_later)
{
    long long started_ns = clock_monotonic_ns();

    deadlines_wake_by(scene->deadlines, started_ns + 3600 * NS_PER_SECOND);
    deadlines_stop(scene->deadlines);
    EXPECT(clock_monotonic_ns() - started_ns < PATIENCE_SECONDS * NS_PER_SECOND);
    deadlines_wake_by(scene->deadlines, 1); /* in vain, and harmless */
    EXPECT_INT(count_of(scene), 0);
    deadlines_stop(NULL);
    deadlines_free(NULL);
}

#include "server/http/edge/deadlines.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "tests/test.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>

/* Nothing here is expected to happen fast, only in the end, and not too early. */

#define CALLS_MAX 8

struct ticks {
    pthread_mutex_t lock;
    pthread_cond_t called;
    int count;
    long long at_ns[CALLS_MAX];   /* when each came */
    long long next_ns[CALLS_MAX]; /* what each is to answer, from the call's time on; or 0 */
};

static void begin(struct ticks *ticks)
{
    *ticks = (struct ticks){0};
    pthread_mutex_init(&ticks->lock, NULL);
    pthread_cond_init(&ticks->called, NULL);
}

static long long tick(void *user, long long now_ns)
{
    struct ticks *ticks = user;
    long long answer = LLONG_MAX;

    pthread_mutex_lock(&ticks->lock);
    if (ticks->count < CALLS_MAX) {
        ticks->at_ns[ticks->count] = now_ns;
        if (ticks->next_ns[ticks->count])
            answer = now_ns + ticks->next_ns[ticks->count];
    }
    ticks->count++;
    pthread_cond_signal(&ticks->called);
    pthread_mutex_unlock(&ticks->lock);
    return answer;
}

/* Waits until tick was called `count` times. */
static bool wait_for(struct ticks *ticks, int count)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_SECONDS;
    pthread_mutex_lock(&ticks->lock);
    while (ticks->count < count)
        if (pthread_cond_timedwait(&ticks->called, &ticks->lock, &until) != 0)
            break;
    bool enough = ticks->count >= count;
    pthread_mutex_unlock(&ticks->lock);
    return enough;
}

static int count_of(struct ticks *ticks)
{
    pthread_mutex_lock(&ticks->lock);
    int count = ticks->count;
    pthread_mutex_unlock(&ticks->lock);
    return count;
}

static void end(struct deadlines *deadlines, struct ticks *ticks)
{
    deadlines_stop(deadlines);
    deadlines_free(deadlines);
    pthread_cond_destroy(&ticks->called);
    pthread_mutex_destroy(&ticks->lock);
}

static void sleep_ms(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * NS_PER_MS}, NULL);
}

TEST(with_nothing_due_it_never_wakes)
{
    struct ticks ticks;
    struct deadlines *deadlines;

    begin(&ticks);
    deadlines = deadlines_start(tick, &ticks, NULL);
    sleep_ms(30);
    EXPECT_INT(count_of(&ticks), 0);
    end(deadlines, &ticks);
}

TEST(it_wakes_when_something_is_due_and_not_before)
{
    struct ticks ticks;
    struct deadlines *deadlines;
    long long due_ns = clock_monotonic_ns() + 40 * NS_PER_MS;

    begin(&ticks);
    deadlines = deadlines_start(tick, &ticks, NULL);
    deadlines_wake_by(deadlines, due_ns);
    EXPECT(wait_for(&ticks, 1));
    EXPECT(ticks.at_ns[0] >= due_ns);
    sleep_ms(20);
    EXPECT_INT(count_of(&ticks), 1); /* once, and then for ever quiet */
    end(deadlines, &ticks);
}

TEST(overdue_work_is_done_at_once)
{
    struct ticks ticks;
    struct deadlines *deadlines;

    begin(&ticks);
    deadlines = deadlines_start(tick, &ticks, NULL);
    deadlines_wake_by(deadlines, 1);
    EXPECT(wait_for(&ticks, 1));
    EXPECT(ticks.at_ns[0] > 1); /* it gets the actual time, not the planned one */
    end(deadlines, &ticks);
}

TEST(an_earlier_wish_moves_the_plan_forward)
{
    struct ticks ticks;
    struct deadlines *deadlines;
    long long now_ns = clock_monotonic_ns();

    begin(&ticks);
    deadlines = deadlines_start(tick, &ticks, NULL);
    deadlines_wake_by(deadlines, now_ns + 3600 * NS_PER_SECOND);
    sleep_ms(5); /* so that it sleeps for the hour */
    deadlines_wake_by(deadlines, now_ns + 20 * NS_PER_MS);
    EXPECT(wait_for(&ticks, 1));
    EXPECT(ticks.at_ns[0] >= now_ns + 20 * NS_PER_MS);
    end(deadlines, &ticks);
}

TEST(a_later_wish_does_not_move_the_plan_back)
{
    struct ticks ticks;
    struct deadlines *deadlines;
    long long now_ns = clock_monotonic_ns();

    begin(&ticks);
    deadlines = deadlines_start(tick, &ticks, NULL);
    deadlines_wake_by(deadlines, now_ns + 20 * NS_PER_MS);
    deadlines_wake_by(deadlines, now_ns + 3600 * NS_PER_SECOND);
    deadlines_wake_by(deadlines, LLONG_MAX);
    EXPECT(wait_for(&ticks, 1));
    end(deadlines, &ticks);
}

TEST(each_tick_says_when_the_next_is_due)
{
    struct ticks ticks;
    struct deadlines *deadlines;

    begin(&ticks);
    ticks.next_ns[0] = 15 * NS_PER_MS;
    ticks.next_ns[1] = 10 * NS_PER_MS;
    deadlines = deadlines_start(tick, &ticks, NULL);
    deadlines_wake_by(deadlines, 1);
    EXPECT(wait_for(&ticks, 3));
    EXPECT(ticks.at_ns[1] >= ticks.at_ns[0] + 15 * NS_PER_MS);
    EXPECT(ticks.at_ns[2] >= ticks.at_ns[1] + 10 * NS_PER_MS);
    sleep_ms(20);
    EXPECT_INT(count_of(&ticks), 3);
    end(deadlines, &ticks);
}

struct asker {
    struct ticks ticks;
    struct deadlines *deadlines;
};

/* Somebody asks for a look while one is under way, and that one knows nothing of it. */
static long long tick_and_ask(void *user, long long now_ns)
{
    struct asker *asker = user;

    if (count_of(&asker->ticks) == 0)
        deadlines_wake_by(asker->deadlines, now_ns + 5 * NS_PER_MS);
    return tick(&asker->ticks, now_ns);
}

TEST(a_wish_during_a_tick_is_not_forgotten)
{
    struct asker asker;

    begin(&asker.ticks);
    asker.deadlines = deadlines_start(tick_and_ask, &asker, NULL);
    deadlines_wake_by(asker.deadlines, 1);
    EXPECT(wait_for(&asker.ticks, 2));
    end(asker.deadlines, &asker.ticks);
}

TEST(stopping_does_not_wait_for_what_is_due_later)
{
    struct ticks ticks;
    struct deadlines *deadlines;
    long long started_ns = clock_monotonic_ns();

    begin(&ticks);
    deadlines = deadlines_start(tick, &ticks, NULL);
    deadlines_wake_by(deadlines, started_ns + 3600 * NS_PER_SECOND);
    deadlines_stop(deadlines);
    EXPECT(clock_monotonic_ns() - started_ns < PATIENCE_SECONDS * NS_PER_SECOND);
    deadlines_wake_by(deadlines, 1); /* in vain, and harmless */
    EXPECT_INT(count_of(&ticks), 0);
    deadlines_free(deadlines);
    deadlines_stop(NULL);
    deadlines_free(NULL);
}

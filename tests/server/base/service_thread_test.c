#include "server/base/service_thread.h"

#include "common/clock.h"
#include "tests/test.h"

#include <limits.h>

/* Others order units of work, and the thread counts those that it has done. */
struct owner {
    struct service_thread thread;
    int ordered, done; /* under the lock, as all that follows */
    bool ready;        /* the thread is about to wait for the first time */
    int ended;
};

static void *work(void *user)
{
    struct owner *owner = user;

    service_thread_lock(&owner->thread);
    owner->ready = true;
    service_thread_wake(&owner->thread);
    while (!owner->thread.stopping) {
        if (owner->ordered == owner->done) {
            service_thread_wait(&owner->thread, LLONG_MAX);
            continue;
        }
        owner->done++;
        service_thread_wake(&owner->thread);
    }
    owner->ended++;
    service_thread_unlock(&owner->thread);
    return NULL;
}

static void order(struct owner *owner)
{
    service_thread_lock(&owner->thread);
    owner->ordered++;
    service_thread_wake(&owner->thread);
    service_thread_unlock(&owner->thread);
}

static void await_done(struct owner *owner, int wanted)
{
    long long until_ns = clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND;

    service_thread_lock(&owner->thread);
    while (owner->done < wanted && clock_monotonic_ns() < until_ns)
        service_thread_wait(&owner->thread, until_ns);
    EXPECT_INT(owner->done, wanted);
    service_thread_unlock(&owner->thread);
}

static void start(struct owner *owner)
{
    *owner = (struct owner){.ordered = 0};
    service_thread_init(&owner->thread);
    EXPECT_OK(service_thread_start(&owner->thread, "test", work, owner, &err));
}

static void stop(struct owner *owner)
{
    service_thread_ask_to_stop(&owner->thread);
    service_thread_join(&owner->thread);
    EXPECT_INT(owner->ended, 1);
    service_thread_clear(&owner->thread);
}

TEST(a_wake_ends_the_sleep)
{
    struct owner owner;

    start(&owner);
    service_thread_lock(&owner.thread);
    while (!owner.ready)
        service_thread_wait(&owner.thread, LLONG_MAX);
    service_thread_unlock(&owner.thread);
    for (int i = 1; i <= 100; i++) {
        order(&owner);
        await_done(&owner, i);
    }
    stop(&owner);
}

TEST(a_wake_before_the_wait_is_not_lost)
{
    for (int i = 0; i < 100; i++) {
        struct owner owner;

        start(&owner);
        order(&owner); /* the thread may not have taken the lock yet */
        await_done(&owner, 1);
        stop(&owner);
    }
}

TEST(a_stop_before_the_wait_is_not_lost)
{
    for (int i = 0; i < 100; i++) {
        struct owner owner;

        start(&owner);
        stop(&owner);
    }
}

static void *order_many(void *user)
{
    for (int i = 0; i < 1000; i++)
        order(user);
    return NULL;
}

TEST(many_threads_may_wake_it_and_wait_for_it)
{
    struct owner owner;
    pthread_t others[4];

    start(&owner);
    for (size_t i = 0; i < 4; i++)
        EXPECT_INT(pthread_create(&others[i], NULL, order_many, &owner), 0);
    await_done(&owner, 4000);
    for (size_t i = 0; i < 4; i++)
        pthread_join(others[i], NULL);
    stop(&owner);
}

TEST(a_second_stop_does_nothing)
{
    struct owner owner;

    start(&owner);
    service_thread_ask_to_stop(&owner.thread);
    service_thread_ask_to_stop(&owner.thread);
    service_thread_join(&owner.thread);
    service_thread_join(&owner.thread);
    EXPECT(service_thread_is_stopping(&owner.thread));
    order(&owner); /* has no effect */
    EXPECT_INT(owner.done, 0);
    stop(&owner);
}

TEST(a_wait_ends_at_its_time_and_never_begins_after_a_stop)
{
    struct service_thread thread;
    long long began_ns = clock_monotonic_ns(), until_ns = began_ns + 20 * NS_PER_MS;

    service_thread_init(&thread);
    service_thread_lock(&thread);
    while (clock_monotonic_ns() < until_ns)
        EXPECT(service_thread_wait(&thread, until_ns));
    service_thread_unlock(&thread);
    EXPECT(clock_monotonic_ns() >= until_ns);
    EXPECT(!service_thread_is_stopping(&thread));

    service_thread_ask_to_stop(&thread);
    service_thread_lock(&thread);
    EXPECT(!service_thread_wait(&thread, LLONG_MAX)); /* returns at once */
    service_thread_unlock(&thread);
    service_thread_join(&thread); /* it never started */
    service_thread_clear(&thread);
}

/* No system grants a stack of this size. */
TEST(a_start_that_fails_says_so_and_leaves_nothing_to_join)
{
    struct service_thread thread;
    struct error err = {0};
    pthread_attr_t usual, huge;

    EXPECT_INT(pthread_getattr_default_np(&usual), 0);
    EXPECT_INT(pthread_attr_init(&huge), 0);
    EXPECT_INT(pthread_attr_setstacksize(&huge, (size_t)1 << 62), 0);
    EXPECT_INT(pthread_setattr_default_np(&huge), 0);
    service_thread_init(&thread);
    EXPECT(!service_thread_start(&thread, "test", work, &thread, &err));
    EXPECT_INT(pthread_setattr_default_np(&usual), 0);
    EXPECT_HAS(err, (kind, ERROR_INTERNAL), (message, "cannot start the test thread"));
    service_thread_ask_to_stop(&thread);
    service_thread_join(&thread);
    service_thread_clear(&thread);
    pthread_attr_destroy(&usual);
    pthread_attr_destroy(&huge);
}

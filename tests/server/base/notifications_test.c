#include "server/base/notifications.h"

#include "tests/test.h"

#include <limits.h>

#define SECOND 1000000000LL
#define START (1000 * SECOND)
#define SLOW (10 * SECOND)
#define LATER (START + 100 * SECOND)

/* What happened to a watcher, in order: 's'uspend, 'r'esume, 'c'ut. */
struct diary {
    char text[32];
};

static void note(void *user, char what)
{
    struct diary *diary = user;
    size_t used = strlen(diary->text);

    if (used + 1 < sizeof diary->text) {
        diary->text[used] = what;
        diary->text[used + 1] = '\0';
    }
}

static void suspend(void *user)
{
    note(user, 's');
}

static void resume(void *user)
{
    note(user, 'r');
}

static void cut(void *user)
{
    note(user, 'c');
}

/* Stands in for the deadlines thread: keeps the earliest time asked for. */
static void wake_by(void *user, long long when_ns)
{
    long long *planned = user;

    if (when_ns < *planned)
        *planned = when_ns;
}

struct scene {
    struct notifications *notifications;
    long long planned_ns;
    struct diary diary;
    struct watcher watcher;
};

static const struct run_id run = {"01ARZ3NDEKTSV4RRFFQ69G5FAV"};
static const struct run_id other = {"01ARZ3NDEKTSV4RRFFQ69G5FAW"};
static const struct topic run_topic = {TOPIC_RUN, {"01ARZ3NDEKTSV4RRFFQ69G5FAV"}};
static const struct topic other_topic = {TOPIC_RUN, {"01ARZ3NDEKTSV4RRFFQ69G5FAW"}};

static void begin(struct scene *scene)
{
    *scene = (struct scene){.planned_ns = LLONG_MAX};
    scene->notifications = notifications_new(SLOW, wake_by, &scene->planned_ns);
    scene->watcher = (struct watcher){
        .suspend = suspend, .resume = resume, .cut = cut, .user = &scene->diary, .may_cut = true};
}

static void end(struct scene *scene)
{
    notifications_leave(scene->notifications, &scene->watcher);
    EXPECT_INT(notifications_count(scene->notifications), 0);
    notifications_free(scene->notifications);
}

#define TEST_WITH_SCENE(name) TEST_GIVEN(name, struct scene *scene, with_scene)

TEST_MAKER(with_scene, struct scene, begin, end)

/* The scene's watcher has looked once and sleeps since START, until LATER. */
#define TEST_ASLEEP(name) TEST_GIVEN(name, struct scene *scene, asleep)

static void asleep(void (*test)(struct scene *scene))
{
    struct scene scene;

    begin(&scene);
    notifications_watch(scene.notifications, &scene.watcher, &run_topic, START);
    EXPECT(!notifications_sleep(scene.notifications, &scene.watcher, START, LATER));
    EXPECT(notifications_sleep(scene.notifications, &scene.watcher, START, LATER));
    EXPECT_STR(scene.diary.text, "s");
    test(&scene);
    end(&scene);
}

TEST_WITH_SCENE(the_first_sleep_returns_at_once_to_look_again)
{
    notifications_watch(scene->notifications, &scene->watcher, &run_topic, START);
    EXPECT(!notifications_sleep(scene->notifications, &scene->watcher, START, LATER));
    EXPECT_STR(scene->diary.text, "");
    EXPECT(notifications_sleep(scene->notifications, &scene->watcher, START, LATER));
    EXPECT_STR(scene->diary.text, "s");
}

TEST_ASLEEP(a_sleeper_wakes_when_its_run_has_news)
{
    notifications_tell(scene->notifications, run.text, START + 1);
    EXPECT_STR(scene->diary.text, "sr");
    notifications_tell(scene->notifications, run.text,
                       START + 2); /* it is awake: nothing to resume */
    EXPECT_STR(scene->diary.text, "sr");
}

TEST_ASLEEP(a_notification_of_another_run_wakes_no_waiter)
{
    notifications_tell(scene->notifications, other.text, START + 1);
    notifications_tell(scene->notifications, "", START + 1);
    EXPECT_STR(scene->diary.text, "s");
}

TEST_ASLEEP(a_notification_of_another_kind_of_topic_wakes_no_waiter)
{
    const struct topic sweep = {TOPIC_SWEEP, run}, backup = {.kind = TOPIC_BACKUP};

    notifications_publish(scene->notifications, &sweep, START + 1);
    notifications_publish(scene->notifications, &backup, START + 1);
    EXPECT_STR(scene->diary.text, "s");
    notifications_publish(scene->notifications, &run_topic, START + 1);
    EXPECT_STR(scene->diary.text, "sr");
}

TEST_WITH_SCENE(a_backup_is_a_topic_without_an_id)
{
    const struct topic backup = {.kind = TOPIC_BACKUP};

    notifications_watch(scene->notifications, &scene->watcher, &backup, START);
    EXPECT(!notifications_sleep(scene->notifications, &scene->watcher, START, LATER));
    EXPECT(notifications_sleep(scene->notifications, &scene->watcher, START, LATER));
    notifications_tell(scene->notifications, "", START + 1);
    EXPECT_STR(scene->diary.text, "s");
    notifications_publish(scene->notifications, &backup, START + 1);
    EXPECT_STR(scene->diary.text, "sr");
}

TEST_ASLEEP(news_between_looking_and_sleeping_is_not_lost)
{
    notifications_tell(scene->notifications, run.text, START + 1);
    EXPECT(!notifications_sleep(scene->notifications, &scene->watcher, START + 2,
                                LATER));                           /* it has not looked yet */
    notifications_tell(scene->notifications, run.text, START + 3); /* just after it looked */
    EXPECT(!notifications_sleep(scene->notifications, &scene->watcher, START + 4, LATER));
    EXPECT_STR(scene->diary.text, "sr");
    EXPECT(notifications_sleep(scene->notifications, &scene->watcher, START + 5, LATER));
    EXPECT_STR(scene->diary.text, "srs");
}

TEST_WITH_SCENE(a_sleep_that_is_over_already_is_none)
{
    notifications_watch(scene->notifications, &scene->watcher, &run_topic, START);
    EXPECT(!notifications_sleep(scene->notifications, &scene->watcher, START, LATER));
    EXPECT(!notifications_sleep(scene->notifications, &scene->watcher, LATER, LATER));
    EXPECT(!notifications_sleep(scene->notifications, &scene->watcher, LATER + 1, LATER));
    EXPECT_STR(scene->diary.text, "");
}

TEST_ASLEEP(a_sleeper_wakes_when_its_time_has_come)
{
    EXPECT_INT(notifications_tick(scene->notifications, LATER - 1), LATER);
    EXPECT_STR(scene->diary.text, "s");
    EXPECT_INT(notifications_tick(scene->notifications, LATER),
               LATER + SLOW); /* then it may be stuck */
    EXPECT_STR(scene->diary.text, "sr");
}

TEST_ASLEEP(a_reader_that_is_stuck_is_cut)
{
    notifications_tell(scene->notifications, run.text, START + SECOND);
    EXPECT_INT(notifications_tick(scene->notifications, START + SECOND + SLOW - 1),
               START + SECOND + SLOW);
    EXPECT_STR(scene->diary.text, "sr");
    (void)notifications_tick(scene->notifications, START + SECOND + SLOW);
    EXPECT_STR(scene->diary.text, "src");
}

TEST_ASLEEP(a_reader_that_goes_on_is_not_cut_however_long_it_stays)
{
    for (long long now = START; now < START + 100 * SLOW; now += SLOW / 2) {
        notifications_tell(scene->notifications, run.text, now);
        (void)notifications_sleep(scene->notifications, &scene->watcher, now, now + 1);
        (void)notifications_tick(scene->notifications, now + 1);
    }
    EXPECT(strchr(scene->diary.text, 'c') == NULL);
}

TEST_WITH_SCENE(a_connection_that_may_not_be_cut_is_kept)
{
    scene->watcher.may_cut = false;
    notifications_watch(scene->notifications, &scene->watcher, &run_topic, START);
    EXPECT_INT(notifications_tick(scene->notifications, START + SLOW), START + 2 * SLOW);
    EXPECT_STR(scene->diary.text, "");
}

/* If a check is due earlier than notifications_tick() last returned, wake_by() must get the new
 * time. */
TEST_WITH_SCENE(the_deadlines_thread_learns_when_a_check_is_due)
{
    struct progress progress = {0};

    EXPECT_INT(notifications_tick(scene->notifications, START),
               LLONG_MAX); /* no watcher: sleep for ever */
    notifications_watch(scene->notifications, &scene->watcher, &run_topic, START);
    EXPECT_INT(scene->planned_ns, START + SLOW);

    (void)notifications_sleep(scene->notifications, &scene->watcher, START, LATER);
    EXPECT(notifications_sleep(scene->notifications, &scene->watcher, START, LATER));
    scene->planned_ns = notifications_tick(scene->notifications, START + 1);
    EXPECT_INT(scene->planned_ns, LATER);
    notifications_tell(scene->notifications, other.text, START + 2);
    EXPECT_INT(scene->planned_ns, LATER);
    notifications_tell(scene->notifications, run.text, START + 2);
    EXPECT_INT(scene->planned_ns, START + 2 + SLOW);

    (void)notifications_sleep(scene->notifications, &scene->watcher, START + 3, LATER);
    EXPECT(notifications_sleep(scene->notifications, &scene->watcher, START + 3, LATER));
    scene->planned_ns = notifications_tick(scene->notifications, START + 4);
    notifications_progress(scene->notifications, &run, &progress, START + 5);
    EXPECT_INT(scene->planned_ns, START + 5 + SLOW);

    (void)notifications_sleep(scene->notifications, &scene->watcher, START + 6, START + 7);
    EXPECT(notifications_sleep(scene->notifications, &scene->watcher, START + 6, START + 7));
    EXPECT_INT(scene->planned_ns, START + 7);
}

TEST_ASLEEP(progress_is_kept_of_the_run_under_way_and_brought_up_to_now)
{
    struct progress progress = {.steps_done = 5,
                                .steps_planned = 35,
                                .samples_per_second = 100,
                                .elapsed_seconds = 2,
                                .seconds_left = 3};
    struct progress got = {.steps_done = -7};

    EXPECT(!notifications_get_progress(scene->notifications, run.text, START, &got));
    notifications_progress(scene->notifications, &run, &progress, START);
    EXPECT_STR(scene->diary.text, "sr"); /* progress is news */
    EXPECT(!notifications_get_progress(scene->notifications, other.text, START, &got));
    EXPECT_INT(got.steps_done, -7);
    EXPECT(notifications_get_progress(scene->notifications, run.text, START + SECOND, &got));
    EXPECT_HAS(got, (steps_done, 5), (steps_planned, 35), (samples_per_second, 100));
    EXPECT_ABOUT(got, 1e-9, (elapsed_seconds, 3), (seconds_left, 2));
    EXPECT(notifications_get_progress(scene->notifications, run.text, START + 60 * SECOND, &got));
    EXPECT_NEAR(got.seconds_left, 0, 0); /* never less than nothing */
    EXPECT(notifications_get_progress(scene->notifications, run.text, START - SECOND, &got));
    EXPECT_NEAR(got.elapsed_seconds, 2, 0); /* a "now" that has been overtaken */

    notifications_progress(scene->notifications, &other, &progress, START + 61 * SECOND);
    EXPECT(
        !notifications_get_progress(scene->notifications, run.text, START + 62 * SECOND, &got));
}

TEST_ASLEEP(closing_wakes_all_waiters_and_later_waits_return_at_once)
{
    struct diary second_diary = {0};

    struct watcher second = scene->watcher;
    second.user = &second_diary;
    notifications_watch(scene->notifications, &second, &other_topic, START);
    EXPECT(!notifications_sleep(scene->notifications, &second, START, LATER));
    EXPECT(notifications_sleep(scene->notifications, &second, START, LATER));
    EXPECT_INT(notifications_count(scene->notifications), 2);
    EXPECT(!notifications_is_closed(scene->notifications));

    notifications_close(scene->notifications, START + 1);
    EXPECT(notifications_is_closed(scene->notifications));
    EXPECT_STR(scene->diary.text, "sr");
    EXPECT_STR(second_diary.text, "sr");
    EXPECT(!notifications_sleep(scene->notifications, &second, START + 2, LATER));
    EXPECT(!notifications_sleep(scene->notifications, &second, START + 3, LATER));
    notifications_leave(scene->notifications, &second);
}

TEST_ASLEEP(a_removed_listener_gets_no_notification)
{
    notifications_leave(scene->notifications, &scene->watcher);
    notifications_leave(scene->notifications, &scene->watcher); /* harmless */
    notifications_tell(scene->notifications, run.text, START + 1);
    EXPECT_INT(notifications_tick(scene->notifications, LATER), LLONG_MAX);
    EXPECT_STR(scene->diary.text, "s");
}

/* Of three sleepers the first `leaving` in `order` leave; only the others are woken. */
static void leave_in_order(const int order[3], int leaving)
{
    struct diary diaries[3] = {0};
    struct watcher watchers[3];
    struct scene scene;

    begin(&scene);
    for (int i = 0; i < 3; i++) {
        watchers[i] = scene.watcher;
        watchers[i].user = &diaries[i];
        notifications_watch(scene.notifications, &watchers[i], &run_topic, START);
        (void)notifications_sleep(scene.notifications, &watchers[i], START, LATER);
        EXPECT(notifications_sleep(scene.notifications, &watchers[i], START, LATER));
    }
    for (int i = 0; i < leaving; i++)
        notifications_leave(scene.notifications, &watchers[order[i]]);
    notifications_tell(scene.notifications, run.text, START + 1);
    for (int i = 0; i < 3; i++)
        EXPECT_STR(diaries[order[i]].text, i < leaving ? "s" : "sr");
    EXPECT_INT(notifications_count(scene.notifications), 3 - leaving);
    for (int i = leaving; i < 3; i++)
        notifications_leave(scene.notifications, &watchers[order[i]]);
    end(&scene);
}

TEST(watchers_can_leave_in_any_order)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

    for (size_t i = 0; i < COUNT(orders); i++)
        for (int leaving = 0; leaving <= 3; leaving++)
            leave_in_order(orders[i], leaving);
}

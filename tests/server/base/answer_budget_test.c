#include "server/base/answer_budget.h"

#include "common/cleanup.h"
#include "tests/server/base/untimed.h"

#define MIB ((size_t)1024 * 1024)
#define LIMIT (8 * MIB)

struct scene {
    struct notifications *notifications;
    struct answer_budget *budget;
};

#define TEST_WITH_BUDGET(name) TEST_GIVEN(name, struct scene *scene, with_budget)

static void with_budget(void (*test)(struct scene *scene))
{
    struct scene scene;

    scene.notifications = untimed_notifications();
    scene.budget = answer_budget_new(LIMIT, scene.notifications);
    EXPECT(scene.budget != NULL);
    test(&scene);
    answer_budget_free(scene.budget);
    notifications_free(scene.notifications);
}

static bool holds(struct scene *scene, struct answer_part *part, size_t bytes)
{
    struct error err = {0};
    bool ok = answer_budget_hold(scene->budget, part, bytes, &err);

    EXPECT(ok || err.kind == ERROR_BUSY);
    return ok;
}

static bool is_held(struct scene *scene, size_t bytes)
{
    return answer_budget_look(scene->budget).held == bytes;
}

TEST_WITH_BUDGET(a_small_answer_counts_nothing_and_is_never_refused)
{
    struct answer_part all = {0}, small = {0}, large = {0};

    EXPECT(holds(scene, &all, LIMIT));
    EXPECT(holds(scene, &small, ANSWER_SMALL));
    EXPECT(is_held(scene, LIMIT));
    EXPECT(!holds(scene, &large, ANSWER_SMALL + 1));
    EXPECT(is_held(scene, LIMIT));
    answer_budget_leave(scene->budget, &all);
    EXPECT(is_held(scene, 0));
    EXPECT(holds(scene, &large, ANSWER_SMALL + 1));
    answer_budget_leave(scene->budget, &large);
}

TEST_WITH_BUDGET(a_part_holds_what_it_was_told_last)
{
    struct answer_part part = {0}, other = {0};

    EXPECT(holds(scene, &part, 2 * MIB));
    EXPECT(holds(scene, &other, 3 * MIB));
    EXPECT(holds(scene, &part, 5 * MIB));
    EXPECT(!holds(scene, &part, 5 * MIB + 1));
    EXPECT(is_held(scene, 8 * MIB));
    EXPECT(holds(scene, &part, MIB));
    EXPECT(is_held(scene, 4 * MIB));
    answer_budget_leave(scene->budget, &part);
    answer_budget_leave(scene->budget, &part);
    answer_budget_leave(scene->budget, &other);
    EXPECT(is_held(scene, 0));
}

TEST_WITH_BUDGET(pieces_leave_half_to_whole_answers)
{
    struct answer_part first = {.piecewise = true}, second = {.piecewise = true}, whole = {0};

    EXPECT(holds(scene, &first, 3 * MIB));
    EXPECT(!holds(scene, &second, 2 * MIB));
    EXPECT(holds(scene, &second, MIB));
    EXPECT(holds(scene, &whole, 4 * MIB));
    answer_budget_leave(scene->budget, &whole);
    answer_budget_leave(scene->budget, &second);
    EXPECT(holds(scene, &first, 7 * MIB)); /* the only one */
    EXPECT(!holds(scene, &second, MIB));
    answer_budget_leave(scene->budget, &first);
}

static struct answer_part of_client(unsigned char client)
{
    return (struct answer_part){.shares = true, .client = {{client}}};
}

TEST_WITH_BUDGET(one_client_leaves_half_to_others)
{
    struct answer_part first = of_client(1), second = of_client(1), third = of_client(1);
    struct answer_part other = of_client(2), piece = {0};

    EXPECT(holds(scene, &first, 3 * MIB));
    EXPECT_MESSAGE(
        answer_budget_hold(scene->budget, &second, MIB + 1, &err),
        "answers that this client is still taking fill half of the 8 MiB of --answer-mib");
    EXPECT(holds(scene, &second, MIB));
    EXPECT(!holds(scene, &third, ANSWER_SMALL + 1));
    EXPECT(holds(scene, &other, 3 * MIB));
    EXPECT(holds(scene, &piece, MIB)); /* of an answer that is held already */
    answer_budget_leave(scene->budget, &second);
    answer_budget_leave(scene->budget, &other);
    answer_budget_leave(scene->budget, &piece);
    EXPECT(holds(scene, &first, 7 * MIB)); /* its only one */
    EXPECT(!holds(scene, &second, ANSWER_SMALL + 1));
    EXPECT(holds(scene, &other, MIB));
    answer_budget_leave(scene->budget, &first);
    answer_budget_leave(scene->budget, &other);
    EXPECT(is_held(scene, 0));
}

TEST_WITH_BUDGET(what_is_larger_than_the_budget_is_told_what_helps)
{
    struct answer_part part = {.piecewise = true};

    EXPECT_SAYS(answer_budget_hold(scene->budget, &part, LIMIT + 1, &err), "raise --answer-mib");
    EXPECT(is_held(scene, 0));
}

TEST_WITH_BUDGET(room_is_announced)
{
    struct watcher watcher = {0};
    struct answer_part part = {0};

    EXPECT(holds(scene, &part, MIB));
    notifications_watch(scene->notifications, &watcher, &(struct topic){.kind = TOPIC_ANSWERS},
                        0);
    watcher.news = false;
    answer_budget_leave(scene->budget, &part);
    EXPECT(watcher.news);
    notifications_leave(scene->notifications, &watcher);
}

#include "server/http/tokens/token_usage.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "tests/threads.h"

#define NOW (1000 * NS_PER_SECOND)

static void senders_freep(struct token_usage **token_usage)
{
    token_usage_free(*token_usage);
}

#define TEST_WITH_SENDER(name) TEST_GIVEN(name, struct sender *sender, with_sender)

static void with_sender(void (*test)(struct sender *sender))
{
    AUTO(senders_freep) struct token_usage *token_usage = token_usage_new();

    test(token_usage_get(token_usage, "c1"));
}

TEST_WITH_SENDER(a_limit_is_full_at_first_and_fills_evenly)
{
    long long wait;

    for (int i = 0; i < 7; i++)
        EXPECT_INT(sender_spend(sender, LIMIT_REQUESTS, 7, 1, NOW, &wait), SPENT_OK);
    EXPECT_INT(sender_spend(sender, LIMIT_REQUESTS, 7, 1, NOW, &wait), SPENT_LATER);
    EXPECT(wait > 60 * NS_PER_SECOND / 7 - 10 && wait <= 60 * NS_PER_SECOND / 7);
    EXPECT_INT(sender_spend(sender, LIMIT_REQUESTS, 7, 1, NOW + wait - 1000, &wait), SPENT_LATER);
    EXPECT_INT(wait, 1000);
    EXPECT_INT(sender_spend(sender, LIMIT_REQUESTS, 7, 1, NOW + 60 * NS_PER_SECOND / 7, &wait),
               SPENT_OK);
}

TEST(a_sender_has_so_many_large_bodies_at_once)
{
    AUTO(senders_freep) struct token_usage *token_usage = token_usage_new();
    struct sender *one = token_usage_get(token_usage, "c1");
    struct sender *other = token_usage_get(token_usage, "c2");

    for (int i = 0; i < LARGE_BODIES_OF_SENDER; i++)
        EXPECT(sender_begin_large(one));
    EXPECT(!sender_begin_large(one));
    EXPECT(sender_begin_large(other));
    sender_end_large(one);
    EXPECT(sender_begin_large(one));
    EXPECT(!sender_begin_large(one));
}

TEST_WITH_SENDER(all_of_it_is_spent_or_nothing)
{
    long long wait;

    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 10, 8, NOW, &wait), SPENT_OK);
    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 10, 3, NOW, &wait), SPENT_LATER);
    EXPECT_INT(wait, 360 * NS_PER_SECOND);
    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 10, 2, NOW, &wait), SPENT_OK);
}

TEST_WITH_SENDER(a_refund_can_be_spent_again)
{
    long long wait;

    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 10, 8, NOW, &wait), SPENT_OK);
    sender_give_back(sender, LIMIT_RUNS, 10, 5);
    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 10, 8, NOW, &wait), SPENT_LATER);
    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 10, 7, NOW, &wait), SPENT_OK);
    sender_give_back(sender, LIMIT_RUNS, 0, 7); /* there is no limit any more */
    sender_give_back(sender, LIMIT_RUNS, 10, 0);
    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 10, 1, NOW, &wait), SPENT_LATER);
    EXPECT_INT(wait, 360 * NS_PER_SECOND);
}

TEST_WITH_SENDER(a_request_above_the_whole_limit_has_its_own_result)
{
    long long wait;

    EXPECT_INT(sender_spend(sender, LIMIT_BYTES, 1048576, 1048577, NOW, &wait), SPENT_NEVER);
    EXPECT_INT(sender_spend(sender, LIMIT_BYTES, 1048576, 1048576, NOW, &wait), SPENT_OK);
}

TEST_WITH_SENDER(without_a_limit_there_is_no_end)
{
    long long wait;

    for (int i = 0; i < 100; i++)
        EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 0, 1000000000, NOW, &wait), SPENT_OK);
}

TEST(senders_and_their_limits_do_not_know_each_other)
{
    AUTO(senders_freep) struct token_usage *token_usage = token_usage_new();
    struct sender *one = token_usage_get(token_usage, "one"),
                  *two = token_usage_get(token_usage, "two");
    long long wait;

    EXPECT(one != two);
    EXPECT(token_usage_get(token_usage, "one") == one);
    EXPECT_STR(sender_name(one), "one");
    EXPECT_INT(sender_spend(one, LIMIT_RUNS, 1, 1, NOW, &wait), SPENT_OK);
    EXPECT_INT(sender_spend(one, LIMIT_REQUESTS, 1, 1, NOW, &wait), SPENT_OK);
    EXPECT_INT(sender_spend(two, LIMIT_RUNS, 1, 1, NOW, &wait), SPENT_OK);
    EXPECT_INT(sender_spend(one, LIMIT_RUNS, 1, 1, NOW, &wait), SPENT_LATER);
}

TEST_WITH_SENDER(a_limit_that_was_changed_holds_at_once)
{
    long long wait;

    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 4, 4, NOW, &wait), SPENT_OK);
    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 400, 1, NOW, &wait), SPENT_LATER);
    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 400, 1, NOW + 10 * NS_PER_SECOND, &wait),
               SPENT_OK);
}

TEST(requests_are_counted_by_name)
{
    AUTO(senders_freep) struct token_usage *token_usage = token_usage_new();
    AUTO(bytes_free) struct bytes text = {.limit = 10000};
    struct sender *sender = token_usage_get(token_usage, "c1");
    long long wait;

    EXPECT(token_usage_write(token_usage, &text));
    sender_count_request(sender);
    sender_count_request(sender);
    sender_count_runs(sender, 40);
    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 1, 2, NOW, &wait), SPENT_NEVER);
    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 1, 1, NOW, &wait), SPENT_OK);
    EXPECT_INT(sender_spend(sender, LIMIT_RUNS, 1, 1, NOW, &wait), SPENT_LATER);
    EXPECT(token_usage_write(token_usage, &text));
    EXPECT_PART(text.data, "\npennyworth_sender_requests_total{sender=\"c1\"} 2\n");
    EXPECT_PART(text.data, "\npennyworth_sender_runs_total{sender=\"c1\"} 40\n");
    EXPECT_PART(text.data, "\npennyworth_sender_limited_total{sender=\"c1\"} 2\n");
}

#define THREADS 4
#define MOST 1000

static atomic_llong granted;

static void *spend_many(void *user)
{
    struct sender *sender = token_usage_get(user, "shared");
    long long wait;

    for (int i = 0; i < MOST; i++) {
        sender_count_request(sender);
        granted += sender_spend(sender, LIMIT_RUNS, MOST, 1, NOW, &wait) == SPENT_OK;
    }
    return NULL;
}

TEST(together_threads_get_no_more_than_there_is)
{
    AUTO(senders_freep) struct token_usage *token_usage = token_usage_new();
    AUTO(bytes_free) struct bytes text = {.limit = 10000};

    granted = 0;
    run_threads(THREADS, spend_many, token_usage, 0);
    EXPECT_INT(granted, MOST);
    EXPECT(token_usage_write(token_usage, &text));
    EXPECT_PART(text.data, "requests_total{sender=\"shared\"} 4000\n");
    EXPECT_PART(text.data, "limited_total{sender=\"shared\"} 3000\n");
}

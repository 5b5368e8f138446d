#include "engine/stats/load_advice.h"

#include "tests/test.h"

#include <stdlib.h>

static struct load_opinion of(int processors, int threads, double cc_percent, double hidden)
{
    const struct load load = {.processors = processors,
                              .busy_percent = cc_percent + hidden,
                              .hidden_percent = hidden,
                              .count = cc_percent >= LOAD_USER_MIN,
                              .users = {{.name = "cc", .percent = cc_percent}}};
    struct load_opinion opinion;

    load_advise(&load, threads, &opinion);
    return opinion;
}

TEST(the_advice_follows_from_what_a_run_would_lose)
{
    static const struct {
        int processors, threads;
        double percent, hidden;
        const char *advice, *words;
    } rows[] = {
        {4, 4, 0, 1.9, "go_on", "others use 1.9 % of the processors now: go on"},
        {4, 2, 20, 0, "go_on",
         "cc uses 20 % of the processors now: enough is left for a run; go on"},
        {2, 2, 14, 0, "go_on",
         "cc uses 14 % of the processors now: the interval will reach up to 28 % higher; close "
         "them or go on"},
        {2, 2, 0, 14, "go_on",
         "processes that are not visible here use 14 % of the processors now: the interval will "
         "reach up to 28 % higher; close them or go on"},
        {8, 8, 12.4, 0, "fewer_threads",
         "cc uses 12.4 % of the processors now: use 7 threads, or wait until they are done"},
        {2, 2, 50, 0, "fewer_threads",
         "cc uses 50 % of the processors now: use 1 thread, or wait until they are done"},
        {8, 8, 20, 12.5, "fewer_threads",
         "cc uses 20 % and processes that are not visible here 12.5 % of the processors now: use "
         "6 threads, or wait until they are done"},
        {8, 8, 5, 11, "wait",
         "cc uses 5 % and processes that are not visible here 11 % of the processors now: too "
         "much for a number of this machine; wait or close them"},
        {2, 2, 30, 0, "go_on",
         "cc uses 30 % of the processors now: the interval will reach up to 60 % higher; close "
         "them or go on"},
        {1, 1, 100, 0, "wait",
         "cc uses 100 % of the processors now: too much for a number of this machine; wait or "
         "close them"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct load_opinion opinion =
            of(rows[i].processors, rows[i].threads, rows[i].percent, rows[i].hidden);

        EXPECT_STR(load_advice_names[opinion.advice], rows[i].advice);
        EXPECT_STR(opinion.words, rows[i].words);
        EXPECT((opinion.threads > 0) == (opinion.advice == LOAD_FEWER_THREADS));
    }
}

TEST(several_users_are_listed_in_one_sentence)
{
    const struct load load = {.processors = 2,
                              .busy_percent = 13,
                              .count = 3,
                              .users = {{"cc", 6}, {"make", 4}, {"sh", 3}}};
    struct load_opinion opinion;

    load_advise(&load, 2, &opinion);
    EXPECT_PART(opinion.words, "cc uses 6 %, make 4 % and sh 3 % of the processors now: ");
}

TEST(users_too_small_to_name_are_counted)
{
    const struct load load = {.processors = 2, .busy_percent = 3};
    struct load_opinion opinion;

    load_advise(&load, 2, &opinion);
    EXPECT_PART(opinion.words, "small processes use 3 % of the processors now: ");
}

TEST(the_longest_names_fit)
{
    struct load load = {.processors = 64, .busy_percent = 99.9, .hidden_percent = 10.1};
    struct load_opinion opinion;

    for (load.count = 0; load.count < LOAD_USERS_MAX; load.count++)
        load.users[load.count] = (struct load_user){"fifteen letters", 17.9};
    load_advise(&load, 64, &opinion);
    EXPECT_PART(opinion.words, " and processes that are not visible here 10.1 % of the "
                               "processors now: ");
    EXPECT_PART(opinion.words, "wait");
}

#define FINDING(code, level, words)                                                              \
    "{\"code\":\"" code "\",\"level\":\"" level "\",\"value\":null,\"words\":\"" words "\"}"
static const struct load cc = {
    .processors = 2, .busy_percent = 9, .count = 1, .users = {{"cc", 9}}};

TEST(findings_that_others_caused_name_them)
{
    AUTO(freep)
    char *named = load_name_in_findings(
        "[" FINDING("steal", "warn", "a") "," FINDING("contention", "warn", "b") "," FINDING(
            "disturbance", "invalid", "c") "]",
        &cc);

    EXPECT_STR(
        named,
        "[" FINDING("steal", "warn", "a") "," FINDING(
            "contention", "warn",
            "b; when it began, cc used 9 % of the processors") "," FINDING("disturbance",
                                                                           "invalid",
                                                                           "c; when it began, cc "
                                                                           "used 9 % of the "
                                                                           "processors") "]");
}

TEST(other_findings_stay_as_they_are)
{
    static const struct load little = {.processors = 2, .busy_percent = 0.9}, none = {0};
    static const struct {
        const char *findings;
        const struct load *load;
    } rows[] = {{"[" FINDING("contention", "ok", "b") "]", &cc},
                {"[" FINDING("contention", "unknown", "b") "]", &cc},
                {"[" FINDING("contention", "warn", "b") "]", &none},
                {"[" FINDING("contention", "warn", "b") "]", &little},
                {NULL, &cc}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(freep) char *named = load_name_in_findings(rows[i].findings, rows[i].load);

        EXPECT_STR(named, rows[i].findings);
    }
}

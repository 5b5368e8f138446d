#include "server/runs/engines.h"

#include "tests/test.h"

#include <unistd.h>

static const struct {
    const char *text;
    size_t count;
    const char *names[4];
    const char *commands[4]; /* the words joined by '|' */
} readings[] = {
    {"", 1, {"native"}, {"/bin/worker here"}}, /* ours is one word: its path may have spaces */
    {";;", 1, {"native"}, {"/bin/worker here"}},
    {"torch=python3 engine.py",
     2,
     {"torch", "native"},
     {"python3|engine.py", "/bin/worker here"}},
    {"a=x;b=y z;", 3, {"a", "b", "native"}, {"x", "y|z", "/bin/worker here"}},
    {"a=  x   y  ", 2, {"a", "native"}, {"x|y", "/bin/worker here"}},
    {"a=x --flag=1 b=2", 2, {"a", "native"}, {"x|--flag=1|b=2", "/bin/worker here"}},
    {"native=other worker;a=x", 2, {"native", "a"}, {"other|worker", "x"}},
    {"A.b_c-d/1=x", 2, {"A.b_c-d/1", "native"}, {"x", "/bin/worker here"}},
};

static void join(const struct engine *engine, char ret_text[200])
{
    size_t used = 0;

    ret_text[0] = '\0';
    for (int i = 0; engine->command[i]; i++)
        used += (size_t)snprintf(ret_text + used, 200 - used, "%s%s", i ? "|" : "",
                                 engine->command[i]);
}

TEST(engines_are_names_with_the_words_of_a_command)
{
    for (size_t i = 0; i < COUNT(readings); i++) {
        AUTO(engines_free) struct engines engines;

        EXPECT_OK(engines_read(readings[i].text, "/bin/worker here", &engines, &err));
        EXPECT_INT((long long)engines.count, (long long)readings[i].count);
        for (size_t k = 0; k < engines.count && k < readings[i].count; k++) {
            char command[200];

            join(&engines.list[k], command);
            EXPECT_STR(engines.list[k].name, readings[i].names[k]);
            EXPECT_STR(engines.names[k], readings[i].names[k]);
            EXPECT_STR(command, readings[i].commands[k]);
        }
        EXPECT(engines.names[engines.count] == NULL);
    }
}

TEST(without_a_name_registered_engines_run_as_the_server_does)
{
    struct engines engines;

    EXPECT_OK(engines_read("a=x", "/bin/sh", &engines, &err));
    EXPECT_OK(engines_choose_user(&engines, "", &err));
    EXPECT(!engines_user(&engines, engines_find(&engines, "a", NULL)));
    engines.user.is_another = true; /* where root starts the server, and the usual user exists */
    EXPECT(!engines_user(&engines, engines_find(&engines, "a", NULL)));
    EXPECT_OK(engines_user(&engines, engines_find(&engines, "native", &err)) == &engines.user);
    engines_free(&engines);
}

TEST(a_named_user_runs_all_engines_where_root_asks)
{
    const bool is_root = geteuid() == 0;
    struct engines engines;

    EXPECT_OK(engines_read("a=x", "/bin/sh", &engines, &err));
    EXPECT_OK(engines_choose_user(&engines, "nobody", &err) == is_root);
    EXPECT((engines_user(&engines, engines_find(&engines, "a", NULL)) != NULL) == is_root);
    EXPECT_INVALID(engines_choose_user(&engines, "there-is-no-such-user", &err), "--engine-user");
    engines_free(&engines);
    EXPECT_OK(engines_read("a=x", "/etc/passwd", &engines, &err));
    EXPECT_MESSAGE(engines_choose_user(&engines, "nobody", &err),
                   is_root ? "'nobody' may not read and run /etc/passwd, or not enter a "
                             "folder on the way to it"
                           : "only root can start engines as another user");
    engines_free(&engines);
}

#define NAME_RULE "must be NAME=COMMAND with a name of 1 to 32 letters, digits and . _ - /"

static const struct {
    const char *text, *message;
} refusals[] = {
    {"torch", NAME_RULE},
    {"=x", NAME_RULE},
    {"a=x;b", NAME_RULE},
    {"a b=x", NAME_RULE}, /* no spec could ever ask for it */
    {"a\"b=x", NAME_RULE},
    {"\303\274=x", NAME_RULE},
    {"name-of-thirty-three-characters-xx=x", NAME_RULE},
    {"a=", "'a' has no command"},
    {"a=   ", "'a' has no command"},
    {"a=x;b=y;a=z", "'a' is given twice"},
    {"native=x;native=y", "'native' is given twice"},
    {"a=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 "
     "33",
     "'a' has more than 32 words"},
    {"a=x;b=x;c=x;d=x;e=x;f=x;g=x;h=x;i=x;j=x;k=x;l=x;m=x;n=x;o=x;p=x;q=x",
     "more than 16 engines"},
    /* Sixteen leave no room for our own. */
    {"a=x;b=x;c=x;d=x;e=x;f=x;g=x;h=x;i=x;j=x;k=x;l=x;m=x;n=x;o=x;p=x", "more than 16 engines"},
};

TEST(a_mistake_in_the_list_is_reported)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct engines engines;

        EXPECT_WRONG(engines_read(refusals[i].text, "worker", &engines, &err), "--engine",
                     refusals[i].message);
        EXPECT_INT((long long)engines.count, 0); /* nothing is left to be freed */
    }
}

TEST(the_limits_themselves_are_allowed)
{
    AUTO(engines_free) struct engines engines = {0};

    EXPECT_OK(
        engines_read("native=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 "
                     "25 26 27 28 29 30 31 32;name-of-thirty-two-characters-xx=x;c=x;d=x;e=x;"
                     "f=x;g=x;h=x;i=x;j=x;k=x;l=x;m=x;n=x;o=x;p=x",
                     "worker", &engines, &err));
    EXPECT_INT((long long)engines.count, ENGINES_MAX);
    EXPECT_STR(engines.list[0].command[ENGINE_WORDS_MAX - 1], "32");
    EXPECT_STR(engines.list[0].command[ENGINE_WORDS_MAX], NULL);
}

TEST(an_engine_is_found_by_its_whole_name)
{
    AUTO(engines_free) struct engines engines = {0};

    EXPECT(engines_read("torch=x;torch2=y", "worker", &engines, NULL));
    EXPECT(engines_find(&engines, "torch", NULL) == &engines.list[0]);
    EXPECT(engines_find(&engines, "torch2", NULL) == &engines.list[1]);
    EXPECT(engines_find(&engines, "native", NULL) == &engines.list[2]);
}

TEST(an_unknown_engine_is_answered_with_those_there_are)
{
    static const char *const unknown[] = {"", "tor", "torch3", "Torch", "/bin/sh"};
    AUTO(engines_free) struct engines engines = {0};

    EXPECT(engines_read("torch=x", "worker", &engines, NULL));
    for (size_t i = 0; i < COUNT(unknown); i++) {
        struct error err = {0};

        EXPECT(engines_find(&engines, unknown[i], &err) == NULL);
        EXPECT_HAS(err, (kind, ERROR_INVALID), (field, "engine"));
        EXPECT_PART(err.message, "is not an engine of this server");
        EXPECT_HAS(err.allowed, (choices[0], "torch"), (choices[1], "native"),
                   (choices[2], NULL));
    }
}

TEST(freeing_twice_is_harmless)
{
    struct engines engines;

    EXPECT(engines_read("a=b", "worker", &engines, NULL));
    engines_free(&engines);
    engines_free(&engines);
    EXPECT_INT((long long)engines.count, 0);
}

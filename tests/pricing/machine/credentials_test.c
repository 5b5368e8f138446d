/* Whose keys are taken, and what is said where they are wrong: everything but the keys. */
#include "pricing/machine/credentials.h"

#include "pricing/machine/credentials_role.h"
#include "tests/pricing/feeds/asking.h"

#include <errno.h>

#define SECRET "wJalrXUtnFEMI/K7MDENG+EXAMPLEKEY"
#define ROLES "iam/security-credentials/"
#define NOW 1785888000000000 /* 2026-08-05 */
#define ROLE_NAME_MAX 64
#define ENDS 1785974400000000 /* a day later */
#define ROLE_KEYS                                                                                \
    "{\"Code\":\"Success\",\"Type\":\"AWS-HMAC\",\"AccessKeyId\":\"ASIAROLE\","                  \
    "\"SecretAccessKey\":\"" SECRET "\",\"Token\":\"token+" SECRET "==\","                       \
    "\"Expiration\":\"2026-08-06T00:00:00Z\"}"

static const struct reply role[] = {
    {PUT_TOKEN},
    {AWS(ROLES, "my-role")},
    {AWS(ROLES "my-role", ROLE_KEYS)},
    {.ending = NULL},
};

struct outcome {
    enum credentials_result result;
    struct credentials found;
    const char *origin;
    long long until_us;
    struct error err;
};

/* Nothing that looks like a key. */
static void expect_no_secret(const struct error *err)
{
    EXPECT(!strstr(err->message, "wJalr") && !strstr(err->field, "wJalr"));
    EXPECT(!strstr(err->message, SECRET) && !strstr(err->message, TOKEN));
    EXPECT(!strstr(err->message, "token+"));
}

static struct outcome find(struct credentials_question question)
{
    struct outcome outcome = {
        .found = {"untouched", "untouched", "untouched"}, .origin = "untouched", .until_us = 77};

    question.now_us = NOW;
    outcome.result = credentials_find(&question, &outcome.found, &outcome.origin,
                                      &outcome.until_us, &outcome.err);
    expect_no_secret(&outcome.err);
    EXPECT_INT(outcome.err.kind != ERROR_NONE, outcome.result == CREDENTIALS_WRONG);
    if (outcome.result != CREDENTIALS_FOUND) {
        EXPECT_HAS(outcome, (found.id, "untouched"), (found.secret, "untouched"),
                   (origin, "untouched"), (until_us, 77));
    }
    return outcome;
}

/* Variables, NULL-terminated, at most seven. */
static struct outcome find_in(const char *const *variables, const char *home)
{
    char texts[8][600];
    char *environment[9] = {NULL};

    for (size_t i = 0; i < 8 && variables[i]; i++) {
        snprintf(texts[i], sizeof texts[i], "%s", variables[i]);
        environment[i] = texts[i];
    }
    return find((struct credentials_question){.environment = environment, .home = home});
}

#define VARIABLES(...)                                                                           \
    (const char *const[])                                                                        \
    {                                                                                            \
        __VA_ARGS__, NULL                                                                        \
    }

static void expect_wrong(struct outcome outcome, const char *message)
{
    EXPECT_HAS(outcome, (result, CREDENTIALS_WRONG), (err.message, message));
}

TEST_WITH_TREE(the_environment_comes_first)
{
    tree_put(tree, "/.aws/credentials",
             "[default]\naws_access_key_id = FILE\naws_secret_access_key = " SECRET "\n");
    struct outcome outcome = find_in(
        VARIABLES("AWS_ACCESS_KEY_ID=AKIAENV", "AWS_SECRET_ACCESS_KEY=" SECRET), tree->root);
    EXPECT_HAS(outcome, (result, CREDENTIALS_FOUND), (found.id, "AKIAENV"),
               (found.secret, SECRET), (found.token, ""), (origin, "the environment"),
               (until_us, 0));

    outcome = find_in(VARIABLES("AWS_SESSION_TOKEN=token+==", "AWS_ACCESS_KEY_ID=AKIAENV",
                                "AWS_SECRET_ACCESS_KEY=" SECRET),
                      NULL);
    EXPECT_STR(outcome.found.token, "token+==");

    outcome = find_in(VARIABLES("AWS_ACCESS_KEY_IDS=x", "AWS_ACCESS_KEY_ID=",
                                "AWS_SECRET_ACCESS_KEY=", "AWS_SESSION_TOKEN=alone"),
                      tree->root); /* set to nothing is not set */
    EXPECT_HAS(outcome, (result, CREDENTIALS_FOUND), (found.id, "FILE"), (found.token, ""),
               (origin, "the shared file"), (until_us, 0));
}

TEST(half_a_pair_in_the_environment_names_the_variable_that_lacks)
{
    struct outcome outcome = find_in(VARIABLES("AWS_ACCESS_KEY_ID=AKIAENV"), NULL);

    expect_wrong(outcome, "AWS_ACCESS_KEY_ID is set, but not AWS_SECRET_ACCESS_KEY");
    EXPECT_STR(outcome.err.field, "AWS_SECRET_ACCESS_KEY");
    outcome =
        find_in(VARIABLES("AWS_SECRET_ACCESS_KEY=" SECRET, "AWS_ACCESS_KEY_ID="), "/nowhere");
    expect_wrong(outcome, "AWS_SECRET_ACCESS_KEY is set, but not AWS_ACCESS_KEY_ID");
    EXPECT_STR(outcome.err.field, "AWS_ACCESS_KEY_ID");
}

TEST(variables_that_hold_no_keys_are_named)
{
    char text[300] = "AWS_SECRET_ACCESS_KEY=" SECRET;
    struct outcome outcome = find_in(
        VARIABLES("AWS_ACCESS_KEY_ID=AKIAENV", "AWS_SECRET_ACCESS_KEY=" SECRET "\r"), NULL);

    expect_wrong(outcome, "AWS_SECRET_ACCESS_KEY has more than 128 bytes, or has in it what no "
                          "key has");
    memset(text + strlen(text), 'x', 150);
    expect_wrong(find_in(VARIABLES("AWS_ACCESS_KEY_ID=AKIAENV", text), NULL),
                 "AWS_SECRET_ACCESS_KEY has more than 128 bytes, or has in it what no "
                 "key has");
    outcome = find_in(VARIABLES("AWS_ACCESS_KEY_ID=AKIA ENV", "AWS_SECRET_ACCESS_KEY=" SECRET,
                                "AWS_SESSION_TOKEN=x"),
                      NULL);
    EXPECT_STR(outcome.err.field, "AWS_ACCESS_KEY_ID");
    outcome = find_in(VARIABLES("AWS_ACCESS_KEY_ID=AKIAENV", "AWS_SECRET_ACCESS_KEY=" SECRET,
                                "AWS_SESSION_TOKEN=wJalr\nX-Evil: 1"),
                      NULL);
    EXPECT_STR(outcome.err.field, "AWS_SESSION_TOKEN");
}

TEST_WITH_TREE(without_any_keys_the_result_is_none)
{
    EXPECT_INT(find((struct credentials_question){.home = NULL}).result, CREDENTIALS_NONE);
    EXPECT_INT(find((struct credentials_question){.home = tree->root}).result, CREDENTIALS_NONE);
    EXPECT_INT(find_in(VARIABLES("AWS_PROFILE=work"), tree->root).result, CREDENTIALS_NONE);
    EXPECT_INT(find_in(VARIABLES("AWS_SHARED_CREDENTIALS_FILE=/dev/null"), tree->root).result,
               CREDENTIALS_NONE);
    tree_put(tree, "/.aws/credentials", "[work]\naws_access_key_id = x\n");
    EXPECT_INT(find((struct credentials_question){.home = tree->root}).result, CREDENTIALS_NONE);
}

TEST_WITH_TREE(the_shared_file_is_where_the_environment_says_or_at_home)
{
    char named[200];

    tree_put(tree, "/.aws/credentials",
             "[default]\naws_access_key_id = HOME\naws_secret_access_key = " SECRET "\n"
             "[work]\naws_access_key_id = WORK\naws_secret_access_key = " SECRET "\n");
    tree_put(tree, "/elsewhere",
             "[default]\naws_access_key_id = ELSEWHERE\naws_secret_access_key = " SECRET
             "\naws_session_token = token+" SECRET);
    EXPECT_STR(find((struct credentials_question){.home = tree->root}).found.id, "HOME");
    EXPECT_STR(find_in(VARIABLES("AWS_PROFILE=work"), tree->root).found.id, "WORK");
    EXPECT_STR(find_in(VARIABLES("AWS_PROFILE="), tree->root).found.id, "HOME");
    snprintf(named, sizeof named, "AWS_SHARED_CREDENTIALS_FILE=%s/elsewhere", tree->root);
    EXPECT_STR(find_in(VARIABLES(named), tree->root).found.id, "ELSEWHERE");
    EXPECT_STR(find_in(VARIABLES(named), NULL).found.token, "token+" SECRET);
    EXPECT_STR(find_in(VARIABLES("AWS_SHARED_CREDENTIALS_FILE=~/elsewhere"), tree->root).found.id,
               "ELSEWHERE");
}

TEST_WITH_TREE(a_shared_file_that_was_named_must_be_readable)
{
    struct outcome outcome =
        find_in(VARIABLES("AWS_SHARED_CREDENTIALS_FILE=/nowhere/keys"), tree->root);
    char named[200];

    expect_wrong(outcome,
                 "the shared file /nowhere/keys cannot be read: No such file or directory");
    snprintf(named, sizeof named, "AWS_SHARED_CREDENTIALS_FILE=%s", tree->root);
    outcome = find_in(VARIABLES(named), NULL);
    EXPECT_INT(outcome.result, CREDENTIALS_WRONG);
    EXPECT_PART(outcome.err.message, strerror(EISDIR));
    expect_wrong(find_in(VARIABLES("AWS_SHARED_CREDENTIALS_FILE=/dev/zero"), NULL),
                 "the shared file /dev/zero cannot be read: File too large");
    tree_put(tree, "/.aws/credentials", "[default]\naws_secret_access_key = " SECRET);
    expect_wrong(find((struct credentials_question){.home = tree->root}),
                 "the profile \"default\" of the shared file has no aws_access_key_id");
}

TEST_WITH_TREE(a_profile_that_was_named_must_be_there)
{
    tree_put(tree, "/.aws/credentials", "[empty]\nregion = x\n");
    struct outcome outcome = find_in(VARIABLES("AWS_PROFILE=work"), tree->root);
    expect_wrong(outcome, "the shared file has no profile \"work\"");
    EXPECT_STR(outcome.err.field, "AWS_PROFILE");
    expect_wrong(find_in(VARIABLES("AWS_PROFILE=empty"), tree->root),
                 "the shared file has no keys in the profile \"empty\"");
}

static struct outcome find_role(const struct reply *list)
{
    struct replies replies = {.list = list, .begins = "http://169.254.169.254/latest/"};

    return find((struct credentials_question){
        .metadata_url = "http://169.254.169.254", .fetch = replies_fetch, .fetcher = &replies});
}

TEST(the_role_of_the_instance_comes_last_and_its_keys_end)
{
    struct replies replies = {.list = role, .piece = 7};
    static char disabled[] = "AWS_EC2_METADATA_DISABLED=True";
    char *environment[] = {disabled, NULL};
    struct credentials_question question = {
        .metadata_url = "http://169.254.169.254", .fetch = replies_fetch, .fetcher = &replies};
    struct outcome outcome = find(question);

    EXPECT_HAS(outcome, (result, CREDENTIALS_FOUND), (found.id, "ASIAROLE"),
               (found.secret, SECRET), (found.token, "token+" SECRET "=="),
               (origin, "the role of the instance"), (until_us, ENDS));
    EXPECT_HAS(replies, (asked, 3), (puts, 1));

    question.environment = environment; /* as AWS's own tools have it */
    EXPECT_INT(find(question).result, CREDENTIALS_NONE);
    EXPECT_INT(replies.asked, 3);
}

/* The role's table with one answer changed. */
static const struct reply *with(size_t row, int status, const char *body)
{
    static struct reply copy[COUNT(role)];

    memcpy(copy, role, sizeof copy);
    copy[row].status = status;
    copy[row].body = body;
    return copy;
}

TEST(an_instance_without_a_role_has_no_keys)
{
    EXPECT_INT(find_role(with(1, 404, "")).result, CREDENTIALS_NONE);
    EXPECT_INT(find_role(with(1, 200, "")).result, CREDENTIALS_NONE);
}

TEST(each_failure_of_the_service_is_an_error_without_its_answer)
{
#define BEGIN "no keys of the instance's role from the metadata service: "

    for (size_t row = 0; row < 3; row++)
        EACH(int, status, 0, 301, 400, 401, 403, 500) {
            struct outcome outcome = find_role(with(row, status, ROLE_KEYS));

            EXPECT_HAS(outcome, (result, CREDENTIALS_WRONG), (err.kind, ERROR_UPSTREAM));
            EXPECT(strncmp(outcome.err.message, BEGIN, strlen(BEGIN)) == 0);
        }
    expect_wrong(find_role(with(2, 404, "")),
                 BEGIN "there are no credentials for the role that it names");
    expect_wrong(find_role(with(0, 404, "")), BEGIN "it answers 404");
    expect_wrong(find_role(with(1, 200, "wJalr wJalr")),
                 BEGIN "the answer is not the name of a role");
    expect_wrong(find_role(with(0, 200, "wJalr\r\nX-Evil: 1")),
                 BEGIN "the answer is not a token");
#undef BEGIN
}

TEST(the_name_of_a_role_goes_into_the_address_safely)
{
    static const struct reply list[] = {
        {PUT_TOKEN},
        {AWS(ROLES, "r/..?x=1&@+,.-_\nsecond-role\n")},
        {AWS(ROLES "r%2F..%3Fx%3D1%26%40%2B%2C.-_", ROLE_KEYS)},
        {.ending = NULL},
    };
    char longest[ROLE_NAME_MAX + 2];

    EXPECT_INT(find_role(list).result, CREDENTIALS_FOUND);
    memset(longest, '@', sizeof longest); /* each becomes three letters */
    longest[ROLE_NAME_MAX] = '\0';
    EXPECT_PART(find_role(with(1, 200, longest)).err.message,
                "there are no credentials for the role that it names");
    memset(longest, 'a', sizeof longest);
    longest[ROLE_NAME_MAX + 1] = '\0';
    EXPECT_PART(find_role(with(1, 200, longest)).err.message,
                "the answer is not the name of a role");
}

TEST(keys_of_a_role_are_whole_or_not_there)
{
#define KEYS(id, secret, token, end)                                                             \
    "{\"AccessKeyId\":" id ",\"SecretAccessKey\":" secret ",\"Token\":" token                    \
    ",\"Expiration\":" end "}"
#define GOOD_END "\"2026-08-06T00:00:00Z\""

    EACH(struct pair, answer, {"", "the answer is not a JSON object"},
         {"[\"" SECRET "\"]", "the answer is not a JSON object"},
         {"{\"SecretAccessKey\":" SECRET "}", "the answer is not a JSON object"},
         {"{\"SecretAccessKey\":\"" SECRET, "the answer is not a JSON object"},
         {"{\"Code\":\"" SECRET "\"}", "the answer says that there are no credentials now"},
         {"{\"Code\":\"Failed\",\"Message\":\"" SECRET "\"}",
          "the answer says that there are no credentials now"},
         {KEYS("\"A\"", "\"" SECRET "\"", "\"t\"", "\"" SECRET "\""),
          "the answer does not say when the credentials expire"},
         {KEYS("\"A\"", "\"" SECRET "\"", "\"t\"", "7"),
          "the answer does not say when the credentials expire"},
         {KEYS("\"A\"", "\"" SECRET "\"", "\"t\"", "\"2026-08-05T00:00:00Z\""),
          "the credentials in the answer have expired"},
         {KEYS("\"A\"", "\"" SECRET "\"", "\"\"", GOOD_END),
          "the answer lacks a part of the credentials"},
         {KEYS("\"A\"", "\"" SECRET "\"", "null", GOOD_END),
          "the answer lacks a part of the credentials"},
         {KEYS("\"A\"", "\"\"", "\"" SECRET "\"", GOOD_END),
          "the answer lacks a part of the credentials"},
         {KEYS("\"\"", "\"" SECRET "\"", "\"t\"", GOOD_END),
          "the answer lacks a part of the credentials"},
         {KEYS("\"A\"", "\"" SECRET "\\n\"", "\"t\"", GOOD_END),
          "the answer lacks a part of the credentials"}) {
        struct credentials found = {.secret = "untouched"};
        struct error err = {0};
        long long until_us = 77;

        EXPECT(!credentials_role_read(answer.given, strlen(answer.given), NOW, &found, &until_us,
                                      &err));
        EXPECT_STR(err.message, answer.wanted);
        EXPECT_STR(found.secret, "untouched");
        EXPECT_INT(until_us, 77);
        expect_no_secret(&err);
        EXPECT_INT(find_role(with(2, 200, answer.given)).result, CREDENTIALS_WRONG);
    }
}

TEST(keys_may_be_written_with_escapes)
{
    struct outcome outcome =
        find_role(with(2, 200, KEYS("\"A\"", "\"x\\/y\"", "\"\\u0074\"", GOOD_END)));

    EXPECT_HAS(outcome.found, (secret, "x/y"), (token, "t"));
}

TEST(an_answer_that_is_too_long_is_refused)
{
    static char body[20000];

    memset(body, ' ', sizeof body - 1);
    memcpy(body, ROLE_KEYS, strlen(ROLE_KEYS));
    EXPECT_PART(find_role(with(2, 200, body)).err.message, "not what was asked for");
    EXPECT_PART(find_role(with(1, 200, body)).err.message, "not what was asked for");
}

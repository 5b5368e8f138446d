/* The shared file of AWS's tools, as people write it. */
#include "pricing/machine/credentials_file.h"

#include "tests/test.h"

#define SECRET "wJalrXUtnFEMI/K7MDENG+EXAMPLEKEY=="
#define PAIR "aws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = " SECRET "\n"

struct outcome {
    enum credentials_result result;
    struct credentials found;
    struct error err;
};

/* Reads it whole and byte by byte, which makes no difference, and tells no secret. */
static struct outcome read_profile(const char *text, const char *profile)
{
    static const size_t pieces[] = {100000, 1, 5};
    struct outcome first = {.found = {.id = ""}};

    for (size_t i = 0; i < COUNT(pieces); i++) {
        struct outcome outcome = {
            .found = {.id = "", .secret = "untouched", .token = "untouched"}};
        size_t length = strlen(text);
        struct credentials_file file;

        credentials_file_begin(&file, profile);
        for (size_t at = 0, piece; at < length; at += piece) {
            piece = pieces[i] < length - at ? pieces[i] : length - at;
            credentials_file_feed(&file, text + at, piece);
        }
        outcome.result = credentials_file_end(&file, &outcome.found, &outcome.err);
        EXPECT(!strstr(outcome.err.message, SECRET) && !strstr(outcome.err.message, "wJalr"));
        EXPECT_INT(outcome.err.kind,
                   outcome.result == CREDENTIALS_WRONG ? ERROR_INVALID : ERROR_NONE);
        if (outcome.result != CREDENTIALS_FOUND)
            EXPECT_STR(outcome.found.secret, "untouched");
        EXPECT(!memmem(&file, sizeof file, "wJalr", 5)); /* nothing stays behind */
        if (i == 0)
            first = outcome;
        EXPECT(memcmp(&first, &outcome, sizeof first) == 0);
    }
    return first;
}

static void expect_pair(const char *text)
{
    struct outcome outcome = read_profile(text, "default");

    EXPECT_HAS(outcome, (err.message, ""), (result, CREDENTIALS_FOUND), (found.id, "AKIAEXAMPLE"),
               (found.secret, SECRET), (found.token, ""));
}

static void expect_wrong(const char *text, const char *why)
{
    struct outcome outcome = read_profile(text, "default");

    EXPECT_HAS(outcome, (result, CREDENTIALS_WRONG), (err.message, why));
}

TEST(keys_are_read_however_they_are_spaced_and_commented)
{
    expect_pair("[default]\n" PAIR);
    expect_pair("[default]\r\naws_access_key_id=AKIAEXAMPLE\r\naws_secret_access_key=" SECRET
                "\r\n");
    expect_pair("\xef\xbb\xbf[default]\n" PAIR);
    expect_pair("\n\n# mine\n;too\n[ default ] # here\n  \t\n" PAIR "\n\n");
    expect_pair(
        "[default]\n  aws_access_key_id = AKIAEXAMPLE  \n  aws_secret_access_key\t=\t" SECRET
        "\t");
    expect_pair("[default]\nAWS_Access_Key_Id: AKIAEXAMPLE ; a comment\n"
                "aws_secret_access_key = " SECRET " # another");
    expect_pair("[default]\nregion = us-east-1\n" PAIR "output = json");
    expect_pair("[default]\naws_session_token =\n" PAIR);
}

TEST(only_the_wanted_profile_is_read)
{
    static const char text[] = "aws_access_key_id = NOBODYS\n"
                               "[work]\naws_access_key_id = AKIAWORK\n"
                               "aws_secret_access_key = " SECRET "work\n"
                               "aws_session_token = token==\n"
                               "[default]\n" PAIR "[defaults]\naws_access_key_id = OTHER\n"
                               "[broken\nnonsense\n[half]\naws_secret_access_key = " SECRET "\n"
                               "[empty]\nregion = eu-west-1\n";

    expect_pair(text);
    struct outcome outcome = read_profile(text, "work");
    EXPECT_HAS(outcome, (result, CREDENTIALS_FOUND), (found.id, "AKIAWORK"),
               (found.secret, SECRET "work"), (found.token, "token=="));
    EXPECT_INT(read_profile(text, "empty").result, CREDENTIALS_NONE);
    EXPECT_INT(read_profile(text, "unknown").result, CREDENTIALS_NONE);
    EXPECT_INT(read_profile(text, "Default").result, CREDENTIALS_NONE);
    EXPECT_INT(read_profile("", "default").result, CREDENTIALS_NONE);
    outcome = read_profile(text, "half");
    EXPECT_HAS(outcome, (result, CREDENTIALS_WRONG),
               (err.message, "the profile \"half\" of the shared file has no aws_access_key_id"));
}

TEST(half_a_pair_is_named)
{
    expect_wrong("[default]\naws_access_key_id = AKIAEXAMPLE\n",
                 "the profile \"default\" of the shared file has no aws_secret_access_key");
    expect_wrong("[default]\naws_access_key_id =\naws_secret_access_key = " SECRET,
                 "the profile \"default\" of the shared file has no aws_access_key_id");
    expect_wrong("[default]\naws_secret_access_key = " SECRET "\n[other]\n"
                 "aws_access_key_id = AKIAEXAMPLE\n",
                 "the profile \"default\" of the shared file has no aws_access_key_id");
}

TEST(a_continued_value_is_not_a_key)
{
    expect_pair("[default]\n" PAIR "s3 =\n  aws_access_key_id = NESTED\n  [work]\n"
                "  nonsense\nregion = x\n");
    expect_pair("[other]\ns3 =\n  [default]\n  aws_access_key_id = NESTED\n[default]\n" PAIR);
    expect_wrong("[default]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = wJalr\n"
                 "   XUtnFEMI\n",
                 "line 4 of the shared file goes on with a key, which must be on one line");
}

TEST(a_value_that_cannot_be_a_key_is_refused_with_its_line)
{
#define NO_KEY " of the shared file has a key that is too long, or has in it what no key has"
    expect_wrong("[default]\naws_access_key_id = AKIA\naws_secret_access_key = \"" SECRET "\"\n",
                 "line 3" NO_KEY);
    expect_wrong("[default]\n\naws_secret_access_key = wJalr " SECRET, "line 3" NO_KEY);
    expect_wrong("[default]\naws_session_token = wJalr\303\244", "line 2" NO_KEY);
    expect_wrong("[default]\naws_access_key_id = wJalr\001", "line 2" NO_KEY);
    expect_wrong("[default]\n" PAIR "aws_secret_access_key = " SECRET,
                 "line 4 of the shared file has a key that was there already");
    expect_wrong("[default]\n" PAIR "wJalrXUtnFEMI\n",
                 "line 4 of the shared file is neither a profile nor a name with a value");
#undef NO_KEY
}

TEST(a_nul_hides_nothing)
{
    static const char text[] = "[default]\naws_access_key_id = AKIA\0 x\n";
    struct credentials_file file;
    struct credentials found;
    struct error err = {0};

    credentials_file_begin(&file, "default");
    credentials_file_feed(&file, text, sizeof text - 1);
    EXPECT_INT(credentials_file_end(&file, &found, &err), CREDENTIALS_WRONG);
    EXPECT_PART(err.message, "line 2 ");
}

/* "[default]", both keys, and a line of this name with so many letters. */
static struct outcome read_long(const char *name, size_t letters)
{
    AUTO(freep) char *text = malloc(2 * letters + 1000), *value = malloc(letters + 1);

    memset(value, 'x', letters);
    value[letters] = '\0';
    snprintf(text, 2 * letters + 1000, "%s%s\n[default]\n" PAIR "%s%s\n",
             name[0] == '#' ? name : "# ", value, name, value);
    return read_profile(text, "default");
}

TEST(long_tokens_fit_and_longer_ones_are_never_cut)
{
    struct outcome outcome = read_long("aws_session_token = ", 4096);

    EXPECT_INT(outcome.result, CREDENTIALS_FOUND);
    EXPECT_INT((long long)strlen(outcome.found.token), 4096);
    EXPECT_INT(read_long("aws_session_token = ", 4097).result, CREDENTIALS_WRONG);
    outcome = read_long("aws_session_token = ", 5000);
    EXPECT_INT(outcome.result, CREDENTIALS_WRONG);
    EXPECT_STR(outcome.err.message, "line 5 of the shared file is too long");
    EXPECT_INT(read_long("# ", 5000).result, CREDENTIALS_FOUND);
}

#include "server/http/tokens/tokens.h"

#include "common/bytes.h"
#include "tests/test.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static bool parse(const char *text, struct tokens *tokens, struct error *err)
{
    return tokens_parse("tokens", text, strlen(text), tokens, err);
}

TEST(a_file_has_scopes_and_limits_for_each_token)
{
    AUTO(tokens_clear) struct tokens tokens = {0};

    EXPECT_OK(parse("# who may report\n\n"
                    "c1\timport sha256:" ABC " runs_per_hour=100 mib_per_hour=2 # a comment\r\n"
                    "  ops.eu-1_x read,write sha256:" B64 " keys=many requests_per_minute=60",
                    &tokens, &err));
    REQUIRE(tokens.count == 2);
    EXPECT_HAS(tokens, (list[0].name, "c1"), (list[0].scopes, SCOPE_IMPORT),
               (list[0].limits.most[LIMIT_REQUESTS], 0), (list[0].limits.most[LIMIT_RUNS], 100),
               (list[0].limits.most[LIMIT_BYTES], 2 * 1048576), (list[1].name, "ops.eu-1_x"),
               (list[1].scopes, SCOPE_READ | SCOPE_WRITE),
               (list[1].limits.most[LIMIT_REQUESTS], 60));
    EXPECT(tokens.list[1].many_keys && !tokens.list[0].many_keys);
    EXPECT_INT(tokens.list[1].hash[31], 0xbb);
    EXPECT(tokens_find(&tokens, "abc") == &tokens.list[0]);
    EXPECT(!tokens_find(&tokens, "abd"));
    EXPECT(!tokens_find(&tokens, ""));
    EXPECT(!tokens_find(&tokens, ABC));
}

TEST(an_empty_file_has_no_tokens)
{
    static const char *const texts[] = {"", "\n", "# only a comment", " \t\r\n\n#x\n"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        AUTO(tokens_clear) struct tokens tokens = {0};

        EXPECT(parse(texts[i], &tokens, NULL));
        EXPECT_INT((long long)tokens.count, 0);
        EXPECT(!tokens_find(&tokens, "abc"));
    }
}

TEST(a_wrong_line_is_refused_with_its_number_and_its_part)
{
    static const struct {
        const char *text, *where, *why;
    } wrongs[] = {
        {"c1", "tokens:1", "there is no SCOPES"},
        {"\n\nc1 read", "tokens:3", "there is no hash"},
        {"C1 read sha256:" A64, "tokens:1", "the name must have"},
        {".c read sha256:" A64, "tokens:1", "the name must have"},
        {"c/1 read sha256:" A64, "tokens:1", "the name must have"},
        {A64 " read sha256:" A64, "tokens:1", "the name must have 1 to 63"},
        {"read-token read sha256:" A64, "tokens:1", "is what the token of the option"},
        {"write-token read sha256:" A64, "tokens:1", "is what the token of the option"},
        {"c1 reads sha256:" A64, "tokens:1", "the scopes must be some of read, write"},
        {"c1 read, sha256:" A64, "tokens:1", "the scopes must be some of"},
        {"c1 read,read sha256:" A64, "tokens:1", "each once"},
        {"c1 , sha256:" A64, "tokens:1", "the scopes must be some of"},
        {"c1 read " A64, "tokens:1", "the hash must be \"sha256:\" and 64"},
        {"c1 read sha256:" A64 "a", "tokens:1", "the hash must be"},
        {"c1 read sha256:g", "tokens:1", "the hash must be"},
        {"c1 read md5:" A64, "tokens:1", "the hash must be"},
        {"c1 read sha256:" A64 " keys=few", "tokens:1", "keys= must be followed by \"many\""},
        {"c1 read sha256:" A64 " keys=many keys=many", "tokens:1", "keys= is given twice"},
        {"c1 read sha256:" A64 " runs=1", "tokens:1", "a limit must be one of requests_per"},
        {"c1 read sha256:" A64 " runs_per_hour", "tokens:1", "whole number from 1 to 1000000000"},
        {"c1 read sha256:" A64 " runs_per_hour=0", "tokens:1", "whole number from 1"},
        {"c1 read sha256:" A64 " runs_per_hour=-1", "tokens:1", "whole number from 1"},
        {"c1 read sha256:" A64 " runs_per_hour=1e3", "tokens:1", "whole number from 1"},
        {"c1 read sha256:" A64 " runs_per_hour=99999999999999999999", "tokens:1", "whole"},
        {"c1 read sha256:" A64 " mib_per_hour=1048577", "tokens:1", "from 1 to 1048576"},
        {"c1 read sha256:" A64 " runs_per_hour=1 runs_per_hour=1", "tokens:1", "given twice"},
        {"c1 read sha256:" A64 "\nc1 read sha256:" B64, "tokens:2", "the name of another line"},
        {"c1 read sha256:" A64 "\nc2 read sha256:" A64, "tokens:2", "is also the hash of 'c1'"},
    };

    for (size_t i = 0; i < COUNT(wrongs); i++) {
        AUTO(tokens_clear) struct tokens tokens = {0};

        EXPECT_WRONG_SAYS(parse(wrongs[i].text, &tokens, &err), wrongs[i].where, wrongs[i].why);
    }
}

TEST(a_nul_is_no_part_of_a_line)
{
    static const char text[] = "c1 read sha256:" A64 "\n\0hidden";
    AUTO(tokens_clear) struct tokens tokens = {0};

    EXPECT_INVALID(tokens_parse("tokens", text, sizeof text - 1, &tokens, &err), "tokens:2");
}

TEST(an_error_has_the_end_of_a_long_file_name_and_the_line)
{
    AUTO(tokens_clear) struct tokens tokens = {0};
    struct error err = {0};
    char name[200];

    memset(name, 'x', sizeof name);
    memcpy(name + 190, "/file.txt", 10);
    EXPECT(!tokens_parse(name, "\nc1", 3, &tokens, &err));
    EXPECT_PART(err.field, "x/file.txt:2");
}

TEST(a_token_in_the_wrong_place_is_not_quoted)
{
    static const char *const texts[] = {"pw_sEcReT read sha256:" A64, "c1 pw_sEcReT sha256:" A64,
                                        "c1 read pw_sEcReT", "c1 read sha256:" A64 " pw_sEcReT",
                                        "c1 read sha256:" A64 " runs_per_hour=pw_sEcReT"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        AUTO(tokens_clear) struct tokens tokens = {0};
        struct error err = {0};

        EXPECT(!parse(texts[i], &tokens, &err));
        EXPECT(!strstr(err.message, "sEcReT"));
    }
}

TEST(the_token_of_an_option_is_found_and_no_line_may_have_it_too)
{
    AUTO(tokens_clear) struct tokens tokens = {0};

    tokens_add_option(&tokens, READ_TOKEN_NAME, SCOPE_READ, "abc");
    EXPECT(tokens_find(&tokens, "abc") == &tokens.list[0]);
    EXPECT(tokens.list[0].is_option);
    EXPECT_SAYS(parse("c1 read sha256:" ABC, &tokens, &err), "the hash of 'read-token'");
}

TEST(there_is_an_end_to_tokens)
{
    AUTO(bytes_free) struct bytes text = {.limit = 1 << 20};
    AUTO(tokens_clear) struct tokens tokens = {0};

    for (int i = 0; i < TOKENS_MAX; i++)
        EXPECT(bytes_printf(&text, "t%d read sha256:%064x\n", i, i));
    EXPECT_OK(tokens_parse("tokens", text.data, text.used, &tokens, &err));
    EXPECT_INT((long long)tokens.count, TOKENS_MAX);
    EXPECT_SAYS(parse("more read sha256:" A64, &tokens, &err), "at most 4096");
}

TEST(scopes_are_written_as_they_are_read)
{
    char text[SCOPES_TEXT_MAX];
    unsigned scopes;

    for (unsigned set = 1; set <= SCOPES_ALL; set++) {
        scopes_write(set, text);
        EXPECT(scopes_read(text, &scopes, NULL));
        EXPECT_INT(scopes, set);
    }
    EXPECT(scopes_read("import,write,read", &scopes, NULL));
    EXPECT_INT(scopes, SCOPES_ALL);
}

TEST(what_cannot_be_read_is_refused)
{
    static const char *const files[] = {"/nonexistent/tokens", "/", "/dev/zero"};

    for (size_t i = 0; i < COUNT(files); i++) {
        AUTO(tokens_clear) struct tokens tokens = {0};
        struct error err = {0};

        EXPECT(!tokens_read(files[i], &tokens, &err));
        EXPECT_STR(err.field, "--tokens");
        EXPECT_PART(err.message, files[i]);
    }
}

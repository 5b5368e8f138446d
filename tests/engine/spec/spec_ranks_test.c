#include "engine/spec/spec_ranks.h"

#include "common/cleanup.h"
#include "tests/test.h"

static char *read_text(const char *text, int started, struct error *err)
{
    *err = (struct error){0};
    return spec_without_ranks(text, strlen(text), started, err);
}

static void expect_rest(const char *text, int started, const char *rest)
{
    struct error err;
    AUTO(freep) char *got = read_text(text, started, &err);

    EXPECT_STR(err.message, "");
    EXPECT_STR(got, rest);
}

TEST(the_number_is_taken_out_where_so_many_were_started)
{
    expect_rest("{\"steps\":3,\"ranks\":2,\"batch_size\":4}\n", 2,
                "{\"steps\":3,\"batch_size\":4}");
    expect_rest("{\"ranks\":1}", 1, "{}");
    expect_rest("{\"ranks\":65536}", 65536, "{}");
}

TEST(a_spec_that_does_not_say_it_is_of_one)
{
    struct error err;

    expect_rest("{\"steps\":3}", 1, "{\"steps\":3}");
    EXPECT(!read_text("{\"steps\":3}", 2, &err));
    EXPECT_STR(err.field, "ranks");
    EXPECT_STR(err.message, "the spec has 1, mpirun has started 2");
}

TEST(another_number_than_were_started_is_refused)
{
    struct error err;

    EXPECT(!read_text("{\"ranks\":3}", 2, &err));
    EXPECT_INT(err.kind, ERROR_INVALID);
    EXPECT_STR(err.message, "the spec has 3, mpirun has started 2");
}

TEST(what_is_no_number_of_ranks_is_refused)
{
    const char *const bad[] = {"0", "-1", "65537", "1.0", "\"1\"", "null", "true", "[1]"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        char text[64];
        struct error err;

        snprintf(text, sizeof text, "{\"ranks\":%s}", bad[i]);
        EXPECT(!read_text(text, 1, &err));
        EXPECT_STR(err.field, "ranks");
        EXPECT_STR(err.message, "must be an integer from 1 to 65536");
    }
}

TEST(what_is_no_object_is_refused)
{
    const char *const bad[] = {"", "[1]", "{\"ranks\":1", "{\"ranks\":1,\"ranks\":1}", "{} x"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct error err;

        EXPECT(!read_text(bad[i], 1, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT(err.message[0] != '\0');
    }
}

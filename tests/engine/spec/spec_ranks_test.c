#include "engine/spec/spec_ranks.h"

#include "tests/test.h"

static char *read_text(const char *text, int started, struct error *err)
{
    *err = (struct error){0};
    return spec_without_ranks(text, strlen(text), started, err);
}

#define BAD "must be an integer from 1 to 65536"

TEST(the_number_is_taken_out_where_so_many_were_started)
{
    static const struct {
        const char *text;
        int started;
        const char *rest, *message; /* one of them */
    } rows[] = {
        {"{\"steps\":3,\"ranks\":2,\"batch_size\":4}\n", 2, "{\"steps\":3,\"batch_size\":4}", ""},
        {"{\"ranks\":1}", 1, "{}", ""},
        {"{\"ranks\":65536}", 65536, "{}", ""},
        {"{\"steps\":3}", 1, "{\"steps\":3}", ""}, /* one that does not say it is of one */
        {"{\"steps\":3}", 2, NULL, "the spec has 1, mpirun has started 2"},
        {"{\"ranks\":3}", 2, NULL, "the spec has 3, mpirun has started 2"},
        {"{\"ranks\":0}", 1, NULL, BAD},
        {"{\"ranks\":-1}", 1, NULL, BAD},
        {"{\"ranks\":65537}", 1, NULL, BAD},
        {"{\"ranks\":1.0}", 1, NULL, BAD},
        {"{\"ranks\":\"1\"}", 1, NULL, BAD},
        {"{\"ranks\":null}", 1, NULL, BAD},
        {"{\"ranks\":true}", 1, NULL, BAD},
        {"{\"ranks\":[1]}", 1, NULL, BAD},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error err;
        AUTO(freep) char *rest = read_text(rows[i].text, rows[i].started, &err);

        EXPECT_STR(rest, rows[i].rest);
        EXPECT_STR(err.message, rows[i].message);
        EXPECT_STR(err.field, rows[i].rest ? "" : "ranks");
        EXPECT_INT(err.kind, rows[i].rest ? ERROR_NONE : ERROR_INVALID);
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

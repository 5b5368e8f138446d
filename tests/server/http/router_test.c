#include "server/http/router.h"

#include "tests/test.h"

static void none(struct exchange *exchange)
{
    (void)exchange;
}

/* A table of the test's own; the served one is in routes_test.c. */
static const struct route table[] = {
    {"GET", "/", none, ACCESS_OPEN, .takes_body = BODY_NONE},
    {"GET", "/things", none, ACCESS_READ, .takes_body = BODY_NONE},
    {"POST", "/things", none, ACCESS_WRITE, .takes_body = BODY_JSON},
    {"GET", "/things/{id}", none, ACCESS_READ, .takes_body = BODY_NONE},
    {"DELETE", "/things/{id}", none, ACCESS_WRITE, .takes_body = BODY_NONE},
    {"GET", "/things/{id}/parts", none, ACCESS_READ, .takes_body = BODY_NONE},
    {"PUT", "/only/put", none, ACCESS_WRITE, .takes_body = BODY_JSON},
    {"POST", "/things/all", none, ACCESS_WRITE, .takes_body = BODY_JSON},
};

static const struct {
    const char *method, *path;
    enum router_result result;
    int route;      /* its row, when found */
    const char *id; /* NULL when the path has none */
} searches[] = {
    {"GET", "/", ROUTER_FOUND, 0, NULL},
    {"GET", "/things", ROUTER_FOUND, 1, NULL},
    {"POST", "/things", ROUTER_FOUND, 2, NULL},
    {"GET", "/things/7", ROUTER_FOUND, 3, "7"},
    {"DELETE", "/things/7", ROUTER_FOUND, 4, "7"},
    {"GET", "/things/7/parts", ROUTER_FOUND, 5, "7"},
    {"GET", "/things/parts/parts", ROUTER_FOUND, 5, "parts"},
    {"GET", "/things/{id}", ROUTER_FOUND, 3, "{id}"},
    {"GET", "/things/a b?c", ROUTER_FOUND, 3, "a b?c"},
    {"HEAD", "/things", ROUTER_FOUND, 1, NULL},
    {"HEAD", "/things/7", ROUTER_FOUND, 3, "7"},

    {"POST", "/things/all", ROUTER_FOUND, 7, NULL},
    {"GET", "/things/all/parts", ROUTER_FOUND, 5, "all"},

    {"GET", "/things/all", ROUTER_NO_METHOD, 0, NULL}, /* it is no id */
    {"PUT", "/things", ROUTER_NO_METHOD, 0, NULL},
    {"OPTIONS", "/things", ROUTER_NO_METHOD, 0, NULL},
    {"get", "/things", ROUTER_NO_METHOD, 0, NULL},
    {"", "/things", ROUTER_NO_METHOD, 0, NULL},
    {"GE", "/things", ROUTER_NO_METHOD, 0, NULL},
    {"POST", "/things/7", ROUTER_NO_METHOD, 0, NULL},
    {"GET", "/only/put", ROUTER_NO_METHOD, 0, NULL},
    {"HEAD", "/only/put", ROUTER_NO_METHOD, 0, NULL}, /* HEAD is as good as GET, no better */

    {"GET", "", ROUTER_NO_PATH, 0, NULL},
    {"GET", "//", ROUTER_NO_PATH, 0, NULL},
    {"GET", "/thing", ROUTER_NO_PATH, 0, NULL},
    {"GET", "/Things", ROUTER_NO_PATH, 0, NULL},
    {"GET", "/things/", ROUTER_NO_PATH, 0, NULL},
    {"GET", "/things//parts", ROUTER_NO_PATH, 0, NULL},
    {"GET", "/things/7/", ROUTER_NO_PATH, 0, NULL},
    {"GET", "/things/7/part", ROUTER_NO_PATH, 0, NULL},
    {"GET", "/things/7/parts/", ROUTER_NO_PATH, 0, NULL},
    {"GET", "/things/7/8/parts", ROUTER_NO_PATH, 0, NULL},
    {"OPTIONS", "/nothing", ROUTER_NO_PATH, 0, NULL},
};

TEST(a_request_finds_its_route_and_id)
{
    for (size_t i = 0; i < COUNT(searches); i++) {
        struct router_match match = {.id_length = 77};
        enum router_result result =
            router_find(table, COUNT(table), searches[i].method, searches[i].path, &match);
        char id[32];

        EXPECT_INT(result, searches[i].result);
        if (result != ROUTER_FOUND) {
            EXPECT_INT((long long)match.id_length, 77); /* left as it was */
            continue;
        }
        EXPECT_INT(match.route - table, searches[i].route);
        EXPECT_INT(match.id != NULL, searches[i].id != NULL);
        snprintf(id, sizeof id, "%.*s", (int)match.id_length, match.id ? match.id : "");
        EXPECT_STR(id, searches[i].id ? searches[i].id : "");
    }
}

static const struct {
    const char *path, *allow;
} allowances[] = {
    {"/", "GET, HEAD, OPTIONS"},
    {"/things", "GET, HEAD, POST, OPTIONS"},
    {"/things/7", "GET, HEAD, DELETE, OPTIONS"},
    {"/things/7/parts", "GET, HEAD, OPTIONS"},
    {"/only/put", "PUT, OPTIONS"},
    {"/things/all", "POST, OPTIONS"},
    {"/nothing", "OPTIONS"},
};

TEST(the_methods_of_a_path_are_listed)
{
    for (size_t i = 0; i < COUNT(allowances); i++) {
        char allow[64];

        router_allow(table, COUNT(table), allowances[i].path, allow, sizeof allow);
        EXPECT_STR(allow, allowances[i].allow);
    }
}

TEST(a_list_that_does_not_fit_is_cut_inside_its_buffer)
{
    for (size_t size = 1; size < 30; size++) {
        char *allow = malloc(size); /* exactly, so that a byte too far is seen */

        if (!allow)
            return;
        router_allow(table, COUNT(table), "/things/7", allow, size);
        EXPECT(strlen(allow) < size);
        free(allow);
    }
}

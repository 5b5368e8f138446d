#include "server/http/routes.h"

#include "tests/test.h"

/* The pattern with its hole filled. */
static void fill_in(const char *pattern, char *ret_path, size_t size)
{
    const char *hole = strstr(pattern, "{id}");

    if (hole)
        snprintf(ret_path, size, "%.*s01ARZ3%s", (int)(hole - pattern), pattern,
                 hole + strlen("{id}"));
    else
        snprintf(ret_path, size, "%s", pattern);
}

TEST(every_route_is_reached_by_its_own_pattern)
{
    for (size_t i = 0; i < route_count; i++) {
        struct router_match match = {0};
        char path[200];

        fill_in(routes[i].pattern, path, sizeof path);
        EXPECT_INT(router_find(routes, route_count, routes[i].method, path, &match),
                   ROUTER_FOUND);
        EXPECT(match.route == &routes[i]);
    }
}

/* A path that is spelled out wins over an id: for the others the order of the table is nothing.
 */
static bool wins(size_t i, size_t k)
{
    return !strchr(routes[i].pattern, '{') && strchr(routes[k].pattern, '{');
}

TEST(no_two_routes_answer_the_same_request)
{
    for (size_t i = 0; i < route_count; i++)
        for (size_t k = 0; k < route_count; k++) {
            struct router_match match;
            char path[200];

            if (wins(i, k))
                continue;
            fill_in(routes[i].pattern, path, sizeof path);
            EXPECT_INT(router_find(&routes[k], 1, routes[i].method, path, &match) == ROUTER_FOUND,
                       i == k);
        }
}

TEST(every_route_has_a_handler_and_at_most_one_id)
{
    EXPECT(route_count > 0);
    for (size_t i = 0; i < route_count; i++) {
        const char *hole = strchr(routes[i].pattern, '{');

        EXPECT(routes[i].handler != NULL);
        EXPECT_INT(routes[i].pattern[0], '/');
        if (hole) {
            EXPECT(strncmp(hole, "{id}", 4) == 0);
            EXPECT_INT(hole[-1], '/');
            EXPECT(hole[4] == '\0' || hole[4] == '/');
            EXPECT(strchr(hole + 1, '{') == NULL);
        }
    }
}

static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};

/* What may only be read by those who may write. */
static bool holds_everything(const char *pattern)
{
    return strcmp(pattern, "/v1/backup") == 0;
}

/* What a candidate sends: its runs, and that it was taken back. */
static bool candidates_send_to(const char *pattern)
{
    return strcmp(pattern, "/v1/runs/import") == 0 || strcmp(pattern, "/v1/capacity") == 0;
}

TEST(a_method_that_changes_something_wants_the_right_to_write)
{
    for (size_t i = 0; i < route_count; i++) {
        bool known = false;

        for (size_t k = 0; k < COUNT(methods); k++)
            known = known || strcmp(routes[i].method, methods[k]) == 0;
        EXPECT(known);
        if (strcmp(routes[i].method, "GET") == 0)
            EXPECT(routes[i].takes_body == BODY_NONE &&
                   (routes[i].access == ACCESS_COPY) == holds_everything(routes[i].pattern));
        else
            EXPECT_INT(routes[i].access,
                       candidates_send_to(routes[i].pattern) ? ACCESS_IMPORT : ACCESS_WRITE);
    }
}

TEST(every_post_says_what_body_it_takes)
{
    for (size_t i = 0; i < route_count; i++) {
        const char *pattern = routes[i].pattern;
        enum body_kind wanted = strcmp(routes[i].method, "POST") != 0         ? BODY_NONE
                                : strcmp(pattern, "/v1/runs/import") == 0     ? BODY_RUNS
                                : strcmp(pattern, "/v1/prices/refresh") == 0  ? BODY_NONE
                                : strcmp(pattern, "/v1/runs/{id}/check") == 0 ? BODY_NONE
                                                                              : BODY_JSON;

        EXPECT_INT(routes[i].takes_body, wanted);
    }
}

/* Paths that need no token. A second list, so that a path is opened only on purpose. */
static const char *const open_paths[] = {"/", "/assets/{id}", "/healthz", "/readyz",
                                         "/v1/openapi.json"};

TEST(only_the_page_its_health_and_its_description_are_open)
{
    for (size_t i = 0; i < route_count; i++) {
        bool open = false;

        for (size_t k = 0; k < COUNT(open_paths); k++)
            open = open || strcmp(routes[i].pattern, open_paths[k]) == 0;
        EXPECT_INT(routes[i].access == ACCESS_OPEN, open);
    }
}

TEST(the_methods_of_every_path_fit_into_one_header)
{
    for (size_t i = 0; i < route_count; i++) {
        char path[200], allow[64];

        fill_in(routes[i].pattern, path, sizeof path);
        router_allow(routes, route_count, path, allow, sizeof allow);
        EXPECT_PART(allow, routes[i].method);
        EXPECT_STR(allow + strlen(allow) - strlen("OPTIONS"), "OPTIONS");
    }
}

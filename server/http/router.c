#include "server/http/router.h"

#include <stdio.h>
#include <string.h>

static bool pattern_matches(const char *pattern, const char *path, struct router_match *match)
{
    for (; *pattern && *pattern != '{' && *pattern == *path; pattern++)
        path++;
    if (*pattern != '{')
        return *pattern == *path; /* both end here */
    match->id = path;
    match->id_length = strcspn(path, "/");
    return match->id_length > 0 && strcmp(path + match->id_length, pattern + strlen("{id}")) == 0;
}

static bool is_spelled_out(const struct route *routes, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(routes[i].pattern, path) == 0 && !strstr(path, "{id}"))
            return true;
    return false;
}

/* A known path with another method is 405, an unknown path 404, so the search continues after a
 * wrong method. */
enum router_result router_find(const struct route *routes, size_t count, const char *method,
                               const char *path, struct router_match *ret_match)
{
    enum router_result result = ROUTER_NO_PATH;
    bool spelled_out = is_spelled_out(routes, count, path);

    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    for (size_t i = 0; i < count; i++) {
        struct router_match match = {.route = &routes[i]};

        if (!pattern_matches(routes[i].pattern, path, &match) || (spelled_out && match.id))
            continue;
        result = ROUTER_NO_METHOD;
        if (strcmp(routes[i].method, method) == 0) {
            *ret_match = match;
            return ROUTER_FOUND;
        }
    }
    return result;
}

void router_allow(const struct route *routes, size_t count, const char *path, char *ret_allow,
                  size_t size)
{
    bool spelled_out = is_spelled_out(routes, count, path);
    size_t used = 0;

    ret_allow[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        struct router_match match = {0};

        if (!pattern_matches(routes[i].pattern, path, &match) || (spelled_out && match.id))
            continue;
        used += (size_t)snprintf(ret_allow + used, size - used, "%s%s, ", routes[i].method,
                                 strcmp(routes[i].method, "GET") == 0 ? ", HEAD" : "");
    }
    if (used < size)
        snprintf(ret_allow + used, size - used, "OPTIONS");
}

/* Property: a found route explains the path (its pattern with the id filled in is the path), and
 * the three results agree with the methods that Allow lists. The input is "METHOD PATH". */
#include "server/http/routes.h"
#include "tests/fuzz/fuzz.h"

#include <stdbool.h>

/* True when ", method," is in ", list,". */
static bool is_listed(const char *list, const char *method)
{
    size_t length = strlen(method);

    for (;;) {
        size_t word = strcspn(list, ",");

        if (word == length && strncmp(list, method, length) == 0)
            return true;
        if (!list[word])
            return false;
        list += word + strspn(list + word, ", ");
    }
}

static void check_match(const struct router_match *match, const char *path)
{
    const char *pattern = match->route->pattern;
    const char *hole = strstr(pattern, "{id}");

    ALWAYS(match->route >= routes && match->route < routes + route_count);
    ALWAYS((hole != NULL) == (match->id != NULL));
    if (!hole) {
        ALWAYS(strcmp(pattern, path) == 0);
        return;
    }
    size_t before = (size_t)(hole - pattern);
    ALWAYS(match->id >= path && match->id + match->id_length <= path + strlen(path));
    ALWAYS(match->id_length > 0 && !memchr(match->id, '/', match->id_length));
    ALWAYS(match->id == path + before && strncmp(pattern, path, before) == 0);
    ALWAYS(strcmp(match->id + match->id_length, hole + strlen("{id}")) == 0);
}

FUZZ_TEXT(method)
{
    char *space = strchr(method, ' ');
    const char *path = space ? space + 1 : "";
    struct router_match match = {0};
    char allow[64];

    if (space)
        *space = '\0';
    enum router_result result = router_find(routes, route_count, method, path, &match);
    router_allow(routes, route_count, path, allow, sizeof allow);

    ALWAYS(strlen(allow) + 1 < sizeof allow); /* so nothing was cut off */
    ALWAYS(is_listed(allow, "OPTIONS"));
    ALWAYS((result == ROUTER_NO_PATH) == (strcmp(allow, "OPTIONS") == 0));
    if (result == ROUTER_FOUND) {
        ALWAYS(is_listed(allow, method));
        ALWAYS(strcmp(method, "OPTIONS") != 0);
        check_match(&match, path);
    } else {
        ALWAYS(match.route == NULL);
        ALWAYS(!is_listed(allow, method) || strcmp(method, "OPTIONS") == 0);
    }
}

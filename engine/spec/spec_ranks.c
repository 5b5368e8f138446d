#include "engine/spec/spec_ranks.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/json_text.h"

#include <jansson.h>

static bool ranks_check(const json_t *ranks, int started, struct error *err)
{
    json_int_t number = ranks ? json_integer_value(ranks) : 1;

    if (ranks && (!json_is_integer(ranks) || number < 1 || number > SPEC_RANKS_MAX))
        return error_set(err, ERROR_INVALID, "ranks", "must be an integer from 1 to %d",
                         SPEC_RANKS_MAX);
    if (number != started)
        return error_set(err, ERROR_INVALID, "ranks", "the spec has %lld, mpirun has started %d",
                         (long long)number, started);
    return true;
}

char *spec_without_ranks(const char *text, size_t length, int started, struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *spec = json_read(text, length, 0, &why);

    if (!spec) {
        error_set(err, ERROR_INVALID, NULL, "the spec is not JSON: %s", why.text);
        return NULL;
    }
    if (!json_is_object(spec)) {
        error_set(err, ERROR_INVALID, NULL, "the spec must be a JSON object");
        return NULL;
    }
    if (!ranks_check(json_object_get(spec, "ranks"), started, err))
        return NULL;
    json_object_del(spec, "ranks");
    return json_text(spec);
}

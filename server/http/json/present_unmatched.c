#include "server/http/json/present_unmatched.h"

void present_unmatched(struct json_writer *out, const struct unmatched *list, size_t count)
{
    jsonw_open(out, "unmatched", '[');
    for (size_t i = 0; i < count; i++) {
        const struct unmatched *unmatched = &list[i];

        jsonw_open(out, NULL, '{');
        jsonw_text(out, "parameter", unmatched->parameter);
        jsonw_text(out, "value", unmatched->value);
        jsonw_text(out, "words", unmatched->words);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
}

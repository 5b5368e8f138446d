#include "server/base/taken_back_json.h"

#include "common/text.h"

void present_taken_back(struct json_writer *out, const char *key, const struct taken_back *taken)
{
    if (taken->at_us == 0) {
        jsonw_null(out, key);
        return;
    }
    jsonw_open(out, key, '{');
    jsonw_time(out, "at", taken->at_us);
    jsonw_text(out, "by", text_or_null(taken->by));
    jsonw_text(out, "reason", text_or_null(taken->reason));
    jsonw_close(out, '}');
}

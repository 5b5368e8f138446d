#include "server/http/json/present_senders.h"

#include "common/text.h"

void present_senders(struct json_writer *out, const struct contender *contender)
{
    jsonw_open(out, "senders", '[');
    for (size_t i = 0; i < contender->source_count; i++) {
        const struct run_source *source = &contender->sources[i];

        jsonw_open(out, NULL, '{');
        jsonw_text(out, "sender", text_or_null(source->name));
        jsonw_text(out, "provenance", provenance_names[source->provenance]);
        jsonw_bool(out, "trusted", source->is_trusted);
        jsonw_integer(out, "runs", (long long)source->runs);
        jsonw_integer(out, "machines", (long long)source->machines);
        jsonw_number(out, "share", source->share);
        jsonw_text(out, "counts", source_weight_names[source->weight]);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
}

static const char *name_of(const struct run_source *source)
{
    if (source->name[0])
        return source->name;
    return source->provenance == PROVENANCE_MEASURED ? "measured here" : "imported";
}

bool present_senders_line(struct bytes *text, const struct contender *contender)
{
    bool ok = bytes_printf(text, "%s", "");

    for (size_t i = 0; ok && i < contender->source_count; i++) {
        const struct run_source *source = &contender->sources[i];

        ok = bytes_printf(text, "%s%s ", i > 0 ? ", " : "", name_of(source));
        if (ok && source->weight == SOURCE_ASIDE)
            ok = bytes_printf(text, "aside");
        else if (ok)
            ok = bytes_printf(text, "%.3g %%", 100 * source->share);
    }
    return ok;
}

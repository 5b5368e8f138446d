#include "server/http/json/present_wanted.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "server/http/json/present_unmatched.h"

static bool present_one(struct json_writer *out, const struct wanted *wanted)
{
    AUTO(freep) char *spec = run_spec_to_text(&wanted->spec);
    const struct standing nothing = {0};
    const struct standing *standing = wanted->contender ? &wanted->contender->standing : &nothing;

    jsonw_open(out, NULL, '{');
    jsonw_raw(out, "spec", spec);
    jsonw_text(out, "reason", wanted_reason_names[wanted->reason]);
    jsonw_text(out, "words", wanted->words);
    jsonw_text(out, "row", wanted->contender ? wanted->contender->id : NULL);
    jsonw_integer(out, "runs", standing->runs);
    jsonw_integer(out, "machines", standing->vms);
    jsonw_text(out, "version",
               wanted->contender ? text_or_null(wanted->contender->version) : NULL);
    jsonw_time(out, "measured_at", standing->newest_us);
    jsonw_integer(out, "other_types", wanted->types);
    jsonw_close(out, '}');
    return spec != NULL;
}

bool present_wanted(struct json_writer *out, const struct wanted_question *question,
                    const struct wanted_list *list, size_t limit,
                    const struct unmatched_list *unmatched)
{
    bool ok = true;

    jsonw_open(out, NULL, '{');
    jsonw_text(out, "instance_type", question->type->listed.name);
    jsonw_text(out, "provider", text_or_null(question->type->listed.provider));
    jsonw_open(out, "wanted", '[');
    for (size_t i = 0; ok && i < list->count && i < limit; i++)
        ok = present_one(out, &list->list[i]);
    jsonw_close(out, ']');
    jsonw_integer(out, "count", (long long)list->count);
    jsonw_integer(out, "unable", (long long)list->unable);
    present_unmatched(out, unmatched->list, unmatched->count);
    jsonw_close(out, '}');
    return ok;
}

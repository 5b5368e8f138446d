/* Tested by tests/api/test_comparison.py. */
#include "server/http/json/present_senders.h"

static const struct member sender_rows[] = {
    {MEMBER_AS(struct run_source, "sender", name), .nullable = true, .filled = true,
     .meaning = "The name of a token; null for what was measured here, or came in without the "
                "name of a token."},
    {MEMBER(struct run_source, provenance), .words = provenance_names},
    {MEMBER_AS(struct run_source, "trusted", is_trusted),
     .meaning = "This server, the operator, and the senders of `--gate-trust`."},
    {MEMBER(struct run_source, runs), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "The newest valid runs that were looked at."},
    {MEMBER(struct run_source, machines), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "That these runs name."},
    {MEMBER(struct run_source, share), .range = MEMBER_SHARE,
     .meaning = "Number of inputs of the throughput: machines where its level is `vms`, else "
                "runs."},
    {MEMBER_AS(struct run_source, "counts", weight), .words = source_weight_names,
     .meaning =
         "`machines`: each machine counts; `vote`: all runs are one vote, because no other "
         "source confirms them; `aside`: they contradict the others, and do not count."},
    {0},
};
const struct members sender_members = {
    .name = "RowSender",
    .meaning = "The senders of a comparison row's runs, the largest share first.",
    .rows = sender_rows};

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

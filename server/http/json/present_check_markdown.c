/* Tested by tests/server/http/json/present_check_test.c. */
#include "server/http/json/present_check_markdown.h"

#include "server/http/json/markdown_text.h"

#include <math.h>

static bool write_row(struct bytes *text, const char *name, const struct gate_track *track)
{
    const struct gate_look *look = gate_track_look(track);

    if (!track->known || !isfinite(look->ratio.value))
        return bytes_printf(text, "| %s | not known | | |\n", name);
    if (!look->ratio.known)
        return bytes_printf(text, "| %s | %.4f | not known | %s |\n", name, look->ratio.value,
                            gate_verdict_names[track->verdict]);
    return bytes_printf(text, "| %s | %.4f | %.4f to %.4f (%s) | %s |\n", name, look->ratio.value,
                        look->ratio.low, look->ratio.high, gate_level_names[look->level],
                        gate_verdict_names[track->verdict]);
}

static bool write_check_price(struct bytes *text, const struct gate_check *check)
{
    double ratio = check->candidate.dollars / check->baseline.dollars;

    return isfinite(ratio) ? bytes_printf(text, "| dollars per hour | %.4f | | |\n", ratio)
                           : bytes_printf(text, "| dollars per hour | not known | | |\n");
}

/* Repeats that do not count, each with its reason. */
static bool write_lost(struct bytes *text, const char *name, const struct gate_check_side *side,
                       const char *address)
{
    bool ok = true;

    for (size_t i = 0; ok && i < side->lost_count; i++) {
        const struct gate_lost_run *run = &side->lost[i];

        ok = bytes_printf(text, "%s: a repeat does not count ([%s](%s/v1/runs/%s))%s", name,
                          run->how, address, run->id.text, run->because[0] ? ": " : "") &&
             markdown_add_plain(text, run->because) && bytes_printf(text, ".\n");
    }
    return ok;
}

static bool write_side(struct bytes *text, const char *name, const struct gate_check_side *side,
                       const char *address)
{
    if (side->left_out_count > 0 &&
        !bytes_printf(text,
                      "%s: %zu run%s left out, of senders that `--gate-trust` does not name.\n",
                      name, side->left_out_count, side->left_out_count == 1 ? "" : "s"))
        return false;
    if (!write_lost(text, name, side, address))
        return false;
    if (side->count == 0)
        return bytes_printf(text, "%s: no valid run.\n", name);
    return bytes_printf(text, "%s: %.5g samples/s over %zu run%s ([newest](%s/v1/runs/%s)).\n",
                        name, side->value, side->count, side->count == 1 ? "" : "s", address,
                        side->runs[0].id.text);
}

static bool write_detectable_text(struct bytes *text, const struct gate_check *check)
{
    double share = gate_track_look(&check->code)->detectable;

    if (check->baseline.count == 0)
        return true; /* nothing to compare with */
    return isfinite(share)
               ? bytes_printf(text,
                              "A slowdown of %.3g %% or more would mostly have been found "
                              "(margin %.3g %%).\n",
                              100 * share, 100 * check->request.margin)
               : bytes_printf(text,
                              "There are too few runs to find any slowdown (margin %.3g "
                              "%%).\n",
                              100 * check->request.margin);
}

static bool write_confirmation(struct bytes *text, const struct gate_check *check,
                               const char *address)
{
    const struct confirmation *again = &check->confirmation;

    return again->state == CONFIRM_NONE ||
           bytes_printf(text, "\nMeasured again ([%s](%s/v1/sweeps/%s)): %s.\n",
                        confirmation_state_names[again->state], address, again->sweep.text,
                        confirmation_kind_words[again->kind]);
}

bool present_check_markdown(struct bytes *text, const struct gate_check *check,
                            const char *address)
{
    char baseline[BASELINE_TEXT_SIZE];

    gate_baseline_text(&check->request, baseline);
    return bytes_printf(text, "**%s**: ", gate_verdict_names[check->verdict]) &&
           markdown_add_plain(text, check->words) &&
           bytes_printf(text,
                        "\n\n| | ratio | 95 %% interval | verdict |\n|---|---|---|---|\n") &&
           write_row(text, "code: samples per second", &check->code) &&
           write_check_price(text, check) &&
           write_row(text, "samples per dollar", &check->dollars) && bytes_printf(text, "\n") &&
           write_detectable_text(text, check) &&
           write_side(text, "Candidate", &check->candidate, address) &&
           write_side(text, "Baseline", &check->baseline, address) &&
           bytes_printf(text, "Compared with ") && markdown_add_code(text, baseline) &&
           bytes_printf(text, ".\n") && write_confirmation(text, check, address);
}

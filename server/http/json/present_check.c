#include "server/http/json/present_check.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "server/http/json/markdown_text.h"
#include "server/http/json/present_unmatched.h"

#include <math.h>

static void present_ratio(struct json_writer *out, const char *key, const struct gate_look *look)
{
    if (!isfinite(look->ratio.value)) {
        jsonw_null(out, key);
        return;
    }
    jsonw_open(out, key, '{');
    jsonw_number(out, "value", look->ratio.value);
    jsonw_number(out, "low", look->ratio.known ? look->ratio.low : NAN);
    jsonw_number(out, "high", look->ratio.known ? look->ratio.high : NAN);
    jsonw_text(out, "level", gate_level_name(look->level));
    jsonw_close(out, '}');
}

/* `known` is false for dollars without a known price. */
static void present_part(struct json_writer *out, const char *key, const struct gate_check *check,
                         const struct gate_track *track)
{
    const struct ratio *ratio = &gate_check_look(check, track)->ratio;

    if (!track->known) {
        jsonw_null(out, key);
        return;
    }
    jsonw_open(out, key, '{');
    jsonw_number(out, "ratio", ratio->value);
    if (ratio->known) {
        jsonw_open(out, "interval", '{');
        jsonw_number(out, "low", ratio->low);
        jsonw_number(out, "high", ratio->high);
        jsonw_close(out, '}');
    } else {
        jsonw_null(out, "interval");
    }
    jsonw_text(out, "verdict", gate_verdict_name(track->verdict));
    jsonw_close(out, '}');
}

static void present_left_out(struct json_writer *out, const struct gate_check_side *side)
{
    char because[TOKEN_NAME_SIZE + 64];

    jsonw_open(out, "left_out", '[');
    for (size_t i = 0; i < side->left_out_count; i++) {
        const struct gate_run *run = &side->left_out[i];

        snprintf(because, sizeof because, "sent by %s, " GATE_NOT_TRUSTED, run->sender);
        jsonw_open(out, NULL, '{');
        jsonw_text(out, "run", run->id.text);
        jsonw_text(out, "sender", run->sender);
        jsonw_text(out, "because", because);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
}

static void present_side(struct json_writer *out, const struct gate_check_side *side)
{
    jsonw_open(out, "runs", '[');
    for (size_t i = 0; i < side->count; i++)
        jsonw_text(out, NULL, side->runs[i].id.text);
    jsonw_close(out, ']');
    jsonw_number(out, "value", side->value);
    jsonw_integer(out, "n", (long long)side->count);
    present_left_out(out, side);
    jsonw_open(out, "lost", '[');
    for (size_t i = 0; i < side->lost_count; i++) {
        jsonw_open(out, NULL, '{');
        jsonw_text(out, "run", side->lost[i].id.text);
        jsonw_text(out, "how", side->lost[i].how);
        jsonw_text(out, "because", text_or_null(side->lost[i].because));
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
}

static void price_words(const struct gate_check *check, size_t size, char ret_words[])
{
    const struct gate_check_side *candidate = &check->candidate, *baseline = &check->baseline;
    double ratio = candidate->dollars / baseline->dollars;

    if (candidate->unpriced + baseline->unpriced > 0)
        snprintf(ret_words, size, "the price of an hour is unknown for %zu of %zu runs",
                 candidate->unpriced + baseline->unpriced, candidate->count + baseline->count);
    else if (!isfinite(ratio))
        snprintf(ret_words, size, "there are no runs to compare");
    else if (fabs(ratio - 1) < 1e-9)
        snprintf(ret_words, size, "an hour costs the same on both sides");
    else
        snprintf(ret_words, size, "an hour of the candidate costs %.4g times the baseline's",
                 ratio);
}

static void present_price_part(struct json_writer *out, const struct gate_check *check)
{
    char words[128];

    price_words(check, sizeof words, words);
    jsonw_open(out, "price", '{');
    jsonw_number(out, "ratio", check->candidate.dollars / check->baseline.dollars);
    jsonw_number(out, "candidate_per_hour", check->candidate.dollars);
    jsonw_number(out, "baseline_per_hour", check->baseline.dollars);
    jsonw_text(out, "words", words);
    jsonw_close(out, '}');
}

static const char *state_name(enum confirmation_state state)
{
    static const char *const names[] = {[CONFIRM_NONE] = "none",
                                        [CONFIRM_RUNNING] = "running",
                                        [CONFIRM_FINISHED] = "finished",
                                        [CONFIRM_CANCELLED] = "cancelled"};
    return names[state];
}

static const char *kind_words(enum confirmation_kind kind)
{
    return kind == CONFIRM_INTERLEAVED
               ? "both sides in turns on this machine"
               : "not interleaved, because the baseline's build is not on this machine: register "
                 "it as another --engine";
}

static void present_confirmation(struct json_writer *out, const struct gate_check *check)
{
    const struct confirmation *again = &check->confirmation;

    if (again->state == CONFIRM_NONE) {
        jsonw_null(out, "confirmation");
        return;
    }
    jsonw_open(out, "confirmation", '{');
    jsonw_text(out, "kind", again->kind == CONFIRM_INTERLEAVED ? "interleaved" : "rerun");
    jsonw_text(out, "sweep", again->sweep.text);
    jsonw_text(out, "state", state_name(again->state));
    jsonw_text(out, "words", kind_words(again->kind));
    jsonw_integer(out, "n", (long long)again->count);
    present_ratio(out, "first", &check->code.first);
    if (again->state == CONFIRM_RUNNING)
        jsonw_null(out, "second");
    else
        present_ratio(out, "second", &check->code.second);
    jsonw_close(out, '}');
}

static void present_baseline(struct json_writer *out, const struct gate_check *check)
{
    char words[BASELINE_TEXT_SIZE];

    gate_baseline_text(&check->request, words);
    jsonw_open(out, "baseline", '{');
    jsonw_text(out, "kind", baseline_kind_name(check->request.kind));
    jsonw_text(out, "words", words);
    present_side(out, &check->baseline);
    jsonw_close(out, '}');
    present_unmatched(out, &check->unmatched, check->unmatched.parameter ? 1 : 0);
}

void present_check(struct json_writer *out, const struct gate_check *check)
{
    const struct gate_look *look = gate_check_look(check, &check->code);
    int confirmed = gate_check_confirmed(check);

    jsonw_open(out, NULL, '{');
    jsonw_text(out, "run", check->run.text);
    jsonw_text(out, "verdict", gate_verdict_name(check->verdict));
    if (confirmed < 0)
        jsonw_null(out, "confirmed");
    else
        jsonw_bool(out, "confirmed", confirmed > 0);
    jsonw_text(out, "words", check->words);
    present_ratio(out, "ratio", look);
    jsonw_number(out, "margin_percent", check->request.margin * 100);
    jsonw_number(out, "smallest_detectable_percent", look->detectable * 100);
    jsonw_text(out, "fails_on", check->request.fails_on_price ? "code_and_price" : "code");
    jsonw_open(out, "differs", '[');
    for (const char *const *name = check->differs; *name; name++)
        jsonw_text(out, NULL, *name);
    jsonw_close(out, ']');
    jsonw_open(out, "candidate", '{');
    present_side(out, &check->candidate);
    jsonw_close(out, '}');
    present_baseline(out, check);
    present_part(out, "code", check, &check->code);
    present_price_part(out, check);
    present_part(out, "samples_per_dollar", check, &check->dollars);
    present_confirmation(out, check);
    jsonw_close(out, '}');
}

static bool write_row(struct bytes *text, const char *name, const struct gate_check *check,
                      const struct gate_track *track)
{
    const struct gate_look *look = gate_check_look(check, track);

    if (!track->known || !isfinite(look->ratio.value))
        return bytes_printf(text, "| %s | not known | | |\n", name);
    if (!look->ratio.known)
        return bytes_printf(text, "| %s | %.4f | not known | %s |\n", name, look->ratio.value,
                            gate_verdict_name(track->verdict));
    return bytes_printf(text, "| %s | %.4f | %.4f to %.4f (%s) | %s |\n", name, look->ratio.value,
                        look->ratio.low, look->ratio.high, gate_level_name(look->level),
                        gate_verdict_name(track->verdict));
}

static bool write_price(struct bytes *text, const struct gate_check *check)
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

static bool write_detectable(struct bytes *text, const struct gate_check *check)
{
    double share = gate_check_look(check, &check->code)->detectable;

    if (check->baseline.count == 0)
        return true; /* nothing is there to compare with */
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
                        state_name(again->state), address, again->sweep.text,
                        kind_words(again->kind));
}

bool present_check_markdown(struct bytes *text, const struct gate_check *check,
                            const char *address)
{
    char baseline[BASELINE_TEXT_SIZE];

    gate_baseline_text(&check->request, baseline);
    return bytes_printf(text, "**%s**: ", gate_verdict_name(check->verdict)) &&
           markdown_add_plain(text, check->words) &&
           bytes_printf(text,
                        "\n\n| | ratio | 95 %% interval | verdict |\n|---|---|---|---|\n") &&
           write_row(text, "code: samples per second", check, &check->code) &&
           write_price(text, check) &&
           write_row(text, "samples per dollar", check, &check->dollars) &&
           bytes_printf(text, "\n") && write_detectable(text, check) &&
           write_side(text, "Candidate", &check->candidate, address) &&
           write_side(text, "Baseline", &check->baseline, address) &&
           bytes_printf(text, "Compared with ") && markdown_add_code(text, baseline) &&
           bytes_printf(text, ".\n") && write_confirmation(text, check, address);
}

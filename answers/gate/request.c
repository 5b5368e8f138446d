#include "answers/gate/request.h"

#include "common/cleanup.h"
#include "common/limits.h"

#define WINDOW_MIN 2
#define WINDOW_DEFAULT 20

const char *const baseline_kind_names[] = {
    [BASELINE_RUN] = "run", [BASELINE_LABEL] = "label", [BASELINE_LAST] = "last", NULL};

static bool read_window(const char *name, const char *text, long long *ret_window,
                        struct error *err)
{
    const struct field field = {.name = name, .min = WINDOW_MIN, .max = GATE_RUNS_MAX};

    return field_read_text(&field, text, ret_window, err);
}

static bool read_label(const char *text, struct gate_request *request, struct error *err)
{
    const char *value;

    if (!strpbrk(text, "=:"))
        return error_set(err, ERROR_INVALID, "baseline",
                         "must be the id of a run, KEY=VALUE of a label, or last:N");
    if (!label_read("baseline", text, request->key, &value, err))
        return false;
    request->kind = BASELINE_LABEL;
    snprintf(request->value, sizeof request->value, "%s", value);
    return true;
}

static bool read_baseline(const struct gate_question *question, struct gate_request *request,
                          struct error *err)
{
    const char *text = question->baseline;
    bool counts = text && strncmp(text, "last:", 5) == 0;

    request->kind = BASELINE_LAST;
    request->window = question->window > 0 ? question->window : WINDOW_DEFAULT;
    if (text && strlen(text) == RUN_ID_LENGTH && run_id_is_valid(text)) {
        request->kind = BASELINE_RUN;
        snprintf(request->run.text, sizeof request->run.text, "%s", text);
    }
    if (question->window > 0 && (counts || request->kind == BASELINE_RUN))
        return error_set(err, ERROR_INVALID, "window",
                         "must be absent with a baseline of this kind");
    if (counts)
        return read_window("baseline", text + 5, &request->window, err);
    return !text || request->kind == BASELINE_RUN || read_label(text, request, err);
}

static const char *const fails_on[] = {"code", "samples_per_dollar", NULL};
static const char *const formats[] = {[CHECK_JSON] = "json",
                                      [CHECK_MARKDOWN] = "markdown",
                                      [CHECK_GITHUB] = "github",
                                      [CHECK_BENCHER] = "bencher",
                                      NULL};

#define AT(member) .offset = offsetof(struct gate_question, member)
static const struct parameter_row rows[] = {
    {"baseline", PARAMETER_WORD, AT(baseline), .max = LABEL_KEY_MAX + LABEL_VALUE_MAX + 1,
     .meaning =
         "The id of a run; `KEY=VALUE` for the newest runs with that label; or `last:N` for "
         "the newest N that are older than this run; the default is the last runs. With a "
         "label or `last`, the runs have the same configuration and machine, and none is a "
         "repeat of this run."},
    {"window", PARAMETER_INTEGER, AT(window), .min = WINDOW_MIN, .max = GATE_RUNS_MAX,
     .meaning = "Number of runs of a label, or of the last runs; the default is 20."},
    {"margin", PARAMETER_AMOUNT, AT(margin_percent), .max = PERCENT_MAX, .usual = "3",
     .meaning = "Percent by which the run may be slower."},
    {"confirm", PARAMETER_FLAG, AT(confirm), .usual = "false",
     .meaning = "Measure a failure again."},
    {"fails_on", PARAMETER_CHOICE, AT(fails_on), .choices = fails_on, .usual = "code",
     .meaning =
         "By default only the speed of the code can fail; with `samples_per_dollar` a higher "
         "price can fail too."},
    {"format", PARAMETER_CHOICE, AT(format), .choices = formats,
     .meaning = "Overrides `Accept`. `markdown` is for a comment; `github` is the "
                "customBiggerIsBetter of github-action-benchmark; `bencher` is Bencher's metric "
                "format."},
    {"wait", PARAMETER_INTEGER, AT(wait), .max = WAIT_SECONDS_MAX, .usual = "0",
     .meaning = "Hold the answer until the run has finished and, with `confirm`, was measured "
                "again; at most this many seconds. Overrides `Prefer`."},
    {0},
};

const struct parameters gate_parameters = {
    .size = sizeof(struct gate_question),
    .parts = {{rows}},
};

bool gate_request_make(const struct gate_question *question, struct gate_request *ret_request,
                       struct error *err)
{
    struct gate_request request = {
        .margin = question->margin_percent / 100,
        .confirm = question->confirm,
        .fails_on_price = strcmp(question->fails_on, fails_on[0]) != 0,
        .format_given = question->format != NULL,
    };

    while (question->format && strcmp(formats[request.format], question->format) != 0)
        request.format++;
    if (!read_baseline(question, &request, err))
        return false;
    *ret_request = request;
    return true;
}

void gate_baseline_text(const struct gate_request *request, char ret_text[BASELINE_TEXT_SIZE])
{
    if (request->kind == BASELINE_RUN)
        snprintf(ret_text, BASELINE_TEXT_SIZE, "run %s", request->run.text);
    else if (request->kind == BASELINE_LABEL)
        snprintf(ret_text, BASELINE_TEXT_SIZE, "the newest %lld runs with %s=%s", request->window,
                 request->key, request->value);
    else
        snprintf(ret_text, BASELINE_TEXT_SIZE, "the last %lld runs before", request->window);
}

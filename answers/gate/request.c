#include "answers/gate/request.h"

#include "common/cleanup.h"
#include "common/limits.h"

#define WINDOW_MIN 2
#define WINDOW_DEFAULT 20
#define MARGIN_DEFAULT 3 /* percent; compare.h has it as a share */

const char *baseline_kind_name(enum baseline_kind kind)
{
    static const char *const names[] = {
        [BASELINE_RUN] = "run", [BASELINE_LABEL] = "label", [BASELINE_LAST] = "last"};
    return names[kind];
}

static bool read_window(const char *name, const char *text, long long *ret_window,
                        struct error *err)
{
    const struct field field = {.name = name, .min = WINDOW_MIN, .max = GATE_RUNS_MAX};

    return field_read_text(&field, text, ret_window, err);
}

/* One of a list; the first where nothing is said. */
static bool read_choice(const struct query *query, const char *name, const char *const choices[],
                        int *ret_index, struct error *err)
{
    const char *text = query_find(query, name);

    *ret_index = 0;
    if (!text)
        return true;
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], text) == 0) {
            *ret_index = i;
            return true;
        }
    return error_not_allowed(err, name, (struct allowed){.choices = choices},
                             "'%.40s' is not one of them", text);
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

static bool read_baseline(const struct query *query, struct gate_request *request,
                          struct error *err)
{
    const char *text = query_find(query, "baseline"), *window = query_find(query, "window");
    bool counts = text && strncmp(text, "last:", 5) == 0;

    request->kind = BASELINE_LAST;
    request->window = WINDOW_DEFAULT;
    if (text && strlen(text) == RUN_ID_LENGTH && run_id_is_valid(text)) {
        request->kind = BASELINE_RUN;
        snprintf(request->run.text, sizeof request->run.text, "%s", text);
    }
    if (window && (counts || request->kind == BASELINE_RUN))
        return error_set(err, ERROR_INVALID, "window",
                         "must be absent with a baseline of this kind");
    if (window && !read_window("window", window, &request->window, err))
        return false;
    if (counts)
        return read_window("baseline", text + 5, &request->window, err);
    return !text || request->kind == BASELINE_RUN || read_label(text, request, err);
}

static bool read_margin(const struct query *query, double *ret_margin, struct error *err)
{
    const struct field field = {.name = "margin", .type = FIELD_AMOUNT, .max = PERCENT_MAX};
    const char *text = query_find(query, "margin");
    double percent = MARGIN_DEFAULT;

    if (text && !field_read_text(&field, text, &percent, err))
        return false;
    *ret_margin = percent / 100;
    return true;
}

bool gate_request_read(const struct query *query, struct gate_request *ret_request,
                       struct error *err)
{
    static const char *const truths[] = {"false", "true", NULL};
    static const char *const fails_on[] = {"code", "samples_per_dollar", NULL};
    static const char *const formats[] = {"json", "markdown", "github", "bencher", NULL};
    struct gate_request request = {.format_given = query_find(query, "format") != NULL};
    int confirm, fails, format;

    if (!read_baseline(query, &request, err) || !read_margin(query, &request.margin, err) ||
        !read_choice(query, "confirm", truths, &confirm, err) ||
        !read_choice(query, "fails_on", fails_on, &fails, err) ||
        !read_choice(query, "format", formats, &format, err))
        return false;
    request.confirm = confirm == 1;
    request.fails_on_price = fails == 1;
    request.format = (enum check_format)format;
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

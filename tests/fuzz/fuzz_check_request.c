/* Property: what is read of a check's parameters is allowed, and its baseline in words fits; what
 * is refused names a parameter and leaves the caller's alone. */
#include "answers/gate/request.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_read(const struct gate_request *request)
{
    char text[BASELINE_TEXT_SIZE];
    struct error err = {0};

    ALWAYS(request->margin >= 0 && request->margin <= 0.5);
    ALWAYS(request->format <= CHECK_BENCHER);
    if (request->kind == BASELINE_RUN)
        ALWAYS(run_id_is_valid(request->run.text));
    else
        ALWAYS(request->window >= 2 && request->window <= 200);
    if (request->kind == BASELINE_LABEL)
        ALWAYS(label_check("baseline", request->key, request->value, &err));
    gate_baseline_text(request, text);
    ALWAYS(strlen(text) < sizeof text - 1 && strlen(text) > 5);
}

FUZZ_TEXT(target)
{
    static struct query query;
    struct gate_question question = {.baseline = NULL};
    struct gate_request request = {.window = -7};
    struct error err = {0};

    if (query_read(target, &query, &err)) {
        if (parameters_read(&gate_parameters, &query, &question, &err) &&
            gate_request_make(&question, &request, &err)) {
            check_read(&request);
        } else {
            ALWAYS(err.kind == ERROR_INVALID && err.field[0] && err.message[0]);
            ALWAYS(request.window == -7);
        }
    }
}

#include "server/api/comparison.h"

const char *const comparison_formats[] = {"json", "csv", "markdown", NULL};

static const struct parameter_row format[] = {
    {"format", PARAMETER_CHOICE, offsetof(struct comparison_asked, format),
     .choices = comparison_formats, .meaning = "Overrides the Accept header."},
};

const struct parameters comparison_list_parameters = {
    .size = sizeof(struct comparison_asked),
    .parts = {{PARAMETER_ALL(comparison_rows)}, {PARAMETER_ALL(format)}},
    .check = comparison_question_check,
};

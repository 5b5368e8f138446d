/* Parameters of /v1/comparison and of its pictures. */
#pragma once

#include "answers/compare/question.h"

/* The pictures have comparison_parameters: neither fields nor a format. */
struct comparison_asked {
    struct comparison_question question;
    const char *format; /* NULL: the Accept header decides */
};
extern const char *const comparison_formats[]; /* "json", "csv", "markdown" */
extern const struct parameters comparison_list_parameters;

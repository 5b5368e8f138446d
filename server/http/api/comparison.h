/* Parameters of /v1/comparison and of its pictures. */
#pragma once

#include "answers/compare/question.h"
#include "server/http/json/comparison/row_fields.h"

/* The pictures have comparison_parameters: neither fields nor a format. */
struct comparison_asked {
    struct comparison_question question;
    struct row_fields_asked fields; /* of the rows in JSON */
    const char *format;             /* NULL: the Accept header decides */
};
extern const char *const comparison_formats[]; /* "json", "csv", "markdown" */
extern const struct parameters comparison_list_parameters;

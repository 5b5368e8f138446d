#include "server/http/api/comparison.h"

const char *const comparison_formats[] = {"json", "csv", "markdown", NULL};

static bool read_fields(const struct parameter_row *row, const char *value, void *into,
                        struct error *err)
{
    return row_fields_read(row->name, value, into, err);
}

static bool check_comparison(const struct query *query, void *into, struct error *err)
{
    struct comparison_asked *asked = into;

    return (asked->fields.names[0] || row_fields_read("fields", NULL, &asked->fields, err)) &&
           comparison_question_check(query, &asked->question, err);
}

static const struct parameter_row of_tables[] = {
    {"fields", PARAMETER_NAMES, offsetof(struct comparison_asked, fields), .read = read_fields,
     .name_at = row_field_name,
     .meaning =
         "Members of each row in JSON, separated by commas, or `all`; a row always has its "
         "`id`. The default leaves out what few clients read: stratum, isa, software, "
         "other_versions, invalid_runs, prices_per_hour, interruption_band, capacity, "
         "interval_from, kinds, spot_history, utilisation."},
    {"format", PARAMETER_CHOICE, offsetof(struct comparison_asked, format),
     .choices = comparison_formats, .meaning = "Overrides the Accept header."},
    {0},
};

const struct parameters comparison_list_parameters = {
    .size = sizeof(struct comparison_asked),
    .parts = {{comparison_rows}, {of_tables}},
    .check = check_comparison,
};

#include "pricing/given.h"

#include "pricing/parse_time.h"

#include <string.h>
#include <strings.h>

bool given_provider_check(const char *field, const char *text, struct error *err)
{
    static const char *const names[][2] = {
        {"aws", "aws"}, {"azure", "azure"}, {"gcp", "gcp"}, {"amazon", "aws"},
        {"ec2", "aws"}, {"google", "gcp"},  {"gce", "gcp"}, {"microsoft", "azure"}};

    if (!field_check_ends(field, text, err))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text, names[i][0]) == 0 && strcmp(text, names[i][1]) != 0)
            return error_set(err, ERROR_INVALID, field,
                             "'%.40s' is written '%s' here: nothing has the other name", text,
                             names[i][1]);
    return true;
}

bool given_time_read(const char *field, const char *text, long long *ret_us, struct error *err)
{
    return parse_time_given(text, ret_us) ||
           error_set(err, ERROR_INVALID, field,
                     "must be a time like 2026-01-02T03:04:05Z, or a day like 2026-01-02, got "
                     "'%.40s'",
                     text);
}

bool given_time_field(const struct field *field, const json_t *value, void *object,
                      struct error *err)
{
    long long *member = (long long *)(void *)((char *)object + field->offset);

    if (json_is_string(value))
        return given_time_read(field->name, json_string_value(value), member, err);
    return error_set(err, ERROR_INVALID, field->name,
                     "must be a string: a time like 2026-01-02T03:04:05Z");
}

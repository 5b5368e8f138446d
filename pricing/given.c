#include "pricing/given.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

bool given_word_check(const char *field, const char *text, struct error *err)
{
    size_t length = strlen(text);

    return length == 0 ||
           (!isspace((unsigned char)text[0]) && !isspace((unsigned char)text[length - 1])) ||
           error_set(err, ERROR_INVALID, field, "begins or ends with a blank: '%.64s'", text);
}

bool given_provider_check(const char *field, const char *text, struct error *err)
{
    static const char *const names[][2] = {
        {"aws", "aws"}, {"azure", "azure"}, {"gcp", "gcp"}, {"amazon", "aws"},
        {"ec2", "aws"}, {"google", "gcp"},  {"gce", "gcp"}, {"microsoft", "azure"}};

    if (!given_word_check(field, text, err))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text, names[i][0]) == 0 && strcmp(text, names[i][1]) != 0)
            return error_set(err, ERROR_INVALID, field,
                             "'%.40s' is written '%s' here: nothing has the other name", text,
                             names[i][1]);
    return true;
}

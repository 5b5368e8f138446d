#include "server/http/json/csv_cells.h"

#include <math.h>
#include <string.h>

bool csv_add_text(struct bytes *line, const char *text)
{
    bool formula = *text && strchr("=+-@\t\r", *text);
    bool ok = bytes_printf(line, ",\"%s", formula ? "'" : "");

    for (const char *c = text; ok && *c; c++)
        ok = bytes_printf(line, *c == '"' ? "\"\"" : "%c", *c);
    return ok && bytes_add(line, "\"", 1);
}

bool csv_add_number(struct bytes *line, double number)
{
    return isfinite(number) ? bytes_printf(line, ",%.10g", number) : bytes_add(line, ",", 1);
}

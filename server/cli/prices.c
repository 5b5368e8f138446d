/* Tested by tests/api/test_price_files.py. */
#include "server/cli/prices.h"

#include "pricing/feeds/price_check.h"

static void tell_fault(void *user, long long line, const struct error *fault)
{
    char text[512];

    price_sheet_explain(line, fault, text, sizeof text);
    fprintf(stderr, "%s: %s\n", (const char *)user, text);
}

int prices_command(const struct config *config)
{
    char path[PATH_TEXT_MAX + 1];
    struct price_check check;
    struct error err = {0};

    snprintf(path, sizeof path, "%s", config->operands[1]);
    if (!price_check(path, tell_fault, path, &check, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.message);
        return 1;
    }
    if (check.faults > 0) {
        fprintf(stderr, "%s: faults: %zu, so the server would reject this file\n", path,
                check.faults);
        return 1;
    }
    printf("%s: rows: %zu, prices: %zu, faults: none\n", path, check.rows, check.prices);
    if (check.cheapest.nanos > 0)
        printf("%s: an hour costs from %s %s (%s) to %s %s (%s)\n", path, check.cheapest.text,
               check.cheapest.currency, check.cheapest.instance_type, check.costliest.text,
               check.costliest.currency, check.costliest.instance_type);
    return fflush(stdout) == 0 ? 0 : 1;
}

/* Property: what is read of published lines has a version, speeds and prices above 0 and texts
 * that end, reads the same twice, and what is refused says in which line. */
#include "server/prices/published.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

static void check_figure(const struct figure *figure)
{
    ALWAYS(figure->samples_per_second > 0 && isfinite(figure->samples_per_second));
    ALWAYS(strcmp(figure->unit, "sample") == 0 || strcmp(figure->unit, "job") == 0);
    ALWAYS(figure->id[0] && memchr(figure->id, '\0', sizeof figure->id) != NULL);
    ALWAYS(figure->source[0] && memchr(figure->source, '\0', sizeof figure->source) != NULL);
    ALWAYS(figure->configuration[0] == '{' && !strchr(figure->configuration, '\n'));
}

static void check_price(const struct price *price)
{
    ALWAYS(price->nanos > 0 && price->nanos <= PRICE_NANOS_MAX);
    ALWAYS(price->kind == PRICE_ON_DEMAND || price->kind == PRICE_SPOT);
    ALWAYS(strcmp(price->feed, "published") == 0 && strcmp(price->currency, "USD") == 0);
    ALWAYS(price->source_us == price->fetched_us);
}

static void check_data(const struct published_data *data)
{
    ALWAYS(data->version >= 1);
    for (size_t i = 0; i < data->dropped_count; i++)
        ALWAYS(data->dropped[i][0] && memchr(data->dropped[i], '\0', 64) != NULL);
    for (size_t i = 0; i < data->figure_count; i++) {
        check_figure(&data->figures[i]);
        for (size_t j = 0; j < i; j++)
            ALWAYS(strcmp(data->figures[i].id, data->figures[j].id) != 0);
    }
    for (size_t i = 0; i < data->price_count; i++)
        check_price(&data->prices[i]);
}

FUZZ(data, size)
{
    const char *text = (const char *)data;
    struct published_data first = {0}, second = {0};
    struct error err = {0}, err_again = {0};
    bool ok = published_read(text, size, &first, &err);

    ALWAYS(published_read(text, size, &second, &err_again) == ok);
    if (ok) {
        check_data(&first);
        ALWAYS(second.figure_count == first.figure_count);
        ALWAYS(second.price_count == first.price_count);
    } else {
        ALWAYS(err.kind == ERROR_INVALID && strcmp(err.message, err_again.message) == 0);
        ALWAYS(strncmp(err.message, "line ", 5) == 0 || strcmp(err.message, "is missing") == 0);
        ALWAYS(first.figure_count == 0 && !first.figures);
    }
    published_data_clear(&first);
    published_data_clear(&second);
}
